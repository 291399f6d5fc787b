// bench
#include <foxhunt/error.hpp>

#include "../common/log.hpp"
#include "../common/text.hpp"
#include "../trainer/bench.hpp"
#include "commands.hpp"
#include "inputs.hpp"
#include "print.hpp"

namespace foxhunt::cli {

namespace {

int bench(const Arguments& a) {
  log::quiet();
  plugins::Registry registry = find_plugins(a);
  const config::Config config = load_config({}, a.words(), a.settings(), registry);
  trainer::BenchRequest request{config, registry};
  const auto count = [&](const char* option, int64_t& to) {
    const auto given = a.value(option);
    if (!given) return;
    const auto value = to_integer(*given);
    if (!value || *value < 1 || *value > 1'000'000)
      throw Error(text("--", option, " is '", shown(*given), "', expected a whole number from 1 to 1000000"));
    to = *value;
  };
  count("warm-up", request.warm_up);
  count("iterations", request.iterations);
  count("rounds", request.rounds);
  const trainer::BenchResult result = trainer::bench(request);
  print(a.has("json") ? to_document(result).str() : to_text(result));
  return 0;
}

}  // namespace

Command bench_command() {
  return {.name = "bench",
          .summary = "measures an iteration, and where its time goes",
          .usage = "[CONFIG.ini…] [options] [--section.key value]…",
          .details =
              "The workload is the configuration's. Iterations run as in training, but nothing is written. Then each\n"
              "operation is timed by itself, by phase and by kernel, beside the floor: the time that its declared bytes\n"
              "or arithmetic would take at the best this device was just seen to reach.\n",
          .options = {{"iterations", "N", "iterations of one measurement (default: 50)"},
                      {"rounds", "N", "measurements; the median counts (default: 5)"},
                      {"warm-up", "N", "iterations before the first (default: 20)"},
                      {"json", "", "a JSON object instead of text"},
                      plugin_dir_option()},
          .words = "config files",
          .most_words = kAnyNumber,
          .takes_settings = true,
          .run = bench};
}

}  // namespace foxhunt::cli
