#pragma once
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace foxhunt::test {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

/// A folder that lives as long as the test.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  fs::path operator/(const std::string& name) const { return folder_ / name; }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

struct Outcome {
  int code = -1;  ///< exit code; 128 + the signal that ended the process
  std::string out, err;
};

/// The program as a child process.
class Child {
 public:
  Child(const Arguments& arguments, const fs::path& folder, const Environment& environment = {});
  ~Child();  ///< kills it if it still runs
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void signal(int number) const;
  bool running();
  Outcome wait();

 private:
  pid_t pid_ = -1;
  fs::path out_, err_;
  int status_ = 0;
  bool ended_ = false;
};

Outcome foxhunt(const Arguments& arguments, const fs::path& folder, const Environment& environment = {});

/// Runs any program found in PATH; code 127 if there is none.
Outcome program(const Arguments& arguments, const fs::path& folder);

/// Arguments of a small training run: 64 accounts, two heads' worth of updates, a short planted market, on the
/// device that FOXHUNT_TEST_DEVICE names, else the CPU.
Arguments small_run(const std::string& run, int iterations, const Arguments& more = {});

fs::path latest(const fs::path& run);
std::string slurp(const fs::path& file);

/// A file of the real market data, or empty where that data is absent.
fs::path data_file(const std::string& name);

/// diag.jsonl without what may differ between two equal runs (clock readings), and without the keys that contain
/// one of `without`: one string a row.
std::vector<std::string> comparable_rows(const fs::path& run, const std::vector<std::string>& without = {});
/// The number of `key` in a row of diag.jsonl.
double number(const std::string& row, const std::string& key);

}  // namespace foxhunt::test
