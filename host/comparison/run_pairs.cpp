#include "run_pairs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <foxhunt/error.hpp>
#include <map>

#include "common/text.hpp"
#include "diagnostics/diag_file.hpp"
#include "run_result.hpp"

namespace foxhunt::comparison {

namespace fs = std::filesystem;

namespace {

bool is_clock(const std::string& name) { return name == "wall_s" || name == "env_steps_per_s"; }

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

std::vector<std::pair<fs::path, fs::path>> pairs_of(const fs::path& a, const fs::path& b) {
  const std::vector<fs::path> of_a = seeds_of(a), of_b = seeds_of(b);
  if (of_a.size() == 1 && of_b.size() == 1) return {{of_a[0], of_b[0]}};
  std::vector<std::pair<fs::path, fs::path>> pairs;
  for (const fs::path& one : of_a)
    for (const fs::path& other : of_b)
      if (one.filename() == other.filename()) pairs.emplace_back(one, other);
  if (pairs.empty()) throw Error(text(a, " and ", b, " have no seed in common; expected folders seed-1, seed-2, … in both"));
  return pairs;
}

/// Value of each metric by iteration, in the order of the file's columns.
struct Table {
  explicit Table(const fs::path& run) : table(diagnostics::read_diag(run / "diag.jsonl")) {
    const size_t step = table.column("step");
    for (size_t i = 0; i < table.rows.size(); ++i)
      if (step < table.rows[i].size()) rows[static_cast<std::int64_t>(table.rows[i][step])] = i;
  }
  diagnostics::DiagTable table;
  std::map<std::int64_t, size_t> rows;
};

std::string number(double v) { return std::isnan(v) ? "-" : rounded(v, 4); }

}  // namespace

RunPairs compare(const fs::path& a, const fs::path& b) {
  RunPairs result;
  std::map<std::string, size_t> place;
  std::vector<std::vector<double>> of_a, of_b;
  for (const auto& [one, other] : pairs_of(a, b)) {
    result.seeds.push_back(one == a ? one.string() : one.filename().string());
    const RunResult ra = result_of(one), rb = result_of(other);
    const Table ta(one), tb(other);
    std::vector<std::string> names;
    for (const std::string& name : ta.table.names)
      if (!is_clock(name) && tb.table.column(name) < tb.table.names.size()) names.push_back(name);
    for (const char* name : {"share_of_optimum", "test_pnl_ticks"})
      if (ra.values.contains(name) && rb.values.contains(name)) names.push_back(name);
    for (const std::string& name : names) {
      const auto [it, added] = place.emplace(name, result.metrics.size());
      if (added) {
        result.metrics.push_back({name});
        of_a.emplace_back();
        of_b.emplace_back();
      }
      of_a[it->second].push_back(ra.get(name));
      of_b[it->second].push_back(rb.get(name));
    }
    size_t steps = 0;
    for (const auto& [step, i] : ta.rows) {
      const auto j = tb.rows.find(step);
      if (j == tb.rows.end()) continue;
      ++steps;
      for (const std::string& name : names) {
        const size_t ca = ta.table.column(name), cb = tb.table.column(name);
        if (ca >= ta.table.names.size() || same(ta.table.rows[i][ca], tb.table.rows[j->second][cb])) continue;
        MetricPair& m = result.metrics[place.at(name)];
        if (m.first_step == 0 || step < m.first_step) m.first_step = step;
      }
    }
    if (steps == 0) throw Error(text(one, " and ", other, " have no iteration in common: nothing to compare"));
    if (result.steps == 0) result.steps = steps;
  }
  for (size_t i = 0; i < result.metrics.size(); ++i) {
    MetricPair& m = result.metrics[i];
    std::vector<double> differences;
    for (size_t k = 0; k < of_a[i].size(); ++k) differences.push_back(of_b[i][k] - of_a[i][k]);
    m.a = interval_of(of_a[i]).mean;
    m.b = interval_of(of_b[i]).mean;
    m.effect = interval_of(differences);
    if (m.first_step != 0 && (result.first_step == 0 || m.first_step < result.first_step)) result.first_step = m.first_step;
  }
  for (const MetricPair& m : result.metrics)
    if (m.first_step != 0 && m.first_step == result.first_step) result.first.push_back(m.name);
  return result;
}

std::string headline(const RunPairs& pairs) {
  if (pairs.first_step == 0) return text("no metric differs in the ", pairs.steps, " iterations that both have");
  const size_t shown = std::min<size_t>(6, pairs.first.size());
  const std::vector<std::string> some(pairs.first.begin(), pairs.first.begin() + static_cast<std::ptrdiff_t>(shown));
  return text("first difference at iteration ", pairs.first_step, ": ", join(some, ", "),
              pairs.first.size() > shown ? text(" and ", pairs.first.size() - shown, " more") : "");
}

std::vector<std::vector<std::string>> table_of(const RunPairs& pairs, const std::vector<std::string>& metrics) {
  std::vector<std::vector<std::string>> rows{
      {"metric", "differs from", "A", "B", pairs.seeds.size() > 1 ? "B - A (95 %, paired)" : "B - A"}};
  for (const MetricPair& m : pairs.metrics) {
    const bool named = std::find(metrics.begin(), metrics.end(), m.name) != metrics.end();
    const bool differs = m.first_step != 0 || std::abs(m.effect.mean) > 0;
    if (metrics.empty() ? !differs : !named) continue;
    rows.push_back({m.name, m.first_step ? std::to_string(m.first_step) : "-", number(m.a), number(m.b),
                    m.effect.count > 1 ? text(number(m.effect.mean), " ± ", number(m.effect.half)) : number(m.effect.mean)});
  }
  return rows;
}

}  // namespace foxhunt::comparison
