#pragma once
#include "executable.hpp"

namespace foxhunt::compute::cuda {

/// Median time of each operation [us] over `repetitions` runs of a graph that is one chain with an event between any
/// two operations: what each costs where nothing runs beside it, its start included.
std::vector<double> time_operations(Backend& backend, const Program& program, int repetitions);

}  // namespace foxhunt::compute::cuda
