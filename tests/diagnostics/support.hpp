#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <foxhunt/error.hpp>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "common/text.hpp"
#include "diagnostics/schema.hpp"

namespace foxhunt::diagnostics {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

/// A small schema: step, x (must be finite), y, hist[short, long].
inline const MetricSchema& small_schema() {
  static const MetricSchema schema({{.name = "step", .integer = true},
                                    {.name = "x", .unit = "USD", .look_at = "the weather", .finite = true},
                                    {.name = "y"},
                                    {.name = "hist", .elements = {"short", "long"}}});
  return schema;
}

inline Row row(std::int64_t step, double x, double y = 0, double first = 0.5, double second = 0.5) {
  const double shares[]{first, second};
  Row result(small_schema());
  result.set("step", static_cast<double>(step)).set("x", x).set("y", y).set("hist", shares);
  return result;
}

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

class RunFolder : public testing::Test {
 protected:
  RunFolder() { std::filesystem::create_directories(folder); }
  ~RunFolder() override { std::filesystem::remove_all(folder); }
  static std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void put(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / text("foxhunt_diag_", ::getpid());
  const std::filesystem::path diag = folder / "diag.jsonl";
};

}  // namespace foxhunt::diagnostics
