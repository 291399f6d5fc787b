#include "../kernels/agent.hpp"
#include "../kernels/manifest.hpp"
#include "agent.hpp"

namespace foxhunt::trainer {

namespace {
constexpr int64_t N = environment::kActions;
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

fh_tensor Agent::record_baseline(compute::Program& program, compute::Recording& main) {
  for (const auto& head : heads_) {
    if (!head->roles().value_baseline) continue;
    const int64_t rows = (plan_.horizon + 1) * plan_.accounts;
    HeadRecordings own = recordings(program, *head, "baseline");
    const fh_tensor value = own.plugin.recorder().scratch("baseline", shape(rows));
    compute::Operand h = main.operand(main.read(rollout.h));
    h.shape = shape(rows, plan_.encoder.hidden);
    head->record_infer(own.plugin, own.plugin.read(h), step_, kUpdateSalt + 1, {{"state_value", value}});
    compute::Operand v = own.plugin.operand(value);
    v.shape = shape(plan_.horizon + 1, plan_.accounts);
    return main.read(v);
  }
  return main.read(rollout.value);
}

void Agent::record_on_policy_update(compute::Program& program, compute::Recording& main) {
  Recorder r = main.recorder();
  const int64_t T = plan_.horizon, B = plan_.accounts, S = plan_.samples(), H = plan_.encoder.hidden;
  const fh_tensor h = r.view(main.read(rollout.h), 0, shape(S, H));
  const fh_tensor action = main.read(rollout.action), valid = main.read(rollout.valid);

  // What the heads think of the visited states, before this iteration's updates.
  main.set_step("update/ensemble");
  bool first = true;
  for (size_t i = 0; i < heads_.size(); ++i) {
    const Head& head = *heads_[i];
    if (!head_values_[i]) continue;
    HeadRecordings own = recordings(program, head, "infer");
    std::vector<Head::Wanted> wanted;
    fh_tensor q = 0;
    const auto want = [&](const char* name) {
      if (!head.offers(name)) return fh_tensor{0};
      const fh_tensor t = own.plugin.recorder().scratch((std::string("visited_") + name).c_str(), head.output_shape(name, S));
      wanted.push_back({name, t});
      return t;
    };
    q = want("expected_q");
    want("log_probs");
    if (head.magnitude_sums >= 0) {
      want("state_value");
      want("advantage");
    }
    head.record_infer(own.plugin, own.plugin.read(main.operand(h)), step_, kUpdateSalt, wanted);
    if (head.roles().ensemble_weight != 0) {
      r.launch(kernels::ensemble_add, Grid::elements(S * N),
               {in(main.read(own.plugin.operand(q))), inout(main.write(ensemble_q_)), f32(head.roles().ensemble_weight),
                i32(first ? 1 : 0), i32(S * N)});
      first = false;
    }
  }
  if (first) r.fill(main.write(ensemble_q_), 0);

  main.set_step("update/advantage");
  const fh_tensor seen = plan_.policy_sees_shaped ? main.read(rollout.shaped) : r.reshape(series_row(main, 0), shape(T, B));
  const fh_tensor value = main.read(rollout.value), done = main.read(rollout.done);
  const fh_tensor advantage = main.write(rollout.advantage), value_target = series_row(main, 3);
  const fh_tensor baseline = record_baseline(program, main);
  const auto gae = [&](fh_tensor v, fh_tensor to_advantage, fh_tensor to_target) {
    r.launch(kernels::gae, Grid::elements(B),
             {in(seen), in(v), in(done), in(valid), out(to_advantage), out(to_target), f32(plan_.gamma),
              f32(plan_.lambda), i32(T), i32(B)});
  };
  if (plan_.value_baseline.kind == config::ValueBaseline::Kind::scalar) {
    gae(value, advantage, value_target);
  } else {
    // The baseline supplies V(s) and V(s'); the scalar value keeps its own bootstrap.
    gae(value, r.scratch("own_advantage", shape(S)), value_target);
    gae(baseline, advantage, r.scratch("baseline_target", shape(S)));
  }
  const fh_tensor moments = r.scratch("advantage_moments", shape(3), FH_F64);
  r.launch(kernels::masked_moments, Grid::blocks(1), {in(advantage), in(valid), out(moments), i32(S)});

  main.set_step("update/policy_gradient");
  const fh_tensor grad_logits = r.scratch("grad_logits", shape(S, N)), grad_value = r.scratch("grad_value", shape(S));
  r.launch(kernels::policy_gradient, Grid::elements(S),
           {in(main.read(rollout.logits)), in(action), in(main.read(rollout.log_prob)), in(advantage), in(value),
            in(value), in(value_target), in(valid), in(valid), in(main.read(ensemble_q_)), in(moments), in(main.read(entropy_)),
            out(grad_logits), out(grad_value), inout(series_row(main, 4, 6)), f32(plan_.clip), f32(0), f32(plan_.value_weight),
            f32(plan_.distill), f32(plan_.distill_temperature), i32(S), i32(S)},
           {constant("ACTIONS", N), constant("MASKED", 0)});

  main.set_step("update/backward");
  const fh_tensor grad_h = r.scratch("grad_h", shape(S, H));
  actor_critic_->record_backward(main, h, grad_logits, grad_value, grad_h);
  const fh_tensor x = r.view(main.read(rollout.x), 0, shape(T, B, accounts_.features()));
  pass_->record_backward(main, x, r.reshape(grad_h, shape(T, B, H)));

  main.set_step("update/append_replay");
  replay_.record_append(main, main.read(rollout.h), action, main.read(rollout.shaped), done, valid);
  main.set_step("update/adam");
  group_.record_step(main, plan_.policy_adam, main.read(policy_lr_), replay_.ring(), 0);
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
