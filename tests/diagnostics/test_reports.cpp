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
