#include "support.hpp"

#include <cstdlib>
#include <fstream>

namespace foxhunt::test {

std::string shown(const Outcome& o) { return "exit code " + std::to_string(o.code) + "\n--- out\n" + o.out + "--- err\n" + o.err; }

testing::AssertionResult refused(const Outcome& o, const std::string& part) {
  const auto no = [&](const char* what) { return testing::AssertionFailure() << what << ": " << shown(o).substr(0, 4000); };
  if (o.code != 1) return no("the exit code is not 1");
  if (!o.out.empty()) return no("something is on standard output");
  if (o.err.empty() || o.err.back() != '\n') return no("standard error has no last line");
  const size_t begin = o.err.rfind('\n', o.err.size() - 2) + 1;  // npos + 1 = 0
  const std::string line = o.err.substr(begin, o.err.size() - 1 - begin);
  if (!line.starts_with("foxhunt: ")) return no("the last line does not begin with the program's name");
  if (line.starts_with("foxhunt: foxhunt: ")) return no("the program's name stands there twice");
  if (line.find(part) == std::string::npos) return no(("the message does not hold '" + part + "'").c_str());
  return testing::AssertionSuccess();
}

std::set<std::string> entries(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("stdout-") && !name.starts_with("stderr-") && !name.starts_with("program-std")) names.insert(name);
  }
  return names;
}

Arguments tiny_run(const std::string& run, const Arguments& more) {
  Arguments a{"train",          "--run",  run,        "--trainer.device", "cpu",  "--trainer.iterations", "2", "--trainer.accounts", "32",
              "--replay.start", "256",    "--replay.capacity", "2048",    "--env.rows", "8192", "--encoder.hidden", "16"};
  a.insert(a.end(), more.begin(), more.end());
  return a;
}

Outcome shell(const std::string& command, const fs::path& folder) {
  setenv("FOXHUNT", FOXHUNT_PROGRAM, 1);
  return program({"sh", "-c", command}, folder);
}

void write(const fs::path& file, const std::string& content) { std::ofstream(file, std::ios::binary) << content; }

}  // namespace foxhunt::test
