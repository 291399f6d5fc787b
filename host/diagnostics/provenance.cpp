#include "provenance.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "common/build_info.hpp"
#include "common/files.hpp"
#include "common/log.hpp"
#include "common/paths.hpp"
#include "common/text.hpp"

namespace foxhunt::diagnostics {

namespace fs = std::filesystem;

namespace {

std::vector<Document> to_documents(const std::vector<Provenance::File>& files) {
  std::vector<Document> result;
  for (const Provenance::File& file : files) {
    Document entry;
    entry.add("name", file.name);
    if (!file.version.empty()) entry.add("version", file.version);
    if (!file.path.empty()) entry.add("path", file.path);
    result.push_back(entry.add("sha256", file.sha256));
  }
  return result;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace

std::string utc_now() {
  using namespace std::chrono;
  const auto now = floor<seconds>(system_clock::now());
  const auto day = floor<days>(now);
  const year_month_day date(day);
  const hh_mm_ss time(now - day);
  const auto digits = [](auto value) { return text(value < 10 ? "0" : "", value); };
  return text(static_cast<int>(date.year()), '-', digits(static_cast<unsigned>(date.month())), '-',
              digits(static_cast<unsigned>(date.day())), 'T', digits(time.hours().count()), ':',
              digits(time.minutes().count()), ':', digits(time.seconds().count()), 'Z');
}

Document to_document(const Provenance& provenance) {
  const BuildInfo build = build_info();
  std::error_code error;
  Document libraries;
  for (const auto& [name, version] : provenance.libraries) libraries.add(name, version);
  Document document;
  document.add("started", utc_now())
      .add("command", provenance.command)
      .add("working_folder", fs::current_path(error).string())
      .add("host", host_name())
      .add("program", executable().string())
      .add("version", build.version)
      .add("commit", build.commit)
      .add("compiler", build.compiler)
      .add("device", provenance.device);
  if (!provenance.resumed_from.empty()) document.add("resumed_from", provenance.resumed_from);
  return document.add("plugins", to_documents(provenance.plugins))
      .add("kernels", to_documents(provenance.kernels))
      .add("config_files", to_documents(provenance.config_files))
      .add("libraries", libraries);
}

void write_provenance(const fs::path& path, const Provenance& provenance) {
  using Json = nlohmann::ordered_json;
  Json all = Json::object();
  std::error_code error;
  if (fs::exists(path, error)) {
    all = Json::parse(read_file(path, 64 << 20), nullptr, /*allow_exceptions=*/false);
    if (!all.is_object() || !all["starts"].is_array()) {
      const fs::path aside = text(path, ".damaged");
      fs::rename(path, aside, error);
      log::warning(text(path, ": is damaged; kept as ", aside));
      all = Json::object();
    }
  }
  all["starts"].push_back(Json::parse(to_document(provenance).str()));
  write_file_atomic(path, all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace foxhunt::diagnostics
