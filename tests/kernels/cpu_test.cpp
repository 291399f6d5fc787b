#include <gtest/gtest.h>

#include <cmath>
#include <foxhunt/error.hpp>
#include <set>

#include "kernel_case.hpp"
#include "kernels/manifest.hpp"
#include "plugins/registry.hpp"

namespace foxhunt::kernels::test {
namespace {

std::unique_ptr<compute::Compute> cpu(compute::Profile profile, int threads = 2) {
  compute::Options options;
  options.device = "cpu";
  options.threads = threads;
  options.profile = profile;
  return compute::open(options);
}

class OnCpu : public testing::TestWithParam<std::string> {};

TEST_P(OnCpu, AgreesWithPlainDouble) {
  const auto cases = cases_of(GetParam());
  for (const bool real64 : {false, true}) {
    const auto results =
        run_cases(cpu(real64 ? compute::Profile::real64 : compute::Profile::fast), cases, real64);
    for (size_t i = 0; i < cases.size(); ++i)
      EXPECT_EQ(difference(*cases[i], results[i], real64), "") << (real64 ? "in double" : "in float");
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, OnCpu, testing::ValuesIn(kernel_names()),
                         [](const auto& test) { return test.param; });

TEST(KernelCases, EveryKernelOfTheProgramAndOfEveryPluginHasOne) {
  std::set<std::string> covered;
  for (const KernelCase& c : all_cases()) covered.insert(std::string(c.kernel->file) + " " + c.kernel->entry);
  const auto check = [&](const compute::KernelLibrary& library) {
    for (const fh_kernel* k : library.kernels)
      EXPECT_TRUE(covered.contains(std::string(k->file) + " " + k->entry))
          << library.owner << ": kernel '" << k->entry << "' of " << k->file
          << " has no case. Add one to tests/kernels/cases_*.cpp.";
  };
  check(program_kernels());
  plugins::Registry registry({{FOXHUNT_BUILT_PLUGINS, true}});
  EXPECT_TRUE(registry.refusals().empty());
  size_t kernels = 0;
  for (const plugins::Candidate& c : registry.candidates()) {
    const plugins::Plugin& plugin = registry.open(c.description.kind, c.description.name);
    check(plugin.kernels());
    kernels += plugin.kernels().kernels.size();
  }
  EXPECT_GE(kernels, 10u);
}

TEST(KernelCases, CoverSmallAndOddSizes) {
  for (const std::string& name : kernel_names()) {
    bool small = false;
    for (const KernelCase* c : cases_of(name)) small = small || !c->large;
    EXPECT_TRUE(small) << name << " has no case for race mode";
  }
}

// A reference that is off, an output that was left alone, a write beyond the end: each is found.
TEST(KernelCases, DifferencesAreFound) {
  const auto soft = cases_of("soft_update");
  const KernelCase* c = soft.front();
  auto results = run_cases(cpu(compute::Profile::fast), std::span(&c, 1));
  EXPECT_EQ(difference(*c, results[0]), "");
  KernelCase wrong = *c;
  wrong.reference = [c](Arguments& a) { c->reference(a), a["target"][0] += 1e-3; };
  EXPECT_NE(difference(wrong, results[0]).find("target differs in 1 of 1"), std::string::npos);
  results[0]["target"][0] = std::nan("");
  EXPECT_NE(difference(*c, results[0]), "");

  KernelCase beyond = *cases_of("ensemble_add").back();
  beyond.arguments["n"][0] += 1;
  const KernelCase* p = &beyond;
  EXPECT_THROW(run_cases(cpu(compute::Profile::fast), std::span(&p, 1)), Error);
}

}  // namespace
}  // namespace foxhunt::kernels::test
