// Adding, duplicating, merging and removing nodes of a structure in the making (the twin of structures/edit.py).
#pragma once

#include <algorithm>

#include "draft.hpp"

namespace kleene {

// More nodes, on which every predicate is 0: nothing is set beyond the nodes of a structure.
template <int W>
void add_nodes(Draft<W>& draft, int count) {
  if (draft.n + count > std::min(W, kMostNodes)) throw NeedsWidth{};
  draft.n += count;
}

// One more node with every tuple that `node` has; tuples with itself are copied both ways. Returns its number.
template <int W>
int duplicate(Draft<W>& draft, const DraftPool<W>& pool, int node) {
  const int added = draft.n;
  add_nodes(draft, 1);
  for (int s = 0; s < pool.unary(); ++s) draft.v[s] |= (draft.v[s] >> node & 1) << added;
  const auto copy = [&](Matrix<W>& m) {
    m.row[added] |= m.row[node];
    for (int i = 0; i <= added; ++i) m.row[i] |= as_row<W>((static_cast<VectorOf<W>>(m.row[i]) >> node & 1) << added);
  };
  for (int s = 0; s < pool.matrices(); ++s) copy(draft.m[s]);
  for (int s = 0; s < pool.tensors(); ++s) {
    Matrix<W>* tensor = draft.tensor(s);
    either(tensor[added], tensor[added], tensor[node]);
    for (int i = 0; i <= added; ++i) copy(tensor[i]);
  }
  return added;
}

// A renumbering of nodes: new node g stands for the old nodes of group[g]; some old nodes may be dropped. Merged values
// are joined in the information order (thesis Def. 2.4): 1 if all are 1, 0 if all are 0, else 1/2.
template <int W>
class Mapping {
 public:
  int size = 0;
  VectorOf<W> group[W];

  void apply(Draft<W>& draft, const Signature& signature) {
    for (int g = 0; g < size; ++g) {
      kept_ |= group[g];
      each_bit(group[g], [&](int u) { group_of_[u] = static_cast<std::uint16_t>(g); });
    }
    for (int rail = 0; rail < signature.rails(); ++rail) {
      const bool any = rail & 1;
      const int slot = signature.slot(rail);
      switch (signature.arity(rail)) {
        case 0:
          break;
        case 1:
          draft.v[slot] = vector(draft.v[slot], any);
          break;
        case 2:
          matrix(draft.m[slot], any);
          break;
        default:
          tensor(draft.tensor(slot), any);
      }
    }
    draft.n = size;
  }

 private:
  VectorOf<W> kept_ = 0;
  std::uint16_t group_of_[W];  // of the old nodes that are kept

  // Most vectors have few nodes, or all: the groups of others are not looked at.
  VectorOf<W> vector(VectorOf<W> v, bool any) const {
    v &= kept_;
    if (v == kept_) return full<W>(size);
    VectorOf<W> out = 0;
    each_bit(v, [&](int u) {
      const int g = group_of_[u];
      if (any || !(group[g] & ~v)) out |= bit<W>(g);
    });
    return out;
  }

  void matrix(Matrix<W>& m, bool any) const {
    if (!some(m)) return;
    Matrix<W> out;
    zero(out);
    for (int g = 0; g < size; ++g) {
      VectorOf<W> joined = any ? 0 : ~VectorOf<W>{0};
      each_bit(group[g], [&](int u) { joined = any ? joined | m.row[u] : joined & m.row[u]; });
      out.row[g] = as_row<W>(vector(joined, any));
    }
    m = out;
  }

  void tensor(Matrix<W>* t, bool any) const {
    std::vector<Matrix<W>> out(W);
    for (int g = 0; g < size; ++g) {
      bool first = true;
      each_bit(group[g], [&](int u) {
        if (first)
          out[g] = t[u];
        else if (any)
          either(out[g], out[g], t[u]);
        else
          both(out[g], out[g], t[u]);
        first = false;
      });
      matrix(out[g], any);
    }
    for (int i = 0; i < W; ++i) t[i] = out[i];
  }
};

// Not inlined: a mapping is too large for a stack that may be deep.
template <int W>
__attribute__((noinline)) void remove_nodes(Draft<W>& draft, const Signature& signature, VectorOf<W> removed) {
  Mapping<W> mapping;
  each_bit(draft.all() & ~removed, [&](int u) { mapping.group[mapping.size++] = bit<W>(u); });
  mapping.apply(draft, signature);
}

}  // namespace kleene
