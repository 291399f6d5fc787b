// The ring of transitions, against a plain list.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "agent/replay.hpp"
#include "rig.hpp"

namespace foxhunt::agent::test {
namespace {

constexpr int64_t kHorizon = 4, kAccounts = 3, kHidden = 5, kSamples = kHorizon * kAccounts, kBatch = 64;

struct Transition {
  double id, reward, discount;
  std::vector<double> h, h_next;
};

/// Appends rollouts with flags as accounts give them; every transition's action is a number of its own.
class Ring {
 public:
  explicit Ring(int64_t capacity, uint64_t seed = 1, int64_t n = 1) : capacity_(capacity), n_(n), random_(seed) {
    Replay::Settings s;
    s.capacity = capacity;
    s.width = kHidden;
    s.n_step = n;
    s.batch = kBatch;
    s.gamma = 0.75;
    replay.declare(rig.tensors, s);
    const fh_shape steps = shape(kHorizon + n - 1, kAccounts);
    const auto h = rig.add("h", shape(kHorizon + n, kAccounts, kHidden));
    const auto action = rig.add("action", steps, FH_I32), reward = rig.add("reward", steps), done = rig.add("done", steps, FH_U8),
               valid = rig.add("valid", steps, FH_U8),
               step = rig.add("step", shape(1), FH_U64);
    const auto drawn = rig.add("drawn", shape(2, kBatch), FH_I32), drawn_h = rig.add("drawn_h", shape(kBatch, kHidden)),
               drawn_next = rig.add("drawn_next", shape(kBatch, kHidden)), drawn_reward = rig.add("drawn_reward", shape(kBatch)),
               drawn_discount = rig.add("drawn_discount", shape(kBatch));
    rig.record([&](compute::Recording& m) {
      Recorder r = m.recorder();
      replay.record_append(m, m.read(h), m.read(action), m.read(reward), m.read(done), m.read(valid));
      for (uint32_t u = 0; u < 2; ++u) {
        const Batch b = replay.record_sample(m, step, u);
        r.copy(r.slice(m.write(drawn), u), b.action);
        if (u > 0) continue;
        r.copy(m.write(drawn_h), b.state);
        r.copy(m.write(drawn_next), b.next_state);
        r.copy(m.write(drawn_reward), b.reward);
        r.copy(m.write(drawn_discount), b.discount);
      }
    });
  }

  void append() {
    // The rollout's rows follow the last n - 1 of the one before; the last observation belongs to both.
    const auto keep = [&](std::vector<double>& all, size_t rows, size_t width) {
      all.erase(all.begin(), all.end() - static_cast<long>(std::min(all.size(), rows * kAccounts * width)));
      all.resize(rows * kAccounts * width, 0);
    };
    const auto before = static_cast<size_t>(n_ - 1);
    keep(h_, before + 1, kHidden);
    h_.resize(before * kAccounts * kHidden);
    for (std::vector<double>* all : {&action_, &reward_, &done_, &valid_}) keep(*all, before, 1);
    for (const double v : normal((kHorizon + 1) * kAccounts * kHidden, random_())) h_.push_back(v);
    for (const double v : normal(kSamples, random_())) reward_.push_back(v);
    for (size_t s = 0; s < kSamples; ++s) {
      action_.push_back(next_id_++);
      const size_t account = s % kAccounts;
      valid_.push_back(ended_[account] ? 0 : 1);
      ended_[account] = !ended_[account] && random_() % 5 == 0;
      done_.push_back(ended_[account] ? 1 + static_cast<double>(random_() % 2) : 0);
    }
    for (size_t s = 0; s < kSamples; ++s) {
      if (valid_[s] == 0) continue;
      double sum = 0, gamma = 1;
      size_t at = s;
      bool ended = false;
      for (int64_t k = 0; k < n_ && !ended; ++k, at += kAccounts) {
        sum += gamma * reward_[at];
        gamma *= 0.75;
        ended = done_[at] != 0;
        terminated += done_[at] == 1;
        truncated += done_[at] == 2;
        if (done_[at] == 1) gamma = 0;
      }
      const auto row = [&](size_t i) { return std::vector<double>(h_.begin() + static_cast<long>(i * kHidden), h_.begin() + static_cast<long>((i + 1) * kHidden)); };
      held.push_back({action_[s], sum, gamma, row(s), row(at)});
      ++written_;
    }
    rig.set("h", h_);
    rig.set("action", action_);
    rig.set("reward", reward_);
    rig.set("done", done_);
    rig.set("valid", valid_);
    rig.set("step", {static_cast<double>(step_++)});
    rig.run();
    while (held.size() > static_cast<size_t>(capacity_)) held.erase(held.begin());
  }

