// The CSV of fills.
#include <fstream>
#include <sstream>

#include "rig.hpp"
#include "trainer/fill_log.hpp"

namespace foxhunt::trainer::test {
namespace {

std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

TEST(FillLog, HoldsEveryNumberWhole) {
  const Scratch s;
  FillLog log(s / "fills.csv");
  log.write({12'345'678'901, 7, 3, -2.5, -50'001.25, 0.1});
  log.write({0, 0, 0, 1.0 / 3, 1e15, -0.05});
  log.finish();
  EXPECT_EQ(content(s / "fills.csv"),
            "step,account,row,lots,value_ticks,fee_usd\n"
            "12345678901,7,3,-2.5,-50001.25,0.1\n"
            "0,0,0,0.3333333333333333,1e+15,-0.05\n");
}

TEST(FillLog, NeverWritesOverAFile) {
  const Scratch s;
  std::ofstream(s / "fills.csv") << "precious";
  expect_all(error_of([&] { FillLog log(s / "fills.csv"); }), {"fills.csv", "exists"});
  EXPECT_EQ(content(s / "fills.csv"), "precious");
}

TEST(FillLog, AMissingFolderIsNamed) {
  const Scratch s;
  expect_all(error_of([&] { FillLog log(s / "none" / "fills.csv"); }), {"none/fills.csv", "folder"});
}

}  // namespace
}  // namespace foxhunt::trainer::test
