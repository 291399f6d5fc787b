#include "program.hpp"

namespace foxhunt::compute {
namespace {

// The finaliser of SplitMix64 (Steele, Lea & Flood 2014): a bijection in which every input bit reaches every
// output bit.
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

uint64_t LaunchOp::shared_bytes(uint32_t block_dim) const {
  return kernel->shared_bytes ? kernel->shared_bytes(constants.data(), block_dim) : 0;
}

Recorder::Key stream_key(uint64_t seed, std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a, 64 bits
  for (unsigned char c : name) hash = (hash ^ c) * 0x100000001b3u;
  const uint64_t key = mix(mix(seed + 0x9e3779b97f4a7c15u) ^ mix(hash));
  return {{static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)}};
}

}  // namespace foxhunt::compute
