// optimum
#include <foxhunt/checkpoints/reader.hpp>
#include <foxhunt/checkpoints/tensor_file.hpp>
#include <foxhunt/error.hpp>

#include "../common/log.hpp"
#include "../common/text.hpp"
#include "../environment/classic_control.hpp"
#include "../known_answers/hidden.hpp"
#include "../known_answers/naive_policies.hpp"
#include "../trainer/critic_errors.hpp"
#include "../trainer/session.hpp"
#include "commands.hpp"
#include "inputs.hpp"
#include "print.hpp"

namespace foxhunt::cli {

namespace fs = std::filesystem;
using namespace known_answers;

namespace {

// Named arrays of doubles, as they go into the file.
class Arrays {
 public:
  void add(const std::string& name, const std::vector<double>& values, const std::vector<std::uint64_t>& shape) {
    arrays_.emplace_back(values);
    specs_.push_back({"/" + name, shape});
  }
  void write(const fs::path& file, const checkpoints::Attributes& attributes) const {
    std::vector<checkpoints::ConstTensorView> views;
    for (size_t i = 0; i < arrays_.size(); ++i)
      views.push_back(checkpoints::view(specs_[i].first, specs_[i].second, std::span<const double>(arrays_[i])));
    checkpoints::write_tensors(file, attributes, views);
  }

