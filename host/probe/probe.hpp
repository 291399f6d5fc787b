#pragma once
#include "contents.hpp"
#include "subject.hpp"

/// One plugin on tensors from a file, with no trainer around it.
namespace foxhunt::probe {

struct Answer {
  Contents contents;
  checkpoints::Attributes attributes;
  std::vector<std::string> unread;  ///< datasets of the input that nobody asked for
};

/// Runs the plugin once on the datasets of `input`; what they are is in the command's help.
/// @throws foxhunt::Error naming every dataset that is missing or does not fit, with what was expected.
Answer probe(const Subject& subject, const std::filesystem::path& input);

/// An input for `probe`: random numbers from the seed, of a head initial weights.
/// @param batch  samples, at least 1
/// @param hidden  H, for a head
Answer example(const Subject& subject, int64_t batch, int64_t hidden);

/// A head's gradient with respect to one tensor beside central differences of its batch mean loss.
struct GradientCheck {
  std::string tensor;  ///< "/weights/online/w", "/h"
  int64_t elements = 0;
  double rms = 0;  ///< of the gradient's elements
  /// Largest |gradient - difference| of an element, relative to the larger of its own magnitude and `rms`.
  double error = 0;
};
/// For every parameter and h, all in double precision on the CPU. `inputs`: as `example` gives them, or from a file.
/// @throws foxhunt::Error if the loss is not finite.
std::vector<GradientCheck> check_gradients(const Subject& subject, const Contents& inputs);

/// The datasets of `input` that the head reads.
Contents read_head_inputs(const Subject& subject, const std::filesystem::path& input);

}  // namespace foxhunt::probe
