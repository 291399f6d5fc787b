#include "common/text.hpp"
#include "schema.hpp"

namespace foxhunt::diagnostics {

namespace {

constexpr const char* kAgainst =
    "q_pi_agree of each head, l_distill and action_hist: the policy acts against the values";
constexpr const char* kDiverges =
    "q_gap, weight norms and gradient norms of the same group, and its learning rate";
constexpr const char* kEdge =
    "the head's support and env.reward_scale: returns do not fit between the outer atoms";
constexpr const char* kMoves =
    "the group's learning rate and gradient norm; heads stand still until replay.start";
constexpr const char* kTrading = "action_hist, hold_frac, entropy and q_pi_agree";

Metric number(std::string name, std::string unit, std::string help, std::string look_at = "") {
  return {.name = name, .unit = unit, .help = help, .look_at = look_at};
}
Metric integer(std::string name, std::string unit, std::string help, std::string look_at = "") {
  return {.name = name, .unit = unit, .help = help, .look_at = look_at, .integer = true};
}
Metric finite(Metric metric) {
  metric.finite = true;
  return metric;
}

}  // namespace

MetricSchema training_schema(const std::vector<HeadMetrics>& heads, const std::vector<std::string>& actions,
                             bool trades, const std::map<std::string, std::vector<std::string>>& tensors,
                             const std::vector<std::string>& features) {
  std::vector<Metric> rows = {
      integer("step", "iterations", "iterations done, this one included"),
      integer("env_steps", "steps", "account steps done since the run began"),
      number("wall_s", "s", "wall time of the run"),
      number("env_steps_per_s", "steps/s", "account steps per second of wall time, over the last iterations"),
      finite(number("l_q", "", "sum of the heads' losses by ensemble weight; 0 until the Q heads learn",
                    kDiverges)),
      finite(number("l_pi", "", "PPO's clipped surrogate loss", kDiverges)),
      finite(number("l_v", "", "squared error of the value head on returns", kDiverges)),
      finite(number("l_distill", "", "KL(softmax(Q/T) || policy), not weighted", kAgainst)),
  };
  for (const HeadMetrics& head : heads)
    rows.push_back(finite(number(text("l_", head.name), "",
                                 text("loss of head ", head.name, "; 0 until it learns"), kDiverges)));
  rows.insert(rows.end(),
              {finite(number("entropy", "nat", "of the policy, batch mean",
                             "policy.entropy, grad_norm_policy and action_hist")),
               number("q_pi_agree", "",
                      "batch mean of the correlation of ensemble Q(s,.) and log pi(.|s), -1 to 1", kAgainst),
               number("q_pi_agree_ema", "", "its moving average (rate diag.ema)", kAgainst)});
  for (const HeadMetrics& head : heads)
    if (head.expected_q)
      rows.push_back(number(text("q_pi_agree_", head.name), "",
                            text("the same for head ", head.name, " alone"), kAgainst));
  rows.push_back({.name = "action_hist",
                  .help = "share of each action in the rollout",
                  .look_at = kTrading,
                  .elements = actions});
  if (trades)
    rows.insert(
        rows.end(),
        {number("hold_frac", "", "share of the action hold", kTrading),
         number("win_rate", "", "closed trades with a gain / closed trades, since the run began", kTrading),
         integer("trades", "trades", "closed trades since the run began, all accounts", kTrading),
         number("fees_cum_usd", "USD", "fees since the run began, all accounts", kTrading),
         number("pnl_cum_usd", "USD",
                "raw profit and loss since the run began, marked at mid, net of fees, all accounts",
                kTrading),
         number("pnl_peak_usd", "USD", "highest pnl_cum_usd so far", kTrading),
         number("drawdown_usd", "USD", "pnl_peak_usd - pnl_cum_usd", kTrading)});
  else
    rows.push_back(number("episode_return_mean", "",
                          "of the last 100 episodes that ended; 0 before the first",
                          "entropy and action_hist"));
  rows.insert(rows.end(),
              {integer("episodes", "episodes", "ended since the run began, all accounts"),
               number("reward_mean", "", "of the rollout, raw and scaled", kTrading),
               number("reward_std", "", "of the rollout, raw and scaled"),
               number("reward_shaped_mean", "", "of the rollout, as the Q heads see it"),
               number("reward_shaped_std", "", "of the rollout, as the Q heads see it",
                      "the shaper's options and reward_std"),
               number("q_gap", "", "max_a Q - min_a Q of the ensemble, batch mean",
                      "the heads' edge mass and v_at_taken"),
               number("q_gap_ema", "", "its moving average", "the heads' edge mass and v_at_taken")});
  for (const HeadMetrics& head : heads) {
    const std::string& name = head.name;
    if (head.expected_q)
      rows.push_back(number(text(name, "_v_at_taken_ema"), "",
                            text("moving average of Q(s, a taken) of head ", name), kDiverges));
    if (head.log_probs)
      rows.push_back(number(text(name, "_edge_mass"), "",
                            text("probability of the two outer atoms at the action taken, head ", name),
                            kEdge));
    if (head.returns) {
      rows.push_back({.name = text(name, "_v_explained_variance"),
                      .help = text("as v_explained_variance, V made of head ", name, "'s Q: its mean over the actions, under the policy, "
                                   "its maximum"),
                      .look_at = "v_explained_variance",
                      .elements = {"mean", "policy", "max"}});
      rows.push_back({.name = text(name, "_v_slope"), .help = text("as v_slope, of the same"), .look_at = "v_slope",
                      .elements = {"mean", "policy", "max"}});
    }
    if (head.state_value) {
      rows.push_back(number(text(name, "_v_abs"), "", text("batch mean of |V| of head ", name), kDiverges));
      rows.push_back(number(text(name, "_a_abs"), "", text("batch mean of |A| of head ", name), kDiverges));
    }
  }
  rows.insert(
      rows.end(),
      {number("v_mean", "", "value head's V(s), batch mean", kDiverges),
       number("return_mean", "", "returns the value head learns from, batch mean", kDiverges),
       number("return_std", "", "their standard deviation"),
       number("v_explained_variance", "", "1 - Var(return - V) / Var(return)",
              "l_v, v_mean against return_mean"),
       number("v_slope", "", "of the regression of returns on V: 1 if V is right on average at every height",
              "v_explained_variance"),
       number("clip_frac", "", "share of samples where PPO's ratio is clipped", "policy.lr and approx_kl"),
       number("approx_kl", "nat", "mean of ratio - 1 - log ratio, at the end of the update",
              "policy.lr and clip_frac")});
  std::vector<std::string> groups{"encoder", "policy", "value"};
  if (tensors.contains("critic")) groups.push_back("critic");
  for (const HeadMetrics& head : heads) groups.push_back(head.name);
  for (const std::string& group : groups)
    rows.push_back(
        finite(number(text("grad_norm_", group), "",
                      text("gradient norm of ", group, " before the clip, last update"), kDiverges)));
  for (const std::string& group : groups)
    rows.push_back(
        finite(number(text("weight_norm_", group), "",
                      text("norm of the weights of ", group, ", when the iteration begins"), kDiverges)));
  for (const std::string& group : groups)
    if (const auto names = tensors.find(group); names != tensors.end() && !names->second.empty())
      rows.push_back({.name = text("update_ratio_", group),
                      .help = text("how far each tensor of ", group,
                                   " moved in the iteration: |after - before| / max(|before|, |after|)"),
                      .look_at = kMoves,
                      .update_ratio = true,
                      .elements = names->second});
  rows.insert(rows.end(),
              {number("lr", "", "learning rate of encoder, policy and value"),
               number("lr_q", "", "learning rate of the Q heads"),
               number("entropy_weight", "", "weight of the entropy bonus"),
               number("lambda_v", "", "weight of the value loss that balance.value found; 1: not balanced"),
               number("lambda_q", "", "weight of the Q losses' gradient of the encoder that balance.q found; 1: not balanced"),
               integer("replay_size", "transitions", "held in the replay"),
               integer("nan_abort_step", "iterations", "first iteration with a NaN or infinity; -1: none")});
  if (!features.empty())
    rows.push_back({.name = "feature_weight",
                    .help = "mean weight that variable selection gives each feature, in the last step of the on-policy update; they sum to 1",
                    .look_at = "update_ratio_encoder",
                    .elements = features});
  return MetricSchema(std::move(rows));
}

}  // namespace foxhunt::diagnostics
