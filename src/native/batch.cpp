#include "batch.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <thread>
#include <utility>

namespace kleene {

namespace {

constexpr std::size_t kTogether = 8;            // structures that a thread takes at once
constexpr std::size_t kFewest = 8 * kTogether;  // for each thread: below that, starting one does not pay

StepOutcome one(const Action& action, const Record& structure, Workers& workers) {
  try {
    return with_width(structure.n, [&]<int W>() { return step<W>(action, structure, workers.of<W>(action.demand)); });
  } catch (const NeedsPython&) {
    StepOutcome outcome;
    outcome.status = Status::needs_python;
    return outcome;
  } catch (NeedsGeneral) {
    StepOutcome outcome;
    outcome.status = Status::needs_general;
    return outcome;
  }
}

class Division {
 public:
  Division(const Action& action, const std::vector<RecordRef>& structures, Crew& crew, Watch& watch, StageTimes* times)
      : outcomes(structures.size()),
        action_(action),
        structures_(structures),
        crew_(crew),
        watch_(watch),
        times_(times) {}

  void work(bool caller) {
    std::unique_ptr<Workers> workers = crew_.take();
    workers->begin(watch_, caller, times_ != nullptr);
    try {
      std::size_t first;
      while (!watch_.stopped() && (first = next_.fetch_add(kTogether)) < structures_.size())
        for (std::size_t k = first; k < std::min(first + kTogether, structures_.size()); ++k)
          outcomes[k] = one(action_, *structures_[k], *workers);
    } catch (...) {
      watch_.stop();
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
    if (times_) {
      const std::lock_guard lock(mutex_);
      for (int k = 0; k < kStages; ++k) (*times_)[k] += workers->clock.spent[k];
    }
    crew_.give(std::move(workers));
  }

  // Threads that begin when all is done have nothing to do, and nobody waits for them: `self` keeps alive what they
  // look at.
  static void run(const std::shared_ptr<Division>& self, int threads) {
    try {
      for (int k = 1; k < threads; ++k) std::thread([self] { self->help(); }).detach();
    } catch (const std::system_error&) {  // no more threads: fewer will do
    }
    self->work(true);
    self->wait();
    if (std::exception_ptr error = std::exchange(self->error_, nullptr)) std::rethrow_exception(error);
  }

  std::vector<StepOutcome> outcomes;

 private:
  void help() {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return;
      ++running_;
    }
    work(false);
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

  static constexpr int kWait = 10;
  const Action& action_;
  const std::vector<RecordRef>& structures_;
  Crew& crew_;
  Watch& watch_;
  StageTimes* times_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable ended_;
  int running_ = 0;
  bool closed_ = false;
  std::exception_ptr error_;
};

}  // namespace

std::vector<StepOutcome> step_all(const Action& action, const std::vector<RecordRef>& structures, int threads,
                                  Crew& crew, Watch& watch, StageTimes* times) {
  const auto useful = static_cast<int>(structures.size() / kFewest);
  const auto division = std::make_shared<Division>(action, structures, crew, watch, times);
  Division::run(division, std::clamp(useful, 1, std::max(1, threads)));
  return std::move(division->outcomes);
}

}  // namespace kleene
