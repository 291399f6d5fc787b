#include "../market/market_file.hpp"
#include "../market/planted.hpp"
#include "../market/synthetic.hpp"
#include "plan.hpp"

namespace foxhunt::trainer {

market::Market make_market(const config::Config& c) {
  const std::string& source = c.text("env.source");
  if (source == "file") return market::read_market(c.path("env.path"));
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
