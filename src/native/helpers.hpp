// Threads that help others. After a job they wait for the next one for a short time, so most jobs start no thread.
#pragma once

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace kleene {

// Something that several threads do together; a thread that comes late finds nothing to do.
class Job {
 public:
  virtual ~Job() = default;
  virtual void help() = 0;
};

class Helpers {
 public:
  // A process that was forked has none of the threads of the other one, and perhaps locks that nobody opens: it begins
  // anew. What it had is kept, as threads may use it until the end.
  static Helpers& of_this_process() {
    static std::atomic<Helpers*> known{nullptr};
    Helpers* found = known.load(std::memory_order_acquire);
    while (!found || found->process_ != getpid()) {
      auto made = std::make_unique<Helpers>();
      if (known.compare_exchange_strong(found, made.get(), std::memory_order_acq_rel)) found = made.release();
    }
    return *found;
  }

  // Asks for the help of some threads; nobody knows when they come.
  void ask(const std::shared_ptr<Job>& job, int threads) {
    int missing = 0;
    {
      const std::lock_guard lock(mutex_);
      for (int k = 0; k < threads; ++k) jobs_.push_back(job);
      for (; threads_ < threads; ++threads_) ++missing;
    }
    for (int k = missing; k < threads; ++k) asked_.notify_one();
    for (; missing > 0; --missing) {
      try {
        std::thread([this] { run(); }).detach();
      } catch (const std::system_error&) {  // no more threads: fewer will do
        const std::lock_guard lock(mutex_);
        threads_ -= missing;
        return;
      }
    }
  }

  // No help is needed any more; who is at it goes on.
  void forget(const std::shared_ptr<Job>& job) {
    const std::lock_guard lock(mutex_);
    std::erase(jobs_, job);
  }

 private:
  void run() {
    sigset_t all;  // signals are for the threads of Python
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::unique_lock lock(mutex_);
    while (asked_.wait_for(lock, kPatience, [&] { return !jobs_.empty(); })) {
      std::shared_ptr<Job> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job->help();
      job.reset();
      lock.lock();
    }
    --threads_;
  }

  static constexpr std::chrono::milliseconds kPatience{50};  // between two batches there is a millisecond or less
  const pid_t process_ = getpid();
  std::mutex mutex_;
  std::condition_variable asked_;
  std::deque<std::shared_ptr<Job>> jobs_;
  int threads_ = 0;  // that were started and have not ended
};

}  // namespace kleene
