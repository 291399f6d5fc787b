#include "launch.hpp"

#include <sanitizer/common_interface_defs.h>
#include <sanitizer/tsan_interface.h>

#include <algorithm>
#include <foxhunt/error.hpp>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "fiber.hpp"

extern "C" {
// As in kernels_src/common/platform.cuh, FH_RACE.
struct fh_dim3 {
  unsigned x, y, z;
};
struct fh_race_fiber {
  fh_dim3 thread, block, block_size, grid;
  void* shared;
};
__attribute__((visibility("default"))) const fh_race_fiber* fh_race_current();
__attribute__((visibility("default"))) void fh_race_barrier();
}

namespace foxhunt::kernels::test {
namespace {

enum class State { fresh, waiting, ended };

struct Block;

struct Thread {
  fh_race_fiber self;
  Block* block = nullptr;
  Fiber* fiber = nullptr;
  const RaceLaunch* launch = nullptr;
  State state = State::fresh;
  void* barrier = nullptr;  // where it waits
};

constexpr size_t shared_guard = 4096;
constexpr unsigned char poison = 0xFF;

struct Block {
  std::vector<Thread> threads{};
  std::vector<unsigned char> shared{};
  unsigned phase = 0;  // barriers passed
  // Barriers release to and acquire from these in turn. With one object a thread that is already at the next
  // barrier would be ordered before one that has yet to leave this one.
  uint64_t sync[2]{};
};

Thread* current = nullptr;
char launch_start, launch_end;  // sync objects

void run_thread(void* thread) {
  Thread& t = *static_cast<Thread*>(thread);
  __tsan_acquire(&launch_start);
  t.launch->kernel(t.launch->arguments, 0, 0, t.launch->blocks, t.self.shared, t.launch->shared_bytes);
  __tsan_release(&launch_end);
  t.state = State::ended;
}

// Line of the call that returns to this address, in the innermost function that is not common/platform.cuh's
// own.
std::string barrier_place(void* pc) {
  char text[2048] = "";
  __sanitizer_symbolize_pc(static_cast<char*>(pc) - 1, "%s:%l", text, sizeof text);
  for (const char* frame = text; *frame; frame += std::char_traits<char>::length(frame) + 1)
    if (std::string(frame).find("platform.cuh") == std::string::npos) return frame;
  return text;
}

std::string listed(const Block& block, State state) {
  std::string text;
  unsigned count = 0;
  for (const Thread& t : block.threads)
    if (t.state == state && ++count <= 4) text += (count > 1 ? ", " : "") + std::to_string(t.self.thread.x);
  return std::to_string(count) + (count == 1 ? " thread (" : " threads (") + text +
         (count > 4 ? ", …)" : ")");
}

// All threads of the block up to their next barrier or their end. Whether the block has ended.
bool run_phase(const RaceLaunch& launch, Block& block, std::mt19937_64& random) {
  std::vector<unsigned> order(block.threads.size());
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), random);
  for (const unsigned i : order) {
    Thread& t = block.threads[i];
    current = &t;
    if (t.state == State::fresh) {
      const std::string name = "block " + std::to_string(t.self.block.x) + ", thread " + std::to_string(i);
      t.fiber->start(run_thread, &t, name.c_str());
    } else {
      t.fiber->resume();
    }
  }
  ++block.phase;
  const auto waits = [](const Thread& t) { return t.state == State::waiting; };
  const auto first = std::find_if(block.threads.begin(), block.threads.end(), waits);
  if (first == block.threads.end()) return true;
  if (!std::all_of(block.threads.begin(), block.threads.end(), waits))
    throw Error(
        "divergent barrier: " + launch.what + ", block " + std::to_string(first->self.block.x) + ": " +
        listed(block, State::waiting) + " wait at the barrier of " + barrier_place(first->barrier) +
        " that " + listed(block, State::ended) +
        " of the same block have ended without reaching. On a GPU they wait for ever. Let every thread of "
        "a block reach every barrier: put the condition around the work, not around the barrier.");
  return false;
}

Block make_block(const RaceLaunch& launch, unsigned index) {
  Block block;
  block.shared.assign(launch.shared_bytes + shared_guard, poison);
  void* const shared = launch.shared_bytes > 0 ? block.shared.data() : nullptr;
  for (unsigned i = 0; i < launch.threads; ++i)
    block.threads.push_back(
        {{{i, 0, 0}, {index, 0, 0}, {launch.threads, 1, 1}, {launch.blocks, 1, 1}, shared}});
  return block;
}

std::vector<std::unique_ptr<Fiber>>& fibers(size_t count) {
  static auto* all = new std::vector<std::unique_ptr<Fiber>>;  // those of a failed launch cannot be destroyed
  while (all->size() < count) all->push_back(std::make_unique<Fiber>());
  return *all;
}

void run_wave(const RaceLaunch& launch, std::span<Block> blocks, std::mt19937_64& random) {
  // Two waves are not ordered either, but what one fiber did in both is. Dealt anew, few pairs of threads are
  // exempt, and never just those with equal numbers.
  auto& pool = fibers(blocks.size() * launch.threads);
  std::shuffle(pool.begin(), pool.end(), random);
  size_t next = 0;
  std::vector<Block*> left;
  for (Block& block : blocks) {
    left.push_back(&block);
    for (Thread& t : block.threads) {
      t.block = &block;
      t.fiber = pool[next++].get();
      t.launch = &launch;
    }
  }
  while (!left.empty()) {
    std::shuffle(left.begin(), left.end(), random);
    std::erase_if(left, [&](Block* block) { return run_phase(launch, *block, random); });
  }
  for (const Block& block : blocks)
    if (!std::all_of(block.shared.end() - shared_guard, block.shared.end(),
                     [](unsigned char byte) { return byte == poison; }))
      throw Error(
          "shared memory: " + launch.what + ": a block wrote beyond its " +
          std::to_string(launch.shared_bytes) +
          " bytes of shared memory. The function in the kernel's declaration must ask for as much as it "
          "uses at every block size.");
}

// The main flow comes after all that has run, after a launch that failed as well.
struct LaunchEnd {
  std::vector<Block>& blocks;
  ~LaunchEnd() {
    __tsan_acquire(&launch_end);
    for (Block& block : blocks)
      for (uint64_t& sync : block.sync) __tsan_acquire(&sync);
  }
};

}  // namespace

void race_launch(const RaceLaunch& launch) {
  std::mt19937_64 random(launch.seed);
  std::vector<unsigned> order(launch.blocks);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), random);
  // Not freed before the end of the launch: that would be one more unordered access.
  std::vector<Block> blocks;
  for (const unsigned index : order) blocks.push_back(make_block(launch, index));
  const LaunchEnd end{blocks};
  const size_t at_once = std::max(1u, most_fibers / launch.threads);
  __tsan_release(&launch_start);
  for (size_t done = 0; done < blocks.size(); done += at_once)
    run_wave(launch, std::span(blocks).subspan(done, std::min(at_once, blocks.size() - done)), random);
}

}  // namespace foxhunt::kernels::test

const fh_race_fiber* fh_race_current() { return &foxhunt::kernels::test::current->self; }

void fh_race_barrier() {
  using namespace foxhunt::kernels::test;
  Thread* const me = current;
  uint64_t* const sync = &me->block->sync[me->block->phase % 2];
  me->barrier = __builtin_return_address(0);
  me->state = State::waiting;
  __tsan_release(sync);
  Fiber::suspend();
  __tsan_acquire(sync);
}
