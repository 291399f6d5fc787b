#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "program.hpp"
#include "tensors.hpp"

namespace foxhunt::compute {

/// How floating point is compiled.
enum class Profile {
  fast,    ///< for work: contraction where the backend gains by it, TF32 products on a GPU if asked for
  parity,  ///< for tests: no contraction on either backend, f32 products
  real64   ///< CPU only: every f32 tensor holds doubles (central differences)
};

struct Options {
  std::string device = "auto";  ///< auto | cpu | cuda | cuda:N
  int threads = 0;  ///< CPU workers, the caller included; 0: one per core. The bits do not depend on it.
  Profile profile = Profile::fast;
  bool tf32 = true;  ///< TF32 products on a GPU in the fast profile
};

struct DeviceInfo {
  std::string kind;      ///< "cpu" or "cuda"
  std::string name;      ///< model of the processor or GPU
  std::string target;    ///< "x86-64 znver3" / "sm_90"
  std::string compiler;  ///< "g++ 12.2.0" / "NVRTC 13.0"
  std::string blas;      ///< "OpenBLAS 0.3.21 Zen" / "cuBLASLt 13.0"
};

/// What preparing programs has cost so far.
struct CompileReport {
  size_t compiled = 0;  ///< units
  size_t cached = 0;
  double milliseconds = 0;
};

/// A program made ready: kernels compiled, arguments bound, on CUDA captured into one graph.
class Executable {
 public:
  virtual ~Executable() = default;
  /// Starts one run after all earlier ones of this backend; returns at once on a GPU. Neither allocates,
  /// compiles nor waits.
  virtual void submit() = 0;
};

/// One device and one stream. Nothing above it knows which device it is. Not thread-safe.
class Compute {
 public:
  virtual ~Compute() = default;
  virtual const DeviceInfo& device() const = 0;

  /// Gives all tensors of the table their memory, zeroed, in one allocation. Called once, before all below.
  /// The table must outlive the backend and must not grow afterwards.
  virtual void allocate(const Tensors& tensors) = 0;
  /// Blocking copies of whole tensors or of a window of them; they wait for submitted work first.
  virtual void upload(TensorId id, const void* from, size_t bytes, size_t byte_offset = 0) = 0;
  virtual void download(TensorId id, void* to, size_t bytes, size_t byte_offset = 0) = 0;

  /// Host copy of a tensor that follows the device: after every submitted program the tensor is copied into
  /// it asynchronously. Declared before `prepare`. Read it only after `wait` for that submission.
  virtual const void* mirror(TensorId id) = 0;

  virtual std::unique_ptr<Executable> prepare(const Program& program) = 0;
  /// Number of runs submitted so far.
  virtual uint64_t submitted() const = 0;
  /// Returns when the run with this number (1 = the first submitted) and its mirrors are done.
  virtual void wait(uint64_t run) = 0;
  void wait_all() { wait(submitted()); }

  virtual CompileReport report() const = 0;

  /// For measuring: runs the program's operations `repetitions` times, strictly one after the other, and returns the
  /// median time of each [us], its start included. Memory changes as by so many runs.
  virtual std::vector<double> time_operations(const Program& program, int repetitions) = 0;
};

/// Opens the device that the options name. `auto` takes the first CUDA device that works, else the CPU.
/// @throws foxhunt::Error if a device is asked for by name and cannot be had: there is no silent fallback.
std::unique_ptr<Compute> open(const Options& options);

/// Result of compiling ahead of time for one target.
struct AheadReport {
  std::string target;
  size_t compiled = 0, cached = 0;  ///< units; one that several programs use is counted once
  size_t kernels = 0;               ///< different ones in these units
};
/// Fills the cache for a target ("cpu", "sm_90", …) without a device: the units, and the backend's own kernels.
/// @throws foxhunt::Error with owner, file, kernels and the compiler's message; all other units are compiled then.
AheadReport compile_ahead(const std::string& target, std::vector<KernelUnit> units, Profile profile);

/// Folder that holds kernels_src: FOXHUNT_KERNELS_DIR, else beside the program
/// (../share/foxhunt/kernels_src).
std::string kernels_folder();

}  // namespace foxhunt::compute
