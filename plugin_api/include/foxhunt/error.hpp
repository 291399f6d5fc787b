#pragma once
#include <stdexcept>
#include <string>

namespace foxhunt {

/// An error in use or input. The text says what was wrong, what was expected and what to do next;
/// the program prints it after "foxhunt: " and exits with 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace foxhunt