 private:
  std::vector<std::vector<double>> arrays_;
  std::vector<std::pair<std::string, std::vector<std::uint64_t>>> specs_;
};

std::string policy_line(const std::string& name, double ticks, double optimum, double error = 0) {
  std::string padded = name;
  padded.resize(std::max<size_t>(padded.size(), 44), ' ');
  return text("  ", padded, "  ", fixed(ticks, 4), error > 0 ? text(" +- ", fixed(error, 4)) : std::string(), "  ",
              fixed(ticks / optimum, 4), "\n");
}

std::string hidden_lines(const PlantedGame& game, double optimum) {
  const Noise noise = make_noise(game);
  const Memoryless none = best_memoryless(game, noise);
  const BeliefOptimum signal = belief_optimum(game, noise, false), all = belief_optimum(game, noise, true);
  return policy_line("belief over alpha from signal and moves", all.ticks, optimum, all.error) +
         policy_line("belief over alpha from the signal", signal.ticks, optimum, signal.error) +
         policy_line("without memory (a local optimum)", none.ticks, optimum);
}

// What a policy of ours did on the test part, and what its critics say.
void add_policy(const Arguments& a, const std::string& given, const config::Config& config, plugins::Registry& registry, Arrays& arrays,
                std::string& out) {
  const checkpoints::Reader file(checkpoint_of(given));
  const auto evaluated = [&](const char* selection, trainer::Purpose purpose) {
    config::Layer settings = a.settings();
    settings.push_back({"eval.selection", selection, {.name = "optimum"}});
    const config::Config mine = config_of_checkpoint(file, settings, registry);
    trainer::Session session(mine, registry, purpose);
    session.load_policy(file);
    trainer::EvaluationResult r = session.evaluate("test");
    if (!r.planted->unknown.empty()) throw Error(text("--policy ", given, ": its score is not known: ", r.planted->unknown));
    return r;
  };
  const trainer::EvaluationResult greedy = evaluated("greedy", trainer::Purpose::evaluation), sampled = evaluated("sample", trainer::Purpose::critics);
  const Visits& visits = *sampled.planted->visits;
  const PlantedGame& game = visits.game();
  const double optimum = mean_optimum(game).ticks;
  out += text("\n", given, ", long run by the exact model:\n");
  out += policy_line("greedy", greedy.planted->score.ticks, optimum, greedy.planted->score.error);
  out += policy_line("as it explores (pi)", sampled.planted->score.ticks, optimum, sampled.planted->score.error);

  const Table policy = visits.policy();
  const Values values = values_of(game, policy, config.real("q.gamma"), config.real("env.reward_scale"));
  Table advantage = values.q;
  for (size_t c = 0; c < game.cells(); ++c)
    for (size_t k = 0; k < kActions; ++k) advantage[c * kActions + k] -= values.v[c];
  const std::vector<std::uint64_t> cells{game.alphas(), game.positions.size()}, actions{game.alphas(), game.positions.size(), kActions};
  const std::vector<std::int64_t> visited = visits.states();
  arrays.add("pi", policy, actions);
  arrays.add("pi_greedy", greedy.planted->visits->policy(), actions);
  arrays.add("v_pi", values.v, cells);
  arrays.add("q_pi", values.q, actions);
  arrays.add("a_pi", advantage, actions);
  arrays.add("visits", std::vector<double>(visited.begin(), visited.end()), cells);

  try {
    const std::vector<trainer::CriticError> errors = trainer::critic_errors(config, sampled);
    out += "\ncritic            truth   its sd    error = optimisation + representation + projection   (rms)\n";
    for (const trainer::CriticError& e : errors) {
      std::string name = e.name, truth = e.truth;
      name.resize(std::max<size_t>(name.size(), 16), ' ');
      truth.resize(6, ' ');
      out += text("  ", name, truth, "  ", fixed(e.spread, 4), "   ", fixed(e.total, 4), "  ", fixed(e.optimisation, 4), "         ",
                  fixed(e.representation, 4), "           ", fixed(e.projection, 4), "\n");
    }
  } catch (const Error& e) {
    out += text("\ncritics: not compared: ", e.what(), "\n");
  }
}

int optimum(const Arguments& a) {
  if (a.has("quiet")) log::quiet();
  const auto output = a.value("output");
  if (output) check_output(*output, a.has("force"));
  plugins::Registry registry = find_plugins(a);
  const auto given = a.value("policy");
  if (given && !a.words().empty()) throw Error("--policy brings its own configuration: leave out the config files");
  const config::Config config = [&] {
    if (!given) return load_config({}, a.words(), a.settings(), registry);
    const checkpoints::Reader file(checkpoint_of(*given), checkpoints::Reader::Verify::structure);
    return config_of_checkpoint(file, a.settings(), registry);
  }();
  if (environment::make_classic_control(config.text("env.source"), 1))
    throw Error(text("env.source = ", config.text("env.source"), ": only the planted market has a known optimum"));
  const trainer::Plan plan = trainer::make_plan(config);
  const double gamma = config.real("q.gamma");
  if (gamma >= 1) throw Error("q.gamma = 1: Q* and V* are sums without end; expected a q.gamma below 1");
  const market::Market market = trainer::make_market(config);
  const auto game = trainer::planted_game(market, plan.account, market.instrument.tick_size * market.instrument.multiplier);

  const MeanOptimum best = mean_optimum(*game);
  const market::PlantedModel& m = game->settings.model;
  std::string out = text("planted market: alpha with ", m.states, " states, phi ", m.phi, ", sigma ", m.sigma, "; ", m.near_lots,
                         " lots a level; fee ", game->settings.fee, " ticks a lot; positions of ", game->settings.small, ", ",
                         game->settings.half, ", ", game->settings.full, " lots\n\n");
  out += "policy                                          ticks a step  of the optimum\n";
  out += policy_line(m.hidden ? "optimum, if alpha were seen" : "optimum", best.ticks, best.ticks);
  if (m.hidden) out += "these see alpha, too:\n";
  for (const Named& p : naive_policies(*game)) out += policy_line(p.name, p.ticks, best.ticks);
  if (m.hidden && m.noise > 0) out += "these see what the book shows:\n" + hidden_lines(*game, best.ticks);

  Arrays arrays;
  const std::uint64_t n = game->alphas(), P = game->positions.size();
  const Values values = optimal_values(*game, gamma, plan.account.reward_scale);
  arrays.add("alpha", game->chain.alpha, {n});
  arrays.add("stationary", game->chain.stationary, {n});
  arrays.add("transition", game->chain.transition, {n, n});
  arrays.add("positions", std::vector<double>(game->positions.begin(), game->positions.end()), {P});
  arrays.add("v_star", values.v, {n, P});
  arrays.add("q_star", values.q, {n, P, kActions});
  arrays.add("optimal_policy", best.policy, {n, P, kActions});
  if (given) add_policy(a, *given, config, registry, arrays, out);
  if (output) {
    arrays.write(*output, {{"optimum_ticks_per_step", best.ticks},
                           {"gamma", gamma},
                           {"reward_scale", plan.account.reward_scale},
                           {"config", config.resolved(config::Detail::result)}});
    out += text("\nwrote ", *output, "\n");
  }
  print(out);
  return 0;
}

}  // namespace

Command optimum_command() {
  return {.name = "optimum",
          .summary = "solves the planted market: its optimum, simple policies beside it, a policy of yours and its critics",
          .usage = "[CONFIG.ini…] [--policy RUN|CHECKPOINT] [-o FILE.h5] [--section.key value]…",
          .details = "Ticks a step in the long run are exact but for a hidden alpha. The file holds alpha, positions, Q* and V* (discounted by\n"
                     "q.gamma, in units of the reward), the policy that is best in the mean; with --policy also pi, V^pi, Q^pi and A^pi.\n"
                     "Axes: alpha, position, action. A policy is what the agent did on the test part, averaged in each state.\n",
          .options = {{"policy", "RUN|CHECKPOINT", "scores it, and holds its critics against the truth"},
                      {"output,o", "FILE", "HDF5 file of the tables"},
                      {"force,f", "", "replaces the output"},
                      plugin_dir_option(),
                      quiet_option()},
          .words = "config files",
          .most_words = kAnyNumber,
          .takes_settings = true,
          .run = optimum};
}

}  // namespace foxhunt::cli
