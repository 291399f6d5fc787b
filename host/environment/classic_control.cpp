#include "classic_control.hpp"

#include <foxhunt/error.hpp>
#include <vector>

#include "../common/philox.hpp"
#include "../kernels/classic_control.hpp"
#include "../kernels/diagnostics.hpp"

namespace foxhunt::environment {

ClassicControl::ClassicControl(Task task, int64_t accounts, int64_t episode_steps)
    : task_(task), accounts_(accounts), episode_steps_(episode_steps) {
  if (accounts < 1 || accounts > INT32_MAX || episode_steps < 1 || episode_steps > INT32_MAX)
    throw Error("a control task has at least one account and one step an episode, not " + std::to_string(accounts) + " and " +
                std::to_string(episode_steps));
}

void ClassicControl::declare(compute::Tensors& tensors, const std::string& prefix, compute::Lifetime lifetime) {
  const auto add = [&](const char* name, fh_dtype dtype, fh_shape s, const char* unit) {
    compute::TensorSpec spec;
    spec.name = prefix + "/" + name;
    spec.dtype = dtype;
    spec.shape = s;
    spec.axes = {"account", "variable"};
    spec.unit = unit;
    spec.lifetime = lifetime;
    return tensors.add(std::move(spec));
  };
  state = add("state", FH_F32, shape(accounts_, 4), task_ == Task::cartpole ? "m, m/s, rad, rad/s" : "rad, rad, rad/s, rad/s");
  steps = add("steps", FH_I32, shape(accounts_), "steps taken in the episode");
  ended = add("ended", FH_U8, shape(accounts_), "0 runs, 1 terminated, 2 truncated");
  score = add("score", FH_F64, shape(accounts_), "rewards since the episode's start");
  episodes = add("episodes", FH_I64, shape(accounts_), "ended since the run's start");
}

void ClassicControl::initialise(compute::Compute& compute, uint64_t seed) const {
  const Recorder::Key key = compute::stream_key(seed, "env/first_episode");
  const common::Philox draw(key.k[0], key.k[1]);
  const float spread = task_ == Task::cartpole ? 0.05f : 0.1f;
  const auto n = static_cast<size_t>(accounts_);
  std::vector<float> first;
  for (size_t i = 0; i < n; ++i)
    for (const uint32_t bits : draw(i)) first.push_back((2 * ((static_cast<float>(bits >> 9) + 0.5f) * 0x1p-23f) - 1) * spread);
  compute.upload(state, first.data(), first.size() * sizeof(float));
  const std::vector<int64_t> zeros(n, 0);
  compute.upload(steps, zeros.data(), n * sizeof(int32_t));
  compute.upload(ended, zeros.data(), n);
  compute.upload(score, zeros.data(), n * sizeof(double));
  compute.upload(episodes, zeros.data(), n * sizeof(int64_t));
}

void ClassicControl::record_observe(compute::Recording& recording, fh_tensor x) const {
  Recorder recorder = recording.recorder();
  if (task_ == Task::cartpole)
    recorder.copy(x, recording.read(state));
  else
    recorder.launch(kernels::acrobot_observe, Grid::elements(accounts_), {in(recording.read(state)), out(x), i32(accounts_)});
}

void ClassicControl::record_step(compute::Recording& recording, fh_tensor action, fh_tensor, compute::TensorId step,
                                 const StepOutputs& o, uint32_t salt) const {
  Recorder recorder = recording.recorder();
  const Recorder::Key key = recorder.stream("episode_start");
  const auto change = [&](compute::TensorId id) { return inout(recording.write(id)); };
  recorder.launch(task_ == Task::cartpole ? kernels::cartpole_step : kernels::acrobot_step, Grid::elements(accounts_),
                  {in(action), change(state), change(steps), change(ended), change(score), change(episodes),
                   in(recording.read(step)), out(o.reward), out(o.done), out(o.valid), out(o.equity), i32(episode_steps_),
                   u32(key.k[0]), u32(key.k[1]), u32(salt), i32(accounts_)});
}

void ClassicControl::record_totals(compute::Recording& recording, fh_tensor totals) const {
  recording.recorder().launch(kernels::count_sum, Grid::blocks(1), {in(recording.read(episodes)), out(totals), i32(accounts_)});
}

std::unique_ptr<ClassicControl> make_classic_control(const std::string& name, int64_t accounts) {
  if (name == "cartpole") return std::make_unique<ClassicControl>(ClassicControl::Task::cartpole, accounts);
  if (name == "acrobot") return std::make_unique<ClassicControl>(ClassicControl::Task::acrobot, accounts);
  return nullptr;
}

}  // namespace foxhunt::environment
