#include "rig.hpp"

#include <cstdlib>

#include "kernels/manifest.hpp"
#include "kernels/optimizer.hpp"

namespace foxhunt::environment::test {

namespace {

// Runs share compiled kernels, but not with the user's own cache.
const bool cache_folder_is_set = ::setenv("FOXHUNT_CACHE_DIR", FOXHUNT_TEST_CACHE, 0) == 0;

std::unique_ptr<compute::Compute> cpu(int threads) {
  compute::Options options;
  options.device = "cpu";
  options.threads = threads;
  return compute::open(options);
}

}  // namespace

Rig::Rig(const Feed& feed, const AccountSettings& s, uint64_t seed, int threads) : settings(s), compute_(cpu(threads)) {
  feed_.declare(tensors_, "market", feed);
  accounts.declare(tensors_, "/env", compute::Lifetime::state, feed, feed_, settings);
  const auto add = [&](const char* name, fh_dtype dtype, fh_shape shape) {
    compute::TensorSpec spec;
    spec.name = name;
    spec.dtype = dtype;
    spec.shape = shape;
    spec.lifetime = compute::Lifetime::resident;
    return tensors_.add(std::move(spec));
  };
  const fh_shape each = shape(settings.accounts);
  action_ = add("action", FH_I32, each);
  target_ = add("target", FH_F32, each);
  sized_ = add("sized", FH_F32, each);
  x_ = add("x", FH_F32, shape(settings.accounts, accounts.features()));
  step_ = add("step", FH_U64, shape(1));
  reward = add("reward", FH_F32, each);
  done = add("done", FH_U8, each);
  valid = add("valid", FH_U8, each);
  fill_row = add("fill_row", FH_I32, each);
  lots = add("fill_lots", FH_F64, each);
  value = add("fill_value", FH_F64, each);
  equity = add("equity", FH_F64, each);

  const auto record = [&](compute::Program& program, auto&& body) {
    compute::Recording r(program, tensors_, program_kernels(), {"", "step", "test", seed});
    body(r);
  };
  record(observe_program_, [&](compute::Recording& r) { accounts.record_observe(r, r.write(x_)); });
  record(target_program_, [&](compute::Recording& r) { accounts.record_target(r, r.read(action_), r.write(target_)); });
  record(step_program_, [&](compute::Recording& r) {
    accounts.record_step(r, r.read(action_), r.read(sized_), step_,
                         {r.write(reward), r.write(done), r.write(valid), r.write(fill_row), r.write(lots), r.write(value), r.write(equity)}, 0);
    r.recorder().launch(kernels::advance_step, Grid::elements(1), {inout(r.write(step_))});
  });
  compute_->allocate(tensors_);
  observe_ = compute_->prepare(observe_program_);
  targets_ = compute_->prepare(target_program_);
  step_run_ = compute_->prepare(step_program_);
  feed_.upload(*compute_, feed);
}

void Rig::start(const std::vector<int32_t>& rows, const std::vector<int32_t>& steps) {
  accounts.initialise(*compute_, rows, steps.empty() ? std::vector<int32_t>(rows.size(), INT32_MAX) : steps);
}

std::vector<float> Rig::observe() {
  observe_->submit();
  return get<float>(x_);
}

std::vector<float> Rig::targets(const std::vector<int32_t>& action) {
  compute_->upload(action_, action.data(), action.size() * sizeof action[0]);
  targets_->submit();
  return get<float>(target_);
}

void Rig::step(const std::vector<int32_t>& action, const std::vector<double>& scale) {
  std::vector<float> sized = targets(action);
  for (size_t i = 0; i < scale.size(); ++i) sized[i] = static_cast<float>(sized[i] * scale[i]);
  compute_->upload(sized_, sized.data(), sized.size() * sizeof sized[0]);
  step_run_->submit();
}

}  // namespace foxhunt::environment::test
