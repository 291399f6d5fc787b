#pragma once
#include <foxhunt/plugin.hpp>

#include "kernels.hpp"

namespace foxhunt::dueling {

/// Weights and bias of a linear layer.
struct Layer {
  fh_tensor w = 0, b = 0;
};

/// The last layer of a dueling head: Q = V + A - mean_a A (Wang et al. 2016, eq. 9), with `width` numbers an action (1 for
/// a value, Z for a distribution's logits). The streams are the rows of two parameters' layers; what runs over a batch is
/// the one layer that they compose, of the same size as without a value stream.
class Streams {
 public:
  Streams(int64_t inputs, int64_t actions, int64_t width) : inputs_(inputs), actions_(actions), width_(width) {}

  /// The layer [inputs, actions * width] that V's [inputs, width] and A's [inputs, actions * width] compose. `v.w` = 0: no
  /// value stream, only A - mean_a A.
  Layer compose(Recorder& r, const std::string& name, Layer v, const Layer& a) const {
    const Layer to{r.scratch((name + "composed_w").c_str(), shape(inputs_, actions_ * width_)),
                   r.scratch((name + "composed_b").c_str(), shape(actions_ * width_))};
    if (v.w == 0) {
      v = {r.scratch((name + "no_value_w").c_str(), shape(inputs_, width_)), r.scratch((name + "no_value_b").c_str(), shape(width_))};
      r.fill(v.w, 0);
      r.fill(v.b, 0);
    }
    const auto one = [&](fh_tensor from_v, fh_tensor from_a, fh_tensor composed, int64_t rows) {
      r.launch(dueling_compose, Grid::elements(rows * width_), {in(from_v), in(from_a), out(composed), i32(rows), i32(width_)},
               constants());
    };
    one(v.w, a.w, to.w, inputs_);
    one(v.b, a.b, to.b, 1);
    return to;
  }

  /// Where the gradient of the composed layer goes before `split`.
  Layer gradient(Recorder& r) const {
    return {r.scratch("composed_dw", shape(inputs_, actions_ * width_)), r.scratch("composed_db", shape(actions_ * width_))};
  }
  /// Gradients of the streams from that of the layer they compose. `v.w` = 0: no value stream.
  void split(Recorder& r, const Layer& composed, Layer v, const Layer& a) const {
    if (v.w == 0) v = {r.scratch("no_value_dw", shape(inputs_, width_)), r.scratch("no_value_db", shape(width_))};
    const auto one = [&](fh_tensor from, fh_tensor to_v, fh_tensor to_a, int64_t rows) {
      r.launch(dueling_split, Grid::elements(rows * width_), {in(from), out(to_v), out(to_a), i32(rows), i32(width_)}, constants());
    };
    one(composed.w, v.w, a.w, inputs_);
    one(composed.b, v.b, a.b, 1);
  }

  /// x[b,:] += value[b], the value head's.
  void add_value(Recorder& r, fh_tensor value, fh_tensor x) const {
    require(value);
    const fh_shape s = r.shape_of(x);
    r.launch(dueling_add_value, Grid::elements(elements(s)), {in(value), inout(x), i32(s.dim[0]), i32(elements(s) / s.dim[0])},
             constants());
  }
  /// The gradient of that value from that of x.
  void value_gradient(Recorder& r, fh_tensor grad, fh_tensor grad_value) const {
    const fh_shape s = r.shape_of(grad);
    r.launch(dueling_value_gradient, Grid::elements(s.dim[0]),
             {in(grad), out(grad_value), i32(s.dim[0]), i32(elements(s) / s.dim[0])}, constants());
  }
  /// V[B] and A[B,N] as q [B,N] shows them: its mean over the actions, and what is left.
  void parts(Recorder& r, fh_tensor q, fh_tensor value, fh_tensor advantage) const {
    const int64_t batch = r.shape_of(q).dim[0];
    r.launch(dueling_parts, Grid::elements(batch), {in(q), out(value), out(advantage), i32(batch)}, constants());
  }
  static void require(fh_tensor value) {
    if (value == 0) throw Error("V of the value head is read here, but was not given; a probe gives it as /value and /value_next");
  }

 private:
  std::vector<fh_constant> constants() const { return {constant("ACTIONS", actions_)}; }

  int64_t inputs_, actions_, width_;
};

}  // namespace foxhunt::dueling
