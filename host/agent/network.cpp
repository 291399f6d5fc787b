#include "network.hpp"

#include <algorithm>

#include "../kernels/network.hpp"

namespace foxhunt::agent {

fh_declared parameter(const char* name, fh_shape s, std::initializer_list<const char*> axes, uint32_t init,
                      double value) {
  fh_declared d{};
  d.name = name;
  d.shape = s;
  std::copy(axes.begin(), axes.end(), d.axes);
  d.dtype = FH_F32;
  d.init = init;
  d.value = value;
  return d;
}

RowBlocks row_blocks(int64_t rows) {
  const int64_t each = std::max<int64_t>(64, (rows + 255) / 256);
  return {(rows + each - 1) / each, each};
}

void record_column_sum(compute::Recording& recording, const char* scratch, fh_tensor x, fh_tensor sum, double scale) {
  Recorder r = recording.recorder();
  const fh_shape s = r.shape_of(x);
  const int64_t columns = s.dim[s.rank - 1], rows = columns ? elements(s) / columns : 0;
  const auto [blocks, rows_per_block] = row_blocks(rows);
  const fh_tensor partial = r.scratch(scratch, shape(blocks, columns));
  const std::vector<fh_constant> constants{constant("COLUMNS", columns)};
  r.launch(kernels::column_sum_partial, Grid::blocks(blocks), {in(x), out(partial), i32(rows), i32(rows_per_block)},
           constants);
  r.launch(kernels::column_sum_finish, Grid::elements(columns), {in(partial), out(sum), f32(scale), i32(blocks)},
           constants);
}

void record_activation(compute::Recording& recording, Activation f, fh_tensor z, fh_tensor y) {
  Recorder r = recording.recorder();
  const int64_t n = elements(r.shape_of(z));
  r.launch(kernels::activation_forward, Grid::elements(n), {in(z), out(y), i32(n)},
           {constant("ACTIVATION", static_cast<int64_t>(f))});
}

void record_activation_backward(compute::Recording& recording, Activation f, fh_tensor z, fh_tensor grad) {
  Recorder r = recording.recorder();
  const int64_t n = elements(r.shape_of(z));
  r.launch(kernels::activation_backward, Grid::elements(n), {in(z), inout(grad), i32(n)},
           {constant("ACTIVATION", static_cast<int64_t>(f))});
}

}  // namespace foxhunt::agent
