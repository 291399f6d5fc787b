// import, generate, market
#include <foxhunt/error.hpp>

#include "../common/log.hpp"
#include "../common/text.hpp"
#include "../market/join.hpp"
#include "../market/market_file.hpp"
#include "../trainer/plan.hpp"
#include "commands.hpp"
#include "inputs.hpp"
#include "print.hpp"

namespace foxhunt::cli {

namespace {

void write(const std::string& output, const market::Market& market) {
  market::write_market(output, market);
  print(text("wrote ", output, ": ", market.rows(), " rows x ", market.levels, " levels; train on it with --env.source file --env.path ",
             output, "\n"));
}

market::ImportOptions import_options(const Arguments& a) {
  market::ImportOptions o;
  o.instrument = a.value("symbol").value_or("");
  o.definition = a.value("definition").value_or("");
  o.tick_size = a.positive("tick").value_or(0);
  o.multiplier = a.positive("multiplier").value_or(0);
  o.currency = a.value("currency").value_or("");
  o.levels = static_cast<int>(a.integer("levels", 1, market::kMaxLevels).value_or(o.levels));
  if (const auto session = a.value("session")) o.session = market::parse_session(*session);
  o.allow_truncated = a.has("allow-truncated");
  o.round_off_tick = a.has("round-off-tick");
  return o;
}

int import(const Arguments& a) {
  const std::string& format = a.words().front();
  if (format != "dbn")
    throw Error(text("'", shown(format), "' is no format that can be imported; expected dbn: `foxhunt import dbn FILE… -o OUT.h5`"));
  const std::vector<std::string> files(a.words().begin() + 1, a.words().end());
  const std::string output = a.required("output");
  const market::ImportOptions options = import_options(a);
  check_output(output, a.has("force"), files);
  market::QualityReport report;
  const market::Market market = market::import_dbn(files, options, report);
  print(text("instrument   ", market.instrument.symbol, ", tick ", market.instrument.tick_size, ", ", market.instrument.multiplier, " ",
             market.instrument.currency, " a point\n", market::to_text(report)));
  write(output, market);
  return 0;
}

// The settings that make an embedded market, as a run has them; no plugin has a part in it.
config::Config generator_config(const Arguments& a, const std::string& source) {
  for (const config::Assignment& s : a.settings())
    if (!s.key.starts_with("env.") || s.key == "env.source" || s.key == "env.path")
      throw Error(text("--", shown(s.key), " says nothing about a generated market; env.rows, env.seed, env.depth and env.hidden do"));
  config::Layer layer{{"env.source", source, {.name = "command line"}}};
  for (const char* name : {"rows", "seed"})
    if (const auto value = a.value(name)) layer.push_back({text("env.", name), *value, {.name = text("--", name)}});
  layer.insert(layer.end(), a.settings().begin(), a.settings().end());
  return config::assemble({layer}, [](config::Kind, const std::string&) { return std::vector<config::Setting>(); });
}

int generate(const Arguments& a) {
  const std::string& source = a.words().front();
  if (source != "planted" && source != "synthetic")
    throw Error(text("'", shown(source), "' is no embedded market; expected planted or synthetic"));
  const std::string output = a.required("output");
  const config::Config config = generator_config(a, source);
  check_output(output, a.has("force"));
  const market::Market market = trainer::make_market(config);
  print(market::describe(market));
  write(output, market);
  return 0;
}

int describe(const Arguments& a) {
  print(market::describe(market::read_market(a.words().front())));
  return 0;
}

}  // namespace

Command import_command() {
  return {.name = "import",
          .summary = "makes a market file of recorded data, and reports on its quality",
          .usage = "dbn FILE… -o OUT.h5 [options]",
          .details = "dbn: Databento Binary Encoding 1 to 3, plain or zstd, schema mbo, mbp-10 or mbp-1. Several files are joined in\n"
                     "the order given, which must be that of time. On an error nothing is left behind.\n",
          .options = {{"output,o", "OUT.h5", "the market file"},
                      {"force,f", "", "replaces an older file"},
                      {"definition", "FILE", "DBN definition file: tick size, multiplier, currency"},
                      {"tick", "X", "price points of one tick, instead of the definition's"},
                      {"multiplier", "X", "money a price point and lot, instead of the definition's"},
                      {"currency", "CODE", "instead of the definition's, else USD"},
                      {"symbol", "NAME", "instrument, where a file holds several: symbol or number"},
                      {"levels", "N", "levels kept a side (default: 10)"},
                      {"session", "auto|none|HH:MM-HH:MM", "when trading is open, UTC (default: auto, from the opening auction)"},
                      {"allow-truncated", "", "keeps the whole records of a file that is cut short"},
                      {"round-off-tick", "", "rounds prices between ticks away from the spread, instead of refusing them"}},
          .words = "a format and its files: dbn FILE…",
          .least_words = 2,
          .most_words = kAnyNumber,
          .run = import};
}

Command generate_command() {
  return {.name = "generate",
          .summary = "writes an embedded market to a file of the same form as an import",
          .usage = "planted|synthetic -o OUT.h5 [options] [--env.KEY value]…",
          .details = "The same settings give the same market as `foxhunt train --env.source planted|synthetic`.\n",
          .options = {{"output,o", "OUT.h5", "the market file"},
                      {"force,f", "", "replaces an older file"},
                      {"rows", "N", "short for --env.rows"},
                      {"seed", "N", "short for --env.seed"}},
          .words = "planted or synthetic",
          .least_words = 1,
          .most_words = 1,
          .takes_settings = true,
          .run = generate};
}

Command market_command() {
  return {.name = "market",
          .summary = "describes a market file: instrument, span, sessions, spread, depth, quality",
          .usage = "FILE",
          .words = "one market file",
          .least_words = 1,
          .most_words = 1,
          .run = describe};
}

}  // namespace foxhunt::cli
