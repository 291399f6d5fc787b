#include "train.hpp"

#include <algorithm>
#include <cstdio>
#include <foxhunt/error.hpp>

#include "../common/files.hpp"
#include "../common/log.hpp"
#include "../common/text.hpp"
#include "interrupt.hpp"
#include "run.hpp"

namespace foxhunt::trainer {

namespace fs = std::filesystem;

namespace {

void print(const std::string& out) {
  std::fwrite(out.data(), 1, out.size(), stdout);
  std::fflush(stdout);
}

std::string last_line(const fs::path& folder, double steps_per_s, const std::string& verdict) {
  return text(folder, "  ", fixed(steps_per_s, 0), " steps/s  ", verdict, "\n");
}

std::string verdict_of(const Run::Result& r) { return text(r.verdict.word(), ": ", r.verdict.sentence); }

// How much a result matters when several end together.
int weight(diagnostics::ExitCode code) {
  using enum diagnostics::ExitCode;
  switch (code) {
    case passed: return 0;
    case failed: return 1;
    case aborted: return 2;
    case interrupted: return 3;
    case error: return 4;
  }
  return 4;
}

// The folder of a replica: what is there already goes on, what is not begins.
TrainRequest replica_request(const TrainRequest& all, const config::Config& config, const fs::path& folder) {
  TrainRequest mine{config, all.plugins, all.command};
  mine.init_from = all.init_from;
  if (all.fork_from) {
    mine.fork_from = *all.fork_from / folder.filename() / "checkpoints" / "latest.h5";
    if (!fs::exists(*mine.fork_from)) throw Error(text("--fork-from ", *all.fork_from, ": there is no ", *mine.fork_from));
  }
  if (all.resume && fs::exists(folder))
    mine.resume = folder;
  else
    mine.folder = folder;
  return mine;
}

fs::path parent_folder(const TrainRequest& request) {
  if (request.resume) return *request.resume;
  if (!request.folder) return make_numbered_folder("runs", request.name);
  make_run_folder(*request.folder);
  return *request.folder;
}

// One progress line for all: the mean of what each said last.
class CommonProgress {
 public:
  CommonProgress(size_t runs, diagnostics::Progress::Options options) : states_(runs), progress_(std::move(options)) {}
  Run::ShowProgress of(size_t i) {
    return [this, i](const diagnostics::ProgressState& s) {
      states_[i] = s;
      if (i == 0) show();
    };
  }
  void finish() { progress_.finish(); }

 private:
  void show() {
    diagnostics::ProgressState mean;
    const auto n = static_cast<double>(states_.size());
    for (const diagnostics::ProgressState& s : states_) {
      mean.env_steps_per_s += s.env_steps_per_s;
      mean.pnl_usd += s.pnl_usd / n;
      if (s.episode_return) mean.episode_return = mean.episode_return.value_or(0) + *s.episode_return / n;
      mean.q_pi_agree += s.q_pi_agree / n;
      mean.entropy += s.entropy / n;
    }
    mean.step = states_[0].step;
    progress_.update(mean);
  }
  std::vector<diagnostics::ProgressState> states_;
  diagnostics::Progress progress_;
};

void take_turns(const std::vector<std::unique_ptr<Run>>& runs) {
  const InterruptGuard guard;
  for (bool any = true; any;) {
    any = false;
    for (const auto& run : runs) {
      if (!run->going()) continue;
      if (InterruptGuard::requested()) {
        run->interrupt();
        continue;
      }
      run->advance();
      any = true;
    }
  }
  for (const auto& run : runs) run->settle();
}

diagnostics::Progress::Options progress_options(const Run& run) {
  diagnostics::Progress::Options options;
  options.total = run.plan().iterations;
  options.first = run.first();
  return options;
}

}  // namespace

diagnostics::ExitCode train(const TrainRequest& request) {
  std::vector<std::unique_ptr<Run>> runs;
  runs.push_back(std::make_unique<Run>(request));
  Run& run = *runs.front();
  CommonProgress progress(1, progress_options(run));
  run.open(progress.of(0));
  take_turns(runs);
  progress.finish();
  run.finish();
  const Run::Result& r = run.result();
  if (!r.summary.evaluations.empty()) print(to_text(r.summary.evaluations.back()));
  print(last_line(r.folder, r.summary.env_steps_per_s, verdict_of(r)));
  return r.verdict.code;
}

diagnostics::ExitCode train_side_by_side(const TrainRequest& request, const std::vector<config::Config>& replicas) {
  if (request.fills) throw Error("--fills follows one run: leave it out, or set trainer.replicas = 1");
  const fs::path parent = parent_folder(request);
  write_file_atomic(parent / "config.ini", request.config.resolved());
  std::vector<std::unique_ptr<Run>> runs;
  try {
    for (const config::Config& config : replicas) {
      const fs::path folder = parent / text("seed-", config.integer("trainer.seed"));
      log::info(text(folder, ":"));
      runs.push_back(std::make_unique<Run>(replica_request(request, config, folder)));
    }
  } catch (const Error&) {
    // What is refused leaves no folder behind.
    std::error_code none;
    if (!request.resume && fs::remove(parent / "config.ini", none)) fs::remove(parent, none);
    throw;
  }
  CommonProgress progress(runs.size(), progress_options(*runs.front()));
  for (size_t i = 0; i < runs.size(); ++i) runs[i]->open(progress.of(i));
  take_turns(runs);
  progress.finish();

  auto worst = diagnostics::ExitCode::passed;
  double rate = 0;
  size_t passed = 0;
  for (const auto& run : runs) {
    run->finish();
    const Run::Result& r = run->result();
    std::string score;
    if (!r.summary.evaluations.empty()) {
      const EvaluationResult& e = r.summary.evaluations.back();
      score = e.returns.empty() ? text(e.part, " ", fixed(e.pnl_usd, 2), " USD, ", fixed(e.pnl_ticks_per_step, 4), " ticks a step  ", e.planted && e.planted->unknown.empty() ? text(fixed(e.planted->share(), 4), " of the optimum  ") : std::string())
                                : text(e.part, " return ", fixed(statistics(e.returns).mean, 2), "  ");
    }
    print(text(r.folder, "  ", score, verdict_of(r), "\n"));
    rate += r.summary.env_steps_per_s;
    passed += r.verdict.code == diagnostics::ExitCode::passed;
    if (weight(r.verdict.code) > weight(worst)) worst = r.verdict.code;
  }
  print(last_line(parent, rate, text(passed, " of ", runs.size(), " passed")));
  return worst;
}

void evaluate(const EvalRequest& request) {
  const checkpoints::Reader file(request.checkpoint);
  Session session(request.config, request.plugins, Purpose::evaluation);
  session.load_policy(file);
  std::optional<FillLog> fills;
  if (request.fills) fills.emplace(*request.fills);
  const auto on_fill = fills ? std::function<void(const Fill&)>([&](const Fill& f) { fills->write(f); }) : nullptr;
  const EvaluationResult result = session.evaluate(request.part, on_fill);
  if (fills) fills->finish();
  if (request.equity) write_file_atomic(*request.equity, equity_csv({result}));
  print(to_text(result));
}

}  // namespace foxhunt::trainer
