#pragma once
#include <string>

#include "../config/config.hpp"
#include "../plugins/registry.hpp"

namespace foxhunt::cli {

/// The declared data flow of one iteration as Graphviz DOT. A node is a step (all that was recorded under its
/// label), coloured by who recorded it; an edge is labelled with the tensors that one step writes and the other
/// reads: solid within the iteration, dashed from one iteration to the next. Comments list what each step reads
/// and writes in full. Scratch of one step alone is left out.
std::string dataflow_graph(const config::Config& config, plugins::Registry& registry);

}  // namespace foxhunt::cli
