// A process that prepares and runs a program of three units and says what that cost; see processes_test.cpp.
#include <cstdio>

#include "support.hpp"

using namespace foxhunt;
using namespace foxhunt::compute;
using namespace foxhunt::compute::test;

int main() try {
  Rig rig;
  const TensorId x = rig.add("x", shape(4, 8)), out = rig.add("out", shape(4)),
                 flag = rig.add("flag", shape(4), FH_I32);
  Recording recording = rig.record();
  Recorder r = recording.recorder();
  for (const int64_t width : {8, 4})
    r.launch(test_row_sum, Grid::blocks(4),
             {in(recording.read(x)), foxhunt::out(recording.write(out)), foxhunt::out(recording.write(flag))},
             {constant("WIDTH", width), real_constant("FACTOR", 2)});
  r.launch(test_axpy, Grid::elements(4),
           {in(recording.read(x)), inout(recording.write(out)), f32(1), i32(4)});
  rig.prepare();
  rig.put(x, std::vector<float>(32, 1));
  rig.executable->submit();
  const CompileReport report = rig.compute->report();
  std::printf("compiled %zu cached %zu result %g\n", report.compiled, report.cached,
              static_cast<double>(rig.get(out)[3]));
  return 0;
} catch (const std::exception& e) {
  std::printf("error: %s\n", e.what());
  return 1;
}
