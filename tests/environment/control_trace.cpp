// control_trace cartpole|acrobot STEPS: a step of one account a line, "action, state before, state after,
// reward, done" with all digits, for gymnasium_test.py.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "control_rig.hpp"

int main(int argc, char** argv) {
  using namespace foxhunt::environment;
  if (argc != 3) return 1;
  const auto task = std::string(argv[1]) == "cartpole" ? ClassicControl::Task::cartpole : ClassicControl::Task::acrobot;
  test::ControlRig rig(task, 1);
  uint64_t random = 7;
  for (int t = 0; t < std::atoi(argv[2]); ++t) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const std::vector<float> before = rig.states();
    // Acrobot: mostly with the second link's motion, so that it comes up and moves fast.
    const auto drawn = static_cast<int32_t>((random >> 33) % static_cast<uint64_t>(rig.task.actions()));
    const int32_t action = task == ClassicControl::Task::acrobot && (random >> 61) > 1 ? (before[3] > 0 ? 2 : 0) : drawn;
    rig.step(action);
    if (!rig.get<uint8_t>(rig.valid)[0]) continue;
    const std::vector<float> after = rig.states(), x = rig.observe();
    std::printf("%d", action);
    for (const auto* values : {&before, &after, &x})
      for (const float v : *values) std::printf(" %.9g", static_cast<double>(v));
    std::printf(" %g %d\n", static_cast<double>(rig.get<float>(rig.reward)[0]), rig.get<uint8_t>(rig.done)[0]);
  }
}
