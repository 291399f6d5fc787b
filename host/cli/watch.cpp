// watch
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <foxhunt/error.hpp>
#include <map>
#include <memory>
#include <thread>

#include "../common/log.hpp"
#include "../common/text.hpp"
#include "../diagnostics/expression.hpp"
#include "../diagnostics/watch_view.hpp"
#include "../trainer/interrupt.hpp"
#include "commands.hpp"
#include "print.hpp"

namespace foxhunt::cli {

namespace fs = std::filesystem;
namespace diag = foxhunt::diagnostics;

namespace {

/// What is drawn again and again in one place: the terminal's second screen, so that the first one keeps its lines.
class RedrawnScreen {
 public:
  RedrawnScreen() { print("\x1b[?1049h\x1b[?25l"); }
  RedrawnScreen(const RedrawnScreen&) = delete;
  RedrawnScreen& operator=(const RedrawnScreen&) = delete;
  ~RedrawnScreen() {
    print("\x1b[?25h\x1b[?1049l");
    std::fflush(stdout);
  }
  void draw(const std::vector<std::string>& lines) const {
    print(text("\x1b[H", join(lines, "\x1b[K\r\n"), "\x1b[K\x1b[J"));
    std::fflush(stdout);
  }
};

bool holds_run(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "diag.jsonl", error) || fs::exists(folder / "config.ini", error);
}

/// The runs that a word names: itself, its replicas, or the runs that lie in it, in the order of their names.
std::vector<fs::path> runs_of(const fs::path& given) {
  std::error_code error;
  if (!fs::exists(given, error)) throw Error(text("there is no ", given, "; expected a run folder, a folder of runs or a diag.jsonl"));
  if (!fs::is_directory(given, error)) return {given};
  std::vector<fs::path> runs = diag::runs_in(given);
  if (runs.size() > 1 || runs.front() != given || holds_run(given)) return runs;
  runs.clear();
  for (const auto& entry : fs::directory_iterator(given, error))
    if (entry.is_directory(error) && holds_run(entry.path())) runs.push_back(entry.path());
  std::sort(runs.begin(), runs.end());
  return runs.empty() ? std::vector{given} : runs;  // one that is about to begin
}

/// All runs that are watched; replicas that begin later join them.
class Watch {
 public:
  /// `metrics`: those asked for; empty: the usual ones.
  Watch(std::vector<std::string> given, const std::vector<std::string>& metrics)
      : asked_(!metrics.empty()),
        given_(std::move(given)),
        metrics_(metrics.empty() ? diag::watched_metrics() : metrics),
        of_several_(metrics.empty() ? diag::table_metrics() : metrics) {}

  bool poll() {
    bool changed = false;
    shown_.clear();
    for (const std::string& word : given_)
      for (const fs::path& path : runs_of(word)) {
        auto& run = runs_[path];
        if (!run) run = std::make_unique<diag::WatchedRun>(path, metrics_), changed = true;
        changed = run->poll() || changed;
        shown_.push_back(run.get());
      }
    check_metrics();
    return changed;
  }
  bool ended() const {
    return std::all_of(shown_.begin(), shown_.end(), [](const auto* run) { return run->verdict().has_value(); });
  }
  const std::vector<const diag::WatchedRun*>& runs() const { return shown_; }
  std::vector<std::string> frame(const diag::Screen& screen) const {
    return shown_.size() == 1 ? diag::run_frame(*shown_.front(), screen) : diag::table_frame(shown_, of_several_, screen);
  }

 private:
  // A metric that no run has is a mistake; one that some lack is shown where it is.
  void check_metrics() const {
    if (!asked_) return;
    for (const std::string& metric : metrics_) {
      const auto has = [&](const auto* run) { return !run->schema() || run->schema()->find(metric); };
      if (!shown_.empty() && std::none_of(shown_.begin(), shown_.end(), has))
        diag::parse_metric(metric, *shown_.front()->schema());  // says what it might have meant
    }
  }

  bool asked_;
  std::vector<std::string> given_, metrics_, of_several_;
  std::map<fs::path, std::unique_ptr<diag::WatchedRun>> runs_;
  std::vector<const diag::WatchedRun*> shown_;
};

void wait(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end && !trainer::InterruptGuard::requested())
    std::this_thread::sleep_for(std::min(std::chrono::duration<double>(0.05), std::chrono::duration<double>(end - Clock::now())));
}

// All lines, as wide as the terminal; into a file or a pipe in full.
void print_all(const Watch& watch, const log::Terminal& terminal) {
  constexpr int kAny = 1 << 20;
  for (const std::string& line : watch.frame({terminal.interactive ? terminal.columns : 120, kAny, terminal.colour})) print(line + "\n");
}

void redraw_until_the_end(Watch& watch, double every) {
  const RedrawnScreen screen;
  for (;;) {
    watch.poll();
    const log::Terminal now = log::output_terminal();  // asked each time: windows are resized
    screen.draw(watch.frame({now.columns - 1, now.rows, now.colour}));  // the last column would wrap on some terminals
    if (watch.ended() || trainer::InterruptGuard::requested()) return;
    wait(every);
    if (trainer::InterruptGuard::requested()) return;
  }
}

void lines_until_the_end(Watch& watch, double every) {
  for (;;) {
    if (watch.poll())
      for (const auto* run : watch.runs()) print(diag::watch_line(*run) + "\n");
    std::fflush(stdout);
    if (watch.ended() || std::ferror(stdout) != 0) return;
    wait(every);
    if (trainer::InterruptGuard::requested()) return;
  }
}

int watch(const Arguments& a) {
  const log::Terminal terminal = log::output_terminal();
  const double every = a.positive("every").value_or(terminal.interactive ? 1 : 10);
  Watch watch(a.words(), split(a.value("metrics").value_or(""), ','));
  if (a.has("once")) {
    watch.poll();
    print_all(watch, terminal);
    return 0;
  }
  const trainer::InterruptGuard guard;
  if (!terminal.interactive) {
    lines_until_the_end(watch, every);
    return 0;
  }
  redraw_until_the_end(watch, every);
  print_all(watch, terminal);  // what was seen last stays
  return 0;
}

}  // namespace

Command watch_command() {
  return {.name = "watch",
          .summary = "shows how runs get on: metrics with their course, gates with their distance from firing",
          .usage = "RUN… [options]",
          .details =
              "A run may be running, ended or left behind by a process that died; a folder of replicas, or of runs, is\n"
              "a table. On a terminal it is redrawn in place, elsewhere a line is written whenever there is news. It\n"
              "ends when every run has its verdict, or with Ctrl-C; both exit with 0.\n",
          .options = {{"once", "", "prints the present state and ends"},
                      {"every", "SECONDS", "between two looks (default: 1 on a terminal, else 10)"},
                      {"metrics", "NAME,…", "keys of diag.jsonl to show, as action_hist.hold"}},
          .words = "run folders, folders of runs or diag.jsonl files",
          .least_words = 1,
          .most_words = kAnyNumber,
          .run = watch};
}

}  // namespace foxhunt::cli
