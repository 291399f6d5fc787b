#include "agent.hpp"

#include <foxhunt/error.hpp>

#include "../common/text.hpp"
#include "../compute/warning.hpp"
#include "../compute/dataflow.hpp"
#include "../kernels/manifest.hpp"
#include "../kernels/optimizer.hpp"

namespace foxhunt::trainer {

namespace {

// Episodes whose mean return is a metric, as published scores count them.
constexpr int64_t kRecentEpisodes = 100;

// Iterations that may be in flight before a record is read: the lag, this one, and one being written.
int64_t ring_slots(const Plan& plan) { return plan.metrics_lag + 2; }

constexpr std::pair<uint32_t, const char*> kSizerNeeds[]{{FH_NEEDS_VARIANCE_Q, "variance_q"},
                                                         {FH_NEEDS_EXPECTED_Q, "expected_q"},
                                                         {FH_NEEDS_LOG_PROBS, "log_probs"},
                                                         {FH_NEEDS_SUPPORT, "support"}};

Roles roles_of(const Plan& plan, const std::string& name) {
  Roles r;
  for (const config::WeightedHead& w : plan.ensemble)
    if (w.name == name) r.ensemble_weight = w.weight;
  r.value_baseline = plan.value_baseline.kind != config::ValueBaseline::Kind::scalar && plan.value_baseline.head == name;
  return r;
}

}  // namespace

Agent::Agent(const Plan& plan, std::unique_ptr<environment::Environment> environment, plugins::Registry& plugins,
             const config::Config& config)
    : plan_(plan), environment_(std::move(environment)) {
  environment_->declare(tensors_, "/env", compute::Lifetime::state);
  plan_.actions = environment_->actions();
  plan_.trades = environment_->trades();
  plan_.encoder.features = environment_->features();
  encoder_ = agent::make_encoder(plan_.encoder, encoder_group_);
  if (plan_.own_critic) {
    agent::EncoderSettings critic = plan_.encoder;
    critic.path = "/critic";
    critic.target = false;
    critic_ = agent::make_encoder(critic, group_);
  }
  actor_critic_ = std::make_unique<agent::ActorCritic>(group_, plan_.encoder.hidden, plan_.actions,
                                                       plan_.value_target == Plan::ValueTarget::n_step);
  encoder_group_.declare(tensors_);
  group_.declare(tensors_);
  shaper_ = std::make_unique<plugins::RewardShaperInstance>(plugins.reward_shaper(config, plan_.gamma));
  sizer_ = std::make_unique<plugins::PositionSizerInstance>(plugins.position_sizer(config, plan_.actions, plan_.q_gamma));
  for (const fh_declared& d : shaper_->controllers()) {
    compute::TensorSpec spec;
    spec.name = std::string("/controllers/reward_shaping/") + d.name;
    spec.dtype = static_cast<fh_dtype>(d.dtype);
    spec.shape = d.shape;
    spec.lifetime = compute::Lifetime::state;
    shaper_controllers_.push_back(tensors_.add(std::move(spec)));
  }
  for (const config::HeadInstance& h : plan_.heads) {
    Roles roles = roles_of(plan_, h.name);
    roles.risk_source = plan_.trades && sizer_->needs() != 0 && plan_.risk_source == h.name;
    heads_.push_back(std::make_unique<Head>(
        h.name, plugins.q_head(config, h, plan_.encoder.hidden, plan_.actions, plan_.q_gamma), roles));
    heads_.back()->declare(tensors_, plan_);
    check_head(*heads_.back());
  }
  check_risk_source();

  declare_rollout();
  declare_replay();
  declare_policy_update();
  declare_balance();
  for (const auto& head : heads_) {
    if (!head->instance().reads_value() || head->roles().diagnostic() || plan_.replay_updates == 0 || outside_value_gradient_.w) continue;
    const auto add = [&](const char* name, fh_shape s) {
      return declare(std::string("/controllers/value_gradient/") + name, FH_F32, s, compute::Lifetime::state);
    };
    outside_value_gradient_.w = add("w", shape(plan_.encoder.hidden, 1));
    outside_value_gradient_.b = add("b", shape(1));
  }
  declare_records();
}

void Agent::check_head(const Head& head) const {
  const Roles& roles = head.roles();
  const std::string& plugin = head.instance().plugin().name();
  if (roles.ensemble_weight != 0 && !head.offers("expected_q"))
    throw Error(text("head '", head.name(), "' is in the ensemble, but its plugin '", plugin,
                     "' offers no expected_q; leave it out of `ensemble`"));
  if (plan_.source == Plan::Source::thompson && roles.ensemble_weight != 0 && !head.offers("quantiles") &&
      !(head.offers("log_probs") && head.offers("support")))
    throw Error(text("policy.source = thompson draws from the return's distribution, but head '", head.name(), "' of the ensemble "
                     "offers none; leave it out of `ensemble` or choose another source"));
  if (roles.value_baseline && plan_.state_value == Plan::StateValue::own && !head.offers("state_value"))
    throw Error(text("value_baseline names head '", head.name(), "', but its plugin '", plugin, "' offers no state_value; set "
                     "policy.state_value = mean, policy or max to make one of its Q, or use value_baseline = scalar or another head"));
  if (roles.value_baseline && plan_.state_value != Plan::StateValue::own && !head.offers("expected_q"))
    throw Error(text("policy.state_value makes V of the Q of head '", head.name(), "', but its plugin '", plugin,
                     "' offers no expected_q; set policy.state_value = own or name another head as value_baseline"));
  if (!head.instance().reads_value()) return;
  if (plan_.own_critic)
    throw Error(text("head '", head.name(), "' reads V at the features that it learns from, which policy.critic = own does not make "
                     "V of; set policy.critic = shared"));
  if (plan_.epochs == 0)
    throw Error(text("head '", head.name(), "' reads V, which does not learn with policy.epochs = 0; set policy.epochs = 1 or more, or give "
                     "the head a V of its own"));
}

void Agent::check_risk_source() const {
  const Head* head = risk_head();
  for (const auto& [flag, output] : kSizerNeeds)
    if (head && (sizer_->needs() & flag) && !head->offers(output))
      throw Error(text("position_sizing.plugin = ", sizer_->plugin().name(), " needs ", output, " of risk_source = ", head->name(),
                       ", but its plugin '", head->instance().plugin().name(), "' offers none; name another head as "
                       "risk_source or use another sizer"));
}

const Head* Agent::risk_head() const {
  for (const auto& h : heads_)
    if (h->roles().risk_source) return h.get();
  return nullptr;
}

compute::TensorId Agent::declare(const std::string& name, fh_dtype dtype, fh_shape s, compute::Lifetime lifetime) {
  compute::TensorSpec spec;
  spec.name = name;
  spec.dtype = dtype;
  spec.shape = s;
  spec.lifetime = lifetime;
  return tensors_.add(std::move(spec));
}

// A tensor of the rollout whose last rows the next iteration's windows begin with.
Agent::History Agent::declare_history(const std::string& name, fh_dtype dtype, fh_shape s) {
  const int64_t before = plan_.replay_kind == Plan::ReplayKind::sequence ? 0 : plan_.replay.n_step - 1;
  History h;
  if (before == 0) {
    h.all = h.rollout = declare("rollout/" + name, dtype, s);
    return h;
  }
  int64_t row = 1;
  for (uint32_t d = 1; d < s.rank; ++d) row *= s.dim[d];
  fh_shape all = s, kept = s;
  all.dim[0] += before;
  kept.dim[0] = before;
  h.all = declare("rollout/" + name + "_and_before", dtype, all, compute::Lifetime::resident);
  const auto window = [&](const std::string& called, fh_shape part, int64_t offset, compute::Lifetime lifetime) {
    compute::TensorSpec spec;
    spec.name = called;
    spec.dtype = dtype;
    spec.shape = part;
    spec.lifetime = lifetime;
    spec.parent = h.all;
    spec.parent_offset = offset;
    return tensors_.add(std::move(spec));
  };
  h.before = window("/replay/before/" + name, kept, 0,
                    plan_.replay.in_checkpoint ? compute::Lifetime::state : compute::Lifetime::resident);
  h.rollout = window("rollout/" + name, s, before * row, compute::Lifetime::resident);
  return h;
}

void Agent::declare_rollout() {
  const int64_t T = plan_.horizon, B = plan_.accounts, H = plan_.encoder.hidden, S = plan_.samples();
  const auto add = [&](const char* name, fh_dtype dtype, fh_shape s) { return declare(std::string("rollout/") + name, dtype, s); };
  const int64_t F = environment_->features();
  if (plan_.learns_encoder_from_q()) {
    history_.states = declare_history("x", FH_F32, shape(T + 1, B, F));
    rollout.x = history_.states.rollout;
    rollout.h = add("h", FH_F32, shape(T + 1, B, H));
  } else {
    history_.states = declare_history("h", FH_F32, shape(T + 1, B, H));
    rollout.h = history_.states.rollout;
    rollout.x = add("x", FH_F32, shape(T + 1, B, F));
  }
  history_.action = declare_history("action", FH_I32, shape(T, B));
  history_.shaped = declare_history("shaped", FH_F32, shape(T, B));
  history_.done = declare_history("done", FH_U8, shape(T, B));
  history_.valid = declare_history("valid", FH_U8, shape(T, B));
  rollout.action = history_.action.rollout;
  rollout.shaped = history_.shaped.rollout;
  rollout.done = history_.done.rollout;
  rollout.valid = history_.valid.rollout;
  rollout.value_h = critic_ ? add("value_h", FH_F32, shape(T + 1, B, H)) : rollout.h;
  rollout.logits = add("logits", FH_F32, shape(T, B, plan_.actions));
  rollout.value = add("value", FH_F32, shape(T + 1, B));
  rollout.log_prob = add("log_prob", FH_F32, shape(T, B));
  rollout.target = add("target", FH_F32, shape(T, B));
  rollout.sized = add("sized", FH_F32, shape(T, B));
  rollout.mask = plan_.masked ? add("mask", FH_U8, shape(T, B, plan_.actions)) : 0;
  rollout.fill_row = add("fill_row", FH_I32, shape(T, B));
  rollout.fill_lots = add("fill_lots", FH_F64, shape(T, B));
  rollout.fill_value = add("fill_value", FH_F64, shape(T, B));
  rollout.equity = add("equity", FH_F64, shape(T, B));
  rollout.advantage = add("advantage", FH_F32, shape(T, B));
  // Rows: reward, scale of the sizer, value, value target, shaped reward, the four of the ensemble's agreement with the
  // policy.
  rollout.series = add("series", FH_F32, shape(9, S));
  ensemble_q_ = add("ensemble_q", FH_F32, shape(S, plan_.actions));
  no_mask_ = declare("rollout/no_mask", FH_U8, shape(1), compute::Lifetime::resident);
  pass_ = encoder_->make_pass(tensors_, {"rollout/encoder", T, B, compute::Lifetime::state});
  if (critic_) critic_pass_ = critic_->make_pass(tensors_, {"rollout/critic", T, B, compute::Lifetime::state});
  if (!plan_.trades) {
    recent_returns_ = declare("/env/recent_returns", FH_F64, shape(kRecentEpisodes), compute::Lifetime::state);
    ended_ = declare("/env/recent_count", FH_I64, shape(1), compute::Lifetime::state);
  }
  step_ = declare("/rng/step", FH_U64, shape(1), compute::Lifetime::state);
  policy_lr_ = declare("schedule/policy_lr", FH_F32, shape(1));
  entropy_ = declare("schedule/entropy", FH_F32, shape(1));
  exploration_ = declare("schedule/exploration", FH_F32, shape(1));
  q_lr_ = declare("schedule/q_lr", FH_F32, shape(1));
}

void Agent::declare_replay() {
  const int64_t batch = plan_.replay.batch;
  const bool sequence = plan_.replay_kind == Plan::ReplayKind::sequence;
  if (sequence) {
    agent::SequenceReplay::Settings s;
    s.sequences = plan_.replay.capacity / plan_.horizon;
    s.horizon = plan_.horizon;
    s.burn_in = plan_.burn_in;
    s.accounts = plan_.accounts;
    s.features = plan_.encoder.features;
    s.batch = batch;
    s.n_step = plan_.replay.n_step;
    s.gamma = plan_.q_gamma;
    s.in_checkpoint = plan_.replay.in_checkpoint;
    sequences_.declare(tensors_, s, pass_->start());
  } else {
    plan_.replay.width = plan_.learns_encoder_from_q() ? plan_.encoder.features : plan_.encoder.hidden;
    plan_.replay.state = plan_.learns_encoder_from_q() ? "x" : "h";
    replay_.declare(tensors_, plan_.replay);
  }
  if (!plan_.learns_encoder_from_q()) return;
  if (!sequence && !pass_->start().empty())
    throw Error(text("replay.kind = observation feeds the encoder single observations, but encoder.kind = ", plan_.encoder.kind,
                     " has a memory; use replay.kind = sequence or embedding, or encoder.kind = mlp"));
  const int64_t steps = sequence ? plan_.horizon : 1, at_once = sequence ? sequences_.settings().drawn() : batch;
  // Only passes with a backward have a start state, which a sequence begins with.
  const auto pass = [&](const char* name, int64_t longest, bool backward, bool target) {
    return encoder_->make_pass(tensors_, {.prefix = std::string("replay/") + name, .steps = longest, .accounts = at_once,
                                          .backward = backward || sequence, .target = target});
  };
  replay_pass_ = pass("encoder", steps, true, false);
  target_pass_ = pass("target_encoder", steps + 1, false, true);
  if (plan_.online_selects) select_pass_ = pass("select_encoder", steps + 1, false, false);
}

void Agent::declare_balance() {
  agent::LossBalance::Settings value = plan_.value_balance, q = plan_.q_balance;
  const auto without_effect = [](agent::LossBalance::Settings& s, const char* key, const std::string& why) {
    if (s.ratio > 0) compute::warn(text(key, " has no effect: ", why));
    s.ratio = 0;
  };
  if (plan_.epochs == 0)
    without_effect(value, "balance.value", "policy.epochs = 0, so that V does not learn");
  else if (plan_.own_critic)
    without_effect(value, "balance.value", "with policy.critic = own V shares nothing with the policy, and Adam cancels the scale of a loss of its own");
  if (!plan_.learns_encoder_from_q() || plan_.replay_updates == 0)
    without_effect(q, "balance.q", "with replay.kind = embedding or replay.updates = 0 no Q loss reaches the encoder, and Adam cancels the scale of a "
                                   "head's own loss");
  else if (plan_.epochs == 0)
    without_effect(q, "balance.q", "policy.epochs = 0, so that there is no gradient of the policy to compare with");
  value_balance_.declare(tensors_, "value", value);
  q_balance_.declare(tensors_, "q", q);
}

compute::TensorId Agent::learned_selection() const {
  if (plan_.epochs == 0) return 0;
  return plan_.whole_batch() ? pass_->selection() : update_.pass->selection();
}

void Agent::declare_records() {
  for (int64_t* offset : {&sums.reward, &sums.scale, &sums.value, &sums.value_target, &sums.shaped, &sums.agreement, &sums.q_gap,
                          &sums.q_taken, &sums.q_mean, &sums.policy_loss, &sums.entropy, &sums.distill_kl, &sums.value_error,
                          &sums.approximate_kl, &sums.clipped})
    *offset = record.reserve(3);
  sums.actions = record.reserve(plan_.actions);
  sums.totals = record.reserve(environment_->totals());
  sums.returns = record.reserve(2);
  sums.replay_size = record.reserve(1);
  sums.lambdas = record.reserve(2);
  sums.selection = learned_selection() ? record.reserve(3 * environment_->features()) : -1;
  for (const auto& [group, at] : {std::pair{&encoder_group_, &sums.encoder}, {&group_, &sums.policy}}) {
    at->gradient = record.reserve(static_cast<int64_t>(group->size()));
    at->weight = record.reserve(static_cast<int64_t>(group->size()));
    at->update_ratio = record.reserve(static_cast<int64_t>(group->size()));
  }
  record.declare(tensors_, ring_slots(plan_));

  for (const auto& head : heads_) {
    const auto parameters = static_cast<int64_t>(head->parameters().size());
    head->gradient_squares = head->record.reserve(parameters);
    head->weight_squares = head->record.reserve(parameters);
    head->update_ratios = head->record.reserve(parameters);
    if (plan_.replay_updates > 0) head->loss_sums = head->record.reserve(3 * plan_.replay_updates);
    compute::TensorSpec series;
    series.name = head->prefix() + "/series";
    series.shape = shape(15, plan_.samples());
    if (head->offers("expected_q")) head->agreement_sums = head->record.reserve(4 * 3);
    if (head->offers("expected_q") && plan_.epochs > 0) head->value_sums = head->record.reserve(6 * 3);  // else there are no returns
    if (head->offers("log_probs")) head->edge_sums = head->record.reserve(3);
    if (head->offers("state_value") && head->offers("advantage")) head->magnitude_sums = head->record.reserve(4 * 3);
    const bool any = head->agreement_sums >= 0 || head->edge_sums >= 0 || head->magnitude_sums >= 0;
    head_values_.push_back(any ? tensors_.add(std::move(series)) : 0);
    head->record.declare(tensors_, ring_slots(plan_));
  }
}

void Agent::upload_constants(compute::Compute& compute) const {
  environment_->upload(compute);
  encoder_group_.upload_constants(compute);
  group_.upload_constants(compute);
  for (const auto& head : heads_) head->parameters().upload_constants(compute);
}

void Agent::initialise(compute::Compute& compute) const {
  encoder_group_.initialise(compute, tensors_, plan_.seed);
  group_.initialise(compute, tensors_, plan_.seed);
  for (const auto& head : heads_) head->initialise(compute, tensors_, plan_.seed);
  initialise_controllers(compute, tensors_, shaper_controllers_, shaper_->controllers());
  environment_->initialise(compute, plan_.seed);
  value_balance_.initialise(compute);
  q_balance_.initialise(compute);
}

HeadRecordings Agent::recordings(compute::Program& program, const Head& head, const std::string& step) const {
  auto& table = const_cast<compute::Tensors&>(tensors_);
  return {compute::Recording(program, table, head.instance().kernels(),
                             {head.name(), head.prefix() + "/" + step, head.prefix(), plan_.seed}),
          compute::Recording(program, table, program_kernels(),
                             {head.name(), head.prefix() + "/" + step, head.prefix() + "/program", plan_.seed})};
}

fh_tensor Agent::series_row(compute::Recording& main, int row, int64_t rows) const {
  return main.recorder().view(main.write(rollout.series), row * plan_.samples(), shape(rows, plan_.samples()));
}

compute::Program Agent::record_iteration() {
  compute::Program program;
  program.name = "iteration";
  compute::Recording main(program, tensors_, program_kernels(), {"", "schedules", "agent", plan_.seed});
  Recorder r = main.recorder();
  const auto schedule = [&](compute::TensorId to, const Schedule& s) {
    r.launch(kernels::schedule_value, Grid::elements(1),
             {in(main.read(step_)), out(main.write(to)), f64(s.from), f64(s.to), f64(static_cast<double>(s.span))});
  };
  schedule(policy_lr_, plan_.policy_lr);
  schedule(entropy_, plan_.entropy);
  if (plan_.acts_on_q()) schedule(exploration_, plan_.exploration);
  schedule(q_lr_, {plan_.q_lr, plan_.q_lr, 0});
  encoder_group_.record_weight_squares(main);
  group_.record_weight_squares(main);
  encoder_group_.record_remember(main);
  group_.record_remember(main);
  for (const auto& head : heads_) {
    HeadRecordings own = recordings(program, *head, "weights");
    head->parameters().record_weight_squares(own.program);
    head->parameters().record_remember(own.program);
  }
  record_rollout(program, main);
  record_shaping(program, main);
  record_visited(program, main);
  if (plan_.epochs > 0) {
    record_advantage(program, main);
    record_policy_update(main);
  }
  record_append(main);
  record_replay_updates(program);
  record_metrics(program, main);
  main.set_step("advance");
  r.launch(kernels::advance_step, Grid::elements(1), {inout(main.write(step_))});
  for (const auto& head : heads_)
    if (head->roles().diagnostic()) compute::check_isolation({&program}, tensors_, head->name());
  return program;
}

}  // namespace foxhunt::trainer
