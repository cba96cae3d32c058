#include "batch.hpp"

#include <atomic>
#include <memory>
#include <utility>

#include "team.hpp"

namespace kleene {

namespace {

constexpr std::size_t kTogether = 16;           // structures that a thread takes at once
constexpr std::size_t kFewest = 2 * kTogether;  // for each thread: below that, waking one does not pay

void add_one(const Action& action, const Demand& demand, const Record& structure, std::size_t number, Workers& workers,
             BatchOutcome& to) {
  const StepOutcome::Mark before = to.outcome.mark();
  const auto give_up = [&](bool general) {
    to.outcome.cut(before);
    to.unfinished.push_back({number, general});
  };
  try {
    const int least = structure.n + (action.creates ? 1 : 0);
    int tries = 0;
    with_width(action.nodes_to_begin_with(least), [&]<int W>() {
      if (++tries == 2) action.note_width(least, false);
      to.outcome.cut(before);  // of a smaller width
      step<W>(action, structure, workers.of<W>(demand), to.outcome);
    });
    if (tries == 1) action.note_width(least, true);
  } catch (const NeedsPython&) {
    give_up(false);
  } catch (NeedsGeneral) {
    give_up(true);
  }
}

// The outcomes of the parts of a batch, in order.
BatchOutcome united(std::vector<BatchOutcome>& parts) {
  std::size_t results = 0;
  for (const BatchOutcome& part : parts) results += part.outcome.results.size();
  BatchOutcome all;
  all.outcome.results.reserve(results);
  for (BatchOutcome& part : parts) {
    all.outcome.append(std::move(part.outcome));
    all.unfinished.insert(all.unfinished.end(), part.unfinished.begin(), part.unfinished.end());
  }
  return all;
}

}  // namespace

BatchOutcome step_all(const Action& action, const std::vector<RecordRef>& structures, int threads, Crew& crew,
                      Watch& watch, StageTimes* times) {
  const std::size_t count = structures.size();
  const int useful = std::clamp(static_cast<int>(count / kFewest), 1, std::max(1, threads));
  const std::size_t together = useful > 1 ? kTogether : std::max<std::size_t>(1, count);
  std::vector<BatchOutcome> parts((count + together - 1) / together);
  Demand demand = action.demand;
  demand.include(action.rules.demand.most);  // the rules may have got programs since the action was made
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  Team::run(useful, watch, [&](bool caller) {
    std::unique_ptr<Workers> workers = crew.take();
    workers->begin(watch, caller, times != nullptr);
    std::size_t part;
    while (!watch.stopped() && (part = next.fetch_add(1)) < parts.size()) {
      BatchOutcome made;  // nearer to this thread than those of the others
      const std::size_t first = part * together, last = std::min(first + together, count);
      made.outcome.results.reserve(last - first);
      for (std::size_t k = first; k < last; ++k) add_one(action, demand, *structures[k], k, *workers, made);
      parts[part] = std::move(made);
    }
    if (times) {
      const std::lock_guard lock(mutex);
      for (int k = 0; k < kStages; ++k) (*times)[k] += workers->clock.spent[k];
    }
    crew.give(std::move(workers));
  });
  return parts.size() == 1 ? std::move(parts.front()) : united(parts);
}

}  // namespace kleene
