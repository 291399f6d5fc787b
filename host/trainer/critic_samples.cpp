#include "critic_samples.hpp"

namespace foxhunt::trainer {

namespace {

void append(std::vector<float>& to, const std::vector<float>& from, size_t row, size_t width) {
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(row * width), from.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
}

}  // namespace

CriticProbe::CriticProbe(Agent& agent, const std::string& prefix, int64_t steps, int64_t accounts)
    : agent_(agent), prefix_(prefix + "/critics"), accounts_(static_cast<size_t>(accounts)) {
  const Plan& plan = agent.plan();
  const auto add = [&](const std::string& name, fh_shape s) {
    compute::TensorSpec spec;
    spec.name = prefix_ + "/" + name;
    spec.dtype = FH_F32;
    spec.shape = s;
    spec.lifetime = compute::Lifetime::resident;
    return agent.tensors().add(std::move(spec));
  };
  const auto n = static_cast<size_t>(steps * accounts);
  h_ = add("h", shape(steps, accounts, plan.encoder.hidden));
  chunk_h_.resize(n * static_cast<size_t>(plan.encoder.hidden));
  value_ = add("value", shape(steps, accounts));
  chunk_value_.resize(n);
  for (const auto& head : agent.heads()) {
    if (!head->offers("expected_q")) continue;
    q_.push_back(add("q/" + head->name(), shape(steps, accounts, plan.actions)));
    chunk_q_.emplace_back(n * static_cast<size_t>(plan.actions));
  }
  reset();
}

void CriticProbe::record(compute::Program& program, compute::Recording& main, int64_t t, fh_tensor h, compute::TensorId step) {
  Recorder r = main.recorder();
  r.copy(r.slice(main.write(h_), t), h);
  std::vector<std::pair<std::string, fh_tensor>> wanted;
  for (size_t i = 0; i < q_.size(); ++i) wanted.emplace_back(samples_.heads[i].name, r.slice(main.write(q_[i]), t));
  agent_.record_critics(program, main, prefix_, {h, r.slice(main.write(value_), t), wanted, step, static_cast<uint32_t>(t)});
}

void CriticProbe::download(compute::Compute& compute) {
  const auto get = [&](compute::TensorId id, std::vector<float>& to) { compute.download(id, to.data(), to.size() * sizeof(float)); };
  get(h_, chunk_h_);
  get(value_, chunk_value_);
  for (size_t i = 0; i < q_.size(); ++i) get(q_[i], chunk_q_[i]);
}

void CriticProbe::keep(size_t t, size_t account, size_t cell) {
  const size_t row = t * accounts_ + account;
  samples_.cells.push_back(cell);
  append(samples_.h, chunk_h_, row, static_cast<size_t>(samples_.hidden));
  if (!agent_.plan().own_critic) samples_.value.push_back(chunk_value_[row]);
  for (size_t i = 0; i < q_.size(); ++i) append(samples_.heads[i].q, chunk_q_[i], row, static_cast<size_t>(samples_.actions));
}

void CriticProbe::reset() {
  samples_ = {};
  samples_.hidden = agent_.plan().encoder.hidden;
  samples_.actions = agent_.plan().actions;
  for (const auto& head : agent_.heads())
    if (head->offers("expected_q")) samples_.heads.push_back({head->name(), {}});
}

}  // namespace foxhunt::trainer
