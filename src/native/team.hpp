// Threads that share the work of one call.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "helpers.hpp"
#include "worker.hpp"

namespace kleene {

class Team : public Job {
 public:
  // Each thread calls `work(caller)` once; it returns when nothing is left to do. `caller` says whether this is the
  // thread that called. `watch` is told to stop when something is thrown, and what was thrown is thrown again.
  static void run(int threads, Watch& watch, std::function<void(bool caller)> work) {
    if (threads < 2) return work(true);
    const std::shared_ptr<Team> team(new Team(watch, std::move(work)));
    Helpers& helpers = Helpers::of_this_process();
    helpers.ask(team, threads - 1);
    team->do_work(true);
    helpers.forget(team);
    team->wait();
    if (std::exception_ptr error = std::exchange(team->error_, nullptr)) std::rethrow_exception(error);
  }

  // Calls `work(part, caller)` for each part; a thread takes the next part when it is done with one.
  template <class F>
  static void share(std::size_t parts, int threads, Watch& watch, F work) {
    std::atomic<std::size_t> next{0};
    run(threads, watch, [&](bool caller) {
      std::size_t part;
      while (!watch.stopped() && (part = next.fetch_add(1)) < parts) work(part, caller);
    });
  }

 private:
  Team(Watch& watch, std::function<void(bool)> work) : watch_(watch), work_(std::move(work)) {}

  void do_work(bool caller) {
    try {
      work_(caller);
    } catch (...) {
      watch_.stop();
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  // A thread that begins when all is done has nothing to do, and nobody waits for it.
  void help() override {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return;
      ++running_;
    }
    do_work(false);
    const std::lock_guard lock(mutex_);
    --running_;
    ended_.notify_one();
  }

  // The thread that called goes on looking for signals while the others finish.
  void wait() {
    std::unique_lock lock(mutex_);
    std::uint32_t ticks = 0;
    closed_ = true;
    while (running_ > 0) {
      ended_.wait_for(lock, std::chrono::milliseconds(kWait));
      lock.unlock();
      try {
        for (int k = 0; k < 64; ++k) watch_.tick(ticks, true);
      } catch (...) {
        watch_.stop();
        const std::lock_guard again(mutex_);
        if (!error_) error_ = std::current_exception();
      }
      lock.lock();
    }
  }

  static constexpr int kWait = 10;  // milliseconds
  Watch& watch_;
  std::function<void(bool)> work_;
  std::mutex mutex_;
  std::condition_variable ended_;
  int running_ = 0;
  bool closed_ = false;
  std::exception_ptr error_;
};

}  // namespace kleene
