#include "check.hpp"

#include <foxhunt/error.hpp>
#include <string_view>

namespace foxhunt::compute::cuda {
namespace {

std::string_view function_name(std::string_view call) { return call.substr(0, call.find('(')); }

std::string sentence(const std::string& context, const char* call, std::string_view code,
                     std::string_view text) {
  std::string s = context.empty() ? "CUDA: " : context + ": ";
  s += function_name(call);
  s += " failed with ";
  s += code;
  if (!text.empty()) (s += " (") += text, s += ")";
  return s + ".";
}

const char* advice(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation:
      return " The GPU has too little free memory: make batches or buffers smaller, or end other programs on "
             "it.";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorIllegalInstruction:
      return " A kernel of this or an earlier run did something it must not; the device is unusable for this "
             "process from here on. `compute-sanitizer` before the command line names kernel and line.";
    case cudaErrorLaunchOutOfResources:
    case cudaErrorInvalidConfiguration:
      return " The block does not fit the device: lower `block` in the kernel's declaration.";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidKernelImage:
    case cudaErrorInvalidPtx:
    case cudaErrorUnsupportedPtxVersion:
      return " The driver does not take this code: update it, or empty the kernel cache with `foxhunt cache "
             "clear`.";
    default:
      return "";
  }
}

}  // namespace

void check(cudaError_t code, const char* call, const std::string& context) {
  if (code == cudaSuccess) return;
  // Clears the thread's last error unless it is sticky, so that it is not reported a second time elsewhere.
  (void)cudaGetLastError();
  throw Error(sentence(context, call, std::string(cudaGetErrorName(code)) + " = " + std::to_string(code),
                       cudaGetErrorString(code)) +
              advice(code));
}

void check(cublasStatus_t code, const char* call, const std::string& context) {
  if (code != CUBLAS_STATUS_SUCCESS)
    throw Error(sentence(context, call, "status " + std::to_string(code), cublasLtGetStatusString(code)));
}

void check(nvrtcResult code, const char* call, const std::string& context) {
  if (code != NVRTC_SUCCESS)
    throw Error(sentence(context, call, "result " + std::to_string(code), nvrtcGetErrorString(code)));
}

DeviceMemory allocate_device(size_t bytes, const std::string& what) {
  void* memory = nullptr;
  if (bytes)
    FOXHUNT_CUDA(cudaMalloc(&memory, bytes), std::to_string(bytes) + " bytes of device memory for " + what);
  return DeviceMemory(memory);
}

PinnedMemory allocate_pinned(size_t bytes, const std::string& what) {
  void* memory = nullptr;
  if (bytes)
    FOXHUNT_CUDA(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault),
                 std::to_string(bytes) + " bytes of pinned host memory for " + what);
  return PinnedMemory(memory);
}

}  // namespace foxhunt::compute::cuda
