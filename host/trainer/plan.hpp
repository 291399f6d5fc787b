#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../agent/encoder.hpp"
#include "../agent/loss_balance.hpp"
#include "../agent/parameters.hpp"
#include "../agent/replay.hpp"
#include "../compute/compute.hpp"
#include "../config/config.hpp"
#include "../environment/accounts.hpp"
#include "../market/market.hpp"

namespace foxhunt::trainer {

/// A value that moves linearly from `from` to `to` over `span` iterations (0: stays `from`).
struct Schedule {
  double from = 0, to = 0;
  int64_t span = 0;
};

/// A configuration as typed values, checked against each other.
struct Plan {
  uint64_t seed = 1;
  int64_t accounts = 0, horizon = 0, iterations = 0;
  int64_t actions = 0;  ///< N, of the environment
  bool trades = true;   ///< the environment is a market
  int64_t checkpoint_every = 0, keep_checkpoints = 0;
  compute::Options compute;

  environment::AccountSettings account;
  double latency_us = 0;
  bool truncation_is_terminal = false;  ///< for all that learns

  agent::EncoderSettings encoder;

  agent::AdamSettings policy_adam, q_adam;
  Schedule policy_lr, entropy;
  double q_lr = 0, q_gamma = 0, q_tau = 0;
  int64_t q_target_every = 1;  ///< updates between two moves of the target weights
  double gamma = 0, lambda = 0, clip = 0, value_weight = 0, distill = 0, distill_temperature = 1;
  bool policy_sees_shaped = false;

  /// What chooses the actions of rollouts: the policy, or the ensemble's Q.
  enum class Source { actor, greedy, epsilon_greedy, boltzmann, thompson };
  Source source = Source::actor;
  Schedule exploration;  ///< epsilon, or Boltzmann's temperature
  bool masked = false;   ///< only actions that mean something in the state at hand
  bool acts_on_q() const { return source != Source::actor; }

  enum class Advantage { gae, n_step, q_minus_v };
  enum class ValueTarget { gae, n_step };
  Advantage advantage = Advantage::gae;
  ValueTarget value_target = ValueTarget::gae;
  int64_t policy_n_step = 1;
  /// V of a head that is value_baseline; numbers as kernels_src/agent/state_value.cu has them.
  enum class StateValue { own = -1, mean = 0, policy = 1, max = 2 };
  StateValue state_value = StateValue::own;
  double value_low = 0, value_high = 0;
  bool cuts_value() const { return value_low < value_high; }
  double value_tau = 0;

  int64_t epochs = 1, minibatches = 1;  ///< of the on-policy update; 0 epochs: none
  double value_clip = 0, target_kl = 0;
  bool own_critic = false;  ///< V has an encoder of its own, like the policy's
  /// One step on all samples, which need no second pass through the network.
  bool whole_batch() const { return epochs == 1 && minibatches == 1; }
  int64_t minibatch() const { return samples() / minibatches; }

  /// What the replay holds: h as produced, or single observations or sequences of them, through which Q losses train the
  /// encoder, too.
  enum class ReplayKind { embedding, observation, sequence };
  ReplayKind replay_kind = ReplayKind::embedding;
  bool learns_encoder_from_q() const { return replay_kind != ReplayKind::embedding; }
  agent::Replay::Settings replay;
  int64_t replay_updates = 0, replay_start = 0;
  int64_t burn_in = 0;  ///< first steps of a sequence, from which nothing is learned

  agent::LossBalance::Settings value_balance, q_balance;

  int64_t metrics_lag = 0;
  double metrics_ema = 0;

  int64_t eval_accounts = 0, eval_rows = 0;
  bool eval_greedy = true;

  std::vector<config::HeadInstance> heads;
  bool online_selects = false;  ///< a head bootstraps with the action of its online net
  std::vector<config::WeightedHead> ensemble;
  config::ValueBaseline value_baseline;
  std::string risk_source;

  int64_t samples() const { return accounts * horizon; }
};

/// @throws foxhunt::Error naming the keys that do not go together.
Plan make_plan(const config::Config& config);

/// The market that the configuration names: embedded or from a file.
market::Market make_market(const config::Config& config);

}  // namespace foxhunt::trainer
