#include <algorithm>

#include "cases.hpp"
#include "kernels/manifest.hpp"
#include "kernels/replay.hpp"

namespace foxhunt::kernels::test {
namespace {

double number(int64_t v) { return static_cast<double>(v); }

// Slots around the end of the ring, and of all of it.
constexpr struct {
  int64_t rows, accounts, columns, capacity, head;
} kRings[] = {{1, 1, 1, 1, 0}, {5, 3, 7, 8, 6}, {4, 6, 1, 6, 2}, {17, 5, 33, 11, 10}};

void write_cases(Cases& cases) {
  for (const auto& s : kRings) {
    const int64_t slot = s.rows * s.columns, steps = s.rows * s.accounts, held = s.capacity * s.rows;
    const std::string name = std::to_string(s.rows) + " x " + std::to_string(s.accounts) + " x " + std::to_string(s.columns);
    const auto place = [=](int64_t row, int64_t account) { return (s.head + account) % s.capacity * s.rows + row; };
    cases.add(program_kernels(), sequence_write, name, Grid::elements(steps * s.columns), {},
              {normal(steps * s.columns, 1), {number(s.head), 0}, unwritten(s.capacity * slot), {number(s.rows)},
               {number(s.accounts)}, {number(s.columns)}, {number(s.capacity)}},
              [=](Arguments& a) {
                for (int64_t t = 0; t < s.rows; ++t)
                  for (int64_t b = 0; b < s.accounts; ++b)
                    for (int64_t j = 0; j < s.columns; ++j)
                      a["ring_values"][at(place(t, b) * s.columns + j)] = a["values"][at((t * s.accounts + b) * s.columns + j)];
              });
    cases.add(program_kernels(), sequence_write_steps, name, Grid::elements(steps), {},
              {{number(s.head), 0}, integers(steps, 2, 0, 8), normal(steps, 3), integers(steps, 4, 0, 2), flags(steps, 5),
               unwritten(held), unwritten(held), unwritten(held), unwritten(held), {number(s.rows)}, {number(s.accounts)},
               {number(s.capacity)}},
              [=](Arguments& a) {
                for (int64_t t = 0; t < s.rows; ++t)
                  for (int64_t b = 0; b < s.accounts; ++b)
                    for (const char* what : {"action", "reward", "done", "valid"})
                      a[std::string("ring_") + what][at(place(t, b))] = a[what][at(t * s.accounts + b)];
              });
    for (const int64_t sequences : {int64_t{0}, s.capacity / 2, s.capacity})
      cases.add(program_kernels(), sequence_advance, name + ", held " + std::to_string(sequences), Grid::elements(1), {},
                {{number(s.head), number(sequences * s.rows)}, {number(s.rows)}, {number(s.accounts)}, {number(s.capacity)}},
                [=](Arguments& a) {
                  a["ring"] = {number((s.head + s.accounts) % s.capacity),
                               number(std::min(sequences + s.accounts, s.capacity) * s.rows)};
                });
  }
}

void draw_cases(Cases& cases) {
  const struct {
    const char* name;
    int64_t chosen, held, capacity, horizon, first;
    double share;
  } settings[] = {{"one", 1, 1, 1, 1, 0, 1},
                  {"few valid, burn-in 3", 33, 20, 24, 5, 3, 0.2},
                  {"all valid", 64, 50, 50, 16, 8, 1},
                  {"none valid", 5, 4, 7, 3, 1, 0}};
  for (const auto& s : settings)
    cases.add(program_kernels(), sequence_draw, s.name, Grid::elements(s.chosen), {},
              {{3, number(s.held * s.horizon)}, {number(0x7'0000'0001)}, flags(s.capacity * s.horizon, 7, s.share),
               unwritten(s.chosen), {number(s.first)}, {number(s.horizon)}, {number(s.chosen)}, {11}, {22}, {4}},
              [=](Arguments& a) {
                const auto learnable = [&](int64_t slot) {
                  for (int64_t t = s.first; t < s.horizon; ++t)
                    if (a["ring_valid"][at(slot * s.horizon + t)] != 0) return true;
                  return false;
                };
                for (int64_t i = 0; i < s.chosen; ++i) {
                  const PhiloxBlock draw = philox({11, 22}, {static_cast<uint32_t>(i), 4, 1, 7});
                  auto slot = static_cast<int64_t>(draw.word[0] * 0x1p-32 * number(s.held));
                  for (int64_t k = 0; k < s.held && !learnable(slot); ++k) slot = (slot + 1) % s.held;
                  a["slot"][at(i)] = number(slot);
                }
              });
}

void read_cases(Cases& cases) {
  for (const auto& s : kRings) {
    const int64_t chosen = s.accounts + 2, steps = s.rows * chosen;
    const Values slot = integers(chosen, 8, 0, s.capacity - 1);
    const std::string name = std::to_string(s.rows) + " x " + std::to_string(chosen) + " x " + std::to_string(s.columns);
    cases.add(program_kernels(), sequence_read, name, Grid::elements(steps * s.columns), {},
              {slot, normal(s.capacity * s.rows * s.columns, 9), unwritten(steps * s.columns), {number(s.rows)},
               {number(chosen)}, {number(s.columns)}},
              [=](Arguments& a) {
                for (int64_t t = 0; t < s.rows; ++t)
                  for (int64_t i = 0; i < chosen; ++i)
                    for (int64_t j = 0; j < s.columns; ++j)
                      a["values"][at((t * chosen + i) * s.columns + j)] =
                          a["ring_values"][at((static_cast<int64_t>(slot[at(i)]) * s.rows + t) * s.columns + j)];
              });
    const int64_t held = s.capacity * s.rows;
    cases.add(program_kernels(), sequence_read_steps, name, Grid::elements(steps + chosen), {},
              {slot, integers(held, 2, 0, 8), normal(held, 3), integers(held, 4, 0, 2), flags(held, 5), unwritten(steps),
               unwritten(steps), unwritten(steps), unwritten(steps + chosen), {number(s.rows)}, {number(chosen)}},
              [=](Arguments& a) {
                for (int64_t t = 0; t < s.rows; ++t)
                  for (int64_t i = 0; i < chosen; ++i)
                    for (const char* what : {"action", "reward", "done", "valid"})
                      a[what][at(t * chosen + i)] =
                          a[std::string("ring_") + what][at(static_cast<int64_t>(slot[at(i)]) * s.rows + t)];
                for (int64_t i = 0; i < chosen; ++i) a["valid"][at(steps + i)] = 1;
              });
  }
}

void pick_cases(Cases& cases) {
  const struct {
    int64_t n;
    double share;
  } settings[] = {{1, 1}, {1, 0}, {7, 0.5}, {33, 0.9}, {40, 0}, {300, 0.3}};
  for (const auto& s : settings) {
    const std::string name = std::to_string(s.n) + ", share " + std::to_string(s.share);
    const Values valid = flags(s.n, 3, s.share);
    std::vector<int64_t> rows;
    Values rank(at(s.n), -1), pick(at(s.n));
    for (int64_t i = 0; i < s.n; ++i)
      if (valid[at(i)] != 0) {
        rank[at(i)] = number(static_cast<int64_t>(rows.size()));
        rows.push_back(i);
      }
    for (int64_t k = 0; k < s.n; ++k) pick[at(k)] = number(rows.empty() ? k : rows[at(k) % rows.size()]);
    cases.add(program_kernels(), pick_valid, name, Grid::blocks(1), {},
              {valid, unwritten(s.n), unwritten(s.n), unwritten(1), {number(s.n)}}, [=](Arguments& a) {
                a["pick"] = pick;
                a["rank"] = rank;
                a["count"] = {number(static_cast<int64_t>(rows.size()))};
              });
    cases.add(program_kernels(), gather_transitions, name, Grid::elements(s.n), {},
              {pick, integers(s.n, 2, 0, 8), normal(s.n, 3), normal(s.n, 4), integers(s.n, 5, 0, 1000), unwritten(s.n),
               unwritten(s.n), unwritten(s.n), unwritten(s.n), {number(s.n)}},
              [=](Arguments& a) {
                for (const char* what : {"action", "reward", "discount", "next"})
                  for (int64_t k = 0; k < s.n; ++k)
                    a[std::string("to_") + what][at(k)] = a[what][static_cast<size_t>(pick[at(k)])];
              });
    const int64_t columns = 5;
    cases.add(program_kernels(), scatter_picked, name, Grid::elements(s.n * columns), {},
              {rank, {number(static_cast<int64_t>(rows.size()))}, normal(s.n * columns, 6), unwritten(s.n * columns),
               {number(s.n)}, {number(columns)}},
              [=](Arguments& a) {
                a["to"] = Values(at(s.n * columns), 0);
                for (int64_t k = 0; k < s.n && !rows.empty(); ++k)
                  for (int64_t j = 0; j < columns; ++j)
                    a["to"][static_cast<size_t>(pick[at(k)]) * at(columns) + at(j)] += a["gradient"][at(k * columns + j)];
              });
  }
}

}  // namespace

void sequence_cases(Cases& cases) {
  write_cases(cases);
  draw_cases(cases);
  read_cases(cases);
  pick_cases(cases);
}

}  // namespace foxhunt::kernels::test
