#include "tree.hpp"

#include <map>

namespace foxhunt::checkpoints::h5 {

namespace {

struct Walk {
  std::string file_name;
  std::map<haddr_t, std::string> seen;
  std::vector<Node> nodes;
};

// Bounds the recursion for a file that was made to be deep.
constexpr int deepest = 200;

std::string link_target(hid_t group, const std::string& name, const H5L_info_t& info,
                        const std::string& what) {
  std::vector<char> value(info.u.val_size + 1, '\0');
  check(H5Lget_val(group, name.c_str(), value.data(), value.size(), H5P_DEFAULT), what);
  if (info.type == H5L_TYPE_SOFT) return value.data();
  if (info.type != H5L_TYPE_EXTERNAL) return "(user-defined link)";
  const char *other_file = nullptr, *other_path = nullptr;
  unsigned flags = 0;
  check(H5Lunpack_elink_val(value.data(), info.u.val_size, &flags, &other_file, &other_path), what);
  return std::string(other_file) + ":" + other_path;
}

void visit(Walk& walk, hid_t group, const std::string& path, int depth);

void visit_object(Walk& walk, hid_t parent, const std::string& name, const std::string& path, int depth) {
  const std::string what = walk.file_name + ": " + path + " cannot be read: damaged";
  const Id object(H5Oopen(parent, name.c_str(), H5P_DEFAULT), what);
  H5O_info_t info{};
  check(H5Oget_info2(object, &info, H5O_INFO_BASIC), what);
  const auto [first, is_new] = walk.seen.emplace(info.addr, path);
  if (!is_new) {
    walk.nodes.push_back({path, Node::Kind::link, first->second});
  } else if (info.type == H5O_TYPE_GROUP) {
    walk.nodes.push_back({path, Node::Kind::group, {}});
    if (depth >= deepest) throw Error(walk.file_name + ": groups are nested more than 200 deep at " + path);
    visit(walk, object, path, depth + 1);
  } else {
    const bool dataset = info.type == H5O_TYPE_DATASET;
    walk.nodes.push_back({path, dataset ? Node::Kind::dataset : Node::Kind::datatype, {}});
  }
}

void visit(Walk& walk, hid_t group, const std::string& path, int depth) {
  const std::string what = walk.file_name + ": group " + path + " cannot be read: damaged";
  H5G_info_t info{};
  check(H5Gget_info(group, &info), what);
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const ssize_t length =
        H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, nullptr, 0, H5P_DEFAULT);
    if (length < 0) fail(what);
    std::string name(static_cast<std::size_t>(length), '\0');
    if (H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size() + 1,
                           H5P_DEFAULT) < 0) {
      fail(what);
    }
    const std::string child = (path == "/" ? "" : path) + "/" + name;
    H5L_info_t link{};
    check(H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT), what);
    if (link.type == H5L_TYPE_HARD) {
      visit_object(walk, group, name, child, depth);
    } else {
      walk.nodes.push_back({child, Node::Kind::link, link_target(group, name, link, what)});
    }
  }
}

}  // namespace

std::vector<Node> tree(hid_t file, const std::string& file_name) {
  Walk walk{file_name, {}, {}};
  visit_object(walk, file, "/", "/", 0);
  return std::move(walk.nodes);
}

}  // namespace foxhunt::checkpoints::h5
