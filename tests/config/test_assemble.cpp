#include <stdexcept>

#include "support.hpp"

namespace foxhunt::config {
namespace {

TEST(Assemble, DefaultsAlone) {
  const Config config = assemble({}, test_plugins);
  EXPECT_EQ(config.integer("trainer.accounts"), 256);
  EXPECT_EQ(config.real("env.fee_taker"), 0.05);
  EXPECT_EQ(config.text("env.source"), "planted");
  EXPECT_TRUE(config.flag("checkpoint.replay"));
  EXPECT_TRUE(config.path("env.path").empty());
  EXPECT_EQ(config.heads(), (std::vector<HeadInstance>{{"c51", "c51"}}));
  EXPECT_EQ(config.ensemble(), (std::vector<WeightedHead>{{"c51", 1}}));
  EXPECT_EQ(config.risk_source(), "c51");
  EXPECT_EQ(config.integer("c51.atoms"), 21);
  EXPECT_FALSE(config.is_set("trainer.accounts"));
  EXPECT_TRUE(config.notes().empty());
  EXPECT_THROW(config.integer("trainer.nothing"), std::logic_error);
  EXPECT_THROW(config.integer("env.fee_taker"), std::logic_error);
}

TEST_F(ConfigFiles, LaterLayersWin) {
  file("base.ini", "[trainer]\naccounts = 1\nhorizon = 1\nseed = 1\niterations = 1\n");
  const auto first = file("first.ini", "base = base.ini\n[trainer]\nhorizon = 2\nseed = 2\niterations = 2\n");
  const auto second = file("second.ini", "[trainer]\nseed = 3\niterations = 3\n");
  const Config config = load({first, second}, typed({"--trainer.iterations", "4"}), test_plugins);
  EXPECT_EQ(config.integer("trainer.accounts"), 1);
  EXPECT_EQ(config.integer("trainer.horizon"), 2);
  EXPECT_EQ(config.integer("trainer.seed"), 3);
  EXPECT_EQ(config.integer("trainer.iterations"), 4);
  EXPECT_EQ(config.integer("trainer.threads"), 0);
  EXPECT_EQ(config.origin("trainer.accounts").str(), text(folder / "base.ini", ":2"));
  EXPECT_EQ(config.origin("trainer.horizon").str(), text(first, ":3"));
  EXPECT_EQ(config.origin("trainer.iterations").str(), "command line");
  EXPECT_EQ(config.origin("trainer.threads").str(), "default");
}

TEST_F(ConfigFiles, PathsBelongToTheFileThatNamesThem) {
  const auto ini = file("sub/run.ini", "[env]\nsource = file\npath = ../market.h5\n");
  EXPECT_EQ(load({ini}, {}, test_plugins).path("env.path"), folder / "market.h5");
  EXPECT_EQ(load({ini}, typed({"--env.path=m.h5"}), test_plugins).path("env.path"),
            std::filesystem::current_path() / "m.h5");
}

TEST(Assemble, UnknownKeysNameTheNearest) {
  expect_all(message_of([] { of_text("[trainer]\n\nacounts = 3\n"); }),
             {"test.ini:3", "unknown key 'trainer.acounts'", "did you mean 'trainer.accounts'"});
  expect_all(message_of([] { of_text("haeds = c51\n"); }), {"test.ini:1", "did you mean 'heads'"});
  expect_all(message_of([] { of_text("[trainer]\nheads = c51\n"); }),
             {"test.ini:2", "top-level key", "above the first"});
  expect_all(message_of([] { of_text("[c51]\natms = 3\n"); }), {"did you mean 'c51.atoms'"});
  expect_all(message_of([] { of_text("[iqn]\nkappa = 3\n"); }),
             {"test.ini:2", "no section [iqn]", "`heads`"});
  expect_all(message_of([] { of_text("[gate.calm]\nmetirc = entropy\n"); }),
             {"did you mean 'gate.calm.metric'"});
  expect_all(message_of([] { of_text("[gate.Calm]\nmetric = entropy\n"); }),
             {"unknown key 'gate.Calm.metric'"});
  expect_all(message_of([] { of_text("= 3\n"); }), {"test.ini:1", "unknown key ''"});
  expect_all(message_of([] { of_text(std::string(16000, 'k') + "=1"); }), {"test.ini:1", "kkk…"});
  expect_all(message_of([] {
               assemble({typed({"--trainer.acounts", "3"})}, test_plugins);
             }),
             {"command line", "did you mean 'trainer.accounts'"});
}

// A run's stored configuration may hold keys that other versions knew.
TEST(Assemble, RetiredKeysOfAStoredLayer) {
  const std::vector<Layer> layers =
      stored({parse_text("[trainer]\nseed = 3\nwarp = 9\n[gate.calm]\nmetric = entropy\nmood = 2\n", "run.ini")});
  const Config config = assemble(layers, test_plugins, Retired::drop);
  EXPECT_EQ(config.integer("trainer.seed"), 3);
  EXPECT_FALSE(config.has("trainer.warp"));
  ASSERT_EQ(config.warnings().size(), 2u);
  expect_all(config.warnings()[0], {"run.ini:3", "'trainer.warp' (= 9)", "left out"});
  expect_all(config.warnings()[1], {"run.ini:6", "'gate.calm.mood'"});
  EXPECT_TRUE(config.notes().empty());

  expect_all(message_of([&] { assemble(layers, test_plugins); }),
             {"run.ini:3", "unknown key 'trainer.warp'", "provenance.json", "--init-from"});
  // A key that was typed is a mistake, whatever it is put over; so is a bad value of a key that is known.
  expect_all(message_of([&] { assemble({layers[0], typed({"--trainer.warp", "3"})}, test_plugins, Retired::drop); }),
             {"command line", "unknown key 'trainer.warp'"});
  expect_all(message_of([&] {
               assemble(stored({parse_text("[trainer]\nseed = x\n", "run.ini")}), test_plugins, Retired::drop);
             }),
             {"run.ini:2", "trainer.seed"});
}

TEST(Assemble, IllTypedValuesNameTheirPlace) {
  expect_all(message_of([] { of_text("[trainer]\naccounts = many\n"); }),
             {"test.ini:2", "trainer.accounts", "an integer from 1 to", "'many'"});
  expect_all(message_of([] { of_text("[c51]\natoms = 1\n"); }), {"test.ini:2", "c51.atoms", "from 2 to 512"});
  // A wrong value is wrong even where a later layer overrides it.
  expect_all(
      message_of([] {
        assemble({parse_text("[trainer]\nseed=x", "a.ini"), typed({"--trainer.seed=1"})}, test_plugins);
      }),
      {"a.ini:2"});
}

TEST(Assemble, HeadsBringTheirOptions) {
  const Config config =
      of_text("heads = c51 twin:c51 iqn\n[twin]\natoms = 51\nselect = double\n[c51]\nv_min = -2\n");
  EXPECT_EQ(config.integer("c51.atoms"), 21);
  EXPECT_EQ(config.integer("twin.atoms"), 51);
  const Config::Section twin = config.section("twin");
  EXPECT_EQ(twin.number("atoms"), 51);
  EXPECT_EQ(twin.number("select"), 1);
  EXPECT_EQ(twin.number("v_min"), -3);
  EXPECT_EQ(config.number("checkpoint.replay"), 1);
  EXPECT_EQ(config.section("c51").real("v_min"), -2);
  EXPECT_TRUE(config.has("iqn.kappa"));
  EXPECT_FALSE(config.has("iqn.atoms"));
}

TEST(Assemble, ProblemsWithHeadsNameThePlace) {
  expect_all(message_of([] { of_text("\nheads = c52\n"); }), {"test.ini:2", "heads", "no such plugin: c52"});
  expect_all(message_of([] { of_text("heads = trainer:c51\n"); }),
             {"test.ini:1", "heads", "meaning of its own"});
  expect_all(message_of([] { of_text("ensemble = iqn\n"); }),
             {"test.ini:1", "ensemble", "'iqn' is not in `heads`"});
  expect_all(message_of([] { of_text("value_baseline = iqn\n"); }), {"test.ini:1", "value_baseline"});
  expect_all(message_of([] { of_text("risk_source = iqn\n"); }), {"test.ini:1", "risk_source"});
  expect_all(message_of([] { of_text("[reward_shaping]\nplugin = greedy_names\n"); }),
             {"reward_shaping.plugin", "needs itself"});
}

TEST(Assemble, ReplacedPluginsTakeTheirOptionsWithThem) {
  const Layer base =
      parse_text("heads = c51 iqn\n[iqn]\nkappa = 2\n[reward_shaping]\nplugin = clip\nlimit = 3\n", "a.ini");
  const Config config =
      assemble({base, typed({"--heads", "c51", "--reward_shaping.plugin", "identity"})}, test_plugins);
  EXPECT_FALSE(config.has("iqn.kappa"));
  EXPECT_FALSE(config.has("reward_shaping.limit"));
  ASSERT_EQ(config.notes().size(), 2u);
  expect_all(config.notes()[0], {"a.ini:3", "iqn.kappa", "heads = c51", "command line"});
  expect_all(config.notes()[1], {"a.ini:6", "reward_shaping.limit", "reward_shaping.plugin = identity"});
  // What was never right stays an error, and so does what the replacing layer itself says.
  expect_all(message_of([] {
               assemble(
                   {parse_text("heads = c51 iqn\n[iqm]\nkappa = 2\n", "a.ini"), typed({"--heads", "c51"})},
                   test_plugins);
             }),
             {"a.ini:3", "iqm.kappa"});
  expect_all(message_of([&] {
               assemble({base, typed({"--heads", "c51", "--iqn.kappa", "1"})}, test_plugins);
             }),
             {"command line", "iqn.kappa"});
  // A plugin that is gone, but no longer asked for.
  EXPECT_EQ(
      assemble({parse_text("heads = old\n[old]\nx = 2\n", "a.ini"), typed({"--heads", "c51"})}, test_plugins)
          .notes()
          .size(),
      1u);
}

TEST(Assemble, Gates) {
  const Config config = of_text(
      "[gate.calm]\nmetric = entropy\nop = in\nvalue = [1.5, 2.2]\nto = 50\naction = warn\n"
      "[gate.q_pi_agree]\nvalue = -0.5\n[gate.nan_abort]\naction = off\n");
  const std::vector<GateSettings> gates = config.gates();
  ASSERT_EQ(gates.size(), 2u);
  EXPECT_EQ(gates[0].name, "q_pi_agree");
  EXPECT_EQ(gates[0].metric, "q_pi_agree_ema");
  EXPECT_EQ(gates[0].value, "-0.5");
  EXPECT_EQ(gates[0].sustained, 10);
  EXPECT_EQ(gates[1].name, "calm");
  EXPECT_EQ(gates[1].op, "in");
  EXPECT_EQ(gates[1].to, 50);
  EXPECT_EQ(gates[1].action, "warn");
  EXPECT_EQ(gates[1].origin, "test.ini:2");
  expect_all(message_of([] { of_text("[gate.calm]\nop = in\n"); }), {"gate.calm.metric", "is not set"});
}

TEST(Assemble, NothingAgreesWithAPolicyThatDoesNotLearn) {
  const auto action = [](const char* text) {
    const auto gates = of_text(text).gates();
    const auto found = std::find_if(gates.begin(), gates.end(), [](const GateSettings& g) { return g.name == "q_pi_agree"; });
    return found == gates.end() ? "off" : found->action;
  };
  EXPECT_EQ(action(""), "abort");
  EXPECT_EQ(action("[policy]\nepochs = 0\n"), "off");
  EXPECT_EQ(action("[policy]\nepochs = 0\n[gate.q_pi_agree]\naction = warn\n"), "warn");
}

TEST(Assemble, SettingsThatDoNotGoTogether) {
  expect_all(message_of([] { of_text("[env]\nsource = file\n"); }), {"test.ini:2", "env.path"});
  expect_all(message_of([] { of_text("[env]\npath = x.h5\n"); }), {"test.ini:2", "env.source"});
  expect_all(message_of([] { of_text("[env]\nsplit_validation = 0.3\n"); }), {"test.ini:2", "test split"});
  expect_all(message_of([] { of_text("[replay]\ncapacity = 64\n"); }), {"test.ini:2", "replay.start (4096)"});
}

}  // namespace
}  // namespace foxhunt::config
