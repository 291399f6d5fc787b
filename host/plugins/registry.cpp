#include "registry.hpp"

#include <algorithm>
#include <cstdlib>
#include <foxhunt/error.hpp>
#include <system_error>

#include "../common/files.hpp"
#include "../common/paths.hpp"
#include "../common/text.hpp"
#include "../compute/sha256.hpp"

namespace foxhunt::plugins {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostBytes = size_t{256} << 20;

Bytes bytes_of(const std::string& content) {
  return std::as_bytes(std::span(content.data(), content.size()));
}

}  // namespace

std::vector<Folder> search_path(const std::vector<fs::path>& command_line) {
  std::vector<Folder> result;
  const auto add = [&](const fs::path& folder, bool required) {
    std::error_code absent;
    for (const Folder& earlier : result)
      if (fs::equivalent(earlier.path, folder, absent)) return;
    result.push_back({folder, required});
  };
  for (const fs::path& folder : command_line) add(folder, true);
  if (const char* variable = std::getenv("FOXHUNT_PLUGIN_PATH"))
    for (const std::string& folder : split(variable, ':'))
      if (!folder.empty()) add(folder, true);
  add(plugin_folder(), false);
  return result;
}

Registry::Registry(const std::vector<Folder>& folders) : folders_(folders) {
  for (const Folder& folder : folders_) {
    std::error_code error;
    if (fs::is_directory(folder.path, error)) {
      scan(folder.path);
    } else if (folder.required) {
      throw Error(text("plugin folder '", folder.path,
                       "' does not exist or is no folder; check --plugin-dir and FOXHUNT_PLUGIN_PATH"));
    }
  }
}

void Registry::scan(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".so") files.push_back(it->path());
  if (error) throw Error(text("plugin folder '", folder, "' cannot be read: ", error.message()));
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) take(file);
}

void Registry::take(const fs::path& file) {
  std::string name = file.stem().native();
  try {
    // Opening a pipe would wait for its other end.
    std::error_code error;
    if (!fs::is_regular_file(file, error)) throw Error("it is no regular file");
    const std::string content = read_file(file, kMostBytes);
    Candidate candidate{read_description(bytes_of(content)), fs::absolute(file), ""};
    name = candidate.description.name;
    if (candidate.description.sealed) check_seal(bytes_of(content));
    candidate.sha256 = compute::to_hex(compute::Sha256().add(content).digest());
    if (const Candidate* first = find(candidate.description.kind, name)) {
      if (!fs::equivalent(first->path, file, error))
        notes_.push_back(text(name_of(candidate.description.kind), " '", name, "': '", first->path,
                              "' is used; '", file, "' comes later on the search path"));
      return;
    }
    for (const Refusal& r : refusals_)
      if (r.name == name)
        notes_.push_back(text(name_of(candidate.description.kind), " '", name, "': '", file,
                              "' is used, since '", r.path, "' was refused"));
    candidates_.push_back(std::move(candidate));
  } catch (const Error& e) {
    refusals_.push_back({file, shown(name), e.what()});
  }
}

const Candidate* Registry::find(fh_kind kind, std::string_view name) const {
  for (const Candidate& c : candidates_)
    if (c.description.kind == kind && c.description.name == name) return &c;
  return nullptr;
}

std::string Registry::missing(fh_kind kind, std::string_view name) const {
  std::string message = text("no such ", name_of(kind), " '", shown(name), "'");
  std::vector<std::string> known;
  for (const Candidate& c : candidates_)
    if (c.description.kind == kind) known.push_back(c.description.name);
  if (const auto near = nearest(name, known)) message += text("; did you mean '", *near, "'?");
  message +=
      known.empty() ? text("; no plugin of this kind was found") : text("; known: ", join(known, ", "));
  std::vector<std::string> folders;
  for (const Folder& f : folders_) folders.push_back(f.path.native());
  message += text(" (searched: ", join(folders, ", "), ")");
  for (const Refusal& r : refusals_)
    if (r.name == name) message += text("; '", r.path, "' was refused: ", r.why);
  for (const fh_kind other : {FH_Q_HEAD, FH_REWARD_SHAPER, FH_POSITION_SIZER})
    if (other != kind && find(other, name)) message += text("; '", name, "' is a ", name_of(other));
  return message;
}

const Plugin& Registry::open(fh_kind kind, std::string_view name) {
  const Candidate* candidate = find(kind, name);
  if (!candidate) throw Error(missing(kind, name));
  if (const auto it = opened_.find(candidate); it != opened_.end()) return *it->second;
  if (const auto it = failed_.find(candidate); it != failed_.end()) throw Error(it->second);
  try {
    return *opened_.emplace(candidate, std::make_unique<Plugin>(*candidate)).first->second;
  } catch (const Error& e) {
    refusals_.push_back({candidate->path, candidate->description.name, e.what()});
    failed_[candidate] = text("no such ", name_of(kind), " '", name, "': '", candidate->path,
                              "' was found but refused: ", e.what());
    throw Error(failed_[candidate]);
  }
}

}  // namespace foxhunt::plugins
