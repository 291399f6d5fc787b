#include "ledger.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace foxhunt::test {

namespace {

// Price in ticks times lots of taking `lots` from one side of a row, from the best level on.
double walk_cost(const market::Market& m, int64_t row, double lots, bool buy, double* left) {
  double cost = 0;
  for (int64_t l = 0; l < m.levels && lots > 0; ++l) {
    const auto at = static_cast<size_t>(row * m.levels + l);
    const int32_t price = buy ? m.ask_px[at] : m.bid_px[at];
    if (price == market::kNoPrice) break;
    const double take = std::min(lots, static_cast<double>(buy ? m.ask_sz[at] : m.bid_sz[at]));
    cost += take * price;
    lots -= take;
  }
  *left = lots;
  return cost;
}

}  // namespace

Ledger::Ledger(const std::string& csv, const market::Market& m, int64_t count, double fee_per_lot) {
  accounts.resize(static_cast<size_t>(count));
  read(csv, m, fee_per_lot);
}

void Ledger::read(const std::string& csv, const market::Market& m, double fee_per_lot) {
  const double usd = m.instrument.tick_size * m.instrument.multiplier;
  std::istringstream in(csv);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "step,account,row,lots,value_ticks,fee_usd");
  while (std::getline(in, line)) {
    double v[6];
    std::istringstream cells(line);
    for (double& x : v) {
      std::string cell;
      std::getline(cells, cell, ',');
      x = std::stod(cell);
    }
    const auto row = static_cast<int64_t>(v[2]);
    const double lots = v[3], size = std::abs(lots);
    Account& a = accounts.at(static_cast<size_t>(v[1]));
    double left = 0;
    const double cost = walk_cost(m, row, size, lots > 0, &left);
    if (left == 0 && m.is_tradable(row)) {
      ASSERT_NEAR(std::abs(v[4]), std::abs(cost), 1e-9) << line;
      ASSERT_EQ(v[4] > 0, (lots > 0) == (cost > 0)) << line;
    } else {
      // Only an account that must be closed out trades beyond what is shown.
      ASSERT_EQ(a.position + lots, 0) << line;
    }
    ASSERT_NEAR(v[5], fee_per_lot * size, 1e-9) << line;
    a.position += lots;
    a.cash -= v[4] * usd + v[5];
    fees += v[5];
    ++fills;
  }
}

double Ledger::worth(const market::Market& m, const std::vector<int32_t>& row) const {
  const double usd = m.instrument.tick_size * m.instrument.multiplier;
  double total = 0;
  for (size_t i = 0; i < accounts.size(); ++i) {
    total += accounts[i].cash;
    if (accounts[i].position == 0) continue;
    const int64_t r = row[i];
    total += accounts[i].position * 0.5 * (static_cast<double>(m.best_bid(r)) + m.best_ask(r)) * usd;
  }
  return total;
}

}  // namespace foxhunt::test
