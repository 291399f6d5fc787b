#include "../kernels/agent.hpp"
#include "../kernels/manifest.hpp"
#include "agent.hpp"

namespace foxhunt::trainer {

namespace {
// Salts of `infer` for choosing actions, apart from those of the position sizer, which count the steps.
constexpr uint32_t kActingSalt = 1u << 19;
}  // namespace

void Agent::record_rollout(compute::Program& program, compute::Recording& main) {
  Recorder r = main.recorder();
  const int64_t T = plan_.horizon, B = plan_.accounts;
  const fh_tensor x = main.write(rollout.x), h = main.write(rollout.h), value_h = main.write(rollout.value_h),
                  value = main.write(rollout.value);
  const fh_tensor reward = r.reshape(series_row(main, 0), shape(T, B));
  const auto at = [&](compute::TensorId id, int64_t t) { return r.slice(main.write(id), t); };

  const fh_tensor exploration = plan_.acts_on_q() ? main.read(exploration_) : 0;
  for (int64_t t = 0; t <= T; ++t) {
    const fh_tensor xt = r.slice(x, t), ht = r.slice(h, t), vt = r.slice(value, t),
                    value_ht = critic_ ? r.slice(value_h, t) : ht;
    main.set_step("rollout/observe");
    environment_->record_observe(main, xt);
    main.set_step("rollout/encode");
    const fh_tensor valid_before = t > 0 ? at(rollout.valid, t - 1) : 0;
    const auto encode = [&](agent::Encoder::Pass& pass, fh_tensor to) {
      if (t < T)
        pass.record_step(main, xt, t, valid_before, to);
      else
        pass.record_last(main, xt, valid_before, to);
    };
    encode(*pass_, ht);
    if (critic_) encode(*critic_pass_, value_ht);
    main.set_step("rollout/policy");
    const fh_tensor logits = t < T ? at(rollout.logits, t) : r.scratch("last_logits", shape(B, plan_.actions));
    actor_critic_->record_forward(main, ht, value_ht, logits, vt);
    if (t == T) break;  // the last observation only serves the bootstrap

    if (plan_.masked) environment_->record_mask(main, at(rollout.mask, t));
    const fh_tensor action = at(rollout.action, t);
    const auto salt = static_cast<uint32_t>(t);
    record_choice(program, main, {"rollout", ht, logits, plan_.masked ? at(rollout.mask, t) : 0, exploration, action,
                                  at(rollout.log_prob, t), step_, salt, false});
    const fh_tensor sized = at(rollout.sized, t);
    if (plan_.trades) {
      main.set_step("rollout/size");
      const fh_tensor target = at(rollout.target, t), scale = r.view(series_row(main, 1), t * B, shape(B));
      environment_->record_target(main, action, target);
      record_sizing(program, main, "rollout", {ht, action, target, sized, scale, salt});
    }
    main.set_step("rollout/trade");
    environment_->record_step(main, action, sized, step_,
                              {r.slice(reward, t), at(rollout.done, t), at(rollout.valid, t), at(rollout.fill_row, t),
                               at(rollout.fill_lots, t), at(rollout.fill_value, t), at(rollout.equity, t)},
                              salt);
  }
  if (!plan_.trades) r.fill(series_row(main, 1), 1);
  if (plan_.truncation_is_terminal)
    r.launch(kernels::end_where_truncated, Grid::elements(T * B), {inout(main.write(rollout.done)), i32(T * B)});
}

void Agent::record_choice(compute::Program& program, compute::Recording& main, const Choice& c) {
  Recorder r = main.recorder();
  const int64_t rows = elements(r.shape_of(c.action));
  const Recorder::Key key = r.stream("action");
  const fh_tensor mask = c.mask ? c.mask : main.read(no_mask_);
  const std::vector<fh_constant> constants{constant("ACTIONS", plan_.actions), constant("MASKED", c.mask ? 1 : 0)};
  if (!plan_.acts_on_q()) {
    r.launch(kernels::select_action, Grid::elements(rows),
             {in(c.logits), in(mask), in(main.read(c.step)), out(c.action), out(c.log_prob), i32(c.greedy ? 1 : 0),
              u32(key.k[0]), u32(key.k[1]), u32(c.salt), i32(rows)},
             constants);
    return;
  }
  const fh_tensor q = r.scratch((c.scope + "_acting_q").c_str(), shape(rows, plan_.actions));
  if (plan_.source == Plan::Source::thompson && !c.greedy)
    record_draw(program, main, c, q);
  else
    record_ensemble(program, main, c, q);
  const int mode = c.greedy                                       ? 0
                   : plan_.source == Plan::Source::epsilon_greedy ? 1
                   : plan_.source == Plan::Source::boltzmann      ? 2
                                                                  : 0;
  r.launch(kernels::select_from_q, Grid::elements(rows),
           {in(q), in(mask), in(main.read(c.step)), in(c.exploration), out(c.action), out(c.log_prob), i32(mode),
            u32(key.k[0]), u32(key.k[1]), u32(c.salt), i32(rows)},
           constants);
}

void Agent::record_evaluated_choice(compute::Program& program, compute::Recording& main, const std::string& scope,
                                    fh_tensor h, fh_tensor mask, fh_tensor action, compute::TensorId step, uint32_t salt) {
  Recorder r = main.recorder();
  const int64_t rows = elements(r.shape_of(action));
  const fh_tensor logits = r.scratch("evaluated_logits", shape(rows, plan_.actions)), exploration = r.scratch("evaluated_exploration", shape(1));
  if (plan_.acts_on_q())
    r.fill(exploration, plan_.exploration.span > 0 ? plan_.exploration.to : plan_.exploration.from);
  else
    actor_critic_->record_forward(main, h, h, logits, 0);
  record_choice(program, main, {scope, h, logits, mask, exploration, action, r.scratch("evaluated_log_prob", shape(rows)), step, salt,
                                plan_.eval_greedy});
}

void Agent::record_critics(compute::Program& program, compute::Recording& main, const std::string& scope, const Critics& c) {
  Recorder r = main.recorder();
  actor_critic_->record_forward(main, c.h, c.h, r.scratch("critics_logits", shape(r.shape_of(c.h).dim[0], plan_.actions)), c.value);
  for (const auto& [name, q] : c.expected_q)
    for (const auto& head : heads_) {
      if (head->name() != name) continue;
      HeadRecordings own = recordings(program, *head, scope);
      record_infer(own, *head, main.operand(c.h), c.step, kActingSalt + c.salt,
                   {{"expected_q", own.plugin.write(main.operand(q))}});
    }
}

std::vector<std::string> Agent::critic_weights() const {
  std::vector<std::string> paths{"/encoder/online", "/policy/online", "/value/online"};
  for (const auto& head : heads_)
    for (const char* part : {"/online", "/controllers"}) paths.push_back("/" + head->prefix() + part);
  return paths;
}

std::vector<std::string> Agent::acting_weights() const {
  std::vector<std::string> paths{"/encoder/online"};
  if (!plan_.acts_on_q()) paths.push_back("/policy/online");
  bool value = false;
  for (const auto& head : heads_)
    if (head->roles().risk_source || (plan_.acts_on_q() && head->roles().ensemble_weight != 0)) {
      for (const char* part : {"/online", "/controllers"}) paths.push_back("/" + head->prefix() + part);
      value |= head->instance().reads_value();
    }
  if (value) paths.push_back("/value/online");
  return paths;
}

void Agent::record_infer(HeadRecordings& own, const Head& head, const compute::Operand& h, compute::TensorId step, uint32_t salt,
                         const std::vector<Head::Wanted>& wanted) const {
  fh_tensor value = 0;
  if (head.instance().reads_value()) {
    const int64_t rows = h.shape.dim[0];
    const fh_tensor v = own.program.recorder().scratch(("value_" + std::to_string(rows)).c_str(), shape(rows));
    actor_critic_->record_value(own.program, own.program.read(h), v);
    value = own.plugin.read(own.program.operand(v));
  }
  head.record_infer(own.plugin, own.plugin.read(h), value, step, salt, wanted);
}

// q [rows, N] = the ensemble's expected Q at h.
void Agent::record_ensemble(compute::Program& program, compute::Recording& main, const Choice& c, fh_tensor q) {
  Recorder r = main.recorder();
  const int64_t rows = r.shape_of(q).dim[0];
  bool first = true;
  for (const auto& head : heads_) {
    if (head->roles().ensemble_weight == 0) continue;
    HeadRecordings own = recordings(program, *head, c.scope + "/q");
    const fh_tensor mine = own.plugin.recorder().scratch((c.scope + "_acting_expected_q").c_str(), shape(rows, plan_.actions));
    record_infer(own, *head, main.operand(c.h), c.step, kActingSalt + c.salt, {{"expected_q", mine}});
    r.launch(kernels::ensemble_add, Grid::elements(rows * plan_.actions),
             {in(main.read(own.plugin.operand(mine))), inout(q), f32(head->roles().ensemble_weight), i32(first ? 1 : 0),
              i32(rows * plan_.actions)});
    first = false;
  }
}

// q [rows, N] = one draw of the return for each action, summed over the ensemble with its weights.
void Agent::record_draw(compute::Program& program, compute::Recording& main, const Choice& c, fh_tensor q) {
  Recorder r = main.recorder();
  const uint32_t salt = kActingSalt + c.salt;
  const int64_t n = elements(r.shape_of(q)), rows = n / plan_.actions;
  bool first = true;
  for (const auto& head : heads_) {
    if (head->roles().ensemble_weight == 0) continue;
    HeadRecordings own = recordings(program, *head, c.scope + "/draw");
    const Recorder::Key key = own.program.recorder().stream("thompson");
    const auto scratch = [&](const char* name) {
      return own.plugin.recorder().scratch((c.scope + "_acting_" + name).c_str(), head->output_shape(name, rows));
    };
    const auto give = [&](fh_tensor t) { return in(main.read(own.plugin.operand(t))); };
    const bool categorical = head->offers("log_probs");
    if (categorical) {
      const fh_tensor log_probs = scratch("log_probs"), support = scratch("support");
      record_infer(own, *head, main.operand(c.h), c.step, salt, {{"log_probs", log_probs}, {"support", support}});
      r.launch(kernels::thompson_categorical, Grid::elements(n),
               {give(log_probs), give(support), in(main.read(c.step)), inout(q), f32(head->roles().ensemble_weight),
                i32(first ? 1 : 0), u32(key.k[0]), u32(key.k[1]), u32(salt), i32(head->output_shape("log_probs", rows).dim[2]), i32(n)});
    } else {
      const fh_tensor quantiles = scratch("quantiles");
      record_infer(own, *head, main.operand(c.h), c.step, salt, {{"quantiles", quantiles}});
      r.launch(kernels::thompson_quantiles, Grid::elements(n),
               {give(quantiles), in(main.read(c.step)), inout(q), f32(head->roles().ensemble_weight), i32(first ? 1 : 0),
                u32(key.k[0]), u32(key.k[1]), u32(salt), i32(head->output_shape("quantiles", rows).dim[1]), i32(plan_.actions), i32(n)});
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
    record_infer(own, *head, main.operand(s.h), step_, s.salt, wanted);
  }
  sizer_->apply(mine, io);
}

}  // namespace foxhunt::trainer
