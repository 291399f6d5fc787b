#include "rig.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <foxhunt/error.hpp>

namespace foxhunt::compute::cuda::test {

const Module& module() {
  static const Module loaded = [] {
    const char* path = std::getenv("FOXHUNT_CUDA_MODULE");  // as the program has it
    void* library = dlopen(path ? path : FOXHUNT_CUDA_MODULE, RTLD_NOW | RTLD_LOCAL);
    if (!library) throw Error(dlerror());
    Module m{};
    m.open = reinterpret_cast<decltype(m.open)>(dlsym(library, "foxhunt_cuda_open"));
    m.compile = reinterpret_cast<decltype(m.compile)>(dlsym(library, "foxhunt_cuda_compile"));
    m.compiler_version =
        reinterpret_cast<decltype(m.compiler_version)>(dlsym(library, "foxhunt_cuda_compiler_version"));
    if (!m.open || !m.compile || !m.compiler_version) throw Error("the module lacks an exported function");
    return m;
  }();
  return loaded;
}

Opened open_cuda(const Options& options) {
  char message[4096] = "";
  Opened opened;
  opened.compute.reset(module().open(&options, message, sizeof message));
  opened.reason = message;
  return opened;
}

void OnGpu::SetUp() {
  Options options;
  options.device = "cuda";
  const Opened opened = open_cuda(options);
  if (opened.compute) return;
  const char* required = std::getenv("FOXHUNT_REQUIRE_CUDA");
  if (required && std::string(required) == "1") FAIL() << "FOXHUNT_REQUIRE_CUDA is 1, but: " << opened.reason;
  GTEST_SKIP() << opened.reason;
}

Rig::Rig(const KernelLibrary& library, Options options) {
  program_.name = "test";
  recording_ =
      std::make_unique<Recording>(program_, tensors_, library, Recording::Identity{"", "step", "test", 1});
  Opened opened = open_cuda(options);
  if (!opened.compute) throw Error(opened.reason);
  compute_ = std::move(opened.compute);
}

Options Rig::parity() {
  Options options;
  options.device = "cuda";
  options.profile = Profile::parity;
  return options;
}

Options Rig::fast(bool tf32) {
  Options options;
  options.device = "cuda";
  options.tf32 = tf32;
  return options;
}

TensorId Rig::tensor(const std::string& name, fh_shape shape, fh_dtype dtype) {
  TensorSpec spec;
  spec.name = name;
  spec.shape = shape;
  spec.dtype = dtype;
  return tensors_.add(spec);
}

std::vector<float> random_values(size_t n, uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<float> values(n);
  for (float& v : values) v = static_cast<float>(engine()) * 0x1p-31f - 1.0f;
  return values;
}

Environment::Environment(const char* name, const std::string& value) : name_(name) {
  const char* old = std::getenv(name);
  had_ = old != nullptr;
  if (had_) old_ = old;
  setenv(name, value.c_str(), 1);
}

Environment::~Environment() {
  if (had_)
    setenv(name_.c_str(), old_.c_str(), 1);
  else
    unsetenv(name_.c_str());
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "foxhunt-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw Error("no temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace foxhunt::compute::cuda::test
