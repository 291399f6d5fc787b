#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cases.hpp"
#include "probes.hpp"

// How exact common/math.cuh is, and its special values, as the CPU backend compiles it; and that Philox is
// Philox.

namespace foxhunt::kernels::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

std::unique_ptr<compute::Compute> cpu() {
  compute::Options options;
  options.device = "cpu";
  options.threads = 2;
  return compute::open(options);
}

// One launch of a probe on the CPU.
Arguments launched(const fh_kernel& kernel, int64_t n, std::vector<Values> arguments) {
  Cases cases;
  cases.add(probe_kernels(), kernel, "accuracy", Grid::elements(n), {}, std::move(arguments),
            [](Arguments&) {});
  const KernelCase* c = &cases.list[0];
  return run_cases(cpu(), std::span(&c, 1))[0];
}

Arguments math(const Values& x) {
  const auto n = static_cast<int64_t>(x.size());
  std::vector<Values> arguments{x};
  for (int output = 0; output < 6; ++output) arguments.push_back(unwritten(n));
  arguments.push_back({static_cast<double>(n)});
  return launched(probe_math, n, std::move(arguments));
}

/// Distance in units of the last place of a float of this size; denormals have those of the smallest normal
/// number.
double ulps(double got, double exact) {
  if (std::isnan(got) || std::isinf(got)) return infinity;
  const int exponent = std::max(exact == 0 ? -126 : std::ilogb(exact), -126);
  return std::abs(got - exact) / std::ldexp(1.0, exponent - 23);
}

/// Floats of evenly spaced bit patterns, so of all sizes, from low to high (both positive).
Values by_bits(float low, float high, int count) {
  Values x;
  const double first = std::bit_cast<uint32_t>(low), last = std::bit_cast<uint32_t>(high);
  for (int i = 0; i < count; ++i)
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(first + (last - first) * i / (count - 1))));
  return x;
}

Values evenly(double low, double high, int count) {
  Values x;
  for (int i = 0; i < count; ++i) x.push_back(low + (high - low) * i / (count - 1));
  return x;
}

Values mirrored(Values x) {
  for (size_t i = 0, n = x.size(); i < n; ++i) x.push_back(-x[i]);
  return x;
}

constexpr int dense = 400'000;
constexpr float smallest = 1e-45f, largest = std::numeric_limits<float>::max();

void expect_within(double bound, const char* function, const Values& x, double (*exact)(double)) {
  const Arguments a = math(x);
  double most = 0;
  size_t where = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = ulps(a[function][i], exact(a["x"][i]));
    if (error > most) most = error, where = i;
  }
  testing::Test::RecordProperty(function, std::to_string(most));
  EXPECT_LE(most, bound) << function << "(" << a["x"][where] << ") = " << a[function][where];
}

TEST(Accuracy, Exp) {
  const auto exact = [](double x) { return std::exp(x); };
  expect_within(2, "exp", evenly(-104, 88.7, dense), exact);
  expect_within(2, "exp", mirrored(by_bits(smallest, 1, dense)), exact);
}

TEST(Accuracy, Log) {
  const auto exact = [](double x) { return std::log(x); };
  expect_within(2, "log", by_bits(smallest, largest, dense), exact);
  expect_within(2, "log", evenly(0.5, 2, dense), exact);
}

TEST(Accuracy, Log1p) {
  const auto exact = [](double x) { return std::log1p(x); };
  expect_within(3, "log1p", by_bits(smallest, largest, dense), exact);
  expect_within(3, "log1p", evenly(-0.999999, 1, dense), exact);
}

TEST(Accuracy, Tanh) {
  const auto exact = [](double x) { return std::tanh(x); };
  expect_within(2, "tanh", mirrored(by_bits(smallest, 20, dense)), exact);
  expect_within(2, "tanh", evenly(-9, 9, dense), exact);
}

