#include "rig.hpp"

namespace foxhunt::probe {
namespace {

TEST(CheckGradients, EveryHeadAgreesWithCentralDifferences) {
  int heads = 0;
  for (const Variant& v : all_variants()) {
    if (v.kind != FH_Q_HEAD) continue;
    ++heads;
    const Chosen chosen(v.kind, v.plugin, v.settings);
    const auto checks = check_gradients(chosen.subject, example(chosen.subject, 5, 8).contents);
    ASSERT_GE(checks.size(), 2u) << v.name();
    EXPECT_EQ(checks.back().tensor, "/h");
    for (const GradientCheck& c : checks) {
      EXPECT_LE(c.error, 1e-6) << v.name() << " " << c.tensor;
      EXPECT_GT(c.rms, 0) << v.name() << " " << c.tensor;
      EXPECT_GT(c.elements, 0) << v.name() << " " << c.tensor;
    }
  }
  EXPECT_GE(heads, 3);
}

TEST(CheckGradients, AWrongOneIsFound) {
  for (const char* fault : {"1e-5", "1"}) {
    const Chosen chosen(FH_Q_HEAD, "noisy_q", {{"noisy_q.fault", fault}});
    for (const GradientCheck& c : check_gradients(chosen.subject, example(chosen.subject, 8, 8).contents))
      EXPECT_GT(c.error, 3e-6) << c.tensor;
  }
}

TEST(CheckGradients, NeedsAFiniteLoss) {
  const Chosen chosen(FH_Q_HEAD, "c51");
  Contents inputs = example(chosen.subject, 4, 8).contents;
  inputs.at("/h").data[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(error_of([&] { check_gradients(chosen.subject, inputs); }).find("the loss is nan here"), std::string::npos);
}

}  // namespace
}  // namespace foxhunt::probe
