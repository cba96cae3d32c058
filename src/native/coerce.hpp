// Coerce: sharpen a structure by the consistency rules, or find it contradictory (the twin of transformers/coerce.py).
#pragma once

#include <map>
#include <string>

#include "worker.hpp"

namespace kleene {

enum class Head { refute, predicate, equal, different };

// A rule: its program computes where it is violated and, as a second output, which of that may be repaired.
struct Rule {
  ProgramRef program;
  Head head;
  int rail;  // of a head that is a predicate
  // The rails whose tests the program begins with, unary ones first: most rules end there, and need no interpreter.
  static constexpr std::size_t kMostTested = 4;
  std::array<std::uint16_t, kMostTested> tested{};
  std::uint8_t vectors = 0, matrices = 0;  // how many of each
};

class Rules {
 public:
  Rules(const Signature& signature, int count, const std::vector<std::vector<int>>& readers,
        const std::vector<std::vector<int>>& writers, const std::vector<int>& equality_readers,
        const std::vector<int>& after_new, const std::vector<int>& after_removal);

  // The rules for structures whose nodes are all active (1), or for all structures (0).
  void add(bool all_active, std::vector<Rule> rules);
  bool has(bool all_active) const { return has_[all_active]; }

  const Signature& signature;
  int count;
  int words;
  Words all;
  Words equality_readers;
  Words after_new, after_removal;  // what a new node on which every predicate is 0, and what missing nodes may breach
  const Words& readers(int rail) const { return readers_[rail]; }
  const Words& writers(int rail) const { return writers_[rail]; }
  const std::vector<Rule>& variant(bool all_active) const {
    if (!has_[all_active]) throw NeedsGeneral{};
    return variants_[all_active];
  }
  Demand demand;

 private:
  Words mask(const std::vector<int>& rules) const;
  std::vector<Words> readers_, writers_;
  std::vector<Rule> variants_[2];
  bool has_[2] = {false, false};
};

inline void mark(std::uint64_t* dirty, const Words& more) {
  for (std::size_t k = 0; k < more.size(); ++k) dirty[k] |= more[k];
}

// Checks the rules that are dirty and those that repairs make so; the result is the number of a rule that cannot be
// satisfied, or -1. A structure that is not contradictory has no dirty rules after that.
template <int W>
int sharpen(const Rules& rules, Draft<W>& draft, Worker<W>& worker);

}  // namespace kleene
