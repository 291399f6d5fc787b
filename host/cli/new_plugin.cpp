#include "new_plugin.hpp"

#include <algorithm>
#include <foxhunt/descriptor.hpp>
#include <foxhunt/error.hpp>

#include "../common/files.hpp"
#include "../common/paths.hpp"
#include "../common/text.hpp"
#include "../config/settings.hpp"

namespace foxhunt::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostBytes = 1 << 20;

/// The example of this kind; its own name stands wherever the new one will.
const char* example_of(fh_kind kind) {
  return kind == FH_Q_HEAD ? "linear_q" : kind == FH_REWARD_SHAPER ? "soft_clip" : "kelly";
}

std::string replaced(std::string content, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = content.find(from, at)) != std::string::npos; at += to.size()) content.replace(at, from.size(), to);
  return content;
}

void check_name(fh_kind kind, const std::string& name, const plugins::Registry& registry) {
  if (!is_plugin_name(name.c_str()) || name.size() >= sizeof(fh_descriptor::name))
    throw Error(text("'", shown(name), "' cannot be the name of a plugin; expected [a-z][a-z0-9_]*, at most ",
                     sizeof(fh_descriptor::name) - 1, " characters"));
  // Targets of CMake and its package are called like these.
  static const std::vector<std::string> taken = {"all", "clean", "edit_cache", "foxhunt", "help", "install", "package", "rebuild_cache", "test"};
  if (config::is_reserved(name) || std::find(taken.begin(), taken.end(), name) != taken.end())
    throw Error(text("'", name, "' has a meaning of its own; choose another name"));
  if (const plugins::Candidate* there = registry.find(kind, name))
    throw Error(text("there is a ", plugins::name_of(kind), " '", name, "' already, ", there->path, "; choose another name"));
}

}  // namespace

std::string new_plugin(fh_kind kind, const std::string& name, const plugins::Registry& registry) {
  check_name(kind, name, registry);
  const fs::path prefix = executable().parent_path().parent_path();
  const std::string example = example_of(kind);
  const fs::path from = share_folder() / "templates" / example;
  std::error_code error;
  if (!fs::is_directory(from, error)) throw Error(text("the folder ", from, " is missing; install foxhunt anew"));
  if (fs::exists(fs::symlink_status(name, error))) throw Error(text("'", name, "' exists; remove it or choose another name"));
  if (!fs::create_directory(name, error)) throw Error(text("the folder '", name, "' cannot be made: ", error.message()));
  for (const auto& entry : fs::directory_iterator(from)) {
    std::string content = replaced(read_file(entry.path(), kMostBytes), example, name);
    if (entry.path().extension() == ".md") content = replaced(std::move(content), "/opt/foxhunt", prefix.string());
    write_file_atomic(fs::path(name) / replaced(entry.path().filename().string(), example, name), content);
  }
  return text("wrote ", name, "/: ", name, ".cpp, ", name, ".cu, test.py, CMakeLists.txt, README.md\nnext:\n  cd ", name,
              "\n  cmake -S . -B build -D CMAKE_PREFIX_PATH=\"", prefix, "\"\n  cmake --build build\n  ctest --test-dir build --output-on-failure\n");
}

}  // namespace foxhunt::cli
