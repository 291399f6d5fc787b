#include "run_result.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <foxhunt/error.hpp>
#include <limits>

#include "common/files.hpp"
#include "common/text.hpp"
#include "diagnostics/diag_file.hpp"
#include "diagnostics/document.hpp"

namespace foxhunt::comparison {

namespace fs = std::filesystem;

namespace {

// -1: no folder of a seed.
long seed_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  long seed = -1;
  if (!name.starts_with("seed-")) return -1;
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + 5, end, seed);
  return read.ec == std::errc() && read.ptr == end ? seed : -1;
}

void take_summary(const fs::path& file, RunResult& r) {
  std::error_code none;
  if (!fs::exists(file, none)) return;
  const auto summary = diagnostics::Document::parse(read_file(file, 1 << 24));
  if (!summary) return;
  if (const auto verdict = summary->text("verdict")) r.verdict = *verdict;
  const auto evaluations = summary->object("evaluations");
  const auto test = evaluations ? evaluations->object("test") : std::nullopt;
  if (!test) return;
  if (const auto pnl = test->number("pnl_ticks_per_step")) r.values["test_pnl_ticks"] = *pnl;
  const auto planted = test->object("planted");
  if (const auto share = planted ? planted->number("share_of_optimum") : std::nullopt) r.values["share_of_optimum"] = *share;
}

}  // namespace

double RunResult::get(const std::string& name) const {
  const auto it = values.find(name);
  return it == values.end() ? std::numeric_limits<double>::quiet_NaN() : it->second;
}

RunResult result_of(const fs::path& run) {
  const fs::path file = run / "diag.jsonl";
  if (!fs::exists(file)) throw Error(text(run, " holds no diag.jsonl; expected the folder of a run"));
  const diagnostics::DiagTable table = diagnostics::read_diag(file);
  RunResult r;
  r.verdict = "unfinished";
  r.iterations = table.rows.size();
  const size_t last = std::max<size_t>(1, table.rows.size() / 10), first = table.rows.size() - std::min(last, table.rows.size());
  for (size_t c = 0; c < table.names.size(); ++c) {
    double sum = 0, n = 0;
    for (size_t i = first; i < table.rows.size(); ++i)
      if (c < table.rows[i].size()) sum += table.rows[i][c], n += 1;
    r.values[table.names[c]] = n > 0 ? sum / n : std::numeric_limits<double>::quiet_NaN();
  }
  take_summary(run / "summary.json", r);
  return r;
}

std::vector<fs::path> seeds_of(const fs::path& run) {
  std::vector<fs::path> seeds;
  if (!fs::is_directory(run)) throw Error(text(run, " is no folder; expected that of a run"));
  for (const auto& entry : fs::directory_iterator(run))
    if (seed_of(entry.path()) >= 0) seeds.push_back(entry.path());
  std::sort(seeds.begin(), seeds.end(), [](const fs::path& a, const fs::path& b) { return seed_of(a) < seed_of(b); });
  if (seeds.empty()) seeds.push_back(run);
  return seeds;
}

}  // namespace foxhunt::comparison
