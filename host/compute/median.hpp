#pragma once
#include <algorithm>
#include <vector>

namespace foxhunt::compute {

/// The middle value of each list (the upper one of two); 0 for an empty one.
inline std::vector<double> medians(std::vector<std::vector<double>> lists) {
  std::vector<double> middle;
  for (std::vector<double>& l : lists) {
    const auto m = l.begin() + static_cast<long>(l.size() / 2);
    if (!l.empty()) std::nth_element(l.begin(), m, l.end());
    middle.push_back(l.empty() ? 0 : *m);
  }
  return middle;
}

}  // namespace foxhunt::compute
