#include "dbn_bytes.hpp"
#include "market/dbn_reader.hpp"

namespace foxhunt::market::test {
namespace {

std::vector<Bytes> records(const std::string& path) {
  DbnReader reader(path);
  std::vector<Bytes> all;
  while (const auto r = reader.next()) all.emplace_back(reinterpret_cast<const char*>(r->data()), r->size());
  return all;
}

TEST(DbnReader, VendorVectorsGiveTheSameRecordsInEveryVersion) {
  for (const char* schema : {"mbo", "mbp-1", "mbp-10", "trades"}) {
    std::vector<Bytes> first;
    for (int version = 1; version <= 3; ++version) {
      FOXHUNT_DATA(path, "test_data." + std::string(schema) + ".v" + std::to_string(version) + ".dbn.zst");
      DbnReader reader(path);
      EXPECT_EQ(reader.metadata().version, version);
      EXPECT_EQ(schema_name(reader.metadata().schema), schema);
      EXPECT_EQ(reader.metadata().dataset, "GLBX.MDP3");
      EXPECT_EQ(reader.metadata().symbols, std::vector<std::string>{"ESH1"});
      ASSERT_EQ(reader.metadata().names.size(), 1u);
      EXPECT_EQ(reader.metadata().names.find(5482)->second, "ESH1");
      const auto all = records(path);
      ASSERT_EQ(all.size(), 2u);
      if (version == 1) first = all;
      EXPECT_EQ(all, first) << schema << " version " << version;
    }
  }
}

TEST(DbnReader, PlainAndCompressedAgree) {
  FOXHUNT_DATA(plain, "test_data.mbp-10.dbn");
  FOXHUNT_DATA(zstd, "test_data.mbp-10.v2.dbn.zst");
  EXPECT_EQ(records(plain), records(zstd));
}

TEST(DbnReader, ConcatenatedFramesAreOneFile) {
  const Bytes head = dbn_head(2, 0, {{"ESH4", 7}}), a = mbo({.id = 1, .price = px(1)}),
              b = mbo({.id = 2, .price = px(2)});
  const Scratch scratch;
  // The second frame begins in the middle of a record.
  const auto path =
      scratch.file("x.dbn.zst", compress(head + a.substr(0, 30)) + compress(a.substr(30)) + compress(b));
  EXPECT_EQ(records(path), (std::vector<Bytes>{a, b}));
}

TEST(DbnReader, TheLengthByteIsTrusted) {
  const Scratch scratch;
  const Bytes with_ts_out = mbo({.id = 1, .price = px(1)}, true),
              unknown = Bytes("\x06\x99", 2) + Bytes(22, '\0');
  const auto path =
      scratch.file("x.dbn", dbn_head(1, 0, {{"ESH4", 7}}) + with_ts_out + unknown + with_ts_out);
  EXPECT_EQ(records(path), (std::vector<Bytes>{with_ts_out, unknown, with_ts_out}));
}

TEST(DbnReader, FarLargerThanItsBuffer) {
  const Scratch scratch;
  Bytes all = dbn_head(3, 0, {{"ESH4", 7}});
  for (uint64_t i = 0; i < 20'000; ++i) all += mbo({.id = i, .price = px(1)});
  DbnReader reader(scratch.file("x.dbn.zst", compress(all)));
  for (uint64_t i = 0; i < 20'000; ++i) ASSERT_EQ(reader.next()->at<uint64_t>(16), i);
  EXPECT_FALSE(reader.next());
}

TEST(DbnReader, ForeignFilesAreRefusedByName) {
  const Scratch s;
  const auto why = [&](const Bytes& bytes) { return error_of([&] { DbnReader r(s.file("x", bytes)); }); };
  EXPECT_TRUE(contains(why("P*M\x18 and so on"), "DBZ"));
  EXPECT_TRUE(contains(why(mbo({.id = 1})), "fragment"));
  EXPECT_TRUE(contains(why(compress(mbo({.id = 1}))), "fragment"));
  EXPECT_TRUE(contains(why("time,price,size\n"), "not a DBN file"));
  EXPECT_TRUE(contains(why(compress("time,price,size\n")), "not a DBN file"));
  EXPECT_TRUE(contains(why(Bytes("\x1f\x8b\x08\x00\x00\x00\x00\x00", 8)), "not a DBN file"));
  EXPECT_TRUE(contains(why(""), "is empty"));
  EXPECT_TRUE(contains(why(Bytes("DBN\x04\x00\x00\x00\x00", 8)), "version 4"));
  EXPECT_TRUE(contains(why(Bytes("DBN\x00\x00\x00\x00\x00", 8)), "version 0"));
  EXPECT_TRUE(contains(why(Bytes("DBN\x01\xff\xff\xff\x7f", 8)), "metadata"));
  EXPECT_TRUE(contains(error_of([&] { DbnReader r(s.path("absent")); }), "cannot open"));
  EXPECT_TRUE(contains(error_of([&] { DbnReader r(s.path(".")); }), "cannot read"));
}

TEST(DbnReader, AnnouncedRecordsAreMissed) {
  const Scratch s;
  const auto path = s.file("x.dbn", dbn_head(1, 0, {{"ESH4", 7}}, 3) + mbo({.id = 1}) + mbo({.id = 2}));
  EXPECT_TRUE(contains(error_of([&] { records(path); }), "2 whole records of the 3 announced"));
}

TEST(DbnReader, DescribesWhatCannotBeImported) {
  FOXHUNT_DATA(path, "test_data.trades.v2.dbn.zst");
  const std::string text = describe_dbn(path);
  EXPECT_TRUE(contains(text, "schema trades"));
  EXPECT_TRUE(contains(text, "2 of trades"));
  EXPECT_TRUE(contains(text, "5482 ESH1"));
  EXPECT_TRUE(contains(text, "26 lots"));  // 5 and 21
}

}  // namespace
}  // namespace foxhunt::market::test
