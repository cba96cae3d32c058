// Focus: split a structure until a formula is definite (the twin of transformers/focus.py; thesis section 6).
#pragma once

#include <array>

#include "coerce.hpp"
#include "edit.hpp"

namespace kleene {

struct FocusOptions {
  bool overlapping = false;
  bool split_active = true;
  bool skip_infinite = false;
  bool coerce_cases = false;
};

// A literal of a focus plan. `known[k]` is the place of argument k among the variables that the literals before it
// bind, or -1; `prefix` computes for which values of these the literals before it are true (by whether all nodes are
// active); it is null for the first literal.
struct Literal {
  int must = -1;  // the rail; -1 for an equality
  int arity = 0;
  bool unique = false, function = false, inverse_function = false, reflexive = false;
  bool same_arguments[kMostArity][kMostArity] = {};  // whether two arguments are the same variable
  int known[kMostArity] = {-1, -1, -1};
  bool first = true;
  ProgramRef prefix[2];

  bool knows_some() const { return known[0] >= 0 || known[1] >= 0 || known[2] >= 0; }
};

using Conjunction = std::vector<Literal>;
using Plan = std::vector<Conjunction>;

// A node for each argument of a literal, -1 where it is open.
using Place = std::array<int, kMostArity>;
using Tuple = std::array<int, kMostArity>;

template <int W>
class Focuser {
 public:
  using Ref = DraftRef<W>;
  using Refs = std::vector<Ref>;

  Focuser(const Rules& rules, const FocusOptions& options, Worker<W>& worker)
      : rules_(rules), signature_(rules.signature), options_(options), worker_(worker), pool_(worker.pool) {}

  // The structures that result from focusing one.
  Refs focus(Ref draft, const Plan& plan) {
    Refs drafts = one(std::move(draft));
    for (const Conjunction& conjunction : plan)
      for (const Literal& literal : conjunction) {
        Refs next;
        for (Ref& d : drafts) this->literal(std::move(d), literal, next, 0);
        drafts = std::move(next);
      }
    return drafts;
  }

  long discarded = 0;

 private:
  static constexpr int kMostDepth = 2000;  // splits of one structure; Python words the error beyond

  static Refs one(Ref draft) {
    Refs made;
    made.push_back(std::move(draft));
    return made;
  }

  VectorOf<W>& vector(Draft<W>& d, int rail) { return d.v[signature_.slot(rail)]; }
  Matrix<W>& matrix(Draft<W>& d, int rail) { return d.m[signature_.slot(rail)]; }
  Matrix<W>* tensor(Draft<W>& d, int rail) { return d.tensor(signature_.slot(rail)); }

  // Makes one literal definite for every assignment that makes the literals before it true; consumes the draft.
  void literal(Ref draft, const Literal& literal, Refs& results, int depth) {
    if (depth > kMostDepth) throw NeedsPython{};
    worker_.tick();
    const bool all_active = draft->all_active();
    if (all_active && literal.must >= 0 && is_definite(*draft, literal)) {
      results.push_back(std::move(draft));
      return;
    }
    std::vector<Place> places = this->places(*draft, literal, all_active);
    if (options_.split_active && !all_active) {
      Refs split;
      if (split_active(*draft, literal, places, split)) {
        for (Ref& d : split) this->literal(std::move(d), literal, results, depth + 1);
        return;
      }
    }
    if (!options_.overlapping) {
      for (const Place& place : places) {
        Refs cases;
        if (!this->cases(*draft, literal, place, cases)) continue;
        draft.reset();
        std::erase_if(cases, [&](Ref& d) { return !consistent(*d); });
        for (Ref& d : cases) this->literal(std::move(d), literal, results, depth + 1);
        return;
      }
      results.push_back(std::move(draft));
      return;
    }
    if (literal.arity == 2 && !literal.knows_some()) {
      places = {open()};
      if (literal.must >= 0) places = tuples(*draft, literal, open(), true);
    }
    const std::size_t before = results.size();
    for (const Place& place : places) all_cases(*draft, literal, place, results, depth);
    if (results.size() == before) results.push_back(std::move(draft));
  }

