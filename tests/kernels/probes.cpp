#include "probes.hpp"

#include <foxhunt/error.hpp>
#include <fstream>
#include <iterator>
#include <map>

namespace foxhunt::kernels::test {

const char* test_source(const std::string& name) {
  static std::map<std::string, std::string> texts;
  const auto [entry, fresh] = texts.try_emplace(name);
  if (fresh) {
    const std::string path = std::string(FOXHUNT_KERNEL_TESTS) + "/" + name;
    std::ifstream in(path, std::ios::binary);
    entry->second.assign(std::istreambuf_iterator<char>(in), {});
    if (!in.good() && entry->second.empty()) throw Error("the kernel file '" + path + "' cannot be read");
  }
  return entry->second.c_str();
}

const compute::KernelLibrary& probe_kernels() {
  static const compute::KernelLibrary library{
      "kernel probes",
      {&probe_reduce, &probe_scan, &probe_rows, &probe_math, &probe_min_max, &probe_philox},
      {{"probes/common.cu", test_source("probes/common.cu")}}};
  return library;
}

}  // namespace foxhunt::kernels::test
