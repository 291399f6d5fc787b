#include "modules.hpp"

#include <algorithm>
#include <chrono>
#include <foxhunt/error.hpp>

#include "compute/parallel.hpp"
#include "compute/warning.hpp"
#include "nvrtc.hpp"

namespace foxhunt::compute::cuda {
namespace {

// One unit on its way from source to machine code.
struct Job {
  UnitSource source;
  CacheKey key{};
  Bytes code;
  bool was_cached = false;
};

void run(Job& job, const Cache& cache, const Architecture& architecture, bool parity) {
  const auto compile_unit = [&] {
    const Compiled compiled = compile(job.source, architecture, parity);
    if (!compiled.log.empty())
      warn(job.source.owner + ": the compiler on kernel file '" + job.source.name + "':\n" + compiled.log);
    const auto bytes = std::as_bytes(std::span(compiled.code));
    return Bytes(bytes.begin(), bytes.end());
  };
  job.code = load_or_compile(cache, job.key, compile_unit, job.was_cached);
}

std::string name_of(const Kernel& kernel) {
  return kernel.owner + ": kernel '" + kernel.declaration->entry + "' of " + kernel.declaration->file;
}

}  // namespace

LaunchShape shape_of(const LaunchOp& op, const Kernel& kernel, const Device& device) {
  LaunchShape shape;
  shape.block = std::clamp(op.kernel->block, 1u, kernel.max_block);
  shape.shared_bytes = op.shared_bytes(shape.block);
  while (shape.shared_bytes > kernel.max_shared_bytes && shape.block > 1) {
    shape.block /= 2;
    shape.shared_bytes = op.shared_bytes(shape.block);
  }
  if (shape.shared_bytes > kernel.max_shared_bytes)
    throw Error(name_of(kernel) + " needs " + std::to_string(shape.shared_bytes) +
                " bytes of shared memory, but " + device.info.name + " gives a block at most " +
                std::to_string(kernel.max_shared_bytes) + ". Make the sizes that it depends on smaller.");
  uint64_t blocks = op.grid.count;
  if (op.grid.kind == FH_GRID_ELEMENTS) {
    // Enough to fill the device several times over; the kernel strides over the rest.
    const uint64_t enough = uint64_t{64} * static_cast<uint64_t>(device.multiprocessors);
    blocks = std::min((op.grid.count + shape.block - 1) / shape.block, enough);
  }
  if (blocks > INT32_MAX)
    throw Error(name_of(kernel) + " is launched with " + std::to_string(blocks) +
                " blocks; a GPU takes at most " + std::to_string(INT32_MAX) + ".");
  shape.grid = static_cast<uint32_t>(blocks);
  return shape;
}

Modules::Modules(const Device& device, Profile profile)
    : device_(device), parity_(profile == Profile::parity), cache_(Cache::from_environment()) {}

std::vector<size_t> Modules::load(const std::vector<KernelUnit>& units) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<CacheKey> keys;
  std::vector<Job> jobs;
  for (const KernelUnit& unit : units) {
    Job job{unit_source(unit, KernelMode::cuda)};
    job.key = cubin_key(job.source, device_.architecture.target, parity_, compiler_identity());
    keys.push_back(job.key);
    const bool queued = std::any_of(jobs.begin(), jobs.end(), [&](const Job& j) { return j.key == job.key; });
    if (!queued && !by_key_.contains(job.key)) jobs.push_back(std::move(job));
  }
  in_parallel(jobs.size(), [&](size_t i) { run(jobs[i], cache_, device_.architecture, parity_); });
  for (const Job& job : jobs) {
    cudaLibrary_t library = nullptr;
    FOXHUNT_CUDA(cudaLibraryLoadData(&library, job.code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
                 job.source.owner + ": kernel file '" + job.source.name + "'");
    modules_.push_back({Library(library), {}});
    by_key_.emplace(job.key, modules_.size() - 1);
    ++(job.was_cached ? report_.cached : report_.compiled);
  }
  std::vector<size_t> numbers;
  for (const CacheKey& key : keys) numbers.push_back(by_key_.at(key));
  report_.milliseconds +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return numbers;
}

const Kernel& Modules::kernel(size_t unit, const fh_kernel& declaration, const std::string& owner) {
  Module& module = modules_.at(unit);
  if (const auto known = module.kernels.find(declaration.entry); known != module.kernels.end())
    return known->second;
  Kernel kernel{nullptr, &declaration, owner};
  FOXHUNT_CUDA(cudaLibraryGetKernel(&kernel.handle, module.library.get(), declaration.entry),
               name_of(kernel));
  // Reading the attributes also brings the code to the device now, not inside a capture.
  const void* function = static_cast<const void*>(kernel.handle);
  cudaFuncAttributes attributes{};
  FOXHUNT_CUDA(cudaFuncGetAttributes(&attributes, function), name_of(kernel));
  kernel.max_block = static_cast<uint32_t>(attributes.maxThreadsPerBlock);
  kernel.max_shared_bytes = device_.shared_limit - std::min(device_.shared_limit, attributes.sharedSizeBytes);
  FOXHUNT_CUDA(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(kernel.max_shared_bytes)),
               name_of(kernel));
  return module.kernels.emplace(declaration.entry, kernel).first->second;
}

}  // namespace foxhunt::compute::cuda
