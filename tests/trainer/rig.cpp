#include "rig.hpp"

#include <cstdlib>

namespace foxhunt::trainer::test {

namespace {

// Runs share compiled kernels, but not with the user's own cache.
const bool cache_folder_is_set = ::setenv("FOXHUNT_CACHE_DIR", FOXHUNT_TEST_CACHE, 0) == 0;

}  // namespace

plugins::Registry& registry() {
  static plugins::Registry registry({{FOXHUNT_BUILT_PLUGINS, true}, {FOXHUNT_TEST_PLUGINS, true}});
  return registry;
}

config::Config config_of(const Settings& more) {
  std::vector<std::string> small, words;
  const Settings base{{"trainer.device", "cpu"},  {"trainer.threads", "1"},   {"trainer.accounts", "8"}, {"trainer.horizon", "4"},
                      {"encoder.hidden", "8"},    {"replay.capacity", "100"}, {"replay.batch", "16"},    {"replay.updates", "2"},
                      {"replay.start", "64"},     {"env.rows", "1200"},       {"env.embargo", "10"},     {"env.episode_rows", "20"},
                      {"eval.accounts", "3"},     {"diag.lag", "1"}};
  for (const auto& [key, value] : base.all) small.insert(small.end(), {"--" + key, value});
  for (const auto& [key, value] : more.all) words.insert(words.end(), {"--" + key, value});
  const auto plugin_options = [](config::Kind kind, const std::string& plugin) { return registry().settings(kind, plugin); };
  return config::assemble({config::take_settings(small).settings, config::take_settings(words).settings}, plugin_options);
}

Trained::Trained(const Settings& more, bool initialise) : config(config_of(more)), session(config, registry()), metrics(session) {
  if (initialise) session.initialise();
}

diagnostics::Row Trained::run(int64_t iterations) {
  diagnostics::Row last(metrics.schema());
  for (int64_t k = 0; k < iterations; ++k) {
    session.submit();
    session.compute().wait(session.run_of(session.step() - 1));
    last = metrics.read(session.step() - 1);
  }
  return last;
}

void Trained::set(const std::string& tensor, const std::vector<float>& values) {
  const compute::TensorId id = session.agent().tensors().find(tensor);
  ASSERT_NE(id, 0u) << tensor;
  session.compute().upload(id, values.data(), values.size() * sizeof(float));
}

void Trained::always(size_t action) {
  set("/policy/online/w", std::vector<float>(8 * environment::kActions, 0));
  std::vector<float> b(environment::kActions, 0);
  b[action] = 50;
  set("/policy/online/b", b);
}

std::map<std::string, std::vector<std::byte>> Trained::state() {
  const Snapshot s = session.snapshot(session.host_state());
  std::map<std::string, std::vector<std::byte>> all;
  for (const checkpoints::ConstTensorView& t : s.content.tensors) all[t.spec.path] = {t.data.begin(), t.data.end()};
  return all;
}

void Trained::save(const std::filesystem::path& file) {
  checkpoints::write_checkpoint(file, session.snapshot(session.host_state()).content);
}

Scratch::Scratch() {
  std::string name = (std::filesystem::temp_directory_path() / "foxhunt-test-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw Error("no scratch folder");
  folder_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace foxhunt::trainer::test
