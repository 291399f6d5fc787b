#include "metrics.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "../common/text.hpp"

namespace foxhunt::trainer {

namespace {

const std::string kState = "/controllers/diagnostics/";

// A head's averages live with the head.
std::string taken_average(const Head& head) { return "/" + head.prefix() + "/controllers/v_at_taken"; }

double at_step(const Schedule& s, int64_t iteration) {
  if (s.span <= 0) return s.from;
  const double share = std::min(1.0, static_cast<double>(iteration) / static_cast<double>(s.span));
  return s.from + (s.to - s.from) * share;
}

// Whether tensor i of a group belongs to encoder, policy, value, or to a head.
bool is_inside(const agent::ParameterGroup& group, size_t i, const std::string& section) {
  return group.path(i).starts_with("/" + section + "/") || group.path(i).starts_with("/heads/" + section + "/");
}

// Of the regression of returns on V, from their variances and that of the difference.
double slope(const Moments& value, const Moments& returns, double error) {
  const double v = value.deviation() * value.deviation(), g = returns.deviation() * returns.deviation();
  return v > 0 ? (v + g - error) / (2 * v) : 0;
}

// Parts of the policy's group that have metrics of their own.
std::vector<std::string> policy_sections(const Agent& agent) {
  std::vector<std::string> sections{"policy", "value"};
  if (agent.plan().own_critic) sections.push_back("critic");
  return sections;
}

std::vector<std::string> names_in(const agent::ParameterGroup& group, const std::string& section) {
  std::vector<std::string> names;
  for (size_t i = 0; i < group.size(); ++i)
    if (is_inside(group, i, section)) names.push_back(group.tensor(i));
  return names;
}

diagnostics::MetricSchema schema_of(const Agent& agent) {
  std::vector<diagnostics::HeadMetrics> heads;
  for (const auto& head : agent.heads())
    heads.push_back({head->name(), head->offers("log_probs"), head->magnitude_sums >= 0, head->agreement_sums >= 0, head->value_sums >= 0});
  std::map<std::string, std::vector<std::string>> tensors;
  tensors["encoder"] = names_in(agent.encoder_group(), "encoder");
  for (const std::string& section : policy_sections(agent)) tensors[section] = names_in(agent.policy_group(), section);
  for (const auto& head : agent.heads()) tensors[head->name()] = names_in(head->parameters(), head->name());
  return diagnostics::training_schema(heads, agent.environment().action_names(), agent.plan().trades, tensors,
                                      agent.sums.selection >= 0 ? agent.environment().feature_names() : std::vector<std::string>());
}

}  // namespace

MetricsReader::MetricsReader(Session& session) : session_(session), schema_(schema_of(session.agent())) {
  HostState& state = session.host_state();
  std::vector<std::string> averages{kState + "q_pi_agree", kState + "q_gap"};
  for (const auto& head : session.agent().heads())
    if (head->agreement_sums >= 0) averages.push_back(taken_average(*head));
  for (const std::string& path : averages) state[path + "_ema"] = state[path + "_count"] = 0;
  state[kState + "pnl_peak_usd"] = 0;
  state[kState + "nan_abort_step"] = -1;
}

// An average over all values at first, with a floor on the rate: no start-up bias, no constant to choose for it.
double MetricsReader::average(const std::string& path, double value) {
  HostState& state = session_.host_state();
  double& n = state.at(path + "_count");
  double& mean = state.at(path + "_ema");
  if (!std::isfinite(value)) return value;
  n += 1;
  mean += std::max(session_.plan().metrics_ema, 1 / n) * (value - mean);
  return mean;
}

void MetricsReader::tensor_metrics(diagnostics::Row& row, const Tensors& t, const std::vector<std::string>& sections) {
  for (const std::string& section : sections) {
    double gradient = 0, weight = 0;
    std::vector<double> ratios;
    for (size_t i = 0; i < t.group.size(); ++i) {
      if (!is_inside(t.group, i, section)) continue;
      gradient += t.gradient_squares[i];
      weight += t.weight_squares[i];
      ratios.push_back(t.update_ratios[i]);
    }
    row.set("grad_norm_" + section, std::sqrt(gradient));
    row.set("weight_norm_" + section, std::sqrt(weight));
    if (!ratios.empty()) row.set("update_ratio_" + section, ratios);
  }
  // Weights are those at the iteration's start: where one is bad already, it comes before every gradient.
  for (size_t i = 0; i < t.group.size(); ++i)
    if (row.bad_tensor.empty() && !std::isfinite(t.weight_squares[i])) row.bad_tensor = t.group.path(i);
}

void MetricsReader::main_metrics(diagnostics::Row& row, const double* s) {
  const Agent::Sums& at = session_.agent().sums;
  const auto moments = [&](int64_t offset) { return Moments::at(s, offset); };

  row.set("l_pi", moments(at.policy_loss).mean());
  row.set("l_v", moments(at.value_error).mean());
  row.set("l_distill", moments(at.distill_kl).mean());
  row.set("entropy", moments(at.entropy).mean());
  const double agreement = moments(at.agreement).mean(), gap = moments(at.q_gap).mean();
  row.set("q_pi_agree", agreement);
  row.set("q_pi_agree_ema", average(kState + "q_pi_agree", agreement));
  row.set("q_gap", gap);
  row.set("q_gap_ema", average(kState + "q_gap", gap));

  const double valid = moments(at.reward).count;
  std::vector<double> share(s + at.actions, s + at.actions + session_.plan().actions);
  for (double& x : share) x = valid > 0 ? x / valid : 0;
  row.set("action_hist", share);
  if (session_.plan().trades) {
    trading_metrics(row, s + at.totals);
    row.set("hold_frac", share[3]);
  } else {
    row.set("episodes", s[at.totals]);
    row.set("episode_return_mean", s[at.returns]);
  }
  if (at.selection >= 0) {
    std::vector<double> selection;
    for (int64_t f = 0; f < session_.agent().environment().features(); ++f) selection.push_back(moments(at.selection + 3 * f).mean());
    row.set("feature_weight", selection);
  }
  row.set("replay_size", s[at.replay_size]);
  row.set("lambda_v", s[at.lambdas]);
  row.set("lambda_q", s[at.lambdas + 1]);

  row.set("reward_mean", moments(at.reward).mean());
  row.set("reward_std", moments(at.reward).deviation());
  row.set("reward_shaped_mean", moments(at.shaped).mean());
  row.set("reward_shaped_std", moments(at.shaped).deviation());
  const Moments target = moments(at.value_target);
  const double spread = target.deviation() * target.deviation(), bias = moments(at.value).mean() - target.mean();
  row.set("v_mean", moments(at.value).mean());
  row.set("return_mean", target.mean());
  row.set("return_std", target.deviation());
  const double error = moments(at.value_error).mean() - bias * bias;
  row.set("v_explained_variance", spread > 0 ? 1 - error / spread : 0);
  row.set("v_slope", slope(moments(at.value), target, error));
  row.set("clip_frac", moments(at.clipped).mean());
  row.set("approx_kl", moments(at.approximate_kl).mean());
}

// totals: PnL, fees, trades, wins, episodes.
void MetricsReader::trading_metrics(diagnostics::Row& row, const double* totals) {
  double& peak = session_.host_state().at(kState + "pnl_peak_usd");
  peak = std::max(peak, totals[0]);
  row.set("pnl_cum_usd", totals[0]);
  row.set("pnl_peak_usd", peak);
  row.set("drawdown_usd", peak - totals[0]);
  row.set("fees_cum_usd", totals[1]);
  row.set("trades", totals[2]);
  row.set("win_rate", totals[2] > 0 ? totals[3] / totals[2] : 0);
  row.set("episodes", totals[4]);
}

void MetricsReader::head_metrics(diagnostics::Row& row, const Head& head, const double* s, uint64_t run) {
  const std::string& name = head.name();
  const Plan& plan = session_.plan();
  // Before the replay holds enough, the batch is drawn but nothing is learned from it.
  const bool learns = row.get("replay_size") >= static_cast<double>(plan.replay_start) && head.loss_sums >= 0;
  double loss = 0;
  if (learns)
    for (int64_t u = 0; u < plan.replay_updates; ++u)
      loss += Moments::at(s, head.loss_sums + 3 * u).mean() / static_cast<double>(plan.replay_updates);
  row.set("l_" + name, loss);
  if (head.agreement_sums >= 0) {
    row.set("q_pi_agree_" + name, Moments::at(s, head.agreement_sums).mean());
    row.set(name + "_v_at_taken_ema", average(taken_average(head), Moments::at(s, head.agreement_sums + 6).mean()));
  }
  if (head.value_sums >= 0) {
    const Moments returns = Moments::at(session_.agent().record.row(session_.compute(), run), session_.agent().sums.value_target);
    const double spread = returns.deviation() * returns.deviation();
    std::vector<double> explained, slopes;
    for (int mode = 0; mode < 3; ++mode) {
      const Moments value = Moments::at(s, head.value_sums + 6 * mode), difference = Moments::at(s, head.value_sums + 6 * mode + 3);
      const double error = difference.deviation() * difference.deviation();
      explained.push_back(spread > 0 ? 1 - error / spread : 0);
      slopes.push_back(slope(value, returns, error));
    }
    row.set(name + "_v_explained_variance", explained);
    row.set(name + "_v_slope", slopes);
  }
  if (head.edge_sums >= 0) row.set(name + "_edge_mass", Moments::at(s, head.edge_sums).mean());
  if (head.magnitude_sums >= 0) {
    const auto mean = [&](int64_t k) { return Moments::at(s, head.magnitude_sums + 3 * k).mean(); };
    row.set(name + "_v_abs", 2 * mean(1) - mean(0));
    row.set(name + "_a_abs", (2 * mean(3) - mean(2)) / session_.plan().actions);
  }
  tensor_metrics(row, {head.parameters(), s + head.gradient_squares, s + head.weight_squares, s + head.update_ratios}, {name});
}

diagnostics::Row MetricsReader::read(int64_t iteration) {
  Agent& agent = session_.agent();
  const Plan& plan = session_.plan();
  diagnostics::Row row(schema_);
  row.set("step", static_cast<double>(iteration + 1));
  row.set("env_steps", static_cast<double>((iteration + 1) * plan.samples()));
  row.set("lr", at_step(plan.policy_lr, iteration));
  row.set("lr_q", plan.q_lr);
  row.set("entropy_weight", at_step(plan.entropy, iteration));

  const auto run = static_cast<uint64_t>(iteration);
  const double* sums = agent.record.row(session_.compute(), run);
  const auto tensors_of = [&](const agent::ParameterGroup& group, const Agent::Sums::Squares& at) {
    return Tensors{group, sums + at.gradient, sums + at.weight, sums + at.update_ratio};
  };
  tensor_metrics(row, tensors_of(agent.encoder_group(), agent.sums.encoder), {"encoder"});
  tensor_metrics(row, tensors_of(agent.policy_group(), agent.sums.policy), policy_sections(agent));
  main_metrics(row, sums);
  double q_loss = 0;
  for (const auto& head : agent.heads()) {
    head_metrics(row, *head, head->record.row(session_.compute(), run), run);
    q_loss += head->roles().ensemble_weight * row.get("l_" + head->name());
  }
  row.set("l_q", q_loss);

  // Nothing in the weights: then the first gradient that went bad says where it began.
  const auto look = [&](const agent::ParameterGroup& group, const double* gradients) {
    for (size_t i = 0; i < group.size(); ++i)
      if (row.bad_tensor.empty() && !std::isfinite(gradients[i])) row.bad_tensor = "gradient of " + group.path(i);
  };
  look(agent.encoder_group(), sums + agent.sums.encoder.gradient);
  look(agent.policy_group(), sums + agent.sums.policy.gradient);
  for (const auto& head : agent.heads()) look(head->parameters(), head->record.row(session_.compute(), run) + head->gradient_squares);

  HostState& state = session_.host_state();
  double& bad_step = state.at(kState + "nan_abort_step");
  if (bad_step < 0)
    for (size_t p = 0; p < schema_.size(); ++p)
      if (schema_.metric_of(p).finite && !std::isfinite(row.at(p))) bad_step = static_cast<double>(iteration + 1);
  row.set("nan_abort_step", bad_step);
  return row;
}

}  // namespace foxhunt::trainer
