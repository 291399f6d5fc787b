#include "record.hpp"

#include <cmath>

#include "../kernels/diagnostics.hpp"

namespace foxhunt::trainer {

void Record::declare(compute::Tensors& tensors, int64_t slots) {
  slots_ = slots;
  compute::TensorSpec spec;
  spec.dtype = FH_F64;
  spec.name = prefix_ + "/record";
  spec.shape = shape(size_);
  values_ = tensors.add(spec);
  spec.name = prefix_ + "/ring";
  spec.shape = shape(slots, size_);
  spec.lifetime = compute::Lifetime::resident;
  ring_ = tensors.add(spec);
}

fh_tensor Record::window(compute::Recording& recording, int64_t offset, int64_t count) const {
  return recording.recorder().view(recording.write(values_), offset, shape(count));
}

void Record::record_commit(compute::Recording& recording, compute::TensorId step) const {
  recording.recorder().launch(kernels::record_metrics, Grid::elements(size_),
                              {in(recording.read(values_)), in(recording.read(step)), inout(recording.write(ring_)),
                               i32(slots_), i32(size_)});
}

const double* Record::row(compute::Compute& compute, uint64_t step) const {
  const auto* ring = static_cast<const double*>(compute.mirror(ring_));
  return ring + static_cast<int64_t>(step % static_cast<uint64_t>(slots_)) * size_;
}

double Moments::deviation() const {
  if (!(count > 0)) return 0;
  const double m = mean(), variance = squares / count - m * m;
  return variance > 0 || std::isnan(variance) ? std::sqrt(variance) : 0;
}

}  // namespace foxhunt::trainer
