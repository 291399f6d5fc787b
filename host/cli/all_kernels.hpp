#pragma once
#include <memory>
#include <string>
#include <vector>

#include "../compute/program.hpp"
#include "../plugins/registry.hpp"
#include "../trainer/plan.hpp"

namespace foxhunt::cli {

/// Every kernel that there is: those of the program's manifest and of all plugins found, with sizes as in `plan` and the
/// plugins' options at their defaults.
class AllKernels {
 public:
  /// @param used  what is compiled anyway: a file of the program's that is among it is not added with other constants
  /// @throws foxhunt::Error naming the kernel, if one of the program's wants a constant that has no default.
  AllKernels(plugins::Registry& registry, const trainer::Plan& plan, const std::vector<compute::KernelUnit>& used);

  const std::vector<compute::KernelUnit>& units() const { return units_; }
  /// Why plugins could not be used: no reason to leave the others uncompiled.
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  void add_program(const trainer::Plan& plan, const std::vector<compute::KernelUnit>& used);
  void add_plugin(const plugins::Plugin& plugin, const trainer::Plan& plan);
  template <class Instance>
  void add(std::unique_ptr<Instance> instance);

  std::vector<std::shared_ptr<const void>> instances_;  // the units' constants are theirs
  std::vector<compute::KernelUnit> units_;
  std::vector<std::string> failures_;
};

}  // namespace foxhunt::cli
