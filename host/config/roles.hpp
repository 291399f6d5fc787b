#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The settings which say which head does what: a little language of their own. All functions throw Error
/// ("expected …, got …") without naming key or place; the caller knows them.
namespace foxhunt::config {

/// One of `heads`: a plugin under a name of its own.
struct HeadInstance {
  std::string name;
  std::string plugin;
  bool operator==(const HeadInstance&) const = default;
};

struct WeightedHead {
  std::string name;
  double weight = 1;  ///< >= 0
  bool operator==(const WeightedHead&) const = default;
};

/// V(s) in the advantage.
struct ValueBaseline {
  enum class Kind {
    scalar,  ///< the value head
    head,    ///< a Q head's state_value
    blend    ///< alpha V_scalar + (1 - alpha) V_head, alpha falling linearly from 1 at `from` to 0 at `to`
  };
  Kind kind = Kind::scalar;
  std::string head;               ///< head, blend
  std::int64_t from = 0, to = 0;  ///< blend: iterations, from < to
  bool operator==(const ValueBaseline&) const = default;
};

/// "c51 twin:c51": at least one, names unique, [a-z][a-z0-9_]*, not a word with a meaning of its own.
std::vector<HeadInstance> parse_heads(std::string_view value);

/// "c51:0.5 iqn:0.5" or "c51 iqn" (equal weights that sum to 1); empty: the first head alone.
std::vector<WeightedHead> parse_ensemble(std::string_view value, const std::vector<HeadInstance>& heads);

/// "scalar", a head's name, or "blend(scalar, NAME, from, to)".
ValueBaseline parse_value_baseline(std::string_view value, const std::vector<HeadInstance>& heads);

/// A head's name; empty: the first head's.
std::string parse_risk_source(std::string_view value, const std::vector<HeadInstance>& heads);

}  // namespace foxhunt::config
