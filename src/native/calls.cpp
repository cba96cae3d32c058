// Calls on local heaps for Python: batches of structures that call, and of structures that return.
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <set>
#include <unordered_map>

#include "binding.hpp"
#include "local_heaps.hpp"
#include "team.hpp"

namespace kleene {

namespace {

struct PyHeaps {
  PyRulesRef rules;
  LocalHeaps heaps;
};
using PyHeapsRef = std::shared_ptr<PyHeaps>;

struct Hash {
  std::size_t operator()(const RecordRef& record) const { return record->hash; }
};
struct Same {
  bool operator()(const RecordRef& a, const RecordRef& b) const { return a->equals(*b); }
};
template <class T>
using ByRecord = std::unordered_map<RecordRef, T, Hash, Same>;

// What became of a structure that calls, if it has no entry.
enum NoEntry { kNone = -1, kRefused = -2, kUnfinished = -3 };

// How a structure was divided, and the number of its entry or a `NoEntry`.
struct Known {
  std::shared_ptr<const Division> division;
  int entry;
};

struct PyCall {
  PyHeapsRef heaps;
  Call call;
  bool closed;  // whether structures that call satisfy the rules
  ByRecord<Known> known{};
  ByRecord<int> numbers{};
  std::vector<RecordRef> entries{};

  int number_of(const RecordRef& entry) {
    const auto [at, is_new] = numbers.try_emplace(entry, static_cast<int>(entries.size()));
    if (is_new) entries.push_back(entry);
    return at->second;
  }
};

// What has to be compiled before structures can be finished; `python`: some are for the Python machine.
struct Wants {
  std::set<std::pair<int, bool>> definitions;
  bool general = false, python = false;

  void include(const Wants& other) {
    definitions.insert(other.definitions.begin(), other.definitions.end());
    general = general || other.general, python = python || other.python;
  }
  nb::tuple as_tuple() const {
    nb::list wanted;
    for (const auto& [rail, all_active] : definitions) wanted.append(nb::make_tuple(rail, all_active));
    return nb::make_tuple(wanted, general, python);
  }
};

// Does something with each of many structures, divided among threads.
class Calls {
 public:
  Calls(PyCall& call, const Action& settling) : call_(call), settling_(settling), demand_(settling.demand) {
    const LocalHeaps& heaps = call.heaps->heaps;
    if (&settling.signature != &heaps.signature) throw std::invalid_argument("an action on other structures");
    demand_.include(settling.rules.demand.most);
    demand_.include(heaps.demand.most);
  }

  Wants wants;

  template <class F>
  void each(std::size_t count, int threads, F&& work) {
    constexpr std::size_t together = 16;  // as in batch.cpp
    const std::size_t parts = (count + together - 1) / together;
    const int useful = std::clamp(static_cast<int>(count / (2 * together)), 1, std::max(1, threads));
    Crew& crew = call_.heaps->rules->crew;
    std::mutex mutex;
    std::atomic<std::size_t> next{0};
    unlocked([&](Watch& watch) {
      Team::run(useful, watch, [&](bool caller) {
        std::unique_ptr<Workers> workers = crew.take();
        workers->begin(watch, caller, false);
        Wants own;
        std::size_t part;
        while (!watch.stopped() && (part = next.fetch_add(1)) < parts)
          for (std::size_t k = part * together; k < std::min(count, (part + 1) * together); ++k)
            try_one(own, [&] { work(k, *workers); });
        crew.give(std::move(workers));
        const std::lock_guard lock(mutex);
        wants.include(own);
      });
    });
  }

  Entrance enter(const Record& structure, Workers& workers) const {
    Entrance made;
    with_width(structure.n, [&]<int W>() {
      made = entrance(call_.heaps->heaps, call_.call, call_.heaps->rules->rules, structure, call_.closed,
                      workers.of<W>(demand_));
    });
    return made;
  }

  RecordRef join(const Division& division, const Record& end, Workers& workers) const {
    RecordRef made;
    const std::size_t rest = division.structure->n - static_cast<std::size_t>(bits_in(division.local));
    const std::size_t nodes = std::max<std::size_t>(division.structure->n, end.n);
    const std::size_t size = rest + end.n - std::min<std::size_t>(division.borders.size(), end.n);
    with_width(static_cast<int>(std::max(nodes, size)),
               [&]<int W>() { made = joined(call_.heaps->heaps, call_.call, division, end, workers.of<W>(demand_)); });
    return made;
  }

  // The structure coerced and blurred; null if it is contradictory.
  RecordRef settled(const Record& structure, Workers& workers) const {
    StepOutcome outcome;
    with_width(structure.n, [&]<int W>() {
      outcome = {};
      step(settling_, structure, workers.of<W>(demand_), outcome);
    });
    return outcome.results.empty() ? RecordRef{} : outcome.results.front();
  }

 private:
  template <class F>
  static void try_one(Wants& wants, F&& work) {
    try {
      work();
    } catch (const NeedsPython&) {
      wants.python = true;
    } catch (NeedsGeneral) {
      wants.general = true;
    } catch (const NeedsDefinition& missing) {
      wants.definitions.emplace(missing.rail, missing.all_active);
    }
  }

