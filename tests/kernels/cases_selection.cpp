#include <algorithm>
#include <cmath>

#include "cases.hpp"
#include "kernels/agent.hpp"
#include "kernels/manifest.hpp"

namespace foxhunt::kernels::test {
namespace {

double standard_uniform(uint32_t bits) { return (bits / 512 + 0.5) * 0x1p-23; }
double standard_gumbel(uint32_t bits) { return -std::log(-std::log(standard_uniform(bits))); }

constexpr double kStep = 0x5'0000'0009;
const uint32_t kKey[2] = {0xdeadbeef, 0x01234567};

/// Random bits of one action, at step kStep and salt 6.
uint32_t bits_of(int64_t account, int64_t action) {
  return philox({kKey[0], kKey[1]}, {static_cast<uint32_t>(account), static_cast<uint32_t>(6 * 16 + action / 4), 9, 5})
      .word[action % 4];
}

/// A mask [accounts, actions] in which every account may do something; {0} if all is legal.
Values mask_of(int64_t accounts, int64_t actions, bool masked) {
  if (!masked) return {0};
  Values mask = flags(accounts * actions, 9, 0.5);
  for (int64_t i = 0; i < accounts; ++i) mask[at(i * actions + i % actions)] = 1;
  return mask;
}

/// The first of the legal actions with the highest score.
int64_t best_of(const Values& score, const double* mask) {
  int64_t best = -1;
  for (int64_t k = 0; k < static_cast<int64_t>(score.size()); ++k)
    if ((!mask || mask[k] != 0) && (best < 0 || score[at(k)] > score[at(best)])) best = k;
  return best;
}

struct Shape {
  int64_t accounts, actions;
  bool masked;
  std::string name() const {
    return std::to_string(accounts) + " x " + std::to_string(actions) + (masked ? " masked" : "");
  }
  std::vector<fh_constant> constants() const { return {constant("ACTIONS", actions), constant("MASKED", masked)}; }
  const double* mask(const Arguments& a, int64_t i) const { return masked ? &a["mask"][at(i * actions)] : nullptr; }
};
const Shape kShapes[] = {{1, 1, false}, {7, 3, false}, {33, 9, false}, {33, 4, false}, {33, 9, true}, {5000, 9, false}};

void select_action_cases(Cases& cases) {
  for (const Shape& s : kShapes)
    for (const bool greedy : {false, true}) {
      Values logits = normal(s.accounts * s.actions, 1, 2);
      // First a row of ties, one of huge values, one that is no number.
      if (s.accounts > 3) {
        for (int64_t a = 0; a < s.actions; ++a) {
          logits[at(a)] = 0.5;
          logits[at(s.actions + a)] = a == s.actions - 1 ? 1e30 : -1e30;
        }
        if (greedy && !s.masked) logits[at(2 * s.actions)] = std::nan("");
      }
      KernelCase& c = cases.add(
          program_kernels(), select_action, s.name() + (greedy ? " greedy" : ""), Grid::elements(s.accounts), s.constants(),
          {logits, mask_of(s.accounts, s.actions, s.masked), {kStep}, unwritten(s.accounts), unwritten(s.accounts),
           {greedy ? 1.0 : 0.0}, {static_cast<double>(kKey[0])}, {static_cast<double>(kKey[1])}, {6},
           {static_cast<double>(s.accounts)}},
          [=](Arguments& a) {
            for (int64_t i = 0; i < s.accounts; ++i) {
              const double* row = &a["logits"][at(i * s.actions)];
              const double* mask = s.mask(a, i);
              if (std::any_of(row, row + s.actions, [](double v) { return std::isnan(v); })) {
                a["action"][at(i)] = 0;
                a["log_prob"][at(i)] = std::nan("");
                continue;
              }
              Values legal;
              for (int64_t k = 0; k < s.actions; ++k)
                if (!mask || mask[k] != 0) legal.push_back(row[k]);
              const Values among = log_softmax(legal.data(), static_cast<int64_t>(legal.size()));
              Values lp(at(s.actions), 0);
              for (size_t k = 0, next = 0; k < lp.size(); ++k)
                if (!mask || mask[k] != 0) lp[k] = among[next++];
              Values score = lp;
              for (int64_t k = 0; k < s.actions && !greedy; ++k) score[at(k)] += standard_gumbel(bits_of(i, k));
              const int64_t best = best_of(score, mask);
              a["action"][at(i)] = static_cast<double>(best);
              a["log_prob"][at(i)] = lp[at(best)];
            }
          });
      c.large = s.accounts > 1000;
      c.tolerance["log_prob"] = {2e-6, 2e-6};
    }
}

void select_from_q_cases(Cases& cases) {
  for (const Shape& s : kShapes)
    for (const auto& [mode, setting] : {std::pair{0, 0.0}, {1, 0.3}, {1, 0.0}, {1, 1.0}, {2, 1.0}, {2, 0.05}}) {
      Values q = normal(s.accounts * s.actions, 1, 3);
      if (s.accounts > 3)
        for (int64_t a = 0; a < s.actions; ++a) q[at(a)] = 0.1;  // no spread
      KernelCase& c = cases.add(
          program_kernels(), select_from_q, s.name() + " mode " + std::to_string(mode) + " setting " + std::to_string(setting),
          Grid::elements(s.accounts), s.constants(),
          {q, mask_of(s.accounts, s.actions, s.masked), {kStep}, {setting}, unwritten(s.accounts), unwritten(s.accounts),
           {static_cast<double>(mode)}, {static_cast<double>(kKey[0])}, {static_cast<double>(kKey[1])}, {6},
           {static_cast<double>(s.accounts)}},
          [=, mode = mode](Arguments& a) {
            const double used = a["setting"][0];
            for (int64_t i = 0; i < s.accounts; ++i) {
              const double* row = &a["q"][at(i * s.actions)];
              const double* mask = s.mask(a, i);
              double count = 0, mean = 0, square = 0;
              for (int64_t k = 0; k < s.actions; ++k)
                if (!mask || mask[k] != 0) count += 1, mean += row[k], square += row[k] * row[k];
              mean /= count;
              const double deviation = std::sqrt(std::max(0.0, square / count - mean * mean));
              const int64_t greedy = best_of(Values(row, row + s.actions), mask);
              Values p(at(s.actions), 0);
              double total = 0;
              for (int64_t k = 0; k < s.actions; ++k) {
                if (mask && mask[k] == 0) continue;
                if (mode == 2) p[at(k)] = deviation < 1e-7 ? 1 : std::exp((row[k] - row[greedy]) / (used * deviation));
                else p[at(k)] = (mode == 1 ? used / count : 0) + (k == greedy ? 1 - (mode == 1 ? used : 0) : 0);
                total += p[at(k)];
              }
              Values score(at(s.actions));
              for (int64_t k = 0; k < s.actions; ++k) score[at(k)] = std::log(p[at(k)] / total) + standard_gumbel(bits_of(i, k));
              const int64_t best = best_of(score, mask);
              a["action"][at(i)] = static_cast<double>(best);
              a["log_prob"][at(i)] = std::log(p[at(best)] / total);
            }
          });
      c.large = s.accounts > 1000;
      c.tolerance["log_prob"] = {5e-5, 5e-6};
    }
}

void thompson_cases(Cases& cases) {
  const auto u = [](int64_t i) { return philox({11, 22}, {static_cast<uint32_t>(i), 4, 9, 5}).word[0]; };
  for (const auto& [n, atoms] : {std::pair{1, 1}, {7, 5}, {33, 21}})
    for (const bool first : {true, false}) {
      Values log_probs = normal(n * atoms, 1);
      for (int64_t i = 0; i < n; ++i) {
        const Values row = log_softmax(&log_probs[at(i * atoms)], atoms);
        std::copy(row.begin(), row.end(), log_probs.begin() + i * atoms);
      }
      cases.add(program_kernels(), thompson_categorical,
                std::to_string(n) + " x " + std::to_string(atoms) + (first ? " first" : ""), Grid::elements(n), {},
                {log_probs, normal(atoms, 2), {kStep}, first ? unwritten(n) : normal(n, 3), {0.7}, {first ? 1.0 : 0.0}, {11},
                 {22}, {4}, {static_cast<double>(atoms)}, {static_cast<double>(n)}},
                [=, n = n, atoms = atoms](Arguments& a) {
                  for (int64_t i = 0; i < n; ++i) {
                    double left = standard_uniform(u(i));
                    int64_t z = 0;
                    while (z < atoms - 1 && (left -= std::exp(a["log_probs"][at(i * atoms + z)])) > 0) ++z;
                    a["sum"][at(i)] = (first ? 0 : a["sum"][at(i)]) + a.number("weight") * a["support"][at(z)];
                  }
                });
    }
  for (const auto& [states, count, actions] : {std::tuple{1, 1, 1}, {5, 8, 3}, {4, 32, 9}})
    for (const bool first : {true, false}) {
      const int64_t n = states * actions;
      cases.add(program_kernels(), thompson_quantiles,
                std::to_string(states) + " x " + std::to_string(count) + " x " + std::to_string(actions) + (first ? " first" : ""),
                Grid::elements(n), {},
                {normal(n * count, 1), {kStep}, first ? unwritten(n) : normal(n, 3), {0.7}, {first ? 1.0 : 0.0}, {11}, {22}, {4},
                 {static_cast<double>(count)}, {static_cast<double>(actions)}, {static_cast<double>(n)}},
                [=, count = count, actions = actions](Arguments& a) {
                  for (int64_t i = 0; i < n; ++i) {
                    const auto k = static_cast<int64_t>(u(i) * 0x1p-32 * count);
                    a["sum"][at(i)] = (first ? 0 : a["sum"][at(i)]) +
                                      a.number("weight") * a["quantiles"][at((i / actions * count + k) * actions + i % actions)];
                  }
                });
    }
}

}  // namespace

void selection_cases(Cases& cases) {
  select_action_cases(cases);
  select_from_q_cases(cases);
  thompson_cases(cases);
}

}  // namespace foxhunt::kernels::test
