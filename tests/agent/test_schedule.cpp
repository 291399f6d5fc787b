// Values that are functions of the absolute step.
#include <gtest/gtest.h>

#include "kernels/optimizer.hpp"
#include "rig.hpp"

namespace foxhunt::agent::test {
namespace {

double value_at(double step, double from, double to, double span) {
  Rig rig(compute::Profile::real64);
  const auto s = rig.add("step", shape(1), FH_U64), v = rig.add("value", shape(1));
  rig.record([&](compute::Recording& r) {
    r.recorder().launch(kernels::schedule_value, Grid::elements(1), {in(r.read(s)), out(r.write(v)), f64(from), f64(to), f64(span)});
  });
  rig.set(s, {step});
  rig.run();
  return rig.get(v)[0];
}

TEST(Schedule, IsLinearAndThenConstant) {
  EXPECT_EQ(value_at(0, 0.5, 0.1, 10), 0.5);
  EXPECT_DOUBLE_EQ(value_at(5, 0.5, 0.1, 10), 0.3);
  EXPECT_DOUBLE_EQ(value_at(10, 0.5, 0.1, 10), 0.1);
  EXPECT_DOUBLE_EQ(value_at(1e12, 0.5, 0.1, 10), 0.1);
  EXPECT_DOUBLE_EQ(value_at(3, 1, 2, 4), 1.75);
}

TEST(Schedule, WithoutASpanIsTheFirstValueForGood) {
  EXPECT_EQ(value_at(0, 0.5, 0.1, 0), 0.5);
  EXPECT_EQ(value_at(99, 0.5, 0.1, 0), 0.5);
}

TEST(Step, AdvancesByOneBeyondFourBillion) {
  Rig rig;
  const auto s = rig.add("step", shape(1), FH_U64);
  rig.record([&](compute::Recording& r) { r.recorder().launch(kernels::advance_step, Grid::elements(1), {inout(r.write(s))}); });
  rig.set(s, {4294967295.0});
  rig.run();
  rig.run();
  EXPECT_EQ(rig.get(s)[0], 4294967297.0);
}

}  // namespace
}  // namespace foxhunt::agent::test
