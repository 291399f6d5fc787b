#include "progress.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "common/text.hpp"

namespace foxhunt::diagnostics {

namespace {

constexpr double kRedrawSeconds = 0.1;

std::string fixed(double value, int digits) {
  if (!std::isfinite(value)) return text(value);
  char buffer[400];  // the largest double has 309 digits before the point
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, digits).ptr};
}

std::string signed_number(double value) { return text(value > 0 ? "+" : "", short_number(value)); }

std::vector<std::string> parts(const ProgressState& state, std::int64_t total, double eta_s) {
  return {text(state.step, '/', total),
          text(short_number(state.env_steps_per_s), " steps/s"),
          state.episode_return ? text("return ", short_number(*state.episode_return)) : text("pnl ", signed_number(state.pnl_usd), " USD"),
          text("q_pi_agree ", fixed(state.q_pi_agree, 3)),
          text("entropy ", fixed(state.entropy, 3)),
          text("eta ", short_time(eta_s))};
}

}  // namespace

std::string short_number(double value) {
  const double size = std::fabs(value);
  if (!std::isfinite(value)) return text(value);
  for (const auto& [unit, name] : {std::pair{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}})
    if (size >= unit * 0.9995)
      return text(fixed(value / unit, size < 9.995 * unit ? 2 : size < 99.95 * unit ? 1 : 0), name);
  return fixed(value, size < 99.95 ? 1 : 0);
}

std::string short_time(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 1e9) return "?";
  const auto all = static_cast<std::int64_t>(std::lround(seconds));
  const auto two = [](std::int64_t value) { return text(value < 10 ? "0" : "", value); };
  if (all >= 3600) return text(all / 3600, ':', two(all / 60 % 60), ':', two(all % 60));
  return text(all / 60, ':', two(all % 60));
}

std::string bar_line(const ProgressState& state, std::int64_t total, double eta_s, int columns, bool colour) {
  constexpr std::size_t kLeast = 10, kMost = 40;
  const auto width =
      static_cast<std::size_t>(std::max(columns - 1, 0));  // the last column would wrap on some terminals
  const double share =
      total > 0 ? std::clamp(static_cast<double>(state.step) / static_cast<double>(total), 0.0, 1.0) : 0;
  std::string percent = text(static_cast<int>(share * 100), '%');
  percent.insert(0, percent.size() < 4 ? 4 - percent.size() : 0, ' ');
  if (width < percent.size()) return "";
  std::string tail;
  for (const std::string& part : parts(state, total, eta_s)) {
    if (percent.size() + kLeast + 3 + tail.size() + 2 + part.size() > width) break;
    tail += text("  ", part);
  }
  const std::size_t room = width - percent.size() - tail.size();
  if (room < kLeast + 3) return percent;
  const std::size_t length = std::min(room - 3, kMost);
  const auto done = static_cast<std::size_t>(share * static_cast<double>(length));
  const std::string full(done, '='), rest(length - done, ' ');
  return text(percent, " [", colour ? "\x1b[32m" : "", full, colour ? "\x1b[0m" : "", rest, ']', tail);
}

std::string plain_line(const ProgressState& state, std::int64_t total, double eta_s) {
  return join(parts(state, total, eta_s), "  ");
}

Progress::Progress(Options options) : options_(std::move(options)) {
  if (!options_.seconds)
    options_.seconds = [] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
  if (!options_.row) options_.row = log::status;
  if (!options_.line) options_.line = log::info;
  interactive_ = options_.terminal().interactive;
  start_ = options_.seconds();
  last_ = interactive_ ? start_ - kRedrawSeconds : start_;
}

Progress::~Progress() {
  try {
    if (drawn_) options_.row("");
  } catch (...) {  // a row left behind is no reason to end the program
  }
}

double Progress::eta(std::int64_t step, double now) const {
  const std::int64_t done = step - options_.first;
  if (done <= 0) return std::numeric_limits<double>::quiet_NaN();
  return (now - start_) / static_cast<double>(done) *
         static_cast<double>(std::max<std::int64_t>(options_.total - step, 0));
}

void Progress::update(const ProgressState& state) {
  state_ = state;
  unsaid_ = true;
  const double now = options_.seconds();
  if (now - last_ < (interactive_ ? kRedrawSeconds : options_.plain_every_s)) return;
  last_ = now;
  unsaid_ = false;
  if (interactive_) {
    const log::Terminal terminal = options_.terminal();  // asked each time: windows are resized
    options_.row(bar_line(state, options_.total, eta(state.step, now), terminal.columns, terminal.colour));
    drawn_ = true;
  } else {
    options_.line(plain_line(state, options_.total, eta(state.step, now)));
  }
}

void Progress::finish() {
  if (drawn_) options_.row("");
  drawn_ = false;
  if (!interactive_ && unsaid_)
    options_.line(plain_line(state_, options_.total, eta(state_.step, options_.seconds())));
  unsaid_ = false;
}

}  // namespace foxhunt::diagnostics
