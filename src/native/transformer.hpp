// What an action does to structures (the twin of transformers/transformer.py): the whole step, blur included.
#pragma once

#include <array>
#include <atomic>
#include <optional>

#include "canonical.hpp"
#include "focus.hpp"
#include "record.hpp"

namespace kleene {

struct StepOptions {
  bool focus = true, coerce_before = true, coerce_after = true;
  bool closed_input = false, freeze = false;
  bool coerce_during_focus = true, filter_during_focus = false, early_precondition = false;
  bool blur = true;
  FocusOptions focusing;
};

// When a message fires: its condition may hold, is 1, or is 0.
enum class OnlyIf : std::uint8_t { any, one, zero };

// The programs of an action, for structures whose nodes are all active or for all structures. `update` computes both
// rails of each predicate that it changes; a pair of rails of a formula is (must, may).
struct ActionPrograms {
  std::vector<ProgramRef> precondition;
  ProgramRef messages, added, clone, update, retain, post_messages;
};

class Action {
 public:
  Action(const Rules& rules, const StepOptions& options, Naming naming, Naming plain_naming, std::vector<Plan> plans,
         bool has_precondition, int parameters, bool creates, bool clones, bool retains, std::vector<OnlyIf> messages,
         std::vector<OnlyIf> post_messages, std::vector<int> updated);

  void add(bool all_active, ActionPrograms programs);
  bool has(bool all_active) const { return programs_[all_active].has_value(); }
  const ActionPrograms& programs(bool all_active) const {
    if (!programs_[all_active]) throw NeedsGeneral{};
    return *programs_[all_active];
  }
  const Rules& rules;
  const Signature& signature;
  StepOptions options;
  Naming naming, plain_naming;  // of the domain, and of messages after the action
  std::vector<Plan> plans;
  bool has_precondition;
  int parameters;  // free variables of the precondition
  bool creates, clones, retains;
  std::vector<OnlyIf> messages, post_messages;
  std::vector<int> updated;  // the must rails of the predicates that change
  Demand demand;

  // A structure that outgrows its width is begun again, and what was thrown costs more than the step. So structures of
  // as many nodes as some that did begin with the next width. Results do not depend on the width.
  int nodes_to_begin_with(int n) const { return n < kCounted && outgrown_[n] >= kOftenOutgrown ? 2 * n : n; }
  void note_width(int n, bool fits) const {
    if (n >= kCounted) return;
    const int before = outgrown_[n].load(std::memory_order_relaxed);
    if (fits && !before) return;
    outgrown_[n].store(fits ? before - 1 : before + kOutgrownPerFit, std::memory_order_relaxed);
  }

  bool changes_universe() const { return creates || clones || retains; }
  bool changes_values() const { return creates || clones || !updated.empty(); }

 private:
  void check(const ProgramRef& program, std::size_t outputs, int arity, int parameters) const;
  std::optional<ActionPrograms> programs_[2];

  static constexpr int kCounted = 65;        // nodes of narrow structures: a step of wide ones costs more than a throw
  static constexpr int kOutgrownPerFit = 4;  // a step at the next width takes as long as 1.3 steps, a throw as 4
  static constexpr int kOftenOutgrown = 8;
  mutable std::array<std::atomic<int>, kCounted> outgrown_{};  // by the number of nodes
};

struct Report {
  bool post;  // a message of `post_messages`
  int message;
  bool definite;
  RecordRef structure;
};

struct Unmet {
  bool post;
  int message;
};

// What an action leads to from structures, in their order.
struct StepOutcome {
  std::vector<RecordRef> results;
  std::vector<Report> reports;
  std::vector<Unmet> unmet;
  long discarded = 0, discarded_in_focus = 0;
  RecordRef contradictory;  // the first

  // How much there was at some time; `cut` forgets what came after.
  struct Mark {
    std::size_t results, reports, unmet;
    long discarded, discarded_in_focus;
    bool contradictory;
  };
  Mark mark() const {
    return {results.size(), reports.size(), unmet.size(), discarded, discarded_in_focus, bool(contradictory)};
  }
  void cut(const Mark& to);
  void append(StepOutcome&& other);
};

// Adds what the action leads to from one more structure. What is thrown leaves the outcome half done.
template <int W>
void step(const Action& action, const Record& structure, Worker<W>& worker, StepOutcome& outcome);

}  // namespace kleene
