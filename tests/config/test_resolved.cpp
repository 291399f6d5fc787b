#include "support.hpp"

namespace foxhunt::config {
namespace {

std::vector<std::pair<std::string, std::string>> values(const Config& config) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const Config::Value& value : config.values()) result.emplace_back(value.setting.key, value.text);
  return result;
}

const char* const kBusy =
    "heads = c51 twin:c51 iqn\nensemble = c51:0.5 iqn:0.5\nvalue_baseline = blend(scalar, iqn, 10, 20)\n"
    "[trainer]\naccounts = 0064\nthreads = 3\n[twin]\nselect = double\n[policy]\nlr = 3.0e-4\n"
    "[reward_shaping]\nplugin = clip\nlimit = 0.30\n[gate.calm]\nmetric = entropy\nvalue = 2 * q_gap\n";

TEST_F(ConfigFiles, ReadsBackAsTheSameConfiguration) {
  const auto ini = file("sub/busy.ini", text(kBusy, "[env]\nsource = file\npath = m.h5\n"));
  const Config config = load({ini}, typed({"--q.tau=0.010"}), test_plugins);
  // In another folder, as in a run's.
  const auto run = file("run/config.ini", config.resolved());
  const Config again = load({run}, {}, test_plugins);
  EXPECT_EQ(values(again), values(config));
  EXPECT_EQ(again.heads(), config.heads());
  EXPECT_EQ(again.ensemble(), config.ensemble());
  EXPECT_EQ(again.value_baseline(), config.value_baseline());
  EXPECT_EQ(again.resolved(Detail::result), config.resolved(Detail::result));
  EXPECT_TRUE(again.notes().empty());
}

TEST(Resolved, IsCompleteAndExplained) {
  const Config config = assemble({parse_text(kBusy, "busy.ini")}, test_plugins);
  const std::string all = config.resolved();
  expect_all(all, {"\nheads = c51 twin:c51 iqn ", "\n[twin]\n", "\natoms = 21 ", "\nlr = 3e-04 ",
                   "<- busy.ini:10", "\n[gate.calm]\nmetric = entropy ", "[USD/lot]", "Fujimoto et al. 2018",
                   "# Huber # threshold in units of Q"});
  EXPECT_LT(all.find("\nheads ="), all.find("\n[")) << "top-level keys must stand above every section";
  for (const char* section : {"[trainer]", "[reward_shaping]", "[position_sizing]", "[gate.calm]"}) {
    EXPECT_NE(all.find(section), std::string::npos) << section;
    EXPECT_EQ(all.find(section), all.rfind(section)) << section;
  }
}

TEST(Resolved, ForCheckpointsHoldsOnlyWhatDecidesTheResult) {
  const auto bare = [](const std::vector<std::string>& arguments) {
    return assemble({typed(arguments)}, test_plugins).resolved(Detail::result);
  };
  const std::string plain = bare({});
  EXPECT_EQ(bare({"--trainer.threads=2", "--trainer.device", "cpu", "--trainer.iterations=7",
                  "--trainer.checkpoint_every=1"}),
            plain);
  EXPECT_EQ(bare({"--gate.q_pi_agree.value=-0.9"}), plain);
  EXPECT_NE(bare({"--trainer.seed=2"}), plain);
  EXPECT_NE(bare({"--c51.atoms=51"}), plain);
  EXPECT_EQ(plain.find('#'), std::string::npos);
  EXPECT_EQ(of_text(plain).resolved(Detail::result), plain);
}

}  // namespace
}  // namespace foxhunt::config
