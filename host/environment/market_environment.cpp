#include "market_environment.hpp"

#include "../common/philox.hpp"
#include "../kernels/diagnostics.hpp"

namespace foxhunt::environment {

void MarketEnvironment::declare(compute::Tensors& tensors, const std::string& prefix, compute::Lifetime lifetime) {
  feed_tensors_.declare(tensors, "market/train", feed_);
  book_.declare(tensors, prefix, lifetime, feed_, feed_tensors_, settings_);
}

void MarketEnvironment::initialise(compute::Compute& compute, uint64_t seed) const {
  const Recorder::Key key = compute::stream_key(seed, "env/first_episode");
  const common::Philox draw(key.k[0], key.k[1]);
  const auto n = static_cast<size_t>(settings_.accounts);
  std::vector<int32_t> rows(n), steps(n);
  const auto starts = static_cast<uint64_t>(feed_.starts.size());
  const uint64_t limit = settings_.episode_steps > 0 ? static_cast<uint64_t>(settings_.episode_steps) : 0;
  for (size_t i = 0; i < n; ++i) {
    const auto bits = draw(i);
    rows[i] = feed_.starts[static_cast<size_t>((bits[0] * starts) >> 32)];
    steps[i] = limit ? static_cast<int32_t>(1 + ((bits[1] * limit) >> 32)) : INT32_MAX;
  }
  book_.initialise(compute, rows, steps);
}

void MarketEnvironment::record_totals(compute::Recording& recording, fh_tensor totals) const {
  const auto account = [&](compute::TensorId id) { return in(recording.read(id)); };
  recording.recorder().launch(kernels::account_totals, Grid::blocks(1),
                              {account(book_.pnl), account(book_.fees), account(book_.trades), account(book_.wins),
                               account(book_.episodes), account(book_.position), out(totals), i32(settings_.accounts)});
}

}  // namespace foxhunt::environment
