#include "market_evaluation.hpp"

#include <algorithm>

#include "../common/text.hpp"
#include "../kernels/manifest.hpp"
#include "../kernels/optimizer.hpp"
#include "performance.hpp"

namespace foxhunt::trainer {

namespace {

constexpr int64_t N = environment::kActions;
constexpr int64_t kChunk = 64;  // steps of one program

// Rows on which segments begin: sessions are kept apart, and the accounts share the rows evenly.
std::vector<int64_t> segment_starts(const market::Market& m, environment::RowRange rows, int64_t accounts) {
  const int64_t length = std::max<int64_t>(8, (rows.size() + accounts - 1) / accounts);
  std::vector<int64_t> starts;
  int64_t begin = rows.first;
  for (int64_t r = rows.first; r < rows.last; ++r) {
    const bool new_session = r > rows.first && m.session[static_cast<size_t>(r)] != m.session[static_cast<size_t>(r - 1)];
    if (r == rows.first || new_session || r - begin >= length) {
      starts.push_back(r);
      begin = r;
    }
  }
  return starts;
}

}  // namespace

MarketEvaluation::MarketEvaluation(Agent& agent, const market::Market& market, const environment::FeatureScale& scale,
                       std::string part, environment::RowRange rows, bool critics)
    : agent_(agent), part_(std::move(part)), prefix_("evaluation/" + part_), first_row_(rows.first) {
  const Plan& plan = agent.plan();
  if (plan.eval_rows > 0) rows.last = std::min(rows.last, rows.first + plan.eval_rows);
  environment::FeedOptions options;
  options.latency_us = plan.latency_us;
  options.segments = segment_starts(market, rows, plan.eval_accounts);
  options.part = part_;
  feed_ = environment::make_feed(market, rows, scale, options);
  year_seconds_ = seconds_a_year(market);
  planted_ = PlantedScorer::make(market, rows, plan.account, feed_.tick_value);

  // The first row of each segment on which an account can decide; segments without one are skipped.
  options.segments.push_back(rows.last);
  for (size_t s = 0; s + 1 < options.segments.size(); ++s) {
    const auto begin = static_cast<int32_t>(options.segments[s] - rows.first);
    const auto end = static_cast<int32_t>(options.segments[s + 1] - rows.first);
    const auto found = std::lower_bound(feed_.starts.begin(), feed_.starts.end(), begin);
    if (found != feed_.starts.end() && *found < end) start_rows_.push_back(*found);
  }
  accounts_count_ = static_cast<int64_t>(start_rows_.size());

  environment::AccountSettings settings = plan.account;
  settings.accounts = accounts_count_;
  settings.episode_steps = 0;
  compute::Tensors& tensors = agent.tensors();
  feed_tensors_.declare(tensors, prefix_ + "/market", feed_);
  accounts_.declare(tensors, prefix_ + "/accounts", compute::Lifetime::resident, feed_, feed_tensors_, settings);
  pass_ = agent.encoder().make_pass(
      tensors, {prefix_ + "/encoder", 1, accounts_count_, compute::Lifetime::resident, false});

  const auto add = [&](const char* name, fh_dtype dtype, fh_shape s) {
    compute::TensorSpec spec;
    spec.name = prefix_ + "/" + name;
    spec.dtype = dtype;
    spec.shape = s;
    spec.lifetime = compute::Lifetime::resident;
    return tensors.add(std::move(spec));
  };
  const int64_t E = accounts_count_;
  x_ = add("x", FH_F32, shape(E, accounts_.features()));
  h_ = add("h", FH_F32, shape(E, plan.encoder.hidden));
  action_ = add("action", FH_I32, shape(kChunk, E));
  target_ = add("target", FH_F32, shape(E));
  sized_ = add("sized", FH_F32, shape(E));
  scale_ = add("scale", FH_F32, shape(E));
  reward_ = add("reward", FH_F32, shape(E));
  done_ = add("done", FH_U8, shape(kChunk, E));
  valid_ = add("valid", FH_U8, shape(E));
  fill_row_ = add("fill_row", FH_I32, shape(kChunk, E));
  fill_lots_ = add("fill_lots", FH_F64, shape(kChunk, E));
  fill_value_ = add("fill_value", FH_F64, shape(kChunk, E));
  equity_ = add("equity", FH_F64, shape(kChunk, E));
  step_ = add("step", FH_U64, shape(1));
  if (critics && planted_) critics_ = std::make_unique<CriticProbe>(agent, prefix_, kChunk, accounts_count_);
}

void MarketEvaluation::record() {
  compute::Program& program = program_;
  program.name = prefix_;
  compute::Recording main(program, agent_.tensors(), program_kernels(), {"", prefix_, prefix_, agent_.plan().seed});
  Recorder r = main.recorder();
  const fh_tensor x = main.write(x_), h = main.write(h_);
  for (int64_t t = 0; t < kChunk; ++t) {
    const auto at = [&](compute::TensorId id) { return r.slice(main.write(id), t); };
    const auto salt = static_cast<uint32_t>(t);
    accounts_.record_observe(main, x);
    pass_->record_step(main, x, 0, main.read(valid_), h);
    if (critics_) critics_->record(program, main, t, h, step_);
    const fh_tensor mask = agent_.plan().masked ? r.scratch("mask", shape(accounts_count_, N), FH_U8) : 0;
    if (mask) accounts_.record_mask(main, mask);
    agent_.record_evaluated_choice(program, main, prefix_, h, mask, at(action_), step_, salt);
    accounts_.record_target(main, at(action_), main.write(target_));
    agent_.record_sizing(program, main, prefix_, {h, at(action_), main.write(target_), main.write(sized_), main.write(scale_), salt});
    accounts_.record_step(main, at(action_), main.write(sized_), step_,
                          {main.write(reward_), at(done_), main.write(valid_), at(fill_row_), at(fill_lots_),
                           at(fill_value_), at(equity_)},
                          salt);
  }
  r.launch(kernels::advance_step, Grid::elements(1), {inout(main.write(step_))});
}

void MarketEvaluation::prepare(compute::Compute& compute) {
  executable_ = compute.prepare(program_);
  feed_tensors_.upload(compute, feed_);
}

EvaluationResult MarketEvaluation::run(compute::Compute& compute, const std::function<void(const Fill&)>& on_fill) {
  const auto E = static_cast<size_t>(accounts_count_), cells = E * static_cast<size_t>(kChunk);
  accounts_.initialise(compute, start_rows_, std::vector<int32_t>(E, INT32_MAX));
  pass_->reset(compute);
  if (planted_) planted_->reset();
  if (critics_) critics_->reset();
  const uint64_t zero = 0;
  compute.upload(step_, &zero, sizeof zero);

  std::vector<int32_t> action(cells), row(cells);
  std::vector<int32_t> walked = start_rows_;  // the row that each account is at
  std::vector<uint8_t> done(cells);
  std::vector<double> lots(cells), value(cells), equity(cells), held(E, 0);
  enum class State : uint8_t { walks, closes, finished };
  std::vector<State> state(E, State::walks);
  const auto get = [&](compute::TensorId id, auto& to) { compute.download(id, to.data(), to.size() * sizeof(to[0])); };
  const double fee = agent_.plan().account.fee;

  std::vector<int64_t> begins;
  for (const int32_t r : start_rows_) begins.push_back(feed_.ts[static_cast<size_t>(r)]);
  AccountPaths paths(std::move(begins));
  size_t left = E;
  for (int64_t step = 0; left > 0; step += kChunk) {
    executable_->submit();
    compute.wait_all();
    get(action_, action);
    if (critics_) critics_->download(compute);
    get(fill_row_, row);
    get(done_, done);
    get(fill_lots_, lots);
    get(fill_value_, value);
    get(equity_, equity);
    for (int64_t t = 0; t < kChunk; ++t) {
      for (size_t e = 0; e < E; ++e) {
        if (state[e] == State::finished) continue;
        const size_t at = static_cast<size_t>(t) * E + e;
        const bool decided = state[e] == State::walks;
        paths.add(e, {feed_.ts[static_cast<size_t>(row[at])], equity[at], lots[at], value[at], fee * std::abs(lots[at]),
                      decided ? action[at] : AccountPaths::kClosing});
        // A segment's end closes the position whatever was decided.
        if (planted_ && decided && !done[at]) {
          const auto cell = planted_->add(first_row_ + walked[e], held[e], action[at], held[e] + lots[at], first_row_ + row[at]);
          if (critics_ && cell) critics_->keep(static_cast<size_t>(t), e, *cell);
        }
        walked[e] = row[at];
        held[e] += lots[at];
        if (on_fill && lots[at] != 0)
          on_fill({step + t, static_cast<int64_t>(e), first_row_ + row[at], lots[at], value[at], fee * std::abs(lots[at])});
        if (decided && done[at]) {
          paths.ended(e, done[at] == 1 && equity[at] <= -agent_.plan().account.loss_limit);
          state[e] = State::closes;
        }
        // Only a ruined account still holds something: its next steps close it out.
        if (state[e] == State::closes && held[e] == 0) {
          state[e] = State::finished;
          --left;
        }
      }
    }
  }
  EvaluationResult result = paths.summarise(feed_.tick_value, year_seconds_);
  result.part = part_;
  result.action_names = agent_.environment().action_names();
  result.rows = feed_.rows;
  if (planted_) result.planted = planted_->result();
  if (critics_) result.critics = std::make_shared<CriticSamples>(critics_->samples());
  return result;
}

}  // namespace foxhunt::trainer
