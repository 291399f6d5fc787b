#pragma once
#include <array>
#include <cstdint>

namespace foxhunt::common {

/// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3",
/// section 3.3): a counter-based generator; the same function as kernels_src/common/philox.cuh has on the
/// device.
class Philox {
 public:
  Philox(uint32_t key0, uint32_t key1) : key_{key0, key1} {}
  std::array<uint32_t, 4> operator()(uint64_t counter, uint64_t high = 0) const {
    std::array<uint32_t, 4> c{static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
                              static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)};
    uint32_t k0 = key_[0], k1 = key_[1];
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
      const uint64_t a = uint64_t{0xD2511F53u} * c[0], b = uint64_t{0xCD9E8D57u} * c[2];
      c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(b),
           static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(a)};
    }
    return c;
  }

 private:
  std::array<uint32_t, 2> key_;
};

}  // namespace foxhunt::common
