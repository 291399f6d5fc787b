#pragma once
#include <functional>
#include <vector>

#include "check.hpp"

namespace foxhunt::compute::cuda {

/// A CUDA graph put together from captures of single operations, each with stated predecessors.
class GraphBuilder {
 public:
  explicit GraphBuilder(cudaStream_t stream);

  /// Captures what `record` puts on the stream; it will run after the steps `predecessors`, numbered in order
  /// of their adding from 0 on.
  void add(const std::vector<uint32_t>& predecessors, const std::function<void(cudaStream_t)>& record);
  GraphExec instantiate() const;

 private:
  // The nodes that must end for a step to have ended.
  struct Frontier {
    std::vector<cudaGraphNode_t> nodes;
    std::vector<cudaGraphEdgeData> edges;
  };
  Frontier current_frontier() const;

  cudaStream_t stream_;
  Graph graph_;
  std::vector<Frontier> steps_;
};

}  // namespace foxhunt::compute::cuda
