#include "blueprint.hpp"

#include "../common/log.hpp"
#include "../common/text.hpp"

namespace foxhunt::trainer {

Blueprint::Blueprint(const config::Config& config, plugins::Registry& plugins, bool training)
    : plan(make_plan(config)), market(make_market(config)) {
  const environment::Split split = environment::split_by_time(market, config.real("env.split_train"),
                                                              config.real("env.split_validation"), config.integer("env.embargo"));
  const environment::FeatureScale scale = environment::fit_scale(market, split.train);
  train = environment::make_feed(market, split.train, scale, {plan.latency_us});
  log::info(text("market: ", market.source, " ", market.instrument.symbol, ", ", market.rows(), " rows x ", market.levels,
                 " levels; train ", split.train.size(), ", validation ", split.validation.size(), ", test ", split.test.size(),
                 "; one tick and lot is ", train.tick_value, " USD"));
  if (market.source == "dbn" && !config.is_set("env.fee_taker"))
    log::warning(text("env.fee_taker is its default of ", plan.account.fee,
                      " USD a lot, made for the embedded markets; set what your broker and exchange charge"));

  agent = std::make_unique<Agent>(plan, train, plugins, config);
  if (split.validation.size() > 1) validation = std::make_unique<Evaluation>(*agent, market, scale, "validation", split.validation);
  if (split.test.size() > 1) test = std::make_unique<Evaluation>(*agent, market, scale, "test", split.test);
  // Recording declares the working memory, so all of it is done before a device gives out memory.
  if (training) iteration = agent->record_iteration();
  for (Evaluation* e : {validation.get(), test.get()})
    if (e) e->record();
}

std::vector<const compute::Program*> Blueprint::programs() const {
  std::vector<const compute::Program*> all;
  if (iteration) all.push_back(&*iteration);
  for (const Evaluation* e : {validation.get(), test.get()})
    if (e) all.push_back(&e->program());
  return all;
}

}  // namespace foxhunt::trainer
