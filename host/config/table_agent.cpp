#include "table.hpp"

namespace foxhunt::config {

namespace {
constexpr const char* kPpo = "Schulman et al. 2017";
constexpr const char* kStudy = "Andrychowicz et al. 2021";
constexpr const char* kAdam = "Kingma & Ba 2015";
constexpr const char* kMamba2 = "Dao & Gu 2024";
constexpr const char* kDqn = "Mnih et al. 2015";
constexpr const char* kR2d2 = "Kapturowski et al. 2019";
}  // namespace

std::vector<Setting> agent_table() {
  using namespace row;
  return {
      choice("encoder.kind", {"mlp", "mamba2"},
             "observation x[F] to h[H]; mamba2: variable selection and a Mamba-2 block, which remembers the episode", "design"),
      integer("encoder.hidden", "128", 1, 65536, "units", "H, width of h", "design"),
      integer("encoder.layers", "1", 0, 16, "layers", "mlp: hidden layers before the one that gives h", "project"),
      integer("encoder.width", "0", 0, 65536, "units", "mlp: width of the hidden layers; 0: encoder.hidden", "project"),
      choice("encoder.activation", {"silu", "relu", "tanh", "elu"}, "mlp: of the hidden layers, and of h without norm", "project"),
      flag("encoder.norm", true, "h is normalised (RMSNorm, Zhang & Sennrich 2019) instead of activated", "design"),
      integer("encoder.vsn_hidden", "32", 1, 65536, "units", "mamba2: width of the network that selects features", "design"),
      integer("encoder.expand", "2", 1, 64, "", "mamba2: channels of the recurrence = expand x hidden", kMamba2),
      integer("encoder.head_dim", "64", 1, 1024, "channels", "mamba2: channels that share one decay; divides expand x hidden", kMamba2),
      integer("encoder.state", "16", 1, 256, "", "mamba2: state of a channel", "design"),
      integer("encoder.conv", "4", 2, 16, "steps", "mamba2: taps of the causal convolution", kMamba2),

      choice("policy.source", {"actor", "greedy", "epsilon_greedy", "boltzmann", "thompson"},
             "what chooses the action in rollouts: the policy, or the ensemble's Q", "design"),
      flag("policy.mask", false, "only actions that mean something: a flat account has nothing to close", "design"),
      real("policy.epsilon", "1", 0, 1, "", "share of random actions of epsilon_greedy at the start", kDqn),
      real("policy.epsilon_end", "0.05", 0, 1, "", "share after epsilon_iterations, reached linearly", "project"),
      integer("policy.epsilon_iterations", "1000", 0, 1e12, "iterations",
              "length of the schedule of epsilon; 0: constant epsilon", "project"),
      real("policy.temperature", "0.05", 1e-6, 1e6, "", "of boltzmann, in standard deviations of Q over the legal actions",
           "project"),
      choice("policy.critic", {"shared", "own"},
             "V reads h of the policy's encoder, or has an encoder of its own of the same kind, at /critic", "design"),
      integer("policy.epochs", "1", 0, 1024, "epochs", "passes of the on-policy update over a rollout; 0: no update", kPpo),
      integer("policy.minibatches", "1", 1, 1 << 20, "minibatches", "of an epoch, a gradient step each", kPpo),
      real("policy.target_kl", "0", 0, 1e6, "", "the update stops before a step whose KL to the rollout's policy is larger; 0: never",
           kStudy),
      real("policy.lr", "1e-3", 0, 10, "", "Adam, learning rate of encoder, policy and value", "project"),
      real("policy.lr_end", "1e-3", 0, 10, "", "learning rate after lr_iterations, reached linearly",
           "project"),
      integer("policy.lr_iterations", "0", 0, 1e12, "iterations",
              "length of the learning rate's schedule; 0: constant lr", "project"),
      real("policy.gamma", "0.99", 0, 1, "", "discount of returns", "design"),
      real("policy.lambda", "0.95", 0, 1, "", "of GAE(gamma, lambda)", "Schulman et al. 2016"),
      choice("policy.advantage", {"gae", "n_step", "q_minus_v"},
             "GAE(gamma, lambda), n-step return - V(s), or Q(s, a) of the ensemble - V(s)", "design"),
      choice("policy.state_value", {"own", "mean", "policy", "max"},
             "V of a head that is value_baseline: its own output, or the mean, the policy's expectation or the maximum of its Q",
             "design"),
      real("policy.value_low", "0", -1e12, 1e12, "", "V is cut to [value_low, value_high] where advantages and value targets are made of "
           "it; equal: not cut", "project"),
      real("policy.value_high", "0", -1e12, 1e12, "", "see value_low", "project"),
      choice("policy.value_target", {"gae", "n_step"}, "what V(s) learns: lambda-return, or n steps and V of the target weights",
             "design"),
      integer("policy.n_step", "5", 1, 1 << 20, "steps", "of n_step advantages and value targets, fewer at the rollout's end",
              "Mnih et al. 2016"),
      real("policy.value_tau", "0.005", 0, 1, "", "target <- target + tau (online - target) of V, once an iteration",
           "Fujimoto et al. 2018"),
      real("policy.clip", "0.2", 0, 10, "", "PPO's ratio stays in 1 ± clip", kPpo),
      real("policy.value_clip", "0", 0, 1e12, "", "V moves at most so far from the rollout's in the loss; 0: no limit", kStudy),
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
      integer("q.target_every", "1", 1, 1e9, "updates", "between two moves of the target; with tau = 1 a periodic copy", kDqn),
      real("q.adam_epsilon", "1e-8", 1e-30, 1, "", "outside the square root", kAdam),

      choice("replay.kind", {"embedding", "observation", "sequence"},
             "embedding: h as produced; observation and, for encoders with a memory, sequence: Q losses train the encoder, too", "design"),
      integer("replay.burn_in", "0", 0, 4096, "steps", "first ones of a sequence: they only bring the encoder's memory up to date", kR2d2),
      integer("replay.n_step", "1", 1, 4096, "steps", "rewards of a transition; windows end with their episode", "Sutton & Barto 2018"),
      integer("replay.capacity", "16384", 1, 1 << 28, "transitions", "oldest are overwritten", "project"),
      integer("replay.updates", "4", 0, 4096, "updates", "of the Q heads, an iteration", "project"),
      integer("replay.batch", "256", 1, 1 << 22, "transitions", "of one update", "project"),
      integer("replay.start", "4096", 1, 1 << 28, "transitions", "held before the Q heads begin to learn",
              "project"),

      real("balance.value", "0", 0, 1e6, "", "gradient norm of the value loss at h over the policy's, kept there by a weight; 0: no balance", "design"),
      real("balance.q", "0", 0, 1e6, "", "the same for the Q losses where they reach the encoder (replay.kind = observation, sequence)", "design"),
      real("balance.limit", "100", 1, 1e12, "", "the weight stays within [1 / limit, limit]", "project"),
      real("balance.rate", "0.01", 1e-9, 1, "", "of the norms' moving averages, which begin as means", "project"),

      text("reward_shaping.plugin", "identity", "reward shaper; its options belong in this section",
           "design"),
      text("position_sizing.plugin", "fixed", "position sizer; its options belong in this section", "design"),
      choice("position_sizing.rounding", {"nearest", "truncate", "none"},
             "of the sized position to whole lots", "project"),
  };
}

}  // namespace foxhunt::config
