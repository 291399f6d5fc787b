#pragma once
#include <foxhunt/plugin.hpp>
#include <functional>

#include "kernels.hpp"

namespace foxhunt::iqn {

/// Implicit quantile networks (Dabney et al. 2018b): the quantile of every action's return at any fraction tau,
///
///   phi(tau) = relu(cos(pi i tau) W_phi + b_phi), i = cosine_from …        [.., H]
///   z(h, tau) = f(h * phi(tau))                                            [.., N]
///
/// with f linear, or with one hidden layer of ReLUs (`hidden`). What its last layer is made of is the derived head's. The paper's eq. 4 counts i from 0; several public
/// codes count from 1, which `cosine_from = 1` gives. Loss: quantile Huber divided by kappa, summed over the n online
/// fractions, averaged over the n_target fractions of the target. Online, target and choice of the next action have
/// draws of their own (random numbers tau [B,n], tau_target [B,n_target], tau_select [B,k]).
///
/// `infer` takes the k fractions (2i + 1) / 2k by default: mean and variance then have no noise of sampling (and an
/// error of order 1/k^2 instead of 1/sqrt(k)), and all samples share phi, so that a linear f costs one matrix product
/// [B,H] x [H,kN] instead of one with B k rows.
///
/// Target: [B,n_target]; with select = expected_sarsa [B,2,N*n_target]: the values of all actions, then their weights,
/// which sum to 1.
class ImplicitQuantiles : public QHead {
 public:
  static constexpr std::array options = {
      option::integer("cosines", 64, 1, 4096, "size of the cosine embedding of tau"),
      option::choice("cosine_from", "0|1", "0", "first index i of cos(pi i tau); the paper's is 0"),
      option::integer("hidden", 0, 0, 65536, "units of a hidden layer after the product with h; 0: none"),
      option::integer("n", 8, 1, 1024, "fractions tau of the online net, a transition"),
      option::integer("n_target", 8, 1, 1024, "fractions of the target net, a transition"),
      option::integer("k", 32, 1, 1024, "fractions for the expectation: in inference, and to choose the next action"),
      option::choice("inference", "midpoints|random", "midpoints", "fractions in inference: (2i + 1) / 2k, or drawn"),
      option::real("kappa", 1, 0, 1e9, "errors above it count linearly; 0: all do (pinball loss)"), option::select(),
      option::select_temperature()};
  static constexpr std::array kernels = {&iqn_draw,          &iqn_midpoints,         &iqn_cosines, &iqn_modulate,
                                         &iqn_modulate_mean, &iqn_modulate_backward, &iqn_relu,    &iqn_relu_backward,
                                         &iqn_fold,          &iqn_moments,           &iqn_target,  &iqn_loss};

  explicit ImplicitQuantiles(const Create& create)
      : width_(create.hidden()),
        actions_(create.actions()),
        cosines_(create.integer("cosines")),
        hidden_(create.integer("hidden")),
        n_(create.integer("n")),
        n_target_(create.integer("n_target")),
        k_(create.integer("k")),
        midpoints_(create.choice("inference") == 0),
        kappa_(create.real("kappa")),
        select_(static_cast<Select>(create.choice("select"))),
        temperature_(create.real("select_temperature")) {
    w_phi_ = parameter("w_phi", shape(cosines_, width_), {"cosine", "hidden"}, Init::glorot_uniform());
    b_phi_ = parameter("b_phi", shape(width_), {"hidden"}, Init::constant(0));
    if (hidden_ > 0) {
      w_hidden_ = parameter("w_hidden", shape(width_, hidden_), {"hidden", "unit"}, Init::glorot_uniform());
      b_hidden_ = parameter("b_hidden", shape(hidden_), {"unit"}, Init::constant(0));
    }
    expected_q_ = output("expected_q", shape(any_batch, actions_));
    variance_q_ = output("variance_q", shape(any_batch, actions_));
    quantiles_ = output("quantiles", shape(any_batch, k_, actions_));
    target(mixed() ? shape(any_batch, 2, actions_ * n_target_) : shape(any_batch, n_target_));
    constants({constant("ACTIONS", actions_), constant("HIDDEN", width_), constant("COSINES", cosines_),
               constant("COSINE_FROM", create.choice("cosine_from"))});
  }

