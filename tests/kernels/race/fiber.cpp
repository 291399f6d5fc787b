#include "fiber.hpp"

#include <sanitizer/tsan_interface.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <foxhunt/error.hpp>

namespace foxhunt::kernels::test {
namespace {

// A report is made on the stack of the fiber that it finds. Pages that are not touched cost nothing.
constexpr size_t stack_bytes = 512 * 1024;

ucontext_t main_context;
void* main_sanitizer = nullptr;
Fiber* running = nullptr;

}  // namespace

Fiber::Fiber() {
  if (!main_sanitizer) main_sanitizer = __tsan_get_current_fiber();
  stack_ = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
  if (stack_ == MAP_FAILED)
    throw Error(std::string("no memory for the stack of a fiber: ") + std::strerror(errno));
  ::getcontext(&context_);
  context_.uc_stack.ss_sp = stack_;
  context_.uc_stack.ss_size = stack_bytes;
  context_.uc_link = nullptr;
  ::makecontext(&context_, &Fiber::entry, 0);
  sanitizer_ = __tsan_create_fiber(0);
}

Fiber::~Fiber() {
  __tsan_destroy_fiber(sanitizer_);
  ::munmap(stack_, stack_bytes);
}

void Fiber::start(void (*job)(void*), void* argument, const char* name) {
  job_ = job;
  argument_ = argument;
  __tsan_set_fiber_name(sanitizer_, name);
  resume();
}

void Fiber::resume() {
  running = this;
  __tsan_switch_to_fiber(sanitizer_, __tsan_switch_to_fiber_no_sync);
  ::swapcontext(&main_context, &context_);
  running = nullptr;
}

void Fiber::suspend() {
  Fiber* const me = running;
  __tsan_switch_to_fiber(main_sanitizer, __tsan_switch_to_fiber_no_sync);
  ::swapcontext(&me->context_, &main_context);
}

void Fiber::entry() {
  for (;;) {
    running->job_(running->argument_);
    suspend();
  }
}

}  // namespace foxhunt::kernels::test
