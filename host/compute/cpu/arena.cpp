#include "arena.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <foxhunt/error.hpp>
#include <utility>

namespace foxhunt::compute::cpu {

Arena::Arena(size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    throw Error("the tensors need " + std::to_string(bytes >> 20) +
                " MiB of memory, which this machine does not give (" + std::strerror(errno) +
                "). Use smaller batches, a shorter replay buffer or a smaller net.");
  ::madvise(p, bytes, MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(p);
}

Arena::~Arena() {
  if (data_) ::munmap(data_, bytes_);
}

Arena& Arena::operator=(Arena&& o) noexcept {
  std::swap(data_, o.data_);
  std::swap(bytes_, o.bytes_);
  return *this;
}

}  // namespace foxhunt::compute::cpu
