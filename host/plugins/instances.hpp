#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plugin.hpp"

namespace foxhunt::plugins {

/// Value of every option of a plugin, in the order of its table. A choice is its index.
using OptionValues = std::vector<fh_option_value>;

OptionValues default_values(const Plugin& plugin);
/// Sets one option from text ("true", "7", "0.5", a choice).
/// @throws foxhunt::Error naming option, expected range or choices, and the nearest option if there is none.
void set_option(OptionValues& values, const Plugin& plugin, std::string_view option, std::string_view value);

/// What an instance is made for.
struct Dimensions {
  int64_t hidden = 0;   ///< H, width of h; 0 for shapers and sizers
  int64_t actions = 0;  ///< N
  double gamma = 1;     ///< discount of one step
};

/// One object made by a plugin; destroyed through it. All that it declares is checked when it is made. Its
/// lists live as long as it does. Every failure is a foxhunt::Error that begins with the instance's name and
/// plugin.
class Instance {
 public:
  const Plugin& plugin() const { return *plugin_; }
  const std::string& name() const { return name_; }
  const OptionValues& options() const { return options_; }
  const compute::KernelLibrary& kernels() const { return plugin_->kernels(); }
  /// Compile-time constants of its kernels.
  std::span<const fh_constant> constants() const { return constants_; }
  /// What `foxhunt compile` has to compile for it: one unit a kernel file.
  std::vector<compute::KernelUnit> units() const;

 protected:
  Instance(const Plugin& plugin, fh_kind kind, std::string name, const Dimensions& dimensions,
           OptionValues values);

  using Create = fh_status (*)(const fh_create*, void**, fh_message*);
  using Destroy = void (*)(void*);
  void make(Create create, Destroy destroy);
  void take_constants(fh_list list);
  /// @throws foxhunt::Error unless names are identifiers, unique, and shapes, types and initialisers valid.
  std::span<const fh_declared> take_declared(fh_list list, const char* what, bool trainable) const;
  [[noreturn]] void refuse(const std::string& why) const;

  /// Calls a function of the plugin that reports by status and message.
  template <class Function, class... Arguments>
  void call(Function function, const Arguments&... arguments) const {
    char buffer[2048] = "";
    fh_message message{buffer, sizeof buffer, 0};
    if (function(arguments..., &message) != FH_OK) failed(buffer);
  }
  void* self() const { return self_.get(); }

 private:
  [[noreturn]] void failed(const char* message) const;

  const Plugin* plugin_;
  std::string name_;
  Dimensions dimensions_;
  OptionValues options_;
  std::span<const fh_constant> constants_;
  std::unique_ptr<void, Destroy> self_{nullptr, [](void*) {}};
};

class QHeadInstance : public Instance {
 public:
  QHeadInstance(const Plugin& plugin, std::string name, const Dimensions& dimensions, OptionValues values);

  std::span<const fh_declared> parameters() const { return parameters_; }
  std::span<const fh_declared> controllers() const { return controllers_; }
  /// Dimension 0 is -1 where it is the batch.
  std::span<const fh_output> outputs() const { return outputs_; }
  /// Index of an output, or -1.
  int output(std::string_view name) const;
  /// Shape of one target_out, dimension 0 is -1; rank 0: the head has none.
  fh_shape target_shape() const { return target_; }
  /// V of the value head is an input, and where the head is no diagnostic its gradient an output.
  bool reads_value() const { return (reads_ & FH_READS_VALUE) != 0; }

  /// Record the work; handles as abi.h says, `size` is filled in here.
  void infer(compute::Recording& recording, fh_infer io) const;
  void learn(compute::Recording& recording, fh_learn io) const;

 private:
  void check_outputs(const Dimensions& dimensions) const;

  std::span<const fh_declared> parameters_, controllers_;
  std::span<const fh_output> outputs_;
  fh_shape target_{};
  uint32_t reads_ = 0;
};

class RewardShaperInstance : public Instance {
 public:
  RewardShaperInstance(const Plugin& plugin, std::string name, const Dimensions& dimensions,
                       OptionValues values);
  std::span<const fh_declared> controllers() const { return controllers_; }
  void shape(compute::Recording& recording, fh_shape_reward io) const;

 private:
  std::span<const fh_declared> controllers_;
};

class PositionSizerInstance : public Instance {
 public:
  PositionSizerInstance(const Plugin& plugin, std::string name, const Dimensions& dimensions,
                        OptionValues values);
  uint32_t needs() const { return plugin().table().api.position_sizer->needs; }  ///< FH_NEEDS_…
  void apply(compute::Recording& recording, fh_size_position io) const;
};

}  // namespace foxhunt::plugins
