#pragma once
#include <filesystem>
#include <fstream>

#include "evaluation.hpp"

namespace foxhunt::trainer {

/// CSV of fills: step,account,row,lots,value_ticks,fee_usd. `row` is a row of the market, `lots` is signed,
/// `value_ticks` = signed lots x price summed over the levels walked.
class FillLog {
 public:
  /// @throws foxhunt::Error if the file exists or cannot be made.
  explicit FillLog(std::filesystem::path path);
  void write(const Fill& fill);
  /// @throws foxhunt::Error naming the file if anything could not be written.
  void finish();

 private:
  std::filesystem::path path_;
  std::ofstream out_;
};

}  // namespace foxhunt::trainer
