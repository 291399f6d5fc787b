#include "kernel_source.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <unordered_set>

#include "compute.hpp"

namespace foxhunt::compute {
namespace {

namespace fs = std::filesystem;

// A name stays below its root and can stand in a #line directive as it is.
bool is_safe_name(std::string_view name) {
  if (name.empty() || name.front() == '/') return false;
  for (unsigned char c : name)
    if (c < 0x20 || c == '"' || c == '\\') return false;
  for (const auto& part : fs::path(name))
    if (part == "..") return false;
  return true;
}

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
  if (name.empty() || !letter(name.front())) return false;
  for (char c : name)
    if (!letter(c) && !(c >= '0' && c <= '9')) return false;
  return true;
}

std::optional<std::string> find_text(const KernelLibrary& library, const std::string& file) {
  for (const fh_source& s : library.sources)
    if (file == s.name) return s.text;
  if (!is_safe_name(file)) return {};
  const fs::path path = fs::path(kernels_folder()) / file;
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return {};
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in)
    throw Error(library.owner + ": cannot read kernel file '" + path.string() + "'. Check its permissions.");
  return text;
}

std::string places(const KernelLibrary& library) {
  std::string s;
  if (!library.sources.empty()) {
    s = "among the sources in the plugin (";
    for (const fh_source& source : library.sources)
      s += (s.back() == '(' ? "" : ", ") + std::string(source.name);
    s += ") and ";
  }
  return s + "below '" + kernels_folder() +
         "'. Names are relative to that folder; set FOXHUNT_KERNELS_DIR if it is elsewhere.";
}

struct IncludeLine {
  std::string name;
  int line;
};

// Quoted includes outside of comments; those in a branch that the preprocessor would skip count as well.
std::vector<IncludeLine> quoted_includes(const std::string& text) {
  std::vector<IncludeLine> found;
  std::string code;  // current line without comments
  int line = 1;
  const auto end_of_line = [&] {
    size_t i = code.find_first_not_of(" \t");
    if (i != std::string::npos && code[i] == '#') {
      i = code.find_first_not_of(" \t", i + 1);
      if (i != std::string::npos && code.compare(i, 7, "include") == 0) {
        const size_t open = code.find_first_not_of(" \t", i + 7);
        if (open != std::string::npos && code[open] == '"') {
          const size_t close = code.find('"', open + 1);
          if (close != std::string::npos) found.push_back({code.substr(open + 1, close - open - 1), line});
        }
      }
    }
    code.clear();
    ++line;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "/*") == 0) {
      const size_t end = text.find("*/", i + 2);
      for (; i < text.size() && i < end + 1; ++i)
        if (text[i] == '\n') ++line;
    } else if (text.compare(i, 2, "//") == 0 && code.find('"') == std::string::npos) {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (text[i] == '\n') {
      end_of_line();
    } else {
      code += text[i];
    }
  }
  end_of_line();
  return found;
}

void add_includes(const KernelLibrary& library, const std::string& file, const std::string& text,
                  std::unordered_set<std::string>& seen, std::vector<IncludeFile>& closure) {
  for (const IncludeLine& include : quoted_includes(text)) {
    if (!seen.insert(include.name).second) continue;
    std::optional<std::string> found =
        is_safe_name(include.name) ? find_text(library, include.name) : std::nullopt;
    if (!found)
      throw Error(library.owner + ": " + file + ":" + std::to_string(include.line) + ": the included file '" +
                  include.name + "' was not found " + places(library));
    closure.push_back({include.name, *found});
    add_includes(library, include.name, *found, seen, closure);
  }
}

std::string macro_value(const KernelUnit& unit, const fh_constant& c) {
  char digits[32];
  if (c.is_real) {
    if (!std::isfinite(c.real))
      throw Error(unit.library->owner + ": constant '" + c.name + "' of kernel file '" + unit.file +
                  "' is not a finite number. Pass it as an argument of the kernel instead.");
    return "(real(" + std::string(digits, std::to_chars(digits, std::end(digits), c.real).ptr) + "))";
  }
  if (c.integer == INT64_MIN) return "(-9223372036854775807LL - 1)";
  std::string value(digits, std::to_chars(digits, std::end(digits), c.integer).ptr);
  if (c.integer > INT32_MAX || c.integer < INT32_MIN + 1LL) value += "LL";
  return c.integer < 0 ? std::string("(").append(value).append(")") : value;
}

