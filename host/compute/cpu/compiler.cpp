#include "compiler.hpp"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <foxhunt/error.hpp>
#include <fstream>
#include <iterator>

#include "process.hpp"

namespace foxhunt::compute::cpu {
namespace {

namespace fs = std::filesystem;

#if defined(__x86_64__)
constexpr const char* architecture = "x86-64";
#else
constexpr const char* architecture = "aarch64";
#endif

// A folder of our own (mode 0700, name not to be guessed), gone at the end.
class WorkFolder {
 public:
  WorkFolder() {
    std::error_code none;
    fs::path base = fs::temp_directory_path(none);
    path_ = (base.empty() ? fs::path("/tmp") : base) / "foxhunt-XXXXXX";
    std::string name = path_.string();
    if (!::mkdtemp(name.data()))
      throw Error("no folder for compiling kernels can be made as '" + path_.string() +
                  "': " + std::strerror(errno) + ". Set TMPDIR to a folder that can be written to.");
    path_ = name;
  }
  ~WorkFolder() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const fs::path& path() const { return path_; }

  void write(const std::string& name, const std::string& text) const {
    const fs::path file = path_ / name;
    std::error_code none;
    fs::create_directories(file.parent_path(), none);
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out)
      throw Error("'" + file.string() +
                  "' cannot be written: is the disk full? Set TMPDIR to a folder with room.");
  }

 private:
  fs::path path_;
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The words after "-target-cpu" and the like in a command that clang would run, which has absolute paths as
// well.
std::string clang_target(const std::string& command) {
  std::string found;
  for (size_t at = command.find("\"-target-"); at != std::string::npos;
       at = command.find("\"-target-", at + 1)) {
    const size_t end = command.find('"', command.find('"', command.find('"', at + 1) + 1) + 1);
    if (end == std::string::npos) break;
    found += command.substr(at, end + 1 - at) + "\n";
  }
  return found;
}

std::string word_after(const std::string& text, const std::string& before) {
  size_t at = text.find(before);
  if (at == std::string::npos) return "native";
  at = text.find_first_not_of(" \t\"", at + before.size());
  return text.substr(at, text.find_first_of(" \t\"\n", at) - at);
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The first complaint, "file:line:column: error: …", for the head of the message.
std::string first_error(const std::string& output) {
  for (size_t begin = 0; begin < output.size();) {
    const size_t end = std::min(output.find('\n', begin), output.size());
    const std::string line = output.substr(begin, end - begin);
    if (line.find("error:") != std::string::npos) return line;
    begin = end + 1;
  }
  return {};
}

}  // namespace

Compiler Compiler::find(KernelMode mode) {
  Compiler c;
  if (const char* wanted = std::getenv("FOXHUNT_CXX"); wanted && *wanted) {
    c.path_ = find_program(wanted);
    if (c.path_.empty())
      throw Error("FOXHUNT_CXX names '" + std::string(wanted) + "', which is not a program that can be run.");
  } else {
    for (const char* name : {"c++", "g++", "clang++"})
      if (c.path_.empty()) c.path_ = find_program(name);
    if (c.path_.empty())
      throw Error(
          "the cpu device compiles its kernels with the system's C++ compiler, and there is none: neither "
          "c++ nor g++ "
          "nor clang++ is on PATH. Install one (Debian, Ubuntu: apt install g++) or name it in FOXHUNT_CXX.");
  }
  const ProcessResult version = run_process({c.path_, "--version"});
  c.version_ = first_line(version.output);
  if (version.exit_code != 0 || c.version_.empty())
    throw Error("'" + c.path_ + " --version' failed: " + first_line(version.output) +
                " Name a working C++ compiler in FOXHUNT_CXX.");

  const ProcessResult gcc = run_process({c.path_, "-march=native", "-Q", "--help=target"});
  if (gcc.exit_code == 0 && gcc.output.find("-march=") != std::string::npos) {
    c.native_ = gcc.output;
    c.target_ = std::string(architecture) + " " + word_after(gcc.output, "-march=");
  } else {
    const ProcessResult clang =
        run_process({c.path_, "-march=native", "-###", "-x", "c++", "-c", "/dev/null", "-o", "/dev/null"});
    c.native_ = clang_target(clang.output);
    c.target_ = std::string(architecture) + " " + word_after(c.native_, "\"-target-cpu\"");
  }
  // Thread-local variables in the local-dynamic model: libraries that are opened late have little room for
  // others.
  c.options_ = {"-std=c++20",
                "-O3",
                "-march=native",
                "-fno-math-errno",
                "-fno-trapping-math",
                "-ffp-contract=off",
                "-fPIC",
                "-shared",
                "-fvisibility=hidden",
                "-ftls-model=local-dynamic",
                "-g0",
                "-I."};
  // Later options win.
  if (mode == KernelMode::race)
    c.options_.insert(c.options_.end(), {"-O1", "-g1", "-fno-omit-frame-pointer", "-fsanitize=thread"});
  return c;
}

CacheKey Compiler::key(const UnitSource& source) const {
  return unit_key(source, "cpu " + native_, version_, options_);
}

Bytes Compiler::compile(const UnitSource& source) const {
  const WorkFolder folder;
  folder.write("unit.cpp", source.text);
  for (const IncludeFile& include : source.includes) folder.write(include.name, include.text);
  std::vector<std::string> command{path_};
  command.insert(command.end(), options_.begin(), options_.end());
  for (const char* word : {"-o", "unit.so", "unit.cpp"}) command.push_back(word);

  const ProcessResult result = run_process(command, folder.path().string());
  if (result.exit_code != 0) {
    const std::string error = first_error(result.output);
    throw Error(source.owner + ": " +
                (error.empty()
                     ? source.name + ": the compiler ended with status " + std::to_string(result.exit_code)
                     : error) +
                "\nKernel file '" + source.name + "' (" + source.kernels + ") does not compile for the cpu device with " + version_ +
                ":\n" + result.output);
  }
  const std::string object = read_file(folder.path() / "unit.so");
  if (object.size() < 64 || object.compare(0, 4, "\177ELF") != 0)
    throw Error(source.owner + ": compiling '" + source.name + "' left no shared object. Is the disk of '" +
                folder.path().string() + "' full? Set TMPDIR to a folder with room.");
  const auto* begin = reinterpret_cast<const std::byte*>(object.data());
  return Bytes(begin, begin + object.size());
}

}  // namespace foxhunt::compute::cpu
