// Every plugin beside reference.py: NumPy, double precision, written from the formulas.
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>

#include "rig.hpp"

namespace foxhunt::probe {
namespace {

struct Outcome {
  int code;
  std::string out;
};

Outcome shell(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) throw Error("cannot start python3");
  std::string out;
  for (int c; (c = fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out};
}

// The first python3 that has what the reference needs: the one in PATH need not be the system's, whose packages apt
// installs. Empty: none.
const std::string& interpreter() {
  static const std::string found = [] {
    for (const std::string candidate : {"python3", "/usr/bin/python3"})
      if (shell(candidate + " -c 'import h5py, numpy'").code == 0) return candidate;
    return std::string();
  }();
  return found;
}

Outcome python(const std::string& arguments) { return shell(interpreter() + " " + arguments); }

struct Reference : testing::Test {
  Folder folder;
  void SetUp() override {
    if (interpreter().empty()) GTEST_SKIP() << "python3 with h5py and numpy is not installed (package python3-h5py)";
  }
  static std::string script(const std::string& words) { return "'" FOXHUNT_TEST_FOLDER "/reference.py' " + words; }
  std::string file(const std::string& name) const { return " '" + (folder / name).string() + "'"; }
  Answer run(const Chosen& chosen, const std::string& in, const std::string& out) {
    const Answer a = probe(chosen.subject, folder / in);
    write(folder / out, a.attributes, a.contents);
    return a;
  }
};

TEST_F(Reference, EveryPluginAgrees) {
  std::string files, names;
  int n = 0;
  for (const Variant& v : all_variants()) {
    if (v.plugin == "noisy_q") continue;
    const Chosen chosen(v.kind, v.plugin, v.settings);
    const std::string in = "in" + std::to_string(n) + ".h5", out = "out" + std::to_string(n) + ".h5";
    ++n;
    write(folder / in, {}, example(chosen.subject, 33, 8).contents);
    run(chosen, in, out);
    files += file(in) + file(out);
    names += out + ": " + v.name() + "\n";
  }
  const Outcome o = python(script("compare" + files));
  EXPECT_EQ(o.code, 0) << o.out << "\n" << names;
  EXPECT_GE(n, 8);
}

TEST_F(Reference, FractionsFromOutsideAreUsed) {
  if (!registry().find(FH_Q_HEAD, "iqn")) GTEST_SKIP() << "there is no iqn";
  const Chosen chosen(FH_Q_HEAD, "iqn", {{"iqn.inference", "random"}});
  write(folder / "in.h5", {}, example(chosen.subject, 33, 8).contents);
  const Answer drawn = run(chosen, "in.h5", "drawn.h5");
  ASSERT_EQ(python(script("mirror" + file("in.h5") + file("drawn.h5") + file("given.h5"))).out, "4\n");
  const Answer given = run(chosen, "given.h5", "out.h5");
  EXPECT_TRUE(given.unread.empty());
  EXPECT_NE(given.contents.at("/loss").data, drawn.contents.at("/loss").data);
  for (const char* tau : {"/tau", "/tau_target", "/tau_select", "/tau_infer"}) EXPECT_FALSE(given.contents.contains(tau)) << tau;
  const Outcome o = python(script("compare" + file("given.h5") + file("out.h5")));
  EXPECT_EQ(o.code, 0) << o.out;
}

TEST_F(Reference, ADifferenceIsFound) {
  const Chosen chosen(FH_Q_HEAD, "c51");
  write(folder / "in.h5", {}, example(chosen.subject, 9, 8).contents);
  Answer a = run(chosen, "in.h5", "out.h5");
  a.contents.at("/grad/b").data[3] += 1e-3;
  a.contents.erase("/support");
  write(folder / "out.h5", a.attributes, a.contents);
  const Outcome o = python(script("compare" + file("in.h5") + file("out.h5")));
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.out.find("/grad/b differs by"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("/support is written by one of the two alone"), std::string::npos) << o.out;
}

}  // namespace
}  // namespace foxhunt::probe