  PyCall& call_;
  const Action& settling_;
  Demand demand_;
};

nb::object handle_or_none(const SignatureRef& signature, const RecordRef& record) {
  return record ? nb::cast(Handle{signature, record}) : nb::none();
}

void check(const PyCall& self, const SignatureRef& signature) {
  if (signature != self.heaps->rules->signature) throw std::invalid_argument("a structure of another signature");
}

// For each structure the number of its entry or a `NoEntry`; the entries that are new; a contradictory one; wants.
nb::tuple enter(PyCall& self, const PyAction& settling, const Batch& batch, int threads) {
  check(self, batch.signature);
  struct Made {
    Entrance entrance;
    RecordRef entry;
    bool done = false;
  };
  const std::vector<RecordRef>& records = batch.records;
  std::vector<std::size_t> unknown;
  for (std::size_t k = 0; k < records.size(); ++k)
    if (!self.known.contains(records[k])) unknown.push_back(k);
  std::vector<Made> made(unknown.size());
  Calls calls(self, settling.action);
  calls.each(unknown.size(), threads, [&](std::size_t k, Workers& workers) {
    Made& to = made[k];
    to.entrance = calls.enter(*records[unknown[k]], workers);
    if (to.entrance.entry) to.entry = calls.settled(*to.entrance.entry, workers);
    to.done = true;
  });
  const std::size_t before = self.entries.size();
  RecordRef contradictory;
  for (std::size_t k = 0; k < made.size(); ++k) {
    const Made& one = made[k];
    if (!one.done) continue;
    const int number = one.entry ? self.number_of(one.entry) : one.entrance.refused ? kRefused : kNone;
    if (!one.entry && one.entrance.entry && !contradictory) contradictory = one.entrance.entry;
    self.known.emplace(records[unknown[k]], Known{one.entrance.division, number});
  }
  std::vector<int> numbers;
  numbers.reserve(records.size());
  for (const RecordRef& record : records) {
    const auto found = self.known.find(record);
    numbers.push_back(found == self.known.end() ? kUnfinished : found->second.entry);
  }
  const Batch fresh{batch.signature, {self.entries.begin() + static_cast<std::ptrdiff_t>(before), self.entries.end()}};
  return nb::make_tuple(numbers, fresh, handle_or_none(batch.signature, contradictory), calls.wants.as_tuple());
}

// What a caller's structure becomes by each exit: results, how many cannot be joined, a contradictory one, wants. None
// if the structure was not divided here.
nb::object resume(PyCall& self, const PyAction& settling, const Handle& caller, const Batch& exits, int threads) {
  check(self, caller.signature), check(self, exits.signature);
  const auto found = self.known.find(caller.record);
  if (found == self.known.end() || !found->second.division) return nb::none();
  const Division& division = *found->second.division;
  struct Made {
    RecordRef after, result;
  };
  std::vector<Made> made(exits.records.size());
  Calls calls(self, settling.action);
  calls.each(made.size(), threads, [&](std::size_t k, Workers& workers) {
    made[k].after = calls.join(division, *exits.records[k], workers);
    if (made[k].after) made[k].result = calls.settled(*made[k].after, workers);
  });
  Batch results{exits.signature, {}};
  int refused = 0;
  RecordRef contradictory;
  for (Made& one : made) {
    refused += !one.after;
    if (one.result)
      results.records.push_back(std::move(one.result));
    else if (one.after && !contradictory)
      contradictory = one.after;
  }
  return nb::make_tuple(std::move(results), refused, handle_or_none(exits.signature, contradictory),
                        calls.wants.as_tuple());
}

}  // namespace

void bind_calls(nb::module_& m) {
  nb::class_<PyHeaps>(m, "LocalHeaps")
      .def("__init__",
           [](PyHeaps* self, PyRulesRef rules, const std::vector<LocalHeaps::GivenGroup>& groups,
              const std::vector<LocalHeaps::GivenPath>& paths, const std::vector<LocalHeaps::GivenRoot>& roots,
              const std::vector<LocalHeaps::GivenRoot>& markers, const std::vector<std::vector<int>>& by_root,
              const std::vector<std::vector<int>>& by_marker, const std::map<std::string, std::vector<int>>& lists,
              const Pairs& held, const Pairs& same) {
             const Signature& signature = *rules->signature;
             LocalHeaps heaps(signature, groups, paths, roots, markers, by_root, by_marker, lists, held, same);
             new (self) PyHeaps{std::move(rules), std::move(heaps)};
           })
      .def("define", [](PyHeaps& self, int rail, bool all_active, std::shared_ptr<Program> program) {
        self.heaps.define(rail, all_active, std::move(program));
      });

  nb::class_<PyCall>(m, "Call")
      .def("__init__",
           [](PyCall* self, PyHeapsRef heaps, bool closed, const std::vector<int>& starts, const Pairs& pointers,
              const Pairs& nullary, const std::vector<int>& kept_pointers, const std::vector<int>& kept_roots,
              const std::vector<int>& shared_roots, const std::vector<int>& forgotten, const Pairs& given,
              const std::vector<std::pair<Pairs, Pairs>>& parameters, const std::vector<int>& gone,
              const std::vector<Call::GivenReturned>& returned, const Pairs& results, const Pairs& result_values) {
             Call call(heaps->heaps, starts, pointers, nullary, kept_pointers, kept_roots, shared_roots, forgotten,
                       given, parameters, gone, returned, results, result_values);
             new (self) PyCall{std::move(heaps), std::move(call), closed};
           })
      .def("enter", &enter)
      .def("resume", &resume);
}

}  // namespace kleene
