// Every phase of an iteration on the GPU against the CPU, each from the very same memory: the same actions, the same
// random numbers, the same weights. (A whole iteration that runs freely diverges through sampled actions.)
#include <cmath>
#include <cstring>
#include <iostream>
#include <map>
#include <set>

#include "../../host/config/config.hpp"
#include "../../host/plugins/registry.hpp"
#include "../../host/trainer/blueprint.hpp"
#include "devices.hpp"

namespace foxhunt::parity {
namespace {

using compute::Program;
using compute::TensorId;

plugins::Registry& registry() {
  static plugins::Registry r({{FOXHUNT_BUILT_PLUGINS, true}});
  return r;
}

config::Config config_of(const std::string& ini) {
  return config::assemble({config::parse_text(ini, "test")},
                          [](config::Kind k, const std::string& p) { return registry().settings(k, p); });
}

struct Phase {
  std::string label;
  Program program;
  std::set<TensorId> touched, written;
};

// Operations that follow each other under one label.
std::vector<Phase> phases_of(const Program& whole, const compute::Tensors& tensors) {
  const auto root = [&](const compute::Operand& o) { return tensors[o.tensor].parent ? tensors[o.tensor].parent : o.tensor; };
  std::vector<Phase> phases;
  for (const compute::Op& op : whole.ops) {
    const std::string label = op.owner.empty() ? op.step : op.step + " (" + op.owner + ")";
    if (phases.empty() || phases.back().label != label) phases.push_back({label, {label, whole.units, {}}, {}, {}});
    Phase& p = phases.back();
    p.program.ops.push_back(op);
    for (const auto& o : op.reads) p.touched.insert(root(o));
    for (const auto& o : op.writes) p.touched.insert(root(o)), p.written.insert(root(o));
  }
  return phases;
}

std::vector<std::byte> download(compute::Compute& c, const compute::Tensors& tensors, TensorId id) {
  std::vector<std::byte> bytes(tensors.bytes(id));
  c.download(id, bytes.data(), bytes.size());
  return bytes;
}

// |a - b| / |b| over all finite elements; infinite where a NaN or an infinity stands against something else.
template <class T>
double relative_error(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  double error = 0, size = 0;
  for (size_t i = 0; i < a.size() / sizeof(T); ++i) {
    T x, y;
    std::memcpy(&x, a.data() + i * sizeof(T), sizeof(T));
    std::memcpy(&y, b.data() + i * sizeof(T), sizeof(T));
    if (std::memcmp(&x, &y, sizeof(T)) == 0) {
      if (std::isfinite(static_cast<double>(y))) size += static_cast<double>(y) * static_cast<double>(y);
      continue;
    }
    const double dx = static_cast<double>(x), dy = static_cast<double>(y);
    if (std::isnan(dx) && std::isnan(dy)) continue;
    if (!std::isfinite(dx) || !std::isfinite(dy)) return HUGE_VAL;
    error += (dx - dy) * (dx - dy);
    size += dy * dy;
  }
  return error == 0 ? 0 : std::sqrt(error / std::max(size, 1e-60));
}

double relative_error(fh_dtype dtype, const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  switch (dtype) {
    case FH_F32: return relative_error<float>(a, b);
    case FH_F64: return relative_error<double>(a, b);
    case FH_I32: return relative_error<int32_t>(a, b);
    case FH_U32: return relative_error<uint32_t>(a, b);
    case FH_U8: return relative_error<uint8_t>(a, b);
    case FH_I64: return relative_error<int64_t>(a, b);
    case FH_U64: return relative_error<uint64_t>(a, b);
  }
  return HUGE_VAL;
}

struct Errors {
  std::map<std::string, double> phase;     ///< worst of each label
  std::map<std::string, double> gradient;  ///< of each tensor of gradients
};

class Phases : public OnGpu {
 protected:
  static constexpr const char* kConfig = R"(
heads = c51 wide:c51 iqn deep:iqn qr_dqn
ensemble = c51:0.4 wide:0.2 iqn:0.4
risk_source = c51
[env]
rows = 8192
episode_rows = 50
[trainer]
accounts = 64
horizon = 6
[replay]
capacity = 2048
start = 512
updates = 2
batch = 128
[encoder]
hidden = 64
layers = 2
[wide]
atoms = 51
v_max = 10
[deep]
hidden = 32
inference = random
select = expected_sarsa
[qr_dqn]
select = double
[reward_shaping]
plugin = rank_standardize
[position_sizing]
plugin = variance
)";

  static Errors measure(compute::Profile gpu_profile, bool tf32) {
    const config::Config config = config_of(kConfig);
    trainer::Blueprint b(config, registry());
    const compute::Tensors& tensors = b.agent->tensors();
    const auto cpu = open("cpu", compute::Profile::parity), gpu = open("cuda", gpu_profile, tf32);
    for (compute::Compute* c : {cpu.get(), gpu.get()}) {
      c->allocate(tensors);
      b.agent->initialise(*c);
    }
    const auto whole = cpu->prepare(*b.iteration);
    for (int i = 0; i < 30; ++i) whole->submit();
    cpu->wait_all();

    Errors errors;
    for (const Phase& phase : phases_of(*b.iteration, tensors)) {
      for (const TensorId id : phase.touched) {
        const auto bytes = download(*cpu, tensors, id);
        gpu->upload(id, bytes.data(), bytes.size());
      }
      for (compute::Compute* c : {cpu.get(), gpu.get()}) {
        const auto executable = c->prepare(phase.program);
        executable->submit();
        c->wait_all();
      }
      double& worst = errors.phase[phase.label];
      for (const TensorId id : phase.written) {
        const double e = relative_error(tensors[id].dtype, download(*gpu, tensors, id), download(*cpu, tensors, id));
        worst = std::max(worst, e);
        if (tensors[id].name.ends_with("/gradient") || tensors[id].name.find("grad_") != std::string::npos)
          errors.gradient[tensors[id].name] = std::max(errors.gradient[tensors[id].name], e);
      }
    }
    for (const auto& [label, e] : errors.phase) std::cout << "phase    " << label << "  " << e << "\n";
    for (const auto& [name, e] : errors.gradient) std::cout << "gradient " << name << "  " << e << "\n";
    return errors;
  }
};

TEST_F(Phases, AgreeToOneInAHundredThousandInTheParityProfile) {
  const Errors errors = measure(compute::Profile::parity, false);
  EXPECT_GE(errors.phase.size(), 15u);
  for (const auto& [label, e] : errors.phase) EXPECT_LE(e, 1e-5) << label;
  EXPECT_GE(errors.gradient.size(), 3u);
  for (const auto& [name, e] : errors.gradient) EXPECT_LE(e, 1e-5) << name;
}

TEST_F(Phases, GradientsAgreeToOneInAThousandWithTf32) {
  const Errors errors = measure(compute::Profile::fast, true);
  EXPECT_GE(errors.gradient.size(), 3u);
  for (const auto& [name, e] : errors.gradient) EXPECT_LE(e, 1e-3) << name;
}

}  // namespace
}  // namespace foxhunt::parity
