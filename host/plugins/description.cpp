#include "description.hpp"

#include <cstring>
#include <foxhunt/descriptor.hpp>
#include <foxhunt/error.hpp>

#include "../common/text.hpp"
#include "../compute/sha256.hpp"

namespace foxhunt::plugins {
namespace {

/// Text in a fixed array: 0-terminated, printable, nothing after its end.
template <size_t N>
std::string text_of(const char (&field)[N], const char* what) {
  const auto* end = static_cast<const char*>(std::memchr(field, 0, N));
  if (!end) throw Error(text("the ", what, " in its descriptor has no end"));
  for (const char* c = end; c != field + N; ++c)
    if (*c) throw Error(text("the ", what, " in its descriptor has bytes after its end"));
  const std::string result(field, end);
  if (result.empty()) throw Error(text("the ", what, " in its descriptor is empty"));
  for (const char c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      throw Error(text("the ", what, " in its descriptor is not one line of text: '", shown(result), "'"));
  return result;
}

}  // namespace

const char* name_of(fh_kind kind) {
  switch (kind) {
    case FH_Q_HEAD:
      return "q_head";
    case FH_REWARD_SHAPER:
      return "reward_shaper";
    case FH_POSITION_SIZER:
      return "position_sizer";
  }
  return "unknown kind";
}

fh_kind kind_of(std::string_view name) {
  for (const fh_kind kind : {FH_Q_HEAD, FH_REWARD_SHAPER, FH_POSITION_SIZER})
    if (name == name_of(kind)) return kind;
  throw Error(
      text("'", shown(name), "' is no kind of plugin; expected q_head, reward_shaper or position_sizer"));
}

Description read_description(Bytes file) {
  const Bytes section = elf_section(file, FH_SECTION);
  if (section.size() < sizeof(fh_descriptor::magic) + 8)
    throw Error(text("its descriptor has ", section.size(), " bytes, expected ", sizeof(fh_descriptor)));
  // The fields up to the ABI's version lie at the same place in every version.
  fh_descriptor d{};
  std::memcpy(&d, section.data(), std::min(section.size(), sizeof d));
  if (std::memcmp(d.magic, FH_MAGIC, sizeof d.magic) != 0)
    throw Error(text("its descriptor begins with '", shown(std::string_view(d.magic, sizeof d.magic)),
                     "', expected '" FH_MAGIC "'"));
  if (d.abi_major != FH_ABI_MAJOR)
    throw Error(text("it is built for plugin ABI ", d.abi_major, ".", d.abi_minor, ", this program has ",
                     FH_ABI_MAJOR, ".", FH_ABI_MINOR, ": rebuild it with this program's headers"));
  if (d.abi_minor > FH_ABI_MINOR)
    throw Error(text("it needs plugin ABI ", d.abi_major, ".", d.abi_minor, ", this program has ",
                     FH_ABI_MAJOR, ".", FH_ABI_MINOR, ": use a newer program"));
  if (d.size != sizeof d || section.size() != sizeof d)
    throw Error(
        text("its descriptor has ", section.size(), " bytes and states ", d.size, ", expected ", sizeof d));
  if (const uint32_t sum = DescriptorChecksum::of(d); sum != d.checksum)
    throw Error(text("its descriptor is damaged: checksum ", d.checksum, ", expected ", sum));
  if (d.kind < FH_Q_HEAD || d.kind > FH_POSITION_SIZER)
    throw Error(text("its descriptor names kind ", d.kind,
                     ", expected 1 (q_head), 2 (reward_shaper) or 3 "
                     "(position_sizer)"));
  if ((d.flags & ~FH_SEALED) != 0 || d.reserved != 0)
    throw Error(text("its descriptor has flags ", d.flags, " and reserved ", d.reserved, ", expected 0 or ",
                     FH_SEALED, " and 0"));
  Description result{static_cast<fh_kind>(d.kind), text_of(d.name, "name"), text_of(d.version, "version"),
                     text_of(d.description, "description"), (d.flags & FH_SEALED) != 0};
  if (!is_plugin_name(result.name))
    throw Error(text("its name is '", shown(result.name), "', expected [a-z][a-z0-9_]*"));
  if (const std::string build = text_of(d.fingerprint, "fingerprint"); build != FH_FINGERPRINT)
    throw Error(text("its build is '", shown(build),
                     "', this program's is '" FH_FINGERPRINT "': rebuild it for this program"));
  return result;
}

void check_seal(Bytes file) {
  constexpr std::string_view tag = FH_SEAL_TAG;
  constexpr size_t digits = 64, length = tag.size() + digits + 1;
  const std::string_view all(reinterpret_cast<const char*>(file.data()), file.size());
  if (file.size() < length || all.substr(all.size() - length, tag.size()) != tag || all.back() != '\n')
    throw Error("its seal is missing: it was cut or changed (stripped?) after it was built; rebuild it");
  const std::string_view found = all.substr(all.size() - digits - 1, digits);
  const std::string expected =
      compute::to_hex(compute::Sha256().add(file.data(), file.size() - length).digest());
  if (found != expected)
    throw Error(text("it was changed after it was built: SHA-256 ", expected, ", its seal says ",
                     shown(found), "; rebuild it"));
}

}  // namespace foxhunt::plugins
