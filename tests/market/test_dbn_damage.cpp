#include <sys/resource.h>
#include <zstd.h>

#include <cstring>
#include <random>
#include <set>

#include "dbn_bytes.hpp"
#include "market/dbn_reader.hpp"

namespace foxhunt::market::test {
namespace {

int64_t count_records(const std::string& path, bool allow = false) {
  DbnReader reader(path, {}, allow);
  while (reader.next()) {
  }
  return reader.records();
}

const char* const kVectors[] = {
    "test_data.mbo.v1.dbn.zst",    "test_data.mbo.v2.dbn.zst",      "test_data.mbo.v3.dbn.zst",
    "test_data.mbp-1.v1.dbn.zst",  "test_data.mbp-1.v2.dbn.zst",    "test_data.mbp-1.v3.dbn.zst",
    "test_data.mbp-10.v1.dbn.zst", "test_data.mbp-10.v2.dbn.zst",   "test_data.mbp-10.v3.dbn.zst",
    "test_data.trades.v1.dbn.zst", "definition-glbx-es-fut.dbn.zst"};

/// Cut at every byte, plain and compressed: an error each time, but for a plain file cut between two records,
/// which nothing tells from a shorter one.
TEST(DbnDamage, TruncationAtEveryByte) {
  const Scratch s;
  for (const char* name : kVectors) {
    FOXHUNT_DATA(path, name);
    const Bytes zstd = read_file(path), plain = decompress(zstd);
    ASSERT_GT(plain.size(), 100u);
    size_t head = 0;
    std::memcpy(&head, plain.data() + 4, 4);
    head += 8;
    const size_t record = static_cast<unsigned char>(plain[head]) * size_t{4};
    for (size_t n = 0; n < plain.size(); ++n) {
      const auto cut = s.file("cut", plain.substr(0, n));
      if (n >= head && (n - head) % record == 0) {
        EXPECT_EQ(count_records(cut), static_cast<int64_t>((n - head) / record));
        continue;
      }
      EXPECT_THROW(count_records(cut), Error) << name << " plain, byte " << n;
      if (n < head)
        EXPECT_THROW(count_records(cut, true), Error) << name << " plain, byte " << n;
      else
        EXPECT_EQ(count_records(cut, true), static_cast<int64_t>((n - head) / record));
    }
    std::set<size_t> frames;  // where a frame ends, and with it perhaps a record
    for (size_t n = 0; n < zstd.size();)
      frames.insert(n += ZSTD_findFrameCompressedSize(zstd.data() + n, zstd.size() - n));
    for (size_t n = 0; n < zstd.size(); ++n) {
      const auto cut = s.file("cut", zstd.substr(0, n));
      const size_t left = frames.contains(n) ? decompress(zstd.substr(0, n)).size() : 0;
      if (left >= head && (left - head) % record == 0)
        EXPECT_EQ(count_records(cut), static_cast<int64_t>((left - head) / record));
      else
        EXPECT_THROW(count_records(cut), Error) << name << " compressed, byte " << n;
    }
  }
}

TEST(DbnDamage, TruncatedImportKeepsWholeRecordsOnRequest) {
  FOXHUNT_DATA(path, "test_data.mbp-10.v1.dbn.zst");
  const Bytes plain = decompress(read_file(path));
  const Scratch s;
  const auto cut = s.file("cut", plain.substr(0, plain.size() - 1));
  ImportOptions options = es_options();
  QualityReport report;
  EXPECT_TRUE(
      contains(error_of([&] { import_dbn(cut, options, report); }), "cut short after 1 whole records"));
  options.allow_truncated = true;
  EXPECT_EQ(import_dbn(cut, options, report).rows(), 1);
  EXPECT_EQ(report.counts.cut_bytes, 367);
}

/// Whatever the bytes are: an error or a market that holds together, never a crash.
TEST(DbnDamage, SeededMutations) {
  const Scratch s;
  std::mt19937 random(20240101);
  int accepted = 0, refused = 0;
  for (const char* name : kVectors) {
    FOXHUNT_DATA(path, name);
    const Bytes plain = decompress(read_file(path));
    for (int i = 0; i < 400; ++i) {
      Bytes bytes = plain;
      for (unsigned k = 1 + random() % 4; k > 0; --k)
        bytes[random() % bytes.size()] = static_cast<char>(random());
      const auto file = s.file("mutant", i % 4 == 0 ? compress(bytes) : bytes);
      try {
        QualityReport report;
        ImportOptions options = es_options();
        options.round_off_tick = options.allow_truncated = i % 2;
        validate(import_dbn(file, options, report), "mutant");
        to_text(report);
        ++accepted;
      } catch (const Error&) {
        ++refused;
      }
      try {
        describe_dbn(file);
      } catch (const Error&) {
      }
    }
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 100);
}

TEST(DbnDamage, SeededMutationsOfTheCompressedBytes) {
  const Scratch s;
  std::mt19937 random(20240102);
  for (const char* name : kVectors) {
    FOXHUNT_DATA(path, name);
    const Bytes zstd = read_file(path);
    for (int i = 0; i < 200; ++i) {
      Bytes bytes = zstd;
      bytes[random() % bytes.size()] = static_cast<char>(random());
      try {
        count_records(s.file("mutant", bytes));
      } catch (const Error&) {
      }
    }
  }
}

/// 3 GB of one record in some 100 kB: refused after a few MB, in constant memory.
TEST(DbnDamage, ZstdBombIsRefused) {
  const Scratch s;
  Bytes block;
  while (block.size() < (4u << 20)) block += mbo({.action = 'N', .id = 1, .price = px(1)});
  const Bytes frame = compress(block);
  Bytes bomb = compress(dbn_head(1, 0, {{"ESH4", 7}}));
  for (int i = 0; i < 750; ++i) bomb += frame;
  const auto path = s.file("bomb.dbn.zst", bomb);
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  EXPECT_TRUE(contains(error_of([&] { count_records(path); }), "beyond the limits for market data"));
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 16 << 10);  // kB

  DbnLimits loose;
  loose.ratio = 1e9;
  loose.decompressed_bytes = 100u << 20;
  EXPECT_TRUE(contains(error_of([&] {
                         DbnReader r(path, loose);
                         while (r.next()) {
                         }
                       }),
                       "beyond the limits for market data"));
  DbnLimits window;
  window.window_log = 10;
  EXPECT_TRUE(contains(error_of([&] {
                         DbnReader r(path, window);
                         while (r.next()) {
                         }
                       }),
                       "damaged"));
}

TEST(DbnDamage, MetadataThatLies) {
  const Scratch s;
  const Bytes head = dbn_head(1, 0, {{"ESH4", 7}});
  const auto with = [&](size_t at, uint32_t value) {
    Bytes b = head;
    std::memcpy(b.data() + at, &value, 4);
    return error_of([&] { count_records(s.file("x", b)); });
  };
  EXPECT_TRUE(contains(with(108, 5), "schema definition"));
  EXPECT_TRUE(contains(with(112, 0xFFFFFFFF), "damaged DBN metadata"));  // symbols
  EXPECT_TRUE(contains(with(138, 0x10000000), "damaged DBN metadata"));  // partial
  EXPECT_TRUE(contains(with(4, 40), "at least 104 expected"));
  EXPECT_TRUE(contains(with(4, 1 << 20), "cut short inside the DBN metadata"));
  Bytes short_record = head + mbo({.id = 1});
  short_record[head.size()] = 10;
  EXPECT_TRUE(contains(error_of([&] { count_records(s.file("x", short_record)); }),
                       "at least 56 expected (record 0"));
}

}  // namespace
}  // namespace foxhunt::market::test
