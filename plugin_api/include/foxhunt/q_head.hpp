#pragma once
#include <array>

#include "declarations.hpp"
#include "option.hpp"

namespace foxhunt {

/// The tensors of one `infer`. An output that nobody wants is scratch memory: a head may always write it.
class Infer {
 public:
  Infer(const fh_infer& call, Recorder& recorder, const Declarations& declared)
      : call_(call), recorder_(recorder), declared_(declared) {}

  fh_tensor h() const { return call_.h; }  ///< [in] [B,H]
  int64_t batch() const { return recorder_.shape_of(call_.h).dim[0]; }
  fh_tensor weight(Parameter p) const { return call_.weights[p.index]; }  ///< [in]
  /// [out] with the declared shape; its memory is undefined until written.
  fh_tensor output(Output o) const {
    if (wanted(o)) return call_.outputs[o.index];
    const fh_output& declared = declared_.output(o);
    fh_shape s = declared.shape;
    if (s.rank > 0 && s.dim[0] == any_batch) s.dim[0] = batch();
    return recorder_.scratch((std::string("unwanted_") + declared.name).c_str(), s);
  }
  bool wanted(Output o) const { return call_.outputs[o.index] != 0; }
  fh_tensor step() const { return call_.step; }    ///< [in] u64: the iteration, in device memory
  uint32_t salt() const { return call_.salt; }     ///< goes into random counters
  fh_tensor value() const { return call_.value; }  ///< [in] [B] V(h), if the head reads_value(); else 0
  fh_tensor controller(Controller c) const { return call_.controllers[c.index]; }  ///< [in]

 private:
  const fh_infer& call_;
  Recorder& recorder_;
  const Declarations& declared_;
};

/// The tensors of one `learn`. What is [out] must be written whole; what may be 0 says so.
class Learn {
 public:
  Learn(const fh_learn& call, Recorder& recorder, const Declarations& declared)
      : call_(call), recorder_(recorder), declared_(declared) {}

  int64_t batch() const { return recorder_.shape_of(call_.h).dim[0]; }
  fh_tensor online(Parameter p) const { return call_.online[p.index]; }  ///< [in]
  fh_tensor target(Parameter p) const { return call_.target[p.index]; }  ///< [in]
  fh_tensor gradient(Parameter p) const {
    return call_.gradient[p.index];
  }  ///< [out] d(batch mean of loss)/dp
  fh_tensor controller(Controller c) const { return call_.controllers[c.index]; }  ///< [inout]
  fh_tensor h() const { return call_.h; }                                          ///< [in] [B,H]
  fh_tensor h_next() const { return call_.h_next; }                                ///< [in] [B,H]
  /// [in] [B,H]: the next state's h for what the *online* net says of it, as in double Q-learning.
  fh_tensor h_select() const { return call_.h_select ? call_.h_select : call_.h_next; }
  fh_tensor action() const { return call_.action; }                                ///< [in] i32 [B]
  fh_tensor reward() const { return call_.reward; }      ///< [in] [B]: n-step sum, shaped and scaled
  fh_tensor discount() const { return call_.discount; }  ///< [in] [B]: y = reward + discount * value(h_next)
  fh_tensor loss() const { return call_.loss; }          ///< [out] [B], per sample
  fh_tensor grad_h() const { return call_.grad_h; }      ///< [out] [B,H] d(batch mean of loss)/dh, or 0
  /// [out] with the declared target shape; scratch memory if nobody wants it.
  fh_tensor target_out() const {
    if (call_.target_out != 0) return call_.target_out;
    fh_shape s = declared_.target;
    if (s.rank > 0 && s.dim[0] == any_batch) s.dim[0] = batch();
    return recorder_.scratch("unwanted_target", s);
  }
  fh_tensor value() const { return call_.value; }            ///< [in] [B] V(h), if the head reads_value(); else 0
  fh_tensor value_next() const { return call_.value_next; }  ///< [in] [B] V(h_next), likewise
  fh_tensor grad_value() const { return call_.grad_value; }  ///< [out] [B] d(batch mean of loss)/dV(h), or 0
  fh_tensor step() const { return call_.step; }              ///< [in] u64
  uint32_t salt() const { return call_.salt; }

 private:
  const fh_learn& call_;
  Recorder& recorder_;
  const Declarations& declared_;
};

/// Base of a Q head. The derived class has
///   - `static constexpr std::array options = {option::…}` and `kernels = {&kernel, …}` where it needs them,
///   - a constructor from `const Create&`, which declares parameters, outputs and so on,
///   - `infer` and `learn`, which *record* the work: they run once at start, the program replays it.
/// Parameters, target net, gradients and optimiser state are the program's.
class QHead {
 public:
  static constexpr std::array<fh_option, 0> options{};
  static constexpr std::array<const fh_kernel*, 0> kernels{};

  QHead() = default;
  QHead(const QHead&) = delete;
  QHead& operator=(const QHead&) = delete;
  virtual ~QHead() = default;
  virtual void infer(Recorder& r, const Infer& call) = 0;
  virtual void learn(Recorder& r, const Learn& call) = 0;

  const Declarations& declared() const { return declared_; }

 protected:
  Parameter parameter(const char* name, const fh_shape& s, Declarations::Axes axes, Init init) {
    return declared_.parameter(name, s, axes, init);
  }
  /// A tensor of state that `learn` updates itself; in the checkpoint under controllers/.
  Controller controller(const char* name, const fh_shape& s, fh_dtype dtype, double initial) {
    return declared_.controller(name, s, dtype, initial);
  }
  Output output(const char* name, const fh_shape& s) { return declared_.output(name, s); }
  void target(const fh_shape& s) { declared_.target = s; }
  /// Both calls then get V of the program's value head; a head that is no diagnostic trains it through grad_value.
  void reads_value() { declared_.reads |= FH_READS_VALUE; }
  /// Compile-time constants of all kernels of this instance.
  void constants(std::vector<fh_constant> all) { declared_.constants(std::move(all)); }
  const std::vector<fh_constant>& constants() const { return declared_.constants(); }

 private:
  Declarations declared_;
};

}  // namespace foxhunt
