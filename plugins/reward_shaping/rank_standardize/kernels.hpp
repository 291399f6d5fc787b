#pragma once
#include <foxhunt/kernel.hpp>

// Declarations of the kernels in kernels_src/reward_shaping/rank_standardize.cu.
namespace foxhunt::rank_standardize {

inline constexpr int64_t tile = 2048;  ///< as in the source

/// One tile, sized for a `real` of double, and the reductions' scratch.
constexpr uint64_t tile_shared(const int64_t*, uint32_t block_dim) {
  return 8ull * (static_cast<uint64_t>(tile) + block_dim);
}

FOXHUNT_KERNEL(rank_tiles, "reward_shaping/rank_standardize.cu", 512,
               FOXHUNT_PARAMS({"reward", FH_F32, FH_IN}, {"sorted", FH_F32, FH_OUT},
                              {"moments", FH_F32, FH_OUT}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, tile_shared);

FOXHUNT_KERNEL(rank_merge, "reward_shaping/rank_standardize.cu", 256,
               FOXHUNT_PARAMS({"from", FH_F32, FH_IN}, {"to", FH_F32, FH_OUT}, {"run", FH_I32, FH_SCALAR},
                              {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(rank_update_ema, "reward_shaping/rank_standardize.cu", 1,
               FOXHUNT_PARAMS({"moments", FH_F32, FH_IN}, {"std_ema", FH_F32, FH_INOUT},
                              {"count", FH_U32, FH_INOUT}, {"floor_rate", FH_F32, FH_SCALAR},
                              {"tiles", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

FOXHUNT_KERNEL(rank_apply, "reward_shaping/rank_standardize.cu", 256,
               FOXHUNT_PARAMS({"reward", FH_F32, FH_IN}, {"sorted", FH_F32, FH_IN},
                              {"std_ema", FH_F32, FH_IN}, {"shaped", FH_F32, FH_OUT},
                              {"nonzero", FH_I32, FH_SCALAR}, {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

}  // namespace foxhunt::rank_standardize
