// Names, shapes and storage of what trains.
#include <gtest/gtest.h>

#include <set>

#include "agent/actor_critic.hpp"
#include "agent/encoder.hpp"
#include "agent/parameters.hpp"
#include "rig.hpp"

namespace foxhunt::agent::test {
namespace {

using compute::Lifetime;

std::set<std::string> state_of(const compute::Tensors& tensors) {
  std::set<std::string> names;
  for (const compute::TensorId id : tensors.state()) names.insert(tensors[id].name + " " + compute::to_string(tensors[id].shape));
  return names;
}

fh_declared declared(const char* name, fh_shape s) {
  fh_declared d{};
  d.name = name;
  d.shape = s;
  d.dtype = FH_F32;
  d.init = FH_INIT_NORMAL;
  d.value = 1;
  return d;
}

TEST(Parameters, OfEncoderPolicyAndValueAreNamedAsTheCheckpointHasThem) {
  Rig rig;
  ParameterGroup group("policy", "/optimizer/policy", false);
  EncoderSettings s;
  s.features = 24;
  s.hidden = 16;
  s.layers = 2;
  const auto encoder = make_encoder(s, group);
  const ActorCritic actor_critic(group, s.hidden, 9);
  group.declare(rig.tensors);
  std::set<std::string> wanted{"/optimizer/policy/t [1]", "/optimizer/policy/beta_power [2]"};
  const std::vector<std::pair<std::string, std::string>> parameters{
      {"/encoder/X/w0", "[24, 16]"}, {"/encoder/X/b0", "[16]"}, {"/encoder/X/w1", "[16, 16]"},    {"/encoder/X/b1", "[16]"},
      {"/encoder/X/w2", "[16, 16]"}, {"/encoder/X/b2", "[16]"}, {"/encoder/X/norm_gain", "[16]"}, {"/policy/X/w", "[16, 9]"},
      {"/policy/X/b", "[9]"},        {"/value/X/w", "[16, 1]"}, {"/value/X/b", "[1]"}};
  for (const auto& [path, shape] : parameters)
    for (const char* kind : {"online", "adam/m", "adam/v"})
      wanted.insert(std::string(path).replace(path.find('X'), 1, kind) + " " + shape);
  EXPECT_EQ(state_of(rig.tensors), wanted);
  EXPECT_EQ(rig.tensors[rig.tensors.find("/policy/online/w")].axes[0], "hidden");
  EXPECT_EQ(rig.tensors[rig.tensors.find("/policy/online/w")].axes[1], "action");
  EXPECT_EQ(group.size(), 11u);
}

TEST(Parameters, OfAHeadHaveTargetsAndAllThatIsItsOwnBelowIt) {
  Rig rig;
  ParameterGroup group("c51", "/heads/c51/adam", true);
  group.add("/heads/c51", declared("w", shape(3, 4)));
  group.declare(rig.tensors);
  EXPECT_EQ(state_of(rig.tensors),
            (std::set<std::string>{"/heads/c51/online/w [3, 4]", "/heads/c51/target/w [3, 4]", "/heads/c51/adam/m/w [3, 4]",
                                   "/heads/c51/adam/v/w [3, 4]", "/heads/c51/adam/t [1]", "/heads/c51/adam/beta_power [2]"}));
}

TEST(Parameters, BeginOn256ByteBorders) {
  Rig rig;
  ParameterGroup group("g", "/optimizer/g", true);
  for (const auto& [name, n] : std::vector<std::pair<const char*, int64_t>>{{"a", 1}, {"b", 64}, {"c", 65}, {"d", 3}})
    group.add("/g", declared(name, shape(n)));
  group.declare(rig.tensors);
  std::vector<int64_t> offsets;
  for (size_t i = 0; i < group.size(); ++i) offsets.push_back(rig.tensors[group.online(i)].parent_offset);
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 64, 128, 256}));
  EXPECT_EQ(rig.tensors[group.gradient(3)].parent_offset, 256);
  EXPECT_EQ(rig.tensors[group.target(3)].parent_offset, 256);
}

TEST(Parameters, TargetsStartAsTheOnlineWeightsAndMomentsAtZero) {
  Rig rig;
  ParameterGroup group("g", "/optimizer/g", true);
  group.add("/g", declared("w", shape(5, 3)));
  group.add("/g", declared("u", shape(7)));
  group.declare(rig.tensors);
  rig.record([](compute::Recording&) {});
  group.initialise(rig.compute(), rig.tensors, 3);
  EXPECT_EQ(rig.get("/g/online/w"), rig.get("/g/target/w"));
  EXPECT_NE(rig.get("/g/online/w"), std::vector<double>(15, 0));
  EXPECT_EQ(rig.get("/g/adam/m/w"), std::vector<double>(15, 0));
  EXPECT_EQ(rig.get("/optimizer/g/beta_power"), (std::vector<double>{1, 1}));
  EXPECT_EQ(rig.get("/optimizer/g/t"), (std::vector<double>{0}));
}

TEST(Parameters, ATensorsFirstValuesDependOnNoOtherTensor) {
  const auto first = [](bool alone) {
    Rig rig;
    ParameterGroup group("g", "/optimizer/g", false);
    if (!alone) group.add("/g", declared("before", shape(100)));
    group.add("/g", declared("w", shape(5, 3)));
    if (!alone) group.add("/g", declared("after", shape(100)));
    group.declare(rig.tensors);
    rig.record([](compute::Recording&) {});
    group.initialise(rig.compute(), rig.tensors, 3);
    return rig.get("/g/online/w");
  };
  EXPECT_EQ(first(true), first(false));
}

TEST(Parameters, OfAnotherTypeOrTwiceAreRefused) {
  ParameterGroup group("g", "/optimizer/g", false);
  fh_declared d = declared("w", shape(2));
  d.dtype = FH_I32;
  const std::string type = error_of([&] { group.add("/g", d); });
  EXPECT_NE(type.find("'w'"), std::string::npos) << type;
  EXPECT_NE(type.find("i32"), std::string::npos) << type;
  group.add("/g", declared("w", shape(2)));
  group.add("/g", declared("w", shape(3)));
  Rig rig;
  EXPECT_NE(error_of([&] { group.declare(rig.tensors); }).find("/g/online/w"), std::string::npos);
}

TEST(Encoder, AnUnknownKindIsRefusedWithTheKnownOnes) {
  ParameterGroup group("policy", "/optimizer/policy", false);
  EncoderSettings s;
  s.kind = "rnn";
  const std::string e = error_of([&] { make_encoder(s, group); });
  EXPECT_NE(e.find("encoder.kind = 'rnn'"), std::string::npos) << e;
  EXPECT_NE(e.find("mlp"), std::string::npos) << e;
}

}  // namespace
}  // namespace foxhunt::agent::test
