#pragma once
#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace foxhunt::compute {

/// Calls body(i) for i in [0, n), as many at once as there are cores: for jobs of a compiler's length.
/// All are tried; then the exception of the smallest i is thrown.
template <class Body>
void in_parallel(size_t n, Body&& body) {
  std::atomic<size_t> next{0};
  std::vector<std::exception_ptr> errors(n);
  const auto work = [&] {
    for (size_t i = next++; i < n; i = next++) try {
        body(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
  };
  const size_t at_once = std::min<size_t>(n, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  try {
    for (size_t i = 1; i < at_once; ++i) threads.emplace_back(work);
  } catch (const std::system_error&) {
    // No more threads to be had: those that there are do it all.
  }
  work();
  for (std::thread& t : threads) t.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace foxhunt::compute
