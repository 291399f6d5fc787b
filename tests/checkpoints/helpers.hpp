#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <foxhunt/checkpoints/tensor.hpp>
#include <foxhunt/error.hpp>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace foxhunt::checkpoints::test {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::path(testing::TempDir()) / "foxhunt-checkpoints-XXXXXX").string();
    if (!mkdtemp(name.data())) throw Error("cannot make a temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    fs::permissions(path_, fs::perms::owner_all, error);
    fs::remove_all(path_, error);
  }
  fs::path operator/(const std::string& name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(path_)) out.push_back(entry.path().filename().string());
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  fs::path path_;
};

inline std::vector<char> file_bytes(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// In place where the size stays: file systems sync a file that was truncated and written anew.
inline void write_bytes(const fs::path& file, std::span<const char> bytes) {
  std::error_code error;
  const bool in_place = fs::file_size(file, error) == bytes.size() && !error;
  std::fstream out(file, std::ios::binary | std::ios::out | (in_place ? std::ios::in : std::ios::trunc));
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// The text of the Error that `action` throws; a test failure if it throws none.
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A checkpoint of several kinds of tensors whose values follow from `seed` alone.
struct Sample {
  std::vector<float> weight = std::vector<float>(40 * 9);
  std::vector<double> moment = std::vector<double>(40 * 9);
  std::vector<std::uint64_t> counter = std::vector<std::uint64_t>(4);
  std::int64_t t = 0;

  explicit Sample(std::uint64_t seed) : t(static_cast<std::int64_t>(seed)) {
    std::mt19937_64 random(seed);
    for (float& x : weight) x = static_cast<float>(random() >> 40) * 0x1p-24f;
    for (double& x : moment) x = static_cast<double>(random() >> 11) * 0x1p-53;
    for (auto& x : counter) x = random();
  }
  std::vector<TensorView> views() {
    return {view("/heads/c51/online/w", {40, 9}, std::span(weight), {"in", "action"}, "1"),
            view("/heads/c51/adam/m/w", {40, 9}, std::span(moment)),
            view("/rng/counter", {4}, std::span(counter)), scalar_view("/optimizer/heads/t", t)};
  }
  Checkpoint checkpoint() {
    const auto all = views();
    return {{{"step", t}, {"device", "cpu"}}, {all.begin(), all.end()}};
  }
  bool operator==(const Sample&) const = default;
};

/// Runs `action` in a child process, as an ordinary user where we are root; true if it returned true.
inline bool in_child_as_user(const std::function<bool()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(2);
    bool good = false;
    try {
      good = action();
    } catch (...) {
    }
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace foxhunt::checkpoints::test
