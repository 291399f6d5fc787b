// Replaces the global allocation functions by ones that count.
#include <atomic>
#include <cstdlib>
#include <new>

#include "support.hpp"

namespace {
std::atomic<int64_t> count{0};
}  // namespace

int64_t foxhunt::compute::test::allocations() { return count; }

void* operator new(size_t bytes) {
  ++count;
  if (void* p = std::malloc(bytes ? bytes : 1)) return p;
  throw std::bad_alloc();
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  ++count;
  const auto step = static_cast<size_t>(alignment);
  if (void* p = std::aligned_alloc(step, (bytes + step - 1) / step * step)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
