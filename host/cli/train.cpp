// train, eval
#include <foxhunt/checkpoints/reader.hpp>
#include <foxhunt/error.hpp>
#include <set>

#include "../common/build_info.hpp"
#include "../common/log.hpp"
#include "../common/text.hpp"
#include "../diagnostics/verdict.hpp"
#include "../trainer/train.hpp"
#include "commands.hpp"
#include "inputs.hpp"

namespace foxhunt::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLeastHashDigits = 7;

// A hash may be shortened; "-dirty" (changed files) is part of a commit and must agree.
bool same_commit(std::string expected, std::string found) {
  const auto take_dirty = [](std::string& commit) {
    const bool dirty = commit.ends_with("-dirty");
    if (dirty) commit.resize(commit.size() - 6);
    return dirty;
  };
  const bool dirty = take_dirty(expected) == take_dirty(found);
  return dirty && expected.size() >= kLeastHashDigits && found.starts_with(expected);
}

void expect_commit(const std::string& expected) {
  const std::string found = build_info().commit;
  if (!same_commit(expected, found))
    throw Error(text("--expect-commit ", shown(expected), ": this program was built from commit ", found,
                     "; build that commit, or expect this one"));
}

// The plugins that a configuration uses, each once.
std::vector<const plugins::Candidate*> plugins_of(const config::Config& config, const plugins::Registry& registry) {
  std::set<const plugins::Candidate*> seen;
  std::vector<const plugins::Candidate*> used;
  const auto add = [&](fh_kind kind, const std::string& name) {
    const plugins::Candidate* c = registry.find(kind, name);
    if (c && seen.insert(c).second) used.push_back(c);
  };
  for (const config::HeadInstance& h : config.heads()) add(FH_Q_HEAD, h.plugin);
  add(FH_REWARD_SHAPER, config.text("reward_shaping.plugin"));
  add(FH_POSITION_SIZER, config.text("position_sizing.plugin"));
  return used;
}

// "c51=3fa9…,identity=…"
void expect_plugins(const std::string& list, const config::Config& config, const plugins::Registry& registry) {
  const std::vector<const plugins::Candidate*> used = plugins_of(config, registry);
  std::vector<std::string> found;
  for (const plugins::Candidate* c : used) found.push_back(text(c->description.name, "=", c->sha256));
  for (const std::string& entry : split(list, ',')) {
    const auto equals = entry.find('=');
    const std::string name = entry.substr(0, equals), sha = equals == std::string::npos ? "" : entry.substr(equals + 1);
    if (name.empty() || sha.size() < kLeastHashDigits)
      throw Error(text("--expect-plugins: '", shown(entry), "' is not NAME=SHA256 (at least ", kLeastHashDigits,
                       " digits); this run uses ", join(found, ",")));
    bool known = false;
    for (const plugins::Candidate* c : used) {
      if (c->description.name != name) continue;
      known = true;
      if (!c->sha256.starts_with(sha))
        throw Error(text("--expect-plugins ", name, "=", shown(sha), ": ", c->path, " has SHA-256 ", c->sha256));
    }
    if (!known)
      throw Error(text("--expect-plugins names '", shown(name), "', which this run does not use; it uses ", join(found, ",")));
  }
}

void refuse_together(const Arguments& a, const char* one, const char* other) {
  if (a.has(one) && a.has(other)) throw Error(text("--", one, " and --", other, " cannot go together"));
}

std::optional<fs::path> new_file(const Arguments& a, const char* option) {
  const auto given = a.value(option);
  if (given) check_output(*given, false);
  return given ? std::optional<fs::path>(*given) : std::nullopt;
}

std::vector<config::Layer> layers_of_run(const fs::path& run) {
  std::error_code error;
  if (!fs::is_regular_file(run / "config.ini", error))
    throw Error(text("--resume ", run, ": holds no config.ini; expected the folder of a run, such as runs/default-0001"));
  return config::stored(config::read_layers({run / "config.ini"}));
}

// The configuration of each seed, as that seed alone would be given it.
std::vector<config::Config> replicas_of(const config::Config& all, const std::vector<config::Layer>& first, const Arguments& a,
                                        plugins::Registry& registry) {
  std::vector<config::Config> replicas;
  std::vector<config::Layer> layers = layers_of(first, a.words(), a.settings());
  layers.emplace_back();
  for (std::int64_t k = 0; k < all.integer("trainer.replicas"); ++k) {
    const config::Origin origin{"replica of trainer.replicas", 0, {}};
    layers.back() = {{"trainer.replicas", "1", origin}, {"trainer.seed", std::to_string(all.integer("trainer.seed") + k), origin}};
    replicas.push_back(config::assemble(layers, plugin_options(registry)));
  }
  return replicas;
}

