// Returns of the episodes that ended last.
#include "common/platform.cuh"
#include "common/reduce.cuh"

// `score` [n] is what each sample's episode has brought; where `done` and `valid` it is the episode's return, and enters
// the ring `recent` [capacity] in sample order; `ended` counts all. out = {mean of the returns in the ring, their number}.
// One block.
extern "C" __global__ void recent_returns(const double* __restrict__ score, const unsigned char* __restrict__ done,
                                          const unsigned char* __restrict__ valid, double* __restrict__ recent,
                                          long long* __restrict__ ended, double* __restrict__ out, int capacity,
                                          int n) {
  FH_SHARED(int, scratch);
  long long before = ended[0];
  for (int first = 0; first < n; first += blockDim.x) {
    const int i = first + static_cast<int>(threadIdx.x);
    const int mine = i < n && valid[i] && done[i] ? 1 : 0;
    int total = 0;
    const int rank = block_exclusive_scan(mine, &total, scratch);
    // Of more than fit only the last ones: no slot is written twice between two barriers.
    if (mine && rank >= total - capacity) recent[(before + rank) % capacity] = score[i];
    before += total;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    ended[0] = before;
    const int held = before < capacity ? static_cast<int>(before) : capacity;
    double sum = 0.0;
    for (int k = 0; k < held; ++k) sum += recent[k];
    out[0] = held > 0 ? sum / held : 0.0;
    out[1] = static_cast<double>(held);
  }
}
