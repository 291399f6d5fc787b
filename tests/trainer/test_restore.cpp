// The state registry, and loading it again.
#include <set>

#include "rig.hpp"

namespace foxhunt::trainer::test {
namespace {

using compute::Lifetime;

const Settings kTwin{{"heads", "c51 twin:c51"}, {"ensemble", "c51"}, {"reward_shaping.plugin", "rank_standardize"}, {"position_sizing.plugin", "variance"}};

TEST(StateRegistry, IsExactlyWhatACheckpointHolds) {
  const Scratch s;
  Trained t(kTwin);
  t.run(2);
  t.save(s / "a.h5");
  const compute::Tensors& tensors = t.session.agent().tensors();
  std::set<std::string> registered, stored;
  for (compute::TensorId id = 1; id <= tensors.count(); ++id)
    if (tensors[id].lifetime == Lifetime::state) registered.insert(tensors[id].name);
  for (const auto& [path, value] : t.session.host_state()) EXPECT_TRUE(registered.insert(path).second) << path << " is there twice";
  const checkpoints::Reader file(s / "a.h5");
  for (const checkpoints::TensorSpec& spec : file.tensors()) stored.insert(spec.path);
  EXPECT_EQ(registered, stored);
  // The groups of the schema, and no other: nothing of evaluations, rollouts or market data.
  std::set<std::string> groups;
  for (const std::string& path : stored) groups.insert(path.substr(1, path.find('/', 1) - 1));
  EXPECT_EQ(groups, (std::set<std::string>{"encoder", "policy", "value", "heads", "optimizer", "controllers", "env", "replay", "rng"}));
  for (const char* path : {"/heads/twin/online/w", "/heads/twin/target/w", "/heads/twin/adam/m/w", "/heads/twin/adam/t", "/optimizer/policy/t",
                           "/env/position", "/replay/h", "/rng/step", "/controllers/diagnostics/pnl_peak_usd", "/controllers/reward_shaping/std_ema"})
    EXPECT_TRUE(stored.count(path)) << path;
}

TEST(Restore, GoesOnBitForBit) {
  const Scratch s;
  Trained whole(kTwin);
  whole.run(4);
  whole.save(s / "half.h5");
  const diagnostics::Row wanted = whole.run(4);

  Trained second(kTwin, false);
  second.session.resume(checkpoints::Reader(s / "half.h5"));
  EXPECT_EQ(second.session.step(), 4);
  const diagnostics::Row row = second.run(4);
  EXPECT_EQ(second.state(), whole.state());
  for (size_t p = 0; p < row.schema().size(); ++p)
    if (row.schema().name_of(p) != "wall_s" && row.schema().name_of(p) != "env_steps_per_s") {
      EXPECT_EQ(row.at(p), wanted.at(p)) << row.schema().name_of(p);
    }
}

TEST(Restore, OverASessionThatHasRunIsTheSame) {
  const Scratch s;
  Trained t;
  t.run(3);
  t.save(s / "three.h5");
  const auto before = t.state();
  t.run(3);
  EXPECT_NE(t.state(), before);
  t.session.resume(checkpoints::Reader(s / "three.h5"));
  EXPECT_EQ(t.state(), before);
}

// Refused, with these words; nothing of the session has changed, and it still runs.
void expect_refused(Trained& into, const std::filesystem::path& file, std::initializer_list<const char*> words) {
  into.run(2);
  const auto before = into.state();
  const HostState host = into.session.host_state();
  expect_all(error_of([&] { into.session.resume(checkpoints::Reader(file)); }), words);
  EXPECT_EQ(into.state(), before);
  EXPECT_EQ(into.session.host_state(), host);
  EXPECT_EQ(into.session.step(), 2);
  into.run(1);
}

TEST(Restore, AnotherShapeIsNamedAndChangesNothing) {
  const Scratch s;
  Trained wide({{"encoder.hidden", "16"}}), narrow;
  wide.run(1);
  wide.save(s / "wide.h5");
  expect_refused(narrow, s / "wide.h5", {"wide.h5", "/encoder/online/b0", "[8]", "[16]"});
}

TEST(Restore, AMissingHeadIsNamedAndChangesNothing) {
  const Scratch s;
  Trained one, two({{"heads", "c51 twin:c51"}, {"ensemble", "c51"}});
  one.run(1);
  one.save(s / "one.h5");
  expect_refused(two, s / "one.h5", {"one.h5", "/heads/twin/"});
}

TEST(Restore, WhatHasNoPlaceIsNamedAndChangesNothing) {
  const Scratch s;
  Trained one, two({{"heads", "c51 twin:c51"}, {"ensemble", "c51"}});
  two.run(1);
  two.save(s / "two.h5");
  expect_refused(one, s / "two.h5", {"two.h5", "/heads/twin/", "more tensors", "--init-from"});
}

TEST(InitFrom, TakesOverWhatMatchesAndListsTheRest) {
  const Scratch s;
  Trained from({{"heads", "c51 gone:c51"}, {"ensemble", "c51"}, {"c51.atoms", "7"}});
  from.run(3);
  from.save(s / "from.h5");
  Trained fresh({{"heads", "c51 added:c51"}, {"ensemble", "c51"}}), to({{"heads", "c51 added:c51"}, {"ensemble", "c51"}}, false);
  const checkpoints::Match match = to.session.init_from(checkpoints::Reader(s / "from.h5"));

  EXPECT_EQ(to.session.step(), 0);
  EXPECT_EQ(to.get<float>("/encoder/online/w0"), from.get<float>("/encoder/online/w0"));
  EXPECT_EQ(to.get<float>("/policy/adam/v/w"), from.get<float>("/policy/adam/v/w"));
  EXPECT_EQ(to.get<uint64_t>("/optimizer/policy/t"), std::vector<uint64_t>{3});
  EXPECT_EQ(to.get<float>("/heads/added/online/w"), fresh.get<float>("/heads/added/online/w"));
  EXPECT_EQ(to.get<float>("/heads/c51/online/w"), fresh.get<float>("/heads/c51/online/w")) << "7 atoms do not fit 21";
  EXPECT_EQ(to.get<double>("/env/pnl"), std::vector<double>(8, 0)) << "accounts start anew";
  EXPECT_EQ(to.get<int32_t>("/replay/ring"), (std::vector<int32_t>{0, 0}));

  const std::string listed = checkpoints::to_text(match);
  expect_all(listed, {"/heads/added/online/w", "/heads/gone/online/w", "/heads/c51/online/w"});
  EXPECT_EQ(listed.find("/encoder/"), std::string::npos) << "what was taken over is not listed";
  EXPECT_EQ(listed.find("/env/"), std::string::npos);
  to.run(2);
}

TEST(LoadPolicy, NeedsAllOfThePolicy) {
  const Scratch s;
  Trained from, wide({{"encoder.hidden", "16"}}, false);
  from.run(2);
  from.save(s / "from.h5");
  Trained to({}, false);
  to.session.load_policy(checkpoints::Reader(s / "from.h5"));
  EXPECT_EQ(to.get<float>("/policy/online/w"), from.get<float>("/policy/online/w"));
  EXPECT_EQ(to.session.step(), 2);
  expect_all(error_of([&] { wide.session.load_policy(checkpoints::Reader(s / "from.h5")); }), {"from.h5", "does not hold the policy", "/encoder/online/w0"});
}

TEST(ReplayOutsideTheCheckpoint, BeginsEmptyAndTheMetricsSaySo) {
  const Scratch s;
  const Settings without{{"checkpoint.replay", "false"}};
  Trained t(without);
  EXPECT_EQ(t.run(4).get("replay_size"), 100);
  t.save(s / "a.h5");
  const checkpoints::Reader file(s / "a.h5");
  for (const checkpoints::TensorSpec& spec : file.tensors()) EXPECT_NE(spec.path.find("/replay"), 0u) << spec.path;
  Trained resumed(without, false);
  resumed.session.resume(file);
  const auto before = resumed.get<float>("/heads/c51/online/w");
  const diagnostics::Row row = resumed.run(1);
  EXPECT_EQ(row.get("replay_size"), static_cast<double>(resumed.get<int32_t>("/replay/ring")[1]));
  EXPECT_LE(row.get("replay_size"), 32);
  EXPECT_EQ(row.get("l_c51"), 0) << "nothing is learned below replay.start";
  EXPECT_EQ(resumed.get<float>("/heads/c51/online/w"), before);
}

}  // namespace
}  // namespace foxhunt::trainer::test
