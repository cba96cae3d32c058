// Where the rails of a vocabulary's predicates are (the twin of logic/vocabulary.py, as far as the machine needs it).
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "matrix.hpp"

namespace kleene {

// Rails of the built-in predicates, as in structures/structure.py; all of them but `instance` are vectors.
enum BuiltInRail { kSmMust, kSm, kAc, kAcMay, kIsNew, kIsNewMay, kInstance, kInstanceMay, kBuiltInRails };

// What holds the value of an operand: a vector (arity 0 and 1), a matrix, or a tensor of three axes.
enum class Kind : std::uint8_t { vector, matrix, tensor };

inline Kind kind_of(int arity) { return arity < 2 ? Kind::vector : arity == 2 ? Kind::matrix : Kind::tensor; }

// The rails of predicate p are 2p (must) and 2p + 1 (may); `slot` is a rail's place among those of its kind.
class Signature {
 public:
  static constexpr std::size_t kMostPredicates = 8000;  // two slots each, in the 15 bits of an operand

  explicit Signature(std::vector<int> arities) : arities_(std::move(arities)) {
    if (arities_.size() < kBuiltInRails / 2 || arities_.size() > kMostPredicates)
      throw std::invalid_argument("a signature has between 4 and 8000 predicates");
    slots_.resize(2 * arities_.size());
    for (std::size_t p = 0; p < arities_.size(); ++p) {
      if (arities_[p] < 0 || arities_[p] > kMostArity)
        throw std::invalid_argument("a predicate of this arity is not supported");
      if (p < kBuiltInRails / 2 && arities_[p] != (p == kInstance / 2 ? 2 : 1))
        throw std::invalid_argument("a signature begins with the built-in predicates");
    }
    for (int arity : {1, 0, 2, 3}) {
      for (int rail = 0; rail < rails(); ++rail)
        if (this->arity(rail) == arity) slots_[rail] = counts_[static_cast<int>(kind_of(arity))]++;
      if (arity == 1) unary_ = counts_[0];
    }
  }

  int predicates() const { return static_cast<int>(arities_.size()); }
  int rails() const { return 2 * predicates(); }
  int arity(int rail) const { return arities_[rail >> 1]; }
  Kind kind(int rail) const { return kind_of(arity(rail)); }
  int slot(int rail) const { return slots_[rail]; }
  int count(Kind kind) const { return counts_[static_cast<int>(kind)]; }
  // The vectors of unary predicates; those of nullary ones come behind them.
  int unary() const { return unary_; }
  const std::vector<int>& arities() const { return arities_; }

  // Something about structures of n nodes that is computed on first use, by whatever thread comes first.
  template <class F>
  const std::vector<std::uint64_t>& remembered(int n, F compute) const {
    std::call_once(once_[n], [&] { words_[n] = compute(); });
    return words_[n];
  }

  void check_rail(int rail) const {
    if (rail < 0 || rail >= rails()) throw std::invalid_argument("there is no such rail");
  }

 private:
  std::vector<int> arities_;
  std::vector<int> slots_;
  int counts_[3] = {0, 0, 0};
  int unary_ = 0;
  mutable std::array<std::once_flag, kMostNodes + 1> once_;
  mutable std::array<std::vector<std::uint64_t>, kMostNodes + 1> words_;
};

}  // namespace kleene
