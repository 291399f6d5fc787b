// probe
#include <cmath>
#include <foxhunt/error.hpp>

#include "../common/log.hpp"
#include "../common/text.hpp"
#include "../environment/accounts.hpp"
#include "../probe/probe.hpp"
#include "commands.hpp"
#include "inputs.hpp"
#include "print.hpp"

namespace foxhunt::cli {

namespace {

constexpr int kWrongGradient = 2;
constexpr double kTolerance = 1e-6;
// Checking a gradient costs two runs a parameter: a small head is as good as a large one.
constexpr int64_t kSmallBatch = 8, kSmallHidden = 8, kSmallActions = 3;

fh_kind kind_of(const Arguments& a, const plugins::Registry& registry, const std::string& plugin) {
  if (const auto given = a.value("kind")) return plugins::kind_of(*given);
  std::vector<fh_kind> kinds;
  std::vector<std::string> known;
  for (const plugins::Candidate& c : registry.candidates()) {
    known.push_back(c.description.name);
    if (c.description.name == plugin) kinds.push_back(c.description.kind);
  }
  if (kinds.size() == 1) return kinds.front();
  if (!kinds.empty())
    throw Error(text("'", plugin, "' is a ", plugins::name_of(kinds[0]), " and a ", plugins::name_of(kinds[1]), "; say --kind"));
  for (const plugins::Refusal& r : registry.refusals())
    if (r.name == plugin) throw Error(text("plugin '", shown(plugin), "': ", r.path, " is refused: ", r.why));
  const auto near = nearest(plugin, known);
  throw Error(text("no plugin is called '", shown(plugin), "'; ", near ? text("did you mean '", *near, "'?") : "known: " + join(known, ", ")));
}

// The plugin takes its place by being named; the rest of the configuration is the defaults and the command line's.
config::Config config_for(const Arguments& a, plugins::Registry& registry, fh_kind kind, const std::string& plugin) {
  const std::string key = kind == FH_Q_HEAD ? "heads" : kind == FH_REWARD_SHAPER ? "reward_shaping.plugin" : "position_sizing.plugin";
  for (const config::Assignment& s : a.settings())
    if (s.key == key) throw Error(text("--", key, " cannot be given here: the plugin that is probed is ", plugin));
  return load_config({{{key, plugin, {.name = "command line"}}}}, {}, a.settings(), registry);
}

int write_example(const Arguments& a, const probe::Subject& subject) {
  const std::string output = a.required("output");
  check_output(output, a.has("force"));
  const probe::Answer example =
      probe::example(subject, a.integer("batch", 1, 1 << 20).value_or(32), subject.config.integer("encoder.hidden"));
  probe::write(output, example.attributes, example.contents);
  std::vector<std::vector<std::string>> rows;
  for (const auto& [path, values] : example.contents) rows.push_back({path, probe::type_text(values)});
  print(text("wrote ", output, ":\n", columns(rows)));
  return 0;
}

int check_gradients(const Arguments& a, probe::Subject subject) {
  if (subject.kind != FH_Q_HEAD)
    throw Error(text("a ", plugins::name_of(subject.kind), " has no gradients; --check-gradients is for a q_head"));
  if (!a.has("actions") && a.words().size() == 1) subject.actions = kSmallActions;
  const config::Config& config = subject.config;
  const int64_t hidden = config.is_set("encoder.hidden") ? config.integer("encoder.hidden") : kSmallHidden;
  const probe::Contents inputs =
      a.words().size() > 1
          ? probe::read_head_inputs(subject, a.words()[1])
          : probe::example(subject, a.integer("batch", 1, 1 << 20).value_or(kSmallBatch), hidden).contents;
  std::vector<std::vector<std::string>> rows{{"TENSOR", "ELEMENTS", "RMS OF GRADIENT", "LARGEST RELATIVE ERROR"}};
  bool good = true;
  for (const probe::GradientCheck& c : probe::check_gradients(subject, inputs)) {
    const bool fits = c.error <= kTolerance;
    good = good && fits;
    rows.push_back({c.tensor, text(c.elements), rounded(c.rms, 3), text(rounded(c.error, 3), fits ? "" : "  WRONG")});
  }
  print(text(columns(rows), good ? "every gradient agrees" : "a gradient disagrees", " with central differences to ", kTolerance, "\n"));
  return good ? 0 : kWrongGradient;
}

int run_probe(const Arguments& a, const probe::Subject& subject) {
  if (a.words().size() != 3)
    throw Error(text("expected PLUGIN IN.h5 OUT.h5, got ", a.words().size(), " words; `foxhunt probe --template PLUGIN -o IN.h5` writes an IN.h5"));
  const std::string &input = a.words()[1], &output = a.words()[2];
  check_output(output, a.has("force"), {input});
  const probe::Answer answer = probe::probe(subject, input);
  for (const std::string& path : answer.unread) log::warning(text(input, ":", path, " is read by nobody"));
  probe::write(output, answer.attributes, answer.contents);
  std::vector<std::vector<std::string>> rows;
  for (const auto& [path, values] : answer.contents) {
    size_t bad = 0;
    for (const double v : values.data) bad += !std::isfinite(v);
    rows.push_back({path, text(probe::type_text(values), bad ? text("  ", bad, " not finite") : "")});
  }
  print(text("wrote ", output, ":\n", columns(rows)));
  return 0;
}

int probe_(const Arguments& a) {
  if (a.has("template") && a.has("check-gradients")) throw Error("--template and --check-gradients cannot go together");
  const size_t most = a.has("template") ? 1 : a.has("check-gradients") ? 2 : 3;
  if (a.words().size() > most)
    throw Error(text("'", shown(a.words()[most]), "' is one word too many; `foxhunt probe --help` says more"));
  log::quiet();
  plugins::Registry registry = find_plugins(a);
  const std::string& plugin = a.words().front();
  const fh_kind kind = kind_of(a, registry, plugin);
  const config::Config config = config_for(a, registry, kind, plugin);
  const probe::Subject subject{registry, config, kind, a.integer("actions", 1, 4096).value_or(environment::kActions)};
  if (a.has("template")) return write_example(a, subject);
  return a.has("check-gradients") ? check_gradients(a, subject) : run_probe(a, subject);
}

}  // namespace

Command probe_command() {
  return {.name = "probe",
          .summary = "runs one plugin on tensors from a file; checks a head's gradients",
          .usage = "PLUGIN IN.h5 OUT.h5 [--section.key value]…\n"
                   "       foxhunt probe --template PLUGIN -o IN.h5 [--section.key value]…\n"
                   "       foxhunt probe --check-gradients PLUGIN [IN.h5] [--section.key value]…",
          .details =
              "B samples, H features (encoder.hidden), N actions, Z atoms; matrices are row-major, input dimension first.\n"
              "q_head          reads /h, /h_next [B,H], /action [B] i32, /reward [B], /terminated [B] u8,\n"
              "                /weights/{online,target}/PARAMETER; where they are there also its random numbers (such as\n"
              "                /tau), /value, /value_next [B] and /controllers/NAME. The discount is q.gamma, 0 where\n"
              "                terminated. Writes its outputs by name, /target, /loss [B], and the gradients of the\n"
              "                mean of /loss: /grad/PARAMETER, /grad_h; random numbers that it drew from trainer.seed\n"
              "reward_shaper   reads /reward [n] and its state (such as /std_ema), which is used as it is; writes /shaped\n"
              "position_sizer  reads /action, /target_position [B] and what it needs of /variance_q, /expected_q [B,N],\n"
              "                /log_probs [B,N,Z], /support [Z]; moments may be left to the last two. Writes /scale, /position\n"
              "--check-gradients compares a head's gradients with central differences in double precision, on the CPU;\n"
              "exit code 2 if the relative error of one is above 1e-6. Options of the plugin are given as for training:\n"
              "--NAME.option of a head, --reward_shaping.option, --position_sizing.option.\n",
          .options = {{"template", "", "writes an input filled with random numbers and initial weights"},
                      {"check-gradients", "", "compares gradients with central differences"},
                      {"output,o", "FILE", "of --template"},
                      {"actions", "N", "number of actions, where no tensor says it (default: 9)"},
                      {"batch", "B", "samples that are made up (default: 32; to check gradients 8)"},
                      {"kind", "KIND", "q_head, reward_shaper or position_sizer, where two plugins have one name"},
                      {"force", "", "replaces an output that exists"},
                      plugin_dir_option()},
          .words = "PLUGIN IN.h5 OUT.h5",
          .least_words = 1,
          .most_words = 3,
          .takes_settings = true,
          .run = probe_};
}

}  // namespace foxhunt::cli
