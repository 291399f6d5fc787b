// compare, sweep
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <foxhunt/error.hpp>

#include "../common/files.hpp"
#include "../common/log.hpp"
#include "../common/text.hpp"
#include "../comparison/ladder.hpp"
#include "../comparison/ladder_table.hpp"
#include "../comparison/run_pairs.hpp"
#include "../comparison/run_result.hpp"
#include "commands.hpp"
#include "inputs.hpp"
#include "print.hpp"

namespace foxhunt::cli {

namespace fs = std::filesystem;

namespace {

constexpr int kDiffer = 2, kInterrupted = 4;

int compare(const Arguments& a) {
  const comparison::RunPairs pairs = comparison::compare(a.words()[0], a.words()[1]);
  if (pairs.seeds.size() > 1) print(text(pairs.seeds.size(), " seeds: ", join(pairs.seeds, ", "), "\n"));
  print(comparison::headline(pairs) + "\n");
  const auto table = comparison::table_of(pairs, a.values("metric"));
  if (table.size() > 1) print(columns(table));
  return pairs.first_step == 0 ? 0 : kDiffer;
}

/// This program again, with its output. Returns its exit code, or 128 + the signal that ended it.
int run_again(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "foxhunt");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  if (const int error = posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, argv.data(), environ); error != 0)
    throw Error(text("cannot start another process: ", std::strerror(error)));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) throw Error(text("cannot wait for another process: ", std::strerror(errno)));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool is_finished(const fs::path& run, std::int64_t seeds) {
  if (!fs::is_directory(run)) return false;
  const auto folders = comparison::seeds_of(run);
  if (static_cast<std::int64_t>(folders.size()) < seeds) return false;
  for (const fs::path& folder : folders)
    if (!fs::exists(folder / "verdict.json")) return false;
  return true;
}

std::vector<std::string> command_for(const comparison::Ladder& ladder, const comparison::Rung& rung, const fs::path& run,
                                     const Arguments& a) {
  std::vector<std::string> command{"train"};
  if (fs::is_directory(run))
    command.insert(command.end(), {"--resume", run.string()});
  else
    command.insert(command.end(), {rung.config.string(), "--run", run.string()});
  if (a.has("quiet")) command.push_back("-q");
  for (const std::string& folder : a.values("plugin-dir")) command.insert(command.end(), {"--plugin-dir", folder});
  command.insert(command.end(), {"--trainer.replicas", std::to_string(ladder.seeds)});
  command.insert(command.end(), ladder.settings.begin(), ladder.settings.end());
  for (const config::Assignment& s : a.settings()) command.insert(command.end(), {"--" + s.key, s.value});
  return command;
}

int sweep(const Arguments& a) {
  if (a.has("quiet")) log::quiet();
  const fs::path file = a.words().front();
  comparison::Ladder ladder = comparison::read_ladder(file);
  for (const config::Assignment& s : a.settings())
    if (s.key == "trainer.replicas") throw Error(text("--trainer.replicas: the seeds of a sweep are set in ", file, ", [sweep] seeds"));
  const fs::path runs = a.value("folder").value_or((fs::path("runs") / file.stem()).string());
  const std::vector<std::string> only = a.values("only");
  for (const std::string& name : only)
    if (!ladder.find(name)) throw Error(text("--only ", shown(name), ": ", file, " has no such rung"));
  fs::create_directories(runs);

  std::vector<std::string> failed;
  for (const comparison::Rung& rung : ladder.rungs) {
    if (a.has("table") || (!only.empty() && std::find(only.begin(), only.end(), rung.name) == only.end())) continue;
    const fs::path run = runs / rung.name;
    if (is_finished(run, ladder.seeds)) {
      log::info(text(run, ": done already"));
      continue;
    }
    log::info(text("== ", rung.name));
    const int code = run_again(command_for(ladder, rung, run, a));
    if (code == kInterrupted) return code;
    // A gate that fails or aborts a run is a result; anything else is a fault, which never stops the rest.
    if (code != 0 && code != 2 && code != 3) failed.push_back(rung.name);
  }
  const std::string table = comparison::ladder_table(ladder, runs);
  write_file_atomic(runs / "table.md", table);
  print(table);
  if (failed.empty()) return 0;
  throw Error(text("did not run: ", join(failed, ", "), "; what they said stands above. The same command again goes on with them"));
}

}  // namespace

Command compare_command() {
  return {.name = "compare",
          .summary = "says where two runs part, and by how much their metrics differ",
          .usage = "RUN RUN [options]",
          .details = "Runs of several seeds (trainer.replicas) are compared seed by seed. The first iteration at which any metric of\n"
                     "diag.jsonl is not the same number, then what the runs came to: means over the last tenth of their iterations,\n"
                     "and the effect B - A with its 95 % interval over paired seeds. To find out what one change does, let both\n"
                     "begin from the same state: foxhunt train --fork-from RUN …\n"
                     "Exit codes: 0 the same, 1 error, 2 different.\n",
          .options = {{"metric", "NAME", "only this metric, such as q_pi_agree or share_of_optimum", true}},
          .words = "two run folders",
          .least_words = 2,
          .most_words = 2,
          .run = compare};
}

Command sweep_command() {
  return {.name = "sweep",
          .summary = "runs a list of configurations with the same seeds, and holds them against one of them",
          .usage = "LIST.ini [options] [--section.key value]…",
          .details = "LIST.ini: [sweep] with baseline, seeds and settings, then a section a run with its config and, if something is\n"
                     "expected of it, record (the claim), metric and sign (-, 0 or +: of its difference to the baseline).\n"
                     "experiments/ladder.ini is one. Each configuration is a process that trains its seeds side by side; one that\n"
                     "fails does not stop the rest, and the same command again goes on where it was. The table is printed and\n"
                     "written to FOLDER/table.md. Settings of the command line are given to every run.\n",
          .options = {{"folder", "FOLDER", "where the runs are (default: runs/LIST)"},
                      {"only", "NAME", "this one alone", true},
                      {"table", "", "runs nothing: the table of what is there"},
                      plugin_dir_option(),
                      quiet_option()},
          .words = "a list of configurations",
          .least_words = 1,
          .most_words = 1,
          .takes_settings = true,
          .run = sweep};
}

}  // namespace foxhunt::cli
