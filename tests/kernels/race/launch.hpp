#pragma once
#include <cstdint>
#include <string>

#include "compute/cpu/kernels.hpp"

namespace foxhunt::kernels::test {

struct RaceLaunch {
  std::string what;  ///< for messages
  compute::cpu::Trampoline kernel;
  void** arguments;  ///< as the trampoline takes them
  unsigned blocks, threads;
  uint64_t shared_bytes;
  uint64_t seed;  ///< of the order in which blocks and threads get their turn
};

/// Fibers that exist at once: each costs a millisecond. More blocks than fit are run in waves, with the
/// fibers dealt anew.
inline constexpr unsigned most_fibers = 512;

/// Runs every thread of every block as a fiber of its own. ThreadSanitizer sees these orders and no others:
/// the start of the launch before all of it, a barrier between all that its block did before and after, all
/// of it before the end of the launch. The shared memory of a block is NaN at first.
/// @throws foxhunt::Error if some threads of a block wait at a barrier for others that have ended, or a block
/// wrote beyond its shared memory. Fibers are then left as they are: the process can only end.
void race_launch(const RaceLaunch& launch);

}  // namespace foxhunt::kernels::test
