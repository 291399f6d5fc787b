#pragma once
#include <string>
#include <vector>

#include "market/market.hpp"

namespace foxhunt::test {

/// Books kept from logged fills and the market alone, by the accounting rules and not by the program's code.
struct Ledger {
  struct Account {
    double position = 0;  ///< lots
    double cash = 0;      ///< USD
    int64_t last_row = 0;
  };
  std::vector<Account> accounts;
  double fees = 0;
  int64_t fills = 0;

  /// Reads a fill log, and checks each fill: it lies on levels that the market showed in that row, costs what walking
  /// them costs, and pays the fee. Failures are reported through GoogleTest.
  Ledger(const std::string& csv, const market::Market& market, int64_t accounts, double fee_per_lot);

  /// Cash plus positions marked at the mid of `row`, USD.
  double worth(const market::Market& market, const std::vector<int32_t>& row) const;

 private:
  void read(const std::string& csv, const market::Market& market, double fee_per_lot);
};

}  // namespace foxhunt::test
