#include "../kernels/agent.hpp"
#include "../kernels/manifest.hpp"
#include "agent.hpp"

namespace foxhunt::trainer {

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

void Agent::record_replay_updates(compute::Program& program) {
  compute::Recording replay(program, tensors_, program_kernels(), {"", "replay/sample", "replay", plan_.seed});
  for (int64_t u = 0; u < plan_.replay_updates; ++u) {
    const auto update = static_cast<uint32_t>(u);
    replay.set_step("replay/sample");
    const agent::Batch batch = replay_.record_sample(replay, step_, update);
    if (plan_.learns_encoder_from_q()) {
      record_encoded_update(program, replay, batch, update);
      continue;
    }
    for (const auto& head : heads_) {
      HeadRecordings own = recordings(program, *head, "learn");
      head->record_learn(own, replay, batch, step_, plan_, replay_.ring(), q_lr_, update);
    }
  }
}

// An update from observations: through the encoder, which learns from the heads of the ensemble by their weights. A
// diagnostic head sees the same features and gives nothing back.
void Agent::record_encoded_update(compute::Program& program, compute::Recording& replay, const agent::Batch& drawn, uint32_t update) {
  Recorder r = replay.recorder();
  const int64_t n = plan_.replay.batch, F = plan_.encoder.features, H = plan_.encoder.hidden;
  const fh_tensor x = r.reshape(drawn.state, shape(1, n, F)), x_next = r.reshape(drawn.next_state, shape(1, n, F));
  replay.set_step("replay/encode");
  agent::Batch batch = drawn;
  batch.state = r.scratch("encoded", shape(n, H));
  batch.next_state = r.scratch("encoded_next", shape(n, H));
  replay_pass_->record_sequence(replay, x, 0, r.reshape(batch.state, shape(1, n, H)));
  target_pass_->record_sequence(replay, x_next, 0, r.reshape(batch.next_state, shape(1, n, H)));
  if (select_pass_) {
    batch.select = r.scratch("encoded_select", shape(n, H));
    select_pass_->record_sequence(replay, x_next, 0, r.reshape(batch.select, shape(1, n, H)));
  }
  const fh_tensor total = r.scratch("grad_encoded", shape(n, H)), mine = r.scratch("grad_of_head", shape(n, H));
  bool first = true;
  for (const auto& head : heads_) {
    const double weight = head->roles().ensemble_weight;
    HeadRecordings own = recordings(program, *head, "learn");
    head->record_learn(own, replay, batch, step_, plan_, replay_.ring(), q_lr_, update, weight != 0 ? mine : 0);
    if (weight == 0) continue;
    r.launch(kernels::ensemble_add, Grid::elements(n * H), {in(mine), inout(total), f32(weight), i32(first ? 1 : 0), i32(n * H)});
    first = false;
  }
  replay.set_step("replay/backward");
  replay_pass_->record_backward(replay, x, 0, r.reshape(total, shape(1, n, H)));
  encoder_group_.record_step(replay, plan_.q_adam, replay.read(q_lr_), replay_.ring(), plan_.replay_start);
  encoder_group_.record_soft_update(replay, plan_.q_tau, plan_.q_target_every);
}

}  // namespace foxhunt::trainer
