// What one thread computes with, and how it learns that it has to stop.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <tuple>

#include "program.hpp"

namespace kleene {

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

 private:
  static constexpr std::uint32_t kTicksBetweenLooks = 63;  // a tick is a few microseconds of work
  std::atomic<bool> stopped_{false};
  std::function<void()> look_;
};

template <int W>
struct Worker {
  Worker(const Signature& signature, int dirty_words) : pool(signature, dirty_words) {}

  DraftPool<W> pool;
  Temporaries<W> temporaries;
  Watch* watch = nullptr;
  bool caller = true;
  std::uint32_t ticks = 0;

  void tick() { watch->tick(ticks, caller); }

  // The value of an output after `run`.
  Vector vector(const Program& program, int output, const Draft<W>& draft) const {
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

  void begin(Watch& watch, bool caller) { watch_ = &watch, caller_ = caller; }

  template <int W>
  Worker<W>& of(const Demand& demand) {
    std::unique_ptr<Worker<W>>& worker = std::get<std::unique_ptr<Worker<W>>>(workers_);
    if (!worker) worker = std::make_unique<Worker<W>>(signature_, dirty_words_);
    worker->watch = watch_;
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
             std::unique_ptr<Worker<64>>>
      workers_;
};

// Calls f with each width from the smallest that holds n nodes, until it does not throw `NeedsWidth`.
template <class F>
auto with_width(int n, F&& f) {
  const int first = width_for(n);
  try {
    if (first == 8) return f.template operator()<8>();
  } catch (NeedsWidth) {
  }
  try {
    if (first <= 16) return f.template operator()<16>();
  } catch (NeedsWidth) {
  }
  try {
    if (first <= 32) return f.template operator()<32>();
  } catch (NeedsWidth) {
  }
  try {
    return f.template operator()<64>();
  } catch (NeedsWidth) {
    throw NeedsPython{};
  }
}

}  // namespace kleene
