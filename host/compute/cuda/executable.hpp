#pragma once
#include "device.hpp"
#include "graph.hpp"
#include "memory.hpp"
#include "operations.hpp"

namespace foxhunt::compute::cuda {

/// Everything of one backend that its executables use. Members are taken down from the last to the first.
struct Backend {
  Backend(const Options& options);
  ~Backend();

  Device device;
  Memory memory;
  Modules modules;
  Gemms gemms;
  std::vector<Event> done;  ///< ring: run r records done[r % size]
  uint64_t submitted = 0;
};

/// Independent ops become parallel branches of the graph, unless FOXHUNT_CUDA_BRANCHES=0 asks for one chain.
bool branches_wanted();

/// The whole program and the copies into the mirrors as one CUDA graph.
class GraphExecutable final : public Executable {
 public:
  GraphExecutable(std::shared_ptr<Backend> backend, const Program& program, bool branches);
  ~GraphExecutable() override;
  void submit() override;

 private:
  std::shared_ptr<Backend> backend_;
  std::vector<DeviceMemory> workspaces_;
  GraphExec graph_;
  std::string name_;
};

}  // namespace foxhunt::compute::cuda
