#include "compute/dataflow.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace foxhunt::compute::test {
namespace {

struct DataflowTest : ::testing::Test {
  Rig rig;
  TensorId h = rig.add("h", shape(8)), group = rig.add("group", shape(16), FH_F32, Lifetime::state);
  TensorId q = rig.add("q", shape(8), FH_F32, Lifetime::scratch);

  void axpy(const std::string& owner, const std::string& step, const Operand& from, const Operand& to) {
    Recording recording = rig.record(owner, step);
    recording.recorder().launch(test_axpy, Grid::elements(8),
                                {in(recording.read(from)), inout(recording.write(to)), f32(1), i32(8)});
  }
};

TEST_F(DataflowTest, RendersOneLinePerStepWithoutPrivateScratch) {
  Recording recording = rig.record("c51", "c51/infer");
  Recorder r = recording.recorder();
  const fh_tensor z = r.scratch("z", shape(8));
  r.copy(z, recording.read(h));
  r.copy(recording.write(q), z);
  axpy("", "policy", {q, 0, shape(8)}, {group, 8, shape(8)});
  EXPECT_EQ(render_dataflow(rig.program, rig.tensors),
            "c51/infer: h → q\n"
            "policy: q, group[8:16] → group[8:16]\n");
}

TEST_F(DataflowTest, ADiagnosticMayOnlyWriteWhatNobodyElseUses) {
  axpy("twin", "twin/learn", {h, 0, shape(8)}, {group, 0, shape(8)});
  axpy("", "policy", {h, 0, shape(8)}, {group, 8, shape(8)});
  EXPECT_NO_THROW(check_isolation({&rig.program}, rig.tensors, "twin"))
      << "windows side by side do not overlap";

  axpy("c51", "c51/learn", {group, 7, shape(8)}, {q, 0, shape(8)});
  const std::string why = error_of([&] { check_isolation({&rig.program}, rig.tensors, "twin"); });
  EXPECT_NE(
      why.find("'twin' is not isolated: its step 'twin/learn' writes 'group[0:8]', which step 'c51/learn' of "
               "'c51' reads"),
      std::string::npos)
      << why;
}

TEST_F(DataflowTest, WindowsOfATableEntryCountToo) {
  TensorSpec window;
  window.name = "group/w";
  window.shape = shape(8);
  window.parent = group;
  window.parent_offset = 8;
  const TensorId w = rig.tensors.add(window);
  axpy("twin", "twin/learn", {h, 0, shape(8)}, {w, 0, shape(8)});
  axpy("", "policy", {h, 0, shape(8)}, {group, 0, shape(8)});
  EXPECT_NO_THROW(check_isolation({&rig.program}, rig.tensors, "twin"));
  axpy("", "adam", {h, 0, shape(8)}, {group, 1, shape(8)});
  EXPECT_NE(error_of([&] {
              check_isolation({&rig.program}, rig.tensors, "twin");
            }).find("step 'adam' of the program"),
            std::string::npos);
}

TEST_F(DataflowTest, OtherProgramsCount) {
  axpy("twin", "twin/learn", {h, 0, shape(8)}, {q, 0, shape(8)});
  Program evaluation;
  Recording recording(evaluation, rig.tensors, library(), {"", "evaluate", "evaluate", 1});
  recording.recorder().copy(recording.write(h), recording.read(q));
  EXPECT_NO_THROW(check_isolation({&rig.program}, rig.tensors, "twin"));
  EXPECT_NE(error_of([&] {
              check_isolation({&rig.program, &evaluation}, rig.tensors, "twin");
            }).find("evaluate"),
            std::string::npos);
}

}  // namespace
}  // namespace foxhunt::compute::test