  static Place open() { return {-1, -1, -1}; }

  // Whether some pair is 1/2. Wide matrices are too large for a stack that may be deep.
  static bool is_open(const Matrix<W>& may, const Matrix<W>& must, [[maybe_unused]] int n) {
    if constexpr (W <= 16) {
      Matrix<W> open;
      without(open, may, must);
      return some(open);
    } else {
      for (int i = 0; i < n; ++i)
        if (may.row[i] & ~must.row[i]) return true;
      return false;
    }
  }

  bool is_definite(Draft<W>& d, const Literal& literal) {
    const int must = literal.must, may = must + 1;
    switch (signature_.kind(must)) {
      case Kind::vector:
        return !(vector(d, may) & ~vector(d, must));
      case Kind::matrix:
        return !is_open(matrix(d, may), matrix(d, must), d.n);
      default:
        for (int i = 0; i < d.n; ++i)
          if (is_open(tensor(d, may)[i], tensor(d, must)[i], d.n)) return false;
        return true;
    }
  }

  bool consistent(Draft<W>& draft) {
    worker_.tick();
    if (!options_.coerce_cases) return true;
    const InStage stage = worker_.in(Stage::coerce);
    const bool fine = sharpen(rules_, draft, worker_) < 0;
    discarded += !fine;
    return fine;
  }

  void all_cases(Draft<W>& draft, const Literal& literal, const Place& place, Refs& results, int depth) {
    worker_.tick();
    if (depth > kMostDepth) throw NeedsPython{};
    Refs cases;
    if (!this->cases(draft, literal, place, cases)) {
      results.push_back(pool_.copy(draft));
      return;
    }
    for (Ref& d : cases) all_cases(*d, literal, place, results, depth + 1);
  }

  // Assignments ------------------------------------------------------------------------------------------------------

  std::vector<Place> places(Draft<W>& draft, const Literal& literal, bool all_active) {
    if (literal.first) return {open()};
    const ProgramRef& prefix = literal.prefix[all_active];
    if (!prefix) throw NeedsGeneral{};
    run(*prefix, draft, nullptr, worker_.temporaries);
    std::vector<Place> found;
    const auto add = [&](Tuple nodes) {
      Place place = open();
      for (int k = 0; k < literal.arity; ++k)
        if (literal.known[k] >= 0) place[k] = nodes[literal.known[k]];
      found.push_back(place);
    };
    switch (prefix->outputs[0].arity) {
      case 0:
        if (worker_.vector(*prefix, 0, draft)) add(open());
        break;
      case 1:
        each_bit(worker_.vector(*prefix, 0, draft), [&](int u) { add({u, -1, -1}); });
        break;
      case 2: {
        const Matrix<W>& m = worker_.matrix(*prefix, 0, draft);
        for (int i = 0; i < draft.n; ++i) each_bit(m.row[i], [&](int j) { add({i, j, -1}); });
        break;
      }
      default: {
        const Matrix<W>* t = worker_.tensor(*prefix, 0, draft);
        for (int i = 0; i < draft.n; ++i)
          for (int j = 0; j < draft.n; ++j) each_bit(t[i].row[j], [&](int k) { add({i, j, k}); });
      }
    }
    return found;
  }

