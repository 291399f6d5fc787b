#include "market/planted.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <foxhunt/error.hpp>
#include <type_traits>

#include "market/philox.hpp"

namespace foxhunt::market {
namespace {

constexpr int64_t kStart = 1'577'836'800'000'000'000;  // 2020-01-01 00:00 UTC
constexpr int64_t kStep = 1'000'000'000;
constexpr int64_t kPause = 3'600'000'000'000;  // between sessions
constexpr int32_t kFirstBid = 1'000'000;
constexpr int64_t kLevels = 10;

/// Probability as a threshold for a 32-bit draw: comparing integers makes the path the same on every
/// platform, whatever the last bit of its erfc.
uint64_t threshold(double p) { return static_cast<uint64_t>(std::llround(std::clamp(p, 0.0, 1.0) * 0x1p32)); }

/// Draws an index from cumulative thresholds.
size_t draw(const uint64_t* thresholds, size_t n, uint32_t random) {
  return std::min<size_t>(
      n - 1,
      static_cast<size_t>(std::upper_bound(thresholds, thresholds + n, uint64_t{random}) - thresholds));
}

std::vector<uint64_t> cumulative(const double* p, size_t n) {
  std::vector<uint64_t> t(n);
  double sum = 0;
  for (size_t i = 0; i < n; ++i) t[i] = threshold(sum += p[i]);
  return t;
}

/// Box and Muller 1958, one of the pair.
double normal(uint32_t a, uint32_t b) {
  const double u = (a + 0.5) * 0x1p-32, v = (b + 0.5) * 0x1p-32;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * v);
}

// The path of alpha's state, and the draws that go with each row.
class AlphaPath {
 public:
  AlphaPath(const AlphaChain& chain, uint64_t seed) : random_(seed, "planted") {
    const size_t n = chain.alpha.size();
    for (size_t i = 0; i < n; ++i) next_.push_back(cumulative(&chain.transition[i * n], n));
    state_ = draw(cumulative(chain.stationary.data(), n).data(), n, random_(0, 1)[0]);
  }
  size_t state() const { return state_; }
  /// Four words for row t: the mid's move, alpha's step, two for the noise.
  auto draws(size_t t) const { return random_(t); }
  void step(uint32_t random) { state_ = draw(next_[state_].data(), next_.size(), random); }

 private:
  Philox random_;
  std::vector<std::vector<uint64_t>> next_;
  size_t state_ = 0;
};

void fill_row(Market& m, size_t row, int32_t bid, const PlantedModel& model, double shown) {
  const DeepSizes deep = deep_sizes(model, shown);
  const int near = near_levels(model);
  for (int32_t l = 0; l < kLevels; ++l) {
    const size_t i = row * kLevels + static_cast<size_t>(l);
    m.bid_px[i] = bid - l;
    m.ask_px[i] = bid + 1 + l;
    m.bid_sz[i] = l < near ? model.near_lots : deep.bid;
    m.ask_sz[i] = l < near ? model.near_lots : deep.ask;
  }
  m.signal[row] = static_cast<float>(shown);
}

void describe_model(Market& m, const PlantedOptions& o) {
  m.attributes = {{"planted.states", int64_t{o.model.states}},
                  {"planted.phi", o.model.phi},
                  {"planted.sigma", o.model.sigma},
                  {"planted.width", o.model.width},
                  {"planted.near_lots", int64_t{o.model.near_lots}},
                  {"planted.hidden", int64_t{o.model.hidden}},
                  {"planted.noise", o.model.noise},
                  {"planted.session_rows", o.session_rows},
                  {"planted.seed", std::to_string(o.seed)}};
}

}  // namespace

Market generate_planted(const PlantedOptions& o) {
  const AlphaChain chain = make_chain(o.model);
  if (o.rows < 1 || o.rows > int64_t{1} << 40)
    throw Error("planted market: rows = " + std::to_string(o.rows) + " makes no market");
  if (o.session_rows < 0) throw Error("planted market: session_rows must not be negative");
  std::vector<uint64_t> up;
  for (const double alpha : chain.alpha) up.push_back(threshold((1 + alpha) / 2));

  Market m;
  m.instrument = {"PLANTED", 1, 1, "USD"};
  m.source = "planted";
  m.levels = kLevels;
  m.resize(o.rows);
  m.signal.resize(m.ts.size());
  describe_model(m, o);

  AlphaPath path(chain, o.seed);
  int32_t bid = kFirstBid;
  for (size_t t = 0; t < m.ts.size(); ++t) {
    const auto r = path.draws(t);
    const double noise = o.model.hidden ? o.model.noise * o.model.sigma * normal(r[2], r[3]) : 0.0;
    const int64_t session = o.session_rows ? static_cast<int64_t>(t) / o.session_rows : 0;
    fill_row(m, t, bid, o.model, chain.alpha[path.state()] + noise);
    m.session[t] = static_cast<int32_t>(session);
    m.ts[t] = m.ts_event[t] = kStart + static_cast<int64_t>(t) * kStep + session * kPause;
    const bool rises = r[0] < up[path.state()];
    bid += rises ? 1 : -1;
    if (t + 1 < m.ts.size()) (rises ? m.buy_volume : m.sell_volume)[t + 1] = o.model.near_lots;
    path.step(r[1]);
  }
  return m;
}

std::optional<PlantedOptions> planted_options(const Market& m) {
  if (m.source != "planted") return std::nullopt;
  PlantedOptions o;
  bool all = true;
  const auto take = [&](const char* name, auto& to) {
    const auto found = m.attributes.find(std::string("planted.") + name);
    if (found == m.attributes.end()) return void(all = false);
    std::visit(
        [&](const auto& value) {
          using Value = std::decay_t<decltype(value)>;
          if constexpr (std::is_arithmetic_v<Value>) to = static_cast<std::decay_t<decltype(to)>>(value);
          else all = false;
        },
        found->second);
  };
  take("states", o.model.states);
  take("phi", o.model.phi);
  take("sigma", o.model.sigma);
  take("width", o.model.width);
  take("near_lots", o.model.near_lots);
  take("hidden", o.model.hidden);
  take("noise", o.model.noise);
  take("session_rows", o.session_rows);
  const auto seed = m.attributes.find("planted.seed");
  const auto* digits = seed == m.attributes.end() ? nullptr : std::get_if<std::string>(&seed->second);
  if (!all || !digits) return std::nullopt;
  const auto parsed = std::from_chars(digits->data(), digits->data() + digits->size(), o.seed);
  if (parsed.ec != std::errc() || parsed.ptr != digits->data() + digits->size()) return std::nullopt;
  o.rows = m.rows();
  return o;
}

std::vector<uint16_t> planted_states(const PlantedOptions& o) {
  AlphaPath path(make_chain(o.model), o.seed);
  std::vector<uint16_t> states(static_cast<size_t>(o.rows));
  for (size_t t = 0; t < states.size(); ++t) {
    states[t] = static_cast<uint16_t>(path.state());
    path.step(path.draws(t)[1]);
  }
  return states;
}

}  // namespace foxhunt::market
