#include "control_rig.hpp"

#include <cstdlib>

#include "kernels/manifest.hpp"
#include "kernels/optimizer.hpp"

namespace foxhunt::environment::test {

namespace {

const bool cache_folder_is_set = ::setenv("FOXHUNT_CACHE_DIR", FOXHUNT_TEST_CACHE, 0) == 0;

std::unique_ptr<compute::Compute> cpu(int threads) {
  compute::Options options;
  options.device = "cpu";
  options.threads = threads;
  return compute::open(options);
}

}  // namespace

ControlRig::ControlRig(ClassicControl::Task which, int64_t accounts, uint64_t seed, int threads, int64_t episode_steps)
    : task(which, accounts, episode_steps), compute_(cpu(threads)) {
  task.declare(tensors_, "/env", compute::Lifetime::state);
  const auto add = [&](const char* name, fh_dtype dtype, fh_shape s) {
    compute::TensorSpec spec;
    spec.name = name;
    spec.dtype = dtype;
    spec.shape = s;
    spec.lifetime = compute::Lifetime::resident;
    return tensors_.add(std::move(spec));
  };
  action_ = add("action", FH_I32, shape(accounts));
  x_ = add("x", FH_F32, shape(accounts, task.features()));
  step_ = add("step", FH_U64, shape(1));
  reward = add("reward", FH_F32, shape(accounts));
  done = add("done", FH_U8, shape(accounts));
  valid = add("valid", FH_U8, shape(accounts));
  equity = add("equity", FH_F64, shape(accounts));
  {
    compute::Recording r(observe_program_, tensors_, program_kernels(), {"", "observe", "test", seed});
    task.record_observe(r, r.write(x_));
  }
  {
    compute::Recording r(step_program_, tensors_, program_kernels(), {"", "step", "test", seed});
    const StepOutputs outputs{r.write(reward), r.write(done), r.write(valid), 0, 0, 0, r.write(equity)};
    task.record_step(r, r.read(action_), 0, step_, outputs, 0);
    r.recorder().launch(kernels::advance_step, Grid::elements(1), {inout(r.write(step_))});
  }
  compute_->allocate(tensors_);
  observe_ = compute_->prepare(observe_program_);
  step_run_ = compute_->prepare(step_program_);
  task.initialise(*compute_, seed);
}

void ControlRig::step(const std::vector<int32_t>& action) {
  compute_->upload(action_, action.data(), action.size() * sizeof action[0]);
  step_run_->submit();
}

std::vector<float> ControlRig::observe() {
  observe_->submit();
  return get<float>(x_);
}

}  // namespace foxhunt::environment::test
