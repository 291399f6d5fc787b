#pragma once
#include <cstdint>
#include <vector>

namespace foxhunt::market {

/// What the planted market is: everything that decides its optimum, and nothing about files.
struct PlantedModel {
  int states = 31;
  double phi = 0.95;       ///< persistence of alpha from row to row
  double sigma = 0.3;      ///< standard deviation of alpha, ticks a row
  double width = 3;        ///< the states span +-width * sigma
  uint32_t near_lots = 4;  ///< D: size of each near level on either side
  bool hidden = false;     ///< the book shows alpha plus noise instead of alpha
  double noise = 3;        ///< hidden: standard deviation of the noise over sigma
};

/// alpha as a Markov chain (Tauchen 1986, the discretised AR(1) with equally spaced states): the chain itself
/// is the signal, so dynamic programming over its states is exact.
struct AlphaChain {
  std::vector<double> alpha;       ///< [states], ascending, ticks a row
  std::vector<double> transition;  ///< [states, states], from row to column
  std::vector<double> stationary;  ///< [states]
};

/// Throws foxhunt::Error if the parameters make no chain or P(up) = (1 + alpha) / 2 leaves [0, 1].
AlphaChain make_chain(const PlantedModel& model);

/// Levels of D lots a side, from the best one: as many as the largest order, from -4 to +4 lots, can walk
/// through. The cost of every trade thus follows from D alone: its k-th lot pays 0.5 + (k - 1) / D (whole
/// levels) ticks.
int near_levels(const PlantedModel& model);

/// Lots at each level behind the near ones, bid and ask. With x = what the agent is shown (alpha, or alpha +
/// noise), the imbalance (bid - ask) / (bid + ask) is 0.9 x / shown_range(model), linear in x and, for every
/// state, different.
struct DeepSizes {
  uint32_t bid, ask;
};
DeepSizes deep_sizes(const PlantedModel& model, double shown);
/// |x| beyond this is shown as this.
double shown_range(const PlantedModel& model);

}  // namespace foxhunt::market
