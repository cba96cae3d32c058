// Calls on local heaps (the twin of domains/shape/local_heaps.py): what predicates mean to a call, and divided
// structures.
//
// Predicates are must rails, -1 where a vocabulary has none. All tables are made by domains/shape/native_calls.py, and
// checked here.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "coerce.hpp"
#include "record.hpp"

namespace kleene {

// Thrown where the definition of a predicate is needed that has no program yet.
struct NeedsDefinition {
  int rail;
  bool all_active;
};

// The name of a reachability predicate, whatever its root: `whole` is one along all edges of a circular group,
// `closure` has a row for each node that says the same (-1: none).
struct Path {
  int group, role;
  bool whole;
  int closure;
};

struct Reach {
  int rail, path;
};

// Whether a cell of a root's target is not null; `has` says it of all nodes.
struct Cell {
  int rail, role, has;
};

// A variable or a marker.
struct Root {
  int rail;
  std::vector<Reach> reaches;
  std::vector<Cell> cells;
};

struct Guide {
  int root, reach, before_cuts;
};

struct Group {
  bool followed;  // whether its cells lead along the structure
  int name, step;
  std::vector<int> members;
  std::vector<Reach> closures;
  std::vector<int> sharing, crowding, cut, at_borders;
  std::vector<Guide> guides;
};

using Pairs = std::vector<std::pair<int, int>>;

class LocalHeaps {
 public:
  // As domains/shape/native_calls.py gives them.
  using GivenGroup = std::tuple<bool, int, int, std::vector<int>, Pairs, std::vector<int>, std::vector<int>,
                                std::vector<int>, std::vector<int>, std::vector<std::tuple<int, int, int>>>;
  using GivenRoot = std::tuple<int, Pairs, std::vector<std::tuple<int, int, int>>>;
  using GivenPath = std::tuple<int, int, bool, int>;

  LocalHeaps(const Signature& signature, const std::vector<GivenGroup>& groups, const std::vector<GivenPath>& paths,
             const std::vector<GivenRoot>& roots, const std::vector<GivenRoot>& markers,
             std::vector<std::vector<int>> by_root, std::vector<std::vector<int>> by_marker,
             const std::map<std::string, std::vector<int>>& lists, Pairs held, Pairs same);

  // Both rails of a predicate by its definition, for structures whose nodes are all active or for all structures.
  void define(int rail, bool all_active, ProgramRef program);
  const Program& definition(int rail, bool all_active) const {
    const ProgramRef& program = definitions_[all_active][rail / 2];
    if (!program) throw NeedsDefinition{rail, all_active};
    return *program;
  }

  // The predicate of another root, or of a marker, that corresponds to one with a role; -1 if there is none.
  int of_root(int role, std::size_t root) const { return by_root_[role][root]; }
  int of_marker(int role, std::size_t marker) const { return by_marker_[role][marker]; }

  void check(int rail, int arity) const;
  void check_vector(int rail) const;
  void check_role(int role) const;

  const Signature& signature;
  std::vector<Group> groups;
  std::vector<Path> paths;
  std::vector<Root> roots, markers;
  std::vector<int> binary, edges, steps, numbers, odd, cancelling, recorded, others;
  Pairs held, same;
  int opaque, outer, heap, freed;
  Demand demand;

 private:
  Reach reach_of(const std::pair<int, int>& given, int arity) const;
  Group group_of(const GivenGroup& given) const;
  Root root_of(const GivenRoot& given) const;
  std::vector<std::vector<int>> by_root_, by_marker_;
  std::vector<ProgramRef> definitions_[2];
};

// A pointer variable after a call: as the callee leaves it, as the caller had it, or gone.
enum class After { callee, caller, gone };

// What a call gives and gets back (the twin of `CallAction`, by rails).
class Call {
 public:
  struct Parameter {
    Pairs reaches, cells;  // each with the predicate of the argument, -1 if there is none
  };
  struct Returned {
    int root, source;                 // the number of the root; -1: it keeps its value
    std::vector<int> reaches, cells;  // of the source, for each of the root
  };
  using GivenReturned = std::tuple<int, int, std::vector<int>, std::vector<int>>;

  Call(const LocalHeaps& heaps, std::vector<int> starts, const Pairs& pointers, Pairs nullary,
       std::vector<int> kept_pointers, std::vector<int> kept_roots, const std::vector<int>& shared_roots,
       std::vector<int> forgotten, Pairs given, const std::vector<std::pair<Pairs, Pairs>>& parameters,
       std::vector<int> gone, const std::vector<GivenReturned>& returned, Pairs results, Pairs result_values);

  std::vector<int> starts;                      // what the callee reaches the heap by
  std::vector<std::pair<int, After>> pointers;  // what becomes of pointer variables
  Pairs nullary;                                // of values without nodes; 1: as the callee leaves them
  std::vector<int> kept_pointers;               // those that the caller needs afterwards
  std::vector<int> kept_roots;                  // numbers of the roots that the caller needs afterwards
  std::vector<bool> is_shared;                  // for each root, whether the callee knows it
  std::vector<int> forgotten, gone;             // rails
  Pairs given;                                  // parameter, argument
  std::vector<Parameter> parameters;
  std::vector<Returned> returned;
  Pairs results, result_values;  // target, source
};

struct Marked {
  int node;
  int marker;
};

// A structure before a call: the callee's nodes, the nodes of it to which the rest points, and the nodes of the rest to
// which it points back.
struct Division {
  RecordRef structure;
  VectorOf<kMostWidth> local;
  std::vector<Marked> cutpoints, borders;
};

// A call of one structure. Without an entry: there is no such heap, or (`refused`) there are too many nodes to mark.
struct Entrance {
  std::shared_ptr<const Division> division;
  RecordRef entry;
  bool refused = false;
};

// `closed`: the structure satisfies the rules.
template <int W>
Entrance entrance(const LocalHeaps& heaps, const Call& call, const Rules& rules, const Record& structure, bool closed,
                  Worker<W>& worker);

// The caller's structure after the call; null if the two cannot be joined (heap_join.cpp).
template <int W>
RecordRef joined(const LocalHeaps& heaps, const Call& call, const Division& division, const Record& end,
                 Worker<W>& worker);

}  // namespace kleene
