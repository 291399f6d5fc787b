#include "watched_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <foxhunt/error.hpp>
#include <limits>

#include "common/text.hpp"
#include "config/layers.hpp"

namespace foxhunt::diagnostics {

namespace fs = std::filesystem;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kRecent = 64;  // iterations that the rate is taken over

/// The gates of a resolved config, whose sections hold every field. What is not known reads as it would
/// there.
std::vector<config::GateSettings> gates_of(const config::Layer& layer) {
  std::vector<config::GateSettings> gates;
  for (const config::Assignment& a : layer) {
    const auto dot = a.key.rfind('.');
    if (!a.key.starts_with("gate.") || dot < 6) continue;
    const std::string name = a.key.substr(5, dot - 5), field = a.key.substr(dot + 1);
    auto gate = std::find_if(gates.begin(), gates.end(), [&](const auto& g) { return g.name == name; });
    if (gate == gates.end()) gate = gates.insert(gates.end(), {.name = name, .origin = a.origin.str()});
    const std::int64_t number = to_integer(a.value).value_or(0);
    if (field == "metric") gate->metric = a.value;
    if (field == "op") gate->op = a.value;
    if (field == "value") gate->value = a.value;
    if (field == "from") gate->from = number;
    if (field == "to") gate->to = number;
    if (field == "for") gate->sustained = std::max<std::int64_t>(number, 1);
    if (field == "action") gate->action = a.value;
    if (field == "baseline") gate->baseline = a.value;
  }
  std::erase_if(gates, [](const auto& gate) { return gate.action == "off"; });
  return gates;
}

/// What is not there yet will be a folder.
bool is_file(const fs::path& run) {
  std::error_code error;
  return fs::exists(run, error) && !fs::is_directory(run, error);
}

/// "action_hist.8" as {action_hist, 8}
std::optional<std::pair<std::string, std::size_t>> element_of(const std::string& key) {
  const auto dot = key.rfind('.');
  const auto index = dot == std::string::npos ? std::nullopt : to_integer(key.substr(dot + 1));
  return index ? std::optional(std::pair(key.substr(0, dot), static_cast<std::size_t>(*index)))
               : std::nullopt;
}

}  // namespace

WatchedRun::WatchedRun(const fs::path& run, std::vector<std::string> metrics)
    : tail_(is_file(run) ? run : run / "diag.jsonl"),
      wanted_(std::move(metrics)),
      wall_s_(kUnknown),
      rate_(kUnknown) {
  if (!is_file(run)) folder_ = run;
}

std::string WatchedRun::name() const {
  fs::path folder = folder_.empty() ? tail_.path().parent_path() : folder_;
  if (!folder.has_filename()) folder = folder.parent_path();  // "runs/a/"
  return folder.has_filename() ? folder.filename().string() : tail_.path().filename().string();
}

// Again after a resume, which may ask for more iterations. Gates are made anew only with the rows.
void WatchedRun::read_config() {
  if (folder_.empty()) return;
  std::error_code error;
  const auto written = fs::last_write_time(folder_ / "config.ini", error);
  if (error || written == config_written_) return;
  config_written_ = written;
  try {
    const auto layers = config::read_layers({folder_ / "config.ini"});
    settings_ = gates_of(layers.back());
    for (const config::Assignment& a : layers.back())
      if (a.key == "trainer.iterations") total_ = to_integer(a.value).value_or(0);
  } catch (const Error&) {  // a folder whose config is damaged can still be watched
  }
}

// The file beside diag.jsonl knows the names of an array's elements; without it they have numbers alone.
void WatchedRun::make_schema(const Fields& first) {
  if (!folder_.empty()) schema_ = read_schema(folder_ / "schema.json");
  if (schema_) return;
  std::vector<Metric> metrics;
  for (const auto& [key, value] : first) {
    const auto element = element_of(key);
    if (!element) {
      metrics.push_back({.name = key});
      continue;
    }
    if (metrics.empty() || metrics.back().name != element->first) metrics.push_back({.name = element->first});
    metrics.back().elements.push_back(text("#", element->second));
  }
  schema_.emplace(std::move(metrics));
}

