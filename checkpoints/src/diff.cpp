#include <foxhunt/checkpoints/diff.hpp>

#include <algorithm>
#include <map>

#include "blocks.hpp"
#include "diff_values.hpp"
#include "h5.hpp"
#include "h5_attributes.hpp"
#include "text.hpp"
#include "tree.hpp"

namespace foxhunt::checkpoints {

namespace {

using h5::check;
using h5::Id;

// '/' before every other character: an object is followed by all that lies below it.
struct TreeOrder {
  bool operator()(const std::string& a, const std::string& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
      return (x == '/' ? 0 : static_cast<unsigned char>(x)) < (y == '/' ? 0 : static_cast<unsigned char>(y));
    });
  }
};
using Nodes = std::map<std::string, h5::Node, TreeOrder>;

const char* kind_text(h5::Node::Kind kind) {
  switch (kind) {
    case h5::Node::Kind::group:
      return "group";
    case h5::Node::Kind::dataset:
      return "dataset";
    case h5::Node::Kind::datatype:
      return "named type";
    case h5::Node::Kind::link:
      return "link";
  }
  return "object";
}

struct Side {
  std::string name;
  Id file;
  Nodes nodes;

  Side(const std::filesystem::path& path) : name(path.string()), file(h5::open_file(name)) {
    for (auto& node : h5::tree(file, name)) nodes.emplace(node.path, node);
  }
  std::string damaged(const std::string& path) const {
    return name + ":" + path + " cannot be read: damaged";
  }
};

class Comparison {
 public:
  Comparison(const std::filesystem::path& a, const std::filesystem::path& b, const DiffOptions& options)
      : options_(options), a_(a), b_(b), ignore_used_(options.ignore.size(), false) {
    result_.file_a = a;
    result_.file_b = b;
  }

  DiffResult run() {
    auto a = a_.nodes.begin(), b = b_.nodes.begin();
    while (a != a_.nodes.end() || b != b_.nodes.end()) {
      const bool in_a = a != a_.nodes.end() && (b == b_.nodes.end() || !TreeOrder()(b->first, a->first));
      const bool in_b = b != b_.nodes.end() && (a == a_.nodes.end() || !TreeOrder()(a->first, b->first));
      const std::string path = in_a ? a->first : b->first;
      if (ignored(path)) {
        ++result_.ignored;
      } else if (in_a && in_b) {
        compare_objects(a->second, b->second);
      } else {
        add_one_sided(path, in_a, in_a ? a->second : b->second);
      }
      if (in_a) ++a;
      if (in_b) ++b;
    }
    for (std::size_t i = 0; i < ignore_used_.size(); ++i) {
      if (!ignore_used_[i]) result_.unused_ignores.push_back(options_.ignore[i]);
    }
    return std::move(result_);
  }

 private:
  bool ignored(const std::string& path) {
    bool any = false;
    for (std::size_t i = 0; i < options_.ignore.size(); ++i) {
      const std::string& entry = options_.ignore[i];
      if (!is_at_or_below(path, entry.starts_with('/') ? entry : "/" + entry)) continue;
      ignore_used_[i] = any = true;
    }
    return any;
  }

  Difference& add(Difference::Kind kind, const std::string& path, std::string a, std::string b) {
    result_.differences.push_back({kind, path, std::move(a), std::move(b)});
    return result_.differences.back();
  }

  void add_one_sided(const std::string& path, bool in_a, const h5::Node& node) {
    std::string text = kind_text(node.kind);
    (in_a ? add(Difference::Kind::only_in_a, path, text, "")
          : add(Difference::Kind::only_in_b, path, "", text));
  }

  void compare_objects(const h5::Node& a, const h5::Node& b) {
    const std::string& path = a.path;
    if (a.kind != b.kind || a.target != b.target) {
      const auto text = [](const h5::Node& node) {
        return kind_text(node.kind) + (node.target.empty() ? "" : " to " + node.target);
      };
      add(Difference::Kind::object_kind, path, text(a), text(b));
      return;
    }
    if (a.kind == h5::Node::Kind::link) return;
    compare_attributes(path);
    if (a.kind == h5::Node::Kind::dataset) compare_datasets(path);
    if (a.kind == h5::Node::Kind::datatype) compare_named_types(path);
  }

