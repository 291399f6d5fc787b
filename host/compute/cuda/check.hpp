#pragma once
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <nvrtc.h>

#include <memory>
#include <string>

namespace foxhunt::compute::cuda {

/// Throws foxhunt::Error "<context>: <call> failed with <name of the code> (<its text>). <advice>" unless the
/// code is success. `call` may be the whole expression; the message shows the function's name.
void check(cudaError_t code, const char* call, const std::string& context = {});
void check(cublasStatus_t code, const char* call, const std::string& context = {});
void check(nvrtcResult code, const char* call, const std::string& context = {});

#define FOXHUNT_CUDA(call, ...) ::foxhunt::compute::cuda::check((call), #call __VA_OPT__(, ) __VA_ARGS__)

/// Deleter for handles whose "destroy" function takes the handle. Its result is dropped: a failure while
/// things are taken down has already shown itself in a checked call.
template <auto Destroy>
struct Destroys {
  template <class T>
  void operator()(T* handle) const {
    (void)Destroy(handle);
  }
};

using Stream = std::unique_ptr<CUstream_st, Destroys<&cudaStreamDestroy>>;
using Event = std::unique_ptr<CUevent_st, Destroys<&cudaEventDestroy>>;
using Graph = std::unique_ptr<CUgraph_st, Destroys<&cudaGraphDestroy>>;
using GraphExec = std::unique_ptr<CUgraphExec_st, Destroys<&cudaGraphExecDestroy>>;
using Library = std::unique_ptr<CUlib_st, Destroys<&cudaLibraryUnload>>;
using DeviceMemory = std::unique_ptr<void, Destroys<&cudaFree>>;
using PinnedMemory = std::unique_ptr<void, Destroys<&cudaFreeHost>>;

DeviceMemory allocate_device(size_t bytes, const std::string& what);
PinnedMemory allocate_pinned(size_t bytes, const std::string& what);

}  // namespace foxhunt::compute::cuda
