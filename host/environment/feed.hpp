#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../compute/compute.hpp"
#include "../market/market.hpp"

namespace foxhunt::environment {

/// Rows [first, last) of a market.
struct RowRange {
  int64_t first = 0, last = 0;
  int64_t size() const { return last - first; }
};

/// Train, validation and test, in the order of time. `embargo` rows between two of them belong to neither.
struct Split {
  RowRange train, validation, test;
};
/// @throws foxhunt::Error if the shares are none, or the training part has fewer than 2 tradable rows. Of a part
/// that the embargo leaves no rows nothing remains.
Split split_by_time(const market::Market& market, double train, double validation, int64_t embargo);

/// Mean and scale of each book feature over the tradable rows of the training part, and of nothing else.
struct FeatureScale {
  std::vector<double> mean, inverse_deviation;  ///< a feature without spread has inverse deviation 0
};

/// Book features of a row: per level bid distance from the mid [ticks], log(1 + bid size), ask distance,
/// log(1 + ask size); then imbalance at the touch in [-1, 1] and the spread [ticks]. An absent level has the mean
/// distance and size 0.
int64_t book_features(int64_t levels);
std::vector<std::string> book_feature_names(int64_t levels);
FeatureScale fit_scale(const market::Market& market, RowRange rows);

/// How a row leads to the next. An end is the last row of a session or of the data on which an order can be filled:
/// rows behind it without a book to trade on are never reached.
enum RowEnd : uint8_t { kRuns = 0, kEndsSession = 1, kEndsData = 2 };

/// What accounts read of one part of a market, ready for the device; rows are counted from the range's first.
struct Feed {
  int64_t rows = 0, levels = 0;
  double tick_value = 0;  ///< USD a tick and lot
  std::vector<float> features;        ///< [rows, book_features(levels)], scaled, within +-10
  std::vector<float> session_left;    ///< [rows] share of the session still to come; 0 where there are no sessions
  std::vector<int32_t> mark2;         ///< [rows] twice the last valid mid, ticks
  std::vector<int32_t> bid_px, ask_px, bid_sz, ask_sz;  ///< [rows, levels]
  std::vector<int32_t> next_row;      ///< [rows] row that an order decided on here is filled from, -1 at an end
  std::vector<uint8_t> tradable, row_end;  ///< [rows]
  std::vector<int32_t> starts;        ///< rows on which an episode may start
  std::vector<int64_t> ts;            ///< [rows] ns
};

struct FeedOptions {
  double latency_us = 0;  ///< an order is filled from the first row at or after ts + latency, and never from its own
  /// First rows (in the market's count) of segments that an account must not leave; each ends like a session.
  std::vector<int64_t> segments{};
  std::string part = "training";  ///< for messages
};
Feed make_feed(const market::Market& market, RowRange rows, const FeatureScale& scale, const FeedOptions& options);

/// The feed's tensors on a device.
struct FeedTensors {
  compute::TensorId features, session_left, mark2, bid_px, ask_px, bid_sz, ask_sz, next_row, tradable, row_end, starts;
  void declare(compute::Tensors& tensors, const std::string& prefix, const Feed& feed);
  void upload(compute::Compute& compute, const Feed& feed) const;
};

}  // namespace foxhunt::environment