TEST(Accuracy, SigmoidAndSoftplus) {
  expect_within(3, "sigmoid", evenly(-87, 87, dense), [](double x) { return 1 / (1 + std::exp(-x)); });
  expect_within(3, "softplus", evenly(-100, 20, dense), [](double x) { return std::log1p(std::exp(x)); });
}

struct Special {
  double x, exp, log, log1p, tanh, sigmoid, softplus;
};

TEST(Accuracy, SpecialValues) {
  const std::vector<Special> specials{
      {0, 1, -infinity, 0, 0, 0.5, std::log(2.0f)},
      {infinity, infinity, infinity, infinity, 1, 1, infinity},
      {-infinity, 0, nan, nan, -1, 0, 0},
      {nan, nan, nan, nan, nan, nan, nan},
      {1, std::exp(1.0), 0, std::log(2.0), std::tanh(1.0), 1 / (1 + std::exp(-1.0)),
       std::log1p(std::exp(1.0))},
      {-1, std::exp(-1.0), nan, -infinity, std::tanh(-1.0), 1 / (1 + std::exp(1.0)),
       std::log1p(std::exp(-1.0))},
      {-2, std::exp(-2.0), nan, nan, std::tanh(-2.0), 1 / (1 + std::exp(2.0)), std::log1p(std::exp(-2.0))},
      {1e30, infinity, std::log(1e30), std::log1p(1e30), 1, 1, 1e30},
      {-1e30, 0, nan, nan, -1, 0, 0},
      {smallest, 1, std::log(static_cast<double>(smallest)), smallest, smallest, 0.5, std::log(2.0)},
      {-200, 0, nan, nan, -1, 0, 0},
      {89, infinity, std::log(89.0), std::log1p(89.0), 1, 1, 89}};
  // A vectorised body and a scalar tail: each value in every lane.
  for (const size_t before : {0, 1, 16}) {
    Values x(before, 0.25);
    for (const Special& s : specials) x.push_back(s.x);
    const Arguments a = math(x);
    for (size_t i = 0; i < specials.size(); ++i) {
      const Special& s = specials[i];
      for (const auto& [name, expected] : {std::pair<const char*, double>{"exp", s.exp},
                                           {"log", s.log},
                                           {"log1p", s.log1p},
                                           {"tanh", s.tanh},
                                           {"sigmoid", s.sigmoid},
                                           {"softplus", s.softplus}}) {
        const double got = a[name][before + i];
        if (std::isnan(expected) || std::isinf(expected))
          EXPECT_TRUE(std::isnan(expected) ? std::isnan(got) : got == expected)
              << name << "(" << s.x << ") = " << got;
        else
          EXPECT_LE(ulps(got, expected), 3)
              << name << "(" << s.x << ") = " << got << ", expected " << expected;
      }
    }
  }
}

// Known answers of Random123 (Salmon, Moraes, Dror & Shaw 2011), kat_vectors, philox4x32 with 10 rounds.
TEST(Philox, KnownAnswers) {
  struct Known {
    uint32_t counter[4], key[2], words[4];
  };
  const Known known[] = {{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
                         {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                          {0xffffffff, 0xffffffff},
                          {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
                         {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                          {0xa4093822, 0x299f31d0},
                          {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  for (const Known& k : known) {
    const Arguments a = launched(probe_philox, 1,
                                 {{k.counter, k.counter + 4},
                                  unwritten(4),
                                  unwritten(1),
                                  unwritten(1),
                                  {static_cast<double>(k.key[0])},
                                  {static_cast<double>(k.key[1])},
                                  {1}});
    EXPECT_EQ(a["words"], Values(k.words, k.words + 4));
    // The cases' own reference is held to them as well.
    const PhiloxBlock block = philox(k.key, k.counter);
    EXPECT_EQ(Values(block.word, block.word + 4), Values(k.words, k.words + 4));
  }
}

}  // namespace
}  // namespace foxhunt::kernels::test
