#include "../kernels/agent.hpp"
#include "../kernels/manifest.hpp"
#include "agent.hpp"

namespace foxhunt::trainer {

namespace {
// Salts of `infer` outside the rollout, whose steps count from 0.
constexpr uint32_t kUpdateSalt = 1u << 20;
}  // namespace

// What the heads think of the visited states, before this iteration's updates.
void Agent::record_visited(compute::Program& program, compute::Recording& main) {
  Recorder r = main.recorder();
  const int64_t S = plan_.samples();
  const fh_tensor h = r.view(main.read(rollout.h), 0, shape(S, plan_.encoder.hidden));
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
    record_infer(own, head, main.operand(h), step_, kUpdateSalt, wanted);
    if (head.roles().ensemble_weight != 0) {
      r.launch(kernels::ensemble_add, Grid::elements(S * plan_.actions),
               {in(main.read(own.plugin.operand(q))), inout(main.write(ensemble_q_)), f32(head.roles().ensemble_weight),
                i32(first ? 1 : 0), i32(S * plan_.actions)});
      first = false;
    }
  }
  if (first) r.fill(main.write(ensemble_q_), 0);
}

fh_tensor Agent::record_head_value(compute::Program& program, compute::Recording& main, const Head& head) {
  Recorder r = main.recorder();
  const int64_t rows = (plan_.horizon + 1) * plan_.accounts, N = plan_.actions;
  const fh_tensor h = r.reshape(main.read(rollout.h), shape(rows, plan_.encoder.hidden));
  HeadRecordings own = recordings(program, head, "baseline");
  const auto infer = [&](const char* name) {
    const fh_tensor to = own.plugin.recorder().scratch((std::string("baseline_") + name).c_str(), head.output_shape(name, rows));
    record_infer(own, head, main.operand(h), step_, kUpdateSalt + 1, {{name, to}});
    return main.read(own.plugin.operand(to));
  };
  if (plan_.state_value == Plan::StateValue::own) return infer("state_value");
  const fh_tensor q = infer("expected_q"), value = r.scratch("head_value", shape(rows));
  fh_tensor logits = q;  // nobody looks at them
  if (plan_.state_value == Plan::StateValue::policy) {
    logits = r.scratch("baseline_logits", shape(rows, N));
    actor_critic_->record_forward(main, h, h, logits, 0);
  }
  r.launch(kernels::state_value, Grid::elements(rows),
           {in(q), in(logits), out(value), i32(static_cast<int>(plan_.state_value)), i32(rows)}, {constant("ACTIONS", N)});
  return value;
}

fh_tensor Agent::record_baseline(compute::Program& program, compute::Recording& main) {
  using Kind = config::ValueBaseline::Kind;
  const config::ValueBaseline& baseline = plan_.value_baseline;
  const fh_shape all = shape(plan_.horizon + 1, plan_.accounts);
  const fh_tensor scalar = main.read(rollout.value);
  if (baseline.kind == Kind::scalar) return scalar;
  Recorder r = main.recorder();
  for (const auto& head : heads_) {
    if (!head->roles().value_baseline) continue;
    const fh_tensor value = r.reshape(record_head_value(program, main, *head), all);
    if (baseline.kind == Kind::head) return value;
    const fh_tensor blended = r.scratch("blended_value", all);
    r.launch(kernels::blend_value, Grid::elements(elements(all)),
             {in(scalar), in(value), in(main.read(step_)), out(blended), f64(static_cast<double>(baseline.from)),
              f64(static_cast<double>(baseline.to)), i32(elements(all))});
    return blended;
  }
  return scalar;
}

fh_tensor Agent::cut(compute::Recording& main, const char* name, fh_tensor value) {
  if (!plan_.cuts_value()) return value;
  Recorder r = main.recorder();
  const fh_shape s = r.shape_of(value);
  const fh_tensor to = r.scratch(name, s);
  r.launch(kernels::cut_value, Grid::elements(elements(s)),
           {in(value), out(to), f32(plan_.value_low), f32(plan_.value_high), i32(elements(s))});
  return to;
}

void Agent::record_advantage(compute::Program& program, compute::Recording& main) {
  Recorder r = main.recorder();
  const int64_t T = plan_.horizon, B = plan_.accounts, S = plan_.samples();
  main.set_step("update/advantage");
  const fh_tensor seen = plan_.policy_sees_shaped ? main.read(rollout.shaped) : r.reshape(series_row(main, 0), shape(T, B));
  const fh_tensor value = cut(main, "cut_value", main.read(rollout.value)), done = main.read(rollout.done), valid = main.read(rollout.valid);
  const fh_tensor advantage = main.write(rollout.advantage), value_target = series_row(main, 3);
  const fh_tensor unused = r.scratch("not_wanted", shape(S));
  const auto gae = [&](fh_tensor v, fh_tensor to_advantage, fh_tensor to_target) {
    r.launch(kernels::gae, Grid::elements(B),
             {in(seen), in(v), in(done), in(valid), out(to_advantage), out(to_target), f32(plan_.gamma),
              f32(plan_.lambda), i32(T), i32(B)});
  };
  const auto n_step = [&](fh_tensor bootstrap, fh_tensor v, fh_tensor to_advantage, fh_tensor to_target) {
    r.launch(kernels::n_step_returns, Grid::elements(S),
             {in(seen), in(bootstrap), in(v), in(done), in(valid), out(to_advantage), out(to_target), f32(plan_.gamma),
              i32(plan_.policy_n_step), i32(T), i32(B)});
  };

  // A baseline supplies V(s) and V(s'); the scalar value keeps its own bootstrap.
  const bool scalar = plan_.value_baseline.kind == config::ValueBaseline::Kind::scalar;
  const fh_tensor baseline = scalar ? value : cut(main, "cut_baseline", record_baseline(program, main));
  const bool one_pass = scalar && plan_.advantage == Plan::Advantage::gae && plan_.value_target == Plan::ValueTarget::gae;
  if (one_pass) {
    gae(value, advantage, value_target);
    return;
  }
  if (plan_.value_target == Plan::ValueTarget::gae) {
    gae(value, unused, value_target);
  } else {
    const fh_tensor frozen = r.scratch("target_value", shape(T + 1, B));
    actor_critic_->record_target_value(main, main.read(rollout.value_h), frozen);
    n_step(cut(main, "cut_target_value", frozen), value, unused, value_target);
  }
  switch (plan_.advantage) {
    case Plan::Advantage::gae: gae(baseline, advantage, unused); break;
    case Plan::Advantage::n_step: n_step(baseline, baseline, advantage, unused); break;
    case Plan::Advantage::q_minus_v:
      r.launch(kernels::q_minus_v, Grid::elements(S),
               {in(main.read(ensemble_q_)), in(main.read(rollout.action)), in(baseline), in(valid), out(advantage), i32(plan_.actions),
                i32(S)});
      break;
  }
}

}  // namespace foxhunt::trainer
