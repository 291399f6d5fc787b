#include "backend.hpp"

#include <chrono>
#include <cstring>
#include <fstream>

#include "compute/median.hpp"
#include "executable.hpp"

namespace foxhunt::compute::cpu {
namespace {

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name"))
      if (const size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown processor";
}

struct Mirror {
  TensorId id;
  const std::byte* from;
  std::vector<std::byte> copy;
};

struct State {
  State(int threads, bool real64) : engine(threads, real64) {}
  Engine engine;
  const Tensors* tensors = nullptr;
  std::vector<std::unique_ptr<Mirror>> mirrors;
  uint64_t submitted = 0;
};

// Keeps the state and the kernels alive as long as it lives itself.
class CpuExecutable final : public Executable {
 public:
  CpuExecutable(std::shared_ptr<State> state, std::vector<std::shared_ptr<LoadedLibrary>> libraries,
                const Program& program)
      : state_(std::move(state)),
        libraries_(std::move(libraries)),
        tasks_(make_tasks(state_->engine, *state_->tensors, program, libraries_)) {}

  void submit() override {
    for (const auto& task : tasks_) task->run(state_->engine);
    for (const auto& m : state_->mirrors) std::memcpy(m->copy.data(), m->from, m->copy.size());
    ++state_->submitted;
  }

 private:
  std::shared_ptr<State> state_;
  std::vector<std::shared_ptr<LoadedLibrary>> libraries_;
  std::vector<std::unique_ptr<Task>> tasks_;
};

class CpuCompute final : public Compute {
 public:
  explicit CpuCompute(const Options& options)
      : state_(std::make_shared<State>(options.threads, options.profile == Profile::real64)),
        kernels_(options.profile == Profile::real64) {
    prepare_blas();
    info_ = {"cpu", processor_name(), kernels_.compiler().target(), kernels_.compiler().version(),
             blas_name()};
  }

  const DeviceInfo& device() const override { return info_; }

  void allocate(const Tensors& tensors) override {
    if (state_->engine.memory)
      throw Error("the tensors have their memory already: allocate() is called once.");
    state_->tensors = &tensors;
    state_->engine.memory = std::make_unique<Memory>(tensors, state_->engine.real64);
  }

  void upload(TensorId id, const void* from, size_t bytes, size_t byte_offset) override {
    if (std::byte* to = memory().window(id, bytes, byte_offset, "upload"); bytes > 0)
      std::memcpy(to, from, bytes);
  }

  void download(TensorId id, void* to, size_t bytes, size_t byte_offset) override {
    if (std::byte* from = memory().window(id, bytes, byte_offset, "download"); bytes > 0)
      std::memcpy(to, from, bytes);
  }

  const void* mirror(TensorId id) override {
    for (const auto& m : state_->mirrors)
      if (m->id == id) return m->copy.data();
    const std::byte* from = memory().window(id, 0, 0, "mirror");
    state_->mirrors.push_back(
        std::make_unique<Mirror>(Mirror{id, from, std::vector<std::byte>(memory().bytes(id))}));
    return state_->mirrors.back()->copy.data();
  }

  std::unique_ptr<Executable> prepare(const Program& program) override {
    memory();
    return std::make_unique<CpuExecutable>(state_, kernels_.add(program.units), program);
  }

  uint64_t submitted() const override { return state_->submitted; }
  void wait(uint64_t) override {}  // submit() has waited
  CompileReport report() const override { return kernels_.report(); }

  std::vector<double> time_operations(const Program& program, int repetitions) override {
    memory();
    const auto libraries = kernels_.add(program.units);
    const auto tasks = make_tasks(state_->engine, *state_->tensors, program, libraries);
    std::vector<std::vector<double>> times(tasks.size());
    for (int r = 0; r < repetitions; ++r)
      for (size_t i = 0; i < tasks.size(); ++i) {
        const auto start = std::chrono::steady_clock::now();
        tasks[i]->run(state_->engine);
        times[i].push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
      }
    return medians(times);
  }

 private:
  Memory& memory() const {
    if (!state_->engine.memory) throw Error("the tensors have no memory yet: allocate() comes first.");
    return *state_->engine.memory;
  }

  std::shared_ptr<State> state_;
  Kernels kernels_;
  DeviceInfo info_;
};

}  // namespace

std::unique_ptr<Compute> open_cpu(const Options& options) { return std::make_unique<CpuCompute>(options); }

}  // namespace foxhunt::compute::cpu
