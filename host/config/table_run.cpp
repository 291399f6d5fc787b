#include "common/text.hpp"
#include "table.hpp"

namespace foxhunt::config {

namespace {

constexpr double kSeedLimit = 9007199254740992.0;  // 2^53: seeds survive readers that hold numbers as doubles

bool is_device(std::string_view value) {
  if (value == "auto" || value == "cpu" || value == "cuda") return true;
  if (value.substr(0, 5) != "cuda:") return false;
  const auto index = to_integer(value.substr(5));
  return index && *index >= 0 && *index < 1024;
}

}  // namespace

std::vector<Setting> run_table() {
  using namespace row;
  Setting device =
      operation(text("trainer.device", "auto", "where the work is done; auto says what it chose", "design"));
  device.choices = {"auto", "cpu", "cuda", "cuda:N"};
  device.accepts = is_device;
  return {
      device,
      operation(integer("trainer.threads", "0", 0, 1024, "threads", "CPU threads; 0: all cores", "design")),
      integer("trainer.accounts", "256", 1, 1 << 22, "accounts", "B, accounts that trade side by side",
              "project"),
      integer("trainer.horizon", "16", 1, 4096, "steps", "T, steps of one rollout", "design"),
      operation(integer("trainer.iterations", "3000", 1, 1e12, "iterations",
                        "rollouts and their updates in the run", "project")),
      integer("trainer.seed", "1", 0, kSeedLimit, "", "of every random stream but the market's", "project"),
      operation(integer("trainer.replicas", "1", 1, 256, "replicas",
                        "seeds, from trainer.seed on, that train side by side, each in its own folder", "project")),
      operation(
          integer("trainer.checkpoint_every", "500", 0, 1e12, "iterations", "0: at the end only", "project")),
      operation(integer("trainer.keep_checkpoints", "3", 1, 1e6, "files", "newest checkpoints that stay",
                        "project")),
      choice("trainer.profile", {"fast", "parity"},
             "parity: no FMA contraction, so that CPU and GPU can be compared", "design"),
      flag("trainer.tf32", true, "matrix products on the GPU may round their inputs to TF32", "project"),

      choice("env.source", {"planted", "synthetic", "file", "cartpole", "acrobot"},
             "market: two embedded ones, or a file; or a control task with published scores",
             "design"),
      file("env.path", "market file made by `foxhunt import` or `foxhunt generate`", "design"),
      integer("env.latency", "0", 0, 60e6, "us",
              "from decision to fill; an order is filled from a later snapshot anyway", "design"),
      real("env.fee_maker", "0", -1e6, 1e6, "USD/lot", "negative: a rebate", "design"),
      real("env.fee_taker", "0.05", -1e6, 1e6, "USD/lot", "0.05 tick of the embedded markets", "design"),
      real("env.reward_scale", "0.01", 1e-12, 1e12, "1/tick", "reward of one tick with one lot", "design"),
      choice("env.truncation", {"bootstrap", "terminal"},
             "what learns from an episode that was cut bootstraps, or takes the cut for its end, as some published scores do",
             "design"),
      integer("env.episode_rows", "4096", 0, 2147483647, "rows",
              "an episode is cut (truncated) here; 0: at session end only", "project"),
      real("env.lot", "1", 1e-9, 1e9, "lots", "the least that is traded; orders are rounded to whole multiples of it", "design"),
      real("env.small", "1", 0, 1e6, "lots", "position of long_small, short_small", "design"),
      real("env.half", "2", 0, 1e6, "lots", "position of long_half, short_half", "design"),
      real("env.full", "4", 0, 1e6, "lots", "position of long_full, short_full", "design"),
      real("env.initial_equity", "100000", 0, 1e15, "USD", "cash of an account at the start of an episode",
           "project"),
      real("env.ruin", "0", -1e15, 1e15, "USD", "equity at or below which an episode terminates", "project"),
      integer("env.rows", "262144", 64, 1 << 28, "rows", "length of an embedded market", "design"),
      integer("env.seed", "1", 0, kSeedLimit, "", "of an embedded market", "project"),
      integer("env.depth", "4", 1, 1e6, "lots", "planted: D, lots at each near level", "design"),
      flag("env.hidden", false, "planted: the signal is seen through noise", "design"),
      real("env.split_train", "0.7", 0.01, 0.98, "", "share of the rows that is trained on", "project"),
      real("env.split_validation", "0.15", 0.01, 0.98, "", "share for validation; the rest is the test split",
           "project"),
      integer("env.embargo", "256", 0, 1e9, "rows", "left out between two splits", "project"),

      flag("checkpoint.replay", true,
           "checkpoints hold the replay; without it a resumed run is not the same run", "project"),

      real("diag.ema", "0.02", 1e-6, 1, "", "rate of the metrics' moving averages", "project"),
      integer("diag.lag", "4", 0, 1024, "iterations",
              "gates decide on metrics this old, so that nothing waits for the device", "design"),

      integer("eval.accounts", "64", 1, 1 << 22, "accounts", "accounts of an evaluation", "project"),
      integer("eval.rows", "0", 0, 1e12, "rows", "rows of the split that are walked; 0: all", "project"),
      choice("eval.selection", {"greedy", "sample"}, "action taken in evaluations", "design"),
  };
}

}  // namespace foxhunt::config
