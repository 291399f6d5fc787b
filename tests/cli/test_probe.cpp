#include "support.hpp"

namespace foxhunt::test {
namespace {

const Arguments kSmall{"--encoder.hidden", "6", "--actions", "3", "--trainer.device", "cpu"};

Arguments with_small(Arguments a) {
  a.insert(a.end(), kSmall.begin(), kSmall.end());
  return a;
}

TEST(CliProbe, FromTemplateToResult) {
  const Scratch s;
  const Outcome made = foxhunt(with_small({"probe", "--template", "c51", "-o", "in.h5", "--batch", "5"}), s.folder());
  ASSERT_EQ(made.code, 0) << shown(made);
  EXPECT_TRUE(contains(made.out, "/weights/target/w  f32 [hidden 6, action_atom 63]"));
  const Arguments run = with_small({"probe", "c51", "in.h5", "out.h5", "--q.gamma", "0.5"});
  const Outcome o = foxhunt(run, s.folder());
  ASSERT_EQ(o.code, 0) << shown(o);
  EXPECT_EQ(o.err, "");
  for (const char* line : {"/grad/w      f32 [hidden 6, action_atom 63]", "/loss        f32 [batch 5]", "/support     f32 [atom 21]"})
    EXPECT_TRUE(contains(o.out, line));
  const Outcome seen = foxhunt({"inspect", "out.h5"}, s.folder());
  EXPECT_TRUE(contains(seen.out, "@gamma = 0.5"));
  EXPECT_TRUE(contains(seen.out, "@plugin = \"c51\""));
  const std::string bytes = slurp(s / "out.h5");
  EXPECT_TRUE(refused(foxhunt(run, s.folder()), "--force replaces it"));
  Arguments again = run;
  again.push_back("--force");
  EXPECT_EQ(foxhunt(again, s.folder()).code, 0);
  EXPECT_EQ(slurp(s / "out.h5"), bytes);
  EXPECT_TRUE(refused(foxhunt(with_small({"probe", "c51", "in.h5", "in.h5", "--force"}), s.folder()), "is an input, too"));
}

TEST(CliProbe, ChecksGradients) {
  const Scratch s;
  const Outcome o = foxhunt({"probe", "--check-gradients", "c51", "--c51.atoms", "5"}, s.folder());
  EXPECT_EQ(o.code, 0) << shown(o);
  EXPECT_TRUE(contains(o.out, "every gradient agrees"));
  EXPECT_TRUE(contains(o.out, "/weights/online/w  120"));
  ASSERT_EQ(foxhunt(with_small({"probe", "--template", "c51", "-o", "in.h5", "--batch", "2"}), s.folder()).code, 0);
  const Outcome file = foxhunt({"probe", "--check-gradients", "c51", "in.h5", "--actions", "3"}, s.folder());
  EXPECT_EQ(file.code, 0) << shown(file);
  EXPECT_TRUE(contains(file.out, "/h                 12"));
  EXPECT_TRUE(refused(foxhunt({"probe", "--check-gradients", "fixed"}, s.folder()), "has no gradients"));
  const fs::path samples = fs::path(FOXHUNT_PLUGINS).parent_path().parent_path().parent_path() / "test_plugins/noisy_q";
  const Outcome wrong = foxhunt({"probe", "--check-gradients", "noisy_q", "--plugin-dir", samples.string(), "--noisy_q.fault", "0.01"}, s.folder());
  EXPECT_EQ(wrong.code, 2) << shown(wrong);
  EXPECT_TRUE(contains(wrong.out, "WRONG"));
}

TEST(CliProbe, RefusesWhatMakesNoSense) {
  const Scratch s;
  const auto expect = [&](const Arguments& words, const char* part) {
    Arguments a{"probe"};
    a.insert(a.end(), words.begin(), words.end());
    EXPECT_TRUE(refused(foxhunt(a, s.folder()), part));
  };
  expect({"c52", "in.h5", "out.h5"}, "did you mean 'c51'?");
  expect({"c51"}, "expected PLUGIN IN.h5 OUT.h5");
  expect({"c51", "in.h5", "out.h5"}, "in.h5");
  expect({"--template", "c51"}, "output");
  expect({"--template", "c51", "in.h5", "-o", "in.h5"}, "one word too many");
  expect({"--template", "--check-gradients", "c51"}, "cannot go together");
  expect({"--check-gradients", "c51", "--heads", "iqn"}, "the plugin that is probed is c51");
  expect({"--check-gradients", "c51", "--c51.atms", "3"}, "c51.atoms");
  EXPECT_TRUE(entries(s.folder()).empty());
}

}  // namespace
}  // namespace foxhunt::test
