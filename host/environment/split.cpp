#include <algorithm>
#include <cmath>
#include <foxhunt/error.hpp>

#include "feed.hpp"

namespace foxhunt::environment {

Split split_by_time(const market::Market& market, double train, double validation, int64_t embargo) {
  if (!(train > 0) || !(validation >= 0) || !(train + validation <= 1))
    throw Error("env.split_train = " + std::to_string(train) + " and env.split_validation = " + std::to_string(validation) +
                " must be shares of the rows: train above 0, validation at least 0, both together at most 1");
  const int64_t rows = market.rows();
  const auto train_end = static_cast<int64_t>(std::llround(train * static_cast<double>(rows)));
  const auto validation_end = static_cast<int64_t>(std::llround((train + validation) * static_cast<double>(rows)));
  Split split;
  split.train = {0, train_end};
  split.validation = {std::min(train_end + embargo, validation_end), validation_end};
  split.test = {std::min(validation_end + (validation_end < rows ? embargo : 0), rows), rows};
  int64_t usable = 0;
  for (int64_t r = split.train.first; r < split.train.last; ++r) usable += market.is_tradable(r);
  if (usable < 2)
    throw Error("the training part of the market has " + std::to_string(usable) + " tradable rows of " +
                std::to_string(split.train.size()) +
                "; at least 2 are needed. Use a longer market or a larger env.split_train");
  return split;
}

}  // namespace foxhunt::environment
