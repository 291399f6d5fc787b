#include <cuda_runtime_api.h>

#include "rig.hpp"

namespace foxhunt::compute::cuda::test {
namespace {

void keep(void* to, const void* code, size_t bytes) {
  static_cast<std::string*>(to)->assign(static_cast<const char*>(code), bytes);
}

struct Outcome {
  int status;
  std::string code, message;
};

Outcome compile_through_module(const char* arch, const char* text) {
  Outcome o;
  char message[4096] = "";
  const char* names[] = {"common/two.cuh"};
  const char* texts[] = {"#define TWO 2\n"};
  o.status = module().compile(arch, text, "area/twice.cu", names, texts, 1, 0, keep, &o.code, message,
                              sizeof message);
  o.message = message;
  return o;
}

constexpr const char* twice =
    "#include \"common/two.cuh\"\n"
    "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= TWO; }\n";

TEST(CudaModule, CompilesAheadOfTime) {
  const Outcome o = compile_through_module("sm_89", twice);
  EXPECT_EQ(o.status, 0) << o.message;
  EXPECT_EQ(o.code.substr(0, 4),
            "\x7f"
            "ELF");
}

TEST(CudaModule, UnknownArchitectureIsRefused) {
  const Outcome o = compile_through_module("sm_12", twice);
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.code, "");
  EXPECT_NE(o.message.find("'sm_12'"), std::string::npos) << o.message;
  EXPECT_NE(o.message.find("sm_90"), std::string::npos) << o.message;
}

TEST(CudaModule, CompileErrorHasFileAndLine) {
  const Outcome o = compile_through_module("sm_90", "\n\nthis is no kernel\n");
  EXPECT_EQ(o.status, 1);
  EXPECT_NE(o.message.find("area/twice.cu(3)"), std::string::npos) << o.message;
}

TEST(CudaModule, MessageThatIsTooLongIsCut) {
  char message[16];
  const Options options{"cuda:nonsense", 0, Profile::fast, true};
  EXPECT_EQ(module().open(&options, message, sizeof message), nullptr);
  EXPECT_EQ(std::strlen(message), sizeof message - 1);
}

TEST(CudaModule, CompilerVersion) {
  ASSERT_NE(module().compiler_version(), nullptr);
  EXPECT_TRUE(std::string(module().compiler_version()).starts_with("NVRTC "));
}

TEST(CudaModule, NamesThatAreNoDevice) {
  for (const char* name : {"cpu", "cuda:", "cuda:-1", "cuda:1x", "CUDA"}) {
    Options options;
    options.device = name;
    const Opened opened = open_cuda(options);
    EXPECT_EQ(opened.compute, nullptr);
    EXPECT_NE(opened.reason.find(std::string("'") + name + "'"), std::string::npos) << opened.reason;
  }
}

TEST(CudaModule, WithoutAGpuOpeningSaysWhatIsMissing) {
  int driver = 0, count = 0;
  (void)cudaDriverGetVersion(&driver);
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) GTEST_SKIP() << "there is a GPU here";
  for (const char* name : {"auto", "cuda", "cuda:0"}) {
    Options options;
    options.device = name;
    const Opened opened = open_cuda(options);
    EXPECT_EQ(opened.compute, nullptr);
    EXPECT_NE(opened.reason.find(driver == 0 ? "no NVIDIA driver" : "driver"), std::string::npos)
        << opened.reason;
    EXPECT_NE(opened.reason.find("--trainer.device cpu"), std::string::npos) << opened.reason;
  }
}

using CudaDevice = OnGpu;

TEST_F(CudaDevice, DescribesItself) {
  const KernelLibrary none{"test", {}, {}};
  Rig rig(none);
  const DeviceInfo& info = rig.compute().device();
  EXPECT_EQ(info.kind, "cuda");
  EXPECT_NE(info.name, "");
  EXPECT_TRUE(info.target.starts_with("sm_") || info.target.starts_with("compute_")) << info.target;
  EXPECT_TRUE(info.compiler.starts_with("NVRTC ")) << info.compiler;
  EXPECT_TRUE(info.blas.starts_with("cuBLASLt ")) << info.blas;
}

TEST_F(CudaDevice, NumberBeyondTheLastIsRefused) {
  Options options;
  options.device = "cuda:99";
  EXPECT_NE(open_cuda(options).reason.find("cuda:99"), std::string::npos);
}

}  // namespace
}  // namespace foxhunt::compute::cuda::test
