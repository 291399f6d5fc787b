#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "agent.hpp"

namespace foxhunt::trainer {

/// What the critics said at decisions of an evaluation, in the units that they learn in.
struct CriticSamples {
  int64_t hidden = 0, actions = 0;   ///< H, N
  std::vector<size_t> cells;         ///< [n] state of the known game
  std::vector<float> h;              ///< [n, H]
  std::vector<float> value;          ///< [n] V_scalar; empty if V has an encoder of its own
  struct Head {
    std::string name;
    std::vector<float> q;            ///< [n, N] expected_q
  };
  std::vector<Head> heads;
};

/// The part of an evaluation's program that writes this down, chunk by chunk.
class CriticProbe {
 public:
  /// Declares its tensors for `steps` steps of `accounts` accounts.
  CriticProbe(Agent& agent, const std::string& prefix, int64_t steps, int64_t accounts);
  /// h [accounts, H] of `main` at step t of the chunk.
  void record(compute::Program& program, compute::Recording& main, int64_t t, fh_tensor h, compute::TensorId step);
  /// Fetches what the last chunk wrote.
  void download(compute::Compute& compute);
  /// Keeps the sample at [t, account] of the chunk fetched.
  void keep(size_t t, size_t account, size_t cell);
  void reset();
  const CriticSamples& samples() const { return samples_; }

 private:
  Agent& agent_;
  std::string prefix_;
  size_t accounts_;
  compute::TensorId h_, value_;
  std::vector<compute::TensorId> q_;
  std::vector<float> chunk_h_, chunk_value_;
  std::vector<std::vector<float>> chunk_q_;
  CriticSamples samples_;
};

}  // namespace foxhunt::trainer
