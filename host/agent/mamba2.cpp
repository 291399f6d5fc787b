#include "mamba2.hpp"

#include <foxhunt/error.hpp>

#include "../kernels/network.hpp"
#include "mixer.hpp"
#include "vsn.hpp"

namespace foxhunt::agent {

namespace {

struct Parts {
  Parts(const EncoderSettings& s, ParameterGroup& group_) : settings(s), group(group_), vsn(s, group), mixer(s, group) {
    if (s.norm)
      gain = group.add(s.path, parameter("norm_gain", shape(s.hidden), {"hidden"}, FH_INIT_CONSTANT, 1), s.target);
  }
  EncoderSettings settings;
  ParameterGroup& group;
  Vsn vsn;
  Mixer mixer;
  size_t gain = 0;
};

class Mamba2Pass : public Encoder::Pass {
 public:
  Mamba2Pass(const Parts& p, compute::Tensors& tensors, const PassSettings& s) : p_(p), s_(s) {
    vsn_ = p.vsn.declare(tensors, s);
    mixer_ = p.mixer.declare(tensors, s);
    const auto add = [&](const char* name) {
      compute::TensorSpec spec;
      spec.name = s.prefix + "/" + name;
      spec.shape = shape(s.steps + 1, s.accounts, p.settings.hidden);
      return tensors.add(std::move(spec));
    };
    u_ = add("u");
    sum_ = add("sum");
    for (const compute::TensorId id : {mixer_.conv, mixer_.state}) carried_bytes_.push_back(tensors.bytes(id));
  }

  void record_step(compute::Recording& recording, fh_tensor x, int64_t t, fh_tensor valid_before, fh_tensor h) override {
    record_one(recording, x, t, valid_before, true, h);
  }
  void record_last(compute::Recording& recording, fh_tensor x, fh_tensor valid_before, fh_tensor h) override {
    record_one(recording, x, s_.steps, valid_before, false, h);
  }

  void record_sequence(compute::Recording& recording, fh_tensor x, fh_tensor valid, fh_tensor h) override {
    Recorder r = recording.recorder();
    const fh_tensor rows = flat(r, x), u = part(recording, u_, 0, rows), sum = part(recording, sum_, 0, rows);
    p_.vsn.record_forward(recording, s_, vsn_, rows, 0, u);
    p_.mixer.record_sequence(recording, s_, mixer_, u, valid, sum, 0, 0);
    record_norm(recording, sum, h);
  }

  void record_backward(compute::Recording& recording, fh_tensor x, fh_tensor valid, fh_tensor grad_h) override {
    Recorder r = recording.recorder();
    const fh_tensor input = flat(r, x), u = part(recording, u_, 0, input), sum = part(recording, sum_, 0, input);
    const int64_t rows = r.shape_of(input).dim[0];
    const fh_shape s = shape(rows, p_.settings.hidden);
    const fh_tensor grad = r.scratch((s_.prefix + "/grad_u").c_str(), s);
    if (p_.settings.norm) {
      const fh_tensor terms = r.scratch((s_.prefix + "/norm_gain_terms").c_str(), s);
      r.launch(kernels::rms_norm_backward, Grid::blocks(rows),
               {in(sum), in(recording.read(p_.group.online(p_.gain))), in(r.reshape(grad_h, s)), out(grad), out(terms)},
               {constant("WIDTH", p_.settings.hidden)});
      record_column_sum(recording, (s_.prefix + "/norm_gain_partial").c_str(), terms,
                        recording.write(p_.group.gradient(p_.gain)));
    } else {
      r.copy(grad, grad_h);
    }
    p_.mixer.record_backward(recording, s_, mixer_, u, valid, grad);
    p_.vsn.record_backward(recording, s_, vsn_, input, grad);
  }

  std::vector<compute::TensorId> start() const override { return {mixer_.conv_start, mixer_.state_start}; }

  void record_burn_in(compute::Recording& recording, fh_tensor x, fh_tensor valid) override {
    Recorder r = recording.recorder();
    const fh_tensor rows = flat(r, x), u = part(recording, u_, 0, rows);
    p_.vsn.record_forward(recording, s_, vsn_, rows, 0, u);
    // What is carried is of no use in a pass that runs sequences, so it holds the end.
    const fh_tensor conv = recording.write(mixer_.conv), state = recording.write(mixer_.state);
    p_.mixer.record_sequence(recording, s_, mixer_, u, valid, 0, conv, state);
    r.copy(recording.write(mixer_.conv_start), conv);
    r.copy(recording.write(mixer_.state_start), state);
  }

  void reset(compute::Compute& compute) const override {
    size_t i = 0;
    for (const compute::TensorId id : {mixer_.conv, mixer_.state}) {
      const std::vector<char> zeros(carried_bytes_[i++], 0);
      compute.upload(id, zeros.data(), zeros.size());
    }
  }

  compute::TensorId selection() const override { return vsn_.selection; }

 private:
  fh_tensor flat(Recorder& r, fh_tensor x) const {
    const fh_shape s = r.shape_of(x);
    return s.rank == 2 ? x : r.reshape(x, shape(s.dim[0] * s.dim[1], s.dim[2]));
  }
  // The activations of step `t` and those behind it, as many as `like` has rows.
  fh_tensor part(compute::Recording& recording, compute::TensorId id, int64_t t, fh_tensor like) const {
    Recorder r = recording.recorder();
    const int64_t H = p_.settings.hidden;
    return r.view(recording.write(id), t * s_.accounts * H, shape(r.shape_of(like).dim[0], H));
  }
  void record_one(compute::Recording& recording, fh_tensor x, int64_t t, fh_tensor valid_before, bool advance,
                  fh_tensor h) {
    const fh_tensor u = part(recording, u_, t, x), sum = part(recording, sum_, t, x);
    p_.vsn.record_forward(recording, s_, vsn_, x, t, u);
    p_.mixer.record_step(recording, s_, mixer_, u, t, valid_before, advance, sum);
    record_norm(recording, sum, h);
  }
  void record_norm(compute::Recording& recording, fh_tensor sum, fh_tensor h) const {
    Recorder r = recording.recorder();
    if (!p_.settings.norm) {
      r.copy(h, sum);
      return;
    }
    const fh_tensor gain = recording.read(s_.target ? p_.group.target(p_.gain) : p_.group.online(p_.gain));
    r.launch(kernels::rms_norm_forward, Grid::blocks(r.shape_of(sum).dim[0]), {in(sum), in(gain), out(h)},
             {constant("WIDTH", p_.settings.hidden)});
  }

  const Parts& p_;
  PassSettings s_;
  Vsn::Activations vsn_;
  Mixer::Activations mixer_;
  compute::TensorId u_ = 0, sum_ = 0;  // after the VSN, and with the block's output added
  std::vector<size_t> carried_bytes_;
};

class Mamba2 : public Encoder {
 public:
  Mamba2(const EncoderSettings& s, ParameterGroup& group) : p_(s, group) {}
  std::unique_ptr<Pass> make_pass(compute::Tensors& tensors, const PassSettings& settings) const override {
    return std::make_unique<Mamba2Pass>(p_, tensors, settings);
  }

 private:
  Parts p_;
};

}  // namespace

std::unique_ptr<Encoder> make_mamba2(const EncoderSettings& settings, ParameterGroup& group) {
  return std::make_unique<Mamba2>(settings, group);
}

}  // namespace foxhunt::agent
