#include "executable.hpp"

#include <cstdlib>
#include <foxhunt/error.hpp>
#include <string_view>

#include "dependencies.hpp"
#include "workspaces.hpp"

namespace foxhunt::compute::cuda {
namespace {

constexpr size_t kRing = 64;

// One step of the graph to be.
struct Step {
  BoundOp work;
  std::vector<uint32_t> predecessors;
  size_t workspace = 0;  ///< if work.workspace_bytes is not 0
};

}  // namespace

Backend::Backend(const Options& options)
    : device(open_device(options.device)),
      memory(device),
      modules(device, options.profile),
      gemms(options.tf32 && options.profile == Profile::fast) {
  for (size_t i = 0; i < kRing; ++i) {
    cudaEvent_t event = nullptr;
    FOXHUNT_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync));
    done.emplace_back(event);
  }
}

Backend::~Backend() {
  (void)cudaSetDevice(device.ordinal);
  (void)cudaStreamSynchronize(device.stream.get());
}

bool branches_wanted() {
  const char* set = std::getenv("FOXHUNT_CUDA_BRANCHES");
  if (!set || !*set || std::string_view(set) == "1") return true;
  if (std::string_view(set) == "0") return false;
  throw Error(
      "FOXHUNT_CUDA_BRANCHES is '" + std::string(set) +
      "'; it must be 1 (independent operations run side by side, the default) or 0 (one after the other).");
}

GraphExecutable::GraphExecutable(std::shared_ptr<Backend> backend, const Program& program, bool branches)
    : backend_(std::move(backend)), name_("program '" + program.name + "'") {
  Backend& b = *backend_;
  const Tensors& tensors = b.memory.tensors();
  const std::vector<size_t> loaded = b.modules.load(program.units);
  Operations operations(b.device, b.memory, b.modules, b.gemms);

  std::vector<Step> steps;
  Dependencies order;
  Workspaces plan;
  const auto add = [&](BoundOp work, const std::vector<Access>& accesses) {
    if (!work.record) return;
    const uint32_t number = order.add(accesses);
    if (!branches && number > 0) order.wait_for(number - 1);
    Step step{std::move(work), {}, 0};
    if (step.work.workspace_bytes) step.workspace = plan.take(order, number, step.work.workspace_bytes);
    step.predecessors = order.predecessors();
    steps.push_back(std::move(step));
  };
  for (const Op& op : program.ops) {
    try {
      add(operations.bind(op, program.units, loaded), accesses_of(op, tensors));
    } catch (const Error& e) {
      throw Error(name_ + ", step '" + op.step + "': " + e.what());
    }
  }
  for (const auto& [id, host] : b.memory.mirrors()) {
    const size_t bytes = tensors.bytes(id);
    if (bytes == 0) continue;
    Op copy;
    copy.reads = {Operand{id, 0, tensors[id].shape}};
    add({[from = b.memory.at(id), to = host.get(), bytes](cudaStream_t stream, void*) {
           FOXHUNT_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream));
         },
         0},
        accesses_of(copy, tensors));
  }

  for (size_t bytes : plan.bytes()) workspaces_.push_back(allocate_device(bytes, "matrix products"));
  GraphBuilder builder(b.device.stream.get());
  for (const Step& step : steps)
    builder.add(step.predecessors, [&](cudaStream_t stream) {
      step.work.record(stream, step.work.workspace_bytes ? workspaces_[step.workspace].get() : nullptr);
    });
  graph_ = builder.instantiate();
  b.device.synchronize();
}

// Its workspaces must not go while it runs.
GraphExecutable::~GraphExecutable() {
  (void)cudaSetDevice(backend_->device.ordinal);
  (void)cudaStreamSynchronize(backend_->device.stream.get());
}

void GraphExecutable::submit() {
  Backend& b = *backend_;
  b.device.use();
  FOXHUNT_CUDA(cudaGraphLaunch(graph_.get(), b.device.stream.get()), name_);
  const uint64_t run = b.submitted + 1;
  FOXHUNT_CUDA(cudaEventRecord(b.done[run % b.done.size()].get(), b.device.stream.get()), name_);
  b.submitted = run;
}

}  // namespace foxhunt::compute::cuda
