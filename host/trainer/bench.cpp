#include "bench.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include "../common/text.hpp"
#include "bench_floor.hpp"
#include "session.hpp"

namespace foxhunt::trainer {

namespace {

using Clock = std::chrono::steady_clock;
double microseconds(Clock::time_point from) { return std::chrono::duration<double, std::micro>(Clock::now() - from).count(); }

std::string name_of(const compute::Op& op) {
  if (const auto* launch = std::get_if<compute::LaunchOp>(&op.work)) return launch->kernel->entry;
  if (const auto* g = std::get_if<compute::GemmOp>(&op.work)) return text("product ", g->m, " x ", g->n, " x ", g->k);
  return std::holds_alternative<compute::FillOp>(op.work) ? "fill" : "copy";
}

// In at least `width` columns, and never against what follows.
std::string pad(std::string s, size_t width) {
  s.resize(std::max(s.size() + 1, width), ' ');
  return s;
}

std::vector<BenchResult::Line> slowest_first(const std::map<std::string, BenchResult::Line>& lines) {
  std::vector<BenchResult::Line> sorted;
  for (const auto& [name, line] : lines) sorted.push_back(line);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.us > b.us; });
  return sorted;
}

void split_time(BenchResult& result, Session& session, const Machine& machine) {
  const compute::Program& program = session.program();
  const std::vector<double> us = session.compute().time_operations(program, 9);
  std::map<std::string, BenchResult::Line> phases, kernels;
  for (size_t i = 0; i < us.size(); ++i) {
    const compute::Op& op = program.ops[i];
    const double floor = least_work(op, session.agent().tensors()).floor_us(machine);
    const auto count = [&](std::map<std::string, BenchResult::Line>& lines, const std::string& name) {
      BenchResult::Line& line = lines[name];
      line.name = name;
      ++line.calls;
      line.us += us[i];
      line.floor += floor;
    };
    count(phases, op.step);
    count(kernels, name_of(op));
    result.chain_us += us[i];
  }
  result.phases = slowest_first(phases);
  result.kernels = slowest_first(kernels);
}

}  // namespace

BenchResult bench(const BenchRequest& request) {
  BenchResult result;
  std::vector<std::unique_ptr<Session>> sessions;
  result.replicas = request.config.integer("trainer.replicas");
  for (int64_t i = 0; i < result.replicas; ++i) {
    sessions.push_back(std::make_unique<Session>(request.config, request.plugins));
    sessions.back()->initialise();
  }
  const Plan& plan = sessions.front()->plan();
  result.accounts = plan.accounts;
  result.horizon = plan.horizon;
  result.replay_updates = plan.replay_updates;
  result.batch = plan.replay.batch;
  const compute::DeviceInfo& device = sessions.front()->compute().device();
  result.device = text(device.kind, ": ", device.name, ", ", device.target, ", ", device.blas);

  const auto run = [&](int64_t iterations) {
    double submitting = 0;
    for (int64_t i = 0; i < iterations; ++i)
      for (const auto& s : sessions) {
        const auto start = Clock::now();
        s->submit();
        submitting += microseconds(start);
      }
    for (const auto& s : sessions) s->compute().wait_all();
    return submitting / static_cast<double>(iterations * result.replicas);
  };
  run(request.warm_up);
  std::vector<double> ms;
  for (int64_t r = 0; r < request.rounds; ++r) {
    const auto start = Clock::now();
    result.submit_us = run(request.iterations);
    ms.push_back(microseconds(start) / 1e3 / static_cast<double>(request.iterations));
  }
  std::sort(ms.begin(), ms.end());
  result.iteration_ms = ms[ms.size() / 2];
  result.least_ms = ms.front();
  result.most_ms = ms.back();
  result.env_steps_per_s = static_cast<double>(result.replicas * plan.samples()) / result.iteration_ms * 1e3;

  const Machine machine = measure_machine(plan.compute);
  result.copy_gb_s = machine.bytes_per_us / 1e3;
  result.gemm_gflop_s = machine.flops_per_us / 1e3;
  split_time(result, *sessions.front(), machine);
  return result;
}

std::string to_text(const BenchResult& r) {
  std::string out = text(r.device, "\n", r.accounts, " accounts x ", r.horizon, " steps, ", r.replay_updates, " replay updates of ", r.batch,
                         r.replicas > 1 ? text("; ", r.replicas, " replicas") : std::string(), "\n");
  out += text("iteration  ", fixed(r.iteration_ms, 3), " ms (", fixed(r.least_ms, 3), " to ", fixed(r.most_ms, 3), "), ",
              fixed(r.env_steps_per_s, 0), " env steps/s; the host starts it in ", fixed(r.submit_us, 1), " us\n");
  out += text("operations ", fixed(r.chain_us / 1e3, 3), " ms one after the other\n");
  out += text("device     copies ", fixed(r.copy_gb_s, 1), " GB/s, multiplies ", fixed(r.gemm_gflop_s, 0), " GFLOP/s\n");
  const auto table = [&](const char* title, const std::vector<BenchResult::Line>& lines) {
    out += text("\n", pad(title, 36), pad("calls", 7), pad("us", 11), pad("share", 8), "floor us\n");
    for (const BenchResult::Line& l : lines)
      out += text(pad(l.name, 36), pad(text(l.calls), 7), pad(fixed(l.us, 1), 11), pad(text(fixed(100 * l.us / r.chain_us, 1), " %"), 8),
                  fixed(l.floor, 2), "\n");
  };
  table("phase", r.phases);
  table("kernel", r.kernels);
  return out;
}

diagnostics::Document to_document(const BenchResult& r) {
  diagnostics::Document d;
  d.add("device", r.device).add("accounts", r.accounts).add("horizon", r.horizon);
  d.add("replay_updates", r.replay_updates).add("batch", r.batch).add("replicas", r.replicas);
  d.add("iteration_ms", r.iteration_ms).add("iteration_ms_least", r.least_ms).add("iteration_ms_most", r.most_ms);
  d.add("env_steps_per_s", r.env_steps_per_s).add("submit_us", r.submit_us).add("chain_us", r.chain_us);
  d.add("copy_gb_s", r.copy_gb_s).add("gemm_gflop_s", r.gemm_gflop_s);
  const auto lines = [](const std::vector<BenchResult::Line>& all) {
    std::vector<diagnostics::Document> list;
    for (const BenchResult::Line& l : all)
      list.push_back(diagnostics::Document().add("name", l.name).add("calls", l.calls).add("us", l.us).add("floor_us", l.floor));
    return list;
  };
  d.add("phases", lines(r.phases));
  return d.add("kernels", lines(r.kernels));
}

}  // namespace foxhunt::trainer
