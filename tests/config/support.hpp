#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <foxhunt/error.hpp>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "common/text.hpp"
#include "config/config.hpp"

namespace foxhunt::config {

/// Text of the Error that `action` throws; fails the test if it throws none.
template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

inline void expect_all(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << part << "\nis not in: " << message;
}

/// A folder of config files that is gone after the test.
class ConfigFiles : public testing::Test {
 protected:
  ConfigFiles() { std::filesystem::create_directories(folder); }
  ~ConfigFiles() override { std::filesystem::remove_all(folder); }
  std::filesystem::path file(const std::string& name, const std::string& content) const {
    const auto path = folder / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / text("foxhunt_config_", ::getpid());
};

/// Plugins of the tests: heads c51 and iqn, shapers identity and clip, sizer fixed.
inline std::vector<Setting> test_plugins(Kind kind, const std::string& plugin) {
  if (kind == Kind::q_head && plugin == "c51")
    return {{.key = "atoms", .type = Type::integer, .initial = "21", .minimum = 2, .maximum = 512},
            {.key = "v_min", .type = Type::real, .initial = "-3"},
            {.key = "select", .type = Type::choice, .initial = "target", .choices = {"target", "double"}}};
  if (kind == Kind::q_head && plugin == "iqn")
    return {{.key = "kappa",
             .type = Type::real,
             .initial = "1",
             .minimum = 0,
             .help = "Huber # threshold\nin units of Q"}};
  if (kind == Kind::reward_shaper && plugin == "identity") return {};
  if (kind == Kind::reward_shaper && plugin == "clip")
    return {{.key = "limit", .type = Type::real, .initial = "1", .minimum = 0}};
  if (kind == Kind::position_sizer && plugin == "fixed") return {};
  if (plugin == "greedy_names") return {{.key = "plugin", .type = Type::text}};
  throw Error(text("no such plugin: ", plugin, "; there are c51, iqn"));
}

inline Config of_text(const std::string& content) {
  return assemble({parse_text(content, "test.ini")}, test_plugins);
}

/// Layers of a command line, as a user types it.
inline Layer typed(const std::vector<std::string>& arguments) { return take_settings(arguments).settings; }

}  // namespace foxhunt::config
