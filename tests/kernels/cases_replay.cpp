#include <algorithm>
#include <cmath>

#include "cases.hpp"
#include "kernels/manifest.hpp"
#include "kernels/replay.hpp"

namespace foxhunt::kernels::test {
namespace {

void slot_cases(Cases& cases) {
  const struct {
    const char* name;
    int64_t n;
    double share;
    int64_t capacity, head, held;
  } settings[] = {{"one", 1, 1, 4, 0, 0},
                  {"one, not valid", 1, 0, 4, 3, 4},
                  {"n 7", 7, 0.6, 100, 10, 10},
                  {"n 33, around the end", 33, 0.8, 40, 35, 40},
                  {"n 33, just full", 33, 1, 33, 0, 0},
                  {"n 33, none valid", 33, 0, 40, 35, 40},
                  {"n 1000", 1000, 0.5, 1000, 999, 998}};
  for (const auto& s : settings)
    cases.add(program_kernels(), ring_slots, s.name, Grid::blocks(1), {constant("WIDTH", 5)},
              {flags(s.n, 1, s.share), {static_cast<double>(s.head), static_cast<double>(s.held)}, unwritten(s.n),
               unwritten(2), {static_cast<double>(s.capacity)}, {static_cast<double>(s.n)}},
              [=](Arguments& a) {
                int64_t next = s.head, held = s.held;
                for (int64_t i = 0; i < s.n; ++i) {
                  a["slot"][at(i)] = -1;
                  if (a["valid"][at(i)] == 0) continue;
                  a["slot"][at(i)] = static_cast<double>(next);
                  next = next + 1 == s.capacity ? 0 : next + 1;
                  held = std::min(held + 1, s.capacity);
                }
                a["ring_next"] = {static_cast<double>(next), static_cast<double>(held)};
              });
}

void window_cases(Cases& cases) {
  const struct {
    int64_t n, starts, steps, accounts;
    double gamma;
  } settings[] = {{1, 1, 1, 1, 0.9}, {1, 4, 4, 7, 0.99}, {3, 1, 3, 5, 0.5}, {3, 7, 9, 3, 0.99},
                  {5, 2, 6, 33, 1},  {4, 6, 6, 9, 0.9},  {3, 16, 18, 2000, 0.99}};
  for (const auto& s : settings) {
    const int64_t rows = s.steps * s.accounts;
    Values done = integers(rows, 2, -6, 2);
    for (double& v : done) v = std::max(v, 0.0);
    cases.add(program_kernels(), n_step_windows,
              std::to_string(s.n) + " steps, " + std::to_string(s.starts) + " of " + std::to_string(s.steps) + " x " + std::to_string(s.accounts),
              Grid::elements(s.starts * s.accounts), {},
              {normal(rows, 1), done, unwritten(s.starts * s.accounts), unwritten(s.starts * s.accounts),
               unwritten(s.starts * s.accounts), {s.gamma}, {static_cast<double>(s.n)}, {static_cast<double>(s.starts)},
               {static_cast<double>(s.steps)}, {static_cast<double>(s.accounts)}},
              [=](Arguments& a) {
                const double gamma = a.number("gamma");
                for (int64_t start = 0; start < s.starts; ++start)
                  for (int64_t i = 0; i < s.accounts; ++i) {
                    const size_t to = at(start * s.accounts + i);
                    double sum = 0, ended = 0;
                    int64_t length = 0;
                    while (length < s.n && ended == 0 && start + length < s.steps) {
                      const size_t k = at((start + length) * s.accounts + i);
                      sum += std::pow(gamma, length) * a["reward"][k];
                      ended = a["done"][k];
                      ++length;
                    }
                    a["sum"][to] = sum;
                    a["discount"][to] = ended == 1 ? 0 : std::pow(gamma, length);
                    a["next"][to] = static_cast<double>((start + length) * s.accounts + i);
                  }
              });
    cases.list.back().large = s.accounts > 1000;
  }
}

void write_cases(Cases& cases) {
  const struct {
    int64_t samples, states, width;
  } shapes[] = {{1, 2, 1}, {7, 9, 33}, {15, 20, 7}, {12, 15, 128}};
  for (const auto& s : shapes) {
    const int64_t n = s.samples, capacity = n + 3;
    Values slots(at(n));
    for (int64_t i = 0; i < n; ++i) slots[at(i)] = static_cast<double>(i % 4 == 1 ? -1 : (i + 5) % capacity);
    cases.add(
        program_kernels(), ring_write, std::to_string(n) + " of " + std::to_string(s.states) + " x " + std::to_string(s.width),
        Grid::blocks(n), {constant("WIDTH", s.width)},
        {slots, normal(s.states * s.width, 1), integers(n, 6, 0, s.states - 1), integers(n, 2, 0, 8), normal(n, 3),
         normal(n, 4), unwritten(capacity * s.width), unwritten(capacity * s.width), unwritten(capacity),
         unwritten(capacity), unwritten(capacity)},
        [=](Arguments& a) {
          for (int64_t i = 0; i < n; ++i) {
            const auto to = static_cast<int64_t>(a["slot"][at(i)]), next = static_cast<int64_t>(a["next"][at(i)]);
            if (to < 0) continue;
            for (int64_t j = 0; j < s.width; ++j) {
              a["ring_state"][at(to * s.width + j)] = a["states"][at(i * s.width + j)];
              a["ring_next_state"][at(to * s.width + j)] = a["states"][at(next * s.width + j)];
            }
            a["ring_action"][at(to)] = a["action"][at(i)];
            a["ring_reward"][at(to)] = a["reward"][at(i)];
            a["ring_discount"][at(to)] = a["discount"][at(i)];
          }
        });
  }
}

void sample_cases(Cases& cases) {
  const struct {
    int64_t batch, held, capacity, hidden;
    double step;
  } settings[] = {{1, 1, 1, 1, 0}, {7, 3, 10, 33, 5}, {33, 50, 50, 7, 0x7'0000'0001}, {5, 40, 64, 128, 9}};
  for (const auto& s : settings) {
    const int64_t width = s.hidden;
    // What lies beyond the transitions held must never be drawn.
    const auto ring = [&](int64_t row, uint64_t seed) { return with(unwritten(s.capacity * row), normal(s.held * row, seed)); };
    cases.add(program_kernels(), ring_sample,
              "batch " + std::to_string(s.batch) + " of " + std::to_string(s.held), Grid::blocks(s.batch),
              {constant("WIDTH", width)},
              {{0, static_cast<double>(s.held)}, {s.step}, ring(width, 1), ring(width, 2), integers(s.capacity, 3, 0, 8),
               ring(1, 4), ring(1, 5), unwritten(s.batch * width), unwritten(s.batch * width), unwritten(s.batch),
               unwritten(s.batch), unwritten(s.batch), {11}, {22}, {4}},
              [=](Arguments& a) {
                const auto step = static_cast<uint64_t>(s.step);
                for (int64_t i = 0; i < s.batch; ++i) {
                  const PhiloxBlock draw = philox({11, 22}, {static_cast<uint32_t>(i), 4, static_cast<uint32_t>(step),
                                                             static_cast<uint32_t>(step >> 32)});
                  const auto from = static_cast<int64_t>(draw.word[0] * 0x1p-32 * static_cast<double>(s.held));
                  for (int64_t j = 0; j < width; ++j) {
                    a["state"][at(i * width + j)] = a["ring_state"][at(from * width + j)];
                    a["next_state"][at(i * width + j)] = a["ring_next_state"][at(from * width + j)];
                  }
                  a["action"][at(i)] = a["ring_action"][at(from)];
                  a["reward"][at(i)] = a["ring_reward"][at(from)];
                  a["discount"][at(i)] = a["ring_discount"][at(from)];
                }
              });
  }
}

}  // namespace

void replay_cases(Cases& cases) {
  slot_cases(cases);
  window_cases(cases);
  write_cases(cases);
  sample_cases(cases);
}

}  // namespace foxhunt::kernels::test
