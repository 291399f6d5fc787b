#include "watch_view.hpp"

#include <algorithm>
#include <cmath>

#include "common/text.hpp"
#include "progress.hpp"
#include "sparkline.hpp"

namespace foxhunt::diagnostics {

namespace {

enum class Colour { none, green, yellow, red };

/// Paints words where the screen has colours.
class Paint {
 public:
  explicit Paint(const Screen& screen) : on_(screen.colour) {}
  std::string operator()(Colour colour, const std::string& words) const {
    static const char* const codes[] = {"", "\x1b[32m", "\x1b[33m", "\x1b[31m"};
    return on_ && colour != Colour::none ? text(codes[static_cast<int>(colour)], words, "\x1b[0m") : words;
  }

 private:
  bool on_;
};

std::string number(double value) {
  return !std::isfinite(value)    ? text(value)
         : std::fabs(value) < 1e4 ? rounded(value, 4)
                                  : short_number(value);
}

std::string padded(std::string words, std::size_t width, bool left = true) {
  const std::size_t room = words.size() < width ? width - words.size() : 0;
  return left ? words.append(room, ' ') : words.insert(0, room, ' ');
}

bool fired(const WatchedRun& run) {
  return std::any_of(run.gates().begin(), run.gates().end(),
                     [](const auto& gate) { return gate.first_firing.has_value(); });
}

struct State {
  std::string words;
  Colour colour = Colour::none;
};
State state_of(const WatchedRun& run) {
  if (run.verdict()) {
    const std::string& word = run.verdict()->word;
    return {word, word == "passed" ? Colour::green : word == "interrupted" ? Colour::yellow : Colour::red};
  }
  if (run.is_silent()) return {text("silent for ", short_time(run.silent_s())), Colour::yellow};
  return {run.step() == 0 ? "starting" : "running", Colour::none};
}

std::string steps_of(const WatchedRun& run) {
  return run.total() > 0 ? text(run.step(), '/', run.total()) : text(run.step());
}

std::string bar(const WatchedRun& run, std::size_t length, const Paint& paint) {
  const double share =
      std::clamp(static_cast<double>(run.step()) / static_cast<double>(run.total()), 0.0, 1.0);
  const auto done = static_cast<std::size_t>(share * static_cast<double>(length));
  return text('[', paint(Colour::green, std::string(done, '=')), std::string(length - done, ' '), "] ",
              static_cast<int>(share * 100), " %");
}

/// Words in lines of at most `columns` characters; a longer word is left to be cut.
std::vector<std::string> wrapped(const std::string& sentence, int columns) {
  std::vector<std::string> lines{""};
  for (const std::string& word : words(sentence)) {
    std::string& last = lines.back();
    if (last.empty())
      last = word;
    else if (last.size() + 1 + word.size() <= static_cast<std::size_t>(columns))
      last += text(' ', word);
    else
      lines.push_back(word);
  }
  return lines;
}

std::vector<std::string> head_lines(const WatchedRun& run, const Screen& screen, const Paint& paint) {
  const State state = state_of(run);
  std::string first = text(run.name(), "  ", paint(state.colour, state.words), "  step ", steps_of(run));
  if (std::isfinite(run.steps_per_s())) first += text("  ", short_number(run.steps_per_s()), " steps/s");
  if (std::isfinite(run.wall_s())) first += text("  after ", short_time(run.wall_s()));
  if (!run.verdict() && std::isfinite(run.eta_s())) first += text("  eta ", short_time(run.eta_s()));
  std::vector<std::string> lines{first};
  if (run.verdict()) {
    for (std::string& line : wrapped(run.verdict()->sentence, screen.columns))
      lines.push_back(std::move(line));
  } else if (run.total() > 0 && screen.columns > 20) {
    lines.push_back(bar(run, static_cast<std::size_t>(std::min(screen.columns - 10, 60)), paint));
  }
  return lines;
}

std::string metric_line(const WatchedRun::Column& column, std::size_t names, const Screen& screen) {
  constexpr std::size_t kNumber = 10, kMost = 60, kLeast = 8;
  std::string line =
      text("  ", padded(column.name, names), ' ', padded(number(column.values.back()), kNumber, false));
  const std::size_t used = line.size() + 2, width = static_cast<std::size_t>(std::max(screen.columns, 0));
  if (width >= used + kLeast)
    line += text("  ", sparkline(part_means(column.values, std::min(width - used, kMost))));
  return line;
}

std::string how_far(const WatchedRun::GateState& gate) {
  const Gate::Reading& reading = *gate.reading;
  std::string words = gate.metric.empty() ? "" : text(gate.metric, ' ', number(reading.value));
  if (reading.streak > 0) return text(words, ", in breach ", reading.streak, " of ", gate.sustained);
  if (std::isfinite(reading.margin) && !words.empty())
    words += text(", ", number(reading.margin), " from a breach");
  return words;
}

std::string gate_line(const WatchedRun::GateState& gate, std::size_t names, const Paint& paint) {
  const auto line = [&](Colour colour, const char* word, const std::string& rest) {
    return text("  ", paint(colour, padded(word, 7)), ' ', padded(gate.name, names), "  ", rest);
  };
  const std::string condition = text(" (", to_text(gate.action), " if ", gate.condition, ')');
  if (!gate.trouble.empty()) return line(Colour::yellow, "?", gate.trouble);
  if (gate.first_firing) {
    const Colour colour = gate.action == Action::warn ? Colour::yellow : Colour::red;
    return line(
        colour, "FIRED",
        text("at step ", *gate.first_firing, condition, gate.reading ? "; now " + how_far(gate) : ""));
  }
  if (!gate.reading) return line(Colour::none, "waits", condition.substr(1));
  const bool breached = gate.reading->streak > 0;
  const std::string far = how_far(gate);
  return line(breached ? Colour::yellow : Colour::green, breached ? "breach" : "ok",
              far.empty() ? condition.substr(1) : far + condition);
}

template <class List, class Name>
std::size_t longest(const List& list, Name name) {
  std::size_t most = 0;
  for (const auto& one : list) most = std::max(most, name(one).size());
  return most;
}

}  // namespace

const std::vector<std::string>& watched_metrics() {
  static const std::vector<std::string> metrics{
      "q_pi_agree_ema",       "entropy",   "pnl_cum_usd", "drawdown_usd", "episode_return_mean",
      "reward_mean",          "l_q",       "l_pi",        "l_v",          "q_gap",
      "v_explained_variance", "hold_frac", "win_rate"};
  return metrics;
}

const std::vector<std::string>& table_metrics() {
  static const std::vector<std::string> metrics{"pnl_cum_usd", "episode_return_mean", "q_pi_agree_ema",
                                                "entropy"};
  return metrics;
}

std::string fitted(const std::string& line, int columns) {
  std::string result;
  int used = 0;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t length = 1;
    if (line[i] == '\x1b') {
      // A colour, "\x1b[31m": kept wherever it stands, so that none is left switched on.
      while (i + length < line.size() && line[i + length - 1] != 'm') ++length;
    } else {
      while (i + length < line.size() && (static_cast<unsigned char>(line[i + length]) & 0xC0) == 0x80)
        ++length;
      if (++used > columns) {
        i += length;
        continue;
      }
    }
    result.append(line, i, length);
    i += length;
  }
  return result;
}

