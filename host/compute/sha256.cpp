#include "sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace foxhunt::compute {
namespace {

constexpr std::array<uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t big_endian(const uint8_t* p) {
  return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | uint32_t{p[3]};
}

}  // namespace

void Sha256::block(const uint8_t* p) {
  std::array<uint32_t, 64> w;
  for (int t = 0; t < 16; ++t) w[t] = big_endian(p + 4 * t);
  for (int t = 16; t < 64; ++t) {
    const uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = h_;
  for (int t = 0; t < 64; ++t) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + round_constants[t] + w[t];
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<uint32_t, 8> v{a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) h_[i] += v[i];
}

Sha256& Sha256::add(const void* data, size_t bytes) {
  const auto* p = static_cast<const uint8_t*>(data);
  size_t held = bytes_ % 64;
  bytes_ += bytes;
  while (bytes > 0) {
    if (held == 0 && bytes >= 64) {
      block(p);
      p += 64, bytes -= 64;
      continue;
    }
    const size_t n = std::min(bytes, 64 - held);
    std::memcpy(rest_.data() + held, p, n);
    held += n, p += n, bytes -= n;
    if (held == 64) {
      block(rest_.data());
      held = 0;
    }
  }
  return *this;
}

Sha256::Digest Sha256::digest() {
  const uint64_t bits = bytes_ * 8;
  const uint8_t end = 0x80, zero = 0;
  add(&end, 1);
  while (bytes_ % 64 != 56) add(&zero, 1);
  uint8_t length[8];
  for (int i = 0; i < 8; ++i) length[i] = static_cast<uint8_t>(bits >> (56 - 8 * i));
  add(length, 8);
  Digest d;
  for (int i = 0; i < 32; ++i) d[i] = static_cast<uint8_t>(h_[i / 4] >> (24 - 8 * (i % 4)));
  return d;
}

std::string to_hex(const Sha256::Digest& digest) {
  std::string s;
  for (uint8_t byte : digest) {
    s += "0123456789abcdef"[byte >> 4];
    s += "0123456789abcdef"[byte & 15];
  }
  return s;
}

}  // namespace foxhunt::compute
