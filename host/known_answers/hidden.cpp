#include "hidden.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace foxhunt::known_answers {

namespace {

double normal_below(double z) { return 0.5 * std::erfc(-z * M_SQRT1_2); }

double played(const PlantedGame& g, const Noise& noise, const std::vector<size_t>& actions) {
  return long_run(g, effective(g, noise, actions)).ticks;
}

// Better actions at position k, the most gained first: {gain, bin, action}. What an action gains is taken at the states
// that the present policy visits, so it holds for small changes.
struct Change {
  double gain;
  size_t bin, action;
};
std::vector<Change> changes(const PlantedGame& g, const Noise& noise, const std::vector<size_t>& actions, size_t k) {
  const Table policy = effective(g, noise, actions);
  const LongRun run = long_run(g, policy);
  const Table q = differential_values(g, policy, run.ticks);
  const size_t bins = noise.shown.size();
  std::vector<Change> found;
  for (size_t x = 0; x < bins; ++x) {
    std::array<double, kActions> value{};
    for (size_t i = 0; i < g.alphas(); ++i)
      for (size_t a = 0; a < kActions; ++a)
        value[a] += run.occupancy[g.cell(i, k)] * noise.likelihood[i * bins + x] * q[g.cell(i, k) * kActions + a];
    const auto best = static_cast<size_t>(std::max_element(value.begin(), value.end()) - value.begin());
    const double gain = value[best] - value[actions[x * g.positions.size() + k]];
    if (gain > 1e-12) found.push_back({gain, x, best});
  }
  std::sort(found.begin(), found.end(), [](const Change& l, const Change& r) { return l.gain > r.gain; });
  return found;
}

Memoryless improved(const PlantedGame& g, const Noise& noise, Memoryless best) {
  for (bool better = true; better;) {
    better = false;
    for (size_t k = 0; k < g.positions.size(); ++k) {
      const std::vector<Change> some = changes(g, noise, best.actions, k);
      for (size_t count = some.size(); count > 0; count /= 2) {
        std::vector<size_t> next = best.actions;
        for (size_t c = 0; c < count; ++c) next[some[c].bin * g.positions.size() + k] = some[c].action;
        const double ticks = played(g, noise, next);
        if (ticks <= best.ticks + 1e-7) continue;
        best = {std::move(next), ticks};
        better = true;
        break;
      }
    }
  }
  return best;
}

// A path of the market, and what the Bayes filter thinks of it.
class Path {
 public:
  Path(const PlantedGame& g, const Noise& noise, bool moves, uint64_t seed)
      : g_(g), noise_(noise), moves_(moves), random_(seed), belief_(g.chain.stationary) {
    state_ = draw(g.chain.stationary.data());
    see();
  }
  double alpha() const { return g_.chain.alpha[state_]; }
  double mean() const {
    double m = 0;
    for (size_t i = 0; i < belief_.size(); ++i) m += belief_[i] * g_.chain.alpha[i];
    return m;
  }
  void advance() {
    const size_t n = g_.alphas();
    if (moves_) {
      const bool rises = std::uniform_real_distribution<>()(random_) < (1 + alpha()) / 2;
      for (size_t i = 0; i < n; ++i) belief_[i] *= rises ? 1 + g_.chain.alpha[i] : 1 - g_.chain.alpha[i];
    }
    state_ = draw(&g_.chain.transition[state_ * n]);
    std::vector<double> next(n, 0);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) next[j] += belief_[i] * g_.chain.transition[i * n + j];
    belief_.swap(next);
    see();
  }

 private:
  size_t draw(const double* p) {
    double u = std::uniform_real_distribution<>()(random_);
    for (size_t j = 0; j + 1 < g_.alphas(); ++j)
      if ((u -= p[j]) < 0) return j;
    return g_.alphas() - 1;
  }
  void see() {
    const double x = alpha() + noise_.deviation * std::normal_distribution<>()(random_);
    double total = 0;
    for (size_t i = 0; i < belief_.size(); ++i) {
      const double z = (x - g_.chain.alpha[i]) / noise_.deviation;
      total += belief_[i] *= std::exp(-0.5 * z * z);
    }
    for (double& b : belief_) b /= total;
  }

  const PlantedGame& g_;
  const Noise& noise_;
  bool moves_;
  std::mt19937_64 random_;
  std::vector<double> belief_;
  size_t state_ = 0;
};

}  // namespace

Noise make_noise(const PlantedGame& g, size_t bins) {
  const market::PlantedModel& m = g.settings.model;
  Noise noise;
  noise.deviation = m.noise * m.sigma;
  const double range = market::shown_range(m), width = 2 * range / static_cast<double>(bins);
  for (size_t x = 0; x < bins; ++x) noise.shown.push_back(-range + width * (static_cast<double>(x) + 0.5));
  for (const double alpha : g.chain.alpha)
    for (size_t x = 0; x < bins; ++x) {
      const auto below = [&](double edge) { return normal_below((edge - alpha) / noise.deviation); };
      const double from = x == 0 ? 0 : below(noise.shown[x] - width / 2), to = x + 1 == bins ? 1 : below(noise.shown[x] + width / 2);
      noise.likelihood.push_back(to - from);
    }
  return noise;
}

