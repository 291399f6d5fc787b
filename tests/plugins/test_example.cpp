#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "common/files.hpp"
#include "head_rig.hpp"

namespace foxhunt::plugins {
namespace {

/// The folder in EXAMPLE_PLUGIN_DIR (the example as built by somebody else), or the one of this build.
Registry example() {
  const char* folder = std::getenv("EXAMPLE_PLUGIN_DIR");
  return Registry({{folder ? folder : FOXHUNT_TEST_PLUGINS "/linear_q", true}});
}

// What a reader copies from the README is what the tests build.
TEST(Example, IsTheOneInTheReadme) {
  const std::string root = FOXHUNT_SOURCE_FOLDER;
  const std::string readme = read_file(root + "/plugin_api/README.md", 1 << 20);
  for (const char* file : {"CMakeLists.txt", "linear_q.cu", "linear_q.cpp"})
    EXPECT_NE(readme.find(read_file(root + "/experiments/out_of_tree/linear_q/" + file, 1 << 20)),
              std::string::npos)
        << file;
}

TEST(Example, LearnsAsItSays) {
  Registry registry = example();
  HeadRig rig("linear_q", {}, 40, 6, 3, compute::Profile::real64, 2, registry);
  uint64_t seed = 0;
  for (const auto id :
       {rig.online[0], rig.online[1], rig.target[0], rig.target[1], rig.h, rig.h_next, rig.reward})
    rig.set(id, normal(rig.count(id), ++seed));
  std::vector<double> action(40), discount(40, 0.5);
  for (size_t i = 0; i < 40; ++i) action[i] = static_cast<double>(i % 3);
  rig.set(rig.action, action);
  rig.set(rig.discount, discount);
  rig.learn();
  rig.infer();

  const auto q = rig.output("expected_q"), reward = rig.get(rig.reward), loss = rig.get(rig.loss);
  const auto h_next = rig.get(rig.h_next), w = rig.get(rig.target[0]), b = rig.get(rig.target[1]);
  std::vector<double> db(3, 0);
  for (size_t s = 0; s < 40; ++s) {
    std::vector<double> next = b;
    for (size_t a = 0; a < 3; ++a)
      for (size_t i = 0; i < 6; ++i) next[a] += h_next[s * 6 + i] * w[i * 3 + a];
    const double error = q[s * 3 + s % 3] - (reward[s] + 0.5 * *std::max_element(next.begin(), next.end()));
    EXPECT_NEAR(loss[s], error * error / 2, 1e-9);
    db[s % 3] += error / 40;
  }
  for (size_t a = 0; a < 3; ++a) EXPECT_NEAR(rig.get(rig.gradient[1])[a], db[a], 1e-7);
}

}  // namespace
}  // namespace foxhunt::plugins
