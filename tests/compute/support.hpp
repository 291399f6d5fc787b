#pragma once
#include <cstdlib>
#include <filesystem>
#include <foxhunt/kernel.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compute/compute.hpp"

namespace foxhunt::compute::test {

/// y = a x + y, element-wise.
FOXHUNT_KERNEL(test_axpy, "test/basic.cu", 256,
               FOXHUNT_PARAMS({"x", FH_F32, FH_IN}, {"y", FH_F32, FH_INOUT}, {"a", FH_F32, FH_SCALAR},
                              {"n", FH_I32, FH_SCALAR}),
               FOXHUNT_NO_CONSTANTS, nullptr);

/// out[row] = sum of the row, through shared memory; one block per row.
inline uint64_t row_bytes(const int64_t* constants, uint32_t) {
  return static_cast<uint64_t>(constants[0]) * sizeof(double);
}
FOXHUNT_KERNEL(test_row_sum, "test/rows.cu", 32,
               FOXHUNT_PARAMS({"x", FH_F32, FH_IN}, {"out", FH_F32, FH_OUT}, {"poisoned", FH_I32, FH_OUT}),
               FOXHUNT_CONSTANTS("WIDTH", "FACTOR"), row_bytes);

/// Every scalar type once; out holds them as doubles.
FOXHUNT_KERNEL(test_scalars, "test/scalars.cu", 1,
               FOXHUNT_PARAMS({"a", FH_F32, FH_SCALAR}, {"b", FH_I32, FH_SCALAR}, {"c", FH_U32, FH_SCALAR},
                              {"d", FH_U8, FH_SCALAR}, {"e", FH_F64, FH_SCALAR}, {"f", FH_I64, FH_SCALAR},
                              {"g", FH_U64, FH_SCALAR}, {"out", FH_F64, FH_OUT}),
               FOXHUNT_NO_CONSTANTS, nullptr);

const KernelLibrary& library();

/// A library with a single kernel file of this text.
struct OneFile {
  OneFile(std::string owner, const fh_kernel& kernel, std::string text);
  std::string text;
  KernelLibrary library;
};

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path() const { return path_.string(); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// An environment variable for the length of a scope.
class Setting {
 public:
  Setting(const char* name, const std::string& value);
  ~Setting();
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// The text of the foxhunt::Error that the call throws; empty if it throws none.
template <class F>
std::string error_of(F&& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

/// Calls of operator new in this process so far.
int64_t allocations();

/// Tensors, a program and a cpu device to run it on.
struct Rig {
  Tensors tensors;
  Program program;
  std::unique_ptr<Compute> compute;
  std::unique_ptr<Executable> executable;

  TensorId add(const std::string& name, fh_shape shape, fh_dtype dtype = FH_F32,
               Lifetime lifetime = Lifetime::resident);
  Recording record(const std::string& owner = "", const std::string& step = "step",
                   const KernelLibrary& kernels = library());
  void prepare(int threads = 2, Profile profile = Profile::fast);
  void put(TensorId id, const std::vector<float>& values) {
    compute->upload(id, values.data(), values.size() * 4);
  }
  template <class T = float>
  std::vector<T> get(TensorId id) {
    std::vector<T> values(static_cast<size_t>(elements_of(tensors[id].shape)));
    compute->download(id, values.data(), values.size() * sizeof(T));
    return values;
  }
};

}  // namespace foxhunt::compute::test
