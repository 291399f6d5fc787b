#include "table.hpp"

#include <algorithm>
#include <array>

#include "common/text.hpp"

namespace foxhunt::config {

namespace {

std::vector<Setting> whole_table() {
  using namespace row;
  std::vector<Setting> rows = {
      list("heads", "c51", "Q heads in use: `name` or `name:plugin`", "design"),
      list("ensemble", "",
           "heads whose weighted sum is the Q of the agent: `c51:0.5 iqn:0.5`; empty: the first head",
           "design"),
      text("value_baseline", "scalar", "V of the advantage: scalar, a head, or blend(scalar, HEAD, from, to)",
           "design"),
      text("risk_source", "", "head whose distribution the position sizer sees; empty: the first head",
           "design"),
      operation({.key = "after",
                 .type = Type::runs,
                 .help = "runs whose verdict must be passed before this one begins: `RUN:pass …`",
                 .source = "design"}),
  };
  for (auto part : {run_table(), agent_table()}) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace

const std::vector<Setting>& table() {
  static const std::vector<Setting> rows = whole_table();
  return rows;
}

const std::vector<Setting>& gate_table() {
  using namespace row;
  static const std::vector<Setting> rows = {
      text("metric", "", "what is looked at: a key of diag.jsonl; an array stands for any of its elements; `all` with finite, changes", "design"),
      choice("op", {"<", "<=", ">", ">=", "in", "finite", "decreasing", "increasing", "changes"},
             "fires when `metric op value` holds; in, decreasing, increasing, changes, finite: when it does not. "
             "NaN and infinities fire every gate",
             "design"),
      text("value", "0",
           "a number, `100 * l_q`, `baseline - 5e6`, `100 * baseline.l_q`; [a, b] for in; `over N` iterations for "
           "decreasing and increasing",
           "design"),
      integer("from", "0", 0, 1e15, "iteration", "first one that counts", "design"),
      integer("to", "0", 0, 1e15, "iteration", "last one that counts; 0: to the end", "design"),
      choice("action", {"abort", "warn", "fail_at_end", "off"}, "what follows when it fires", "design"),
      file("baseline", "run folder or diag.jsonl to compare with at the same step; steps it lacks are passed over", "design"),
      integer("for", "1", 1, 1e9, "iterations", "in a row before it fires", "design"),
  };
  return rows;
}

bool is_top_level(std::string_view key) {
  return std::any_of(table().begin(), table().end(), [&](const Setting& row) { return row.key == key; }) &&
         key.find('.') == std::string_view::npos;
}

bool is_reserved(std::string_view name) {
  // Words of the config language, and of metrics such as l_q, l_pi, l_v, reward_mean.
  constexpr std::array<std::string_view, 13> words{"gate",   "base",    "scalar", "blend", "baseline",
                                                   "all",    "v",       "pi",     "value", "reward",
                                                   "return", "distill", "action"};
  if (std::find(words.begin(), words.end(), name) != words.end()) return true;
  return std::any_of(table().begin(), table().end(), [&](const Setting& row) {
    return row.key == name ||
           (row.key.size() > name.size() && row.key[name.size()] == '.' && row.key.starts_with(name));
  });
}

}  // namespace foxhunt::config
