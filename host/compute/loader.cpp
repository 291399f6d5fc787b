#include "loader.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/dll/shared_library.hpp>
#include <cerrno>
#include <cstring>
#include <foxhunt/error.hpp>
#include <memory>
#include <mutex>
#include <vector>

namespace foxhunt::compute {

struct LoadedLibrary::Impl {
  std::string name;
  boost::dll::shared_library library;

  static Impl* open(const std::string& path, const std::string& name) {
    auto impl = std::make_unique<Impl>(Impl{name, {}});
    try {
      impl->library.load(path, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    } catch (const std::exception& e) {  // its text holds the loader's own
      throw Error("'" + name + "' cannot be loaded: " + e.what());
    }
    static std::mutex guard;
    static auto* kept = new std::vector<Impl*>;  // for ever
    const std::lock_guard lock(guard);
    kept->push_back(impl.release());
    return kept->back();
  }
};

LoadedLibrary LoadedLibrary::from_file(const std::string& path) {
  return LoadedLibrary(Impl::open(path, path));
}

LoadedLibrary LoadedLibrary::from_bytes(std::span<const std::byte> bytes, const std::string& name) {
  const int fd = ::memfd_create("foxhunt-kernels", MFD_CLOEXEC);
  if (fd < 0) throw Error("no memory file for '" + name + "': " + std::strerror(errno) + ".");
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const std::string why = std::strerror(errno);
      ::close(fd);
      throw Error("no memory for the compiled '" + name + "': " + why + ".");
    }
    done += static_cast<size_t>(n);
  }
  // The loader knows libraries by their path, so the descriptor stays open: its number must not be used
  // again.
  return LoadedLibrary(Impl::open("/proc/self/fd/" + std::to_string(fd), name));
}

void* LoadedLibrary::function(const std::string& name) const {
  if (!impl_->library.has(name)) throw Error("'" + impl_->name + "' has no function '" + name + "'.");
  return reinterpret_cast<void*>(&impl_->library.get<void()>(name));
}

}  // namespace foxhunt::compute
