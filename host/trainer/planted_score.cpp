#include "planted_score.hpp"

#include <cmath>
#include <foxhunt/error.hpp>
#include <map>
#include <mutex>

#include "../common/text.hpp"
#include "../known_answers/hidden.hpp"
#include "../market/planted.hpp"

namespace foxhunt::trainer {

using namespace known_answers;

namespace {

int whole(const char* key, double lots) {
  if (lots != std::round(lots) || lots > 1e6) throw Error(text(key, " = ", lots, ": the planted market's answer is known for whole lots"));
  return static_cast<int>(lots);
}

struct Optimum {
  double ticks, error;
};
// Many evaluations, such as those of replicas, ask for the same one; that of a hidden signal takes seconds.
Optimum optimum_of(const PlantedGame& game) {
  const GameSettings& s = game.settings;
  const market::PlantedModel& m = s.model;
  if (!m.hidden || m.noise == 0) return {mean_optimum(game).ticks, 0};
  static std::mutex mutex;
  static std::map<std::vector<double>, Optimum> known;
  const std::lock_guard lock(mutex);
  const std::vector<double> key{double(m.states), m.phi, m.sigma, m.width, double(m.near_lots), m.noise,
                                double(s.small),  double(s.half), double(s.full), s.fee};
  if (const auto found = known.find(key); found != known.end()) return found->second;
  // Of the signal alone: observations hold no moves of the mid, but for those that an open position shows in its gain.
  const BeliefOptimum b = belief_optimum(game, make_noise(game), false, 1'000'000);
  return known[key] = {b.ticks, b.error};
}

}  // namespace

std::shared_ptr<const PlantedGame> planted_game(const market::Market& market, const environment::AccountSettings& account, double tick_value) {
  const auto options = market::planted_options(market);
  if (!options) throw Error(text("the market is '", market.source, "', not planted, or does not say what it was generated with"));
  if (options->session_rows > 0) throw Error("the market has sessions, whose ends close every position");
  GameSettings s;
  s.model = options->model;
  s.small = whole("env.small", account.small);
  s.half = whole("env.half", account.half);
  s.full = whole("env.full", account.full);
  if (account.lot != 1) throw Error(text("env.lot = ", account.lot, ": the planted market's answer is known for lots of 1"));
  s.fee = account.fee / tick_value;
  return std::make_shared<const PlantedGame>(make_game(s));
}

std::unique_ptr<PlantedScorer> PlantedScorer::make(const market::Market& market, environment::RowRange rows,
                                                   const environment::AccountSettings& account, double tick_value) {
  if (market.source != "planted") return nullptr;
  auto scorer = std::make_unique<PlantedScorer>();
  scorer->rows_ = rows;
  try {
    scorer->game_ = planted_game(market, account, tick_value);
    scorer->alpha_ = market::planted_states(*market::planted_options(market));
  } catch (const Error& e) {
    scorer->unknown_ = e.what();
  }
  scorer->reset();
  return scorer;
}

void PlantedScorer::reset() {
  departed_.clear();
  if (game_) visits_ = std::make_shared<Visits>(game_);
}

std::optional<size_t> PlantedScorer::add(int64_t row, double held, int32_t action, double now, int64_t next_row) {
  if (!game_ || !departed_.empty()) return std::nullopt;
  const size_t k = game_->index_of(held), to = game_->index_of(now), a = static_cast<size_t>(action);
  if (next_row != row + 1)
    departed_ = text("the order decided on at row ", row, " was filled at row ", next_row, ": env.latency is more than one row");
  else if (k == game_->positions.size() || to != game_->next[k][a])
    departed_ = text("at row ", row, " the position went from ", held, " to ", now, " lots, which its action does not ask for: position sizing changed it");
  if (!departed_.empty()) return std::nullopt;
  const size_t alpha = alpha_[static_cast<size_t>(row)];
  visits_->add(alpha, k, a, static_cast<size_t>((row - rows_.first) * static_cast<int64_t>(Visits::kFolds) / rows_.size()));
  return game_->cell(alpha, k);
}

PlantedScore PlantedScorer::result() const {
  PlantedScore r;
  r.unknown = unknown_.empty() ? departed_ : unknown_;
  if (r.unknown.empty() && visits_->steps() == 0) r.unknown = "there was no decision";
  if (!r.unknown.empty()) return r;
  r.score = score(*visits_);
  const Optimum best = optimum_of(*game_);
  r.optimum = best.ticks;
  r.optimum_error = best.error;
  r.visits = visits_;
  return r;
}

}  // namespace foxhunt::trainer
