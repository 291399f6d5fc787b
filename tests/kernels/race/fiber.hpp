#pragma once
#include <ucontext.h>

// Nothing in this folder is instrumented: to ThreadSanitizer the scheduler is the hardware.

namespace foxhunt::kernels::test {

/// A flow of control with its own stack that ThreadSanitizer takes for a thread. Switching to it and back
/// orders nothing: only what the jobs release and acquire does.
class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs job(argument) until it suspends or ends. From the main flow alone.
  /// @param name  what reports call it
  void start(void (*job)(void*), void* argument, const char* name);
  /// Goes on after a suspend().
  void resume();
  /// Back to the main flow. From the running job alone.
  static void suspend();

 private:
  static void entry();
  ucontext_t context_;
  void* stack_;
  void* sanitizer_;
  void (*job_)(void*) = nullptr;
  void* argument_ = nullptr;
};

}  // namespace foxhunt::kernels::test
