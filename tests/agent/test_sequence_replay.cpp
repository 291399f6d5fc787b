// The ring of sequences, against plain lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "agent/sequence_replay.hpp"
#include "rig.hpp"

namespace foxhunt::agent::test {
namespace {

constexpr int64_t kAccounts = 3, kFeatures = 2, kColumns = 4;

struct Setting {
  int64_t horizon, burn_in, n_step, sequences, drawn;
};

/// A pass that has a start state and remembers what it was burnt in on.
class FakePass : public Encoder::Pass {
 public:
  explicit FakePass(compute::TensorId start, compute::TensorId burnt) : start_(start), burnt_(burnt) {}
  void record_step(compute::Recording&, fh_tensor, int64_t, fh_tensor, fh_tensor) override {}
  void record_last(compute::Recording&, fh_tensor, fh_tensor, fh_tensor) override {}
  void record_sequence(compute::Recording&, fh_tensor, fh_tensor, fh_tensor) override {}
  void record_backward(compute::Recording&, fh_tensor, fh_tensor, fh_tensor) override {}
  std::vector<compute::TensorId> start() const override { return {start_}; }
  void record_burn_in(compute::Recording& recording, fh_tensor x, fh_tensor) override {
    recording.recorder().copy(recording.write(burnt_), x);
  }

 private:
  compute::TensorId start_, burnt_;
};

/// One account's rollout. Every number is one of a kind, so that what comes back can be told.
struct Sequence {
  std::vector<double> x, action, reward, done, valid, start;
};

class Sequences {
 public:
  explicit Sequences(const Setting& s) : s_(s) {
    SequenceReplay::Settings settings;
    settings.sequences = s.sequences;
    settings.horizon = s.horizon;
    settings.burn_in = s.burn_in;
    settings.accounts = kAccounts;
    settings.features = kFeatures;
    settings.batch = batch();
    settings.n_step = s.n_step;
    settings.gamma = 0.75;
    const auto carried = rig.add("carried", shape(kAccounts, 2, kColumns / 2));
    replay.declare(rig.tensors, settings, {carried});
    const fh_shape steps = shape(s.horizon, kAccounts);
    const auto x = rig.add("x", shape(s.horizon + 1, kAccounts, kFeatures)), action = rig.add("action", steps, FH_I32),
               reward = rig.add("reward", steps), done = rig.add("done", steps, FH_U8), valid = rig.add("valid", steps, FH_U8),
               step = rig.add("step", shape(1), FH_U64), start = rig.add("start", shape(s.drawn, 2, kColumns / 2)),
               burnt = rig.add("burnt", shape(std::max<int64_t>(1, s.burn_in), s.drawn, kFeatures)),
               of_batch = rig.add("of_batch", shape(batch(), 2)), of_rows = rig.add("of_rows", shape(rows(), s.drawn, 2));
    FakePass pass(start, burnt);
    rig.record([&](compute::Recording& m) {
      replay.record_append(m, m.read(x), m.read(action), m.read(reward), m.read(done), m.read(valid));
      const SequenceReplay::Drawn d = replay.record_sample(m, step, 5);
      replay.record_start(m, d, pass);
      const SequenceReplay::Transitions t = replay.record_transitions(m, d);
      replay.record_gradient(m, t, m.read(of_batch), m.write(of_rows));
      Recorder r = m.recorder();
      const auto keep = [&](const char* name, fh_tensor what, fh_dtype dtype = FH_F32) {
        const fh_tensor to = r.scratch((std::string("kept_") + name).c_str(), r.shape_of(what), dtype);
        r.copy(to, what);
      };
      keep("slot", d.slot, FH_I32);
      keep("x", d.x);
      keep("valid", d.valid, FH_U8);
      keep("row", t.row, FH_I32);
      keep("next_row", t.next_row, FH_I32);
      keep("action", t.batch.action, FH_I32);
      keep("reward", t.batch.reward);
      keep("discount", t.batch.discount);
    });
  }
  int64_t rows() const { return s_.horizon - s_.burn_in; }
  int64_t batch() const { return rows() * s_.drawn; }

  void append(double share_valid = 0.85) {
    std::vector<Sequence> now(kAccounts);
    const size_t T = static_cast<size_t>(s_.horizon);
    for (Sequence& q : now) {
      for (size_t i = 0; i < (T + 1) * kFeatures; ++i) q.x.push_back(number());
      for (size_t i = 0; i < kColumns; ++i) q.start.push_back(number());
      for (size_t t = 0; t < T; ++t) {
        q.action.push_back(number());
        q.reward.push_back(number());
        q.done.push_back(random_() % 4 == 0 ? 1 + static_cast<double>(random_() % 2) : 0);
        q.valid.push_back(static_cast<double>(random_() % 1000) < 1000 * share_valid ? 1 : 0);
      }
    }
    // Time first.
    const auto all = [&](std::vector<double> Sequence::* what, size_t steps, size_t columns) {
      std::vector<double> values;
      for (size_t t = 0; t < steps; ++t)
        for (const Sequence& q : now)
          values.insert(values.end(), (q.*what).begin() + static_cast<long>(t * columns), (q.*what).begin() + static_cast<long>((t + 1) * columns));
      return values;
    };
    rig.set("x", all(&Sequence::x, T + 1, kFeatures));
    rig.set("carried", all(&Sequence::start, 1, kColumns));
    rig.set("action", all(&Sequence::action, T, 1));
    rig.set("reward", all(&Sequence::reward, T, 1));
    rig.set("done", all(&Sequence::done, T, 1));
    rig.set("valid", all(&Sequence::valid, T, 1));
    rig.set("of_batch", normal(static_cast<size_t>(batch()) * 2, random_()));
    rig.set("step", {static_cast<double>(++step_)});
    for (Sequence& q : now) {
      held[written_ % static_cast<size_t>(s_.sequences)] = std::move(q);
      ++written_;
    }
    rig.run();
  }

