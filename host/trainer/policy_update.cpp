#include <foxhunt/error.hpp>

#include "../common/text.hpp"
#include "../kernels/agent.hpp"
#include "../kernels/manifest.hpp"
#include "agent.hpp"

namespace foxhunt::trainer {

namespace {

// Bits of a half of the numbers that a shuffle of n goes through (kernels_src/agent/minibatch.cu).
int32_t half_bits(int64_t n) {
  int32_t bits = 1;
  while ((int64_t{1} << (2 * bits)) < n) ++bits;
  return bits;
}
}  // namespace

// A minibatch is made of samples, or, where the encoder has a memory, of whole accounts.
Agent::Units Agent::units() const {
  if (pass_->start().empty()) return {1, plan_.samples()};
  return {plan_.horizon, plan_.accounts};
}

void Agent::declare_policy_update() {
  const auto add = [&](const char* name, fh_dtype dtype, fh_shape s) {
    return declare(std::string("policy_update/") + name, dtype, s);
  };
  update_.series = add("series", FH_F32, shape(6, plan_.samples()));
  update_.go = add("go", FH_I32, shape(2));
  if (plan_.whole_batch() || plan_.epochs == 0) return;
  const auto [steps, count] = units();
  if (count % plan_.minibatches != 0)
    throw Error(text("policy.minibatches = ", plan_.minibatches, " does not divide ", count,
                     steps == 1 ? " samples (trainer.accounts x trainer.horizon)"
                                : " accounts (trainer.accounts), which a recurrent encoder keeps whole"));
  update_.valid = add("valid", FH_U8, shape(plan_.samples()));
  update_.pass = encoder_->make_pass(tensors_, {"policy_update/encoder", steps, count / plan_.minibatches});
  if (critic_) update_.critic = critic_->make_pass(tensors_, {"policy_update/critic", steps, count / plan_.minibatches});
}

// One step on the whole rollout, whose activations are still those of the present weights.
Agent::Samples Agent::whole_rollout(compute::Recording& main) const {
  Recorder r = main.recorder();
  const int64_t T = plan_.horizon, S = plan_.samples();
  Samples s;
  s.rows = S;
  s.x = r.view(main.read(rollout.x), 0, shape(T, plan_.accounts, environment_->features()));
  s.h = r.view(main.read(rollout.h), 0, shape(S, plan_.encoder.hidden));
  s.value_h = r.view(main.read(rollout.value_h), 0, shape(S, plan_.encoder.hidden));
  s.logits = main.read(rollout.logits);
  s.value = s.old_value = main.read(rollout.value);
  s.action = main.read(rollout.action);
  s.log_prob = main.read(rollout.log_prob);
  s.advantage = main.read(rollout.advantage);
  s.value_target = series_row(main, 3);
  s.valid = main.read(rollout.valid);
  s.mask = plan_.masked ? main.read(rollout.mask) : s.valid;
  s.ensemble_q = main.read(ensemble_q_);
  s.pass = pass_.get();
  s.critic = critic_pass_.get();
  return s;
}

// A part of the rollout in random order, and what the present weights make of it.
Agent::Samples Agent::gathered(compute::Recording& main, const Samples& all, fh_tensor order, int64_t part) const {
  Recorder r = main.recorder();
  const auto [T, B] = units();
  const int64_t n = B / plan_.minibatches, rows = T * n, F = environment_->features(), H = plan_.encoder.hidden,
                N = plan_.actions;
  const fh_tensor chosen = r.view(order, part * n, shape(n));
  const auto gather = [&](const char* name, fh_tensor from, int64_t columns) {
    const fh_tensor to = r.scratch(name, shape(rows, columns));
    r.launch(kernels::gather_rows, Grid::elements(rows * columns),
             {in(chosen), in(from), out(to), i32(T), i32(B), i32(n), i32(columns)});
    return to;
  };
  Samples s;
  s.rows = rows;
  s.x = r.reshape(gather("part_x", all.x, F), shape(T, n, F));
  s.ensemble_q = gather("part_ensemble_q", all.ensemble_q, N);
  s.h = r.scratch("part_h", shape(rows, H));
  s.logits = r.scratch("part_logits", shape(rows, N));
  s.value = r.scratch("part_value", shape(rows));
  s.action = r.scratch("part_action", shape(rows), FH_I32);
  s.log_prob = r.scratch("part_log_prob", shape(rows));
  s.advantage = r.scratch("part_advantage", shape(rows));
  s.old_value = r.scratch("part_old_value", shape(rows));
  s.value_target = r.scratch("part_value_target", shape(rows));
  s.valid = r.view(main.write(update_.valid), part * rows, shape(T, n));
  r.launch(kernels::gather_samples, Grid::elements(rows),
           {in(chosen), in(all.action), in(all.log_prob), in(all.advantage), in(r.view(all.old_value, 0, shape(T * B))),
            in(all.value_target), in(all.valid), out(s.action), out(s.log_prob), out(s.advantage), out(s.old_value),
            out(s.value_target), out(s.valid), i32(T), i32(B), i32(n)});
  s.mask = s.valid;
  if (plan_.masked) {
    s.mask = r.scratch("part_mask", shape(rows, N), FH_U8);
    r.launch(kernels::gather_flags, Grid::elements(rows * N),
             {in(chosen), in(all.mask), out(s.mask), i32(T), i32(B), i32(n), i32(N)});
  }
  s.pass = update_.pass.get();
  const auto encode = [&](agent::Encoder::Pass& pass, const agent::Encoder::Pass& from, fh_tensor to) {
    pass.record_start(main, from, chosen);
    pass.record_sequence(main, s.x, s.valid, r.reshape(to, shape(T, n, H)));
  };
  encode(*s.pass, *pass_, s.h);
  s.critic = update_.critic.get();
  s.value_h = s.critic ? r.scratch("part_value_h", shape(rows, H)) : s.h;
  if (s.critic) encode(*s.critic, *critic_pass_, s.value_h);
  actor_critic_->record_forward(main, s.h, s.value_h, s.logits, s.value);
  return s;
}

void Agent::record_policy_step(compute::Recording& main, const Samples& s, int64_t first_sample, bool first) {
  Recorder r = main.recorder();
  const int64_t S = plan_.samples(), H = plan_.encoder.hidden, n = s.rows;
  main.set_step("update/policy_gradient");
  const fh_tensor moments = r.scratch("advantage_moments", shape(3), FH_F64);
  r.launch(kernels::masked_moments, Grid::blocks(1), {in(s.advantage), in(s.valid), out(moments), i32(n)});
  const fh_tensor grad_logits = r.scratch("grad_logits", shape(n, plan_.actions)), grad_value = r.scratch("grad_value", shape(n));
  // Row k of this part begins `first_sample` into row k of all.
  const fh_tensor series = r.view(main.write(update_.series), first_sample, shape(5 * S + n));
  r.launch(kernels::policy_gradient, Grid::elements(n),
           {in(s.logits), in(s.action), in(s.log_prob), in(s.advantage), in(s.value), in(s.old_value), in(s.value_target),
            in(s.valid), in(s.mask), in(s.ensemble_q), in(moments), in(main.read(entropy_)), out(grad_logits),
            out(grad_value), inout(series), f32(plan_.clip), f32(plan_.value_clip), f32(plan_.value_weight),
            f32(plan_.distill), f32(plan_.distill_temperature), i32(n), i32(S)},
           {constant("ACTIONS", plan_.actions), constant("MASKED", plan_.masked ? 1 : 0)});
  if (plan_.target_kl > 0)
    r.launch(kernels::stop_beyond, Grid::blocks(1),
             {in(r.view(main.read(update_.series), 4 * S + first_sample, shape(n))), in(s.valid),
              inout(main.write(update_.go)), f64(plan_.target_kl), i32(first ? 1 : 0), i32(n)});

  main.set_step("update/backward");
  const fh_tensor grad_h = r.scratch("grad_h", shape(n, H)), grad_value_h = s.critic ? r.scratch("grad_value_h", shape(n, H)) : 0;
  actor_critic_->record_policy_backward(main, s.h, grad_logits, grad_h);
  if (value_balance_.on()) {
    value_balance_.record_policy(main, grad_h);
    value_balance_.record_loss(main, grad_value, main.read(actor_critic_->value_weights()));
    value_balance_.record_scale(main, grad_value);
  }
  actor_critic_->record_value_backward(main, s.value_h, grad_value, s.critic ? grad_value_h : grad_h, !s.critic);
  record_outside_value_gradient(main);
  const fh_shape x = r.shape_of(s.x);
  s.pass->record_backward(main, s.x, s.valid, r.reshape(grad_h, shape(x.dim[0], x.dim[1], H)));
  if (s.critic) s.critic->record_backward(main, s.x, s.valid, r.reshape(grad_value_h, shape(x.dim[0], x.dim[1], H)));
  main.set_step("update/adam");
  const bool may_stop = plan_.target_kl > 0;
  agent::ParameterGroup::record_joint_step(main, encoder_group_, group_, plan_.policy_adam, main.read(policy_lr_),
                                           may_stop ? update_.go : replay_ring(), may_stop ? 1 : 0);
  if (q_balance_.on()) q_balance_.record_policy_squares(main, main.read(encoder_group_.gradient_squares()));
}

void Agent::record_policy_update(compute::Recording& main) {
  record_epochs(main);
  if (plan_.value_target == Plan::ValueTarget::n_step) group_.record_soft_update(main, plan_.value_tau);
}

void Agent::record_epochs(compute::Recording& main) {
  Recorder r = main.recorder();
  const Samples all = whole_rollout(main);
  if (plan_.whole_batch()) {
    record_policy_step(main, all, 0, true);
    return;
  }
  const int64_t count = units().count;
  const Recorder::Key key = r.stream("minibatches");
  for (int64_t epoch = 0; epoch < plan_.epochs; ++epoch) {
    main.set_step("update/minibatch");
    const fh_tensor order = r.scratch("order", shape(count), FH_I32);
    r.launch(kernels::shuffled_order, Grid::elements(count),
             {in(main.read(step_)), out(order), u32(key.k[0]), u32(key.k[1]), u32(epoch), i32(half_bits(count)), i32(count)});
    for (int64_t part = 0; part < plan_.minibatches; ++part) {
      main.set_step("update/minibatch");
      record_policy_step(main, gathered(main, all, order, part), part * plan_.minibatch(), epoch == 0 && part == 0);
    }
  }
}

}  // namespace foxhunt::trainer
