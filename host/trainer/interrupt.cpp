#include "interrupt.hpp"

#include <csignal>

namespace foxhunt::trainer {

namespace {

volatile std::sig_atomic_t signals = 0;
struct sigaction before_int, before_term;

void on_signal(int number) {
  if (signals != 0) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
  signals = 1;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  signals = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &before_int);
  sigaction(SIGTERM, &action, &before_term);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &before_int, nullptr);
  sigaction(SIGTERM, &before_term, nullptr);
}

bool InterruptGuard::requested() { return signals != 0; }

}  // namespace foxhunt::trainer
