#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace foxhunt::compute::cpu {

/// Worker threads that share the pieces of one job at a time. The caller works as well, as worker 0. Idle
/// workers spin for some tens of microseconds, so that a chain of short jobs finds them awake, and then
/// sleep. A job allocates nothing. Only one thread may start jobs, and not from within a job.
class Pool {
 public:
  /// @param threads  workers, the caller included; 0: one per core this process may use
  /// @throws foxhunt::Error if the system does not give so many.
  explicit Pool(int threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int threads() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls body(piece, worker) for each piece in [0, pieces), in no order, and returns when all are done. The
  /// first exception ends the job early and is thrown here.
  template <class Body>
  void run(int64_t pieces, Body&& body) {
    if (pieces <= 1 || threads_.empty()) {
      for (int64_t i = 0; i < pieces; ++i) body(i, 0);
      return;
    }
    using Type = std::remove_reference_t<Body>;
    run_job(
        pieces, [](void* context, int64_t i, int worker) { (*static_cast<Type*>(context))(i, worker); },
        const_cast<void*>(static_cast<const void*>(&body)));
  }

 private:
  using Function = void (*)(void* context, int64_t piece, int worker);
  void stop();
  void run_job(int64_t pieces, Function function, void* context);
  void work(int worker);
  void serve(int worker);

  // The job. Written only while no worker is inside.
  Function function_ = nullptr;
  void* context_ = nullptr;
  int64_t pieces_ = 0;
  std::exception_ptr error_;
  std::mutex error_guard_;

  // Odd while a job can be entered. A worker announces itself in `inside_` before it looks at the gate, and
  // the caller closes the gate before it looks at `inside_`: so either the worker finds it closed or the
  // caller waits for the worker. Both need sequential consistency.
  alignas(64) std::atomic<uint64_t> gate_{0};
  alignas(64) std::atomic<int> inside_{0};
  alignas(64) std::atomic<int64_t> next_{0};

  alignas(64) std::atomic<int> sleeping_{0};
  std::atomic<bool> stop_{false};
  std::mutex sleep_guard_;
  std::condition_variable wake_;
  std::vector<std::thread> threads_;
};

}  // namespace foxhunt::compute::cpu
