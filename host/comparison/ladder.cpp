#include "ladder.hpp"

#include <algorithm>
#include <foxhunt/error.hpp>

#include "common/text.hpp"
#include "config/layers.hpp"

namespace foxhunt::comparison {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const config::Assignment& e, const std::string& why) {
  throw Error(text(e.origin.str(), ": ", e.key, ": ", why));
}

void take_sweep(Ladder& ladder, const config::Assignment& e, const std::string& key) {
  if (key == "baseline") {
    ladder.baseline = e.value;
  } else if (key == "seeds") {
    const auto seeds = to_integer(e.value);
    if (!seeds || *seeds < 1 || *seeds > 10'000) refuse(e, text("expected a number of seeds from 1 to 10000, got '", shown(e.value), "'"));
    ladder.seeds = *seeds;
  } else if (key == "settings") {
    ladder.settings = words(e.value);
  } else {
    refuse(e, "unknown; [sweep] has baseline, seeds and settings");
  }
}

void take_rung(Rung& rung, const config::Assignment& e, const std::string& key, const fs::path& folder) {
  if (key == "config") {
    rung.config = folder / e.value;
    if (!fs::is_regular_file(rung.config)) refuse(e, text("there is no file ", rung.config));
  } else if (key == "record") {
    rung.record = e.value;
  } else if (key == "metric") {
    rung.metric = e.value;
  } else if (key == "sign") {
    if (e.value != "-" && e.value != "0" && e.value != "+") refuse(e, text("expected -, 0 or +, got '", shown(e.value), "'"));
    rung.sign = e.value[0];
  } else {
    refuse(e, "unknown; a rung has config, record, metric and sign");
  }
}

}  // namespace

const Rung* Ladder::find(const std::string& name) const {
  const auto it = std::find_if(rungs.begin(), rungs.end(), [&](const Rung& r) { return r.name == name; });
  return it == rungs.end() ? nullptr : &*it;
}

Ladder read_ladder(const fs::path& file) {
  Ladder ladder;
  for (const config::Layer& layer : config::read_layers({file}))
    for (const config::Assignment& e : layer) {
      const auto dot = e.key.find('.');
      if (dot == std::string::npos) refuse(e, "stands in no section; expected [sweep] or the section of a rung");
      const std::string section = e.key.substr(0, dot), key = e.key.substr(dot + 1);
      if (section == "sweep") {
        take_sweep(ladder, e, key);
        continue;
      }
      auto rung = std::find_if(ladder.rungs.begin(), ladder.rungs.end(), [&](const Rung& r) { return r.name == section; });
      if (rung == ladder.rungs.end()) rung = ladder.rungs.insert(rung, Rung{section, {}, {}, {}, 0});
      take_rung(*rung, e, key, file.parent_path());
    }
  for (const Rung& r : ladder.rungs) {
    if (r.config.empty()) throw Error(text(file, ": [", r.name, "] names no config"));
    if (r.metric.empty() != (r.sign == 0)) throw Error(text(file, ": [", r.name, "] has one of metric and sign; expected both or neither"));
  }
  if (!ladder.find(ladder.baseline))
    throw Error(text(file, ": [sweep] baseline = '", ladder.baseline, "' is none of its rungs; add a section [", ladder.baseline, "]"));
  std::stable_partition(ladder.rungs.begin(), ladder.rungs.end(), [&](const Rung& r) { return r.name == ladder.baseline; });
  return ladder;
}

}  // namespace foxhunt::comparison
