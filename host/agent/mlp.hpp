#pragma once
#include "encoder.hpp"

namespace foxhunt::agent {

/// Linear layers with an activation between them; no memory.
std::unique_ptr<Encoder> make_mlp(const EncoderSettings& settings, ParameterGroup& group);

}  // namespace foxhunt::agent
