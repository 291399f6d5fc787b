#pragma once
#include <cstdint>
#include <map>
#include <memory>

#include "check.hpp"

namespace foxhunt::compute::cuda {

/// Largest workspace that the choice of an algorithm may count on.
inline constexpr size_t kGemmWorkspace = size_t{32} << 20;

/// Everything that the choice of an algorithm depends on. Row-major: C[m,n] = op(A)[m,k] op(B)[k,n].
struct GemmProblem {
  int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false, bias = false, f32 = false;
  uint32_t align_a = 256, align_b = 256, align_c = 256, align_bias = 256;  ///< bytes
  auto operator<=>(const GemmProblem&) const = default;
};

struct GemmPointers {
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
  const float* bias = nullptr;
};

/// Largest power of two up to 256 that divides the address.
uint32_t alignment_of(const void* address);

/// cuBLASLt with choices that are made once per problem and kept: the first answer of its heuristic, which is
/// the same on the same device and library. Partial sums of split products stay in f32.
class Gemms {
 public:
  explicit Gemms(bool tf32);
  ~Gemms();

  struct Choice;
  /// Null if cuBLASLt has no algorithm for the problem, or the problem has an empty side.
  const Choice* choose(const GemmProblem& problem);
  static size_t workspace(const Choice& choice);
  /// C = alpha op(A) op(B) + beta C + bias. C is not read if beta is 0.
  void launch(const Choice& choice, const GemmPointers& pointers, float alpha, float beta, void* workspace,
              cudaStream_t stream);

 private:
  std::unique_ptr<Choice> search(const GemmProblem& problem);

  std::unique_ptr<cublasLtContext, Destroys<&cublasLtDestroy>> handle_;
  bool tf32_;
  std::map<GemmProblem, std::unique_ptr<Choice>> choices_;
};

/// "cuBLASLt 13.0.2"
std::string blas_version();

}  // namespace foxhunt::compute::cuda
