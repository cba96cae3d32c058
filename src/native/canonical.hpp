// Canonical abstraction ("blur"): merge the nodes with equal names (the twin of structures/canonical.py).
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "edit.hpp"

namespace kleene {

// The rails whose values are a node's name, most significant first, as slots of vectors.
class Naming {
 public:
  Naming() = default;
  Naming(const Signature& signature, const std::vector<int>& rails) {
    for (int rail : rails) {
      signature.check_rail(rail);
      if (signature.arity(rail) != 1) throw std::invalid_argument("a node's name is made of unary predicates");
      slots.push_back(signature.slot(rail));
    }
  }
  int words() const { return static_cast<int>((slots.size() + 63) / 64); }

  std::vector<int> slots;
};

// The names of nodes: `words` numbers for each, to be compared in order.
class Names {
 public:
  template <class Read>
  Names(const Naming& naming, int n, Read&& vector_of)
      : words_(naming.words()), count_(static_cast<std::size_t>(n) * words_) {
    if (count_ > kFew) many_.resize(count_);
    names_ = count_ > kFew ? many_.data() : few_;
    std::fill_n(names_, count_, 0);
    for (std::size_t k = 0; k < naming.slots.size(); ++k)
      each_bit(vector_of(naming.slots[k]), [&](int u) {
        names_[static_cast<std::size_t>(u) * words_ + k / 64] |= bit(63 - static_cast<int>(k % 64));
      });
  }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  // Negative, 0 or positive, as the first name is greater than, equal to or less than the second.
  int compare(int u, int v) const { return compare(*this, u, *this, v); }
  static int compare(const Names& a, int u, const Names& b, int v) {
    for (int k = 0; k < a.words_; ++k) {
      const Vector x = a.names_[static_cast<std::size_t>(u) * a.words_ + k];
      const Vector y = b.names_[static_cast<std::size_t>(v) * b.words_ + k];
      if (x != y) return x > y ? -1 : 1;
    }
    return 0;
  }
  Vector word(int u, int k) const { return names_[static_cast<std::size_t>(u) * words_ + k]; }
  void append(int u, std::vector<Vector>& to) const {
    to.insert(to.end(), names_ + u * words_, names_ + (u + 1) * words_);
  }

 private:
  static constexpr std::size_t kFew = 64;  // words that need no memory from the heap: enough for most structures
  int words_;
  std::size_t count_;
  Vector few_[kFew];
  std::vector<Vector> many_;
  Vector* names_;
};

// Whether no two nodes have the same name, and the nodes are in the order of their names.
template <int W>
bool is_blurred(const Names& names, const Draft<W>& draft) {
  for (int u = 0; u + 1 < draft.n; ++u)
    if (names.compare(u, u + 1) >= 0) return false;
  return true;
}

template <int W>
bool is_blurred(const Draft<W>& draft, const Naming& naming) {
  return is_blurred(Names(naming, draft.n, [&](int slot) { return draft.v[slot]; }), draft);
}

template <int W>
void blur(Draft<W>& draft, const Signature& signature, const Naming& naming) {
  const int n = draft.n;
  const Names names(naming, n, [&](int slot) { return draft.v[slot]; });
  if (is_blurred(names, draft)) return;
  int order[W];
  std::iota(order, order + n, 0);
  std::stable_sort(order, order + n, [&](int u, int v) { return names.compare(u, v) < 0; });
  Mapping<W> mapping;
  VectorOf<W> merged = 0;
  for (int k = 0; k < n; ++k) {
    if (k && names.compare(order[k - 1], order[k]) == 0) {
      mapping.group[mapping.size - 1] |= bit<W>(order[k]);
      merged |= bit<W>(mapping.size - 1);
    } else {
      mapping.group[mapping.size++] = bit<W>(order[k]);
    }
  }
  mapping.apply(draft, signature);
  draft.v[kSm] |= merged;
  draft.v[kSmMust] &= ~merged;
}

}  // namespace kleene
