#include "commands.hpp"

#include <foxhunt/error.hpp>

#include "../common/build_info.hpp"
#include "../common/text.hpp"
#include "print.hpp"

namespace foxhunt::cli {

namespace {

const std::vector<Command>& table() {
#define FOXHUNT_ROW(NAME) NAME##_command(),
  static const std::vector<Command> commands{FOXHUNT_COMMANDS(FOXHUNT_ROW)};
#undef FOXHUNT_ROW
  return commands;
}

const Command& find(const std::string& name) {
  std::vector<std::string> names{"help"};
  for (const Command& c : table()) {
    if (c.name == name) return c;
    names.push_back(c.name);
  }
  const auto near = nearest(name, names);
  throw Error(text("unknown command '", shown(name), "'", near ? text("; did you mean `foxhunt ", *near, "`?") : std::string(),
                   near ? "" : "; `foxhunt help` lists all commands"));
}

std::string version_text() {
  const BuildInfo b = build_info();
  return text("foxhunt ", b.version, " (commit ", b.commit, ", ", b.compiler, ")\n");
}

std::string overview() {
  std::string out = text("foxhunt ", build_info().version,
                         ": trains limit-order-book agents whose heads are replaced at run time\n\n"
                         "Usage: foxhunt COMMAND [arguments]\n\nCommands:\n");
  std::vector<std::vector<std::string>> rows;
  for (const Command& c : table()) rows.push_back({"  " + c.name, c.summary});
  rows.push_back({"  help [COMMAND]", "this text, or a command's, as `foxhunt COMMAND --help`"});
  return out + columns(rows) +
         "\n  foxhunt train                                 the main job, on the embedded market\n"
         "  foxhunt train --trainer.iterations 50         with a setting changed; `foxhunt train --help` lists all\n"
         "\nExit codes: 0 done and passed; 1 error in use or input; 2 ended, a fail_at_end gate failed (diff: the files\n"
         "differ); 3 aborted by a gate; 4 interrupted, checkpoint written, resumable.\n"
         "Environment: FOXHUNT_PLUGIN_PATH, FOXHUNT_CACHE_DIR, FOXHUNT_CACHE_MAX_MB, FOXHUNT_CXX, FOXHUNT_KERNELS_DIR,\n"
         "FOXHUNT_CUDA_MODULE; `foxhunt doctor` shows what they lead to.\n";
}

void print_help(const Command& c, const Arguments& arguments) {
  print(text("Usage: foxhunt ", c.name, c.usage.empty() ? "" : " ", c.usage, "\n\n", c.summary, "\n"));
  if (!c.details.empty()) print(text("\n", c.details));
  print(text("\nOptions:\n", options_text(c.options)));
  if (c.more_help) print(text("\n", c.more_help(arguments)));
}

}  // namespace

int run(const std::vector<std::string>& argv) {
  const std::string first = argv.size() > 1 ? argv[1] : "help";
  if (first == "help" || first == "--help" || first == "-h") {
    if (argv.size() > 2 && first == "help") {
      const Command& c = find(argv[2]);
      print_help(c, Arguments(c, {argv[0], c.name, "--help"}));
    } else {
      print(overview());
    }
    return 0;
  }
  if (first == "--version") {
    print(version_text());
    return 0;
  }
  if (first.starts_with("-"))
    throw Error(text("'", shown(first), "' stands where a command is expected; `foxhunt help` lists all commands"));
  const Command& c = find(first);
  const Arguments arguments(c, argv);
  if (!arguments.help()) return c.run(arguments);
  print_help(c, arguments);
  return 0;
}

}  // namespace foxhunt::cli
