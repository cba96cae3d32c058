// A structure in the making, by predicate: both rails at once (the twin of domains/shape/editor.py).
#pragma once

#include "local_heaps.hpp"

namespace kleene {

// The rails of a value that is one bit.
struct Truth {
  bool must = false, may = false;
};
inline Truth operator|(Truth a, Truth b) { return {a.must || b.must, a.may || b.may}; }
inline Truth operator&(Truth a, Truth b) { return {a.must && b.must, a.may && b.may}; }

// The rails of a unary or nullary value.
template <int W>
struct Rails {
  VectorOf<W> must = 0, may = 0;

  bool nothing() const { return !must && !may; }
  Truth at(int u) const { return {has_bit(must, u), has_bit(may, u)}; }
  Rails& operator|=(const Rails& other) {
    must |= other.must, may |= other.may;
    return *this;
  }
  // This value if a condition holds, else 0.
  Rails where(Truth condition) const {
    Rails out;
    if (condition.must) out.must = must;
    if (condition.may) out.may = may;
    return out;
  }
};

template <int W>
class Editor {
 public:
  using V = VectorOf<W>;

  Editor(const LocalHeaps& heaps, Draft<W>& draft, Worker<W>& worker)
      : draft(draft), heaps_(heaps), signature_(heaps.signature), worker_(worker) {}

  Draft<W>& draft;

  int size() const { return draft.n; }
  V every() const { return draft.all(); }
  bool summary(int u) const { return has_bit(draft.v[kSm], u); }
  bool exists(int u) const { return has_bit(draft.v[kAc], u); }

  Rails<W> get(int rail) const { return {must(rail), may(rail)}; }
  V must(int rail) const { return draft.v[signature_.slot(rail)]; }
  V may(int rail) const { return draft.v[signature_.slot(rail + 1)]; }
  void set(int rail, const Rails<W>& value) {
    draft.v[signature_.slot(rail)] = value.must;
    draft.v[signature_.slot(rail + 1)] = value.may;
  }
  Truth at(int rail, int u) const { return get(rail).at(u); }
  void put(int rail, Truth value, int u) {
    put_bit(draft.v[signature_.slot(rail)], value.must, u);
    put_bit(draft.v[signature_.slot(rail + 1)], value.may, u);
  }

  Matrix<W>& must_of(int rail) const { return draft.m[signature_.slot(rail)]; }
  Matrix<W>& may_of(int rail) const { return draft.m[signature_.slot(rail + 1)]; }
  Truth at(int rail, int u, int v) const { return {has_bit(must_of(rail).row[u], v), has_bit(may_of(rail).row[u], v)}; }
  void put(int rail, Truth value, int u, int v) {
    put_bit(must_of(rail).row[u], value.must, v);
    put_bit(may_of(rail).row[u], value.may, v);
  }
  Rails<W> row(int rail, int u) const {
    return {static_cast<V>(must_of(rail).row[u]), static_cast<V>(may_of(rail).row[u])};
  }
  // The nodes to which a binary predicate may lead from some, and those from which it may lead to some.
  V image(V nodes, int rail) const { return kleene::image(nodes, may_of(rail)); }
  V preimage(int rail, V nodes) const { return kleene::preimage(may_of(rail), nodes); }

  // Whether an edge leads from some node of a set to a node that is there.
  Truth has_edge(int rail, V sources, int target) const {
    const V to = bit<W>(target);
    return {static_cast<bool>(kleene::preimage(must_of(rail), to) & sources & draft.v[kAc]),
            static_cast<bool>(kleene::preimage(may_of(rail), to) & sources)};
  }
  // A value that is certain only if the node is there.
  Truth perhaps(int u, Truth value) const { return {value.must && exists(u), value.may}; }

  // A predicate without nodes, or of one, by its definition.
  Rails<W> by_definition(int rail) const {
    const Program& program = compute(rail);
    return {worker_.vector(program, 0, draft), worker_.vector(program, 1, draft)};
  }
  void evaluate(int rail) {
    if (signature_.kind(rail) == Kind::vector) return set(rail, by_definition(rail));
    const Program& program = compute(rail);
    const Matrix<W> must = worker_.matrix(program, 0, draft), may = worker_.matrix(program, 1, draft);
    must_of(rail) = must, may_of(rail) = may;
  }
  void evaluate_at(int rail, V nodes) {
    if (!nodes) return;
    const Rails<W> made = by_definition(rail);
    V& must = draft.v[signature_.slot(rail)];
    V& may = draft.v[signature_.slot(rail + 1)];
    must = (must & ~nodes) | (made.must & nodes);
    may = (may & ~nodes) | (made.may & nodes);
  }

 private:
  template <class Word>
  static void put_bit(Word& word, bool value, int place) {
    const V cleared = static_cast<V>(word) & ~bit<W>(place);
    word = static_cast<Word>(value ? cleared | bit<W>(place) : cleared);
  }
  const Program& compute(int rail) const {
    const Program& program = heaps_.definition(rail, draft.all_active());
    worker_.tick();
    kleene::run(program, draft, nullptr, worker_.temporaries);
    return program;
  }

  const LocalHeaps& heaps_;
  const Signature& signature_;
  Worker<W>& worker_;
};

// The nodes that a node reaches: by the predicate of a variable that points to it, else by the closure.
template <int W>
std::optional<Rails<W>> from_node(const LocalHeaps& heaps, const Editor<W>& editor, const Path& path, int node) {
  for (std::size_t k = 0; k < heaps.roots.size(); ++k) {
    const int known = heaps.of_root(path.role, k);
    if (known >= 0 && has_bit(editor.must(heaps.roots[k].rail), node)) return editor.get(known);
  }
  if (path.closure >= 0) return editor.row(path.closure, node);
  return std::nullopt;
}

template <int W>
VectorOf<W> narrow(const VectorOf<kMostWidth>& nodes) {
  return static_cast<VectorOf<W>>(nodes);
}

}  // namespace kleene
