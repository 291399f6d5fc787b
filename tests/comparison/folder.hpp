#pragma once
#include <filesystem>
#include <foxhunt/error.hpp>
#include <fstream>
#include <string>
#include <unistd.h>

namespace foxhunt::comparison::test {

namespace fs = std::filesystem;

/// A folder that is gone afterwards.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "foxhunt-comparison-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }

  fs::path write(const std::string& name, const std::string& content) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << content;
    return path_ / name;
  }

 private:
  fs::path path_;
};

template <class F>
std::string error_of(F&& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

}  // namespace foxhunt::comparison::test
