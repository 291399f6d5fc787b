#include "run.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace foxhunt::test {

namespace {

std::vector<char*> pointers(const Arguments& arguments) {
  std::vector<char*> p;
  for (const std::string& a : arguments) p.push_back(const_cast<char*>(a.c_str()));
  p.push_back(nullptr);
  return p;
}

int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

pid_t start(const Arguments& arguments, const fs::path& folder, const Environment& environment, const fs::path& out,
            const fs::path& err) {
  const std::vector<char*> argv = pointers(arguments);
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("fork failed");
  if (pid > 0) return pid;
  if (chdir(folder.c_str()) != 0) _exit(126);
  const auto redirect = [](const fs::path& file, int to) {
    const int from = open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (from < 0 || dup2(from, to) < 0) _exit(126);
  };
  redirect(out, 1);
  redirect(err, 2);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  execvp(argv[0], argv.data());
  _exit(127);
}

// Where a row's value of `key` begins, after the colon; npos if there is no such key.
size_t find_value(const std::string& row, const std::string& key) {
  const size_t at = row.find('"' + key + "\":");
  return at == std::string::npos ? at : at + key.size() + 3;
}

// End of a value: the comma or brace behind it; arrays hold commas of their own.
size_t end_of_value(const std::string& row, size_t from) {
  return row[from] == '[' ? row.find(']', from) + 1 : row.find_first_of(",}", from);
}

}  // namespace

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "foxhunt-test-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no scratch folder");
  folder_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Child::Child(const Arguments& arguments, const fs::path& folder, const Environment& environment) {
  static int count = 0;
  const std::string number = std::to_string(++count);
  out_ = folder / ("stdout-" + number);
  err_ = folder / ("stderr-" + number);
  Arguments all{FOXHUNT_PROGRAM};
  all.insert(all.end(), arguments.begin(), arguments.end());
  pid_ = start(all, folder, environment, out_, err_);
}

Child::~Child() {
  if (ended_) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, &status_, 0);
}

void Child::signal(int number) const {
  if (!ended_) kill(pid_, number);
}

bool Child::running() {
  if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return !ended_;
}

Outcome Child::wait() {
  if (!ended_) waitpid(pid_, &status_, 0);
  ended_ = true;
  return {exit_code(status_), slurp(out_), slurp(err_)};
}

Outcome foxhunt(const Arguments& arguments, const fs::path& folder, const Environment& environment) {
  return Child(arguments, folder, environment).wait();
}

Outcome program(const Arguments& arguments, const fs::path& folder) {
  const fs::path out = folder / "program-stdout", err = folder / "program-stderr";
  int status = 0;
  waitpid(start(arguments, folder, {}, out, err), &status, 0);
  return {exit_code(status), slurp(out), slurp(err)};
}

Arguments small_run(const std::string& run, int iterations, const Arguments& more) {
  const char* device = std::getenv("FOXHUNT_TEST_DEVICE");
  Arguments a{"train",      "--run",      run,          "--trainer.device", device ? device : "cpu", "--trainer.iterations", std::to_string(iterations),
              "--trainer.accounts", "64", "--replay.start", "1024",         "--replay.capacity",     "4096",
              "--env.rows", "32768"};
  a.insert(a.end(), more.begin(), more.end());
  return a;
}

fs::path latest(const fs::path& run) { return run / "checkpoints" / "latest.h5"; }

std::string slurp(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

fs::path data_file(const std::string& name) {
  const char* set = std::getenv("FOXHUNT_TEST_DATA");
  const fs::path file = (set ? fs::path(set) : fs::path(FOXHUNT_SOURCE_DIR).parent_path() / "shared" / "data") / name;
  return fs::exists(file) ? file : fs::path();
}

std::vector<std::string> comparable_rows(const fs::path& run, const std::vector<std::string>& without) {
  std::vector<std::string> rows;
  std::ifstream in(run / "diag.jsonl");
  for (std::string row; std::getline(in, row);) {
    std::string kept;
    for (size_t at = 1; at < row.size() && row[at] == '"';) {
      const std::string key = row.substr(at + 1, row.find('"', at + 1) - at - 1);
      const size_t end = end_of_value(row, at + key.size() + 3);
      bool skip = key == "wall_s" || key == "env_steps_per_s";
      for (const std::string& w : without) skip = skip || key.find(w) != std::string::npos;
      if (!skip) kept += row.substr(at, end - at) + ",";
      at = end + 1;
    }
    rows.push_back(kept);
  }
  return rows;
}

double number(const std::string& row, const std::string& key) {
  const size_t at = find_value(row, key);
  if (at == std::string::npos) throw std::runtime_error("no key " + key + " in " + row);
  return std::stod(row.substr(at));
}

}  // namespace foxhunt::test
