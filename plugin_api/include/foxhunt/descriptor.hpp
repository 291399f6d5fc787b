#pragma once
#include <foxhunt/abi.h>

#include <string_view>

namespace foxhunt {

/// [a-z][a-z0-9_]*: what plugins, options, tensors and outputs are called.
constexpr bool is_plugin_name(std::string_view name) {
  if (name.empty() || name.front() < 'a' || name.front() > 'z') return false;
  for (const char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
  return true;
}

/// fh_descriptor::checksum: FNV-1a (Fowler, Noll, Vo), 32 bits, over the descriptor's bytes in the order of
/// its fields, the checksum itself as 0. Every change of a single byte changes it.
class DescriptorChecksum {
 public:
  static constexpr uint32_t of(const fh_descriptor& d) {
    DescriptorChecksum sum;
    sum.text(d.magic, sizeof d.magic);
    sum.number(d.size, 4);
    sum.number(d.abi_major, 2);
    sum.number(d.abi_minor, 2);
    sum.number(d.kind, 4);
    sum.number(d.flags, 4);
    sum.number(0, 4);
    sum.number(d.reserved, 4);
    sum.text(d.name, sizeof d.name);
    sum.text(d.version, sizeof d.version);
    sum.text(d.description, sizeof d.description);
    sum.text(d.fingerprint, sizeof d.fingerprint);
    return sum.hash_;
  }

 private:
  constexpr void byte(unsigned char b) { hash_ = (hash_ ^ b) * 16777619u; }
  constexpr void text(const char* s, size_t n) {
    for (size_t i = 0; i < n; ++i) byte(static_cast<unsigned char>(s[i]));
  }
  constexpr void number(uint32_t v, int bytes) {
    for (int i = 0; i < bytes; ++i) byte(static_cast<unsigned char>(v >> (8 * i)));
  }
  uint32_t hash_ = 2166136261u;
};

/// The descriptor of this build. A name, version or description that is empty, too long, or (the name) not an
/// identifier is a compile error here.
consteval fh_descriptor make_descriptor(fh_kind kind, std::string_view name, std::string_view version,
                                        std::string_view description) {
  if (!is_plugin_name(name)) throw "a plugin's name is [a-z][a-z0-9_]*";
  fh_descriptor d{};
  const auto put = [](char* to, size_t capacity, std::string_view text) {
    if (text.empty() || text.size() >= capacity) throw "a text of the descriptor is empty or too long";
    for (size_t i = 0; i < text.size(); ++i) {
      if (static_cast<unsigned char>(text[i]) < 0x20) throw "a text of the descriptor is one line";
      to[i] = text[i];
    }
  };
  put(d.magic, sizeof d.magic, FH_MAGIC);
  d.size = sizeof(fh_descriptor);
  d.abi_major = FH_ABI_MAJOR;
  d.abi_minor = FH_ABI_MINOR;
  d.kind = kind;
#ifdef FOXHUNT_SEALED
  d.flags = FH_SEALED;
#endif
  put(d.name, sizeof d.name, name);
  put(d.version, sizeof d.version, version);
  put(d.description, sizeof d.description, description);
  put(d.fingerprint, sizeof d.fingerprint, FH_FINGERPRINT);
  d.checksum = DescriptorChecksum::of(d);
  return d;
}

}  // namespace foxhunt
