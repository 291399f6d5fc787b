#include "paths.hpp"

#include <foxhunt/error.hpp>
#include <system_error>

#include "text.hpp"

namespace foxhunt {

namespace fs = std::filesystem;

fs::path executable() {
  std::error_code error;
  fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error(text("cannot tell where the program lies: /proc/self/exe: ", error.message()));
  return path;
}

fs::path share_folder() { return executable().parent_path().parent_path() / "share" / "foxhunt"; }

fs::path library_folder() {
  const fs::path prefix = executable().parent_path().parent_path();
  const fs::path installed = prefix / FOXHUNT_LIBDIR / "foxhunt";  // Debian: lib/x86_64-linux-gnu
  std::error_code error;
  return fs::is_directory(installed, error) ? installed : prefix / "lib" / "foxhunt";
}

fs::path plugin_folder() { return library_folder() / "plugins"; }

}  // namespace foxhunt