  void compare_attributes(const std::string& path) {
    const auto read = [&](const Side& side) {
      const Id object(H5Oopen(side.file, path.c_str(), H5P_DEFAULT), side.damaged(path));
      std::map<std::string, h5::RawAttribute> out;
      for (auto& attribute : h5::read_attributes(object, side.name + ":" + path)) {
        out.emplace(attribute.name, std::move(attribute));
      }
      return out;
    };
    const auto a = read(a_), b = read(b_);
    auto names = a;
    names.insert(b.begin(), b.end());
    for (const auto& [name, unused] : names) {
      const std::string where = path + "@" + name;
      if (ignored(where)) {
        ++result_.ignored;
        continue;
      }
      ++result_.attributes;
      const auto in_a = a.find(name), in_b = b.find(name);
      if (in_a == a.end()) {
        add(Difference::Kind::only_in_b, where, "", in_b->second.text);
      } else if (in_b == b.end()) {
        add(Difference::Kind::only_in_a, where, in_a->second.text, "");
      } else {
        compare_attribute(where, in_a->second, in_b->second);
      }
    }
  }

  void compare_attribute(const std::string& where, const h5::RawAttribute& a, const h5::RawAttribute& b) {
    if (a.type != b.type || a.shape != b.shape || a.scalar != b.scalar) {
      add(Difference::Kind::attribute, where, a.type + " " + shape_text(a.shape) + " " + a.text,
          b.type + " " + shape_text(b.shape) + " " + b.text);
    } else if (a.content != b.content) {
      add(Difference::Kind::attribute, where, a.text, b.text);
    }
  }

  void compare_datasets(const std::string& path) {
    ++result_.tensors;
    const Id a = h5::open_dataset(a_.file, path, a_.damaged(path)),
             b = h5::open_dataset(b_.file, path, b_.damaged(path));
    const Id type_a(H5Dget_type(a), a_.damaged(path)), type_b(H5Dget_type(b), b_.damaged(path));
    const std::string text_a = h5::type_text(type_a), text_b = h5::type_text(type_b);
    const h5::Blocks blocks_a(a, 8, a_.name + ":" + path), blocks_b(b, 8, b_.name + ":" + path);
    if (text_a != text_b) {
      add(Difference::Kind::dtype, path, text_a, text_b);
      if (blocks_a.shape() == blocks_b.shape()) return;
    }
    if (blocks_a.shape() != blocks_b.shape() || blocks_a.elements() != blocks_b.elements()) {
      add(Difference::Kind::shape, path, shape_text(blocks_a.shape()), shape_text(blocks_b.shape()));
      return;
    }
    // Nothing was ever written to either: there are no values, whatever the shape claims.
    if (H5Dget_storage_size(a) == 0 && H5Dget_storage_size(b) == 0) return;
    Difference difference{Difference::Kind::values, path};
    difference.total = blocks_a.elements();
    compare_values({a, type_a, a_.damaged(path)}, {b, type_b, b_.damaged(path)}, options_.tolerance,
                   difference);
    if (difference.differing > 0) result_.differences.push_back(std::move(difference));
  }

  void compare_named_types(const std::string& path) {
    const Id a(H5Topen2(a_.file, path.c_str(), H5P_DEFAULT), a_.damaged(path));
    const Id b(H5Topen2(b_.file, path.c_str(), H5P_DEFAULT), b_.damaged(path));
    if (H5Tequal(a, b) <= 0) add(Difference::Kind::dtype, path, h5::type_text(a), h5::type_text(b));
  }

  const DiffOptions& options_;
  Side a_, b_;
  std::vector<bool> ignore_used_;
  DiffResult result_;
};

}  // namespace

DiffResult diff(const std::filesystem::path& a, const std::filesystem::path& b, const DiffOptions& options) {
  if (options.tolerance && !(*options.tolerance >= 0)) {
    throw Error("tolerance " + number(*options.tolerance) + " is not a number of at least 0");
  }
  const h5::Session session;
  return Comparison(a, b, options).run();
}

}  // namespace foxhunt::checkpoints
