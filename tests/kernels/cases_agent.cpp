#include <algorithm>
#include <cmath>

#include "cases.hpp"
#include "kernels/agent.hpp"
#include "kernels/manifest.hpp"

namespace foxhunt::kernels::test {
namespace {

// The sum over the future, as equation 16 has it, cut where the episode or the valid samples end.
void gae_reference(Arguments& a, int64_t horizon, int64_t accounts) {
  const double gamma = a.number("gamma"), lambda = a.number("lambda");
  for (int64_t i = 0; i < accounts; ++i)
    for (int64_t start = 0; start < horizon; ++start) {
      double sum = 0, weight = 1;
      for (int64_t t = start; t < horizon; ++t) {
        const size_t k = at(t * accounts + i);
        if (a["valid"][k] == 0) break;
        const double bootstrap = a["done"][k] == 1 ? 0 : gamma * a["value"][k + at(accounts)];
        sum += weight * (a["reward"][k] + bootstrap - a["value"][k]);
        weight *= gamma * lambda;
        if (a["done"][k] != 0) break;
      }
      a["advantage"][at(start * accounts + i)] = sum;
      a["value_target"][at(start * accounts + i)] = sum + a["value"][at(start * accounts + i)];
    }
}

void gae_cases(Cases& cases) {
  const struct {
    int64_t horizon, accounts;
    double gamma, lambda;
    double ends, valid;
  } settings[] = {{1, 1, 0.99, 0.95, 0, 1},   {4, 7, 0.99, 0.95, 2, 0.8}, {16, 33, 0.99, 0.95, 1, 0.9},
                  {16, 5, 1, 1, 0, 1},        {5, 33, 0.9, 0, 2, 0.9},    {3, 7, 0.9, 0.9, 2, 0},
                  {16, 3000, 0.99, 0.95, 2, 0.9}};
  for (const auto& s : settings) {
    const int64_t n = s.horizon * s.accounts;
    Values done = integers(n, 3, -4, 2);
    for (double& v : done) v = s.ends == 0 ? 0 : std::max(v, 0.0);
    cases.add(program_kernels(), gae,
              std::to_string(s.horizon) + " x " + std::to_string(s.accounts) + " lambda " + std::to_string(s.lambda),
              Grid::elements(s.accounts), {},
              {normal(n, 1), normal(n + s.accounts, 2), done, flags(n, 4, s.valid), unwritten(n), unwritten(n),
               {s.gamma}, {s.lambda}, {static_cast<double>(s.horizon)}, {static_cast<double>(s.accounts)}},
              [=](Arguments& a) { gae_reference(a, s.horizon, s.accounts); });
    cases.list.back().large = s.accounts > 1000;
    cases.list.back().tolerance = {{"advantage", {1e-5, 1e-5}}, {"value_target", {1e-5, 1e-5}}};
  }
}

void n_step_returns_cases(Cases& cases) {
  const struct {
    int64_t n, horizon, accounts;
    double gamma, ends, valid;
  } settings[] = {{1, 1, 1, 0.9, 0, 1}, {3, 4, 7, 0.99, 2, 0.8}, {5, 16, 33, 0.99, 1, 0.9}, {100, 16, 5, 1, 2, 1}};
  for (const auto& s : settings) {
    const int64_t n = s.horizon * s.accounts;
    Values done = integers(n, 3, -4, 2);
    for (double& v : done) v = s.ends == 0 ? 0 : std::max(v, 0.0);
    cases.add(program_kernels(), n_step_returns,
              std::to_string(s.n) + " steps, " + std::to_string(s.horizon) + " x " + std::to_string(s.accounts),
              Grid::elements(n), {},
              {normal(n, 1), normal(n + s.accounts, 2), normal(n + s.accounts, 5), done, flags(n, 4, s.valid), unwritten(n),
               unwritten(n), {s.gamma}, {static_cast<double>(s.n)}, {static_cast<double>(s.horizon)},
               {static_cast<double>(s.accounts)}},
              [=](Arguments& a) {
                const double gamma = a.number("gamma");
                for (int64_t i = 0; i < n; ++i) {
                  double sum = 0, end = 0;
                  int64_t k = 0;
                  for (; k < s.n && i + k * s.accounts < n && end == 0; ++k) {
                    sum += std::pow(gamma, k) * a["reward"][at(i + k * s.accounts)];
                    end = a["done"][at(i + k * s.accounts)];
                  }
                  if (end != 1) sum += std::pow(gamma, k) * a["bootstrap"][at(i + k * s.accounts)];
                  const bool valid = a["valid"][at(i)] != 0;
                  a["value_target"][at(i)] = valid ? sum : a["value"][at(i)];
                  a["advantage"][at(i)] = valid ? sum - a["value"][at(i)] : 0;
                }
              })
        .tolerance = {{"advantage", {1e-5, 1e-5}}, {"value_target", {1e-5, 1e-5}}};
  }
}

void stop_beyond_cases(Cases& cases) {
  const struct {
    const char* name;
    Values kl, valid;
    double before, first, after;
  } settings[] = {{"below", {0.01, 0.02}, {1, 1}, 1, 1, 1},
                  {"beyond", {0.01, 0.2}, {1, 1}, 1, 1, 0},
                  {"what is not valid does not count", {0.01, 7}, {1, 0}, 1, 1, 1},
                  {"stays stopped", {0.01, 0.02}, {1, 1}, 0, 0, 0},
                  {"goes on", {0.01, 0.02}, {1, 1}, 1, 0, 1},
                  {"begins anew", {0.01, 0.02}, {1, 1}, 0, 1, 1},
                  {"nothing valid", {9, 9}, {0, 0}, 1, 0, 1},
                  {"a NaN", {std::nan(""), 9}, {1, 1}, 1, 0, 1}};
  for (const auto& s : settings)
    cases.add(program_kernels(), stop_beyond, s.name, Grid::blocks(1), {},
              {s.kl, s.valid, {5, s.before}, {0.05}, {s.first}, {2}}, [=](Arguments& a) { a["go"] = {0, s.after}; });
  cases.add(program_kernels(), stop_beyond, "n 1000", Grid::blocks(1), {},
            {same(1000, 0.06), flags(1000, 1), {0, 1}, {0.05}, {0}, {1000}}, [](Arguments& a) { a["go"] = {0, 0}; });
}

void end_where_truncated_cases(Cases& cases) {
  for (const int64_t n : {1, 7, 34}) {
    std::vector<double> done(static_cast<size_t>(n));
    for (size_t i = 0; i < done.size(); ++i) done[i] = static_cast<double>((i + 2) % 3);
    cases.add(program_kernels(), end_where_truncated, std::to_string(n), Grid::elements(n), {}, {done, {static_cast<double>(n)}},
              [](Arguments& a) {
                for (double& d : a["done"]) d = d != 0 ? 1 : 0;
              });
  }
}

void q_minus_v_cases(Cases& cases) {
  for (const auto& [n, width] : {std::pair{1, 1}, {7, 3}, {33, 9}})
    cases.add(program_kernels(), q_minus_v, std::to_string(n) + " x " + std::to_string(width), Grid::elements(n), {},
              {normal(n * width, 1), integers(n, 2, 0, width - 1), normal(n, 3), flags(n, 4), unwritten(n),
               {static_cast<double>(width)}, {static_cast<double>(n)}},
              [n = n, width = width](Arguments& a) {
                for (int64_t i = 0; i < n; ++i)
                  a["advantage"][at(i)] =
                      a["valid"][at(i)] == 0 ? 0 : a["q"][at(i * width) + at(static_cast<int64_t>(a["action"][at(i)]))] - a["value"][at(i)];
              });
}

void masked_moments_cases(Cases& cases) {
  const auto add = [&](const std::string& name, const Values& x, const Values& valid) {
    const auto n = static_cast<int64_t>(x.size());
    cases.add(program_kernels(), masked_moments, name, Grid::blocks(1), {},
              {x, valid, unwritten(3), {static_cast<double>(n)}}, [n](Arguments& a) {
                double count = 0, sum = 0, squares = 0;
                for (int64_t i = 0; i < n; ++i)
                  if (a["valid"][at(i)] != 0) count += 1, sum += a["x"][at(i)];
                const double mean = count > 0 ? sum / count : 0;
                for (int64_t i = 0; i < n; ++i)
                  if (a["valid"][at(i)] != 0) squares += std::pow(a["x"][at(i)] - mean, 2);
                a["moments"] = {count, mean, count > 1 ? std::sqrt(squares / count) : 0};
              });
  };
  add("one", {3.5}, {1});
  add("one, not valid", {std::nan("")}, {0});
  add("n 7", normal(7, 1), flags(7, 2, 0.6));
  add("n 33, one valid", normal(33, 1), with(same(33, 0), {0, 0, 1}));
  add("n 1000", normal(1000, 1), flags(1000, 2));
  add("constant", same(100, 0.1), same(100, 1));
  add("far from 0", with(same(33, 1e7), {1e7 + 1, 1e7 - 1}), same(33, 1));
  add("a NaN where not valid", with(normal(33, 1), {std::nan("")}), with(same(33, 1), {0}));
  add("a NaN", with(normal(33, 1), {std::nan("")}), same(33, 1));
}

struct PolicySetting {
  std::string name;
  int64_t samples, actions;
  double clip = 0.2, value_weight = 0.5, distill = 0.1, temperature = 0.7, entropy = 0.02;
  double valid = 0.8, logits = 1.5, drift = 0.3, deviation = 1.2;
  double value_clip = 0, legal = 1;
  int64_t stride = 0;  ///< of the series; 0: samples
};

// The loss of one sample, as the paper and the design have it.
struct SampleLoss {
  double policy, entropy, kl, error, old_kl, clipped, total;
};

SampleLoss sample_loss(const Arguments& a, const PolicySetting& s, size_t i, const Values& logits, double value) {
  // Over the legal actions alone.
  Values mine, q;
  size_t taken = 0;
  for (size_t k = 0; k < at(s.actions); ++k) {
    if (s.legal < 1 && a["mask"][i * at(s.actions) + k] == 0) continue;
    if (static_cast<double>(k) == a["action"][i]) taken = mine.size();
    mine.push_back(logits[k]);
    q.push_back(a["ensemble_q"][i * at(s.actions) + k] / a.number("temperature"));
  }
  const auto count = static_cast<int64_t>(mine.size());
  const Values lp = log_softmax(mine.data(), count), lq = log_softmax(q.data(), count);
  const double advantage = (a["advantage"][i] - a["moments"][1]) / (a["moments"][2] + 1e-8);
  const double log_ratio = lp[taken] - a["old_log_prob"][i];
  const double ratio = std::exp(log_ratio), c = a.number("clip");
  const double bounded = std::clamp(ratio, 1 - c, 1 + c);
  SampleLoss loss{};
  loss.policy = -std::min(ratio * advantage, bounded * advantage);
  for (size_t k = 0; k < mine.size(); ++k) {
    loss.entropy -= std::exp(lp[k]) * lp[k];
    loss.kl += std::exp(lq[k]) * (lq[k] - lp[k]);
  }
  loss.error = std::pow(value - a["value_target"][i], 2);
  const double v = a.number("value_clip"), old = a["old_value"][i];
  const double value_loss =
      v == 0 ? loss.error
             : std::max(loss.error, std::pow(std::clamp(value, old - v, old + v) - a["value_target"][i], 2));
  loss.old_kl = ratio - 1 - log_ratio;
  loss.clipped = bounded != ratio;
  loss.total = loss.policy - a["entropy_weight"][0] * loss.entropy + a.number("distill") * loss.kl +
               a.number("value_weight") * value_loss;
  return loss;
}

void policy_gradient_case(Cases& cases, const PolicySetting& s) {
  const int64_t n = s.samples, width = s.actions;
  const Values logits = normal(n * width, 1, s.logits), action = integers(n, 2, 0, width - 1);
  Values mask = s.legal < 1 ? flags(n * width, 9, s.legal) : Values{0};
  for (int64_t i = 0; i < n && s.legal < 1; ++i) mask[at(i * width) + at(static_cast<int64_t>(action[at(i)]))] = 1;
  const int64_t stride = s.stride == 0 ? n : s.stride;
  const Values value = normal(n, 6);
  Values old_value = normal(n, 10, 0.5);
  for (size_t i = 0; i < at(n); ++i) {
    old_value[i] += value[i];
    if (std::abs(std::abs(old_value[i] - value[i]) - s.value_clip) < 2e-3) old_value[i] = value[i];
  }
  Values old(at(n));
  Values drift = normal(n, 3, s.drift);
  // Away from the two kinks of the loss, where no difference says anything.
  for (double& d : drift)
    if (std::abs(std::abs(std::exp(-d) - 1) - s.clip) < 2e-3) d = 0;
  for (int64_t i = 0; i < n; ++i)
  {
    double sum = 0;
    for (int64_t k = 0; k < width; ++k)
      if (s.legal >= 1 || mask[at(i * width + k)] != 0) sum += std::exp(logits[at(i * width + k)]);
    old[at(i)] = logits[at(i * width) + at(static_cast<int64_t>(action[at(i)]))] - std::log(sum) + drift[at(i)];
  }
  const Values valid = flags(n, 4, s.valid);
  double count = 0;
  for (const double v : valid) count += v;
  const Values advantage = s.deviation == 0 ? same(n, 0.25) : normal(n, 5);
  cases.add(
      program_kernels(), policy_gradient, s.name, Grid::elements(n), {constant("ACTIONS", width), constant("MASKED", s.legal < 1 ? 1 : 0)},
      {logits, action, old, advantage, value, old_value, normal(n, 7), valid, mask, normal(n * width, 8),
       {count, s.deviation == 0 ? 0.25 : 0.1, s.deviation}, {s.entropy}, unwritten(n * width), unwritten(n),
       unwritten(6 * stride), {s.clip}, {s.value_clip}, {s.value_weight}, {s.distill}, {s.temperature},
       {static_cast<double>(n)}, {static_cast<double>(stride)}},
      [=](Arguments& a) {
        for (size_t i = 0; i < at(n); ++i) {
          const double weight = a["valid"][i] != 0 ? 1 / std::max(count, 1.0) : 0;
          Values row(&a["logits"][i * at(width)], &a["logits"][i * at(width)] + width);
          for (size_t k = 0; k < at(width); ++k) {
            const double kept = row[k];
            const auto total = [&](double v) { return row[k] = v, sample_loss(a, s, i, row, a["value"][i]).total; };
            a["grad_logits"][i * at(width) + k] = weight * derivative(total, kept);
            row[k] = kept;
          }
          a["grad_value"][i] =
              weight * derivative([&](double v) { return sample_loss(a, s, i, row, v).total; }, a["value"][i]);
          const SampleLoss loss = sample_loss(a, s, i, row, a["value"][i]);
          const double series[] = {loss.policy, loss.entropy, loss.kl, loss.error, loss.old_kl, loss.clipped};
          for (size_t k = 0; k < 6; ++k) a["series"][k * at(stride) + i] = series[k];
        }
      });
  KernelCase& c = cases.list.back();
  c.large = n > 1000;
  c.tolerance = {{"grad_logits", {3e-6, 3e-6}}, {"series", {1e-5, 1e-5}}};
  c.tolerance64 = {{"grad_logits", {1e-8, 1e-8}}, {"grad_value", {1e-8, 1e-8}}};
}

void ensemble_add_cases(Cases& cases) {
  for (const int64_t n : {1, 7, 33})
    for (const bool first : {false, true})
      cases.add(program_kernels(), ensemble_add, "n " + std::to_string(n) + (first ? " first" : ""), Grid::elements(n),
                {},
                {normal(n, 1), first ? unwritten(n) : normal(n, 2), {0.3}, {first ? 1.0 : 0.0},
                 {static_cast<double>(n)}},
                [=](Arguments& a) {
                  for (int64_t i = 0; i < n; ++i)
                    a["sum"][at(i)] = (first ? 0 : a["sum"][at(i)]) + a.number("weight") * a["q"][at(i)];
                });
}

}  // namespace

void agent_cases(Cases& cases) {
  selection_cases(cases);
  baseline_cases(cases);
  minibatch_cases(cases);
  gae_cases(cases);
  n_step_returns_cases(cases);
  q_minus_v_cases(cases);
  end_where_truncated_cases(cases);
  stop_beyond_cases(cases);
  masked_moments_cases(cases);
  policy_gradient_case(cases, {.name = "one sample", .samples = 1, .actions = 9, .valid = 1});
  policy_gradient_case(cases, {.name = "7 x 3", .samples = 7, .actions = 3});
  policy_gradient_case(cases, {.name = "33 x 9", .samples = 33, .actions = 9});
  policy_gradient_case(cases, {.name = "one action", .samples = 7, .actions = 1});
  policy_gradient_case(cases, {.name = "none valid", .samples = 7, .actions = 9, .valid = 0});
  policy_gradient_case(cases, {.name = "no spread of advantages", .samples = 33, .actions = 9, .deviation = 0});
  policy_gradient_case(cases, {.name = "nearly certain", .samples = 33, .actions = 9, .entropy = 0.5, .logits = 60});
  policy_gradient_case(cases, {.name = "entropy alone", .samples = 33, .actions = 9, .value_weight = 0, .distill = 0,
                               .entropy = 1});
  policy_gradient_case(cases, {.name = "value clipped", .samples = 33, .actions = 9, .value_clip = 0.4});
  policy_gradient_case(cases, {.name = "masked", .samples = 33, .actions = 9, .legal = 0.5});
  policy_gradient_case(cases, {.name = "a part of the series", .samples = 7, .actions = 4, .stride = 33});
  policy_gradient_case(cases, {.name = "3000 x 9", .samples = 3000, .actions = 9});
  ensemble_add_cases(cases);
}

}  // namespace foxhunt::kernels::test
