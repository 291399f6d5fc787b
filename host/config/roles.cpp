#include "roles.hpp"

#include <algorithm>
#include <cmath>
#include <foxhunt/error.hpp>

#include "common/text.hpp"
#include "settings.hpp"

namespace foxhunt::config {

namespace {

std::string names_of(const std::vector<HeadInstance>& heads) {
  std::vector<std::string> names;
  for (const HeadInstance& head : heads) names.push_back(head.name);
  return join(names, ", ");
}

std::string in_use(const std::string& name, const std::vector<HeadInstance>& heads) {
  const bool known =
      std::any_of(heads.begin(), heads.end(), [&](const HeadInstance& head) { return head.name == name; });
  if (!known) throw Error(text("'", shown(name), "' is not in `heads`, which has: ", names_of(heads)));
  return name;
}

}  // namespace

std::vector<HeadInstance> parse_heads(std::string_view value) {
  std::vector<HeadInstance> heads;
  for (const std::string& word : words(value)) {
    const auto colon = word.find(':');
    const HeadInstance head{word.substr(0, colon),
                            colon == std::string::npos ? word : word.substr(colon + 1)};
    if (!is_identifier(head.name) || !is_identifier(head.plugin) || head.name.size() > 47)
      throw Error(
          text("expected `name` or `name:plugin` of at most 47 small letters, digits and _ (a letter first), "
               "got '",
               shown(word), "'"));
    if (is_reserved(head.name))
      throw Error(text("a head cannot be called '", head.name,
                       "', which has a meaning of its own; write another-name:", head.plugin));
    if (std::any_of(heads.begin(), heads.end(),
                    [&](const HeadInstance& other) { return other.name == head.name; }))
      throw Error(
          text("two heads are called '", head.name, "'; give one another name, as in twin:", head.plugin));
    heads.push_back(head);
  }
  if (heads.empty()) throw Error("expected at least one head, got none");
  return heads;
}

std::vector<WeightedHead> parse_ensemble(std::string_view value, const std::vector<HeadInstance>& heads) {
  const std::vector<std::string> parts = words(value);
  if (parts.empty()) return {{heads.front().name, 1}};
  std::vector<WeightedHead> result;
  std::size_t bare = 0;
  double sum = 0;
  for (const std::string& word : parts) {
    const auto colon = word.find(':');
    WeightedHead head{in_use(word.substr(0, colon), heads), 1.0 / static_cast<double>(parts.size())};
    if (std::any_of(result.begin(), result.end(),
                    [&](const WeightedHead& other) { return other.name == head.name; }))
      throw Error(text("'", head.name, "' is named twice"));
    if (colon == std::string::npos) {
      ++bare;
    } else {
      const auto weight = to_real(std::string_view(word).substr(colon + 1));
      if (!weight || !std::isfinite(*weight) || *weight < 0)
        throw Error(text("expected `head:weight` with a weight of at least 0, got '", shown(word), "'"));
      head.weight = *weight;
    }
    sum += head.weight;
    result.push_back(head);
  }
  if (bare != 0 && bare != parts.size())
    throw Error(text("expected a weight for every head or for none, got '", shown(value), "'"));
  if (sum <= 0 || !std::isfinite(sum))
    throw Error(text("expected weights with a sum above 0, got '", shown(value), "'"));
  return result;
}

ValueBaseline parse_value_baseline(std::string_view value, const std::vector<HeadInstance>& heads) {
  using enum ValueBaseline::Kind;
  value = trim(value);
  if (value == "scalar") return {};
  if (is_identifier(value)) return {.kind = head, .head = in_use(std::string(value), heads)};
  const auto refuse = [&] {
    return Error(
        text("expected scalar, the name of a head, or blend(scalar, HEAD, from, to) with iterations from < "
             "to, got '",
             shown(value), "'"));
  };
  if (!value.starts_with("blend") || !value.ends_with(')')) throw refuse();
  std::string_view inside = trim(value.substr(5));
  if (!inside.starts_with('(')) throw refuse();
  const std::vector<std::string> parts = split(inside.substr(1, inside.size() - 2), ',');
  if (parts.size() != 4 || parts[0] != "scalar") throw refuse();
  const auto from = to_integer(parts[2]), to = to_integer(parts[3]);
  if (!from || !to || *from < 0 || *from >= *to) throw refuse();
  return {.kind = blend, .head = in_use(parts[1], heads), .from = *from, .to = *to};
}

std::string parse_risk_source(std::string_view value, const std::vector<HeadInstance>& heads) {
  value = trim(value);
  return value.empty() ? heads.front().name : in_use(std::string(value), heads);
}

}  // namespace foxhunt::config