Table effective(const PlantedGame& g, const Noise& noise, const std::vector<size_t>& shown_policy) {
  const size_t P = g.positions.size(), bins = noise.shown.size();
  Table policy(g.cells() * kActions, 0);
  for (size_t i = 0; i < g.alphas(); ++i)
    for (size_t x = 0; x < bins; ++x)
      for (size_t k = 0; k < P; ++k) policy[g.cell(i, k) * kActions + shown_policy[x * P + k]] += noise.likelihood[i * bins + x];
  return policy;
}

Memoryless best_memoryless(const PlantedGame& g, const Noise& noise) {
  const size_t P = g.positions.size(), bins = noise.shown.size();
  Memoryless best{std::vector<size_t>(bins * P, 3), 0};
  // From the best threshold of each size, hold below it: so noise trades little.
  for (const auto& [sell, buy] : {std::pair<size_t, size_t>{0, 6}, {1, 5}, {2, 4}}) {
    Memoryless start{std::vector<size_t>(bins * P, 3), 0};
    for (size_t beyond = bins / 2; beyond < bins; beyond += std::max<size_t>(1, bins / 30)) {
      std::vector<size_t> actions(bins * P, 3);
      for (size_t x = 0; x < bins; ++x)
        for (size_t k = 0; k < P && std::abs(noise.shown[x]) > noise.shown[beyond]; ++k)
          actions[x * P + k] = noise.shown[x] > 0 ? buy : sell;
      if (const double ticks = played(g, noise, actions); ticks > start.ticks) start = {std::move(actions), ticks};
    }
    Memoryless found = improved(g, noise, std::move(start));
    if (found.ticks > best.ticks) best = std::move(found);
  }
  return best;
}

BeliefOptimum belief_optimum(const PlantedGame& g, const Noise& noise, bool moves, int64_t steps) {
  // The chain of the filter's mean: a game of its own, whose alphas are the means.
  constexpr size_t kBins = 121;
  const double top = g.chain.alpha.back();
  const auto bin = [&](double m) {
    return static_cast<size_t>(std::clamp((m / top + 1) / 2 * kBins, 0.0, static_cast<double>(kBins) - 1));
  };
  std::vector<double> count(kBins * kBins, 0), visits(kBins, 0), sum(kBins, 0);
  Path learned(g, noise, moves, 1);
  size_t before = bin(learned.mean());
  for (int64_t t = 0; t < steps; ++t) {
    learned.advance();
    const double m = learned.mean();
    const size_t now = bin(m);
    count[before * kBins + now] += 1;
    visits[now] += 1;
    sum[now] += m;
    before = now;
  }
  PlantedGame seen = g;
  seen.chain.alpha.assign(kBins, 0);
  seen.chain.transition.assign(kBins * kBins, 0);
  seen.chain.stationary.assign(kBins, 0);
  for (size_t b = 0; b < kBins; ++b) {
    double from = 0;
    for (size_t c = 0; c < kBins; ++c) from += count[b * kBins + c];
    seen.chain.alpha[b] = visits[b] > 0 ? sum[b] / visits[b] : top * (2 * (static_cast<double>(b) + 0.5) / kBins - 1);
    seen.chain.stationary[b] = visits[b] / static_cast<double>(steps);
    // A mean that was never seen leads to the middle.
    for (size_t c = 0; c < kBins; ++c) seen.chain.transition[b * kBins + c] = from > 0 ? count[b * kBins + c] / from : c == kBins / 2;
  }
  const Table policy = mean_optimum(seen).policy;
  std::vector<size_t> action(seen.cells());
  for (size_t c = 0; c < seen.cells(); ++c)
    for (size_t a = 0; a < kActions; ++a)
      if (policy[c * kActions + a] == 1) action[c] = a;

  constexpr int kBatches = 40;
  std::vector<double> means;
  Path path(g, noise, moves, 2);
  size_t k = g.flat;
  for (int b = 0; b < kBatches; ++b) {
    double earned = 0;
    for (int64_t t = 0; t < steps / kBatches; ++t) {
      const size_t a = action[seen.cell(bin(path.mean()), k)];
      earned += path.alpha() * g.positions[k] - g.cost[k][a];
      k = g.next[k][a];
      path.advance();
    }
    means.push_back(earned / static_cast<double>(steps / kBatches));
  }
  BeliefOptimum r;
  for (const double m : means) r.ticks += m / kBatches;
  for (const double m : means) r.error += (m - r.ticks) * (m - r.ticks);
  r.error = std::sqrt(r.error / (kBatches - 1) / kBatches);
  return r;
}

}  // namespace foxhunt::known_answers
