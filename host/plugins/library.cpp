#include "library.hpp"

#include <boost/dll/shared_library.hpp>
#include <foxhunt/error.hpp>

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

}  // namespace

fh_entry open_library(const std::filesystem::path& file) {
  using boost::dll::load_mode::rtld_local;
  using boost::dll::load_mode::rtld_now;
  try {
    // Never deleted: a plugin's objects and kernels' texts live as long as the process.
    auto* library =
        new boost::dll::shared_library(std::filesystem::absolute(file).native(), rtld_now | rtld_local);
    if (!library->has(FH_ENTRY_SYMBOL))
      throw Error(text("it exports no function '" FH_ENTRY_SYMBOL "': FOXHUNT_PLUGIN(…) is missing"));
    return &library->get<const fh_plugin*()>(FH_ENTRY_SYMBOL);
  } catch (const boost::system::system_error& e) {
    throw Error(text("the system's loader refused it: ", loader_message(e.what())));
  }
}

}  // namespace foxhunt::plugins
