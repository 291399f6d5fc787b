#include "graph.hpp"

namespace foxhunt::compute::cuda {
namespace {

// Ends a capture that an exception left open, so that the stream can be used again.
class OpenCapture {
 public:
  explicit OpenCapture(cudaStream_t stream) : stream_(stream) {}
  ~OpenCapture() {
    cudaGraph_t unused = nullptr;
    if (open_) (void)cudaStreamEndCapture(stream_, &unused), (void)cudaGetLastError();
  }
  OpenCapture(const OpenCapture&) = delete;
  OpenCapture& operator=(const OpenCapture&) = delete;
  void end() {
    open_ = false;
    cudaGraph_t same = nullptr;  // the graph that the capture was begun with
    FOXHUNT_CUDA(cudaStreamEndCapture(stream_, &same));
  }

 private:
  cudaStream_t stream_;
  bool open_ = true;
};

}  // namespace

GraphBuilder::GraphBuilder(cudaStream_t stream) : stream_(stream) {
  cudaGraph_t graph = nullptr;
  FOXHUNT_CUDA(cudaGraphCreate(&graph, 0));
  graph_.reset(graph);
}

GraphBuilder::Frontier GraphBuilder::current_frontier() const {
  cudaStreamCaptureStatus status{};
  const cudaGraphNode_t* nodes = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  size_t count = 0;
#if CUDART_VERSION >= 13000
  FOXHUNT_CUDA(cudaStreamGetCaptureInfo(stream_, &status, nullptr, nullptr, &nodes, &edges, &count));
#else
  FOXHUNT_CUDA(cudaStreamGetCaptureInfo_v3(stream_, &status, nullptr, nullptr, &nodes, &edges, &count));
#endif
  Frontier frontier;
  for (size_t i = 0; i < count; ++i) {
    frontier.nodes.push_back(nodes[i]);
    frontier.edges.push_back(edges ? edges[i] : cudaGraphEdgeData{});
  }
  return frontier;
}

void GraphBuilder::add(const std::vector<uint32_t>& predecessors,
                       const std::function<void(cudaStream_t)>& record) {
  Frontier before;
  for (uint32_t p : predecessors) {
    const Frontier& f = steps_.at(p);
    before.nodes.insert(before.nodes.end(), f.nodes.begin(), f.nodes.end());
    before.edges.insert(before.edges.end(), f.edges.begin(), f.edges.end());
  }
  // Relaxed: a library may load a kernel's code at its first use.
  FOXHUNT_CUDA(cudaStreamBeginCaptureToGraph(stream_, graph_.get(), before.nodes.data(), before.edges.data(),
                                             before.nodes.size(), cudaStreamCaptureModeRelaxed));
  OpenCapture capture(stream_);
  record(stream_);
  Frontier after = current_frontier();
  capture.end();
  steps_.push_back(std::move(after));
}

GraphExec GraphBuilder::instantiate() const {
  cudaGraphExec_t exec = nullptr;
  FOXHUNT_CUDA(cudaGraphInstantiate(&exec, graph_.get(), 0));
  GraphExec owner(exec);
  FOXHUNT_CUDA(cudaGraphUpload(exec, stream_));
  return owner;
}

}  // namespace foxhunt::compute::cuda
