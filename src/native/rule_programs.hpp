// Consistency rules as bytecode (the twin of transformers/rule_programs.py).
#pragma once

#include <optional>

#include "build.hpp"
#include "bytecode.hpp"

namespace kleene {

// A rule: the conjuncts of its body, the variables that its body quantifies (in the order of their names), and its
// head. `rail` is the rail that the head changes (-1: none); `args` are the head's arguments.
struct RuleText {
  std::vector<const Formula*> parts;
  Names hidden;
  bool has_predicate;
  int rail;
  Names args;
};

class RuleProgram {
 public:
  RuleProgram(const RuleText& text, Builder& builder);

  std::vector<int> reads;  // rails that the body reads
  bool reads_equality = false;

  // Guards, then what is violated, then what of that may be repaired.
  Bytecode code();

 private:
  void head_axes();
  void look_at_body();
  static constexpr int kCheapDepth = 6;  // levels of operands of a cheap value
  bool is_cheap(Value value, int depth) const;
  Tensor candidate(const Tensors& small, std::vector<Value>& guards);

  const RuleText& text_;
  Builder& builder_;
  Tensors body_, single_;
  Names axes_;
  std::optional<Tensor> unmet_;
};

}  // namespace kleene
