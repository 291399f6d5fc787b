#include "log.hpp"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "text.hpp"

namespace foxhunt::log {

namespace {

/// Standard error with a status line at its bottom. spdlog's mutex guards both.
class Sink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void set_status(std::string_view line) {
    const std::lock_guard lock(mutex_);
    put(line.empty() && !status_.empty() ? "\r\x1b[K" : "");
    status_ = line;
    draw();
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    std::string line = status_.empty() ? "" : "\r\x1b[K";
    const bool colour = terminal().colour;
    if (message.level == spdlog::level::warn) line += colour ? "\x1b[33mwarning:\x1b[0m " : "warning: ";
    if (message.level == spdlog::level::err) line += colour ? "\x1b[31mfoxhunt:\x1b[0m " : "foxhunt: ";
    line.append(message.payload.data(), message.payload.size());
    put(line += '\n');
    draw();
  }
  void flush_() override { std::fflush(stderr); }

 private:
  static void put(std::string_view line) {
    if (!line.empty()) std::fwrite(line.data(), 1, line.size(), stderr);
  }
  void draw() {
    if (!status_.empty()) put(text('\r', status_, "\x1b[K"));
    std::fflush(stderr);
  }
  std::string status_;
};

/// Leaked on purpose: lines may still come while static objects are destroyed.
Sink& sink() {
  static const auto& instance = *new std::shared_ptr<Sink>(std::make_shared<Sink>());
  return *instance;
}

spdlog::logger& logger() {
  static auto& instance = *[] {
    // The logger shares ownership of a sink that is never destroyed.
    return new spdlog::logger("foxhunt", std::shared_ptr<Sink>(std::shared_ptr<Sink>(), &sink()));
  }();
  return instance;
}

spdlog::string_view_t view(std::string_view line) { return {line.data(), line.size()}; }

}  // namespace

void info(std::string_view line) { logger().log(spdlog::level::info, view(line)); }
void warning(std::string_view line) { logger().log(spdlog::level::warn, view(line)); }
void error(std::string_view line) { logger().log(spdlog::level::err, view(line)); }
void quiet() { logger().set_level(spdlog::level::warn); }
void status(std::string_view line) { sink().set_status(line); }

namespace {

Terminal terminal_of(int fd) {
  Terminal result;
  const auto variable = [](const char* name) -> std::string_view {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  result.interactive = isatty(fd) == 1 && variable("TERM") != "dumb";
  result.colour = result.interactive && variable("NO_COLOR").empty();
  winsize size{};
  if (result.interactive && ioctl(fd, TIOCGWINSZ, &size) == 0) {
    if (size.ws_col > 0) result.columns = size.ws_col;
    if (size.ws_row > 0) result.rows = size.ws_row;
  }
  return result;
}

}  // namespace

Terminal terminal() { return terminal_of(STDERR_FILENO); }
Terminal output_terminal() { return terminal_of(STDOUT_FILENO); }

}  // namespace foxhunt::log
