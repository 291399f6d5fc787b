#include <foxhunt/checkpoints/inspect.hpp>

#include <algorithm>

#include "text.hpp"

namespace foxhunt::checkpoints {

namespace {

std::size_t depth_of(const std::string& path) {
  return path == "/" ? 0 : static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string last_name(const std::string& path) {
  return path == "/" ? path : printable(path.substr(path.rfind('/') + 1));
}

std::string stats_text(const TensorStats& stats) {
  if (stats.count == 0) return {};
  std::string out;
  if (stats.finite > 0) {
    out = "norm " + padded(rounded(stats.norm), 12) + " min " + padded(rounded(stats.min), 12) + " max " +
          padded(rounded(stats.max), 12) + " mean " + padded(rounded(stats.mean), 12) + " ";
  }
  return out + "nan " + number(stats.nan) + " inf " + number(stats.inf);
}

// Scalars show their value, tensors their statistics.
std::string dataset_text(const InspectedObject& object) {
  std::string out = padded(object.dtype + " " + shape_text(object.shape), 22) + " ";
  if (!object.value.empty()) {
    out += "= " + object.value;
  } else if (object.stats) {
    out += stats_text(*object.stats);
  }
  if (!object.note.empty()) out += object.note;
  return out;
}

constexpr std::size_t attribute_width = 100;

// Never in the middle of a UTF-8 character.
std::string shortened(const std::string& text) {
  if (text.size() <= attribute_width) return text;
  std::size_t end = attribute_width;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "… (" + number(std::uint64_t{text.size()}) + " bytes)";
}

}  // namespace

std::string to_text(const Inspection& inspection, const InspectOptions& options) {
  std::string out = inspection.file.string() + ": " +
                    (inspection.schema.empty() ? "HDF5, not a foxhunt checkpoint" : inspection.schema) +
                    ", " + byte_text(inspection.file_bytes) + "\n";
  std::uint64_t tensors = 0, elements = 0, nan = 0, inf = 0, stored = 0;
  std::size_t width = 0;
  for (const auto& object : inspection.objects) {
    width = std::max(width, 2 * depth_of(object.path) + last_name(object.path).size());
  }
  width = std::min<std::size_t>(width, 40);
  for (const auto& object : inspection.objects) {
    const std::string indent(2 * depth_of(object.path), ' ');
    std::string line = indent + last_name(object.path);
    if (object.kind == InspectedObject::Kind::dataset) {
      line = padded(line, width) + "  " + dataset_text(object);
      ++tensors;
      stored += object.stored_bytes;
      if (object.stats) {
        elements += object.stats->count;
        nan += object.stats->nan;
        inf += object.stats->inf;
      }
    } else if (object.kind == InspectedObject::Kind::link) {
      line += " " + printable(object.note);
    } else if (object.kind == InspectedObject::Kind::datatype) {
      line += " (a named type)";
    } else if (object.path != "/") {
      line += "/";
    }
    while (line.ends_with(' ')) line.pop_back();
    // A dataset's attributes are its units and axes: short enough for its own line.
    const bool same_line = object.kind == InspectedObject::Kind::dataset;
    for (const auto& [name, text] : object.attributes) {
      line += (same_line ? "  @" : "\n" + indent + "    @") + printable(name) + " = " +
              (options.full_attributes ? text : shortened(text));
    }
    out += line + "\n";
  }
  out += number(tensors) + " datasets, " + number(elements) + " numbers, " + byte_text(stored) +
         " stored, NaN " + number(nan) + ", Inf " + number(inf) + "\n";
  if (inspection.unreadable > 0) {
    out += "DAMAGED: " + number(std::uint64_t{inspection.unreadable}) + " datasets cannot be read\n";
  }
  return out;
}

}  // namespace foxhunt::checkpoints
