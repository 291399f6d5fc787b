#include <foxhunt/error.hpp>

#include "../common/text.hpp"
#include "../market/market_file.hpp"
#include "../market/planted.hpp"
#include "../market/synthetic.hpp"
#include "plan.hpp"

namespace foxhunt::trainer {

market::Market make_market(const config::Config& c) {
  const std::string& source = c.text("env.source");
  if (source == "file") {
    if (c.path("env.path").empty())
      throw Error("env.source = file needs env.path: a market file made by `foxhunt import` or `foxhunt generate`");
    return market::read_market(c.path("env.path"));
  }
  if (!c.path("env.path").empty())
    throw Error(text("env.path is set, but env.source = ", source, " is an embedded market; use env.source = file"));
  const auto seed = static_cast<uint64_t>(c.integer("env.seed"));
  if (source == "synthetic") {
    market::SyntheticOptions o;
    o.rows = c.integer("env.rows");
    o.seed = seed;
    return market::generate_synthetic(o);
  }
  market::PlantedOptions o;
  o.rows = c.integer("env.rows");
  o.seed = seed;
  o.model.near_lots = static_cast<uint32_t>(c.integer("env.depth"));
  o.model.hidden = c.flag("env.hidden");
  return market::generate_planted(o);
}

}  // namespace foxhunt::trainer
