#include "session.hpp"

#include <foxhunt/error.hpp>

#include "../common/build_info.hpp"
#include "../common/log.hpp"
#include "../common/text.hpp"
#include "../compute/kernel_source.hpp"
#include "../compute/sha256.hpp"

namespace foxhunt::trainer {

namespace {

void say_kernels(const compute::Compute& compute) {
  const compute::CompileReport r = compute.report();
  log::info(text("kernels: compiled ", r.compiled, ", cached ", r.cached, " (", compute.device().kind, ", ",
                 compute.device().compiler, ", ", static_cast<int64_t>(r.milliseconds + 0.5), " ms)"));
}

// "head c51: plugin c51 1.0.0 sha256:…"
std::vector<std::string> plugins_of(const Agent& agent) {
  std::vector<std::string> used;
  const auto add = [&](const std::string& role, const plugins::Instance& i) {
    used.push_back(text(role, ": ", i.plugin().label(), " sha256:", i.plugin().candidate().sha256));
  };
  for (const auto& head : agent.heads()) add("head " + head->name(), head->instance());
  add("reward_shaping", agent.shaper());
  add("position_sizing", agent.sizer());
  return used;
}

// A file's hash covers everything that it includes.
std::vector<std::pair<std::string, std::string>> hashes_of(const compute::Program& program) {
  std::map<std::string, std::string> hashes;
  for (const compute::KernelUnit& unit : program.units) {
    std::string& hash = hashes[unit.file];
    if (!hash.empty()) continue;
    compute::Sha256 sum;
    sum.add(compute::kernel_text(*unit.library, unit.file));
    for (const auto& include : compute::unit_source(unit, compute::KernelMode::cuda).includes) sum.add(include.text);
    hash = compute::to_hex(sum.digest());
  }
  return {hashes.begin(), hashes.end()};
}

checkpoints::Attributes meta_of(const config::Config& config, const Agent& agent, const compute::Compute& compute,
                                const std::vector<std::pair<std::string, std::string>>& kernel_hashes, int64_t step) {
  const BuildInfo build = build_info();
  const compute::DeviceInfo& device = compute.device();
  checkpoints::Attributes meta;
  meta["program"] = std::string("foxhunt ") + build.version;
  meta["commit"] = build.commit;
  meta["compiler"] = build.compiler;
  meta["config"] = config.resolved(config::Detail::result);
  meta["device"] = text(device.kind, ": ", device.name, ", ", device.target);
  meta["device_compiler"] = device.compiler;
  meta["blas"] = device.blas;
  meta["plugins"] = plugins_of(agent);
  std::vector<std::string> kernels;
  for (const auto& [name, sha] : kernel_hashes) kernels.push_back(text(name, " sha256:", sha));
  meta["kernels"] = kernels;
  meta["step"] = step;
  return meta;
}

}  // namespace

Session::Session(const config::Config& config, plugins::Registry& plugins, Purpose purpose)
    : purpose_(purpose), config_(config), blueprint_(config, plugins, purpose) {
  compute_ = compute::open(blueprint_.plan.compute);
  const compute::DeviceInfo& device = compute_->device();
  log::info(text("device: ", device.kind, " ", device.name, " (", device.target, ", ", device.blas, ")",
                 blueprint_.plan.compute.device == "auto" ? "; chosen by trainer.device = auto" : ""));
  Agent& agent = *blueprint_.agent;
  compute_->allocate(agent.tensors());
  agent.upload_constants(*compute_);
  if (blueprint_.iteration) {
    compute_->mirror(agent.record.ring());
    for (const auto& head : agent.heads()) compute_->mirror(head->record.ring());
    iteration_ = compute_->prepare(*blueprint_.iteration);
    kernel_hashes_ = hashes_of(*blueprint_.iteration);
  }
  for (Evaluation* e : {blueprint_.validation.get(), blueprint_.test.get()})
    if (e) e->prepare(*compute_);
  say_kernels(*compute_);
}

void Session::begin_at(int64_t step) {
  step_ = first_step_ = step;
  first_run_ = compute_->submitted();
}

void Session::initialise() {
  blueprint_.agent->initialise(*compute_);
  begin_at(0);
}

void Session::resume(const checkpoints::Reader& file) {
  restore(file, *compute_, blueprint_.agent->tensors(), host_state_);
  uint64_t step = 0;
  compute_->download(blueprint_.agent->step(), &step, sizeof step);
  begin_at(static_cast<int64_t>(step));
}

checkpoints::Match Session::init_from(const checkpoints::Reader& file) {
  initialise();
  return restore_matching(file, *compute_, blueprint_.agent->tensors(), {"/encoder", "/critic", "/policy", "/value", "/heads", "/optimizer"});
}

checkpoints::Match Session::fork_from(const checkpoints::Reader& file) {
  initialise();
  checkpoints::Match match = restore_matching(file, *compute_, blueprint_.agent->tensors(), {"/encoder", "/critic", "/policy", "/value",
                                              "/heads", "/optimizer", "/controllers", "/env", "/replay", "/rng"});
  restore_matching(file, host_state_, match);
  uint64_t step = 0;
  compute_->download(blueprint_.agent->step(), &step, sizeof step);
  begin_at(static_cast<int64_t>(step));
  return match;
}

void Session::load_policy(const checkpoints::Reader& file) {
  blueprint_.agent->initialise(*compute_);
  const Agent& agent = *blueprint_.agent;
  const checkpoints::Match match = restore_matching(file, *compute_, blueprint_.agent->tensors(),
                                                    purpose_ == Purpose::critics ? agent.critic_weights() : agent.acting_weights());
  if (!match.missing.empty() || !match.different.empty())
    throw Error(text(file.file(), " does not hold the policy of this configuration:\n", checkpoints::to_text(match)));
  begin_at(file.integer("step"));
}

void Session::submit() {
  iteration_->submit();
  ++step_;
}

Snapshot Session::snapshot(const HostState& host) const {
  compute_->wait_all();
  return take_snapshot(*compute_, blueprint_.agent->tensors(), host, meta_of(config_, *blueprint_.agent, *compute_, kernel_hashes_, step_));
}

EvaluationResult Session::evaluate(const std::string& part, const std::function<void(const Fill&)>& on_fill) {
  Evaluation* evaluation = part == "validation" ? blueprint_.validation.get() : part == "test" ? blueprint_.test.get() : nullptr;
  if (!evaluation)
    throw Error(text("there is no ", part, " part: env.split_train = ", config_.real("env.split_train"),
                     ", env.split_validation = ", config_.real("env.split_validation"), " and env.embargo = ", config_.integer("env.embargo"),
                     " leave no rows for it"));
  const uint64_t before = compute_->submitted();
  EvaluationResult result = evaluation->run(*compute_, on_fill);
  // Its runs are no iterations: those to come have higher numbers, those before are done.
  first_run_ += compute_->submitted() - before;
  return result;
}

void Session::last_fills(const std::function<void(const Fill&)>& on_fill) {
  if (!plan().trades) return;
  compute_->wait_all();
  const auto n = static_cast<size_t>(blueprint_.plan.samples());
  std::vector<int32_t> row(n);
  std::vector<double> lots(n), value(n);
  const auto get = [&](compute::TensorId id, auto& to) { compute_->download(id, to.data(), to.size() * sizeof(to[0])); };
  get(blueprint_.agent->rollout.fill_row, row);
  get(blueprint_.agent->rollout.fill_lots, lots);
  get(blueprint_.agent->rollout.fill_value, value);
  for (size_t i = 0; i < n; ++i) {
    if (lots[i] == 0) continue;
    const auto t = static_cast<int64_t>(i) / blueprint_.plan.accounts, account = static_cast<int64_t>(i) % blueprint_.plan.accounts;
    on_fill({(step_ - 1) * blueprint_.plan.horizon + t, account, row[i], lots[i], value[i], blueprint_.plan.account.fee * std::abs(lots[i])});
  }
}

}  // namespace foxhunt::trainer
