#include "table.hpp"

namespace foxhunt::config {

namespace {
constexpr const char* kPpo = "Schulman et al. 2017";
constexpr const char* kStudy = "Andrychowicz et al. 2021";
constexpr const char* kAdam = "Kingma & Ba 2015";
}  // namespace

std::vector<Setting> agent_table() {
  using namespace row;
  return {
      choice("encoder.kind", {"mlp"}, "observation x[F] to h[H]", "design"),
      integer("encoder.hidden", "128", 1, 65536, "units", "H, width of h", "design"),
      integer("encoder.layers", "1", 1, 16, "layers", "hidden layers of the mlp", "project"),

      choice("policy.source", {"actor"}, "what chooses the action in rollouts", "design"),
      real("policy.lr", "1e-3", 0, 10, "", "Adam, learning rate of encoder, policy and value", "project"),
      real("policy.lr_end", "1e-3", 0, 10, "", "learning rate after lr_iterations, reached linearly",
           "project"),
      integer("policy.lr_iterations", "0", 0, 1e12, "iterations",
              "length of the learning rate's schedule; 0: constant lr", "project"),
      real("policy.gamma", "0.99", 0, 1, "", "discount of returns", "design"),
      real("policy.lambda", "0.95", 0, 1, "", "of GAE(gamma, lambda)", "Schulman et al. 2016"),
      real("policy.clip", "0.2", 0, 10, "", "PPO's ratio stays in 1 ± clip", kPpo),
      real("policy.entropy", "0.02", 0, 1e3, "", "weight of the entropy bonus at the start", "project"),
      real("policy.entropy_end", "0", 0, 1e3, "", "weight after entropy_iterations, reached linearly",
           "design"),
      integer("policy.entropy_iterations", "2000", 0, 1e12, "iterations",
              "length of the entropy schedule; 0: constant entropy", "project"),
      real("policy.distill", "0.02", 0, 1e6, "", "weight of KL(softmax(Q/T) || policy); 0: none", "project"),
      real("policy.distill_temperature", "0.05", 1e-6, 1e6, "reward", "T of the distillation, in units of Q", "project"),
      real("policy.value_weight", "0.5", 0, 1e6, "", "weight of the value loss", kPpo),
      real("policy.grad_clip", "0.5", 0, 1e12, "", "limit of the global gradient norm; 0: none", kStudy),
      real("policy.adam_epsilon", "1e-5", 1e-30, 1, "", "outside the square root", kStudy),
      choice("policy.reward", {"raw", "shaped"}, "what policy and value see", "design"),

      real("q.gamma", "0.99", 0, 1, "", "discount of the Q heads", "design"),
      real("q.lr", "1e-3", 0, 10, "", "Adam, learning rate of every Q head", "project"),
      real("q.tau", "0.005", 0, 1, "", "target <- target + tau (online - target), once an update",
           "Fujimoto et al. 2018"),
      real("q.adam_epsilon", "1e-8", 1e-30, 1, "", "outside the square root", kAdam),

      choice("replay.kind", {"embedding"}, "embedding: h, a, r, h' as produced", "design"),
      integer("replay.capacity", "16384", 1, 1 << 28, "transitions", "oldest are overwritten", "project"),
      integer("replay.updates", "4", 0, 4096, "updates", "of the Q heads, an iteration", "project"),
      integer("replay.batch", "256", 1, 1 << 22, "transitions", "of one update", "project"),
      integer("replay.start", "4096", 1, 1 << 28, "transitions", "held before the Q heads begin to learn",
              "project"),

      text("reward_shaping.plugin", "identity", "reward shaper; its options belong in this section",
           "design"),
      text("position_sizing.plugin", "fixed", "position sizer; its options belong in this section", "design"),
      choice("position_sizing.rounding", {"nearest", "truncate", "none"},
             "of the sized position to whole lots", "project"),
  };
}

}  // namespace foxhunt::config