int train(const Arguments& a) {
  if (a.has("quiet")) log::quiet();
  refuse_together(a, "resume", "run");
  refuse_together(a, "resume", "init-from");
  refuse_together(a, "resume", "fork-from");
  refuse_together(a, "init-from", "fork-from");
  if (const auto commit = a.value("expect-commit")) expect_commit(*commit);
  plugins::Registry registry = find_plugins(a);
  const auto resume = a.value("resume");
  const std::vector<config::Layer> first = resume ? layers_of_run(*resume) : std::vector<config::Layer>();
  const config::Config config = load_config(first, a.words(), a.settings(), registry);
  if (const auto list = a.value("expect-plugins")) expect_plugins(*list, config, registry);

  // A run that was begun has what it depends on.
  if (!resume) diagnostics::require_passed(config.runs("after"));

  trainer::TrainRequest request{config, registry, a.argv()};
  if (!a.words().empty()) request.name = fs::path(a.words().back()).stem().string();
  if (const auto run = a.value("run")) request.folder = *run;
  if (resume) request.resume = *resume;
  if (const auto from = a.value("init-from")) request.init_from = checkpoint_of(*from);
  const bool several = config.integer("trainer.replicas") > 1;
  if (const auto from = a.value("fork-from")) request.fork_from = several ? fs::path(*from) : checkpoint_of(*from);
  request.fills = new_file(a, "fills");
  return static_cast<int>(several ? trainer::train_side_by_side(request, replicas_of(config, first, a, registry))
                                  : trainer::train(request));
}

// The settings there are, with the options of the plugins that this command line chooses.
std::string settings_help(const Arguments& a) {
  try {
    plugins::Registry registry = find_plugins(a, false);
    return config::help(load_config({}, a.words(), a.settings(), registry));
  } catch (const Error& e) {
    return text(config::help(), "\nOptions of plugins are not shown: ", e.what(), "\n");
  }
}

int eval(const Arguments& a) {
  if (a.has("quiet")) log::quiet();
  const std::string part = a.value("part").value_or("test");
  if (part != "test" && part != "validation")
    throw Error(text("--part is '", shown(part), "', expected test or validation"));
  const fs::path file = checkpoint_of(a.words().front());
  plugins::Registry registry = find_plugins(a);
  const checkpoints::Reader reader(file, checkpoints::Reader::Verify::structure);
  const config::Config config = config_of_checkpoint(reader, a.settings(), registry);
  trainer::evaluate({config, registry, file, part, new_file(a, "fills"), new_file(a, "equity")});
  return 0;
}

}  // namespace

Command train_command() {
  return {.name = "train",
          .summary = "trains an agent and evaluates it: the main job",
          .usage = "[CONFIG.ini…] [options] [--section.key value]…",
          .details =
              "Later files win over earlier ones, settings of the command line over all. The run's folder is new,\n"
              "runs/NAME-0001 after the last file's name, and holds config.ini, diag.jsonl (a line an iteration;\n"
              "schema.json: its keys), provenance.json, summary.json, equity.csv, verdict.json and checkpoints/.\n"
              "SIGINT and SIGTERM end the run after the running iteration with a checkpoint. The last line of\n"
              "standard output is run folder, steps/s and verdict. With --resume the run's own config.ini comes first;\n"
              "what it computes cannot be changed, how long and how it works can: --resume RUN --trainer.iterations 1200.\n",
          .options = {{"run", "FOLDER", "the run's folder; new or empty"},
                      {"resume", "RUN", "goes on with a run from its latest checkpoint"},
                      {"init-from", "CHECKPOINT|RUN", "takes over the weights that match by name and shape, lists the others"},
                      {"fork-from", "CHECKPOINT|RUN",
                       "goes on from its whole state as far as it fits (accounts, replay, random numbers, iteration) with other settings"},
                      {"fills", "FILE", "CSV of every fill; slows training down"},
                      {"expect-commit", "COMMIT", "refuses to start if the program was built from another one"},
                      {"expect-plugins", "NAME=SHA256,…", "refuses to start if these plugins are not those files"},
                      plugin_dir_option(),
                      quiet_option()},
          .words = "config files",
          .most_words = kAnyNumber,
          .takes_settings = true,
          .run = train,
          .more_help = settings_help};
}

Command eval_command() {
  return {.name = "eval",
          .summary = "evaluates a checkpoint on rows that it was not trained on",
          .usage = "RUN|CHECKPOINT [options] [--section.key value]…",
          .details = "The configuration is the checkpoint's; settings are put over it (--trainer.device, --eval.rows …). A key in it that\n"
                     "this version does not know is left out with a warning.\n",
          .options = {{"part", "test|validation", "part of the market's rows (default: test)"},
                      {"fills", "FILE", "CSV of every fill"},
                      {"equity", "FILE", "CSV of the equity curve, as in a run's equity.csv"},
                      plugin_dir_option(),
                      quiet_option()},
          .words = "a run folder or a checkpoint",
          .least_words = 1,
          .most_words = 1,
          .takes_settings = true,
          .run = eval};
}

}  // namespace foxhunt::cli
