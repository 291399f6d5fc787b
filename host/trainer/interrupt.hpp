#pragma once

namespace foxhunt::trainer {

/// While it lives, SIGINT and SIGTERM only set a flag; a second signal ends the program at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool requested();
};

}  // namespace foxhunt::trainer
