#include "base/thread_pool.h"

#include <algorithm>

#include "base/parallel.h"

namespace loa {

int threads_or_all_cores(int threads) {
  return threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

ThreadPool::ThreadPool(int num_threads) {
  for (int thread = 1; thread < num_threads; ++thread) threads_.emplace_back([this, thread] { wait_for_work(thread); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
}

void ThreadPool::run(int count, const std::function<void(int, int)>& work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    count_ = count;
    next_ = 0;
    busy_ = static_cast<int>(threads_.size());
    error_ = nullptr;
    ++round_;
  }
  wake_.notify_all();
  take_indices(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  if (error_) std::rethrow_exception(error_);
}

void ThreadPool::wait_for_work(int thread) {
  std::uint64_t seen = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || round_ != seen; });
      if (stopping_) return;
      seen = round_;
    }
    take_indices(thread);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) done_.notify_one();
  }
}

void ThreadPool::take_indices(int thread) {
  SerialScope scope;  // the threads are busy side by side already
  while (true) {
    int index;
    {
      const std::lock_guard lock(mutex_);
      if (next_ >= count_) return;
      index = next_++;
    }
    try {
      (*work_)(index, thread);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      next_ = count_;
    }
  }
}

}  // namespace loa