  void learn(Recorder& r, const Learn& call) override {
    const int64_t batch = call.batch();
    const Net online = net(r, "online_", [&](Parameter p) { return call.online(p); });
    const Net target = net(r, "target_", [&](Parameter p) { return call.target(p); });

    const fh_tensor next = r.scratch("next", shape(batch, n_target_, actions_));
    const fh_tensor next_pre = embed(r, "next_", target, draw(r, call, "tau_target", shape(batch, n_target_))).pre;
    apply(r, "next_", target, modulate(r, "next_", call.h_next(), next_pre, n_target_, false), next);
    const fh_tensor tau_select = draw(r, call, "tau_select", shape(batch, k_));
    const fh_tensor choosing = select_ == Select::online ? means(r, online, call.h_select(), tau_select)
                                                         : means(r, target, call.h_next(), tau_select);
    const fh_tensor y = call.target_out();
    r.launch(iqn_target, Grid::blocks(batch),
             {in(next), in(choosing), in(call.reward()), in(call.discount()), out(y), i32(n_target_),
              i32(hidden_ > 0 ? k_ : 1), i32(mixed()), f32(temperature_), i32(batch)},
             constants());

    const fh_shape all = shape(batch, n_, actions_);
    const fh_tensor tau = draw(r, call, "tau", shape(batch, n_));
    const fh_tensor z = r.scratch("z", all), grad_z = r.scratch("grad_z", all);
    const Embedding embedding = embed(r, "", online, tau);
    const fh_tensor x = modulate(r, "", call.h(), embedding.pre, n_, false);
    const fh_tensor units = apply(r, "", online, x, z);
    r.launch(iqn_loss, Grid::blocks(batch),
             {in(z), in(tau), in(y), in(call.action()), out(call.loss()), out(grad_z), i32(n_), i32(n_target_),
              i32(mixed()), f32(kappa_), f32(1.0 / static_cast<double>(batch)), i32(batch)},
             constants());
    backward(r, call, online, embedding, x, units, grad_z);
  }

 protected:
  using Weights = std::function<fh_tensor(Parameter)>;
  struct Layer {
    fh_tensor w, b;  ///< [last(), N], [N]
  };
  /// The last layer of the net whose tensors `weight` gives. `name` begins the names of scratch tensors.
  virtual Layer last_layer(Recorder& r, const std::string& name, const Weights& weight) const = 0;
  /// Where the gradient of that layer goes.
  virtual Layer last_gradient(Recorder& r, const Learn& call) const = 0;
  /// What else is made of it.
  virtual void take_last_gradient(Recorder&, const Learn&, const Layer&) const {}

  int64_t actions() const { return actions_; }
  int64_t last() const { return hidden_ > 0 ? hidden_ : width_; }  ///< inputs of the last layer
  const char* last_axis() const { return hidden_ > 0 ? "unit" : "hidden"; }
  int64_t samples() const { return k_; }  ///< of an inference

  /// z [B,k,N] with `layer` as the last one, and its moments [B,N]. `name` begins the names of scratch tensors.
  void record_quantiles(Recorder& r, const std::string& name, const Infer& call, const Layer& layer, fh_tensor z, fh_tensor mean,
                        fh_tensor variance) const {
    const int64_t batch = call.batch(), rows = batch * actions_;
    const Net weight{[&](Parameter p) { return call.weight(p); }, layer};
    fh_tensor tau;
    if (midpoints_) {
      tau = r.scratch((name + "tau").c_str(), shape(k_));
      r.launch(iqn_midpoints, Grid::elements(k_), {out(tau), i32(k_)}, constants());
    } else {
      tau = draw(r, call, "tau_infer", shape(batch, k_));
    }
    const fh_tensor pre = embed(r, name, weight, tau).pre;
    if (midpoints_ && hidden_ == 0)
      folded(r, name, layer, call.h(), pre, z);
    else
      apply(r, name, weight, modulate(r, name, call.h(), pre, k_, midpoints_), z);
    r.launch(iqn_moments, Grid::elements(rows), {in(z), out(mean), out(variance), i32(k_), i32(rows)}, constants());
  }

  Output expected_q_, variance_q_, quantiles_;

 private:
  struct Embedding {
    fh_tensor cosines, pre;  ///< [rows,C], and before the ReLU [rows,H]
  };

  /// Either net's tensors, and its last layer.
  struct Net {
    Weights weight;
    Layer last;
  };

  Net net(Recorder& r, const std::string& name, const Weights& weight) const { return {weight, last_layer(r, name, weight)}; }
  bool mixed() const { return select_ == Select::expected_sarsa; }
  static int64_t rows_of(Recorder& r, fh_tensor matrix) { return r.shape_of(matrix).dim[0]; }

  /// Fractions from the stream `name`.
  template <class Call>
  fh_tensor draw(Recorder& r, const Call& call, const char* name, const fh_shape& s) const {
    return r.noise(name, s, [&](fh_tensor tau) {
      const Recorder::Key key = r.stream(name);
      r.launch(iqn_draw, Grid::elements((elements(s) + 3) / 4),
               {in(call.step()), out(tau), u32(key.k[0]), u32(key.k[1]), u32(call.salt()), i32(elements(s))}, constants());
    });
  }

  /// One row for each element of tau. `name` begins the names of the scratch tensors.
  Embedding embed(Recorder& r, const std::string& name, const Net& net, fh_tensor tau) const {
    const int64_t rows = elements(r.shape_of(tau));
    const Embedding e{r.scratch((name + "cosines").c_str(), shape(rows, cosines_)),
                      r.scratch((name + "pre").c_str(), shape(rows, width_))};
    r.launch(iqn_cosines, Grid::blocks(rows), {in(tau), out(e.cosines), i32(rows)}, constants());
    r.gemm(e.pre, e.cosines, net.weight(w_phi_), {.bias = net.weight(b_phi_), .f32 = true});
    return e;
  }

