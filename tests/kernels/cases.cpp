#include "cases.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace foxhunt::kernels::test {
namespace {

// A distribution's own algorithm differs between C++ libraries; these do not.
double unit(std::mt19937_64& random) { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; }

}  // namespace

Values normal(int64_t n, uint64_t seed, double deviation) {
  std::mt19937_64 random(seed);
  Values values(at(n));
  for (double& v : values) {
    const double radius = std::sqrt(-2 * std::log(unit(random)));
    v = deviation * radius * std::cos(2 * M_PI * unit(random));
  }
  return values;
}

Values integers(int64_t n, uint64_t seed, int64_t low, int64_t high) {
  std::mt19937_64 random(seed);
  Values values(at(n));
  for (double& v : values)
    v = static_cast<double>(low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1)));
  return values;
}

Values flags(int64_t n, uint64_t seed, double share) {
  std::mt19937_64 random(seed);
  Values values(at(n));
  for (double& v : values) v = unit(random) < share ? 1 : 0;
  return values;
}

Values same(int64_t n, double value) { return Values(at(n), value); }
Values unwritten(int64_t n) { return Values(at(n), std::nan("")); }

Values with(Values onto, const Values& values) {
  for (size_t i = 0; i < std::min(onto.size(), values.size()); ++i) onto[i] = values[i];
  return onto;
}

Values log_softmax(const double* x, int64_t n) {
  const double highest = *std::max_element(x, x + n);
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += std::exp(x[i] - highest);
  Values result(x, x + n);
  for (double& v : result) v -= highest + std::log(sum);
  return result;
}

PhiloxBlock philox(const uint32_t (&key)[2], const uint32_t (&counter)[4]) {
  uint32_t k[2] = {key[0], key[1]};
  PhiloxBlock b{{counter[0], counter[1], counter[2], counter[3]}};
  for (int round = 0; round < 10; ++round) {
    const uint64_t left = uint64_t{0xD2511F53} * b.word[0], right = uint64_t{0xCD9E8D57} * b.word[2];
    b = {{static_cast<uint32_t>(right >> 32) ^ b.word[1] ^ k[0], static_cast<uint32_t>(right),
          static_cast<uint32_t>(left >> 32) ^ b.word[3] ^ k[1], static_cast<uint32_t>(left)}};
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return b;
}

}  // namespace foxhunt::kernels::test
