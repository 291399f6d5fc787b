#include "run.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <foxhunt/checkpoints/store.hpp>
#include <foxhunt/error.hpp>

#include "../common/files.hpp"
#include "../common/log.hpp"
#include "../common/text.hpp"
#include "../diagnostics/diag_file.hpp"
#include "../diagnostics/gates.hpp"
#include "../diagnostics/progress.hpp"
#include "../diagnostics/provenance.hpp"
#include "fill_log.hpp"
#include "interrupt.hpp"
#include "metrics.hpp"
#include "session.hpp"
#include "summary.hpp"

namespace foxhunt::trainer {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

void print(const std::string& out) {
  std::fwrite(out.data(), 1, out.size(), stdout);
  std::fflush(stdout);
}

// The checkpoint's own configuration decides whether a run goes on as if it had never stopped.
void check_same_computation(const checkpoints::Reader& file, const config::Config& config) {
  const std::string now = config.resolved(config::Detail::result);
  const std::string& then = file.text("config");
  if (now == then) return;
  const std::vector<std::string> a = split(then, '\n'), b = split(now, '\n');
  std::string difference;
  for (size_t i = 0; i < std::max(a.size(), b.size()) && difference.empty(); ++i) {
    const std::string x = i < a.size() ? a[i] : "", y = i < b.size() ? b[i] : "";
    if (x != y) difference = text("the checkpoint has '", x, "', this run '", y, "'");
  }
  throw Error(text("this configuration computes something else than ", file.file(), ": ", difference,
                   ". Resume changes nothing but how long and how a run works; to start from its weights use --init-from"));
}

diagnostics::Provenance provenance(const TrainRequest& request, Session& session) {
  diagnostics::Provenance p;
  p.command = request.command;
  const compute::DeviceInfo& device = session.compute().device();
  p.device = text(device.kind, ": ", device.name, ", ", device.target);
  if (request.resume) p.resumed_from = request.resume->string();
  p.libraries = {{"kernel compiler", device.compiler}, {"blas", device.blas}};
  const auto add = [&](const plugins::Instance& i) {
    const plugins::Candidate& c = i.plugin().candidate();
    p.plugins.push_back({c.description.name, c.description.version, c.path.string(), c.sha256});
  };
  for (const auto& head : session.agent().heads()) add(head->instance());
  add(session.agent().shaper());
  add(session.agent().sizer());
  for (const auto& [name, sha] : session.kernel_hashes()) p.kernels.push_back({name, "", "", sha});
  return p;
}

// Everything a run writes while it goes on.
class Run {
 public:
  Run(const TrainRequest& request, Session& session, MetricsReader& metrics)
      : request_(request), session_(session), metrics_(metrics), plan_(session.plan()),
        gates_(request.config.gates(), metrics.schema(), plan_.metrics_lag) {}

  diagnostics::ExitCode execute();

 private:
  void open_folder();
  void loop();
  // Reads and writes the metrics of all iterations up to `iteration`.
  void take_metrics(int64_t iteration);
  bool act_on(const std::vector<diagnostics::Firing>& firings);
  void drain();
  void save();

