#pragma once
#include <string>
#include <vector>

#include "h5.hpp"

namespace foxhunt::checkpoints::h5 {

/// One link of a file and what it leads to.
struct Node {
  enum class Kind { group, dataset, datatype, link };
  std::string path;
  Kind kind = Kind::group;
  std::string target;  ///< of a link: soft, external, or the first path of an object that was met before
};

/// Every link reachable from the root by hard links, in order of names, parents before children; the root
/// itself is first, as "/". Each object is entered once, so cycles end. Nothing is followed out of the file.
std::vector<Node> tree(hid_t file, const std::string& file_name);

}  // namespace foxhunt::checkpoints::h5
