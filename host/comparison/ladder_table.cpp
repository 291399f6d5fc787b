#include "ladder_table.hpp"

#include <cmath>
#include <map>

#include "common/text.hpp"
#include "interval.hpp"
#include "run_result.hpp"

namespace foxhunt::comparison {

namespace fs = std::filesystem;

namespace {

struct Seeds {
  std::map<std::string, RunResult> by_name;
  std::vector<double> all(const std::string& metric) const {
    std::vector<double> values;
    for (const auto& [name, r] : by_name) values.push_back(r.get(metric));
    return values;
  }
};

Seeds results_of(const fs::path& run) {
  Seeds s;
  for (const fs::path& seed : seeds_of(run))
    if (fs::exists(seed / "diag.jsonl")) s.by_name[seed.filename().string()] = result_of(seed);
  return s;
}

std::string number(double v, int decimals) { return std::isnan(v) ? "–" : fixed(v, decimals); }

std::string mean_and_deviation(const std::vector<double>& values, int decimals) {
  const double mean = interval_of(values).mean, deviation = deviation_of(values);
  if (std::isnan(mean)) return "–";
  return std::isnan(deviation) ? number(mean, decimals) : text(number(mean, decimals), " ± ", number(deviation, decimals));
}

std::string verdicts(const Seeds& s) {
  std::map<std::string, int> counts;
  for (const auto& [name, r] : s.by_name) ++counts[r.verdict];
  std::vector<std::string> parts;
  for (const auto& [verdict, n] : counts) parts.push_back(text(n, " ", verdict));
  return join(parts, ", ");
}

// Shares of the actions in percent, in the order of the environment's actions.
std::string actions(const Seeds& s) {
  std::vector<std::string> shares;
  for (int a = 0;; ++a) {
    const std::string column = text("action_hist.", a);
    if (s.by_name.empty() || !s.by_name.begin()->second.values.contains(column)) break;
    shares.push_back(fixed(100 * interval_of(s.all(column)).mean, 0));
  }
  return join(shares, " ");
}

std::vector<double> differences(const Seeds& rung, const Seeds& baseline, const std::string& metric) {
  std::vector<double> d;
  for (const auto& [name, r] : rung.by_name)
    if (const auto same = baseline.by_name.find(name); same != baseline.by_name.end()) d.push_back(r.get(metric) - same->second.get(metric));
  return d;
}

std::string judged(char sign, const Interval& effect) {
  if (effect.count < 2) return "too few seeds";
  if (sign == '0') {
    if (effect.exactly_zero()) return "as expected: none, to the bit";
    return effect.above_zero() || effect.below_zero() ? "an effect where none was expected" : "as expected: none that can be told from chance";
  }
  const bool as_expected = sign == '+' ? effect.above_zero() : effect.below_zero();
  const bool opposite = sign == '+' ? effect.below_zero() : effect.above_zero();
  return as_expected ? "as expected" : opposite ? "the opposite" : "not seen";
}

std::string row(const std::vector<std::string>& cells) { return text("| ", join(cells, " | "), " |\n"); }

}  // namespace

std::string ladder_table(const Ladder& ladder, const fs::path& runs) {
  std::map<std::string, Seeds> all;
  std::vector<std::string> missing;
  for (const Rung& r : ladder.rungs) {
    if (fs::is_directory(runs / r.name)) all[r.name] = results_of(runs / r.name);
    if (all[r.name].by_name.empty()) missing.push_back(r.name);
  }
  const Seeds& baseline = all[ladder.baseline];
  std::string out = row({"rung", "iterations", "verdicts", "q_pi_agree", "share of optimum", "PnL [USD]", "entropy [nat]", "win rate",
                         "V explained", "actions [%]"}) +
                    row({"---", "---", "---", "---", "---", "---", "---", "---", "---", "---"});
  for (const Rung& r : ladder.rungs) {
    const Seeds& s = all[r.name];
    if (s.by_name.empty()) continue;
    std::size_t iterations = 0;
    for (const auto& [name, result] : s.by_name) iterations = std::max(iterations, result.iterations);
    out += row({r.name, std::to_string(iterations), verdicts(s), mean_and_deviation(s.all("q_pi_agree"), 3),
                mean_and_deviation(s.all("share_of_optimum"), 4), mean_and_deviation(s.all("pnl_cum_usd"), 0),
                mean_and_deviation(s.all("entropy"), 2), mean_and_deviation(s.all("win_rate"), 3),
                mean_and_deviation(s.all("v_explained_variance"), 3), actions(s)});
  }
  out += text("\nMeans over the last tenth of the iterations, ± standard deviation over the seeds; PnL since the run began, all accounts.\n\n") +
         row({"rung", "claimed", "metric", "expected", text("effect against ", ladder.baseline, " (paired seeds, 95 %)"), "verdict"}) +
         row({"---", "---", "---", "---", "---", "---"});
  for (const Rung& r : ladder.rungs) {
    const Seeds& s = all[r.name];
    if (s.by_name.empty() || r.sign == 0 || r.name == ladder.baseline) continue;
    const Interval effect = interval_of(differences(s, baseline, r.metric));
    out += row({r.name, r.record, r.metric, std::string(1, r.sign), text(number(effect.mean, 4), " ± ", number(effect.half, 4)),
                judged(r.sign, effect)});
  }
  if (!missing.empty()) out += text("\nNot run: ", join(missing, ", "), ".\n");
  return out;
}

}  // namespace foxhunt::comparison
