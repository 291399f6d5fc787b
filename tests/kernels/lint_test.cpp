#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "lint.hpp"

namespace foxhunt::kernels::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(KernelLint, NoKernelOfTheProgramOrAPluginIsFaulted) {
  size_t files = 0;
  for (const char* root : {"kernels_src", "plugins", "tests/plugins/samples", "tests/kernels/probes"}) {
    const fs::path folder = fs::path(FOXHUNT_SOURCE) / root;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const fs::path path = entry.path();
      if (path.extension() != ".cu" && path.extension() != ".cuh") continue;
      ++files;
      for (const std::string& fault : lint(path.lexically_relative(folder).generic_string(), text_of(path)))
        ADD_FAILURE() << root << "/" << fault;
    }
  }
  EXPECT_GE(files, 26u) << "of kernels_src alone there are more";
}

// One kernel with this body.
std::string kernel(const std::string& body) {
  return "#include \"common/platform.cuh\"\nextern \"C\" __global__ void k(const real* x, real* y, int n) "
         "{\n" +
         body + "\n}\n";
}

struct Rule {
  std::string name, text, says;  ///< says: what the one fault holds; empty: none
};
void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.name; }

class KernelLintRule : public testing::TestWithParam<Rule> {};

TEST_P(KernelLintRule, FindsWhatItShouldAndNothingElse) {
  const auto faults = lint("area/k.cu", GetParam().text);
  if (GetParam().says.empty()) {
    EXPECT_EQ(faults, std::vector<std::string>{});
    return;
  }
  ASSERT_EQ(faults.size(), 1u) << testing::PrintToString(faults);
  EXPECT_NE(faults[0].find(GetParam().says), std::string::npos) << faults[0];
}

const std::string strided = "for (int i = threadIdx.x; i < n; i += blockDim.x) ";

INSTANTIATE_TEST_SUITE_P(
    Rules, KernelLintRule,
    testing::Values(
        Rule{"strided", kernel(strided + "y[i] = x[i];"), ""},
        Rule{"elements", kernel("FH_FOR_ELEMENTS(i, n) { y[i] = x[i]; }"), ""},
        Rule{"tiles",
             kernel("for (int first = 0; first < n; first += blockDim.x) {\n  const int i = first + "
                    "static_cast<int>(threadIdx.x);\n  if (i < n) y[i] = x[i];\n}"),
             ""},
        Rule{"first_thread", kernel("if (threadIdx.x == 0) y[blockIdx.x] = x[0];"), ""},
        Rule{"one_element_a_thread", kernel("const int i = threadIdx.x;\nif (i < n) y[i] = x[i];"),
             "area/k.cu:3: threadIdx.x outside of a loop"},
        Rule{"after_the_loop", kernel(strided + "y[i] = x[i];\ny[threadIdx.x] = x[0];"),
             "area/k.cu:4: threadIdx.x outside of a loop"},
        Rule{"wrong_step", kernel("for (int i = threadIdx.x; i < n; i += 256) y[i] = x[i];"),
             "threadIdx.x outside of a loop"},
        Rule{"second_dimension", kernel("if (threadIdx.y == 0) y[0] = x[0];"),
             "threadIdx.y: blocks have one dimension"},
        Rule{"block_loop", kernel("for (int b = blockIdx.x; b < n; b += 4) y[b] = x[b];"),
             "a loop over blocks"},
        Rule{"element_by_hand", kernel("const int i = blockIdx.x * blockDim.x;\nif (i < n) y[i] = x[i];"),
             "area/k.cu:3: an element of the grid by hand"},
        Rule{"return_before_barrier", kernel("if (n == 0) return;\n__syncthreads();"),
             "area/k.cu:3: return before a barrier"},
        Rule{"return_before_reduction",
             kernel("FH_SHARED(real, s);\nif (n == 0) return;\ny[0] = block_sum_over(n, [&](int i) { return "
                    "x[i]; }, s);"),
             "area/k.cu:4: return before a barrier"},
        Rule{"return_before_helper",
             "static __device__ inline real total(const real* x, real* s) { return block_sum(x[0], s); }\n" +
                 kernel("FH_SHARED(real, s);\nif (n == 0) return;\ny[0] = total(x, s);"),
             "area/k.cu:5: return before a barrier"},
        Rule{"return_after_barrier", kernel("__syncthreads();\nif (n == 0) return;\ny[0] = x[0];"), ""},
        Rule{"return_of_lambda",
             kernel("const auto f = [&](int i) { return x[i]; };\n__syncthreads();\ny[0] = f(0);"), ""},
        Rule{"return_elsewhere",
             "static __device__ inline int f(int i) { return i; }\n" +
                 kernel("__syncthreads();\ny[0] = x[f(0)];"),
             ""},
        Rule{"shuffle", kernel("y[0] = __shfl_down_sync(0xffffffffu, x[0], 1);"), "__shfl_down_sync: warps"},
        Rule{"warp_size", kernel("y[0] = warpSize;"), "warpSize: warps"},
        Rule{"atomic_on_real", kernel("atomicAdd(y, x[0]);"), "atomicAdd on 'y'"},
        Rule{"atomic_on_element", kernel("atomicAdd(&y[n], x[0]);"), "atomicAdd on 'y'"},
        Rule{"atomic_on_integers",
             "extern \"C\" __global__ void k(int* __restrict__ count) {\n  atomicAdd(&count[0], 1);\n}\n",
             ""},
        Rule{"exp", kernel("y[0] = exp(x[0]);"), "area/k.cu:3: exp()"},
        Rule{"std_log", kernel("y[0] = std::log(x[0]);"), "log()"},
        Rule{"tanhf", kernel("y[0] = 2 * tanhf(x[0]);"), "tanhf()"},
        Rule{"fast_exp", kernel("y[0] = __expf(x[0]);"), "__expf()"},
        Rule{"builtin_sqrt", kernel("y[0] = __builtin_sqrtf(x[0]);"), "__builtin_sqrtf()"},
        Rule{"own_functions", kernel("y[0] = fh_exp(fh_log(fh_tanh(fh_sqrt(x[0]))));"), ""},
        Rule{"names_like_them", kernel("real log_sum = x[0], exp[1];\nexp[0] = log_sum;\ny[0] = exp[0];"),
             ""},
        Rule{"system_header", "#include <cmath>\n" + kernel("y[0] = x[0];"), "area/k.cu:1: #include <cmath>"},
        Rule{"comments_and_strings",
             "// #include <cmath>, exp(x), atomicAdd(y, 1)\n/* threadIdx.x\n __shfl_sync() */\n" +
                 kernel("y[0] = x[0];  // return exp(threadIdx.x);\nconst char* s = \"sqrt(x) // \";"),
             ""}),
    [](const auto& test) { return test.param.name; });

// What common/ is for.
TEST(KernelLint, CommonMayUseWarps) {
  const std::string text = kernel("if (threadIdx.x < 32) y[0] = __shfl_down_sync(0xffffffffu, x[0], 1);");
  EXPECT_TRUE(lint("common/reduce.cuh", text).empty());
  EXPECT_EQ(lint("area/reduce.cu", text).size(), 2u);
}

}  // namespace
}  // namespace foxhunt::kernels::test
