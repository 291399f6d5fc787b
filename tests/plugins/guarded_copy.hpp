#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <span>
#include <string>

/// Bytes that end at the edge of a page that cannot be read: whoever reads beyond them gets a SIGSEGV, in any
/// build.
class GuardedCopy {
 public:
  explicit GuardedCopy(size_t capacity) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    size_ = (capacity + page - 1) / page * page;
    length_ = size_ + page;
    void* p = mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(static_cast<char*>(p) + size_, page, PROT_NONE) != 0)
      throw std::bad_alloc();
    begin_ = static_cast<std::byte*>(p);
  }
  ~GuardedCopy() { munmap(begin_, length_); }
  GuardedCopy(const GuardedCopy&) = delete;
  GuardedCopy& operator=(const GuardedCopy&) = delete;

  std::span<std::byte> put(std::span<const char> bytes) {
    std::byte* to = begin_ + size_ - bytes.size();
    std::memcpy(to, bytes.data(), bytes.size());
    return {to, bytes.size()};
  }

 private:
  std::byte* begin_ = nullptr;
  size_t size_ = 0, length_ = 0;
};
