#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "h5.hpp"

namespace foxhunt::checkpoints::h5 {

void write_attribute(hid_t object, const std::string& name, const Attribute& value);

/// An attribute of any HDF5 file. `content` is equal for two attributes if and only if their values are.
struct RawAttribute {
  std::string name, type;
  std::vector<std::uint64_t> shape;
  bool scalar = true;
  std::string content;             ///< canonical bytes
  std::string text;                ///< for people
  std::optional<Attribute> value;  ///< where it is of a kind that checkpoints use
};

/// All attributes of an object, sorted by name.
std::vector<RawAttribute> read_attributes(hid_t object, const std::string& path);
std::optional<RawAttribute> read_attribute(hid_t object, const std::string& path, const std::string& name);

}  // namespace foxhunt::checkpoints::h5