  // The ring's content is the last transitions, each in the slot of its number.
  void expect_content() const {
    const auto action = rig.get("/replay/action"), reward = rig.get("/replay/reward"), discount = rig.get("/replay/discount"),
               h = rig.get("/replay/h"), next = rig.get("/replay/h_next"), ring = rig.get("/replay/ring");
    ASSERT_EQ(ring, (std::vector<double>{static_cast<double>(written_ % static_cast<size_t>(capacity_)), static_cast<double>(held.size())}));
    for (size_t k = 0; k < held.size(); ++k) {
      const size_t slot = (written_ - held.size() + k) % static_cast<size_t>(capacity_);
      ASSERT_EQ(action[slot], held[k].id) << "slot " << slot;
      ASSERT_NEAR(reward[slot], held[k].reward, 1e-6);
      ASSERT_NEAR(discount[slot], held[k].discount, 1e-7);
      for (size_t j = 0; j < kHidden; ++j) {
        ASSERT_EQ(h[slot * kHidden + j], held[k].h[j]);
        ASSERT_EQ(next[slot * kHidden + j], held[k].h_next[j]);
      }
    }
  }

  Rig rig;
  Replay replay;
  std::vector<Transition> held;  // oldest first
  int terminated = 0, truncated = 0;

 private:
  int64_t capacity_, n_;
  std::mt19937_64 random_;
  std::vector<double> h_, action_, reward_, done_, valid_;  // of the last n - 1 steps and the rollout
  bool ended_[kAccounts] = {};
  double next_id_ = 0;
  size_t written_ = 0;
  uint64_t step_ = 0;
};

TEST(Ring, HoldsTheLastTransitionsInTheOrderTheyWereMade) {
  // 12: exactly one rollout; 37: rollouts wrap at changing places; 1000: never full.
  for (const int64_t capacity : {12, 13, 37, 1000})
    for (const int64_t n : {1, 2, 4, 7}) {
      Ring ring(capacity, static_cast<uint64_t>(capacity), n);
      for (int k = 0; k < 30; ++k) {
        ring.append();
        ASSERT_NO_FATAL_FAILURE(ring.expect_content()) << "capacity " << capacity << ", rollout " << k << ", " << n << " steps";
      }
      EXPECT_GT(ring.terminated, 10);
      EXPECT_GT(ring.truncated, 10) << "gamma after truncation, 0 after termination";
    }
}

TEST(Ring, DrawsOnlyWhatIsHeldAndGathersWholeTransitions) {
  Ring ring(50);
  for (int k = 0; k < 20; ++k) {
    ring.append();
    std::map<double, const Transition*> held;
    for (const Transition& t : ring.held) held[t.id] = &t;
    const auto drawn = ring.rig.get("drawn"), h = ring.rig.get("drawn_h"), next = ring.rig.get("drawn_next"),
               reward = ring.rig.get("drawn_reward"), discount = ring.rig.get("drawn_discount");
    for (size_t i = 0; i < 2 * kBatch; ++i) ASSERT_TRUE(held.count(drawn[i])) << "a step that closes an episode, or one overwritten";
    for (size_t i = 0; i < kBatch; ++i) {
      const Transition& t = *held[drawn[i]];
      ASSERT_NEAR(reward[i], t.reward, 1e-6);
      ASSERT_EQ(discount[i], t.discount);
      for (size_t j = 0; j < kHidden; ++j) {
        ASSERT_EQ(h[i * kHidden + j], t.h[j]);
        ASSERT_EQ(next[i * kHidden + j], t.h_next[j]);
      }
    }
  }
}

TEST(Ring, DrawsUniformlyAndAnewForEachUpdateAndStep) {
  Ring ring(40);
  std::map<double, double> count;
  std::set<std::vector<double>> batches;
  while (ring.held.size() < 40) ring.append();
  // The content stays as it is: nothing valid is appended any more.
  ring.rig.set("valid", std::vector<double>(kSamples, 0));
  constexpr int kRounds = 200;
  for (int k = 0; k < kRounds; ++k) {
    ring.rig.set("step", {1000.0 + k});
    ring.rig.run();
    const std::vector<double> drawn = ring.rig.get("drawn");
    for (const double id : drawn) count[id] += 1;
    batches.insert({drawn.begin(), drawn.begin() + kBatch});
    batches.insert({drawn.begin() + kBatch, drawn.end()});
  }
  EXPECT_EQ(batches.size(), 2u * kRounds) << "no batch comes twice";
  EXPECT_EQ(count.size(), 40u);
  const double expected = 2.0 * kRounds * kBatch / 40;
  double chi2 = 0;
  for (const auto& [id, n] : count) chi2 += (n - expected) * (n - expected) / expected;
  EXPECT_LT(chi2, 76) << "39 degrees of freedom: beyond this lies a share of 4e-4";
  EXPECT_GT(chi2, 13);
}

TEST(Ring, TheSameStepDrawsTheSameBatch) {
  Ring a(40), b(40);
  for (int k = 0; k < 3; ++k) a.append(), b.append();
  EXPECT_EQ(a.rig.get("drawn"), b.rig.get("drawn"));
}

TEST(Ring, IsInTheCheckpointOnlyIfAskedFor) {
  for (const bool in_checkpoint : {true, false}) {
    compute::Tensors tensors;
    Replay replay;
    Replay::Settings s;
    s.capacity = 10;
    s.width = 4;
    s.batch = 2;
    s.in_checkpoint = in_checkpoint;
    replay.declare(tensors, s);
    EXPECT_EQ(tensors.state().size(), in_checkpoint ? 6u : 0u);
  }
}

}  // namespace
}  // namespace foxhunt::agent::test
