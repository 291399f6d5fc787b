#include <algorithm>

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
    cases.add(program_kernels(), ring_slots, s.name, Grid::blocks(1), {constant("HIDDEN", 5)},
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

void write_cases(Cases& cases) {
  const struct {
    int64_t horizon, accounts, hidden;
  } shapes[] = {{1, 1, 1}, {7, 1, 33}, {3, 5, 7}, {4, 3, 128}};
  for (const auto& s : shapes) {
    const int64_t n = s.horizon * s.accounts, capacity = n + 3;
    Values slots(at(n));
    for (int64_t i = 0; i < n; ++i) slots[at(i)] = static_cast<double>(i % 4 == 1 ? -1 : (i + 5) % capacity);
    cases.add(
        program_kernels(), ring_write,
        std::to_string(s.horizon) + " x " + std::to_string(s.accounts) + " x " + std::to_string(s.hidden),
        Grid::blocks(n), {constant("HIDDEN", s.hidden)},
        {slots, normal((n + s.accounts) * s.hidden, 1), integers(n, 2, 0, 8), normal(n, 3), integers(n, 4, 0, 2),
         unwritten(capacity * s.hidden), unwritten(capacity * s.hidden), unwritten(capacity), unwritten(capacity),
         unwritten(capacity), {0.97}, {static_cast<double>(s.accounts)}},
        [=](Arguments& a) {
          for (int64_t i = 0; i < n; ++i) {
            const auto to = static_cast<int64_t>(a["slot"][at(i)]);
            if (to < 0) continue;
            for (int64_t j = 0; j < s.hidden; ++j) {
              a["ring_h"][at(to * s.hidden + j)] = a["h"][at(i * s.hidden + j)];
              a["ring_h_next"][at(to * s.hidden + j)] = a["h"][at((i + s.accounts) * s.hidden + j)];
            }
            a["ring_action"][at(to)] = a["action"][at(i)];
            a["ring_reward"][at(to)] = a["reward"][at(i)];
            a["ring_discount"][at(to)] = a["done"][at(i)] == 1 ? 0 : a.number("gamma");
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
              {constant("HIDDEN", width)},
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
                    a["h"][at(i * width + j)] = a["ring_h"][at(from * width + j)];
                    a["h_next"][at(i * width + j)] = a["ring_h_next"][at(from * width + j)];
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
  write_cases(cases);
  sample_cases(cases);
}

}  // namespace foxhunt::kernels::test
