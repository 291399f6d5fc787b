#pragma once
#include <foxhunt/abi.h>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/compute.hpp"

namespace foxhunt::kernels::test {

/// Elements of a tensor, or the one value of a scalar. Whatever its type is, every value is exact as a double.
using Values = std::vector<double>;

/// The arguments of one launch by parameter name, before or after it.
class Arguments {
 public:
  /// `values` in the order of the declaration; those of float parameters are rounded to float, so that a device
  /// holds the very numbers that a reference calculates with. NaN in an integer tensor becomes 77.
  /// @throws foxhunt::Error naming kernel and parameter if the number of values does not fit.
  Arguments(const fh_kernel& kernel, std::vector<Values> values);

  /// @throws foxhunt::Error if the kernel has no such parameter.
  Values& operator[](std::string_view parameter) { return values_[index(parameter)]; }
  const Values& operator[](std::string_view parameter) const { return values_[index(parameter)]; }
  /// Value of a scalar parameter.
  double number(std::string_view parameter) const { return (*this)[parameter].at(0); }
  int64_t integer(std::string_view parameter) const { return static_cast<int64_t>(number(parameter)); }

  Values& at(size_t parameter) { return values_.at(parameter); }
  const Values& at(size_t parameter) const { return values_.at(parameter); }

 private:
  size_t index(std::string_view parameter) const;
  const fh_kernel* kernel_;
  std::vector<Values> values_;
};

/// |got - expected| <= absolute + relative * |expected|. NaN equals NaN alone, an infinity itself.
struct Tolerance {
  double absolute = 0, relative = 0;
};

/// One launch of a kernel with the result it must have, on any device, for any block size and grid.
struct KernelCase {
  const compute::KernelLibrary* library;
  const fh_kernel* kernel;
  std::string name;
  Grid grid;
  std::vector<fh_constant> constants;
  Arguments arguments;
  /// Calculates the outputs in plain double from the inputs. What it does not write must stay as it was.
  std::function<void(Arguments&)> reference;
  /// Per output. Else float outputs have 2e-6 + 2e-6 x, doubles 1e-12 + 1e-12 x, integers are exact.
  std::map<std::string, Tolerance, std::less<>> tolerance{};
  /// The same for float outputs where `real` is double; else 1e-10 + 1e-10 x.
  std::map<std::string, Tolerance, std::less<>> tolerance64{};
  /// Too big for race mode.
  bool large = false;

  std::string label() const { return std::string(kernel->entry) + " (" + name + ")"; }
  compute::KernelUnit unit() const;  ///< what has to be compiled for it
};

/// All cases of all kernels, those of one kernel side by side.
const std::vector<KernelCase>& all_cases();
/// Entries of the kernels that have cases.
std::vector<std::string> kernel_names();
std::vector<const KernelCase*> cases_of(std::string_view entry);

/// "agent/" of a kernel in agent/advantage.cu.
std::string folder(const fh_kernel& kernel);
/// The units of all cases, each once.
std::vector<compute::KernelUnit> all_units();

/// Runs every case once on the device, which is new, and returns its arguments afterwards.
/// @param real64  the device was opened with Profile::real64
/// @throws foxhunt::Error if a kernel wrote beyond the end of a tensor.
std::vector<Arguments> run_cases(std::unique_ptr<compute::Compute> device,
                                 std::span<const KernelCase* const> cases, bool real64 = false);

/// Where `got` differs from the case's reference, one line per output; empty if nowhere.
std::string difference(const KernelCase& c, const Arguments& got, bool real64 = false);

/// A tensor's memory in the layout of a device, `guard` elements longer than the values. They hold 77, in a float
/// tensor that is only read NaN: a read beyond the end shows in the result, a write is found.
inline constexpr size_t guard = 16;
std::vector<std::byte> to_memory(const Values& values, const fh_kernel_param& parameter, bool real64);
/// @throws foxhunt::Error naming `what` if the guard was written.
Values from_memory(std::span<const std::byte> memory, const fh_kernel_param& parameter, bool real64,
                   const std::string& what);
/// The eight bytes that a scalar argument is passed in.
fh_argument scalar(double value, uint8_t dtype);

}  // namespace foxhunt::kernels::test
