#include "gemm.hpp"

#include <foxhunt/error.hpp>

namespace foxhunt::compute::cuda {
namespace {

using MatmulDesc = std::unique_ptr<cublasLtMatmulDescOpaque_t, Destroys<&cublasLtMatmulDescDestroy>>;
using Layout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, Destroys<&cublasLtMatrixLayoutDestroy>>;
using Preference =
    std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, Destroys<&cublasLtMatmulPreferenceDestroy>>;

// A row-major matrix of `rows` x `columns` is a column-major one of `columns` x `rows`.
Layout row_major(int64_t rows, int64_t columns) {
  cublasLtMatrixLayout_t layout = nullptr;
  FOXHUNT_CUDA(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, static_cast<uint64_t>(columns),
                                          static_cast<uint64_t>(rows), columns));
  return Layout(layout);
}

template <class T>
void set(const MatmulDesc& desc, cublasLtMatmulDescAttributes_t attribute, const T& value) {
  FOXHUNT_CUDA(cublasLtMatmulDescSetAttribute(desc.get(), attribute, &value, sizeof value));
}

template <class T>
void set(const Preference& preference, cublasLtMatmulPreferenceAttributes_t attribute, const T& value) {
  FOXHUNT_CUDA(cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute, &value, sizeof value));
}

std::string describe(const GemmProblem& p) {
  return "matrix product [" + std::to_string(p.m) + ", " + std::to_string(p.k) + "] x [" +
         std::to_string(p.k) + ", " + std::to_string(p.n) + "]" + (p.transpose_a ? ", A transposed" : "") +
         (p.transpose_b ? ", B transposed" : "") + (p.bias ? ", with bias" : "");
}

}  // namespace

struct Gemms::Choice {
  std::string description;
  MatmulDesc operation;
  // In the order that cuBLASLt sees: C^T = op(B)^T op(A)^T, all column-major.
  Layout first, second, result;
  bool bias = false;
  cublasLtMatmulAlgo_t algorithm{};
  size_t workspace = 0;
};

uint32_t alignment_of(const void* address) {
  uint32_t alignment = 256;
  while (reinterpret_cast<uintptr_t>(address) % alignment) alignment /= 2;
  return alignment;
}

Gemms::Gemms(bool tf32) : tf32_(tf32) {
  cublasLtHandle_t handle = nullptr;
  FOXHUNT_CUDA(cublasLtCreate(&handle));
  handle_.reset(handle);
}

Gemms::~Gemms() = default;

size_t Gemms::workspace(const Choice& choice) { return choice.workspace; }

const Gemms::Choice* Gemms::choose(const GemmProblem& problem) {
  if (problem.m == 0 || problem.n == 0 || problem.k == 0) return nullptr;
  auto [at, is_new] = choices_.try_emplace(problem);
  if (is_new) at->second = search(problem);
  return at->second.get();
}

std::unique_ptr<Gemms::Choice> Gemms::search(const GemmProblem& p) {
  auto choice = std::make_unique<Choice>();
  choice->description = describe(p);
  choice->bias = p.bias;
  cublasLtMatmulDesc_t desc = nullptr;
  const cublasComputeType_t type = tf32_ && !p.f32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  FOXHUNT_CUDA(cublasLtMatmulDescCreate(&desc, type, CUDA_R_32F), choice->description);
  choice->operation.reset(desc);
  set(choice->operation, CUBLASLT_MATMUL_DESC_TRANSA, p.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(choice->operation, CUBLASLT_MATMUL_DESC_TRANSB, p.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
  if (p.bias) {
    // Our n runs along the rows of the column-major result: that is the direction of the bias epilogue. The
    // search reads the pointer's alignment only.
    set(choice->operation, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
    set(choice->operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
        reinterpret_cast<const void*>(static_cast<uintptr_t>(p.align_bias)));
  }
  choice->first = p.transpose_b ? row_major(p.n, p.k) : row_major(p.k, p.n);
  choice->second = p.transpose_a ? row_major(p.k, p.m) : row_major(p.m, p.k);
  choice->result = row_major(p.m, p.n);

  cublasLtMatmulPreference_t made = nullptr;
  FOXHUNT_CUDA(cublasLtMatmulPreferenceCreate(&made));
  const Preference preference(made);
  set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t{kGemmWorkspace});
  set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, p.align_b);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, p.align_a);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, p.align_c);
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, p.align_c);

  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle_.get(), choice->operation.get(), choice->first.get(), choice->second.get(), choice->result.get(),
      choice->result.get(), preference.get(), 1, &found, &count);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_SUCCESS && count == 0))
    return nullptr;
  FOXHUNT_CUDA(status, choice->description + ": cublasLtMatmulAlgoGetHeuristic");
  if (found.state != CUBLAS_STATUS_SUCCESS) return nullptr;
  choice->algorithm = found.algo;
  choice->workspace = found.workspaceSize;
  return choice;
}

void Gemms::launch(const Choice& choice, const GemmPointers& p, float alpha, float beta, void* workspace,
                   cudaStream_t stream) {
  if (choice.bias) set(choice.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(p.bias));
  FOXHUNT_CUDA(cublasLtMatmul(handle_.get(), choice.operation.get(), &alpha, p.b, choice.first.get(), p.a,
                              choice.second.get(), &beta, p.c, choice.result.get(), p.c, choice.result.get(),
                              &choice.algorithm, workspace, choice.workspace, stream),
               choice.description);
}

std::string blas_version() {
  const size_t v = cublasLtGetVersion();  // 10000 * major + 100 * minor + patch
  return "cuBLASLt " + std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." +
         std::to_string(v % 100);
}

}  // namespace foxhunt::compute::cuda
