#include <nlohmann/json.hpp>

#include "diagnostics/provenance.hpp"
#include "diagnostics/verdict.hpp"
#include "support.hpp"

namespace foxhunt::diagnostics {
namespace {

using Json = nlohmann::json;

GateResult result(const char* name, Action action, GateResult::Status status, std::int64_t step) {
  return {.gate = name,
          .condition = "x < 0",
          .action = action,
          .status = status,
          .step = step,
          .sentence = text(name, " fired.")};
}

TEST(Document, KeepsOrderTypesAndNan) {
  const std::string all = Document()
                              .add("z", 1)
                              .add("a", 0.5)
                              .add("flag", true)
                              .add("word", "bad \xff byte")
                              .add("list", std::vector<double>{1, kNan, -kInf})
                              .add("inside", Document().add("n", kNan))
                              .add("many", std::vector<Document>{Document().add("i", 1), Document()})
                              .add("words", std::vector<std::string>{"a", "b"})
                              .str();
  const Json json = Json::parse(all);
  EXPECT_LT(all.find("\"z\""), all.find("\"a\""));
  EXPECT_EQ(json["z"], 1);
  EXPECT_EQ(json["flag"], true);
  EXPECT_EQ(json["list"], (Json{1.0, "nan", "-inf"}));
  EXPECT_EQ(json["inside"]["n"], "nan");
  EXPECT_EQ(json["many"].size(), 2u);
  EXPECT_EQ(all.back(), '\n');
}

TEST(Verdict, ExitCodesFollowTheGates) {
  using enum GateResult::Status;
  const auto code = [](const std::vector<GateResult>& gates, bool interrupted = false) {
    return static_cast<int>(judge(gates, 10, interrupted).code);
  };
  const auto abort = result("a", Action::abort, fired, 7), fail = result("f", Action::fail_at_end, fired, 5),
             warn = result("w", Action::warn, fired, 3), fine = result("p", Action::abort, passed, 10),
             unseen = result("n", Action::fail_at_end, not_reached, 0);
  EXPECT_EQ(code({}), 0);
  EXPECT_EQ(code({fine, unseen, warn}), 0);
  EXPECT_EQ(code({fine, fail, warn}), 2);
  EXPECT_EQ(code({fail, abort}), 3);
  EXPECT_EQ(code({fail}, true), 4);
  EXPECT_EQ(code({abort}, true), 3);
  EXPECT_EQ(judge({fail, abort}, 10, false).sentence, "a fired.");
  EXPECT_EQ(judge({warn}, 10, false).sentence, "passed with a warning: w fired.");
  // Of two, the one that came first.
  EXPECT_EQ(judge({result("late", Action::fail_at_end, fired, 9), fail}, 10, false).sentence, "f fired.");
}

TEST_F(RunFolder, VerdictFile) {
  using enum GateResult::Status;
  GateResult bad = result("f", Action::fail_at_end, fired, 5);
  bad.metric = "x", bad.value = kNan, bad.limit = 2, bad.margin = kNan, bad.firings = 3;
  to_document(judge({result("n", Action::abort, not_reached, 0), bad}, 10, false))
      .write(folder / "verdict.json");
  const Json json = Json::parse(content(folder / "verdict.json"));
  EXPECT_EQ(json["verdict"], "failed");
  EXPECT_EQ(json["exit_code"], 2);
  EXPECT_EQ(json["step"], 10);
  EXPECT_EQ(json["gates"][0]["status"], "not_reached");
  EXPECT_FALSE(json["gates"][0].contains("value"));
  EXPECT_EQ(json["gates"][1]["metric"], "x");
  EXPECT_EQ(json["gates"][1]["value"], "nan");
  EXPECT_FALSE(json["gates"][1].contains("margin"));
  EXPECT_EQ(json["gates"][1]["limit"], 2.0);
  EXPECT_EQ(json["gates"][1]["firings"], 3);
}

TEST(Document, IsReadBack) {
  EXPECT_FALSE(Document::parse("[1]"));
  EXPECT_FALSE(Document::parse("{\"a\": 1"));
  const auto read = Document::parse(
      R"({"word":"w","n":1.5,"nan":"nan","yes":true,"no":false,"list":[{"i":1},2,{"i":3}],"words":["a",1,"b"]})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text("word"), "w");
  EXPECT_EQ(read->text("n"), std::nullopt);
  EXPECT_EQ(read->number("n"), 1.5);
  EXPECT_EQ(read->number("gone"), std::nullopt);
  EXPECT_TRUE(read->flag("yes"));
  EXPECT_FALSE(read->flag("no"));
  EXPECT_FALSE(read->flag("word"));
  ASSERT_EQ(read->objects("list").size(), 2u);
  EXPECT_EQ(read->objects("list")[1].number("i"), 3);
  EXPECT_EQ(read->texts("words"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(read->objects("word").empty());
}

class Depends : public RunFolder {
 protected:
  void verdict(const std::string& run, const std::string& word) {
    std::filesystem::create_directories(folder / run);
    put(folder / run / "verdict.json",
        text("{\"verdict\": \"", word, "\", \"step\": 7, \"sentence\": \"it was so.\"}"));
  }
  std::string refusal(const std::string& run) {
    return message_of([&] { require_passed({folder / run}); });
  }
};

TEST_F(Depends, OnlyPassedWillDo) {
  verdict("good", "passed");
  EXPECT_NO_THROW(require_passed({}));
  EXPECT_NO_THROW(require_passed({folder / "good", folder / "good"}));
  expect_all(refusal("nowhere"), {"nowhere:pass", "no such folder"});
  std::filesystem::create_directories(folder / "young");
  expect_all(refusal("young"), {"young:pass", "has no verdict yet"});
  for (const char* word : {"failed", "aborted", "interrupted"}) {
    verdict("bad", word);
    expect_all(refusal("bad"), {"bad:pass", word, "it was so."});
  }
  put(folder / "bad/verdict.json", "{\"verdict\": ");
  expect_all(refusal("bad"), {"bad:pass", "has no verdict"});
  EXPECT_THROW(require_passed({folder / "good", folder / "bad"}), Error) << "every one of several";
}

TEST_F(Depends, OfReplicasAllMustHavePassed) {
  for (const int seed : {1, 2, 10}) verdict(text("all/seed-", seed), "passed");
  std::filesystem::create_directories(folder / "all/seed-notes");
  EXPECT_NO_THROW(require_passed({folder / "all"}));
  const auto runs = runs_in(folder / "all");
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[2].filename(), "seed-10") << "in the order of numbers";
  verdict("all/seed-2", "failed");
  expect_all(refusal("all"), {"seed-2:pass", "failed"});
}

TEST_F(RunFolder, TheSchemaIsReadBackAsItWas) {
  const MetricSchema schema = training_schema({{"c51", true, true}}, {"short", "hold"}, true,
                                              {{"c51", {"w", "b"}}, {"policy", {"w"}}});
  write_schema(folder / "schema.json", schema);
  const auto back = read_schema(folder / "schema.json");
  ASSERT_TRUE(back);
  ASSERT_EQ(back->names(), schema.names());
  EXPECT_TRUE(back->find("update_ratio_c51.b"));
  EXPECT_TRUE(back->find("action_hist.hold"));
  for (std::size_t i = 0; i < schema.metrics().size(); ++i) {
    const Metric &a = schema.metrics()[i], &b = back->metrics()[i];
    EXPECT_EQ(a.unit, b.unit);
    EXPECT_EQ(a.help, b.help);
    EXPECT_EQ(a.look_at, b.look_at);
    EXPECT_EQ(a.integer, b.integer) << a.name;
    EXPECT_EQ(a.finite, b.finite) << a.name;
    EXPECT_EQ(a.update_ratio, b.update_ratio) << a.name;
  }
  EXPECT_FALSE(read_schema(folder / "none.json"));
  for (const char* bad : {"", "{}", "[]", "{\"metrics\": [{\"name\": \"x\"}]}",
                          "{\"metrics\": [{\"name\":\"step\"},{\"name\":\"a\"},{\"name\":\"a\"}]}"}) {
    put(folder / "bad.json", bad);
    EXPECT_FALSE(read_schema(folder / "bad.json")) << bad;
  }
}

TEST_F(RunFolder, ProvenanceKeepsEveryStart) {
  const auto path = folder / "provenance.json";
  Provenance start{.command = {"foxhunt", "train"},
                   .device = "cpu",
                   .plugins = {{"c51", "1.0", "/p/c51.so", "abc"}},
                   .libraries = {{"HDF5", "1.10.8"}}};
  write_provenance(path, start);
  start.resumed_from = "step-000000020.h5";
  write_provenance(path, start);
  const Json json = Json::parse(content(path));
  ASSERT_EQ(json["starts"].size(), 2u);
  EXPECT_EQ(json["starts"][0]["plugins"][0]["sha256"], "abc");
  EXPECT_EQ(json["starts"][0]["libraries"]["HDF5"], "1.10.8");
  EXPECT_FALSE(json["starts"][0].contains("resumed_from"));
  EXPECT_EQ(json["starts"][1]["resumed_from"], "step-000000020.h5");
  const std::string when = json["starts"][0]["started"];
  EXPECT_EQ(when.size(), 20u) << when;
  EXPECT_EQ(when.back(), 'Z');
  EXPECT_FALSE(json["starts"][0]["commit"].get<std::string>().empty());
}

TEST_F(RunFolder, DamagedProvenanceIsKeptAside) {
  const auto path = folder / "provenance.json";
  for (const char* bad : {"{\"starts\": [", "[]", "{}"}) {
    put(path, bad);
    testing::internal::CaptureStderr();
    write_provenance(path, {});
    expect_all(testing::internal::GetCapturedStderr(), {"damaged"});
    EXPECT_EQ(content(folder / "provenance.json.damaged"), bad);
    EXPECT_EQ(Json::parse(content(path))["starts"].size(), 1u);
  }
}

}  // namespace
}  // namespace foxhunt::diagnostics
