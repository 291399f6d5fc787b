#pragma once
#include <cstddef>

namespace foxhunt::compute::cpu {

/// One zeroed allocation, aligned to a page, given back at the end.
class Arena {
 public:
  Arena() = default;
  /// @throws foxhunt::Error if the memory cannot be had.
  explicit Arena(size_t bytes);
  ~Arena();
  Arena(Arena&& o) noexcept : data_(o.data_), bytes_(o.bytes_) { o.data_ = nullptr, o.bytes_ = 0; }
  Arena& operator=(Arena&& o) noexcept;

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace foxhunt::compute::cpu
