// What the program finds in this shared object.
#include <algorithm>
#include <cstring>
#include <exception>

#include "executable.hpp"
#include "nvrtc.hpp"
#include "timing.hpp"

namespace foxhunt::compute::cuda {
namespace {

class CudaCompute final : public Compute {
 public:
  explicit CudaCompute(const Options& options)
      : backend_(std::make_shared<Backend>(options)), branches_(branches_wanted()) {}

  const DeviceInfo& device() const override { return backend_->device.info; }
  void allocate(const Tensors& tensors) override { here().memory.allocate(tensors); }
  void upload(TensorId id, const void* from, size_t bytes, size_t byte_offset) override {
    here().memory.upload(id, from, bytes, byte_offset);
  }
  void download(TensorId id, void* to, size_t bytes, size_t byte_offset) override {
    here().memory.download(id, to, bytes, byte_offset);
  }
  const void* mirror(TensorId id) override { return here().memory.mirror(id); }
  std::unique_ptr<Executable> prepare(const Program& program) override {
    here();
    return std::make_unique<GraphExecutable>(backend_, program, branches_);
  }
  uint64_t submitted() const override { return backend_->submitted; }
  void wait(uint64_t run) override {
    Backend& b = here();
    run = std::min(run, b.submitted);
    if (run == 0) return;
    // An event that the ring has used again stands for a later run: that includes this one.
    if (b.submitted - run >= b.done.size()) run = b.submitted - b.done.size() + 1;
    FOXHUNT_CUDA(cudaEventSynchronize(b.done[run % b.done.size()].get()), "run " + std::to_string(run));
  }
  CompileReport report() const override { return backend_->modules.report(); }
  std::vector<double> time_operations(const Program& program, int repetitions) override {
    return cuda::time_operations(here(), program, repetitions);
  }

 private:
  Backend& here() {
    backend_->device.use();
    return *backend_;
  }
  std::shared_ptr<Backend> backend_;
  bool branches_;
};

void write(char* message, size_t capacity, const char* text) {
  if (!message || capacity == 0) return;
  const size_t length = std::min(std::strlen(text), capacity - 1);
  std::memcpy(message, text, length);
  message[length] = '\0';
}

}  // namespace
}  // namespace foxhunt::compute::cuda

#define FOXHUNT_EXPORT extern "C" __attribute__((visibility("default")))

/// The backend, or null with the reason in `message`.
FOXHUNT_EXPORT foxhunt::compute::Compute* foxhunt_cuda_open(const foxhunt::compute::Options* options,
                                                            char* message, size_t capacity) {
  using namespace foxhunt::compute::cuda;
  try {
    write(message, capacity, "");
    if (options->profile == foxhunt::compute::Profile::real64)
      throw foxhunt::Error("the real64 profile runs on the cpu only, not on '" + options->device + "'.");
    return new CudaCompute(*options);
  } catch (const std::exception& e) {
    write(message, capacity, e.what());
    return nullptr;
  }
}

/// Compiles one unit for `arch` without a device and gives the machine code to `deliver`.
/// @return 0, `message` holding the compiler's warnings; else 1, `message` saying why.
FOXHUNT_EXPORT int foxhunt_cuda_compile(const char* arch, const char* unit_source, const char* unit_name,
                                        const char* const* include_names, const char* const* include_texts,
                                        size_t includes, int parity,
                                        void (*deliver)(void* context, const void* code, size_t bytes),
                                        void* context, char* message, size_t capacity) {
  using namespace foxhunt::compute::cuda;
  try {
    foxhunt::compute::UnitSource source{unit_name, "", unit_source, {}};
    for (size_t i = 0; i < includes; ++i) source.includes.push_back({include_names[i], include_texts[i]});
    const Compiled compiled = compile(source, architecture_named(arch, known_capabilities()), parity != 0);
    deliver(context, compiled.code.data(), compiled.code.size());
    write(message, capacity, compiled.log.c_str());
    return 0;
  } catch (const std::exception& e) {
    write(message, capacity, e.what());
    return 1;
  }
}

/// What a key of the cache needs of the compiler: version with build number, and fixed options. Null if the
/// compiler cannot be used.
FOXHUNT_EXPORT const char* foxhunt_cuda_compiler_version() {
  try {
    return foxhunt::compute::cuda::compiler_identity().c_str();
  } catch (const std::exception&) {
    return nullptr;
  }
}