  // The tuples at a place where the literal's predicate is not 0, or only those where it is 1/2, in increasing order.
  std::vector<Tuple> tuples(Draft<W>& d, const Literal& literal, const Place& place, bool indefinite) {
    std::vector<Tuple> found;
    const int must = literal.must, may = must + 1;
    const auto fits = [&](int k, int u) { return place[k] < 0 || place[k] == u; };
    const auto wanted = [&](int k) { return place[k] < 0 ? ~VectorOf<W>{0} : bit<W>(place[k]); };
    if (literal.arity == 0) {
      if (vector(d, may) & ~(indefinite ? vector(d, must) : 0)) found.push_back(open());
    } else if (literal.arity == 1) {
      const VectorOf<W> all = vector(d, may) & ~(indefinite ? vector(d, must) : 0) & wanted(0);
      each_bit(all, [&](int u) { found.push_back({u, -1, -1}); });
    } else if (literal.arity == 2) {
      for (int i = 0; i < d.n; ++i) {
        if (!fits(0, i)) continue;
        VectorOf<W> row = matrix(d, may).row[i] & wanted(1);
        if (indefinite) row &= ~static_cast<VectorOf<W>>(matrix(d, must).row[i]);
        if (literal.same_arguments[0][1]) row &= bit<W>(i);
        each_bit(row, [&](int j) { found.push_back({i, j, -1}); });
      }
    } else {
      for (int i = 0; i < d.n; ++i)
        for (int j = 0; j < d.n; ++j) {
          if (!fits(0, i) || !fits(1, j) || (literal.same_arguments[0][1] && i != j)) continue;
          VectorOf<W> row = tensor(d, may)[i].row[j] & wanted(2);
          if (indefinite) row &= ~static_cast<VectorOf<W>>(tensor(d, must)[i].row[j]);
          if (literal.same_arguments[0][2]) row &= bit<W>(i);
          if (literal.same_arguments[1][2]) row &= bit<W>(j);
          each_bit(row, [&](int k) { found.push_back({i, j, k}); });
        }
    }
    return found;
  }

  // Cases ------------------------------------------------------------------------------------------------------------

  // The cases that make the next indefinite tuple at this place definite; false if there is none.
  bool cases(Draft<W>& draft, const Literal& literal, const Place& place, Refs& found) {
    if (literal.must < 0) return equality(draft, literal, place);
    const std::vector<Tuple> indefinite = tuples(draft, literal, place, true);
    if (indefinite.empty()) return false;
    if (literal.arity == 1 && literal.unique) return unique(draft, literal, place, indefinite, found);
    if (literal.arity == 2 && literal.function && place[0] >= 0 && !draft.summary(place[0])) {
      function(draft, literal, place, 1, place[0], indefinite, found);
      return true;
    }
    if (literal.arity == 2 && literal.inverse_function && place[1] >= 0 && !draft.summary(place[1])) {
      function(draft, literal, place, 0, place[1], indefinite, found);
      return true;
    }
    return one_tuple(draft, literal, indefinite, found);
  }

  // An equality is indefinite on a summary node only, and then no finite set of cases decides it.
  bool equality(Draft<W>& draft, const Literal&, const Place& place) {
    VectorOf<W> nodes = draft.all();
    for (int k = 0; k < 2; ++k)
      if (place[k] >= 0) nodes &= bit<W>(place[k]);
    if (nodes & draft.v[kSm] && !options_.skip_infinite) throw NeedsPython{};
    return false;
  }

  bool unique(Draft<W>& draft, const Literal& literal, const Place& place, const std::vector<Tuple>& indefinite,
              Refs& found) {
    const int must = literal.must, may = must + 1;
    const auto certain = static_cast<bool>(vector(draft, must) & draft.v[kAc]);
    if (!certain && place[0] >= 0) return one_tuple(draft, literal, indefinite, found);
    Ref none = pool_.copy(draft);
    vector(*none, may) &= vector(*none, must);
    mark(none->dirty, rules_.readers(may));
    if (certain) {
      found.push_back(std::move(none));
      return true;
    }
    found.push_back(std::move(none));
    for (const Tuple& nodes : indefinite) {
      // the first case is the base of the others
      chosen(*found.front(), literal, nodes, 0, found);
    }
    return true;
  }

