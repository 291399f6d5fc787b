#include "blueprint.hpp"

#include "../common/log.hpp"
#include "../common/text.hpp"
#include "../environment/classic_control.hpp"
#include "../environment/market_environment.hpp"
#include "episode_evaluation.hpp"
#include "market_evaluation.hpp"

namespace foxhunt::trainer {

Blueprint::Blueprint(const config::Config& config, plugins::Registry& plugins, Purpose purpose) : plan(make_plan(config)) {
  if (environment::make_classic_control(config.text("env.source"), 1))
    control(config, plugins);
  else
    trade(config, plugins, purpose == Purpose::critics);
  // What the environment decides.
  plan = agent->plan();
  // Recording declares the working memory, so all of it is done before a device gives out memory.
  if (purpose == Purpose::training) iteration = agent->record_iteration();
  for (Evaluation* e : {validation.get(), test.get()})
    if (e) e->record();
}

void Blueprint::trade(const config::Config& config, plugins::Registry& plugins, bool critics) {
  market = make_market(config);
  const environment::Split split = environment::split_by_time(*market, config.real("env.split_train"),
                                                              config.real("env.split_validation"), config.integer("env.embargo"));
  const environment::FeatureScale scale = environment::fit_scale(*market, split.train);
  train = environment::make_feed(*market, split.train, scale, {plan.latency_us});
  log::info(text("market: ", market->source, " ", market->instrument.symbol, ", ", market->rows(), " rows x ", market->levels,
                 " levels; train ", split.train.size(), ", validation ", split.validation.size(), ", test ", split.test.size(),
                 "; one tick and lot is ", train.tick_value, " USD"));
  if (market->source == "dbn" && !config.is_set("env.fee_taker"))
    log::warning(text("env.fee_taker is its default of ", plan.account.fee,
                      " USD a lot, made for the embedded markets; set what your broker and exchange charge"));

  agent = std::make_unique<Agent>(plan, std::make_unique<environment::MarketEnvironment>(train, plan.account), plugins, config);
  const auto part = [&](const char* name, const environment::RowRange& rows) -> std::unique_ptr<Evaluation> {
    if (rows.size() <= 1) return nullptr;
    return std::make_unique<MarketEvaluation>(*agent, *market, scale, name, rows, critics);
  };
  validation = part("validation", split.validation);
  test = part("test", split.test);
}

void Blueprint::control(const config::Config& config, plugins::Registry& plugins) {
  const std::string& task = config.text("env.source");
  log::info(text("task: ", task, "-v1, ", plan.accounts, plan.accounts == 1 ? " account" : " accounts"));
  agent = std::make_unique<Agent>(plan, environment::make_classic_control(task, plan.accounts), plugins, config);
  test = std::make_unique<EpisodeEvaluation>(*agent, environment::make_classic_control(task, plan.eval_accounts));
}

std::vector<const compute::Program*> Blueprint::programs() const {
  std::vector<const compute::Program*> all;
  if (iteration) all.push_back(&*iteration);
  for (const Evaluation* e : {validation.get(), test.get()})
    if (e) all.push_back(&e->program());
  return all;
}

}  // namespace foxhunt::trainer
