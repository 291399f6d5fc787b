#include "probe.hpp"

#include "../common/text.hpp"
#include "../compute/tensors.hpp"
#include "input_file.hpp"
#include "shaper.hpp"
#include "sizer.hpp"

namespace foxhunt::probe {

namespace {

Contents read(InputFile& file, Inputs wanted) {
  file.read(wanted.required);
  file.read_if_present(wanted.optional);
  wanted.required.merge(wanted.optional);
  return std::move(wanted.required);
}

/// Random numbers are taken from the file where it has them.
GivenNoise noise_in(InputFile& file) {
  return [&file](const std::string& path, Values& values) {
    if (!file.has(path)) return false;
    Contents one{{path, values}};
    file.read(one);
    values = one.at(path);
    // Does not fit, which file.check() says after recording.
    if (values.data.empty()) values.data.assign(static_cast<size_t>(compute::elements_of(values.shape)), 0);
    return true;
  };
}

Answer answer(const Subject& subject, const plugins::Instance& instance, Workbench& bench, const InputFile& file) {
  Answer a{bench.outputs(), attributes_of(subject, instance), file.unread()};
  a.attributes["device"] = text(bench.device().kind, ", ", bench.device().name, ", ", bench.device().compiler);
  return a;
}

Answer probe_head(const Subject& subject, InputFile& file) {
  const fh_shape h = file.shape("/h", {"batch", "hidden"});
  const plugins::QHeadInstance head = subject.head(h.dim[1]);
  const Contents inputs = read(file, inputs_of(head, h.dim[0], h.dim[1], subject.actions));
  file.check(text(" (for ", subject.actions, " actions; --actions says another number)"));
  Workbench bench(subject.device(), subject.seed(), noise_in(file));
  HeadRun run(bench, head, inputs, subject.gamma());
  file.check();
  run.infer();
  run.learn();
  return answer(subject, head, bench, file);
}

Answer probe_shaper(const Subject& subject, InputFile& file) {
  const plugins::RewardShaperInstance shaper = subject.shaper();
  const Contents inputs = read(file, inputs_of(shaper, file.shape("/reward", {"sample"}).dim[0]));
  file.check();
  Workbench bench(subject.device(), subject.seed(), noise_in(file));
  run(bench, shaper, inputs);
  file.check();
  return answer(subject, shaper, bench, file);
}

/// A sizer that asks for moments gets those of the distribution where the file has that instead.
Contents moments_in(InputFile& file, Inputs& wanted, const fh_shape& distribution) {
  Contents source = {{"/log_probs", {FH_F32, distribution, {"batch", "action", "atom"}, {}}},
                     {"/support", {FH_F32, shape(distribution.dim[2]), {"atom"}, {}}}};
  file.read(source);
  file.check();
  const Moments m = moments(source.at("/log_probs"), source.at("/support"));
  Contents result;
  for (const auto& [path, values] : {std::pair{"/expected_q", &m.mean}, {"/variance_q", &m.variance}}) {
    if (file.has(path)) continue;
    auto described = wanted.required.extract(path);
    if (!described) continue;
    described.mapped().data = *values;
    result.insert(std::move(described));
  }
  return result;
}

Answer probe_sizer(const Subject& subject, InputFile& file) {
  const int64_t batch = file.shape("/action", {"batch"}, FH_I32).dim[0];
  int64_t actions = subject.actions, atoms = 1;
  for (const char* path : {"/variance_q", "/expected_q"})
    if (file.has(path)) actions = file.shape(path, {"batch", "action"}).dim[1];
  fh_shape distribution{};
  if (file.has("/log_probs")) {
    distribution = file.shape("/log_probs", {"batch", "action", "atom"});
    actions = distribution.dim[1];
    atoms = distribution.dim[2];
  } else if (file.has("/support")) {
    atoms = file.shape("/support", {"atom"}).dim[0];
  }
  const plugins::PositionSizerInstance sizer = subject.sizer(actions);
  Inputs wanted = inputs_of(sizer, batch, actions, atoms);
  Contents computed;
  if (distribution.rank != 0 && file.has("/support")) computed = moments_in(file, wanted, distribution);
  Contents inputs = read(file, wanted);
  file.check();
  inputs.merge(computed);
  Workbench bench(subject.device(), subject.seed(), noise_in(file));
  run(bench, sizer, inputs);
  file.check();
  return answer(subject, sizer, bench, file);
}

}  // namespace

Answer probe(const Subject& subject, const std::filesystem::path& input) {
  InputFile file(input);
  switch (subject.kind) {
    case FH_Q_HEAD: return probe_head(subject, file);
    case FH_REWARD_SHAPER: return probe_shaper(subject, file);
    case FH_POSITION_SIZER: return probe_sizer(subject, file);
  }
  throw Error("a plugin of an unknown kind");
}

}  // namespace foxhunt::probe