  // In `base`, the tuple becomes true and its target a single node: all of it, or one node split off.
  void chosen(Draft<W>& base, const Literal& literal, Tuple nodes, int target, Refs& found) {
    const int node = nodes[target];
    const bool summary = base.summary(node);
    Ref whole = pool_.copy(base);
    restore(*whole, literal, nodes);
    set_true(*whole, literal, nodes);
    make_single(*whole, node);
    Ref part;
    if (summary) {
      part = pool_.copy(base);
      const int added = split(*part, node);
      for (int k = 0; k < literal.arity; ++k)
        if (nodes[k] == node) nodes[k] = added;
      restore(*part, literal, nodes);
      set_true(*part, literal, nodes);
      make_single(*part, added);
    }
    found.push_back(std::move(whole));
    if (part) found.push_back(std::move(part));
  }

  // A (partial) function from the fixed node along one axis: no edge, or an edge to one of the candidates.
  void function(Draft<W>& draft, const Literal& literal, const Place& place, int axis, int fixed,
                const std::vector<Tuple>& indefinite, Refs& found) {
    const int must = literal.must, may = must + 1;
    const auto clear_all = [&](Draft<W>& d) {
      Matrix<W>&possible = matrix(d, may), &sure = matrix(d, must);
      for (int i = 0; i < d.n; ++i) {
        if (axis == 1 && i != fixed) continue;
        possible.row[i] &= axis == 1 ? sure.row[i] : static_cast<Row<W>>(sure.row[i] | as_row<W>(~bit<W>(fixed)));
      }
      mark(d.dirty, rules_.readers(may));
    };
    const Matrix<W>& sure = matrix(draft, must);
    const VectorOf<W> targets = axis == 1 ? static_cast<VectorOf<W>>(sure.row[fixed]) : column(sure, fixed);
    Ref base = pool_.copy(draft);
    if (targets & draft.v[kAc]) {
      clear_all(*base);
      found.push_back(std::move(base));
      return;
    }
    Ref cleared;
    if (place[0] >= 0 && place[1] >= 0) {
      for (const Tuple& nodes : indefinite) clear(*base, literal, nodes);
      mark(base->dirty, rules_.readers(may));
      cleared = pool_.copy(draft);
      clear_all(*cleared);
    } else {
      clear_all(*base);
      cleared = pool_.copy(*base);
    }
    found.push_back(std::move(base));
    for (const Tuple& nodes : indefinite) chosen(*cleared, literal, nodes, axis, found);
  }

  // Fig. 40: the first indefinite tuple becomes 0, or 1, or its summary node is split into both.
  bool one_tuple(Draft<W>& draft, const Literal& literal, const std::vector<Tuple>& indefinite, Refs& found) {
    if (!options_.skip_infinite)
      for (const Tuple& nodes : indefinite)
        if (is_endless(draft, literal, nodes)) throw NeedsPython{};
    for (const Tuple& nodes : indefinite)
      if (!is_endless(draft, literal, nodes)) {
        decide(draft, literal, nodes, found);
        return true;
      }
    return false;
  }

  // More than one place of the tuple is a summary node: each case leaves another such tuple.
  bool is_endless(Draft<W>& draft, const Literal& literal, const Tuple& nodes) {
    int summaries = 0;
    for (int k = 0; k < literal.arity; ++k) summaries += draft.summary(nodes[k]);
    return summaries > 1;
  }

