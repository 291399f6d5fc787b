// Every case of every kernel on the GPU, against the same plain double reference as on the CPU, and against the CPU.
#include "devices.hpp"
#include "kernel_case.hpp"

namespace foxhunt::parity {
namespace {

using kernels::test::KernelCase;

class Kernel : public OnGpu, public testing::WithParamInterface<std::string> {
 protected:
  // The CPU's results stand in for the reference: what one device calculates, the other must.
  static void expect_equal_to_cpu(const std::vector<const KernelCase*>& cases, const std::vector<kernels::test::Arguments>& gpu) {
    const auto cpu = kernels::test::run_cases(open("cpu", compute::Profile::parity), cases);
    for (size_t i = 0; i < cases.size(); ++i) {
      KernelCase other = *cases[i];
      other.reference = [&](kernels::test::Arguments& a) { a = cpu[i]; };
      EXPECT_EQ(kernels::test::difference(other, gpu[i]), "") << "against the CPU";
    }
  }
};

TEST_P(Kernel, AgreesWithPlainDoubleAndWithTheCpu) {
  const auto cases = kernels::test::cases_of(GetParam());
  for (const compute::Profile profile : {compute::Profile::parity, compute::Profile::fast}) {
    const auto gpu = kernels::test::run_cases(open("cuda", profile), cases);
    for (size_t i = 0; i < cases.size(); ++i)
      EXPECT_EQ(kernels::test::difference(*cases[i], gpu[i]), "") << (profile == compute::Profile::parity ? "parity" : "fast");
    if (profile == compute::Profile::parity) expect_equal_to_cpu(cases, gpu);
  }
}

INSTANTIATE_TEST_SUITE_P(Gpu, Kernel, testing::ValuesIn(kernels::test::kernel_names()), [](const auto& i) { return i.param; });

}  // namespace
}  // namespace foxhunt::parity
