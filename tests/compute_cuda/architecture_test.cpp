#include "compute/cuda/architecture.hpp"

#include "rig.hpp"

namespace foxhunt::compute::cuda::test {
namespace {

const std::vector<int> known{75, 80, 86, 89, 90, 100, 120};

TEST(CudaArchitecture, OwnOneIfKnown) { EXPECT_EQ(architecture_for(9, 0, "gpu", known).target, "sm_90"); }

TEST(CudaArchitecture, NewestOfTheSameGenerationBelowTheDevice) {
  EXPECT_EQ(architecture_for(8, 7, "gpu", known).target, "sm_86");
  EXPECT_EQ(architecture_for(12, 1, "gpu", known).target, "sm_120");
}

TEST(CudaArchitecture, LaterGenerationGetsPtx) {
  const Architecture a = architecture_for(13, 0, "gpu", known);
  EXPECT_EQ(a.target, "compute_120");
  EXPECT_TRUE(a.is_ptx());
}

TEST(CudaArchitecture, BelowTheOldestIsRefusedWithBothNames) {
  const std::string text = error_of([] { architecture_for(7, 0, "Tesla V100", known); });
  EXPECT_NE(text.find("Tesla V100"), std::string::npos) << text;
  EXPECT_NE(text.find("sm_70"), std::string::npos) << text;
  EXPECT_NE(text.find("sm_75"), std::string::npos) << text;
}

TEST(CudaArchitecture, Names) {
  EXPECT_EQ(architecture_named("sm_90", known).target, "sm_90");
  EXPECT_EQ(architecture_named("sm_90a", known).target, "sm_90a");
  EXPECT_TRUE(architecture_named("compute_80", known).is_ptx());
  for (const char* wrong : {"sm_70", "sm_", "90", "sm_90x", "sm_90aa", "gfx90", "", "sm_9999999999"}) {
    const std::string text = error_of([&] { architecture_named(wrong, known); });
    EXPECT_NE(text.find(std::string("'") + wrong + "'"), std::string::npos) << text;
    EXPECT_NE(text.find("sm_75, sm_80"), std::string::npos) << text;
  }
}

TEST(CudaArchitecture, TheCompilerKnowsSome) {
  const std::vector<int> real = known_capabilities();
  ASSERT_FALSE(real.empty());
  EXPECT_TRUE(std::is_sorted(real.begin(), real.end()));
  EXPECT_TRUE(std::binary_search(real.begin(), real.end(), 90));
}

}  // namespace
}  // namespace foxhunt::compute::cuda::test
