#include "mamba2_rig.hpp"

namespace foxhunt::agent::test {

Mamba2Chain::Mamba2Chain(const Mamba2Shape& s, Form form, compute::Profile profile, int threads, bool flags)
    : shape_of(s), rig(profile, threads) {
  encoder = make_encoder(s.settings(), group);
  group.declare(rig.tensors);
  const int64_t T = s.steps, B = s.accounts;
  pass = encoder->make_pass(rig.tensors, {"pass", T, B, compute::Lifetime::state});
  const auto x = rig.add("x", shape(T + 1, B, s.features)), h = rig.add("h", shape(T + 1, B, s.hidden)),
             grad_h = rig.add("grad_h", shape(T, B, s.hidden)), valid = rig.add("valid", shape(T, B), FH_U8);
  rig.record([&](compute::Recording& m) {
    Recorder r = m.recorder();
    const fh_tensor xs = m.read(x), hs = m.write(h), seen = m.read(valid);
    const fh_tensor window = r.view(xs, 0, shape(T, B, s.features));
    if (form == Form::steps) {
      for (int64_t t = 0; t < T; ++t)
        pass->record_step(m, r.slice(xs, t), t, flags && t > 0 ? r.slice(seen, t - 1) : 0, r.slice(hs, t));
      pass->record_last(m, r.slice(xs, T), flags ? r.slice(seen, T - 1) : 0, r.slice(hs, T));
    } else {
      pass->record_sequence(m, window, flags ? seen : 0, r.view(hs, 0, shape(T, B, s.hidden)));
    }
    pass->record_backward(m, window, flags ? seen : 0, m.read(grad_h));
  });
  for (size_t i = 0; i < group.size(); ++i) {
    const auto n = static_cast<size_t>(compute::elements_of(rig.tensors[group.online(i)].shape));
    rig.set(group.online(i), normal(n, 10 + i, 0.5));
  }
  rig.set("x", normal(count("x"), 1));
  rig.set("grad_h", normal(count("grad_h"), 2));
  for (const char* side : {"/encoder/state/", "pass/start/"})
    for (const char* name : {"conv", "ssm"}) {
      const std::string full = std::string(side) + name;
      rig.set(full.c_str(), normal(count(full.c_str()), 3));
    }
  // About one step in six ends an episode, and one account has none.
  std::vector<double> ends = normal(count("valid"), 4);
  for (size_t i = 0; i < ends.size(); ++i) ends[i] = i % static_cast<size_t>(B) == 1 || ends[i] < 1;
  rig.set("valid", ends);
}

size_t Mamba2Chain::count(const char* name) const {
  return static_cast<size_t>(compute::elements_of(rig.tensors[rig.tensors.find(name)].shape));
}

double Mamba2Chain::loss() {
  run();
  const std::vector<double> h = rig.get("h"), grad_h = rig.get("grad_h");
  double sum = 0;
  for (size_t i = 0; i < grad_h.size(); ++i) sum += h[i] * grad_h[i];
  return sum;
}

Weights Mamba2Chain::weights() const {
  Weights w;
  const std::string prefix = "/encoder/online/";
  for (size_t i = 0; i < group.size(); ++i) w[group.path(i).substr(prefix.size())] = rig.get(group.online(i));
  return w;
}

}  // namespace foxhunt::agent::test