  // Everything drawn belongs to the sequences held, and the transitions are theirs.
  void expect_drawn() const {
    const auto T = static_cast<size_t>(s_.horizon), b = static_cast<size_t>(s_.burn_in), n = static_cast<size_t>(s_.drawn),
               R = T - b;
    const auto slot = rig.get("test/kept_slot"), x = rig.get("test/kept_x"), valid = rig.get("test/kept_valid"), start = rig.get("start"),
               burnt = rig.get("burnt"), row = rig.get("test/kept_row"), next = rig.get("test/kept_next_row"), action = rig.get("test/kept_action"),
               reward = rig.get("test/kept_reward"), discount = rig.get("test/kept_discount"), of_batch = rig.get("of_batch"),
               of_rows = rig.get("of_rows");
    ASSERT_EQ(rig.get("/replay/ring"),
              (std::vector<double>{static_cast<double>(written_ % static_cast<size_t>(s_.sequences)), static_cast<double>(held.size() * T)}));
    std::vector<size_t> rows;  // that may be learned from
    for (size_t i = 0; i < n; ++i) {
      ASSERT_TRUE(held.count(static_cast<size_t>(slot[i])));
      const Sequence& q = held.at(static_cast<size_t>(slot[i]));
      for (size_t t = 0; t <= T; ++t)
        for (size_t f = 0; f < kFeatures; ++f) {
          ASSERT_EQ(x[(t * n + i) * kFeatures + f], q.x[t * kFeatures + f]);
          if (t < b) ASSERT_EQ(burnt[(t * n + i) * kFeatures + f], q.x[t * kFeatures + f]);
        }
      for (size_t t = 0; t < T; ++t) ASSERT_EQ(valid[t * n + i], q.valid[t]);
      ASSERT_EQ(valid[T * n + i], 1);
      for (size_t c = 0; c < kColumns; ++c) ASSERT_EQ(start[i * kColumns + c], q.start[c]);
    }
    for (size_t t = b; t < T; ++t)
      for (size_t i = 0; i < n; ++i)
        if (held.at(static_cast<size_t>(slot[i])).valid[t] != 0) rows.push_back((t - b) * n + i);
    ASSERT_FALSE(rows.empty());
    std::vector<double> gradient(R * n * 2, 0);
    for (size_t k = 0; k < R * n; ++k) {
      const size_t at = rows[k % rows.size()], i = at % n, first = at / n + b;
      const Sequence& q = held.at(static_cast<size_t>(slot[i]));
      ASSERT_EQ(row[k], static_cast<double>(at));
      ASSERT_EQ(action[k], q.action[first]);
      double sum = 0, weight = 1;
      size_t t = first;
      for (bool ended = false; t < T && !ended && t < first + static_cast<size_t>(s_.n_step); ++t) {
        sum += weight * q.reward[t];
        weight = q.done[t] == 1 ? 0 : weight * 0.75;
        ended = q.done[t] != 0;
      }
      ASSERT_NEAR(reward[k], sum, 1e-6 * std::abs(sum));
      ASSERT_NEAR(discount[k], weight, 1e-7);
      ASSERT_EQ(next[k], static_cast<double>((t - b) * n + i));
      for (size_t c = 0; c < 2; ++c) gradient[at * 2 + c] += of_batch[k * 2 + c];
    }
    for (size_t k = 0; k < gradient.size(); ++k) ASSERT_NEAR(of_rows[k], gradient[k], 1e-5) << k;
  }

  Rig rig;
  SequenceReplay replay;
  std::map<size_t, Sequence> held;  // by slot

 private:
  double number() { return static_cast<double>(++last_); }
  Setting s_;
  std::mt19937_64 random_{3};
  size_t written_ = 0;
  int64_t last_ = 0;
  uint64_t step_ = 0;
};

TEST(SequenceRing, GivesBackWhatAccountsSawAndWindowsEndWithTheSequence) {
  //                      T  b  n  held drawn
  for (const Setting& s : {Setting{1, 0, 1, 3, 4}, Setting{5, 2, 1, 7, 6}, Setting{5, 0, 3, 3, 2}, Setting{8, 7, 4, 20, 9}, Setting{6, 1, 9, 4, 1}}) {
    SCOPED_TRACE(testing::Message() << "T " << s.horizon << ", burn-in " << s.burn_in << ", n " << s.n_step);
    Sequences q(s);
    for (int k = 0; k < 12; ++k) {
      q.append();
      ASSERT_NO_FATAL_FAILURE(q.expect_drawn()) << "rollout " << k;
    }
  }
}

TEST(SequenceRing, PassesOverSequencesWithNothingToLearnFrom) {
  Sequences q({4, 3, 1, 9, 30});
  q.append(1);
  for (int k = 0; k < 2; ++k) {
    q.append(0);
    ASSERT_NO_FATAL_FAILURE(q.expect_drawn());
  }
}

TEST(SequenceRing, DrawsAnewForEachStep) {
  Sequences q({4, 0, 1, 60, 40});
  for (int k = 0; k < 20; ++k) q.append();
  const auto first = q.rig.get("test/kept_slot");
  q.append();
  EXPECT_NE(q.rig.get("test/kept_slot"), first);
  std::vector<bool> seen(60);
  for (int k = 0; k < 60; ++k) {
    q.append();
    for (const double slot : q.rig.get("test/kept_slot")) seen[static_cast<size_t>(slot)] = true;
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 60);
}

}  // namespace
}  // namespace foxhunt::agent::test
