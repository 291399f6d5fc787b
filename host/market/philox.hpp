#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace foxhunt::market {

/// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw 2011): 128 random bits as a pure function of key and counter,
/// the same on every platform. A key is made from a seed and a stream's name, so streams never shift each
/// other.
class Philox {
 public:
  Philox(uint64_t seed, std::string_view stream) {
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (const char c : stream) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    const uint64_t key = mix(seed + 0x9e3779b97f4a7c15u) ^ mix(hash);
    key_ = {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
  }
  Philox(uint32_t key0, uint32_t key1) : key_{key0, key1} {}

  std::array<uint32_t, 4> operator()(uint64_t step, uint64_t element = 0) const {
    std::array<uint32_t, 4> c = {static_cast<uint32_t>(step), static_cast<uint32_t>(step >> 32),
                                 static_cast<uint32_t>(element), static_cast<uint32_t>(element >> 32)};
    uint32_t k0 = key_[0], k1 = key_[1];
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53u} * c[0], b = uint64_t{0xCD9E8D57u} * c[2];
      c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(b),
           static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(a)};
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    return c;
  }

 private:
  /// splitmix64's finaliser.
  static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  std::array<uint32_t, 2> key_;
};

/// 53 random bits as a double in (0, 1), never an end point.
inline double open_unit(uint32_t high, uint32_t low) {
  return (static_cast<double>((uint64_t{high} << 21) | (low >> 11)) + 0.5) * 0x1p-53;
}

}  // namespace foxhunt::market
