#include "batch.hpp"

#include <atomic>
#include <memory>
#include <utility>

#include "team.hpp"

namespace kleene {

namespace {

constexpr std::size_t kTogether = 8;            // structures that a thread takes at once
constexpr std::size_t kFewest = 8 * kTogether;  // for each thread: below that, starting one does not pay

StepOutcome one(const Action& action, const Demand& demand, const Record& structure, Workers& workers) {
  try {
    const int least = structure.n + (action.creates ? 1 : 0);
    return with_width(least, [&]<int W>() { return step<W>(action, structure, workers.of<W>(demand)); });
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

}  // namespace

std::vector<StepOutcome> step_all(const Action& action, const std::vector<RecordRef>& structures, int threads,
                                  Crew& crew, Watch& watch, StageTimes* times) {
  const std::size_t count = structures.size();
  const auto useful = static_cast<int>(count / kFewest);
  std::vector<StepOutcome> outcomes(count);
  Demand demand = action.demand;
  demand.include(action.rules.demand.most);  // the rules may have got programs since the action was made
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  Team::run(std::clamp(useful, 1, std::max(1, threads)), watch, [&](bool caller) {
    std::unique_ptr<Workers> workers = crew.take();
    workers->begin(watch, caller, times != nullptr);
    std::size_t first;
    while (!watch.stopped() && (first = next.fetch_add(kTogether)) < count)
      for (std::size_t k = first; k < std::min(first + kTogether, count); ++k)
        outcomes[k] = one(action, demand, *structures[k], *workers);
    if (times) {
      const std::lock_guard lock(mutex);
      for (int k = 0; k < kStages; ++k) (*times)[k] += workers->clock.spent[k];
    }
    crew.give(std::move(workers));
  });
  return outcomes;
}

}  // namespace kleene
