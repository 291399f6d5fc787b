#include "nvrtc.hpp"

#include <nvrtc.h>

#include <foxhunt/error.hpp>

#include "check.hpp"

namespace foxhunt::compute::cuda {
namespace {

constexpr const char* fixed_options[] = {
    "--std=c++20",         "--device-as-default-execution-space",
    "--no-source-include",  // the folder the program was started in is no place to read headers from
    "--ftz=false",         "--prec-div=true",
    "--prec-sqrt=true",    "--generate-line-info",
};

class NvrtcProgram {
 public:
  explicit NvrtcProgram(const UnitSource& unit) {
    std::vector<const char*> names, texts;
    for (const IncludeFile& include : unit.includes) {
      names.push_back(include.name.c_str());
      texts.push_back(include.text.c_str());
    }
    FOXHUNT_CUDA(nvrtcCreateProgram(&program_, unit.text.c_str(), unit.name.c_str(),
                                    static_cast<int>(names.size()), texts.data(), names.data()),
                 unit.owner + ": " + unit.name);
  }
  ~NvrtcProgram() { (void)nvrtcDestroyProgram(&program_); }
  NvrtcProgram(const NvrtcProgram&) = delete;
  NvrtcProgram& operator=(const NvrtcProgram&) = delete;

  nvrtcResult compile(const std::vector<std::string>& options) {
    std::vector<const char*> pointers;
    for (const std::string& option : options) pointers.push_back(option.c_str());
    return nvrtcCompileProgram(program_, static_cast<int>(pointers.size()), pointers.data());
  }
  std::string log() const {
    size_t size = 0;
    if (nvrtcGetProgramLogSize(program_, &size) != NVRTC_SUCCESS || size <= 1) return {};
    std::string text(size, '\0');
    if (nvrtcGetProgramLog(program_, text.data()) != NVRTC_SUCCESS) return {};
    text.resize(text.find_last_not_of(std::string_view("\0\n ", 3)) + 1);
    return text;
  }
  std::string machine_code() const {
    size_t size = 0;
    FOXHUNT_CUDA(nvrtcGetCUBINSize(program_, &size));
    std::string code(size, '\0');
    FOXHUNT_CUDA(nvrtcGetCUBIN(program_, code.data()));
    return code;
  }
  std::string ptx() const {
    size_t size = 0;
    FOXHUNT_CUDA(nvrtcGetPTXSize(program_, &size));
    std::string code(size, '\0');
    FOXHUNT_CUDA(nvrtcGetPTX(program_, code.data()));
    return code;
  }

 private:
  nvrtcProgram program_ = nullptr;
};

// The interface tells major and minor only; the build number stands in the code that the compiler makes.
std::string find_version() {
  int major = 0, minor = 0;
  FOXHUNT_CUDA(nvrtcVersion(&major, &minor));
  const std::string version = "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
  NvrtcProgram program(
      {"version.cu", "foxhunt", "extern \"C\" __device__ const int build = __CUDACC_VER_BUILD__;", {}});
  FOXHUNT_CUDA(
      program.compile({"--gpu-architecture=compute_" + std::to_string(known_capabilities().back())}));
  const std::string ptx = program.ptx();
  const std::string_view mark = " build = ";
  const size_t begin = ptx.find(mark), end = ptx.find(';', begin);
  if (begin == std::string::npos || end == std::string::npos) return version;
  return version + "." + ptx.substr(begin + mark.size(), end - begin - mark.size());
}

}  // namespace

const std::string& compiler_version() {
  static const std::string version = find_version();
  return version;
}

const std::string& compiler_identity() {
  static const std::string identity = [] {
    std::string text = compiler_version();
    for (const char* option : fixed_options) (text += ' ') += option;
    return text;
  }();
  return identity;
}

std::vector<std::string> compiler_options(const Architecture& architecture, bool parity) {
  std::vector<std::string> options{"--gpu-architecture=" + architecture.target,
                                   parity ? "--fmad=false" : "--fmad=true"};
  options.insert(options.end(), std::begin(fixed_options), std::end(fixed_options));
  return options;
}

Compiled compile(const UnitSource& unit, const Architecture& architecture, bool parity) {
  NvrtcProgram program(unit);
  const nvrtcResult result = program.compile(compiler_options(architecture, parity));
  std::string log = program.log();
  if (result != NVRTC_SUCCESS)
    throw Error((unit.owner.empty() ? "" : unit.owner + ": ") + "kernel file '" + unit.name +
                "' does not compile for " + architecture.target + " (" + compiler_version() + ", " +
                nvrtcGetErrorString(result) + "):\n" + (log.empty() ? "the compiler gave no message" : log));
  return {architecture.is_ptx() ? program.ptx() : program.machine_code(), std::move(log)};
}

}  // namespace foxhunt::compute::cuda
