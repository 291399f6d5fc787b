#include "comparison/ladder.hpp"

#include <gtest/gtest.h>

#include "comparison/ladder_table.hpp"
#include "folder.hpp"

namespace foxhunt::comparison::test {
namespace {

const std::string kSweep = "[sweep]\nbaseline = b\nseeds = 3\nsettings = --trainer.iterations 7\n";

TEST(Ladder, IsReadWithTheBaselineFirst) {
  const Folder f;
  f.write("x.ini", "");
  const Ladder l = read_ladder(f.write("l.ini", kSweep + "[a]\nconfig = x.ini\nrecord = it collapses\nmetric = q_pi_agree\nsign = -\n[b]\nconfig = x.ini\n"));
  ASSERT_EQ(l.rungs.size(), 2u);
  EXPECT_EQ(l.rungs[0].name, "b");
  EXPECT_EQ(l.rungs[1].record, "it collapses");
  EXPECT_EQ(l.rungs[1].sign, '-');
  EXPECT_EQ(l.rungs[1].config, f / "x.ini");
  EXPECT_EQ(l.seeds, 3);
  EXPECT_EQ(l.settings, (std::vector<std::string>{"--trainer.iterations", "7"}));
}

TEST(Ladder, WhatIsWrongIsNamedWithItsLine) {
  const Folder f;
  f.write("x.ini", "");
  const auto refused = [&](const std::string& content) { return error_of([&] { read_ladder(f.write("l.ini", content)); }); };
  const std::string b = "[b]\nconfig = x.ini\n";
  EXPECT_NE(refused(kSweep + "[b]\nconfig = none.ini\n").find("l.ini:6"), std::string::npos);
  EXPECT_NE(refused(kSweep + b + "sign = x\nmetric = m\n").find("expected -, 0 or +"), std::string::npos);
  EXPECT_NE(refused(kSweep + b + "sign = -\n").find("one of metric and sign"), std::string::npos);
  EXPECT_NE(refused(kSweep + b + "colour = red\n").find("config, record, metric and sign"), std::string::npos);
  EXPECT_NE(refused("[sweep]\nbaseline = z\n" + b).find("none of its rungs"), std::string::npos);
  EXPECT_NE(refused("[sweep]\nseeds = 0\n" + b).find("1 to 10000"), std::string::npos);
  EXPECT_NE(refused("x = 1\n" + kSweep + b).find("no section"), std::string::npos);
}

void write_runs(const Folder& f, const std::string& rung, const std::vector<double>& values) {
  for (size_t k = 0; k < values.size(); ++k)
    f.write("runs/" + rung + "/seed-" + std::to_string(k + 1) + "/diag.jsonl",
            "{\"step\": 1, \"q_pi_agree\": " + std::to_string(values[k]) + ", \"action_hist\": [0.25, 0.75]}\n");
}

TEST(LadderTable, JudgesEveryClaimByPairedSeeds) {
  const Folder f;
  f.write("x.ini", "");
  std::string list = kSweep + "[b]\nconfig = x.ini\n";
  for (const char* rung : {"falls", "rises", "noise", "same", "missing"})
    list += std::string("[") + rung + "]\nconfig = x.ini\nrecord = r\nmetric = q_pi_agree\nsign = " + (rung == std::string("same") ? "0" : "-") + "\n";
  const Ladder ladder = read_ladder(f.write("l.ini", list));
  write_runs(f, "b", {0.5, 0.6, 0.7});
  write_runs(f, "falls", {-0.1, 0.0, 0.11});
  write_runs(f, "rises", {0.8, 0.9, 1.01});
  write_runs(f, "noise", {0.9, 0.2, 0.7});
  write_runs(f, "same", {0.5, 0.6, 0.7});
  const std::string table = ladder_table(ladder, f / "runs");
  const auto line = [&](const std::string& rung) {
    const auto from = table.find("| " + rung + " | r |");
    return table.substr(from, table.find('\n', from) - from);
  };
  EXPECT_TRUE(line("falls").ends_with("| as expected |")) << table;
  EXPECT_TRUE(line("rises").ends_with("| the opposite |")) << table;
  EXPECT_TRUE(line("noise").ends_with("| not seen |")) << table;
  EXPECT_TRUE(line("same").ends_with("| as expected: none, to the bit |")) << table;
  EXPECT_NE(line("falls").find("-0.5967 ± "), std::string::npos) << table;
  EXPECT_NE(table.find("Not run: missing."), std::string::npos);
  EXPECT_NE(table.find("| 25 75 |"), std::string::npos) << table;
}

}  // namespace
}  // namespace foxhunt::comparison::test
