#include "support.hpp"

#include <foxhunt/error.hpp>

namespace foxhunt::compute::test {
namespace {

constexpr const char* basic_source = R"(#include "common/platform.cuh"
extern "C" __global__ void test_axpy(const real* __restrict__ x, real* __restrict__ y, real a, int n) {
  FH_FOR_ELEMENTS(i, n) { y[i] = a * x[i] + y[i]; }
}
)";

constexpr const char* rows_source = R"(#include "common/platform.cuh"
extern "C" __global__ void test_row_sum(const real* __restrict__ x, real* __restrict__ out,
                                        int* __restrict__ poisoned) {
  FH_SHARED(real, row);
  if (threadIdx.x == 0) poisoned[blockIdx.x] = row[0] != row[0];
  __syncthreads();
  for (int i = threadIdx.x; i < WIDTH; i += blockDim.x) row[i] = FACTOR * x[blockIdx.x * WIDTH + i];
  __syncthreads();
  if (threadIdx.x == 0) {
    real sum = real(0);
    for (int i = 0; i < WIDTH; ++i) sum += row[i];
    out[blockIdx.x] = sum;
  }
}
)";

constexpr const char* scalars_source = R"(#include "common/platform.cuh"
extern "C" __global__ void test_scalars(real a, int b, unsigned c, unsigned char d, double e, long long f,
                                        unsigned long long g, double* __restrict__ out) {
  if (threadIdx.x != 0) return;
  out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = double(f); out[6] = double(g);
}
)";

// Runs share compiled kernels, but not with the user's own cache.
const bool cache_folder_is_set = ::setenv("FOXHUNT_CACHE_DIR", FOXHUNT_TEST_CACHE, 0) == 0;

}  // namespace

const KernelLibrary& library() {
  static const KernelLibrary kernels{
      "test library",
      {&test_axpy, &test_row_sum, &test_scalars},
      {{"test/basic.cu", basic_source}, {"test/rows.cu", rows_source}, {"test/scalars.cu", scalars_source}}};
  return kernels;
}

OneFile::OneFile(std::string owner, const fh_kernel& kernel, std::string text_)
    : text(std::move(text_)), library{std::move(owner), {&kernel}, {{kernel.file, text.c_str()}}} {}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "foxhunt-test-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw Error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code none;
  std::filesystem::remove_all(path_, none);
}

Setting::Setting(const char* name, const std::string& value) : name_(name) {
  if (const char* old = std::getenv(name)) before_ = old;
  ::setenv(name, value.c_str(), 1);
}

Setting::~Setting() {
  if (before_)
    ::setenv(name_, before_->c_str(), 1);
  else
    ::unsetenv(name_);
}

TensorId Rig::add(const std::string& name, fh_shape shape, fh_dtype dtype, Lifetime lifetime) {
  TensorSpec spec;
  spec.name = name;
  spec.shape = shape;
  spec.dtype = dtype;
  spec.lifetime = lifetime;
  return tensors.add(std::move(spec));
}

Recording Rig::record(const std::string& owner, const std::string& step, const KernelLibrary& kernels) {
  return Recording(program, tensors, kernels, {owner, step, owner.empty() ? "program" : "heads/" + owner, 7});
}

void Rig::prepare(int threads, Profile profile) {
  Options options;
  options.device = "cpu";
  options.threads = threads;
  options.profile = profile;
  compute = open(options);
  compute->allocate(tensors);
  executable = compute->prepare(program);
}

}  // namespace foxhunt::compute::test
