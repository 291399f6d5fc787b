#include "workspaces.hpp"

#include <algorithm>

namespace foxhunt::compute::cuda {

size_t Workspaces::take(Dependencies& order, uint32_t op, size_t bytes) {
  // The latest user that is certain to have ended: earlier ones are left to branches that began earlier.
  size_t chosen = users_.size();
  for (size_t i = 0; i < users_.size(); ++i)
    if (order.is_before(users_[i], op) && (chosen == users_.size() || users_[i] > users_[chosen])) chosen = i;
  if (chosen == users_.size()) {
    if (users_.size() < most) {
      users_.push_back(op);
      bytes_.push_back(0);
    } else {
      chosen = static_cast<size_t>(std::min_element(users_.begin(), users_.end()) - users_.begin());
      order.wait_for(users_[chosen]);
    }
  }
  users_[chosen] = op;
  bytes_[chosen] = std::max(bytes_[chosen], bytes);
  return chosen;
}

}  // namespace foxhunt::compute::cuda
