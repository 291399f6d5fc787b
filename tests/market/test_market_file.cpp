#include <hdf5.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <random>

#include "dbn_bytes.hpp"
#include "market/market_file.hpp"
#include "market/planted.hpp"

// HDF5 1.10 itself loses memory when it refuses a damaged file; ours stays watched.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:libhdf5\n";
}

namespace foxhunt::market::test {
namespace {

Market small(int64_t rows = 300) {
  PlantedOptions o;
  o.rows = rows;
  o.session_rows = 100;
  Market m = generate_planted(o);
  m.attributes["text"] = std::string("naïve");
  m.attributes["empty"] = std::string();
  m.attributes["third"] = 1.0 / 3;
  return m;
}

void expect_equal(const Market& a, const Market& b) {
  EXPECT_EQ(a.instrument.symbol, b.instrument.symbol);
  EXPECT_EQ(a.instrument.tick_size, b.instrument.tick_size);
  EXPECT_EQ(a.instrument.multiplier, b.instrument.multiplier);
  EXPECT_EQ(a.instrument.currency, b.instrument.currency);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.levels, b.levels);
  EXPECT_EQ(a.ts, b.ts);
  EXPECT_EQ(a.ts_event, b.ts_event);
  EXPECT_EQ(a.bid_px, b.bid_px);
  EXPECT_EQ(a.ask_px, b.ask_px);
  EXPECT_EQ(a.bid_sz, b.bid_sz);
  EXPECT_EQ(a.ask_sz, b.ask_sz);
  EXPECT_EQ(a.flags, b.flags);
  EXPECT_EQ(a.session, b.session);
  EXPECT_EQ(a.buy_volume, b.buy_volume);
  EXPECT_EQ(a.sell_volume, b.sell_volume);
  EXPECT_EQ(a.unsided_volume, b.unsided_volume);
  EXPECT_EQ(a.signal, b.signal);
  EXPECT_EQ(a.attributes, b.attributes);
}

/// Applies `change` to the HDF5 file and says why it is then refused.
template <class F>
std::string after(const Scratch& s, const F& change) {
  const auto path = s.path("changed.h5");
  write_market(path, small());
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  EXPECT_GE(file, 0);
  change(file);
  EXPECT_GE(H5Fclose(file), 0);
  return error_of([&] { read_market(path); });
}

void put_set(hid_t file, const char* name, hid_t type, std::vector<hsize_t> shape, bool chunked = false) {
  const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
              plist = H5Pcreate(H5P_DATASET_CREATE);
  if (chunked) {
    for (hsize_t& n : shape) n = std::min<hsize_t>(n, 64);
    H5Pset_chunk(plist, static_cast<int>(shape.size()), shape.data());
  }
  const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  EXPECT_GE(set, 0);
  H5Dclose(set);
  H5Pclose(plist);
  H5Sclose(space);
}

void replace_set(hid_t file, const char* name, hid_t type, const std::vector<hsize_t>& shape,
                 bool chunked = false) {
  H5Ldelete(file, name, H5P_DEFAULT);
  put_set(file, name, type, shape, chunked);
}

void set_text(hid_t file, const char* name, const std::string& value) {
  H5Adelete(file, name);
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, value.size());
  const hid_t a = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(a, type, value.data());
  H5Aclose(a);
  H5Sclose(space);
  H5Tclose(type);
}

template <class T>
void poke(hid_t file, const char* name, hid_t type, size_t cell, T value) {
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
  std::vector<T> data(static_cast<size_t>(H5Sget_simple_extent_npoints(space)));
  H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data());
  data[cell] = value;
  H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data());
  H5Sclose(space);
  H5Dclose(set);
}

TEST(MarketFile, RoundTrip) {
  const Scratch s;
  Market m = small();
  write_market(s.path("m.h5"), m);
  expect_equal(read_market(s.path("m.h5")), m);
  m.signal.clear();
  write_market(s.path("m.h5"), m);  // replaces
  expect_equal(read_market(s.path("m.h5")), m);
  EXPECT_EQ(s.entries(), 1u);
}

TEST(MarketFile, TheSameMarketGivesTheSameBytes) {
  const Scratch s;
  write_market(s.path("a.h5"), small());
  ::usleep(1'100'000);  // HDF5 would stamp objects with the second
  write_market(s.path("b.h5"), small());
  EXPECT_EQ(read_file(s.path("a.h5")), read_file(s.path("b.h5")));
}

TEST(MarketFile, AFailedWriteLeavesNothing) {
  const Scratch s;
  EXPECT_TRUE(contains(error_of([&] { write_market(s.path("absent/m.h5"), small()); }), "cannot write"));
  ::mkdir(s.path("folder").c_str(), 0700);
  EXPECT_TRUE(contains(error_of([&] { write_market(s.path("folder"), small()); }), "is a folder"));
  Market broken = small();
  broken.bid_sz[0] = 0;
  s.file("m.h5", "older");
  EXPECT_TRUE(contains(error_of([&] { write_market(s.path("m.h5"), broken); }), "row 0"));
  EXPECT_EQ(read_file(s.path("m.h5")), "older");
  EXPECT_EQ(s.entries(), 2u);
}