const char* kernel_type(uint8_t dtype) {
  switch (dtype) {
    case FH_F32:
      return "real";
    case FH_I32:
      return "int";
    case FH_U32:
      return "unsigned";
    case FH_U8:
      return "unsigned char";
    case FH_F64:
      return "double";
    case FH_I64:
      return "long long";
    case FH_U64:
      return "unsigned long long";
  }
  throw Error("a kernel parameter has the unknown type number " + std::to_string(dtype) + ".");
}

std::string parameter_type(const fh_kernel_param& p) {
  const std::string type = kernel_type(p.dtype);
  if (p.role == FH_SCALAR) return type;
  return p.role == FH_IN ? "const " + type + "*" : type + "*";
}

std::string tail(const KernelUnit& unit, KernelMode mode) {
  std::string s = "\n#line 1 \"" + unit.file +
                  " (declarations)\"\n"
                  "template <class, class> struct fh_same_type { enum { value = 0 }; };\n"
                  "template <class T> struct fh_same_type<T, T> { enum { value = 1 }; };\n";
  for (const fh_kernel* k : unit.library->kernels) {
    if (k->file != unit.file) continue;
    std::string types, values;
    for (uint32_t i = 0; i < k->param_count; ++i) {
      const std::string type = parameter_type(k->params[i]);
      types += (i ? ", " : "") + type;
      values.append(i ? ", " : "").append("*static_cast<").append(type).append("*>(args[");
      values.append(std::to_string(i)).append("])");
    }
    const std::string name = k->entry;
    s += "static_assert(fh_same_type<decltype(&" + name + "), void (*)(" + types +
         ")>::value,\n  \"kernel '" + name + "' differs from its declaration: void " + name + "(" + types +
         ")\");\n";
    if (mode == KernelMode::cuda) continue;
    s += "extern \"C\" __attribute__((visibility(\"default\"))) void " + trampoline_name(name) +
         "(\n    [[maybe_unused]] void** args, unsigned long long first_block, unsigned long long "
         "last_block,\n"
         "    unsigned long long grid_blocks, void* shared, unsigned long long shared_bytes) {\n"
         "  fh_run_blocks(first_block, last_block, grid_blocks, shared, shared_bytes, [&] { " +
         name + "(" + values + "); });\n}\n";
  }
  return s;
}

}  // namespace

std::string trampoline_name(const std::string& kernel_entry) { return "fh_run_" + kernel_entry; }

std::string kernels_folder() {
  if (const char* set = std::getenv("FOXHUNT_KERNELS_DIR"); set && *set) return set;
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  return (program.parent_path().parent_path() / "share/foxhunt/kernels_src").string();
}

std::string kernel_text(const KernelLibrary& library, const std::string& file) {
  std::optional<std::string> text = find_text(library, file);
  if (!text) throw Error(library.owner + ": kernel file '" + file + "' was not found " + places(library));
  return *text;
}

UnitSource unit_source(const KernelUnit& unit, KernelMode mode, bool real64) {
  const KernelLibrary& library = *unit.library;
  if (!is_safe_name(unit.file))
    throw Error(library.owner + ": '" + unit.file +
                "' cannot be the name of a kernel file: a relative path without '..', quotes or backslashes "
                "is needed.");
  UnitSource source{unit.file, library.owner, {}, {}};
  for (const fh_kernel* k : library.kernels)
    if (k->file == unit.file) source.kernels += (source.kernels.empty() ? "" : ", ") + std::string(k->entry);
  const std::string text = kernel_text(library, unit.file);
  std::unordered_set<std::string> seen;
  add_includes(library, unit.file, text, seen, source.includes);

  std::string& s = source.text;
  s = mode == KernelMode::cuda  ? "#define FH_CUDA 1\n"
      : mode == KernelMode::cpu ? "#define FH_CPU 1\n"
                                : "#define FH_RACE 1\n";
  if (real64) s += "#define FH_REAL_IS_DOUBLE 1\n";
  for (const fh_constant& c : unit.constants) {
    if (!is_identifier(c.name))
      throw Error(library.owner + ": '" + c.name + "' in kernel file '" + unit.file +
                  "' cannot be the name of a constant.");
    s += "#define " + std::string(c.name) + " " + macro_value(unit, c) + "\n";
  }
  s += "#line 1 \"" + unit.file + "\"\n" + text + tail(unit, mode);
  return source;
}

}  // namespace foxhunt::compute
