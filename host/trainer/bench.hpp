#pragma once
#include <string>
#include <vector>

#include "../config/config.hpp"
#include "../diagnostics/document.hpp"
#include "../plugins/registry.hpp"

namespace foxhunt::trainer {

struct BenchRequest {
  const config::Config& config;
  plugins::Registry& plugins;
  int64_t warm_up = 20;     ///< iterations before the clock starts
  int64_t iterations = 50;  ///< of one measurement
  int64_t rounds = 5;       ///< measurements
};

/// Where the time of one iteration goes.
struct BenchResult {
  std::string device;
  int64_t accounts = 0, horizon = 0, replay_updates = 0, batch = 0, replicas = 1;
  /// An iteration of all replicas, as it runs in training, without reading metrics: median, least, most [ms].
  double iteration_ms = 0, least_ms = 0, most_ms = 0;
  double env_steps_per_s = 0;  ///< of all replicas together
  double submit_us = 0;        ///< the host's part: one call that starts an iteration
  double copy_gb_s = 0, gemm_gflop_s = 0;  ///< what the device reaches, measured beside it

  struct Line {
    std::string name;
    int64_t calls = 0;
    double us = 0;     ///< with its start, nothing running beside it
    double floor = 0;  ///< bytes or operations that it must at least move or do, at the measured best [us]
  };
  std::vector<Line> phases, kernels;  ///< of one replica's iteration; slowest first
  double chain_us = 0;                ///< all of them, one after the other
};

BenchResult bench(const BenchRequest& request);
std::string to_text(const BenchResult& result);
diagnostics::Document to_document(const BenchResult& result);

}  // namespace foxhunt::trainer
