#include <foxhunt/checkpoints/reader.hpp>
#include <foxhunt/checkpoints/store.hpp>
#include <foxhunt/checkpoints/writer.hpp>
#include <foxhunt/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "atomic_file.hpp"
#include "text.hpp"

namespace fs = std::filesystem;

namespace foxhunt::checkpoints {

namespace {

constexpr std::string_view prefix = "step-", suffix = ".h5";

// Only names that file_name() gives: nine digits, or more without a leading zero.
std::optional<std::uint64_t> step_of(const std::string& name) {
  if (name.size() < prefix.size() + 9 + suffix.size() || !name.starts_with(prefix) ||
      !name.ends_with(suffix)) {
    return std::nullopt;
  }
  const std::string digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  std::uint64_t step = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
  if (error != std::errc{} || end != digits.data() + digits.size() || Store::file_name(step) != name) {
    return std::nullopt;
  }
  return step;
}

}  // namespace

void write_checkpoint(const fs::path& file, const Checkpoint& content) {
  write_atomically(file, build_image(content).bytes());
}

Store::Store(fs::path folder, StoreOptions options)
    : folder_(std::move(folder)), options_(std::move(options)) {}

std::string Store::file_name(std::uint64_t step) {
  std::string digits = number(step);
  if (digits.size() < 9) digits.insert(0, 9 - digits.size(), '0');
  return std::string(prefix) + digits + std::string(suffix);
}

std::vector<StoredStep> Store::steps() const {
  std::vector<StoredStep> out;
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    if (const auto step = step_of(it->path().filename().string())) out.push_back({*step, it->path()});
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  return out;
}

std::optional<fs::path> Store::latest() const {
  std::error_code error;
  if (fs::exists(folder_ / "latest.h5", error)) return folder_ / "latest.h5";
  const auto all = steps();
  if (all.empty()) return std::nullopt;
  return all.back().file;
}

bool Store::beats_best(double metric) const {
  if (std::isnan(metric)) return false;
  const fs::path best = folder_ / "best.h5";
  std::error_code error;
  if (!fs::exists(best, error)) return true;
  try {
    const Reader reader(best, Reader::Verify::structure);
    if (reader.text("best_metric") != options_.best_metric) return true;
    const double old = reader.real("best_metric_value");
    return std::isnan(old) || (options_.best_is_highest ? metric > old : metric < old);
  } catch (const Error&) {
    return true;  // damaged, or a best by nothing we know: the new one is better than that
  }
}

Saved Store::save(std::uint64_t step, Checkpoint content, std::optional<double> metric) {
  const bool ranked = metric && !options_.best_metric.empty();
  if (ranked) {
    content.meta["best_metric"] = options_.best_metric;
    content.meta["best_metric_value"] = *metric;
  }
  const Image built = build_image(content);
  const auto image = built.bytes();

  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw Error("cannot create the checkpoint folder " + folder_.string() + ": " + error.message());
  remove_leftovers(folder_);
  Saved saved{folder_ / file_name(step), image.size()};
  write_atomically(saved.file, image);
  link_atomically(saved.file, folder_ / "latest.h5", image, options_.hard_links);
  if (ranked && beats_best(*metric)) {
    link_atomically(saved.file, folder_ / "best.h5", image, options_.hard_links);
    saved.best = true;
  }

  if (options_.keep_last == 0) return saved;
  auto old = steps();
  std::erase_if(old, [&](const StoredStep& stored) { return stored.step > step; });
  for (std::size_t i = 0; i + options_.keep_last < old.size(); ++i) {
    if (!fs::remove(old[i].file, error) && error) saved.not_removed.push_back(old[i].file);
  }
  return saved;
}

}  // namespace foxhunt::checkpoints
