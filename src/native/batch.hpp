// An action on many structures, divided among threads; the results do not depend on how many there are.
#pragma once

#include <mutex>

#include "transformer.hpp"

namespace kleene {

// Keeps the workers of threads between batches.
class Crew {
 public:
  Crew(const Signature& signature, int dirty_words) : signature_(signature), dirty_words_(dirty_words) {}

  std::unique_ptr<Workers> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Workers>(signature_, dirty_words_);
    std::unique_ptr<Workers> workers = std::move(idle_.back());
    idle_.pop_back();
    return workers;
  }
  void give(std::unique_ptr<Workers> workers) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(workers));
  }

 private:
  const Signature& signature_;
  int dirty_words_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workers>> idle_;
};

// What an action leads to from a batch. If structures are unfinished, the outcome lacks what they lead to.
struct BatchOutcome {
  struct Unfinished {
    std::size_t number;
    bool general;  // programs for structures with maybe-active nodes are needed; else the Python machine
  };
  StepOutcome outcome;
  std::vector<Unfinished> unfinished;
};

// `watch` is told to stop when something is thrown, so that all threads end; what was thrown is thrown again.
// `times` gets what all threads spent in each stage; null: nothing is measured.
BatchOutcome step_all(const Action& action, const std::vector<RecordRef>& structures, int threads, Crew& crew,
                      Watch& watch, StageTimes* times);

}  // namespace kleene
