#include <cmath>
#include <fstream>

#include "rig.hpp"

namespace foxhunt::probe {
namespace {

std::vector<std::string> paths(const Contents& contents) {
  std::vector<std::string> all;
  for (const auto& [path, values] : contents) all.push_back(path);
  return all;
}

/// noisy_q on an example of 4 samples, 5 features and 3 actions.
struct Noisy : testing::Test {
  Folder folder;
  Chosen chosen{FH_Q_HEAD, "noisy_q"};
  Contents in = example(chosen.subject, 4, 5).contents;

  Answer run() {
    write(folder / "in.h5", {}, in);
    return probe(chosen.subject, folder / "in.h5");
  }
  std::string refusal() {
    return error_of([&] { run(); });
  }
  double error(size_t s, double jitter, double gamma) const {
    const size_t a = static_cast<size_t>(in.at("/action").data[s]);
    double q = 0;
    for (size_t i = 0; i < 5; ++i) q += in.at("/h").data[s * 5 + i] * in.at("/weights/online/w").data[i * 3 + a];
    return q + jitter - in.at("/reward").data[s] - (in.at("/terminated").data[s] != 0 ? 0 : gamma);
  }
};

TEST_F(Noisy, WritesOutputsLossGradientsStateAndDrawnNumbers) {
  in.at("/terminated").data = {0, 1, 0, 0};
  const Answer a = run();
  EXPECT_EQ(paths(a.contents), (std::vector<std::string>{"/controllers/offset", "/expected_q", "/grad/w", "/grad_h",
                                                         "/jitter", "/loss"}));
  EXPECT_EQ(a.contents.at("/jitter").data, std::vector<double>(4, 0.25));
  EXPECT_EQ(a.contents.at("/controllers/offset").data, std::vector<double>{1});
  std::vector<double> grad_w(15, 0);
  for (size_t s = 0; s < 4; ++s) {
    const double e = error(s, 0.25, 0.99);
    EXPECT_NEAR(a.contents.at("/loss").data[s], e * e / 2, 1e-5);
    for (size_t i = 0; i < 5; ++i)
      grad_w[i * 3 + static_cast<size_t>(in.at("/action").data[s])] += e * in.at("/h").data[s * 5 + i] / 4;
  }
  for (size_t i = 0; i < grad_w.size(); ++i) EXPECT_NEAR(a.contents.at("/grad/w").data[i], grad_w[i], 1e-5);
  EXPECT_EQ(std::get<double>(a.attributes.at("gamma")), 0.99);
  EXPECT_TRUE(a.unread.empty());
}

TEST_F(Noisy, TakesRandomNumbersStateAndDiscountFromOutside) {
  in["/jitter"] = {FH_F32, shape(4), {}, {1, 2, 3, 4}};
  in["/controllers/offset"] = {FH_F32, shape(), {}, {10}};
  in["/more"] = {FH_F32, shape(1), {}, {0}};
  const Chosen half(FH_Q_HEAD, "noisy_q", {{"q.gamma", "0.5"}});
  write(folder / "in.h5", {}, in);
  const Answer a = probe(half.subject, folder / "in.h5");
  EXPECT_FALSE(a.contents.contains("/jitter"));
  EXPECT_EQ(a.unread, std::vector<std::string>{"/more"});
  for (size_t s = 0; s < 4; ++s) {
    const double e = error(s, static_cast<double>(s + 1), 0.5);
    EXPECT_NEAR(a.contents.at("/loss").data[s], e * e / 2 + 10, 1e-4);
  }
  EXPECT_EQ(std::get<double>(a.attributes.at("gamma")), 0.5);
}

TEST_F(Noisy, NamesEverythingThatDoesNotFit) {
  in.erase("/reward");
  in.at("/weights/online/w") = {FH_F32, shape(3, 5), {}, std::vector<double>(15, 0)};
  in.at("/action") = {FH_F32, shape(4), {}, {0, 1, 2, 0}};
  in.at("/terminated").data = {0, 1, 2, 0};
  in["/jitter"] = {FH_F32, shape(5), {}, std::vector<double>(5, 0)};
  const std::string why = refusal();
  for (const char* part : {"in.h5", "/reward is missing, expected f32 [batch 4]", "/weights/online/w is f32 [3, 5], expected f32 [hidden 5, action 3]",
                           "/action is f32 [4], expected i32 [batch 4]", "/terminated holds 2 at element 2, expected 0 to 1", "--actions",
                           "--template"})
    EXPECT_NE(why.find(part), std::string::npos) << part << " is not in: " << why;
  in = example(chosen.subject, 4, 5).contents;
  in.at("/action").data[1] = 3;
  EXPECT_NE(refusal().find("/action holds 3 at element 1, expected 0 to 2"), std::string::npos) << refusal();
  in = example(chosen.subject, 4, 5).contents;
  in["/jitter"] = {FH_F32, shape(5), {}, std::vector<double>(5, 0)};
  EXPECT_NE(refusal().find("/jitter is f32 [5], expected f32 [4]"), std::string::npos) << refusal();
  in.erase("/h");
  EXPECT_NE(refusal().find("/h is missing; expected f32 [batch, hidden]"), std::string::npos) << refusal();
  std::ofstream(folder / "text.h5") << "no HDF5";
  EXPECT_NE(error_of([&] { probe(chosen.subject, folder / "text.h5"); }).find("text.h5"), std::string::npos);
}

TEST_F(Noisy, AFalseShapeCostsNoMemory) {
  in.at("/h") = {FH_F32, shape(int64_t{1} << 30, 0), {}, {}};
  EXPECT_NE(refusal().find("every dimension at least 1"), std::string::npos) << refusal();
}

TEST_F(Noisy, ShowsNaNInsteadOfRefusingIt) {
  in.at("/h").data[7] = std::nan("");
  const Answer a = run();
  EXPECT_TRUE(std::isnan(a.contents.at("/loss").data[1]));
  EXPECT_TRUE(std::isfinite(a.contents.at("/loss").data[0]));
}

TEST(Example, IsTheSameForASeedAndFitsEveryPlugin) {
  const Folder folder;
  for (const Variant& v : all_variants()) {
    const Chosen chosen(v.kind, v.plugin, v.settings), other(v.kind, v.plugin, {{"trainer.seed", "2"}});
    write(folder / "a.h5", {}, example(chosen.subject, 7, 8).contents);
    write(folder / "b.h5", {}, example(chosen.subject, 7, 8).contents);
    const auto bytes = [&](const char* name) {
      std::ifstream file(folder / name, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_EQ(bytes("a.h5"), bytes("b.h5")) << v.name();
    write(folder / "b.h5", {}, example(other.subject, 7, 8).contents);
    EXPECT_NE(bytes("a.h5"), bytes("b.h5")) << v.name();
    const Answer a = probe(chosen.subject, folder / "a.h5");
    EXPECT_FALSE(a.contents.empty());
    EXPECT_TRUE(a.unread.empty()) << v.name();
    for (const auto& [path, values] : a.contents)
      for (const double x : values.data) ASSERT_TRUE(std::isfinite(x)) << v.name() << " " << path;
  }
}

TEST(Sizer, MomentsMayComeFromADistribution) {
  const Folder folder;
  const Chosen chosen(FH_POSITION_SIZER, "variance");
  Contents in = example(chosen.subject, 3, 0).contents;
  in.erase("/variance_q");
  in.at("/action").data = {0, 1, 1};
  const double p = 0.75, q = 0.25;
  in["/log_probs"] = {FH_F32, shape(3, 2, 2), {}, {}};
  for (int i = 0; i < 6; ++i) in["/log_probs"].data.insert(in["/log_probs"].data.end(), {std::log(p), std::log(q)});
  in["/support"] = {FH_F32, shape(2), {}, {-2, 2}};
  write(folder / "in.h5", {}, in);
  const Answer a = probe(chosen.subject, folder / "in.h5");
  const double deviation = std::sqrt(p * q) * 4;
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(a.contents.at("/scale").data[i], 1 / (1 + deviation), 1e-5);
  in.erase("/support");
  write(folder / "in.h5", {}, in);
  const std::string why = error_of([&] { probe(chosen.subject, folder / "in.h5"); });
  EXPECT_NE(why.find("/variance_q is missing, expected f32 [batch 3, action 2]"), std::string::npos) << why;
}

// Of the example: no gain, no position; no risk, no limit but the whole position; a bad number shows.
TEST(Sizer, KellyAtItsEdges) {
  const Folder folder;
  const Chosen chosen(FH_POSITION_SIZER, "kelly", {{"position_sizing.fraction", "0.5"}});
  const double nan = std::nan("");
  Contents in = {{"/action", {FH_I32, shape(7), {}, std::vector<double>(7, 0)}},
                 {"/target_position", {FH_F32, shape(7), {}, std::vector<double>(7, -4)}},
                 {"/expected_q", {FH_F32, shape(7, 1), {}, {1, -1, 0, 1, 3, nan, 1}}},
                 {"/variance_q", {FH_F32, shape(7, 1), {}, {2, 2, 0, 0, 1, 1, nan}}}};
  write(folder / "in.h5", {}, in);
  const std::vector<double> scale = probe(chosen.subject, folder / "in.h5").contents.at("/scale").data;
  EXPECT_EQ(std::vector<double>(scale.begin(), scale.begin() + 5), (std::vector<double>{0.25, 0, 0, 1, 1}));
  EXPECT_TRUE(std::isnan(scale[5]) && std::isnan(scale[6]));
}

TEST(Shaper, StateIsUsedAsGiven) {
  const Folder folder;
  const Chosen chosen(FH_REWARD_SHAPER, "rank_standardize");
  Contents in = {{"/reward", {FH_F32, shape(4), {}, {-1, 0, 2, 5}}}, {"/std_ema", {FH_F32, shape(1), {}, {8}}}};
  write(folder / "in.h5", {}, in);
  EXPECT_EQ(probe(chosen.subject, folder / "in.h5").contents.at("/shaped").data, (std::vector<double>{-4, 0, 6, 8}));
  in.erase("/std_ema");
  write(folder / "in.h5", {}, in);
  EXPECT_EQ(probe(chosen.subject, folder / "in.h5").contents.at("/shaped").data, (std::vector<double>{-0.5, 0, 0.75, 1}));
}

}  // namespace
}  // namespace foxhunt::probe
