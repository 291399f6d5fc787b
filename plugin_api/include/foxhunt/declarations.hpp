#pragma once
#include <foxhunt/abi.h>

#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

#include "descriptor.hpp"
#include "error.hpp"
#include "recorder.hpp"

namespace foxhunt {

/// Dimension 0 of an output or a target: however many samples a call has.
inline constexpr int64_t any_batch = -1;

/// Initial value of a parameter; fans are the first and the last dimension.
struct Init {
  fh_init kind = FH_INIT_CONSTANT;
  double value = 0;
  static constexpr Init constant(double v) { return {FH_INIT_CONSTANT, v}; }
  /// U(-a, a) with a = gain * sqrt(6 / (fan_in + fan_out)) (Glorot & Bengio 2010, eq. 16).
  static constexpr Init glorot_uniform(double gain = 1) { return {FH_INIT_GLOROT_UNIFORM, gain}; }
  static constexpr Init normal(double deviation) { return {FH_INIT_NORMAL, deviation}; }
  static constexpr Init orthogonal(double gain = 1) { return {FH_INIT_ORTHOGONAL, gain}; }
  static constexpr Init uniform(double bound) { return {FH_INIT_UNIFORM, bound}; }
};

/// What declaring gives back, and what the tensor of a call is asked for with.
struct Parameter {
  uint32_t index = 0;
};
struct Controller {
  uint32_t index = 0;
};
struct Output {
  uint32_t index = 0;
};

/// What an instance declares when it is made, kept in the form that the ABI hands over.
class Declarations {
 public:
  using Axes = std::initializer_list<const char*>;

  Parameter parameter(const char* name, const fh_shape& shape, Axes axes, Init init) {
    declare(parameters_, name, shape, axes, FH_F32, init);
    return {static_cast<uint32_t>(parameters_.size() - 1)};
  }
  Controller controller(const char* name, const fh_shape& shape, fh_dtype dtype, double initial) {
    declare(controllers_, name, shape, {}, dtype, Init::constant(initial));
    return {static_cast<uint32_t>(controllers_.size() - 1)};
  }
  Output output(const char* name, const fh_shape& shape) {
    outputs_.push_back({keep(name), shape});
    return {static_cast<uint32_t>(outputs_.size() - 1)};
  }
  void constants(std::vector<fh_constant> all) { constants_ = std::move(all); }
  const std::vector<fh_constant>& constants() const { return constants_; }
  const fh_output& output(Output o) const { return outputs_.at(o.index); }

  fh_list parameter_list() const { return list(parameters_); }
  fh_list controller_list() const { return list(controllers_); }
  fh_list output_list() const { return list(outputs_); }
  fh_list constant_list() const { return list(constants_); }

  fh_shape target{};   ///< shape of the target_out of `learn`; rank 0: none
  uint32_t reads = 0;  ///< FH_READS_…

 private:
  const char* keep(const char* name) {
    if (!is_plugin_name(name))
      throw Error("'" + std::string(name) + "' is declared; a name is [a-z][a-z0-9_]*");
    return names_.emplace_back(name).c_str();
  }
  void declare(std::vector<fh_declared>& to, const char* name, const fh_shape& shape, Axes axes,
               fh_dtype dtype, Init init) {
    fh_declared d{keep(name), shape, {}, static_cast<uint32_t>(dtype), static_cast<uint32_t>(init.kind),
                  init.value};
    if (axes.size() != 0 && axes.size() != shape.rank)
      throw Error("'" + std::string(name) + "' is declared with " + std::to_string(axes.size()) +
                  " axis names for " + std::to_string(shape.rank) + " dimensions");
    uint32_t i = 0;
    for (const char* axis : axes) d.axes[i++] = names_.emplace_back(axis).c_str();
    to.push_back(d);
  }
  template <class T>
  static fh_list list(const std::vector<T>& v) {
    return {v.data(), static_cast<uint32_t>(v.size()), 0};
  }

  std::deque<std::string> names_;  // a deque: the texts never move
  std::vector<fh_declared> parameters_, controllers_;
  std::vector<fh_output> outputs_;
  std::vector<fh_constant> constants_;
};

}  // namespace foxhunt
