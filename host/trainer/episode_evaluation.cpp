#include "episode_evaluation.hpp"

#include "../kernels/manifest.hpp"
#include "../kernels/optimizer.hpp"

namespace foxhunt::trainer {

namespace {
constexpr int64_t kChunk = 64;  // steps of one program
const std::string kPrefix = "evaluation/episodes";
}  // namespace

EpisodeEvaluation::EpisodeEvaluation(Agent& agent, std::unique_ptr<environment::Environment> environment)
    : agent_(agent), environment_(std::move(environment)) {
  compute::Tensors& tensors = agent.tensors();
  const int64_t E = environment_->accounts();
  environment_->declare(tensors, kPrefix + "/env", compute::Lifetime::resident);
  pass_ = agent.encoder().make_pass(
      tensors, {.prefix = kPrefix + "/encoder", .accounts = E, .carried = compute::Lifetime::resident, .backward = false});
  const auto add = [&](const char* name, fh_dtype dtype, fh_shape s) {
    compute::TensorSpec spec;
    spec.name = kPrefix + "/" + name;
    spec.dtype = dtype;
    spec.shape = s;
    spec.lifetime = compute::Lifetime::resident;
    return tensors.add(std::move(spec));
  };
  x_ = add("x", FH_F32, shape(E, environment_->features()));
  h_ = add("h", FH_F32, shape(E, agent.plan().encoder.hidden));
  action_ = add("action", FH_I32, shape(kChunk, E));
  reward_ = add("reward", FH_F32, shape(E));
  done_ = add("done", FH_U8, shape(kChunk, E));
  valid_ = add("valid", FH_U8, shape(E));
  score_ = add("score", FH_F64, shape(kChunk, E));
  step_ = add("step", FH_U64, shape(1));
}

void EpisodeEvaluation::record() {
  program_.name = kPrefix;
  compute::Recording main(program_, agent_.tensors(), program_kernels(), {"", kPrefix, kPrefix, agent_.plan().seed});
  Recorder r = main.recorder();
  const fh_tensor x = main.write(x_), h = main.write(h_);
  for (int64_t t = 0; t < kChunk; ++t) {
    const auto at = [&](compute::TensorId id) { return r.slice(main.write(id), t); };
    const auto salt = static_cast<uint32_t>(t);
    environment_->record_observe(main, x);
    pass_->record_step(main, x, 0, main.read(valid_), h);
    agent_.record_evaluated_choice(program_, main, kPrefix, h, 0, at(action_), step_, salt);
    environment::StepOutputs outputs{};
    outputs.reward = main.write(reward_);
    outputs.done = at(done_);
    outputs.valid = main.write(valid_);
    outputs.equity = at(score_);
    environment_->record_step(main, at(action_), 0, step_, outputs, salt);
  }
  r.launch(kernels::advance_step, Grid::elements(1), {inout(main.write(step_))});
}

void EpisodeEvaluation::prepare(compute::Compute& compute) { executable_ = compute.prepare(program_); }

EvaluationResult EpisodeEvaluation::run(compute::Compute& compute, const std::function<void(const Fill&)>&) {
  const auto E = static_cast<size_t>(environment_->accounts()), cells = E * static_cast<size_t>(kChunk);
  environment_->initialise(compute, agent_.plan().seed ^ 0x65766131);  // other beginnings than in training
  pass_->reset(compute);
  const uint64_t zero = 0;
  compute.upload(step_, &zero, sizeof zero);
  const std::vector<uint8_t> begun(E, 1);
  compute.upload(valid_, begun.data(), E);

  std::vector<int32_t> action(cells);
  std::vector<uint8_t> done(cells), over(E, 0);
  std::vector<double> score(cells), count(static_cast<size_t>(environment_->actions()), 0);
  const auto get = [&](compute::TensorId id, auto& to) { compute.download(id, to.data(), to.size() * sizeof(to[0])); };
  EvaluationResult result;
  result.part = "test";
  result.accounts = static_cast<int64_t>(E);
  result.action_names = environment_->action_names();
  result.returns.assign(E, 0);
  for (size_t left = E; left > 0;) {
    executable_->submit();
    compute.wait_all();
    get(action_, action);
    get(done_, done);
    get(score_, score);
    for (size_t at = 0; at < cells; ++at) {
      const size_t e = at % E;
      if (over[e]) continue;
      ++result.steps;
      count[static_cast<size_t>(action[at])] += 1;
      if (!done[at]) continue;
      over[e] = 1;
      result.returns[e] = score[at];
      --left;
    }
  }
  for (double& c : count) c /= static_cast<double>(result.steps);
  result.action_share = count;
  return result;
}

}  // namespace foxhunt::trainer
