#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <foxhunt/checkpoints/reader.hpp>
#include <foxhunt/checkpoints/writer.hpp>
#include <foxhunt/error.hpp>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trainer/metrics.hpp"
#include "trainer/session.hpp"

namespace foxhunt::trainer::test {

/// Keys and values of a command line. No std::vector: {"a", "b"} would be a range of characters to one.
struct Settings {
  Settings(std::initializer_list<std::pair<std::string, std::string>> list = {}) : all(list) {}
  std::vector<std::pair<std::string, std::string>> all;
};

/// A small configuration on the CPU (8 accounts x 4 steps, 1200 rows, c51 with 5 atoms), with `more` on top.
config::Config config_of(const Settings& more = {});
/// The plugins of this build and those of tests/trainer/samples.
plugins::Registry& registry();

/// A session with its metrics.
class Trained {
 public:
  explicit Trained(const Settings& more = {}, bool initialise = true);
  /// Runs iterations and reads their metrics; returns the last row.
  diagnostics::Row run(int64_t iterations);

  template <class T>
  std::vector<T> get(const std::string& tensor) {
    const compute::TensorId id = session.agent().tensors().find(tensor);
    EXPECT_NE(id, 0u) << tensor;
    return get<T>(id);
  }
  template <class T>
  std::vector<T> get(compute::TensorId id) {
    std::vector<T> values(static_cast<size_t>(compute::elements_of(session.agent().tensors()[id].shape)));
    session.compute().wait_all();
    session.compute().download(id, values.data(), values.size() * sizeof(T));
    return values;
  }
  void set(const std::string& tensor, const std::vector<float>& values);
  /// Makes the policy choose one action whatever it sees.
  void always(size_t action);

  /// The whole state by dataset, as bytes.
  std::map<std::string, std::vector<std::byte>> state();
  /// Writes a checkpoint.
  void save(const std::filesystem::path& file);

  config::Config config;
  Session session;
  MetricsReader metrics;
};

/// A folder that is gone after the test.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

/// The text of the foxhunt::Error that the call throws; fails the test if it throws none.
template <class F>
std::string error_of(F&& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

inline void expect_all(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(message.find(part), std::string::npos) << part << "\nis not in: " << message;
}

}  // namespace foxhunt::trainer::test
