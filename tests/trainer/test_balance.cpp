// Losses whose gradient is kept in proportion to the policy's.
#include <cmath>

#include "compute/warning.hpp"
#include "rig.hpp"

namespace foxhunt::trainer::test {
namespace {

double norm(const std::vector<float>& v) {
  double sum = 0;
  for (const float x : v) sum += static_cast<double>(x) * x;
  return std::sqrt(sum);
}

TEST(Balance, OfTheValueIsMeasuredWhereItMeetsThePolicy) {
  Trained t({{"balance.value", "0.25"}, {"balance.limit", "1e6"}, {"policy.lr", "0"}, {"policy.lr_end", "0"}});
  const diagnostics::Row row = t.run(1);
  const auto state = t.get<double>("/controllers/balance/value");
  const size_t n = 8 * 4, N = 9, H = t.get<float>("/policy/online/w").size() / N;
  const auto grad_logits = t.get<float>("agent/grad_logits"), w = t.get<float>("/policy/online/w");
  std::vector<float> at_h(n * H);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < H; ++j)
      for (size_t a = 0; a < N; ++a) at_h[i * H + j] += grad_logits[i * N + a] * w[j * N + a];
  const double of_value = norm(t.get<float>("agent/grad_value")) * norm(t.get<float>("/value/online/w"));
  EXPECT_NEAR(state[1], norm(at_h), 1e-5 * norm(at_h));
  EXPECT_NEAR(of_value / norm(at_h), 0.25, 1e-4) << "what was learned from";
  EXPECT_NEAR(state[3] * state[0], of_value, 1e-5 * of_value);
  EXPECT_NE(state[0], 1);
  EXPECT_EQ(row.get("lambda_v"), state[0]);
  EXPECT_EQ(row.get("lambda_q"), 1);
}

Settings both(const Settings& more = {}) {
  Settings s{{"balance.value", "0.5"}, {"balance.q", "2"}, {"balance.limit", "50"}, {"replay.kind", "observation"}, {"replay.start", "1"}, {"trainer.checkpoint_every", "0"}};
  s.all.insert(s.all.end(), more.all.begin(), more.all.end());
  return s;
}

TEST(Balance, OfQIsMeasuredAtTheEncodersWeights) {
  Trained t(both({{"replay.updates", "1"}, {"q.lr", "0"}, {"policy.lr", "0"}, {"policy.lr_end", "0"}}));
  t.run(1);
  const auto first = t.get<double>("/controllers/balance/q");
  EXPECT_NEAR(first[0], std::clamp(2 * first[1] / first[3], 1 / 50., 50.), 1e-12);
  EXPECT_EQ(first[2], 1);
  EXPECT_EQ(first[4], 1);
  const diagnostics::Row row = t.run(1);
  const auto second = t.get<double>("/controllers/balance/q");
  // The second gradient was weighted with what the first one led to; the average holds it without.
  const double of_encoder = row.get("grad_norm_encoder"), mean = (first[3] + of_encoder / first[0]) / 2;
  EXPECT_NEAR(second[3], mean, 1e-9 * mean);
  EXPECT_EQ(row.get("lambda_q"), second[0]);
}

TEST(Balance, GoesOnBitForBitAndStaysWithinItsLimits) {
  const Settings s = both({{"policy.minibatches", "2"}, {"balance.limit", "1.5"}});
  const Scratch scratch;
  Trained whole(s), first(s);
  whole.run(6);
  first.run(3);
  first.save(scratch / "half.h5");
  Trained second(s, false);
  second.session.resume(checkpoints::Reader(scratch / "half.h5"));
  second.run(3);
  EXPECT_EQ(second.state(), whole.state());
  for (const char* loss : {"value", "q"}) {
    const double weight = whole.get<double>(std::string("/controllers/balance/") + loss)[0];
    EXPECT_GE(weight, 1 / 1.5);
    EXPECT_LE(weight, 1.5);
  }
}

std::string said;
std::string warnings_of(const Settings& s) {
  said.clear();
  compute::set_warning_sink([](const std::string& text) { said += text + "\n"; });
  Trained t(s);
  compute::set_warning_sink(nullptr);
  EXPECT_EQ(t.session.agent().tensors().find("/controllers/balance/value"), 0u);
  EXPECT_EQ(t.session.agent().tensors().find("/controllers/balance/q"), 0u);
  return said;
}

TEST(Balance, SaysWhereItCanHaveNoEffect) {
  expect_all(warnings_of({{"balance.q", "1"}}), {"balance.q has no effect", "replay.kind = embedding", "Adam"});
  expect_all(warnings_of({{"balance.value", "1"}, {"policy.critic", "own"}}), {"balance.value has no effect", "policy.critic = own", "Adam"});
  expect_all(warnings_of(both({{"policy.epochs", "0"}})), {"balance.value has no effect", "balance.q has no effect", "policy.epochs = 0"});
}

}  // namespace
}  // namespace foxhunt::trainer::test
