#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <foxhunt/error.hpp>
#include <string>
#include <vector>

#include "market/import.hpp"

namespace foxhunt::market::test {

using Bytes = std::string;

/// A folder of one test's own, removed with it.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// Writes the bytes and returns the path.
  std::string file(const std::string& name, const Bytes& bytes) const;
  size_t entries() const;

 private:
  std::filesystem::path folder_;
};

Bytes read_file(const std::string& path);
Bytes compress(const Bytes& plain);
Bytes decompress(const Bytes& zstd);

/// DBN metadata and records, written here independently of the reader.
struct Name {
  std::string symbol;
  uint32_t id;
};
Bytes dbn_head(int version, uint16_t schema, const std::vector<Name>& names,
               uint64_t record_count = UINT64_MAX);

struct Order {
  char action = 'A', side = 'B';
  uint64_t id = 0;
  int64_t price = 0;  // 1e-9
  uint32_t size = 1;
  uint8_t flags = 128;
  uint64_t ts_event = 1'000'000'000, ts_recv = 1'000'000'100;
  uint32_t instrument = 7;
};
Bytes mbo(const Order& order, bool ts_out = false);

struct Level {
  int64_t bid_px = INT64_MAX, ask_px = INT64_MAX;
  uint32_t bid_sz = 0, ask_sz = 0;
};
/// An mbp-1 or mbp-10 record, by the number of levels.
Bytes mbp(const std::vector<Level>& levels, const Order& event);
Bytes definition(int version, uint32_t id, const std::string& symbol, const std::string& asset, int64_t tick,
                 int64_t multiplier);
Bytes status(uint32_t instrument, uint16_t action, char is_trading);

/// Price in points as 1e-9 units.
constexpr int64_t px(double points) { return static_cast<int64_t>(points * 1e9); }

/// Tick 0.25, multiplier 50, no gate.
ImportOptions es_options();

/// The text of the foxhunt::Error that `f` throws; fails the test if it throws none or another exception.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another exception than foxhunt::Error: " << e.what();
    return "";
  }
  ADD_FAILURE() << "no error";
  return "";
}

testing::AssertionResult contains(const std::string& text, const std::string& part);

/// A file of the shared test data, or empty if there is none (the test then skips).
std::string data_file(const std::string& name);
#define FOXHUNT_DATA(variable, name)                                     \
  const std::string variable = ::foxhunt::market::test::data_file(name); \
  if (variable.empty()) GTEST_SKIP() << "test data " << (name) << " is absent (FOXHUNT_TEST_DATA)"

}  // namespace foxhunt::market::test
