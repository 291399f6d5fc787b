#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace foxhunt::compute {

/// SHA-256 (FIPS 180-4).
class Sha256 {
 public:
  using Digest = std::array<uint8_t, 32>;

  Sha256& add(const void* data, size_t bytes);
  Sha256& add(std::string_view text) { return add(text.data(), text.size()); }
  /// Ends the message; the object is used up.
  Digest digest();

 private:
  void block(const uint8_t* p);
  std::array<uint32_t, 8> h_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> rest_{};
  uint64_t bytes_ = 0;
};

std::string to_hex(const Sha256::Digest& digest);

}  // namespace foxhunt::compute
