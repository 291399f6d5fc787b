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
    head.record_infer(own.plugin, own.plugin.read(main.operand(h)), step_, kUpdateSalt, wanted);
    if (head.roles().ensemble_weight != 0) {
      r.launch(kernels::ensemble_add, Grid::elements(S * plan_.actions),
               {in(main.read(own.plugin.operand(q))), inout(main.write(ensemble_q_)), f32(head.roles().ensemble_weight),
                i32(first ? 1 : 0), i32(S * plan_.actions)});
      first = false;
    }
  }
  if (first) r.fill(main.write(ensemble_q_), 0);
}

// V(s) of the configured baseline in all states of the rollout, [horizon + 1, accounts].
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

void Agent::record_advantage(compute::Program& program, compute::Recording& main) {
  Recorder r = main.recorder();
  const int64_t T = plan_.horizon, B = plan_.accounts, S = plan_.samples();
  main.set_step("update/advantage");
  const fh_tensor seen = plan_.policy_sees_shaped ? main.read(rollout.shaped) : r.reshape(series_row(main, 0), shape(T, B));
  const fh_tensor value = main.read(rollout.value), done = main.read(rollout.done), valid = main.read(rollout.valid);
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
  const fh_tensor baseline = scalar ? value : record_baseline(program, main);
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
    n_step(frozen, value, unused, value_target);
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
