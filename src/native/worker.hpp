// What one thread computes with, and how it learns that it has to stop.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include "program.hpp"

namespace kleene {

// The stages of a step that `--profile` tells apart.
enum class Stage { focus, coerce, precondition, update, blur };
inline constexpr int kStages = 5;
using StageTimes = std::array<std::uint64_t, kStages>;  // nanoseconds

// Measures the stages of one thread; while an inner stage runs, the outer one's clock stands still.
class StageClock {
 public:
  bool on = false;
  StageTimes spent{};

  // Begins a stage (-1: none) and returns the one before.
  int enter(int stage) {
    const auto now = std::chrono::steady_clock::now();
    if (running_ >= 0) spent[running_] += std::chrono::nanoseconds(now - since_).count();
    since_ = now;
    return std::exchange(running_, stage);
  }

 private:
  int running_ = -1;
  std::chrono::steady_clock::time_point since_;
};

// A stage lasts as long as this lives.
class InStage {
 public:
  InStage(StageClock& clock, Stage stage) : clock_(clock.on ? &clock : nullptr) {
    if (clock_) before_ = clock_->enter(static_cast<int>(stage));
  }
  InStage(const InStage&) = delete;
  InStage& operator=(const InStage&) = delete;
  ~InStage() {
    if (clock_) clock_->enter(before_);
  }

 private:
  StageClock* clock_;
  int before_ = -1;
};

// Shared by the threads of one call. The thread that called looks for signals now and then; the others see `stopped`.
class Watch {
 public:
  explicit Watch(std::function<void()> look) : look_(std::move(look)) {}

  // Called often; `caller` says whether this is the thread that called. Throws `Interrupted`.
  void tick(std::uint32_t& count, bool caller) {
    if (++count & kTicksBetweenLooks) return;
    if (stopped_.load(std::memory_order_relaxed)) throw Interrupted{};
    if (caller) look_();
  }
  void stop() { stopped_.store(true, std::memory_order_relaxed); }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  static constexpr std::uint32_t kTicksBetweenLooks = 63;  // a tick is a few microseconds of work

 private:
  std::atomic<bool> stopped_{false};
  std::function<void()> look_;
};

inline constexpr int kNarrow = 64;  // the width up to which a rule is a fraction of a microsecond

template <int W>
struct Worker {
  Worker(const Signature& signature, int dirty_words) : pool(signature, dirty_words) {}

  DraftPool<W> pool;
  Temporaries<W> temporaries;
  Watch* watch = nullptr;
  StageClock* clock = nullptr;
  bool caller = true;
  std::uint32_t ticks = 0;

  InStage in(Stage stage) { return InStage(*clock, stage); }
  void tick() {
    if constexpr (W > kNarrow) ticks |= Watch::kTicksBetweenLooks;  // a tick of wide structures is much work
    watch->tick(ticks, caller);
  }

  // The value of an output after `run`.
  VectorOf<W> vector(const Program& program, int output, const Draft<W>& draft) const {
    return vector_at(program.outputs[output].place, draft, temporaries);
  }
  const Matrix<W>& matrix(const Program& program, int output, const Draft<W>& draft) const {
    return matrix_at(program.outputs[output].place, draft, temporaries);
  }
  const Matrix<W>* tensor(const Program& program, int output, const Draft<W>& draft) const {
    return tensor_at(program.outputs[output].place, draft, temporaries);
  }
};

// The workers of one thread, one for each width that it needs.
class Workers {
 public:
  Workers(const Signature& signature, int dirty_words) : signature_(signature), dirty_words_(dirty_words) {}

  StageClock clock;

  void begin(Watch& watch, bool caller, bool timed) {
    watch_ = &watch, caller_ = caller;
    clock.on = timed;
    clock.spent = {};
  }

  template <int W>
  Worker<W>& of(const Demand& demand) {
    std::unique_ptr<Worker<W>>& worker = std::get<std::unique_ptr<Worker<W>>>(workers_);
    if (!worker) worker = std::make_unique<Worker<W>>(signature_, dirty_words_);
    worker->watch = watch_;
    worker->clock = &clock;
    worker->caller = caller_;
    worker->temporaries.reserve(demand.most);
    return *worker;
  }

 private:
  const Signature& signature_;
  int dirty_words_;
  Watch* watch_ = nullptr;
  bool caller_ = true;
  std::tuple<std::unique_ptr<Worker<8>>, std::unique_ptr<Worker<16>>, std::unique_ptr<Worker<32>>,
             std::unique_ptr<Worker<64>>, std::unique_ptr<Worker<128>>, std::unique_ptr<Worker<256>>,
             std::unique_ptr<Worker<512>>>
      workers_;
};

// Calls f with each width from the smallest that holds n nodes, until it does not throw `NeedsWidth`.
template <int W = 8, class F>
void with_width(int n, F&& f) {
  if (n <= W) {
    try {
      return f.template operator()<W>();
    } catch (NeedsWidth) {
    }
  }
  if constexpr (W < kMostWidth)
    with_width<2 * W>(n, f);
  else
    throw NeedsPython{};
}

}  // namespace kleene
