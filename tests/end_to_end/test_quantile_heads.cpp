// The quantile heads in the agent: as diagnostics they change no bit of anything else, in the ensemble they train.
#include <gtest/gtest.h>

#include <cmath>
#include <foxhunt/checkpoints/diff.hpp>

#include "run.hpp"

namespace foxhunt::test {
namespace {

constexpr int kIterations = 20;

std::vector<std::string> lines(const fs::path& run) {
  std::istringstream text(slurp(run / "diag.jsonl"));
  std::vector<std::string> rows;
  for (std::string row; std::getline(text, row);) rows.push_back(row);
  return rows;
}

TEST(QuantileHeads, AsDiagnosticsTheyChangeNoBitOfAnythingElse) {
  const Scratch s;
  const Arguments sized{"--position_sizing.plugin", "variance"};
  const auto train = [&](const std::string& name, const std::string& heads, const std::string& used) {
    Arguments more{"--heads", heads, "--ensemble", used, "--risk_source", used};
    more.insert(more.end(), sized.begin(), sized.end());
    const Outcome o = foxhunt(small_run(name, kIterations, more), s.folder());
    EXPECT_EQ(o.code, 0) << o.err;
  };
  // Each of them the head in use, the others in front of it and behind it.
  for (const std::string used : {"c51", "iqn", "qr_dqn"}) {
    SCOPED_TRACE(used);
    const std::string others = used == "c51" ? "qr_dqn c51 iqn" : used == "iqn" ? "qr_dqn iqn c51" : "iqn qr_dqn c51";
    train(used, used, used);
    train(used + "-others", others, used);
    checkpoints::DiffOptions options;
    options.ignore = {"/meta@config", "/meta@plugins", "/meta@kernels"};
    std::vector<std::string> without;
    for (const std::string head : {"c51", "iqn", "qr_dqn"})
      if (head != used) {
        options.ignore.push_back("/heads/" + head);
        without.push_back(head);
      }
    const auto result = checkpoints::diff(latest(s / used), latest(s / (used + "-others")), options);
    EXPECT_TRUE(result.same()) << checkpoints::to_text(result);
    EXPECT_GT(result.tensors, 40u);
    EXPECT_EQ(comparable_rows(s / used, without), comparable_rows(s / (used + "-others"), without));
  }
}

TEST(QuantileHeads, TrainInTheEnsemble) {
  const Scratch s;
  const Outcome o = foxhunt(small_run("run", kIterations, {"--heads", "c51 iqn qr_dqn", "--ensemble",
                                                           "c51:0.5 iqn:0.3 qr_dqn:0.2", "--iqn.select", "expected_sarsa",
                                                           "--iqn.hidden", "32", "--qr_dqn.select", "double"}),
                            s.folder());
  ASSERT_EQ(o.code, 0) << o.err;
  const auto rows = lines(s / "run");
  ASSERT_EQ(rows.size(), static_cast<size_t>(kIterations));
  for (const char* key : {"l_c51", "l_iqn", "l_qr_dqn"}) EXPECT_GT(number(rows.back(), key), 0) << key;
  const double sum = 0.5 * number(rows.back(), "l_c51") + 0.3 * number(rows.back(), "l_iqn") + 0.2 * number(rows.back(), "l_qr_dqn");
  EXPECT_NEAR(number(rows.back(), "l_q"), sum, 1e-5 * std::abs(sum));
}

}  // namespace
}  // namespace foxhunt::test
