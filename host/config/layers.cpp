#include "layers.hpp"

#include <algorithm>
#include <foxhunt/error.hpp>
#include <map>
#include <system_error>

#include "common/files.hpp"
#include "common/text.hpp"

namespace foxhunt::config {

namespace fs = std::filesystem;

std::vector<Layer> stored(std::vector<Layer> layers) {
  for (Layer& layer : layers)
    for (Assignment& assignment : layer) assignment.origin.stored = true;
  return layers;
}

std::string Origin::str() const { return line > 0 ? text(name, ":", line) : name; }

namespace {

/// Refuses what is no config file before any parser sees it, and blanks what INI has but Boost has not: a
/// byte order mark and comments that begin with ';'.
void check(std::string& content, const std::string& name) {
  if (content.compare(0, 3, "\xef\xbb\xbf") == 0) content.replace(0, 3, "   ");
  int number = 0;
  for (std::size_t begin = 0; begin < content.size();) {
    ++number;
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    const std::string_view line(content.data() + begin, end - begin);
    if (line.size() > kMaxLineBytes)
      throw Error(
          text(name, ":", number, ": a line of more than ", kMaxLineBytes, " bytes; this is no config file"));
    const auto bad = std::find_if(line.begin(), line.end(), [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r') || c == 0x7f;
    });
    if (bad != line.end())
      throw Error(text(name, ":", number, ": holds the byte ", shown(std::string_view(&*bad, 1)),
                       "; a config file is text (UTF-8)"));
    if (trim(line).starts_with(';'))
      std::fill_n(content.begin() + static_cast<std::ptrdiff_t>(begin), line.size(), ' ');
    begin = end + 1;
  }
  if (content.size() > kMaxConfigBytes)
    throw Error(text(name, ": holds more than ", kMaxConfigBytes, " bytes; this is no config file"));
}

Layer parse(std::string content, const Origin& origin) {
  check(content, origin.name);
  Layer layer = detail::parse_ini(content, origin);
  std::map<std::string_view, const Assignment*> seen;
  for (const Assignment& assignment : layer) {
    const auto [first, is_new] = seen.emplace(assignment.key, &assignment);
    if (!is_new)
      throw Error(text(assignment.origin.str(), ": '", shown(assignment.key), "' is already set in line ",
                       first->second->origin.line, "; remove one of them"));
  }
  return layer;
}

std::string chain_text(const std::vector<fs::path>& chain) {
  std::vector<std::string> names;
  for (const fs::path& file : chain) names.push_back(file.string());
  return join(names, " -> ");
}

void read_chain(const fs::path& file, std::vector<fs::path> chain, const Origin* from,
                std::vector<Layer>& layers) {
  const std::string prefix = from ? text(from->str(), ": base: ") : "";
  std::error_code error;
  const fs::path real = fs::weakly_canonical(file, error);
  if (error) throw Error(text(prefix, file, ": ", error.message()));
  const bool circle = std::find(chain.begin(), chain.end(), real) != chain.end();
  chain.push_back(real);
  if (circle) throw Error(text(prefix, "the files name each other in a circle: ", chain_text(chain)));

  std::string content;
  try {
    if (fs::is_directory(file, error)) throw Error(text(file, ": is a folder; expected a config file"));
    content = read_prefix(file, kMaxConfigBytes + 1);
  } catch (const Error& failure) {
    throw Error(text(prefix, failure.what()));
  }
  Layer layer = parse(std::move(content), {.name = file.string(), .folder = file.parent_path()});
  const auto base =
      std::find_if(layer.begin(), layer.end(), [](const Assignment& a) { return a.key == "base"; });
  if (base != layer.end()) {
    if (base->value.empty())
      throw Error(text(base->origin.str(), ": base: expected the name of a config file"));
    const Assignment named = *base;
    layer.erase(base);
    read_chain((named.origin.folder / named.value).lexically_normal(), chain, &named.origin, layers);
  }
  layers.push_back(std::move(layer));
}

}  // namespace

std::vector<Layer> read_layers(const std::vector<fs::path>& files) {
  std::vector<Layer> layers;
  for (const fs::path& file : files) read_chain(file, {}, nullptr, layers);
  return layers;
}

Layer parse_text(std::string_view content, const std::string& name) {
  Layer layer = parse(std::string(content.substr(0, kMaxConfigBytes + 1)), {.name = name});
  for (const Assignment& assignment : layer)
    if (assignment.key == "base")
      throw Error(text(assignment.origin.str(), ": base: only a file can have one"));
  return layer;
}

}  // namespace foxhunt::config
