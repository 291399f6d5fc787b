#pragma once
#include <vector>

#include "encoder.hpp"
#include "replay.hpp"

namespace foxhunt::agent {

/// Ring of sequences: what an account saw and did in one rollout, with what the encoder had carried into it, so that the
/// encoder can run over it again (stored state and burn-in: Kapturowski et al. 2019, "Recurrent Experience Replay in
/// Distributed Reinforcement Learning", section 3). Windows of n steps end with the sequence.
class SequenceReplay {
 public:
  struct Settings {
    int64_t sequences = 0;  ///< held at most
    int64_t horizon = 0;    ///< T, steps of a sequence
    int64_t burn_in = 0;    ///< b < T, its first steps, from which nothing is learned
    int64_t accounts = 0, features = 0;
    int64_t batch = 0;  ///< transitions of a batch: a multiple of T - b
    int64_t n_step = 1;
    double gamma = 0.99;
    bool in_checkpoint = true;

    int64_t learned() const { return horizon - burn_in; }   ///< steps of a sequence that are learned from
    int64_t drawn() const { return batch / learned(); }     ///< sequences of a batch
  };
  /// @param start  what the rollout's encoder carried into its first step, f32 [accounts, …] each
  void declare(compute::Tensors& tensors, const Settings& settings, const std::vector<compute::TensorId>& start);

  /// Appends the rollout: x [T + 1, accounts, F], the others [T, accounts].
  void record_append(compute::Recording& recording, fh_tensor x, fh_tensor action, fh_tensor reward, fh_tensor done,
                     fh_tensor valid) const;

  /// Sequences of a batch, time first: x [T + 1, n, F]; the others [T, n], but valid [T + 1, n], whose last row is 1.
  struct Drawn {
    fh_tensor slot, x, action, reward, done, valid;
  };
  Drawn record_sample(compute::Recording& recording, compute::TensorId step, uint32_t salt) const;
  /// Gives a pass over these sequences their stored start state, and moves it on over the burn-in.
  void record_start(compute::Recording& recording, const Drawn& drawn, Encoder::Pass& pass) const;

  /// The batch of a draw without its states, and where those lie: in rows of [T - b, n, H] for the state, of
  /// [T - b + 1, n, H] for the next one. Steps that are no transitions (see Encoder) are left out, the others fill their
  /// places in order.
  struct Transitions {
    Batch batch;
    fh_tensor row, next_row;      ///< i32 [batch]
    fh_tensor rank, valid_count;  ///< for `record_gradient`
  };
  Transitions record_transitions(compute::Recording& recording, const Drawn& drawn) const;
  /// Gradient of the rows of h [T - b, n, H] from those of the batch's states.
  void record_gradient(compute::Recording& recording, const Transitions& transitions, fh_tensor of_batch, fh_tensor of_rows) const;

  /// i32 [2]: next slot to write, transitions held (T for each sequence).
  compute::TensorId ring() const { return ring_; }
  const Settings& settings() const { return s_; }

 private:
  Settings s_;
  std::vector<compute::TensorId> from_, start_;  // of the rollout, and of the sequences held
  compute::TensorId ring_ = 0, x_ = 0, action_ = 0, reward_ = 0, done_ = 0, valid_ = 0;
};

}  // namespace foxhunt::agent
