#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../market/planted_chain.hpp"

namespace foxhunt::known_answers {

inline constexpr size_t kActions = 9;  ///< short full, half, small; hold; long small, half, full; half flat; full flat

struct GameSettings {
  market::PlantedModel model;
  int small = 1, half = 2, full = 4;  ///< lots
  double fee = 0.05;                  ///< ticks a lot
};

/// The planted market as a Markov decision process. A state is (alpha i, position k); every step earns alpha_i x position
/// in ticks and pays for the order that its action makes, which is filled from the next row: that row's near levels are
/// the same as this one's, so the costs do not depend on the path.
struct PlantedGame {
  GameSettings settings;
  market::AlphaChain chain;
  std::vector<int> positions;                        ///< lots, ascending: all that the actions can lead to from flat
  std::vector<std::array<size_t, kActions>> next;    ///< [positions]: index of the position that an action leads to
  std::vector<std::array<double, kActions>> cost;    ///< [positions]: ticks against the mid, fees included
  size_t flat = 0;                                   ///< index of the flat position

  size_t alphas() const { return chain.alpha.size(); }
  size_t cells() const { return alphas() * positions.size(); }
  size_t cell(size_t i, size_t k) const { return i * positions.size() + k; }
  /// Index of a position in lots; `positions.size()` if it is none.
  size_t index_of(double lots) const;
};

/// @throws foxhunt::Error for settings that make no chain, more than 512 states of alpha (the solutions are dense), or
/// orders that the near levels cannot fill, whose cost depends on what lies behind them.
PlantedGame make_game(const GameSettings& settings);

/// Ticks lost against the mid by an order of so many lots, fees included: its k-th lot pays half a tick and one more for
/// every level of D lots before it.
double order_cost(const GameSettings& settings, int lots);

/// f64 [cells, 9]: probability of each action in each state, or a value of it.
using Table = std::vector<double>;

}  // namespace foxhunt::known_answers
