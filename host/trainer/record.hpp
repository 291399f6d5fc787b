#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../compute/compute.hpp"

namespace foxhunt::trainer {

/// The sums of one iteration that leave the device: a row of doubles, written once an iteration into a ring which
/// the program reads with a fixed lag. The program itself and every head have one each, so that a diagnostic head
/// writes nothing that anything else reads.
class Record {
 public:
  explicit Record(std::string prefix) : prefix_(std::move(prefix)) {}

  /// Reserves `count` doubles; returns their offset. Before `declare`.
  int64_t reserve(int64_t count) {
    const int64_t at = size_;
    size_ += count;
    return at;
  }
  void declare(compute::Tensors& tensors, int64_t slots);

  /// Handle of `count` doubles at `offset`, to be written.
  fh_tensor window(compute::Recording& recording, int64_t offset, int64_t count) const;
  /// Moves this iteration's doubles into the ring.
  void record_commit(compute::Recording& recording, compute::TensorId step) const;
  /// The doubles of iteration `step`, from the ring's mirror. Valid once that run is done.
  const double* row(compute::Compute& compute, uint64_t step) const;

  compute::TensorId ring() const { return ring_; }

 private:
  std::string prefix_;
  int64_t size_ = 0, slots_ = 0;
  compute::TensorId values_ = 0, ring_ = 0;
};

/// {count, sum, sum of squares} of one series, as diagnostics/sums.cu writes them.
struct Moments {
  double count = 0, sum = 0, squares = 0;
  static Moments at(const double* record, int64_t offset) { return {record[offset], record[offset + 1], record[offset + 2]}; }
  double mean() const { return count > 0 ? sum / count : 0; }
  double deviation() const;  ///< of the population; NaN if a value was
};

}  // namespace foxhunt::trainer
