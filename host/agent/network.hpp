#pragma once
#include <initializer_list>
#include <string>

#include "../compute/compute.hpp"

namespace foxhunt::agent {

enum class Activation : int { identity = 0, relu = 1, tanh = 2, silu = 3, elu = 4 };

/// Declaration of an f32 parameter with the names of its axes. `init`: fh_init or HostInit. The strings must outlive it.
fh_declared parameter(const char* name, fh_shape shape, std::initializer_list<const char*> axes, uint32_t init,
                      double value = 0);

/// How sums over rows are cut into blocks: by their number alone, so the bits do not depend on who runs the blocks.
struct RowBlocks {
  int64_t blocks, rows_per_block;
};
RowBlocks row_blocks(int64_t rows);

/// sum [columns] = scale x sums over the rows of x [rows, columns]: the gradient of a bias. `scratch` names the working
/// memory, which calls with the same name and shape share.
void record_column_sum(compute::Recording& recording, const char* scratch, fh_tensor x, fh_tensor sum,
                       double scale = 1);

void record_activation(compute::Recording& recording, Activation f, fh_tensor z, fh_tensor y);
/// grad *= f'(z)
void record_activation_backward(compute::Recording& recording, Activation f, fh_tensor z, fh_tensor grad);

}  // namespace foxhunt::agent