TEST(MarketFile, AFullDiskLeavesNothing) {
  const Scratch s;
  s.file("m.h5", "older");
  const Market m = small(20'000);
  const auto write_beyond_limit = [&] {
    rlimit limit{20'000, 20'000};  // bytes that a file may have
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
    bool refused = false;
    try {
      write_market(s.path("m.h5"), m);
    } catch (const Error&) {
      refused = true;
    }
    ::_exit(refused && s.entries() == 1 && read_file(s.path("m.h5")) == "older" ? 0 : 1);
  };
  EXPECT_EXIT(write_beyond_limit(), testing::ExitedWithCode(0), "");
}

TEST(MarketFile, ForeignFilesAreRefused) {
  const Scratch s;
  const auto why = [&](const std::string& path) { return error_of([&] { read_market(path); }); };
  EXPECT_TRUE(contains(why(s.path("absent")), "cannot open"));
  EXPECT_TRUE(contains(why(s.file("text", "hello")), "not an HDF5 file"));
  EXPECT_TRUE(contains(why(s.file("empty", "")), "not an HDF5 file"));
  const hid_t other = H5Fcreate(s.path("other.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  put_set(other, "ts", H5T_STD_I64LE, {10});
  H5Fclose(other);
  EXPECT_TRUE(contains(why(s.path("other.h5")), "names no schema"));
  EXPECT_TRUE(contains(after(s, [](hid_t f) { set_text(f, "schema", "checkpoint"); }),
                       "schema 'checkpoint', not 'foxhunt-market'"));
  EXPECT_TRUE(contains(after(s, [](hid_t f) { set_text(f, "schema_version", "one"); }), "wrong type"));
  EXPECT_TRUE(contains(after(s,
                             [](hid_t f) {
                               const int64_t two = 2;
                               const hid_t a = H5Aopen(f, "schema_version", H5P_DEFAULT);
                               H5Awrite(a, H5T_NATIVE_INT64, &two);
                               H5Aclose(a);
                             }),
                       "version 2"));
}

TEST(MarketFile, ColumnsThatDoNotFitAreNamed) {
  const Scratch s;
  EXPECT_TRUE(
      contains(after(s, [](hid_t f) { H5Ldelete(f, "ask_px", H5P_DEFAULT); }), "'ask_px' is missing"));
  EXPECT_TRUE(
      contains(after(s, [](hid_t f) { H5Ldelete(f, "instrument", H5P_DEFAULT); }), "no group 'instrument'"));
  EXPECT_TRUE(contains(after(s,
                             [](hid_t f) {
                               replace_set(f, "bid_sz", H5T_IEEE_F32LE, {300, 10});
                             }),
                       "'bid_sz' has another number type"));
  EXPECT_TRUE(contains(after(s,
                             [](hid_t f) {
                               replace_set(f, "bid_sz", H5T_STD_U32LE, {300, 9});
                             }),
                       "[300, 9]; expected [300, 10]"));
  EXPECT_TRUE(contains(after(s, [](hid_t f) { replace_set(f, "flags", H5T_STD_U8LE, {299}); }),
                       "[299]; expected [300]"));
  EXPECT_TRUE(contains(after(s, [](hid_t f) { replace_set(f, "bid_px", H5T_STD_I32LE, {3000}); }),
                       "[3000]; expected [300, levels]"));
  EXPECT_TRUE(contains(after(s, [](hid_t f) { replace_set(f, "ts", H5T_STD_I64LE, {1ull << 40}, true); }),
                       "claims 1099511627776 rows"));
}

TEST(MarketFile, BooksThatCannotBeAreRefused) {
  const Scratch s;
  EXPECT_TRUE(contains(after(s, [](hid_t f) { poke<uint32_t>(f, "bid_sz", H5T_NATIVE_UINT32, 1234, 0); }),
                       "row 123"));
  EXPECT_TRUE(contains(after(s, [](hid_t f) { poke<int32_t>(f, "ask_px", H5T_NATIVE_INT32, 55, -5); }),
                       "not ordered"));
  EXPECT_TRUE(contains(after(s, [](hid_t f) { poke<uint8_t>(f, "flags", H5T_NATIVE_UINT8, 7, kCrossed); }),
                       "flags do not agree with the book at row 7"));
  EXPECT_TRUE(contains(after(s, [](hid_t f) { poke<int32_t>(f, "session", H5T_NATIVE_INT32, 200, 0); }),
                       "session number goes back at row 200"));
  EXPECT_TRUE(
      contains(after(s, [](hid_t f) { poke<float>(f, "signal", H5T_NATIVE_FLOAT, 3, std::nanf("")); }),
               "signal is not finite at row 3"));
  EXPECT_TRUE(contains(after(s, [](hid_t f) { poke<int64_t>(f, "ts", H5T_NATIVE_INT64, 3, -1); }),
                       "before 1970 at row 3"));
}

TEST(MarketFile, TruncationIsNoticed) {
  const Scratch s;
  write_market(s.path("m.h5"), small());
  const Bytes whole = read_file(s.path("m.h5"));
  for (size_t n = 0; n < whole.size(); n += 1 + n / 200)
    EXPECT_THROW(read_market(s.file("cut.h5", whole.substr(0, n))), Error) << n;
}

/// The file's structures and chunks carry checksums: a changed byte is refused, or lies where nothing is
/// stored.
TEST(MarketFile, SeededMutations) {
  const Scratch s;
  const Market m = small();
  write_market(s.path("m.h5"), m);
  const Bytes whole = read_file(s.path("m.h5"));
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 600; ++i) {
    Bytes bytes = whole;
    bytes[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
    Market back;
    try {
      back = read_market(s.file("mutant.h5", bytes));
    } catch (const Error&) {
      ++refused;
      continue;
    }
    expect_equal(back, m);
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace foxhunt::market::test
