#include "library.hpp"

#include <boost/dll/shared_library.hpp>
#include <foxhunt/error.hpp>
#include <memory>
#include <mutex>
#include <vector>

#include "../common/text.hpp"

namespace foxhunt::plugins {
namespace {

/// The loader's own words inside the message of Boost.DLL.
std::string loader_message(const std::string& what) {
  constexpr std::string_view before = "(dlerror system message: ";
  const size_t begin = what.find(before);
  if (begin == std::string::npos) return what;
  const size_t end = what.rfind(')');
  return what.substr(begin + before.size(), end - begin - before.size());
}

/// A plugin's objects and the texts of its kernels live as long as the process: it is never unloaded.
const boost::dll::shared_library& keep(std::unique_ptr<boost::dll::shared_library> library) {
  static std::mutex guard;
  static auto* kept = new std::vector<std::unique_ptr<boost::dll::shared_library>>;
  const std::lock_guard lock(guard);
  return *kept->emplace_back(std::move(library));
}

}  // namespace

fh_entry open_library(const std::filesystem::path& file) {
  using boost::dll::load_mode::rtld_local;
  using boost::dll::load_mode::rtld_now;
  try {
    const boost::dll::shared_library& library = keep(std::make_unique<boost::dll::shared_library>(
        std::filesystem::absolute(file).native(), rtld_now | rtld_local));
    if (!library.has(FH_ENTRY_SYMBOL))
      throw Error(text("it exports no function '" FH_ENTRY_SYMBOL "': FOXHUNT_PLUGIN(…) is missing"));
    return &library.get<const fh_plugin*()>(FH_ENTRY_SYMBOL);
  } catch (const boost::system::system_error& e) {
    throw Error(text("the system's loader refused it: ", loader_message(e.what())));
  }
}

}  // namespace foxhunt::plugins
