// A few threads that wait for work, so that a short parallel loop does not pay for starting them.
//
// Layer: base. What runs on which thread is left open; a caller that wants the same result for any number of threads
// lets each index write to a place of its own and adds up afterwards in order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace loa {

// `threads`, or for 0 as many as there are cores.
int threads_or_all_cores(int threads);

class ThreadPool {
 public:
  // REQUIRES: num_threads >= 1, the calling thread included.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return static_cast<int>(threads_.size()) + 1; }

  // Calls work(index, thread) for every index in [0, count), thread in [0, num_threads). Returns when all are done. The
  // first exception is thrown again here. Not to be called from two threads at once.
  void run(int count, const std::function<void(int index, int thread)>& work);

 private:
  void wait_for_work(int thread);
  void take_indices(int thread);

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int, int)>* work_ = nullptr;
  int count_ = 0, next_ = 0, busy_ = 0;
  std::uint64_t round_ = 0;
  bool stopping_ = false;
  std::exception_ptr error_;
  std::vector<std::jthread> threads_;
};

}  // namespace loa
