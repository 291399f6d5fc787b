#pragma once
#include <foxhunt/checkpoints/tensor.hpp>

#include "../compute/compute.hpp"
#include "../config/config.hpp"
#include "../plugins/registry.hpp"

namespace foxhunt::probe {

/// A plugin, and the configuration that chooses it: a head as the first of `heads`, a shaper or a sizer as the one in
/// use.
struct Subject {
  plugins::Registry& registry;
  const config::Config& config;
  fh_kind kind = FH_Q_HEAD;
  int64_t actions = 0;  ///< N, where no tensor says it

  uint64_t seed() const { return static_cast<uint64_t>(config.integer("trainer.seed")); }
  double gamma() const { return config.real("q.gamma"); }
  compute::Options device() const;
  plugins::QHeadInstance head(int64_t hidden) const;
  plugins::RewardShaperInstance shaper() const;
  plugins::PositionSizerInstance sizer(int64_t number_of_actions) const;
};

/// What a file says of its origin: plugin, version, hash, options, gamma, seed.
checkpoints::Attributes attributes_of(const Subject& subject, const plugins::Instance& instance);

}  // namespace foxhunt::probe
