#pragma once
#include <string>
#include <vector>

#include "../config/config.hpp"
#include "evaluation.hpp"

namespace foxhunt::trainer {

/// How far a critic is from the truth, root mean squares over the states visited (and the actions), and why: what was
/// learned - truth = optimisation + representation + projection, sample by sample.
struct CriticError {
  std::string name, truth;        ///< "c51", "Q*"
  double spread = 0;              ///< standard deviation of the truth, for scale
  double total = 0;
  double projection = 0;          ///< the best that a categorical head's atoms allow - truth
  double representation = 0;      ///< its best linear fit on h (with a constant) - that
  double optimisation = 0;        ///< learned - that fit; a head with hidden layers may come closer than a linear fit does
};

/// `values`: truth [cells, width] and, if it differs, what projection leaves of it. learned [n, width].
CriticError critic_error(const CriticSamples& samples, const std::vector<float>& learned, size_t width,
                         const known_answers::Table& truth, const known_answers::Table* projected);

/// Of V_scalar against V^pi, and of each head against Q* and against Q^pi.
/// pi: what the evaluation did. @throws foxhunt::Error where rewards are shaped, which changes what is learned
std::vector<CriticError> critic_errors(const config::Config& config, const EvaluationResult& evaluation);

}  // namespace foxhunt::trainer
