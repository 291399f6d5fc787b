#pragma once
#include <foxhunt/abi.h>

#include <foxhunt/recorder.hpp>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tensors.hpp"

namespace foxhunt::compute {

/// The kernels of one owner: the program itself or one plugin. Lives as long as the programs that use it.
struct KernelLibrary {
  std::string owner;                      ///< "foxhunt", "plugin c51"
  std::vector<const fh_kernel*> kernels;  ///< its manifest
  /// Text of a source of this library by the name in fh_kernel::file; includes ("common/…") come from the
  /// program's kernels_src folder. Empty: all files come from kernels_src.
  std::vector<fh_source> sources;
};

/// What is compiled together: one file of one library with one set of constants. All kernels that a library
/// declares in a file name the same constants.
struct KernelUnit {
  const KernelLibrary* library = nullptr;
  std::string file;
  std::vector<fh_constant> constants;  ///< in the order of the declaration
};

/// A window of a tensor.
struct Operand {
  TensorId tensor = 0;
  int64_t offset = 0;  ///< elements
  fh_shape shape{};
};

struct LaunchOp {
  const fh_kernel* kernel = nullptr;
  uint32_t unit = 0;  ///< index into Program::units
  Grid grid{};
  uint64_t shared_bytes(uint32_t block_dim) const;  ///< as declared, with this unit's constants
  std::vector<int64_t> constants;                   ///< values for shared_bytes
  struct Value {
    Operand operand;  ///< tensor 0: the scalar
    fh_argument scalar{};
  };
  std::vector<Value> arguments;
};
struct GemmOp {
  Operand a, b, c, bias;
  int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
  float alpha = 1, beta = 0;
  bool f32 = false;  ///< no TF32
};
struct FillOp {
  Operand to;
  double value = 0;
};
struct CopyOp {
  Operand to, from;
};

struct Op {
  std::string step;   ///< the declared step that it belongs to, "heads/c51/learn"
  std::string owner;  ///< who recorded it: "" the program, else a head's instance name, …
  std::variant<LaunchOp, GemmOp, FillOp, CopyOp> work;
  std::vector<Operand> reads, writes;  ///< the declared data flow; inout is in both
};

/// A recorded list of operations. It runs in order; the declared data flow says which orders are equal.
struct Program {
  std::string name;
  std::vector<KernelUnit> units;
  std::vector<Op> ops;
};

/// One recording session: who records, what they may touch. This is the `fh_recorder` behind the C ABI:
/// plugins and the program's own parts record through the same foxhunt::Recorder.
class Recording {
 public:
  struct Identity {
    std::string owner;   ///< "" for the program; a head's instance name
    std::string step;    ///< label of the ops recorded
    std::string prefix;  ///< of scratch names and of random streams, "heads/c51"
    uint64_t seed = 0;
  };
  Recording(Program& program, Tensors& tensors, const KernelLibrary& library, Identity identity);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Handles with rights. Recording a write through a read handle is refused with a sentence naming owner,
  /// step and tensor.
  fh_tensor read(TensorId id);
  fh_tensor write(TensorId id);  ///< read and write
  fh_tensor read(const Operand& operand);
  fh_tensor write(const Operand& operand);
  /// The operand behind a handle (for passing it on to another recording).
  Operand operand(fh_tensor handle) const;

  Recorder recorder();
  void set_step(std::string step);

  /// Random numbers that a plugin asks for by name. Tensor 0: scratch of its own, to be drawn into.
  struct Noise {
    TensorId tensor = 0;
    bool filled = false;  ///< they are there already, and may only be read
  };
  /// Asked for each; without one all are tensor 0.
  using NoiseSource = std::function<Noise(const std::string& name, const fh_shape& shape)>;
  void set_noise_source(NoiseSource source);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Key of the Philox stream with this name: 64 bits mixed (SplitMix64 finaliser) from the seed and the FNV-1a
/// hash of the name, low half first. For a fixed seed two names get equal keys only if their 64-bit hashes
/// are equal, and for a fixed name no two seeds do. Streams belong to named consumers, so adding one shifts
/// nobody else's numbers.
Recorder::Key stream_key(uint64_t seed, std::string_view name);

}  // namespace foxhunt::compute