  const TrainRequest& request_;
  Session& session_;
  MetricsReader& metrics_;
  const Plan& plan_;
  diagnostics::Gates gates_;
  fs::path folder_;
  std::optional<checkpoints::Store> store_;
  std::optional<diagnostics::DiagWriter> diag_;
  std::optional<diagnostics::Row> last_;
  std::optional<FillLog> fills_;
  std::optional<diagnostics::Progress> progress_;
  int64_t first_ = 0, read_ = 0, saved_ = -1;
  double wall_before_ = 0, rate_ = 0, rate_time_ = 0;
  int64_t rate_step_ = 0;
  bool aborted_ = false, interrupted_ = false;
  Clock::time_point start_;
};

void Run::open_folder() {
  if (request_.resume) {
    folder_ = *request_.resume;
  } else if (request_.folder) {
    folder_ = *request_.folder;
    make_run_folder(folder_);
  } else {
    folder_ = make_numbered_folder("runs", request_.name);
  }
  checkpoints::StoreOptions options;
  options.keep_last = static_cast<size_t>(plan_.keep_checkpoints);
  store_.emplace(folder_ / "checkpoints", options);
  const fs::path diag = folder_ / "diag.jsonl";
  if (request_.resume) {
    const auto rows = diagnostics::read_rows(diag, metrics_.schema(), first_);
    if (!rows.empty()) {
      wall_before_ = rows.back().get("wall_s");
      last_ = rows.back();
    }
    diag_.emplace(diagnostics::DiagWriter::resume(diag, metrics_.schema(), first_));
    aborted_ = act_on(gates_.restore(rows, first_));
  } else {
    diag_.emplace(diagnostics::DiagWriter(diag));
  }
  // Of a resumed run, too: it may go on for longer than it was first asked to, and be resumed again.
  write_file_atomic(folder_ / "config.ini", request_.config.resolved());
  diagnostics::write_provenance(folder_ / "provenance.json", provenance(request_, session_));
  if (request_.fills) fills_.emplace(*request_.fills);
}

bool Run::act_on(const std::vector<diagnostics::Firing>& firings) {
  bool stop = false;
  for (const diagnostics::Firing& f : firings) {
    log::warning(f.sentence);
    stop = stop || f.action == diagnostics::Action::abort;
  }
  return stop;
}

void Run::take_metrics(int64_t iteration) {
  for (; read_ <= iteration; ++read_) {
    session_.compute().wait(session_.run_of(read_));
    diagnostics::Row row = metrics_.read(read_);
    const double wall = seconds_since(start_);
    if (wall - rate_time_ > 0.5 || read_ == first_) {
      rate_ = static_cast<double>((read_ + 1 - rate_step_) * plan_.samples()) / (wall - rate_time_);
      rate_time_ = wall;
      rate_step_ = read_ + 1;
    }
    row.set("wall_s", wall_before_ + wall);
    row.set("env_steps_per_s", rate_);
    diag_->write(row);
    gates_.observe(row);
    progress_->update({row.step(), rate_, row.get("pnl_cum_usd"), row.get("q_pi_agree"), row.get("entropy")});
    last_ = std::move(row);
  }
}

void Run::drain() {
  session_.compute().wait_all();
  take_metrics(session_.step() - 1);
}

void Run::save() {
  if (saved_ == session_.step()) return;
  drain();
  diag_->sync();
  const Snapshot snapshot = session_.snapshot(session_.host_state());
  store_->save(static_cast<uint64_t>(session_.step()), snapshot.content);
  saved_ = session_.step();
}

void Run::loop() {
  const int64_t lag = plan_.metrics_lag;
  while (session_.step() < plan_.iterations && !aborted_) {
    if (InterruptGuard::requested()) {
      interrupted_ = true;
      break;
    }
    session_.submit();
    const int64_t done = session_.step();
    if (fills_) session_.last_fills([&](const Fill& f) { fills_->write(f); });
    if (done - 1 - lag >= first_) take_metrics(done - 1 - lag);
    // Gates look at metrics of a fixed age, whenever they arrived: the stopping step never depends on timing.
    if (done - lag >= first_ + 1) aborted_ = act_on(gates_.decide(done));
    if (plan_.checkpoint_every > 0 && done % plan_.checkpoint_every == 0) save();
  }
}

diagnostics::ExitCode Run::execute() {
  first_ = read_ = rate_step_ = session_.step();
  open_folder();
  diagnostics::Progress::Options options;
  options.total = plan_.iterations;
  options.first = first_;
  progress_.emplace(std::move(options));
  start_ = Clock::now();
  if (first_ >= plan_.iterations)
    log::info(text("the run has its ", first_, " iterations already; raise trainer.iterations to go on"));
  {
    const InterruptGuard guard;
    loop();
    save();
  }
  const double wall = seconds_since(start_);
  progress_->finish();
  if (!interrupted_ && !aborted_) act_on(gates_.finish());
  if (fills_) fills_->finish();

  Summary summary;
  const auto verdict = diagnostics::judge(gates_.results(), session_.step(), interrupted_);
  summary.iterations = session_.step();
  summary.env_steps = session_.step() * plan_.samples();
  summary.wall_s = wall_before_ + wall;
  summary.env_steps_per_s = wall > 0 ? static_cast<double>((session_.step() - first_) * plan_.samples()) / wall : 0;
  summary.verdict = verdict.word();
  if (verdict.code == diagnostics::ExitCode::passed || verdict.code == diagnostics::ExitCode::failed) {
    for (const char* part : {"validation", "test"}) {
      if (!session_.has_part(part)) continue;
      summary.evaluations.push_back(session_.evaluate(part));
    }
    if (!summary.evaluations.empty()) print(to_text(summary.evaluations.back()));
  }
  to_document(verdict).write(folder_ / "verdict.json");
  to_document(summary, last_ ? &*last_ : nullptr).write(folder_ / "summary.json");
  print(text(folder_, "  ", fixed(summary.env_steps_per_s, 0), " steps/s  ", verdict.word(), ": ", verdict.sentence, "\n"));
  return verdict.code;
}

}  // namespace

diagnostics::ExitCode train(const TrainRequest& request) {
  std::optional<checkpoints::Reader> file;
  if (request.resume) {
    const auto latest = checkpoints::Store(*request.resume / "checkpoints").latest();
    if (!latest) throw Error(text(*request.resume, " holds no checkpoint to resume from (checkpoints/latest.h5)"));
    file.emplace(*latest);
    check_same_computation(*file, request.config);
  } else if (request.init_from) {
    file.emplace(*request.init_from);
  }
  Session session(request.config, request.plugins);
  MetricsReader metrics(session);
  if (request.resume) {
    session.resume(*file);
    log::info(text("resumed from ", file->file(), " at iteration ", session.step()));
  } else if (request.init_from) {
    log::info(checkpoints::to_text(session.init_from(*file)));
  } else {
    session.initialise();
  }
  return Run(request, session, metrics).execute();
}

void evaluate(const EvalRequest& request) {
  const checkpoints::Reader file(request.checkpoint);
  Session session(request.config, request.plugins, false);
  session.load_policy(file);
  std::optional<FillLog> fills;
  if (request.fills) fills.emplace(*request.fills);
  const auto on_fill = fills ? std::function<void(const Fill&)>([&](const Fill& f) { fills->write(f); }) : nullptr;
  const EvaluationResult result = session.evaluate(request.part, on_fill);
  if (fills) fills->finish();
  print(to_text(result));
}

}  // namespace foxhunt::trainer
