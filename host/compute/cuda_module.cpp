#include "cuda_module.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>

#ifndef FOXHUNT_LIBRARY_FOLDER
#define FOXHUNT_LIBRARY_FOLDER "lib"
#endif

namespace foxhunt::compute {
namespace {

namespace fs = std::filesystem;

// The module's functions, as in cuda/module.cpp.
using OpenFunction = Compute* (*)(const Options*, char* message, size_t capacity);
using CompileFunction = int (*)(const char* arch, const char* unit_source, const char* unit_name,
                                const char* const* include_names, const char* const* include_texts,
                                size_t includes, int parity,
                                void (*deliver)(void* context, const void* code, size_t bytes), void* context,
                                char* message, size_t capacity);
using VersionFunction = const char* (*)();

using Message = std::array<char, 32768>;

std::string module_path() {
  if (const char* set = std::getenv("FOXHUNT_CUDA_MODULE"); set && *set) return set;
  std::error_code none;
  const fs::path base = fs::read_symlink("/proc/self/exe", none).parent_path().parent_path();
  std::string looked;
  for (const char* folder : {"lib", FOXHUNT_LIBRARY_FOLDER}) {
    const fs::path path = base / folder / "foxhunt/foxhunt_cuda.so";
    if (fs::exists(path, none)) return path.string();
    if (looked.find(path.string()) == std::string::npos)
      looked += (looked.empty() ? "'" : ", '") + path.string() + "'";
  }
  throw Error("the CUDA backend is not installed: there is no " + looked +
              ". Build with the CUDA Toolkit (cmake -DFOXHUNT_CUDA=ON), name the module in "
              "FOXHUNT_CUDA_MODULE, or use "
              "trainer.device = cpu.");
}

}  // namespace

CudaModule CudaModule::load() { return CudaModule(LoadedLibrary::from_file(module_path())); }

std::unique_ptr<Compute> CudaModule::open(const Options& options) const {
  Message message{};
  const auto call = reinterpret_cast<OpenFunction>(library_.function("foxhunt_cuda_open"));
  std::unique_ptr<Compute> compute(call(&options, message.data(), message.size()));
  if (!compute) throw Error(message.data());
  return compute;
}

std::string CudaModule::compiler_version() const {
  const char* version =
      reinterpret_cast<VersionFunction>(library_.function("foxhunt_cuda_compiler_version"))();
  if (!version)
    throw Error(
        "NVRTC, the compiler for CUDA kernels, cannot be used. Is libnvrtc of the CUDA Toolkit installed?");
  return version;
}

Bytes CudaModule::compile(const UnitSource& source, const std::string& arch, bool parity) const {
  std::vector<const char*> names, texts;
  for (const IncludeFile& include : source.includes) {
    names.push_back(include.name.c_str());
    texts.push_back(include.text.c_str());
  }
  Bytes code;
  const auto deliver = [](void* context, const void* bytes, size_t n) {
    const auto* begin = static_cast<const std::byte*>(bytes);
    static_cast<Bytes*>(context)->assign(begin, begin + n);
  };
  auto message = std::make_unique<Message>();
  const auto call = reinterpret_cast<CompileFunction>(library_.function("foxhunt_cuda_compile"));
  if (call(arch.c_str(), source.text.c_str(), source.name.c_str(), names.data(), texts.data(), names.size(),
           parity, deliver, &code, message->data(), message->size()) != 0)
    throw Error(source.owner + ": kernels " + source.kernels + ": " + message->data());
  return code;
}

}  // namespace foxhunt::compute
