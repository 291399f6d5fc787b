#include <foxhunt/plugin.hpp>
#include <limits>

#include "kernels.hpp"

namespace foxhunt::rank_standardize {

/// r' = sign(r) * rank(|r|) * std_ema: the order of the magnitudes is kept, their tails are not. Equivariant
/// (r'(c r) = c r'(r)) from the first batch on, since std_ema follows the raw rewards. It changes the
/// optimum: judge runs on raw PnL.
class RankStandardize final : public RewardShaper {
 public:
  static constexpr std::array options = {
      option::real(
          "ema_rate", 0.01, 0, 1,
          "floor of the rate at which std_ema follows the raw rewards; 1/(1+n) after n rollouts until then"),
      option::choice("rank_over", "all|nonzero", "all", "rewards among which a reward is ranked")};
  static constexpr std::array kernels = {&rank_tiles, &rank_merge, &rank_update_ema, &rank_apply};

  explicit RankStandardize(const Create& create)
      : ema_rate_(create.real("ema_rate")), nonzero_(create.choice("rank_over") == 1) {
    std_ema_ = controller("std_ema", foxhunt::shape(), FH_F32, 1);
    count_ = controller("count", foxhunt::shape(), FH_U32, 0);
  }

  void shape(Recorder& r, const Shaping& call) override {
    const int64_t n = call.count();
    if (n == 0) return;
    // Lengths of runs are ints, and so is twice the last one.
    if (n > std::numeric_limits<int32_t>::max() / 2)
      throw Error("a rollout of " + std::to_string(n) + " rewards; at most " +
                  std::to_string(std::numeric_limits<int32_t>::max() / 2) + " can be ranked");
    const int64_t tiles = (n + tile - 1) / tile;
    fh_tensor sorted = r.scratch("sorted", foxhunt::shape(n));
    const fh_tensor moments = r.scratch("moments", foxhunt::shape(tiles, 3));
    r.launch(rank_tiles, Grid::blocks(tiles), {in(call.reward()), out(sorted), out(moments), i32(n)});
    if (call.update_controllers())
      r.launch(rank_update_ema, Grid::blocks(1),
               {in(moments), inout(call.controller(std_ema_)), inout(call.controller(count_)), f32(ema_rate_),
                i32(tiles)});
    if (n > tile) {
      fh_tensor merged = r.scratch("merged", foxhunt::shape(n));
      for (int64_t run = tile; run < n; run *= 2, std::swap(sorted, merged))
        r.launch(rank_merge, Grid::elements(n), {in(sorted), out(merged), i32(run), i32(n)});
    }
    r.launch(rank_apply, Grid::elements(n),
             {in(call.reward()), in(sorted), in(call.controller(std_ema_)), out(call.shaped()), i32(nonzero_),
              i32(n)});
  }

 private:
  double ema_rate_;
  bool nonzero_;
  Controller std_ema_, count_;
};

}  // namespace foxhunt::rank_standardize

FOXHUNT_PLUGIN(foxhunt::rank_standardize::RankStandardize, "rank_standardize", "1.0.0",
               "Rank-preserving signed standardisation: sign(r) * rank(|r|) * running standard deviation")
