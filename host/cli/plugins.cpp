#include <foxhunt/error.hpp>

#include "../common/text.hpp"
#include "../config/config.hpp"
#include "../environment/accounts.hpp"
#include "../plugins/registry.hpp"
#include "commands.hpp"
#include "graph.hpp"
#include "inputs.hpp"
#include "new_plugin.hpp"
#include "print.hpp"

namespace foxhunt::cli {

namespace {

constexpr fh_kind kKinds[] = {FH_Q_HEAD, FH_REWARD_SHAPER, FH_POSITION_SIZER};

config::Kind config_kind(fh_kind kind) {
  return kind == FH_Q_HEAD          ? config::Kind::q_head
         : kind == FH_REWARD_SHAPER ? config::Kind::reward_shaper
                                    : config::Kind::position_sizer;
}

int list(const plugins::Registry& registry) {
  std::vector<std::vector<std::string>> rows{{"KIND", "NAME", "VERSION", "DESCRIPTION", "FILE"}};
  for (const fh_kind kind : kKinds)
    for (const plugins::Candidate& c : registry.candidates())
      if (c.description.kind == kind)
        rows.push_back({plugins::name_of(kind), c.description.name, c.description.version, c.description.description, c.path});
  print(rows.size() > 1 ? columns(rows) : "no plugin was found; `foxhunt doctor` shows the folders searched\n");
  for (const std::string& note : registry.notes()) print(text("note     ", note, "\n"));
  for (const plugins::Refusal& r : registry.refusals()) print(text("refused  ", r.path, ": ", r.why, "\n"));
  return 0;
}

int names(const plugins::Registry& registry, const std::string& kind_name) {
  const fh_kind kind = plugins::kind_of(kind_name);
  for (const plugins::Candidate& c : registry.candidates())
    if (c.description.kind == kind) print(text(c.description.name, "\n"));
  return 0;
}

// "[hidden 128, action_atom 189]"
std::string shape_text(const fh_declared& d) {
  std::string out;
  for (std::uint32_t i = 0; i < d.shape.rank; ++i)
    out += text(i ? ", " : "", d.axes[i] ? text(d.axes[i], " ") : std::string(), d.shape.dim[i]);
  return text("[", out, "]");
}

std::string shape_text(const fh_shape& s) {
  std::string out;
  for (std::uint32_t i = 0; i < s.rank; ++i)
    out += text(i ? ", " : "", s.dim[i] < 0 ? std::string("batch") : text(s.dim[i]));
  return text("[", out, "]");
}

void print_declared(const char* title, std::span<const fh_declared> list) {
  if (list.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const fh_declared& d : list)
    rows.push_back({text("  ", d.name), compute::name_of(static_cast<fh_dtype>(d.dtype)), shape_text(d)});
  print(text(title, "\n", columns(rows)));
}

// What an instance with default options declares, at the default sizes.
void print_instance(const plugins::Plugin& plugin, std::int64_t hidden) {
  const plugins::OptionValues options = plugins::default_values(plugin);
  const std::string& name = plugin.name();
  const std::int64_t actions = environment::kActions;
  if (plugin.kind() == FH_REWARD_SHAPER) {
    print_declared("controllers", plugins::RewardShaperInstance(plugin, name, {0, 0, 1}, options).controllers());
  } else if (plugin.kind() == FH_POSITION_SIZER) {
    const std::uint32_t needs = plugins::PositionSizerInstance(plugin, name, {0, actions, 1}, options).needs();
    std::string all;
    for (const auto& [bit, what] : {std::pair{FH_NEEDS_VARIANCE_Q, "variance_q"}, {FH_NEEDS_EXPECTED_Q, "expected_q"},
                                    {FH_NEEDS_LOG_PROBS, "log_probs"}, {FH_NEEDS_SUPPORT, "support"}})
      if (needs & bit) all += text(all.empty() ? "" : ", ", what);
    print(text("reads of risk_source: ", all.empty() ? "nothing" : all, "\n"));
  } else {
    const plugins::QHeadInstance head(plugin, name, {hidden, actions, 0.99}, options);
    print(text("with default options, encoder.hidden = ", hidden, " and ", actions, " actions:\n"));
    print_declared("parameters", head.parameters());
    print_declared("controllers", head.controllers());
    std::vector<std::vector<std::string>> rows;
    for (const fh_output& o : head.outputs()) rows.push_back({text("  ", o.name), shape_text(o.shape)});
    print(text("outputs\n", columns(rows)));
  }
}

int show(plugins::Registry& registry, const std::string& name) {
  bool found = false;
  for (const fh_kind kind : kKinds) {
    const plugins::Candidate* c = registry.find(kind, name);
    if (!c) continue;
    if (found) print("\n");
    found = true;
    print(columns({{"name", name},
                   {"kind", plugins::name_of(kind)},
                   {"version", c->description.version},
                   {"about", c->description.description},
                   {"file", c->path},
                   {"sha256", c->sha256},
                   {"sealed", c->description.sealed ? "yes: a changed byte is noticed" : "no"}}));
    const std::vector<config::Setting> options = registry.settings(config_kind(kind), name);
    const std::string section = kind == FH_Q_HEAD ? name : kind == FH_REWARD_SHAPER ? "reward_shaping" : "position_sizing";
    print(options.empty() ? "options: none\n" : text("options: key, default, values, meaning\n", config::help(options, section + ".")));
    std::int64_t hidden = 0;
    for (const config::Setting& s : config::table())
      if (s.key == "encoder.hidden") hidden = to_integer(s.initial).value();
    print_instance(registry.open(kind, name), hidden);
  }
  if (found) return 0;
  std::vector<std::string> known;
  for (const plugins::Candidate& c : registry.candidates()) known.push_back(c.description.name);
  for (const plugins::Refusal& r : registry.refusals())
    if (r.name == name) throw Error(text("plugin '", shown(name), "': ", r.path, " is refused: ", r.why));
  const auto near = nearest(name, known);
  throw Error(text("no plugin is called '", shown(name), "'", near ? text("; did you mean '", *near, "'?") : std::string(),
                   near ? "" : text("; known: ", join(known, ", "))));
}

int make_new(const Arguments& a) {
  if (a.words().size() != 3 || a.has("names"))
    throw Error("expected `foxhunt plugins new KIND NAME`, KIND one of q_head, reward_shaper, position_sizer");
  print(new_plugin(plugins::kind_of(a.words()[1]), a.words()[2], find_plugins(a, false)));
  return 0;
}

int plugins_(const Arguments& a) {
  const bool graph = a.has("graph");
  if (graph && a.has("names")) throw Error("--graph and --names cannot go together");
  if (!graph && !a.settings().empty())
    throw Error(text("settings have a meaning with --graph alone, got --", shown(a.settings().front().key)));
  if (!graph && !a.words().empty() && a.words().front() == "new") return make_new(a);
  if (!graph && a.words().size() > (a.has("names") ? 0 : 1))
    throw Error(text("'", shown(a.words().back()), "' is one word too many; `foxhunt plugins --help` says more"));
  plugins::Registry registry = find_plugins(a, graph);
  if (graph) {
    const config::Config config = load_config({}, a.words(), a.settings(), registry);
    print(dataflow_graph(config, registry));
    return 0;
  }
  if (const auto kind = a.value("names")) return names(registry, *kind);
  return a.words().empty() ? list(registry) : show(registry, a.words().front());
}

}  // namespace

Command plugins_command() {
  return {.name = "plugins",
          .summary = "lists the plugins found, describes one, begins a new one, or draws the data flow of a configuration",
          .usage = "[NAME | new KIND NAME | --names KIND | --graph [CONFIG.ini…] [--section.key value]…] [options]",
          .details = "Without a NAME: all plugins on the search path, and the files that were refused, with the reason.\n"
                     "`new` makes the folder NAME with a plugin that builds as it is: kernel, tests, README.\n"
                     "The search path: --plugin-dir, FOXHUNT_PLUGIN_PATH (folders with ':' between), the program's own folder.\n",
          .options = {{"names", "KIND", "names alone, one a line; KIND is q_head, reward_shaper or position_sizer"},
                      {"graph", "", "one iteration as Graphviz DOT: steps with owner, and the tensors between them"},
                      plugin_dir_option()},
          .words = "a plugin's name, new KIND NAME, or config files with --graph",
          .most_words = kAnyNumber,
          .takes_settings = true,
          .run = plugins_};
}

}  // namespace foxhunt::cli