void WatchedRun::begin_gates() {
  gates_.clear();
  asked_.clear();
  for (const config::GateSettings& settings : settings_) {
    GateState& state = gates_.emplace_back();
    state.name = settings.name;
    try {
      const Gate& gate = *asked_.emplace_back(Gate(settings, *schema_));
      state.condition = gate.condition();
      state.action = gate.action;
      state.sustained = gate.sustained;
    } catch (const Error& error) {
      if (asked_.size() < gates_.size()) asked_.emplace_back();
      state.trouble = error.what();
    }
  }
}

void WatchedRun::take(std::int64_t step, const Fields& fields) {
  if (!schema_) {
    make_schema(fields);
    begin_gates();
    columns_.clear();
    for (const std::string& metric : wanted_)
      if (schema_->find(metric)) columns_.push_back({.name = metric, .values = {}});
  }
  Row row(*schema_);
  for (const auto& [key, value] : fields)
    if (const auto place = schema_->find(key)) row.put(*place, value);
  const auto value_of = [&](const char* metric) {
    const auto place = schema_->find(metric);
    return place ? row.at(*place) : kUnknown;
  };
  step_ = step;
  wall_s_ = value_of("wall_s");
  rate_ = value_of("env_steps_per_s");
  walls_.push_back(wall_s_);
  if (walls_.size() > kRecent) walls_.erase(walls_.begin());
  for (Column& column : columns_) column.values.push_back(row.at(*schema_->find(column.name)));
  for (std::size_t i = 0; i < gates_.size(); ++i) {
    const auto reading = asked_[i] ? asked_[i]->look(row) : std::nullopt;
    if (!reading) continue;
    gates_[i].reading = reading;
    gates_[i].metric =
        reading->streak > 0 || asked_[i]->shows_value() ? schema_->name_of(reading->place) : "";
    if (reading->fires && !gates_[i].first_firing) gates_[i].first_firing = step;
  }
}

bool WatchedRun::poll() {
  read_config();
  bool changed = false;
  tail_.poll(
      [&] {
        schema_.reset();
        columns_.clear();
        gates_.clear();
        walls_.clear();
        step_ = 0;
        changed = true;
      },
      [&](std::int64_t step, const Fields& fields) {
        take(step, fields);
        changed = true;
      });
  const auto before = verdict_ ? verdict_->sentence : "";
  verdict_ = folder_.empty() ? std::nullopt : read_verdict(folder_);
  return changed || (verdict_ ? verdict_->sentence : "") != before;
}

const WatchedRun::Column* WatchedRun::column(std::string_view metric) const {
  for (const Column& column : columns_)
    if (column.name == metric) return &column;
  return nullptr;
}

double WatchedRun::seconds_per_iteration() const {
  if (walls_.size() < 2) return kUnknown;
  return (walls_.back() - walls_.front()) / static_cast<double>(walls_.size() - 1);
}

double WatchedRun::eta_s() const {
  return total_ > 0 ? seconds_per_iteration() * static_cast<double>(std::max<std::int64_t>(total_ - step_, 0))
                    : kUnknown;
}

double WatchedRun::silent_s() const {
  std::error_code error;
  const auto written = fs::last_write_time(tail_.path(), error);
  if (error) return kUnknown;
  return std::max(0.0, std::chrono::duration<double>(fs::file_time_type::clock::now() - written).count());
}

bool WatchedRun::is_silent() const {
  constexpr double kLeast = 15, kIterations = 20;
  const double usual = seconds_per_iteration();
  return !verdict_ && silent_s() > std::max(kLeast, std::isfinite(usual) ? kIterations * usual : 0);
}

}  // namespace foxhunt::diagnostics
