#include "../kernels/agent.hpp"
#include "../kernels/manifest.hpp"
#include "agent.hpp"

namespace foxhunt::trainer {

namespace {
// Salts of `infer` outside the rollout, whose steps count from 0.
constexpr uint32_t kUpdateSalt = 1u << 20;
}  // namespace

void Agent::record_shaping(compute::Program& program, compute::Recording& main) {
  compute::Recording mine(program, tensors_, shaper_->kernels(),
                          {"reward_shaping", "shape_rewards", "reward_shaping", plan_.seed});
  std::vector<fh_tensor> controllers;
  for (const compute::TensorId id : shaper_controllers_) controllers.push_back(mine.write(id));
  const auto flat = [&](const compute::Operand& o) {
    compute::Operand window = o;
    window.shape = shape(plan_.samples());
    return window;
  };
  fh_shape_reward io{};
  io.size = sizeof io;
  io.controllers = controllers.data();
  io.reward = mine.read(flat(main.operand(series_row(main, 0))));
  io.shaped = mine.write(flat(main.operand(main.write(rollout.shaped))));
  io.step = mine.read(step_);
  io.update_controllers = 1;
  shaper_->shape(mine, io);
}

void Agent::record_append(compute::Recording& main) {
  Recorder r = main.recorder();
  main.set_step("update/append_replay");
  replay_.record_append(main, main.read(history_.states.all), main.read(history_.action.all), main.read(history_.shaped.all),
                        main.read(history_.done.all), main.read(history_.valid.all));
  if (plan_.replay.n_step == 1) return;
  // Through scratch: the rows to keep and where they go may overlap.
  for (const auto& [h, name] : {std::pair{history_.states, "keep_states"}, {history_.action, "keep_action"},
                                {history_.shaped, "keep_shaped"}, {history_.done, "keep_done"}, {history_.valid, "keep_valid"}}) {
    const fh_tensor before = main.write(h.before);
    const fh_shape kept = r.shape_of(before);
    int64_t row = 1;
    for (uint32_t d = 1; d < kept.rank; ++d) row *= kept.dim[d];
    const fh_tensor held = r.scratch(name, kept, tensors_[h.all].dtype);
    r.copy(held, r.view(main.read(h.all), plan_.horizon * row, kept));
    r.copy(before, held);
  }
}

void Agent::record_replay_updates(compute::Program& program, compute::Recording&) {
  compute::Recording replay(program, tensors_, program_kernels(), {"", "replay/sample", "replay", plan_.seed});
  for (int64_t u = 0; u < plan_.replay_updates; ++u) {
    const auto update = static_cast<uint32_t>(u);
    const agent::Batch batch = replay_.record_sample(replay, step_, update);
    for (const auto& head : heads_) {
      HeadRecordings own = recordings(program, *head, "learn");
      head->record_learn(own, replay, batch, step_, plan_, replay_.ring(), q_lr_, update);
    }
  }
}

}  // namespace foxhunt::trainer
