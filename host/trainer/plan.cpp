#include "plan.hpp"

#include <algorithm>
#include <foxhunt/error.hpp>

#include "../common/text.hpp"

namespace foxhunt::trainer {

namespace {

environment::Rounding rounding(const std::string& name) {
  if (name == "none") return environment::Rounding::none;
  return name == "truncate" ? environment::Rounding::truncate : environment::Rounding::nearest;
}

environment::AccountSettings account_settings(const config::Config& c) {
  environment::AccountSettings a;
  a.accounts = c.integer("trainer.accounts");
  a.small = c.real("env.small");
  a.half = c.real("env.half");
  a.full = c.real("env.full");
  a.lot = c.real("env.lot");
  a.fee = c.real("env.fee_taker");
  a.reward_scale = c.real("env.reward_scale");
  a.loss_limit = c.real("env.initial_equity") - c.real("env.ruin");
  a.rounding = rounding(c.text("position_sizing.rounding"));
  a.episode_steps = c.integer("env.episode_rows");
  if (!(a.small > 0 && a.small <= a.half && a.half <= a.full))
    throw Error(text("env.small = ", a.small, ", env.half = ", a.half, " and env.full = ", a.full,
                     " must be positive and rise from small to full"));
  if (a.rounding != environment::Rounding::none && a.small < a.lot)
    throw Error(text("env.small = ", a.small, " is less than env.lot = ", a.lot, ", the least that is traded: rounding makes it "
                     "0. Raise env.small, lower env.lot, or set position_sizing.rounding = none"));
  if (!(a.loss_limit > 0))
    throw Error(text("env.ruin = ", c.real("env.ruin"), " must lie below env.initial_equity = ",
                     c.real("env.initial_equity"), ": every account would be ruined at its start"));
  return a;
}

void policy_settings(Plan& p, const config::Config& c) {
  const std::string source = c.text("policy.source"), advantage = c.text("policy.advantage");
  using Source = Plan::Source;
  p.source = source == "greedy"           ? Source::greedy
             : source == "epsilon_greedy" ? Source::epsilon_greedy
             : source == "boltzmann"      ? Source::boltzmann
             : source == "thompson"       ? Source::thompson
                                          : Source::actor;
  if (p.source == Source::epsilon_greedy)
    p.exploration = {c.real("policy.epsilon"), c.real("policy.epsilon_end"), c.integer("policy.epsilon_iterations")};
  else
    p.exploration = {c.real("policy.temperature"), 0, 0};
  p.masked = c.flag("policy.mask");
  p.advantage = advantage == "n_step"      ? Plan::Advantage::n_step
                : advantage == "q_minus_v" ? Plan::Advantage::q_minus_v
                                           : Plan::Advantage::gae;
  p.value_target = c.text("policy.value_target") == "n_step" ? Plan::ValueTarget::n_step : Plan::ValueTarget::gae;
  const std::string& of_state = c.text("policy.state_value");
  p.state_value = of_state == "mean"     ? Plan::StateValue::mean
                  : of_state == "policy" ? Plan::StateValue::policy
                  : of_state == "max"    ? Plan::StateValue::max
                                         : Plan::StateValue::own;
  p.value_low = c.real("policy.value_low");
  p.value_high = c.real("policy.value_high");
  if (p.value_low > p.value_high)
    throw Error(text("policy.value_low = ", p.value_low, " is above policy.value_high = ", p.value_high));
  p.policy_n_step = c.integer("policy.n_step");
  p.value_tau = c.real("policy.value_tau");
  p.epochs = c.integer("policy.epochs");
  p.minibatches = c.integer("policy.minibatches");
  p.value_clip = c.real("policy.value_clip");
  p.target_kl = c.real("policy.target_kl");
  p.own_critic = c.text("policy.critic") == "own";
}

void check_policy(const Plan& p, const config::Config& c) {
  if ((p.source == Plan::Source::thompson || p.source == Plan::Source::greedy) && p.epochs > 0)
    throw Error(text("policy.source = ", c.text("policy.source"), " has no probability of its actions to divide by in PPO's ratio; set policy.epochs "
                     "= 0 (no on-policy update), or use epsilon_greedy or boltzmann"));
  if (p.masked && p.state_value == Plan::StateValue::policy && p.value_baseline.kind != config::ValueBaseline::Kind::scalar)
    throw Error("policy.state_value = policy takes the policy's probabilities of all actions, and with policy.mask = true some have none; "
                "set policy.state_value = mean or max, or policy.mask = false");
}

void check_replay(const Plan& p) {
  if (p.replay_kind != Plan::ReplayKind::sequence) return;
  const int64_t learned = p.horizon - p.burn_in;
  if (learned < 1)
    throw Error(text("replay.burn_in = ", p.burn_in, " leaves no step of a sequence to learn from: it must be below trainer.horizon = ",
                     p.horizon, ", which is a sequence's length"));
  if (p.replay.batch % learned != 0)
    throw Error(text("replay.batch = ", p.replay.batch, " transitions is no whole number of sequences, each of which gives trainer.horizon - "
                     "replay.burn_in = ", learned, "; the nearest that is: ", std::max<int64_t>(1, (p.replay.batch + learned / 2) / learned) * learned));
}

}  // namespace

Plan make_plan(const config::Config& c) {
  Plan p;
  p.seed = static_cast<uint64_t>(c.integer("trainer.seed"));
  p.accounts = c.integer("trainer.accounts");
  p.horizon = c.integer("trainer.horizon");
  p.iterations = c.integer("trainer.iterations");
  p.checkpoint_every = c.integer("trainer.checkpoint_every");
  p.keep_checkpoints = c.integer("trainer.keep_checkpoints");
  p.compute.device = c.text("trainer.device");
  p.compute.threads = static_cast<int>(c.integer("trainer.threads"));
  p.compute.profile = c.text("trainer.profile") == "parity" ? compute::Profile::parity : compute::Profile::fast;
  p.compute.tf32 = c.flag("trainer.tf32");

  p.account = account_settings(c);
  p.truncation_is_terminal = c.text("env.truncation") == "terminal";
  p.latency_us = static_cast<double>(c.integer("env.latency"));

  p.encoder.kind = c.text("encoder.kind");
  p.encoder.hidden = c.integer("encoder.hidden");
  p.encoder.layers = c.integer("encoder.layers");
  p.encoder.width = c.integer("encoder.width");
  p.encoder.norm = c.flag("encoder.norm");
  const std::string& activation = c.text("encoder.activation");
  p.encoder.activation = activation == "relu"   ? agent::Activation::relu
                         : activation == "tanh" ? agent::Activation::tanh
                         : activation == "elu"  ? agent::Activation::elu
                                                : agent::Activation::silu;
  p.encoder.vsn_hidden = c.integer("encoder.vsn_hidden");
  p.encoder.expand = c.integer("encoder.expand");
  p.encoder.head_dim = c.integer("encoder.head_dim");
  p.encoder.state = c.integer("encoder.state");
  p.encoder.conv = c.integer("encoder.conv");

  p.policy_adam = {0.9, 0.999, c.real("policy.adam_epsilon"), c.real("policy.grad_clip")};
  p.policy_lr = {c.real("policy.lr"), c.real("policy.lr_end"), c.integer("policy.lr_iterations")};
  p.entropy = {c.real("policy.entropy"), c.real("policy.entropy_end"), c.integer("policy.entropy_iterations")};
  p.q_adam = {0.9, 0.999, c.real("q.adam_epsilon"), 0};
  p.q_lr = c.real("q.lr");
  p.q_gamma = c.real("q.gamma");
  p.q_tau = c.real("q.tau");
  p.q_target_every = c.integer("q.target_every");
  p.gamma = c.real("policy.gamma");
  p.lambda = c.real("policy.lambda");
  p.clip = c.real("policy.clip");
  p.value_weight = c.real("policy.value_weight");
  p.distill = c.real("policy.distill");
  p.distill_temperature = c.real("policy.distill_temperature");
  p.policy_sees_shaped = c.text("policy.reward") == "shaped";
  policy_settings(p, c);

  p.replay.capacity = c.integer("replay.capacity");
  const std::string& kind = c.text("replay.kind");
  p.replay_kind = kind == "observation" ? Plan::ReplayKind::observation
                  : kind == "sequence"  ? Plan::ReplayKind::sequence
                                        : Plan::ReplayKind::embedding;
  p.burn_in = c.integer("replay.burn_in");
  p.encoder.target = p.replay_kind != Plan::ReplayKind::embedding;
  p.replay.batch = c.integer("replay.batch");
  p.replay.gamma = p.q_gamma;
  p.replay.n_step = c.integer("replay.n_step");
  p.replay.in_checkpoint = c.flag("checkpoint.replay");
  p.replay_updates = c.integer("replay.updates");
  p.replay_start = c.integer("replay.start");

  p.value_balance = {c.real("balance.value"), c.real("balance.limit"), c.real("balance.rate")};
  p.q_balance = p.value_balance;
  p.q_balance.ratio = c.real("balance.q");

  p.metrics_lag = c.integer("diag.lag");
  p.metrics_ema = c.real("diag.ema");
  p.eval_accounts = c.integer("eval.accounts");
  p.eval_rows = c.integer("eval.rows");
  p.eval_greedy = c.text("eval.selection") == "greedy";

  p.heads = c.heads();
  // Every head that bootstraps has the SDK's option of this name (foxhunt/select.hpp).
  for (const config::HeadInstance& h : p.heads)
    if (const std::string key = h.name + ".select"; c.has(key)) p.online_selects |= c.text(key) == "double";
  p.ensemble = c.ensemble();
  p.value_baseline = c.value_baseline();
  p.risk_source = c.risk_source();
  double ensemble_weight = 0;
  for (const config::WeightedHead& w : p.ensemble) ensemble_weight += w.weight;
  if (ensemble_weight == 0) p.distill = 0;  // an ensemble of nobody must not pull the policy to the uniform one

  if (p.samples() > (int64_t{1} << 30))
    throw Error(text("trainer.accounts x trainer.horizon = ", p.samples(), " is more than 2^30 samples an iteration"));
  if (p.replay.capacity < p.samples())
    throw Error(text("replay.capacity = ", p.replay.capacity, " holds less than one rollout (trainer.accounts x "
                     "trainer.horizon = ", p.samples(), "); raise it to at least that"));
  check_policy(p, c);
  check_replay(p);
  return p;
}

}  // namespace foxhunt::trainer
