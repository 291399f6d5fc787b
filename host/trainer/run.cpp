#include "run.hpp"

#include <foxhunt/checkpoints/store.hpp>
#include <foxhunt/error.hpp>

#include "../common/files.hpp"
#include "../common/log.hpp"
#include "../common/text.hpp"
#include "../diagnostics/provenance.hpp"

namespace foxhunt::trainer {

namespace fs = std::filesystem;

namespace {

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

// A fork goes on in the same market with the same accounts and random numbers; anything else may be changed.
void check_same_world(const checkpoints::Reader& file, const config::Config& config) {
  const auto world = [](const std::string& text) {
    std::map<std::string, std::string> settings;
    for (const config::Assignment& a : config::parse_text(text, "config"))
      if (a.key.starts_with("env.") || a.key == "trainer.seed" || a.key == "trainer.accounts" || a.key == "trainer.horizon") settings[a.key] = a.value;
    return settings;
  };
  const auto then = world(file.text("config")), now = world(config.resolved(config::Detail::result));
  for (const auto& [key, value] : now)
    if (const auto it = then.find(key); it != then.end() && it->second != value)
      throw Error(text(file.file(), " has ", key, " = ", it->second, ", this run ", value, ": a fork goes on with the accounts, market and random numbers "
                       "of its checkpoint; to start from its weights alone use --init-from"));
}

std::optional<checkpoints::Reader> checkpoint_for(const TrainRequest& request) {
  if (request.resume) {
    const auto latest = checkpoints::Store(*request.resume / "checkpoints").latest();
    if (!latest) throw Error(text(*request.resume, " holds no checkpoint to resume from (checkpoints/latest.h5)"));
    std::optional<checkpoints::Reader> file(std::in_place, *latest);
    check_same_computation(*file, request.config);
    return file;
  }
  if (request.fork_from) {
    std::optional<checkpoints::Reader> file(std::in_place, *request.fork_from);
    check_same_world(*file, request.config);
    return file;
  }
  if (request.init_from) return std::optional<checkpoints::Reader>(std::in_place, *request.init_from);
  return std::nullopt;
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

}  // namespace

Run::Run(const TrainRequest& request)
    : request_(request),
      from_(checkpoint_for(request)),
      session_(request.config, request.plugins),
      metrics_(session_),
      plan_(session_.plan()),
      gates_(request.config.gates(), metrics_.schema(), plan_.metrics_lag) {
  start_weights();
}

Run::~Run() = default;

void Run::start_weights() {
  if (request_.resume) {
    session_.resume(*from_);
    log::info(text("resumed from ", from_->file(), " at iteration ", session_.step()));
  } else if (request_.fork_from) {
    log::info(text("forked from ", from_->file(), ": ", checkpoints::to_text(session_.fork_from(*from_))));
    log::info(text("goes on at iteration ", session_.step()));
  } else if (request_.init_from) {
    log::info(checkpoints::to_text(session_.init_from(*from_)));
  } else {
    session_.initialise();
  }
  from_.reset();
  first_ = read_ = rate_step_ = session_.step();
}

void Run::open(ShowProgress show) {
  show_ = std::move(show);
  if (request_.resume) {
    result_.folder = *request_.resume;
  } else if (request_.folder) {
    result_.folder = *request_.folder;
    make_run_folder(result_.folder);
  } else {
    result_.folder = make_numbered_folder("runs", request_.name);
  }
  const fs::path& folder = result_.folder;
  checkpoints::StoreOptions options;
  options.keep_last = static_cast<size_t>(plan_.keep_checkpoints);
  store_ = std::make_unique<checkpoints::Store>(folder / "checkpoints", options);
  const fs::path diag = folder / "diag.jsonl";
  for (const std::string& sentence : gates_.short_baselines(plan_.iterations)) log::warning(sentence);
  if (request_.resume) {
    // Until the run has ended again nobody shall take the last end's verdict for this one's.
    std::error_code none;
    fs::remove(folder / "verdict.json", none);
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
  write_file_atomic(folder / "config.ini", request_.config.resolved());
  diagnostics::write_schema(folder / "schema.json", metrics_.schema());
  diagnostics::write_provenance(folder / "provenance.json", provenance(request_, session_));
  if (request_.fills) fills_.emplace(*request_.fills);
  if (first_ >= plan_.iterations)
    log::info(text("the run has its ", first_, " iterations already; raise trainer.iterations to go on"));
  start_ = Clock::now();
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
    const double wall = seconds();
    if (wall - rate_time_ > 0.5 || read_ == first_) {
      rate_ = static_cast<double>((read_ + 1 - rate_step_) * plan_.samples()) / (wall - rate_time_);
      rate_time_ = wall;
      rate_step_ = read_ + 1;
    }
    row.set("wall_s", wall_before_ + wall);
    row.set("env_steps_per_s", rate_);
    diag_->write(row);
    gates_.observe(row);
    diagnostics::ProgressState state{.step = row.step(), .env_steps_per_s = rate_, .q_pi_agree = row.get("q_pi_agree"), .entropy = row.get("entropy")};
    if (plan_.trades)
      state.pnl_usd = row.get("pnl_cum_usd");
    else
      state.episode_return = row.get("episode_return_mean");
    show_(state);
    last_ = std::move(row);
  }
}

void Run::save() {
  if (saved_ == session_.step()) return;
  session_.compute().wait_all();
  take_metrics(session_.step() - 1);
  diag_->sync();
  const Snapshot snapshot = session_.snapshot(session_.host_state());
  store_->save(static_cast<uint64_t>(session_.step()), snapshot.content);
  saved_ = session_.step();
}

void Run::advance() {
  const int64_t lag = plan_.metrics_lag;
  session_.submit();
  const int64_t done = session_.step();
  if (fills_) session_.last_fills([&](const Fill& f) { fills_->write(f); });
  if (done - 1 - lag >= first_) take_metrics(done - 1 - lag);
  // Gates look at metrics of a fixed age, whenever they arrived: the stopping step never depends on timing.
  if (done - lag >= first_ + 1) aborted_ = act_on(gates_.decide(done));
  if (plan_.checkpoint_every > 0 && done % plan_.checkpoint_every == 0) save();
}

void Run::settle() {
  save();
  wall_ = seconds();
}

void Run::finish() {
  if (!interrupted_ && !aborted_) act_on(gates_.finish());
  if (fills_) fills_->finish();

  Summary& summary = result_.summary;
  const auto verdict = diagnostics::judge(gates_.results(), session_.step(), interrupted_);
  summary.iterations = session_.step();
  summary.env_steps = session_.step() * plan_.samples();
  summary.wall_s = wall_before_ + wall_;
  summary.env_steps_per_s = wall_ > 0 ? static_cast<double>((session_.step() - first_) * plan_.samples()) / wall_ : 0;
  summary.verdict = verdict.word();
  if (verdict.code == diagnostics::ExitCode::passed || verdict.code == diagnostics::ExitCode::failed)
    for (const char* part : {"validation", "test"})
      if (session_.has_part(part)) summary.evaluations.push_back(session_.evaluate(part));
  write_file_atomic(result_.folder / "equity.csv", equity_csv(summary.evaluations));
  to_document(verdict).write(result_.folder / "verdict.json");
  to_document(summary, last_ ? &*last_ : nullptr).write(result_.folder / "summary.json");
  result_.verdict = verdict;
}

}  // namespace foxhunt::trainer