std::vector<std::string> run_frame(const WatchedRun& run, const Screen& screen) {
  const Paint paint(screen);
  std::vector<std::string> lines = head_lines(run, screen, paint), gates;
  if (run.step() == 0) lines.push_back("no iteration yet");
  const std::size_t gate_names = longest(run.gates(), [](const auto& gate) { return gate.name; });
  for (const auto& gate : run.gates()) gates.push_back(gate_line(gate, gate_names, paint));
  if (!gates.empty()) gates.insert(gates.begin(), "gates");
  const std::size_t names = longest(run.columns(), [](const auto& column) { return column.name; });
  const auto rows = static_cast<std::size_t>(std::max(screen.rows, 1));
  for (const auto& column : run.columns()) {
    if (lines.size() + gates.size() >= rows) break;
    lines.push_back(metric_line(column, names, screen));
  }
  lines.insert(lines.end(), gates.begin(), gates.end());
  if (lines.size() > rows) lines.resize(rows);
  for (std::string& line : lines) line = fitted(line, screen.columns);
  return lines;
}

std::vector<std::string> table_frame(const std::vector<const WatchedRun*>& runs,
                                     const std::vector<std::string>& wanted, const Screen& screen) {
  constexpr std::size_t kState = 18, kSteps = 14, kEta = 9, kCourse = 24;
  const Paint paint(screen);
  const std::size_t names =
      std::max<std::size_t>(longest(runs, [](const auto* run) { return run->name(); }), 4);
  const auto width = [](const std::string& metric) { return std::max<std::size_t>(metric.size(), 8) + 2; };
  std::vector<std::string> metrics;
  for (const std::string& metric : wanted)
    if (std::any_of(runs.begin(), runs.end(),
                    [&](const auto* run) { return run->column(metric) != nullptr; }))
      metrics.push_back(metric);
  std::string header =
      text(padded("run", names), "  ", padded("state", kState), padded("step", kSteps), padded("eta", kEta));
  for (const std::string& metric : metrics) header += padded(metric, width(metric), false);
  if (!metrics.empty()) header += text("  ", metrics.front());
  std::vector<std::string> lines{header};
  for (const WatchedRun* run : runs) {
    const State state = state_of(*run);
    const bool marked = fired(*run) && !run->verdict();
    const std::string words = padded(marked ? state.words + ", gate" : state.words, kState);
    std::string line =
        text(padded(run->name(), names), "  ", paint(marked ? Colour::yellow : state.colour, words),
             padded(steps_of(*run), kSteps), padded(run->verdict() ? "" : short_time(run->eta_s()), kEta));
    for (const std::string& metric : metrics) {
      const auto* column = run->column(metric);
      line += padded(column ? number(column->values.back()) : "-", width(metric), false);
    }
    if (const auto* first = metrics.empty() ? nullptr : run->column(metrics.front()))
      line += text("  ", sparkline(part_means(first->values, kCourse)));
    lines.push_back(line);
  }
  const auto rows = static_cast<std::size_t>(std::max(screen.rows, 1));
  if (lines.size() > rows) {
    const std::size_t hidden = lines.size() - rows + 1;
    lines.resize(rows - 1);
    lines.push_back(text("… and ", hidden, " more"));
  }
  for (std::string& line : lines) line = fitted(line, screen.columns);
  return lines;
}

std::string watch_line(const WatchedRun& run) {
  std::string line = text(run.name(), "  ", state_of(run).words, "  step ", steps_of(run));
  if (!run.verdict() && std::isfinite(run.eta_s())) line += text("  eta ", short_time(run.eta_s()));
  for (const auto& column : run.columns()) line += text("  ", column.name, ' ', number(column.values.back()));
  std::string gates;
  for (const auto& gate : run.gates()) {
    if (gate.first_firing)
      gates += text("  gate ", gate.name, " fired at step ", *gate.first_firing);
    else if (gate.reading && gate.reading->streak > 0)
      gates += text("  gate ", gate.name, " in breach ", gate.reading->streak, " of ", gate.sustained);
  }
  line += gates.empty() && !run.gates().empty() && run.step() > 0 ? "  gates ok" : gates;
  return run.verdict() ? text(line, "  ", run.verdict()->sentence) : line;
}

}  // namespace foxhunt::diagnostics
