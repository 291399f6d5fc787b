// One kernel source, three ways to run it. Included first by every kernel file.
//   FH_CUDA  a GPU: NVRTC, many threads a block
//   FH_CPU   the system's compiler: a block is one thread, a plain loop that vectorises
//   FH_RACE  tests: a block is N fibers under ThreadSanitizer
// No system header is included here or in any kernel: NVRTC has none.
#pragma once

#ifdef FH_REAL_IS_DOUBLE
typedef double real;
#else
typedef float real;
#endif

#if defined(FH_CUDA)

// for (i in this thread's share of 0 … n - 1 over the whole grid)
#define FH_FOR_ELEMENTS(i, n)                                                                       \
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, fh_end_##i = (n); \
       i < fh_end_##i; i += static_cast<long long>(gridDim.x) * blockDim.x)

// The block's dynamic shared memory, undefined at the start.
extern __shared__ __align__(16) unsigned char fh_shared_memory[];
#define FH_SHARED(type, name) type* const name = reinterpret_cast<type*>(fh_shared_memory)

#else  // FH_CPU, FH_RACE

#define __global__
#define __device__

struct fh_dim3 {
  unsigned x, y, z;
};

#if defined(FH_CPU)

struct fh_one_thread {
  static constexpr unsigned x = 1, y = 1, z = 1;
};
struct fh_first_thread {
  static constexpr unsigned x = 0, y = 0, z = 0;
};
[[maybe_unused]] static constexpr fh_one_thread blockDim;
[[maybe_unused]] static constexpr fh_first_thread threadIdx;

// What a worker is running just now.
struct fh_cpu_block {
  fh_dim3 index, grid;
  void* shared;
};
[[maybe_unused]] static thread_local fh_cpu_block fh_current;
#define blockIdx (fh_current.index)
#define gridDim (fh_current.grid)
[[maybe_unused]] static inline void __syncthreads() {}

// A block takes one contiguous chunk; the chunks depend on n and the grid alone.
#define FH_FOR_ELEMENTS(i, n)                                                                  \
  for (long long i = fh_chunk_begin(n), fh_end_##i = fh_chunk_end(n); i < fh_end_##i; ++i)
[[maybe_unused]] static inline long long fh_chunk_begin(long long n) {
  return static_cast<long long>(static_cast<__int128>(n) * fh_current.index.x / fh_current.grid.x);
}
[[maybe_unused]] static inline long long fh_chunk_end(long long n) {
  return static_cast<long long>(static_cast<__int128>(n) * (fh_current.index.x + 1ull) / fh_current.grid.x);
}
#define FH_SHARED(type, name) type* const name = static_cast<type*>(fh_current.shared)

// Shared memory is filled with NaN before every block, since on a GPU it is undefined.
template <class Body>
static inline void fh_run_blocks(unsigned long long first, unsigned long long last, unsigned long long grid,
                                 void* shared, unsigned long long shared_bytes, Body body) {
  for (unsigned long long block = first; block < last; ++block) {
    fh_current = {{static_cast<unsigned>(block), 0, 0}, {static_cast<unsigned>(grid), 1, 1}, shared};
    if (shared_bytes) __builtin_memset(shared, 0xFF, shared_bytes);
    body();
  }
}

#else  // FH_RACE: the test's scheduler says who is running, and what a barrier is

struct fh_race_fiber {
  fh_dim3 thread, block, block_size, grid;
  void* shared;
};
extern "C" const fh_race_fiber* fh_race_current();
extern "C" void fh_race_barrier();
#define threadIdx (fh_race_current()->thread)
#define blockIdx (fh_race_current()->block)
#define blockDim (fh_race_current()->block_size)
#define gridDim (fh_race_current()->grid)
[[maybe_unused]] static inline void __syncthreads() { fh_race_barrier(); }
#define FH_FOR_ELEMENTS(i, n)                                                                       \
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, fh_end_##i = (n); \
       i < fh_end_##i; i += static_cast<long long>(gridDim.x) * blockDim.x)
#define FH_SHARED(type, name) type* const name = static_cast<type*>(fh_race_current()->shared)

// Called by one fiber for its own thread of one block.
template <class Body>
static inline void fh_run_blocks(unsigned long long, unsigned long long, unsigned long long, void*,
                                 unsigned long long, Body body) {
  body();
}

#endif
#endif
