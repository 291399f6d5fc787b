#include <gtest/gtest.h>

#include <foxhunt/error.hpp>

#include "plugins/registry.hpp"

namespace foxhunt::plugins {
namespace {

class Naughty : public testing::Test {
 protected:
  Registry registry{{{FOXHUNT_TEST_PLUGINS "/naughty", true}, {FOXHUNT_BUILT_PLUGINS, true}}};

  QHeadInstance make(const std::string& mode) {
    const Plugin& plugin = registry.open(FH_Q_HEAD, "naughty");
    OptionValues values = default_values(plugin);
    set_option(values, plugin, "mode", mode);
    return {plugin, "bad", {8, 9, 0.99}, values};
  }
  /// Records infer with read rights on h and weights.
  void infer(const QHeadInstance& head) {
    compute::Program program;
    compute::Tensors tensors;
    const auto add = [&](const char* name, fh_shape s, fh_dtype dtype = FH_F32) {
      compute::TensorSpec spec;
      spec.name = name;
      spec.shape = s;
      spec.dtype = dtype;
      return tensors.add(spec);
    };
    const auto h = add("h", shape(16, 8)), w = add("w", shape(8, 4)), q = add("q", shape(16, 9)),
               step = add("step", shape(1), FH_U64);
    compute::Recording recording(program, tensors, head.kernels(),
                                 {"bad", "heads/bad/infer", "heads/bad", 1});
    const fh_tensor weights[] = {recording.read(w)}, outputs[] = {recording.write(q)};
    fh_infer io{};
    io.weights = weights;
    io.outputs = outputs;
    io.h = recording.read(h);
    io.step = recording.read(step);
    head.infer(recording, io);
    ASSERT_EQ(program.ops.size(), 1u);
  }
  template <class F>
  std::string error(F&& f) {
    try {
      f();
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
};

TEST_F(Naughty, Works) {
  const QHeadInstance head = make("none");
  EXPECT_EQ(head.parameters().size(), 1u);
  EXPECT_STREQ(head.parameters()[0].axes[1], "four");
  EXPECT_EQ(head.output("expected_q"), 0);
  EXPECT_EQ(head.output("quantiles"), -1);
  infer(head);
}

TEST_F(Naughty, CreateFailsWithItsMessage) {
  EXPECT_EQ(error([&] { make("create_error"); }),
            "q_head 'bad' (plugin naughty 1.2.3): the moon is in the wrong phase");
  EXPECT_NE(error([&] { make("create_int"); }).find("not a std::exception"), std::string::npos);
}

TEST_F(Naughty, ExceptionsEndAtTheBoundary) {
  const QHeadInstance head = make("infer_error");
  EXPECT_EQ(error([&] { infer(head); }), "q_head 'bad' (plugin naughty 1.2.3): no inference on Sundays");
}

TEST_F(Naughty, WritesToWhatItMayOnlyReadAreRefused) {
  const QHeadInstance h = make("write_h"), w = make("write_weight");
  EXPECT_NE(error([&] { infer(h); }).find("tensor 'h' may only be read"), std::string::npos)
      << error([&] { infer(h); });
  EXPECT_NE(error([&] { infer(w); }).find("tensor 'w' may only be read"), std::string::npos);
}

TEST_F(Naughty, DeclarationsAreChecked) {
  EXPECT_NE(error([&] { make("bad_output"); }).find("'expected_q' is declared as [-1, 10], expected [-1, 9]"),
            std::string::npos)
      << error([&] { make("bad_output"); });
  EXPECT_NE(error([&] { make("bad_parameter"); }).find("parameter 'w'"), std::string::npos)
      << error([&] { make("bad_parameter"); });
}

TEST_F(Naughty, OptionsAreNamed) {
  const Plugin& plugin = registry.open(FH_Q_HEAD, "c51");
  OptionValues values = default_values(plugin);
  EXPECT_NE(error([&] { set_option(values, plugin, "atom", "7"); }).find("did you mean 'atoms'"),
            std::string::npos);
  EXPECT_NE(error([&] { set_option(values, plugin, "atoms", "1"); }).find("option 'atoms'"),
            std::string::npos);
  EXPECT_NE(error([&] { set_option(values, plugin, "select", "best"); }).find("option 'select'"),
            std::string::npos);
  set_option(values, plugin, "select", "double");
  EXPECT_EQ(values[3].number, 1);
}

TEST_F(Naughty, C51SupportMustNotBeEmpty) {
  const Plugin& plugin = registry.open(FH_Q_HEAD, "c51");
  OptionValues values = default_values(plugin);
  set_option(values, plugin, "v_min", "3");
  EXPECT_EQ(error([&] {
              QHeadInstance(plugin, "c51", {8, 9, 0.99}, values);
            }),
            "q_head 'c51' (plugin c51 1.0.0): v_min (3) must be below v_max (3)");
  set_option(values, plugin, "v_min", "0");
  EXPECT_EQ(error([&] { QHeadInstance(plugin, "c51", {8, 9, 0.99}, values); }), "");
}

TEST_F(Naughty, UnitsCoverAllKernels) {
  const Plugin& plugin = registry.open(FH_Q_HEAD, "c51");
  const QHeadInstance head(plugin, "c51", {8, 9, 0.99}, default_values(plugin));
  const std::vector<compute::KernelUnit> units = head.units();
  ASSERT_EQ(units.size(), 2u);
  EXPECT_EQ(units[0].file, "q_heads/c51.cu");
  EXPECT_EQ(units[1].file, "q_heads/c51_per_action.cu");
  for (const compute::KernelUnit& unit : units) {
    ASSERT_EQ(unit.constants.size(), 2u);
    EXPECT_EQ(unit.constants[0].integer, 9);
    EXPECT_EQ(unit.constants[1].integer, 21);
  }
}

}  // namespace
}  // namespace foxhunt::plugins
