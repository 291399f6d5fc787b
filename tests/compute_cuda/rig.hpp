#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "compute/compute.hpp"

namespace foxhunt::compute::cuda::test {

/// The functions of the module, as the program finds them.
struct Module {
  Compute* (*open)(const Options*, char*, size_t);
  int (*compile)(const char*, const char*, const char*, const char* const*, const char* const*, size_t, int,
                 void (*)(void*, const void*, size_t), void*, char*, size_t);
  const char* (*compiler_version)();
};
const Module& module();

struct Opened {
  std::unique_ptr<Compute> compute;
  std::string reason;  ///< why there is none
};
Opened open_cuda(const Options& options);

/// Tests of this fixture need a GPU: without one they are skipped, and fail if FOXHUNT_REQUIRE_CUDA is 1.
class OnGpu : public ::testing::Test {
 protected:
  void SetUp() override;
};

/// One backend with tensors and a program under construction: add tensors, record, then `start`.
class Rig {
 public:
  explicit Rig(const KernelLibrary& library, Options options = parity());
  static Options parity();
  static Options fast(bool tf32);

  TensorId tensor(const std::string& name, fh_shape shape, fh_dtype dtype = FH_F32);
  /// Handle in the recording, writable.
  fh_tensor operator[](TensorId id) { return recording_->write(id); }
  Recorder record() { return recording_->recorder(); }
  Compute& compute() { return *compute_; }

  /// Gives the tensors memory. Mirrors are declared between this and `prepare`.
  void allocate() { compute_->allocate(tensors_); }
  void prepare() { executable_ = compute_->prepare(program_); }
  void run(int times = 1) {
    for (int i = 0; i < times; ++i) executable_->submit();
    compute_->wait_all();
  }
  Executable& executable() { return *executable_; }

  template <class T>
  void upload(TensorId id, const std::vector<T>& values) {
    compute_->upload(id, values.data(), values.size() * sizeof(T));
  }
  template <class T>
  std::vector<T> download(TensorId id) {
    std::vector<T> values(tensors_.bytes(id) / sizeof(T));
    compute_->download(id, values.data(), values.size() * sizeof(T));
    return values;
  }

 private:
  Tensors tensors_;
  Program program_;
  std::unique_ptr<Recording> recording_;
  std::unique_ptr<Compute> compute_;
  std::unique_ptr<Executable> executable_;
};

std::vector<float> random_values(size_t n, uint32_t seed);
/// Sets an environment variable for the life of the object.
class Environment {
 public:
  Environment(const char* name, const std::string& value);
  ~Environment();

 private:
  std::string name_, old_;
  bool had_;
};
/// A fresh folder, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};
/// The text of the Error that the call throws; a failed test if it throws none.
template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return {};
}

}  // namespace foxhunt::compute::cuda::test
