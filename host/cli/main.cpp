#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "../common/log.hpp"
#include "../compute/warning.hpp"
#include "commands.hpp"
#include "print.hpp"

namespace {

// Otherwise the first file that the program opens would get the number of a closed standard stream, and lines
// meant for people would end up in it.
void open_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd)
    if (fcntl(fd, F_GETFD) == -1) (void)!open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
}

int fail(std::string_view what) {
  // Some messages begin with the program's name, as the owner of a kernel; log::error puts it in front of all.
  constexpr std::string_view name = "foxhunt: ";
  if (what.starts_with(name)) what.remove_prefix(name.size());
  foxhunt::log::error(what);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  // A reader of standard output that goes away must not cost a run its checkpoint.
  std::signal(SIGPIPE, SIG_IGN);
  foxhunt::compute::set_warning_sink([](const std::string& text) { foxhunt::log::warning(text); });
  try {
    const int code = foxhunt::cli::run(std::vector<std::string>(argv, argv + argc));
    if (foxhunt::cli::finish_output()) return code;
    fail("standard output could not be written; is its disk full?");
    return code == 0 ? 1 : code;
  } catch (const std::bad_alloc&) {
    return fail("out of memory; make the market, trainer.accounts or replay.capacity smaller");
  } catch (const std::exception& e) {
    return fail(e.what());
  }
}
