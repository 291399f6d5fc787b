#include "timing.hpp"

#include <algorithm>

#include "compute/median.hpp"

namespace foxhunt::compute::cuda {

std::vector<double> time_operations(Backend& b, const Program& program, int repetitions) {
  const std::vector<size_t> loaded = b.modules.load(program.units);
  Operations operations(b.device, b.memory, b.modules, b.gemms);
  std::vector<BoundOp> ops;
  size_t workspace_bytes = 0;
  for (const Op& op : program.ops) {
    ops.push_back(operations.bind(op, program.units, loaded));
    workspace_bytes = std::max(workspace_bytes, ops.back().workspace_bytes);
  }
  const DeviceMemory workspace = allocate_device(std::max<size_t>(workspace_bytes, 256), "matrix products");

  std::vector<Event> events;
  for (size_t i = 0; i <= ops.size(); ++i) {
    cudaEvent_t event = nullptr;
    FOXHUNT_CUDA(cudaEventCreate(&event));
    events.emplace_back(event);
  }
  const cudaStream_t stream = b.device.stream.get();
  GraphBuilder builder(stream);
  uint32_t steps = 0;
  const auto chain = [&](const std::function<void(cudaStream_t)>& record) {
    builder.add(steps == 0 ? std::vector<uint32_t>() : std::vector<uint32_t>{steps - 1}, record);
    ++steps;
  };
  const auto mark = [&](size_t i) {
    chain([&](cudaStream_t s) { FOXHUNT_CUDA(cudaEventRecordWithFlags(events[i].get(), s, cudaEventRecordExternal)); });
  };
  mark(0);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].record) chain([&](cudaStream_t s) { ops[i].record(s, workspace.get()); });
    mark(i + 1);
  }
  const GraphExec graph = builder.instantiate();

  std::vector<std::vector<double>> times(ops.size());
  for (int r = 0; r < repetitions; ++r) {
    FOXHUNT_CUDA(cudaGraphLaunch(graph.get(), stream));
    b.device.synchronize();
    for (size_t i = 0; i < ops.size(); ++i) {
      float ms = 0;
      FOXHUNT_CUDA(cudaEventElapsedTime(&ms, events[i].get(), events[i + 1].get()));
      times[i].push_back(1e3 * static_cast<double>(ms));
    }
  }
  return medians(times);
}

}  // namespace foxhunt::compute::cuda
