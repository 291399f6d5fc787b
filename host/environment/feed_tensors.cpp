#include "feed.hpp"

namespace foxhunt::environment {

namespace {

template <class T>
void send(compute::Compute& compute, compute::TensorId id, const std::vector<T>& values) {
  compute.upload(id, values.data(), values.size() * sizeof(T));
}

}  // namespace

void FeedTensors::declare(compute::Tensors& tensors, const std::string& prefix, const Feed& feed) {
  const int64_t rows = feed.rows, levels = feed.levels;
  const auto add = [&](const char* name, fh_dtype dtype, fh_shape s) {
    compute::TensorSpec spec;
    spec.name = prefix + "/" + name;
    spec.dtype = dtype;
    spec.shape = s;
    spec.lifetime = compute::Lifetime::resident;
    return tensors.add(std::move(spec));
  };
  features = add("features", FH_F32, shape(rows, book_features(levels)));
  session_left = add("session_left", FH_F32, shape(rows));
  mark2 = add("mark2", FH_I32, shape(rows));
  bid_px = add("bid_px", FH_I32, shape(rows, levels));
  ask_px = add("ask_px", FH_I32, shape(rows, levels));
  bid_sz = add("bid_sz", FH_I32, shape(rows, levels));
  ask_sz = add("ask_sz", FH_I32, shape(rows, levels));
  next_row = add("next_row", FH_I32, shape(rows));
  tradable = add("tradable", FH_U8, shape(rows));
  row_end = add("row_end", FH_U8, shape(rows));
  starts = add("starts", FH_I32, shape(static_cast<int64_t>(feed.starts.size())));
}

void FeedTensors::upload(compute::Compute& compute, const Feed& feed) const {
  send(compute, features, feed.features);
  send(compute, session_left, feed.session_left);
  send(compute, mark2, feed.mark2);
  send(compute, bid_px, feed.bid_px);
  send(compute, ask_px, feed.ask_px);
  send(compute, bid_sz, feed.bid_sz);
  send(compute, ask_sz, feed.ask_sz);
  send(compute, next_row, feed.next_row);
  send(compute, tradable, feed.tradable);
  send(compute, row_end, feed.row_end);
  send(compute, starts, feed.starts);
}

}  // namespace foxhunt::environment