  /// h * phi [B*samples,H].
  fh_tensor modulate(Recorder& r, const std::string& name, fh_tensor h, fh_tensor pre, int64_t samples,
                     bool shared_tau) const {
    const int64_t batch = rows_of(r, h);
    const fh_tensor x = r.scratch((name + "x").c_str(), shape(batch * samples, width_));
    r.launch(iqn_modulate, Grid::blocks(batch), {in(h), in(pre), out(x), i32(samples), i32(shared_tau), i32(batch)},
             constants());
    return x;
  }

  /// z = f(x) for any shape of z that ends with the actions. Returns the units of the hidden layer, or x.
  fh_tensor apply(Recorder& r, const std::string& name, const Net& net, fh_tensor x, fh_tensor z) const {
    fh_tensor units = x;
    if (hidden_ > 0) {
      const int64_t rows = rows_of(r, x);
      units = r.scratch((name + "units").c_str(), shape(rows, hidden_));
      r.gemm(units, x, net.weight(w_hidden_), {.bias = net.weight(b_hidden_), .f32 = true});
      r.launch(iqn_relu, Grid::elements(rows * hidden_), {inout(units), i32(rows), i32(hidden_)}, constants());
    }
    r.gemm(z, units, net.last.w, {.bias = net.last.b, .f32 = true});
    return units;
  }

  /// What the next action is chosen by: quantiles [B,k,N], or, where f is linear, their means [B,1,N].
  fh_tensor means(Recorder& r, const Net& net, fh_tensor h, fh_tensor tau) const {
    const int64_t batch = rows_of(r, h);
    const fh_tensor pre = embed(r, "select_", net, tau).pre;
    const fh_tensor q = r.scratch("select_z", shape(batch, hidden_ > 0 ? k_ : 1, actions_));
    fh_tensor x = 0;
    if (hidden_ > 0) {
      x = modulate(r, "select_", h, pre, k_, false);
    } else {
      x = r.scratch("select_x", shape(batch, width_));
      r.launch(iqn_modulate_mean, Grid::blocks(batch), {in(h), in(pre), out(x), i32(k_), i32(batch)}, constants());
    }
    apply(r, "select_", net, x, q);
    return q;
  }

  /// z [B,k,N] where all samples have the same k fractions and f is linear.
  void folded(Recorder& r, const std::string& name, const Layer& layer, fh_tensor h, fh_tensor pre, fh_tensor z) const {
    const int64_t columns = k_ * actions_;
    const fh_tensor w = r.scratch((name + "folded_w").c_str(), shape(width_, columns)), b = r.scratch((name + "folded_b").c_str(), shape(columns));
    r.launch(iqn_fold, Grid::elements(width_ * columns), {in(pre), in(layer.w), in(layer.b), out(w), out(b), i32(k_)},
             constants());
    r.gemm(r.reshape(z, shape(rows_of(r, h), columns)), h, w, {.bias = b, .f32 = true});
  }

  void backward(Recorder& r, const Learn& call, const Net& net, const Embedding& embedding, fh_tensor x, fh_tensor units,
                fh_tensor grad_z) const {
    const int64_t batch = call.batch(), rows = batch * n_;
    const fh_tensor ones = r.scratch("ones", shape(1, rows));
    r.fill(ones, 1);
    const auto layer = [&](const Layer& to, fh_tensor input, fh_tensor grad) {
      r.gemm(to.w, input, grad, {.transpose_a = true});
      r.gemm(to.b, ones, grad);
    };
    const fh_tensor grad = r.reshape(grad_z, shape(rows, actions_)), dx = r.scratch("dx", shape(rows, width_));
    const Layer to_last = last_gradient(r, call);
    layer(to_last, units, grad);
    take_last_gradient(r, call, to_last);
    if (hidden_ > 0) {
      const fh_tensor d = r.scratch("d_units", shape(rows, hidden_));
      r.gemm(d, grad, net.last.w, {.transpose_b = true});
      r.launch(iqn_relu_backward, Grid::elements(rows * hidden_), {in(units), inout(d), i32(rows), i32(hidden_)},
               constants());
      layer({call.gradient(w_hidden_), call.gradient(b_hidden_)}, x, d);
      r.gemm(dx, d, call.online(w_hidden_), {.transpose_b = true});
    } else {
      r.gemm(dx, grad, net.last.w, {.transpose_b = true});
    }
    const fh_tensor dh = call.grad_h() != 0 ? call.grad_h() : r.scratch("dh", shape(batch, width_));
    r.launch(iqn_modulate_backward, Grid::blocks(batch),
             {in(call.h()), in(embedding.pre), inout(dx), out(dh), i32(n_), i32(batch)}, constants());
    layer({call.gradient(w_phi_), call.gradient(b_phi_)}, embedding.cosines, dx);
  }

  int64_t width_, actions_, cosines_, hidden_, n_, n_target_, k_;
  bool midpoints_;
  double kappa_;
  Select select_;
  double temperature_;
  Parameter w_phi_, b_phi_, w_hidden_, b_hidden_;
};

}  // namespace foxhunt::iqn
