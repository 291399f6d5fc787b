#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "../common/log.hpp"
#include "commands.hpp"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  try {
    return foxhunt::cli::run(arguments);
  } catch (const std::exception& e) {
    foxhunt::log::error(e.what());
    return 1;
  }
}
