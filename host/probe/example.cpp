#include <cmath>
#include <numbers>

#include "../agent/parameters.hpp"
#include "../common/philox.hpp"
#include "../common/text.hpp"
#include "probe.hpp"
#include "shaper.hpp"
#include "sizer.hpp"

namespace foxhunt::probe {

namespace {

/// Independent streams of random numbers, each with a name of its own.
class Draws {
 public:
  explicit Draws(uint64_t seed) : seed_(seed) {}

  void normal(const std::string& path, Values& v, double deviation = 1) const {
    fill(path, v, [&](double a, double b) {
      return deviation * std::sqrt(-2 * std::log(a)) * std::cos(2 * std::numbers::pi * b);
    });
  }
  /// Whole numbers from 0 to n - 1.
  void below(const std::string& path, Values& v, double n) const {
    fill(path, v, [&](double a, double) { return std::floor(a * n); });
  }

 private:
  template <class F>
  void fill(const std::string& path, Values& v, F&& f) const {
    const Recorder::Key key = compute::stream_key(seed_, "probe" + path);
    const common::Philox stream(key.k[0], key.k[1]);
    const auto open_unit = [](uint32_t bits) { return (bits + 0.5) * 0x1p-32; };
    v.data.resize(static_cast<size_t>(compute::elements_of(v.shape)));
    for (size_t i = 0; i < v.data.size(); ++i) {
      const auto bits = stream(i);
      v.data[i] = f(open_unit(bits[0]), open_unit(bits[1]));
      if (v.dtype == FH_F32) v.data[i] = static_cast<float>(v.data[i]);
    }
  }
  uint64_t seed_;
};

Contents head_example(const Subject& subject, const plugins::QHeadInstance& head, int64_t batch, int64_t hidden) {
  const Draws draws(subject.seed());
  Contents c = inputs_of(head, batch, hidden, subject.actions).required;
  for (const char* path : {"/h", "/h_next", "/reward", "/value", "/value_next"})
    if (c.contains(path)) draws.normal(path, c.at(path));
  draws.below("/action", c.at("/action"), static_cast<double>(subject.actions));
  draws.below("/terminated", c.at("/terminated"), 4);
  for (double& t : c.at("/terminated").data) t = t == 0;
  for (const char* net : {"online", "target"})
    for (const fh_declared& d : head.parameters()) {
      const std::string path = text("/weights/", net, "/", d.name);
      const std::vector<float> values = agent::initial_values(d, subject.seed(), path);
      c.at(path).data.assign(values.begin(), values.end());
    }
  return c;
}

Contents shaper_example(const Subject& subject, const plugins::RewardShaperInstance& shaper, int64_t count) {
  Inputs in = inputs_of(shaper, count);
  Draws(subject.seed()).normal("/reward", in.required.at("/reward"));
  for (const fh_declared& d : shaper.controllers()) {
    Values& v = in.optional.at(text("/", d.name));
    v.data.assign(static_cast<size_t>(compute::elements_of(d.shape)), d.value);
  }
  in.required.merge(in.optional);
  return std::move(in.required);
}

Contents sizer_example(const Subject& subject, const plugins::PositionSizerInstance& sizer, int64_t batch) {
  constexpr int64_t atoms = 21;
  const Draws draws(subject.seed());
  const Values support{FH_F32, shape(atoms), {"atom"}, {}};
  Contents c = inputs_of(sizer, batch, subject.actions, atoms).required;
  draws.below("/action", c.at("/action"), static_cast<double>(subject.actions));
  draws.below("/target_position", c.at("/target_position"), 9);
  for (double& lots : c.at("/target_position").data) lots -= 4;
  const auto fill = [&](const char* path, auto&& work) {
    if (const auto it = c.find(path); it != c.end()) work(it->second.data);
  };
  // A distribution that all of the risk source's tensors are of.
  Values z = support, log_probs{FH_F32, shape(batch, subject.actions, atoms), {}, {}};
  for (int64_t i = 0; i < atoms; ++i) z.data.push_back(static_cast<float>(-3 + 0.3 * static_cast<double>(i)));
  draws.normal("/log_probs", log_probs);
  for (size_t row = 0; row < log_probs.data.size(); row += atoms) {
    double sum = 0;
    for (size_t i = 0; i < atoms; ++i) sum += std::exp(log_probs.data[row + i]);
    for (size_t i = 0; i < atoms; ++i) log_probs.data[row + i] -= std::log(sum);
  }
  const Moments m = moments(log_probs, z);
  fill("/support", [&](auto& data) { data = z.data; });
  fill("/log_probs", [&](auto& data) { data = log_probs.data; });
  fill("/expected_q", [&](auto& data) { data = m.mean; });
  fill("/variance_q", [&](auto& data) { data = m.variance; });
  return c;
}

}  // namespace

Answer example(const Subject& subject, int64_t batch, int64_t hidden) {
  switch (subject.kind) {
    case FH_Q_HEAD: {
      const plugins::QHeadInstance head = subject.head(hidden);
      return {head_example(subject, head, batch, hidden), attributes_of(subject, head), {}};
    }
    case FH_REWARD_SHAPER: {
      const plugins::RewardShaperInstance shaper = subject.shaper();
      return {shaper_example(subject, shaper, batch), attributes_of(subject, shaper), {}};
    }
    case FH_POSITION_SIZER: {
      const plugins::PositionSizerInstance sizer = subject.sizer(subject.actions);
      return {sizer_example(subject, sizer, batch), attributes_of(subject, sizer), {}};
    }
  }
  throw Error("a plugin of an unknown kind");
}

}  // namespace foxhunt::probe
