#include "mlp.hpp"

#include <vector>

#include "../kernels/network.hpp"

namespace foxhunt::agent {

namespace {

struct Layer {
  size_t w, b;
  int64_t inputs, outputs;
  bool activated;  // the last layer's output is h: normalised, or activated, by itself
};

struct MlpParameters {
  EncoderSettings settings;
  ParameterGroup* group = nullptr;
  std::vector<Layer> layers;
  size_t gain = 0;
};

class MlpPass : public Encoder::Pass {
 public:
  MlpPass(const MlpParameters& p, compute::Tensors& tensors, const PassSettings& s) : p_(p), s_(s) {
    for (size_t l = 0; l < p.layers.size(); ++l) {
      const auto add = [&](const std::string& name) {
        compute::TensorSpec spec;
        spec.name = s.prefix + "/" + name + std::to_string(l);
        spec.shape = shape(s.steps + 1, s.accounts, p.layers[l].outputs);  // the last row is of `record_last`
        return tensors.add(std::move(spec));
      };
      z_.push_back(add("z"));
      y_.push_back(p.layers[l].activated ? add("y") : z_.back());
    }
  }

  void record_step(compute::Recording& recording, fh_tensor x, int64_t t, fh_tensor, fh_tensor h) override {
    record_forward(recording, x, t, h);
  }
  void record_last(compute::Recording& recording, fh_tensor x, fh_tensor, fh_tensor h) override {
    record_forward(recording, x, s_.steps, h);
  }
  void record_sequence(compute::Recording& recording, fh_tensor x, fh_tensor, fh_tensor h) override {
    Recorder r = recording.recorder();
    const int64_t rows = r.shape_of(x).dim[0] * s_.accounts;
    record_forward(recording, r.reshape(x, shape(rows, p_.settings.features)), 0, h);
  }

  void record_backward(compute::Recording& recording, fh_tensor x, fh_tensor, fh_tensor grad_h) override {
    Recorder r = recording.recorder();
    const int64_t rows = r.shape_of(x).dim[0] * s_.accounts;
    const auto part = [&](compute::TensorId id, int64_t columns) {
      return r.view(recording.read(id), 0, shape(rows, columns));
    };
    const auto scratch = [&](const std::string& name, fh_shape s) { return r.scratch((s_.prefix + "/" + name).c_str(), s); };
    const auto grad = [&](size_t i) { return recording.write(p_.group->gradient(i)); };
    fh_tensor upper = grad_h;
    for (size_t l = p_.layers.size(); l-- > 0;) {
      const Layer& layer = p_.layers[l];
      const fh_tensor z = part(z_[l], layer.outputs);
      fh_tensor dz = upper;
      if (l + 1 == p_.layers.size() && p_.settings.norm) {
        dz = scratch("dz_norm", shape(rows, layer.outputs));
        const fh_tensor terms = scratch("gain_terms", shape(rows, layer.outputs));
        r.launch(kernels::rms_norm_backward, Grid::blocks(rows),
                 {in(z), in(recording.read(p_.group->online(p_.gain))), in(upper), out(dz), out(terms)}, width());
        record_column_sum(recording, (s_.prefix + "/gain_partial").c_str(), terms, grad(p_.gain));
      } else {
        record_activation_backward(recording, p_.settings.activation, z, dz);
      }
      const fh_tensor input = l == 0 ? r.view(x, 0, shape(rows, layer.inputs)) : part(y_[l - 1], layer.inputs);
      Gemm weights;
      weights.transpose_a = true;
      r.gemm(grad(layer.w), input, dz, weights);
      record_column_sum(recording, (s_.prefix + "/bias_partial" + std::to_string(l)).c_str(), dz, grad(layer.b));
      if (l > 0) {
        upper = scratch("dy" + std::to_string(l), shape(rows, layer.inputs));
        Gemm inputs;
        inputs.transpose_b = true;
        r.gemm(upper, dz, recording.read(p_.group->online(layer.w)), inputs);
      }
    }
  }

 private:
  std::vector<fh_constant> width() const { return {constant("WIDTH", p_.settings.hidden)}; }
  fh_tensor weight(compute::Recording& recording, size_t i) const {
    return recording.read(s_.target ? p_.group->target(i) : p_.group->online(i));
  }

  // x [rows, F] to h [rows, H]; activations go to step `t` and those behind it.
  void record_forward(compute::Recording& recording, fh_tensor x, int64_t t, fh_tensor h) {
    Recorder r = recording.recorder();
    const int64_t rows = r.shape_of(x).dim[0];
    const auto part = [&](compute::TensorId id, int64_t columns) {
      return r.view(recording.write(id), t * s_.accounts * columns, shape(rows, columns));
    };
    fh_tensor input = x;
    for (size_t l = 0; l < p_.layers.size(); ++l) {
      const Layer& layer = p_.layers[l];
      const bool last = l + 1 == p_.layers.size();
      const fh_tensor z = part(z_[l], layer.outputs);
      Gemm g;
      g.bias = weight(recording, layer.b);
      r.gemm(z, input, weight(recording, layer.w), g);
      if (!last) {
        const fh_tensor y = part(y_[l], layer.outputs);
        record_activation(recording, p_.settings.activation, z, y);
        input = y;
      } else if (p_.settings.norm) {
        r.launch(kernels::rms_norm_forward, Grid::blocks(rows), {in(z), in(weight(recording, p_.gain)), out(h)}, width());
      } else {
        record_activation(recording, p_.settings.activation, z, h);
      }
    }
  }

  const MlpParameters& p_;
  PassSettings s_;
  std::vector<compute::TensorId> z_, y_;
};

class Mlp : public Encoder {
 public:
  Mlp(const EncoderSettings& s, ParameterGroup& group) {
    p_.settings = s;
    p_.group = &group;
    for (int64_t l = 0; l <= s.layers; ++l) {
      const std::string n = std::to_string(l);
      const int64_t width = s.width > 0 ? s.width : s.hidden;
      const int64_t inputs = l == 0 ? s.features : width, outputs = l < s.layers ? width : s.hidden;
      Layer layer{};
      layer.w = group.add(s.path,
                          parameter(("w" + n).c_str(), shape(inputs, outputs), {"input", "output"}, FH_INIT_ORTHOGONAL,
                                    l < s.layers || !s.norm ? 1.4142135623730951 : 1.0),
                          s.target);
      layer.b = group.add(
          s.path, parameter(("b" + n).c_str(), shape(outputs), {"output"}, FH_INIT_CONSTANT, 0), s.target);
      layer.inputs = inputs;
      layer.outputs = outputs;
      layer.activated = l < s.layers;
      p_.layers.push_back(layer);
    }
    if (s.norm)
      p_.gain = group.add(s.path, parameter("norm_gain", shape(s.hidden), {"hidden"}, FH_INIT_CONSTANT, 1), s.target);
  }
  std::unique_ptr<Pass> make_pass(compute::Tensors& tensors, const PassSettings& settings) const override {
    return std::make_unique<MlpPass>(p_, tensors, settings);
  }

 private:
  MlpParameters p_;
};

}  // namespace

std::unique_ptr<Encoder> make_mlp(const EncoderSettings& settings, ParameterGroup& group) {
  return std::make_unique<Mlp>(settings, group);
}

}  // namespace foxhunt::agent