  void decide(Draft<W>& draft, const Literal& literal, const Tuple& nodes, Refs& found) {
    const int must = literal.must, may = must + 1;
    Ref yes = pool_.copy(draft);
    set_true(*yes, literal, nodes);
    if (literal.unique) {
      make_single(*yes, nodes[0]);
      vector(*yes, may) &= vector(*yes, must);
      mark(yes->dirty, rules_.readers(may));
    }
    bool loop = literal.arity > 0;
    for (int k = 1; k < literal.arity; ++k) loop = loop && nodes[k] == nodes[0];
    if (!(literal.reflexive && loop)) {
      Ref no = pool_.copy(draft);
      set_false(*no, literal, nodes);
      found.push_back(std::move(no));
    }
    found.push_back(std::move(yes));
    for (int k = 0; k < literal.arity; ++k) {
      const int u = nodes[k];
      if (!draft.summary(u)) continue;
      Ref part = pool_.copy(draft);
      const int added = split(*part, u);
      set_false(*part, literal, nodes);
      Tuple moved = nodes;
      for (int j = 0; j < literal.arity; ++j)
        if (moved[j] == u) moved[j] = added;
      set_true(*part, literal, moved);
      found.push_back(std::move(part));
    }
  }

  // Split on the existence of the first maybe-active node in a tuple of the literal that is not 0.
  bool split_active(Draft<W>& draft, const Literal& literal, const std::vector<Place>& places, Refs& found) {
    if (literal.must < 0) return false;
    for (const Place& place : places)
      for (const Tuple& nodes : tuples(draft, literal, place, false))
        for (int k = 0; k < literal.arity; ++k)
          if (!has_bit(draft.v[kAc], nodes[k])) {
            Ref present = pool_.copy(draft), absent = pool_.copy(draft);
            present->v[kAc] |= bit<W>(nodes[k]);
            remove_nodes(*absent, signature_, bit<W>(nodes[k]));
            for (Draft<W>* d : {present.get(), absent.get()}) std::copy(rules_.all.begin(), rules_.all.end(), d->dirty);
            found.push_back(std::move(present));
            found.push_back(std::move(absent));
            return true;
          }
    return false;
  }

  // Changes ----------------------------------------------------------------------------------------------------------

  enum class Change { add, remove };

  void change(Draft<W>& d, int rail, int arity, const Tuple& nodes, Change change) {
    const auto changed = [&](auto& word, int u) {
      using Word = std::remove_reference_t<decltype(word)>;
      const auto mask = static_cast<Word>(bit<W>(u));
      word = static_cast<Word>(change == Change::add ? word | mask : word & ~mask);
    };
    if (arity == 0)
      changed(vector(d, rail), 0);
    else if (arity == 1)
      changed(vector(d, rail), nodes[0]);
    else if (arity == 2)
      changed(matrix(d, rail).row[nodes[0]], nodes[1]);
    else
      changed(tensor(d, rail)[nodes[0]].row[nodes[1]], nodes[2]);
  }

  void restore(Draft<W>& d, const Literal& literal, const Tuple& nodes) {
    change(d, literal.must + 1, literal.arity, nodes, Change::add);
  }
  void clear(Draft<W>& d, const Literal& literal, const Tuple& nodes) {
    change(d, literal.must + 1, literal.arity, nodes, Change::remove);
  }
  void set_true(Draft<W>& d, const Literal& literal, const Tuple& nodes) {
    change(d, literal.must, literal.arity, nodes, Change::add);
    mark(d.dirty, rules_.readers(literal.must));
  }
  void set_false(Draft<W>& d, const Literal& literal, const Tuple& nodes) {
    clear(d, literal, nodes);
    mark(d.dirty, rules_.readers(literal.must + 1));
  }

  int split(Draft<W>& draft, int node) {
    const int added = duplicate(draft, pool_, node);
    mark(draft.dirty, rules_.equality_readers);
    return added;
  }

  void make_single(Draft<W>& draft, int node) {
    if (!draft.summary(node)) return;
    draft.v[kSm] &= ~bit<W>(node);
    mark(draft.dirty, rules_.readers(kSm));
    mark(draft.dirty, rules_.equality_readers);
  }

  const Rules& rules_;
  const Signature& signature_;
  const FocusOptions& options_;
  Worker<W>& worker_;
  DraftPool<W>& pool_;
};

}  // namespace kleene
