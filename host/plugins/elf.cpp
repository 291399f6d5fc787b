#include "elf.hpp"

#include <elf.h>

#include <cstring>
#include <foxhunt/error.hpp>
#include <optional>

#include "../common/text.hpp"

namespace foxhunt::plugins {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#else
constexpr Elf64_Half kMachine = EM_AARCH64;
#endif

std::string machine_name(Elf64_Half machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86_64";
    case EM_AARCH64:
      return "aarch64";
    default:
      return text("machine number ", machine);
  }
}

bool inside(Bytes file, uint64_t offset, uint64_t size) {
  return offset <= file.size() && size <= file.size() - offset;
}

/// A T at `offset`; the bytes need no alignment.
template <class T>
T read(Bytes file, uint64_t offset, std::string_view what) {
  if (!inside(file, offset, sizeof(T)))
    throw Error(text("the file is truncated: it has ", file.size(), " bytes, but its ", what, " needs bytes ",
                     offset, " to ", offset + sizeof(T)));
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

void check_range(Bytes file, uint64_t offset, uint64_t size, std::string_view what, size_t index) {
  if (inside(file, offset, size)) return;
  throw Error(text("the file is truncated or damaged: it has ", file.size(), " bytes, but ", what, " ", index,
                   " claims ", size, " bytes from ", offset, " on"));
}

Elf64_Ehdr read_header(Bytes file) {
  if (file.size() < SELFMAG || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0)
    throw Error("it is no shared object: the ELF signature is missing");
  const auto header = read<Elf64_Ehdr>(file, 0, "ELF header");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_ident[EI_VERSION] != EV_CURRENT || header.e_version != EV_CURRENT)
    throw Error(text("a 64-bit little-endian ELF file was expected, found class ",
                     int{header.e_ident[EI_CLASS]}, ", byte order ", int{header.e_ident[EI_DATA]},
                     ", version ", int{header.e_ident[EI_VERSION]}));
  if (header.e_machine != kMachine)
    throw Error(text("it is built for ", machine_name(header.e_machine), ", this program runs on ",
                     machine_name(kMachine)));
  if (header.e_type != ET_DYN)
    throw Error(text("a shared object (ELF type ", ET_DYN, ") was expected, found ELF type ", header.e_type));
  if (header.e_phnum == 0 || header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == PN_XNUM)
    throw Error(text("its program header table is malformed (", header.e_phnum, " entries of ",
                     header.e_phentsize, " bytes)"));
  if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum)
    throw Error(text("its section table is malformed (", header.e_shnum, " entries of ", header.e_shentsize,
                     " bytes, names in number ", header.e_shstrndx, ")"));
  return header;
}

void check_segments(Bytes file, const Elf64_Ehdr& header) {
  bool loadable = false;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    // Neither sum nor product overflows: the first check of `read` bounds e_phoff, the counts are 16 bits.
    if (!inside(file, header.e_phoff, 0))
      check_range(file, header.e_phoff, sizeof(Elf64_Phdr), "program header", i);
    const auto p = read<Elf64_Phdr>(file, header.e_phoff + i * sizeof(Elf64_Phdr), "program header table");
    if (p.p_type == PT_NULL) continue;
    check_range(file, p.p_offset, p.p_filesz, "segment", i);
    if (p.p_type != PT_LOAD) continue;
    loadable = true;
    if (p.p_memsz < p.p_filesz)
      throw Error(
          text("segment ", i, " has ", p.p_filesz, " bytes in the file for ", p.p_memsz, " in memory"));
  }
  if (!loadable) throw Error("it has no segment to load");
}

/// A text in the table of names that ends inside it.
std::optional<std::string_view> name_at(Bytes names, uint64_t offset) {
  if (offset >= names.size()) return {};
  const char* begin = reinterpret_cast<const char*>(names.data()) + offset;
  const void* end = std::memchr(begin, 0, names.size() - offset);
  if (!end) return {};
  return std::string_view(begin, static_cast<size_t>(static_cast<const char*>(end) - begin));
}

}  // namespace

Bytes elf_section(Bytes file, std::string_view name) {
  const Elf64_Ehdr header = read_header(file);
  check_segments(file, header);

  const auto section = [&](size_t i) {
    if (!inside(file, header.e_shoff, 0))
      check_range(file, header.e_shoff, sizeof(Elf64_Shdr), "section header", i);
    return read<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr), "section table");
  };
  for (size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr s = section(i);
    if (s.sh_type != SHT_NULL && s.sh_type != SHT_NOBITS)
      check_range(file, s.sh_offset, s.sh_size, "section", i);
  }
  const Elf64_Shdr table = section(header.e_shstrndx);
  if (table.sh_type != SHT_STRTAB) throw Error("its table of section names is missing");
  const Bytes names = file.subspan(table.sh_offset, table.sh_size);

  std::optional<Bytes> found;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr s = section(i);
    if (name_at(names, s.sh_name) != name) continue;
    if (found) throw Error(text("one section '", name, "' was expected, found several"));
    if (s.sh_type != SHT_PROGBITS) throw Error(text("its section '", name, "' holds no data"));
    found = file.subspan(s.sh_offset, s.sh_size);
  }
  if (!found) throw Error(text("it is no foxhunt plugin: it has no section '", name, "'"));
  return *found;
}

}  // namespace foxhunt::plugins
