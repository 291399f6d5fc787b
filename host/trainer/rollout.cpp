#include "../kernels/agent.hpp"
#include "../kernels/manifest.hpp"
#include "agent.hpp"

namespace foxhunt::trainer {

namespace {
constexpr int64_t N = environment::kActions;
// Salts of `infer` for choosing actions, apart from those of the position sizer, which count the steps.
constexpr uint32_t kActingSalt = 1u << 19;
}

void Agent::record_rollout(compute::Program& program, compute::Recording& main) {
  Recorder r = main.recorder();
  const int64_t T = plan_.horizon, B = plan_.accounts;
  const fh_tensor x = main.write(rollout.x), h = main.write(rollout.h), value = main.write(rollout.value);
  const fh_tensor reward = r.reshape(series_row(main, 0), shape(T, B));
  const auto at = [&](compute::TensorId id, int64_t t) { return r.slice(main.write(id), t); };

  for (int64_t t = 0; t <= T; ++t) {
    const fh_tensor xt = r.slice(x, t), ht = r.slice(h, t), vt = r.slice(value, t);
    main.set_step("rollout/observe");
    accounts_.record_observe(main, xt);
    main.set_step("rollout/encode");
    const fh_tensor valid_before = t > 0 ? at(rollout.valid, t - 1) : 0;
    if (t < T)
      pass_->record_step(main, xt, t, valid_before, ht);
    else
      pass_->record_last(main, xt, valid_before, ht);
    main.set_step("rollout/policy");
    const fh_tensor logits = t < T ? at(rollout.logits, t) : r.scratch("last_logits", shape(B, N));
    actor_critic_->record_forward(main, ht, logits, vt);
    if (t == T) break;  // the last observation only serves the bootstrap

    if (plan_.masked) accounts_.record_mask(main, at(rollout.mask, t));
    record_selection(program, main, t, ht, logits);
    const fh_tensor action = at(rollout.action, t);
    const auto salt = static_cast<uint32_t>(t);
    main.set_step("rollout/size");
    const fh_tensor target = at(rollout.target, t), sized = at(rollout.sized, t);
    const fh_tensor scale = r.view(series_row(main, 1), t * B, shape(B));
    accounts_.record_target(main, action, target);
    record_sizing(program, main, "rollout", {ht, action, target, sized, scale, salt});
    main.set_step("rollout/trade");
    accounts_.record_step(main, action, sized, step_,
                          {r.slice(reward, t), at(rollout.done, t), at(rollout.valid, t), at(rollout.fill_row, t),
                           at(rollout.fill_lots, t), at(rollout.fill_value, t), at(rollout.equity, t)},
                          salt);
  }
}

void Agent::record_selection(compute::Program& program, compute::Recording& main, int64_t t, fh_tensor h, fh_tensor logits) {
  Recorder r = main.recorder();
  const int64_t B = plan_.accounts;
  const Recorder::Key key = r.stream("action");
  const auto salt = static_cast<uint32_t>(t);
  const fh_tensor action = r.slice(main.write(rollout.action), t), log_prob = r.slice(main.write(rollout.log_prob), t);
  const fh_tensor mask = plan_.masked ? r.slice(main.read(rollout.mask), t) : r.slice(main.read(rollout.valid), t);
  const std::vector<fh_constant> constants{constant("ACTIONS", N), constant("MASKED", plan_.masked ? 1 : 0)};
  if (!plan_.acts_on_q()) {
    r.launch(kernels::select_action, Grid::elements(B),
             {in(logits), in(mask), in(main.read(step_)), out(action), out(log_prob), i32(0), u32(key.k[0]), u32(key.k[1]),
              u32(salt), i32(B)},
             constants);
    return;
  }
  const fh_tensor q = r.scratch("acting_q", shape(B, N));
  if (plan_.source == Plan::Source::thompson)
    record_draw(program, main, h, kActingSalt + salt, q);
  else
    record_ensemble(program, main, "rollout/q", h, kActingSalt + salt, q);
  main.set_step("rollout/policy");
  const int mode = plan_.source == Plan::Source::epsilon_greedy ? 1 : plan_.source == Plan::Source::boltzmann ? 2 : 0;
  r.launch(kernels::select_from_q, Grid::elements(B),
           {in(q), in(mask), in(main.read(step_)), in(main.read(exploration_)), out(action), out(log_prob), i32(mode),
            u32(key.k[0]), u32(key.k[1]), u32(salt), i32(B)},
           constants);
}

// q [rows, N] = the ensemble's expected Q at h.
void Agent::record_ensemble(compute::Program& program, compute::Recording& main, const std::string& step, fh_tensor h,
                            uint32_t salt, fh_tensor q) {
  Recorder r = main.recorder();
  const int64_t rows = r.shape_of(q).dim[0];
  bool first = true;
  for (const auto& head : heads_) {
    if (head->roles().ensemble_weight == 0) continue;
    HeadRecordings own = recordings(program, *head, step);
    const fh_tensor mine = own.plugin.recorder().scratch((step + "_expected_q").c_str(), shape(rows, N));
    head->record_infer(own.plugin, own.plugin.read(main.operand(h)), step_, salt, {{"expected_q", mine}});
    r.launch(kernels::ensemble_add, Grid::elements(rows * N),
             {in(main.read(own.plugin.operand(mine))), inout(q), f32(head->roles().ensemble_weight), i32(first ? 1 : 0),
              i32(rows * N)});
    first = false;
  }
}

// q [rows, N] = one draw of the return for each action, summed over the ensemble with its weights.
void Agent::record_draw(compute::Program& program, compute::Recording& main, fh_tensor h, uint32_t salt, fh_tensor q) {
  Recorder r = main.recorder();
  const int64_t n = elements(r.shape_of(q)), rows = n / N;
  bool first = true;
  for (const auto& head : heads_) {
    if (head->roles().ensemble_weight == 0) continue;
    HeadRecordings own = recordings(program, *head, "rollout/draw");
    const Recorder::Key key = own.program.recorder().stream("thompson");
    const auto scratch = [&](const char* name) {
      return own.plugin.recorder().scratch((std::string("acting_") + name).c_str(), head->output_shape(name, rows));
    };
    const auto give = [&](fh_tensor t) { return in(main.read(own.plugin.operand(t))); };
    const bool categorical = head->offers("log_probs");
    if (categorical) {
      const fh_tensor log_probs = scratch("log_probs"), support = scratch("support");
      head->record_infer(own.plugin, own.plugin.read(main.operand(h)), step_, salt, {{"log_probs", log_probs}, {"support", support}});
      r.launch(kernels::thompson_categorical, Grid::elements(n),
               {give(log_probs), give(support), in(main.read(step_)), inout(q), f32(head->roles().ensemble_weight),
                i32(first ? 1 : 0), u32(key.k[0]), u32(key.k[1]), u32(salt), i32(head->output_shape("log_probs", rows).dim[2]), i32(n)});
    } else {
      const fh_tensor quantiles = scratch("quantiles");
      head->record_infer(own.plugin, own.plugin.read(main.operand(h)), step_, salt, {{"quantiles", quantiles}});
      r.launch(kernels::thompson_quantiles, Grid::elements(n),
               {give(quantiles), in(main.read(step_)), inout(q), f32(head->roles().ensemble_weight), i32(first ? 1 : 0),
                u32(key.k[0]), u32(key.k[1]), u32(salt), i32(head->output_shape("quantiles", rows).dim[1]), i32(N), i32(n)});
    }
    first = false;
  }
}

void Agent::record_sizing(compute::Program& program, compute::Recording& main, const std::string& scope,
                          const Sizing& s) {
  const int64_t rows = elements(main.recorder().shape_of(s.action));
  compute::Recording mine(program, tensors_, sizer_->kernels(),
                          {"position_sizing", scope + "/size", "position_sizing/" + scope, plan_.seed});
  const auto give = [&](fh_tensor handle) { return mine.read(main.operand(handle)); };
  fh_size_position io{};
  io.size = sizeof io;
  io.salt = s.salt;
  io.action = give(s.action);
  io.target_position = give(s.target);
  io.scale = mine.write(main.operand(s.scale));
  io.position = mine.write(main.operand(s.sized));
  io.step = mine.read(step_);

  if (const Head* head = risk_head()) {
    HeadRecordings own = recordings(program, *head, scope + "/risk");
    std::vector<Head::Wanted> wanted;
    const auto want = [&](uint32_t flag, const char* name, fh_tensor& to) {
      if (!(sizer_->needs() & flag)) return;
      const fh_tensor t = own.plugin.recorder().scratch(("risk_" + scope + "_" + name).c_str(), head->output_shape(name, rows));
      wanted.push_back({name, t});
      to = mine.read(own.plugin.operand(t));
    };
    want(FH_NEEDS_VARIANCE_Q, "variance_q", io.variance_q);
    want(FH_NEEDS_EXPECTED_Q, "expected_q", io.expected_q);
    want(FH_NEEDS_LOG_PROBS, "log_probs", io.log_probs);
    want(FH_NEEDS_SUPPORT, "support", io.support);
    head->record_infer(own.plugin, own.plugin.read(main.operand(s.h)), step_, s.salt, wanted);
  }
  sizer_->apply(mine, io);
}

}  // namespace foxhunt::trainer
