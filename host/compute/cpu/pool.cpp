#include "pool.hpp"

#include <algorithm>
#include <chrono>
#include <foxhunt/error.hpp>
#include <string>
#include <system_error>
#include <utility>

namespace foxhunt::compute::cpu {
namespace {

constexpr auto spin_time = std::chrono::microseconds(40);

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

Pool::Pool(int threads) {
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  try {
    for (int worker = 1; worker < threads; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
  } catch (const std::system_error& e) {
    const size_t started = threads_.size() + 1;
    stop();
    throw Error("trainer.threads = " + std::to_string(threads) + ": the system gave this process only " +
                std::to_string(started) + " (" + e.code().message() + "); ask for fewer, or raise its limits (ulimit -u, -v)");
  }
}

Pool::~Pool() { stop(); }

void Pool::stop() {
  {
    const std::lock_guard lock(sleep_guard_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void Pool::work(int worker) {
  for (int64_t i = next_.fetch_add(1); i < pieces_; i = next_.fetch_add(1)) try {
      function_(context_, i, worker);
    } catch (...) {
      next_.store(pieces_);
      const std::lock_guard lock(error_guard_);
      if (!error_) error_ = std::current_exception();
    }
}

void Pool::run_job(int64_t pieces, Function function, void* context) {
  function_ = function;
  context_ = context;
  pieces_ = pieces;
  next_.store(0);
  gate_.fetch_add(1);
  if (sleeping_.load() > 0) {
    { const std::lock_guard lock(sleep_guard_); }
    wake_.notify_all();
  }
  work(0);
  gate_.fetch_add(1);
  for (int spins = 0; inside_.load() != 0; ++spins) {
    pause_briefly();
    if (spins > 4096) std::this_thread::yield();
  }
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Pool::serve(int worker) {
  uint64_t seen = 0;  // the gate as this worker knows it; every change is a reason to stay awake a while
  while (!stop_) {
    const auto deadline = std::chrono::steady_clock::now() + spin_time;
    while (gate_.load() == seen && !stop_ && std::chrono::steady_clock::now() < deadline)
      for (int i = 0; i < 16; ++i) pause_briefly();
    if (gate_.load() == seen) {
      std::unique_lock lock(sleep_guard_);
      sleeping_.fetch_add(1);
      wake_.wait(lock, [&] { return gate_.load() != seen || stop_; });
      sleeping_.fetch_sub(1);
    }
    inside_.fetch_add(1);
    const uint64_t gate = gate_.load();
    if ((gate & 1) != 0 && gate != seen) work(worker);
    seen = gate;
    inside_.fetch_sub(1);
  }
}

}  // namespace foxhunt::compute::cpu
