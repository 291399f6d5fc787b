#include <gtest/gtest.h>

#include <cmath>

#include "rig.hpp"

namespace foxhunt::plugins {
namespace {

class Sizer : public Rig {
 public:
  explicit Sizer(const std::string& plugin,
                 const std::vector<std::pair<std::string, std::string>>& settings = {})
      : instance_(built_plugins().open(FH_POSITION_SIZER, plugin), "position_sizing", {0, kActions, 1},
                  options_for(built_plugins().open(FH_POSITION_SIZER, plugin), settings)) {
    variance = add("variance_q", shape(kBatch, kActions));
    action = add("action", shape(kBatch), FH_I32);
    target = add("target_position", shape(kBatch));
    scale = add("scale", shape(kBatch));
    position = add("position", shape(kBatch));
    const auto step = add("step", shape(1), FH_U64);
    compute::Program program;
    compute::Recording r(program, tensors, instance_.kernels(), {"", "size", "position_sizing", 1});
    fh_size_position io{};
    if (instance_.needs() & FH_NEEDS_VARIANCE_Q) io.variance_q = r.read(variance);
    io.action = r.read(action);
    io.target_position = r.read(target);
    io.scale = r.write(scale);
    io.position = r.write(position);
    io.step = r.read(step);
    instance_.apply(r, io);
    allocate();
    executable_ = prepare(program);
    set(action, {0, 2, 1, 0});
    set(target, {4, -2, 1, 0});
  }
  void run() { executable_->submit(); }
  uint32_t needs() const { return instance_.needs(); }

  static constexpr int64_t kBatch = 4, kActions = 3;
  compute::TensorId variance, action, target, scale, position;

 private:
  PositionSizerInstance instance_;
  std::unique_ptr<compute::Executable> executable_;
};

TEST(Sizers, Fixed) {
  Sizer sizer("fixed", {{"share", "0.5"}});
  EXPECT_EQ(sizer.needs(), 0u);
  sizer.run();
  EXPECT_EQ(sizer.get(sizer.scale), (std::vector<double>{0.5, 0.5, 0.5, 0.5}));
  EXPECT_EQ(sizer.get(sizer.position), (std::vector<double>{2, -1, 0.5, 0}));
}

TEST(Sizers, VarianceOfTheTakenAction) {
  Sizer sizer("variance");
  EXPECT_EQ(sizer.needs(), FH_NEEDS_VARIANCE_Q);
  sizer.set(sizer.variance, {9, 0, 0, 0, 0, 1, 0, 0, 0, -1e-9, 5, 5});
  sizer.run();
  EXPECT_EQ(sizer.get(sizer.scale), (std::vector<double>{0.25, 0.5, 1, 1}));
  EXPECT_EQ(sizer.get(sizer.position), (std::vector<double>{1, -1, 1, 0}));
}

TEST(Sizers, BadVarianceShows) {
  Sizer sizer("variance");
  sizer.set(sizer.variance, {std::nan(""), 0, 0, 0, 0, INFINITY, 0, 0, 0, 4, 0, 0});
  sizer.run();
  const auto scale = sizer.get(sizer.scale);
  EXPECT_TRUE(std::isnan(scale[0]));
  EXPECT_EQ(scale[1], 0);
  EXPECT_NEAR(scale[3], 1.0 / 3, 1e-7);
}

}  // namespace
}  // namespace foxhunt::plugins
