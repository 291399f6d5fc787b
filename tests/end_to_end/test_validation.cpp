// Published scores on classic control, short: experiments/results/validation.md has ten seeds of each.
#include <gtest/gtest.h>

#include "run.hpp"

namespace foxhunt::test {
namespace {

struct Task {
  const char* config;
  int seeds;
  const char* metric;  ///< returns of the last 100 episodes as it explores, or in summary.json those of the greedy policy
  double at_least;     ///< mean over the seeds
};

void PrintTo(const Task& t, std::ostream* out) { *out << t.config; }

double in_summary(const fs::path& run, const std::string& key) { return number(slurp(run / "summary.json"), key); }

class SlowValidation : public testing::TestWithParam<Task> {};

TEST_P(SlowValidation, LearnsAsPublished) {
  const Task task = GetParam();
  const Scratch s;
  const fs::path config = fs::path(FOXHUNT_SOURCE_DIR) / "experiments/validation" / (std::string(task.config) + ".ini");
  double mean = 0;
  for (int seed = 1; seed <= task.seeds; ++seed) {
    const std::string run = "seed-" + std::to_string(seed);
    const Outcome o = foxhunt({"train", config.string(), "--run", run, "--trainer.seed", std::to_string(seed), "--trainer.device", "cpu"}, s.folder());
    ASSERT_EQ(o.code, 0) << o.err;
    mean += in_summary(s / run, task.metric) / task.seeds;
  }
  EXPECT_GE(mean, task.at_least);
}

INSTANTIATE_TEST_SUITE_P(Control, SlowValidation,
                         testing::Values(Task{"ppo_cartpole", 3, "episode_return_mean", 460}, Task{"ppo_acrobot", 3, "episode_return_mean", -100},
                                         Task{"c51_cartpole", 1, "episode_return_mean", 400},
                                         Task{"c51_acrobot", 1, "episode_return_mean", -110}, Task{"qr_dqn_cartpole", 1, "return_mean", 475},
                                         Task{"iqn_cartpole", 1, "return_mean", 475}),
                         [](const auto& i) { return std::string(i.param.config); });

}  // namespace
}  // namespace foxhunt::test
