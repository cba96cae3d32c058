// Formulas of Python, each read once (the twin of logic/formula.py, as far as programs need it).
//
// Python's formulas are interned and kept for ever, and so is what is read of them: the number of a formula is its
// place here. Names of variables and predicates are numbers too.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace kleene {

namespace nb = nanobind;

using Name = char32_t;
using Names = std::u32string;  // up to three names take no memory of their own

enum class FormulaKind : std::uint8_t {
  constant,
  atom,
  equal,
  negation,
  conjunction,
  disjunction,
  iff,
  if_then_else,
  exists,
  forall,
  closure,
};

struct Formula {
  FormulaKind kind{};
  std::uint32_t number = 0;
  bool must = false, may = false;  // the rails of a constant
  Name name = 0;                   // the predicate of an atom, the variable of a quantifier
  Names names;                     // the arguments of an atom or an equality; left, right, sub_left, sub_right
  const Formula* part[3] = {nullptr, nullptr, nullptr};
};

// Everything that was read. There is one of it, it is used with the lock of Python only, and it is never destroyed: the
// objects that it holds must not outlive the interpreter.
class Formulas {
 public:
  static Formulas& all();

  // The classes of formulas by their names.
  void learn(nb::dict classes);
  const Formula& of(nb::handle formula);
  Name name_of(nb::handle text);
  Names names_of(nb::handle texts);
  nb::object text(Name name) const { return texts_[name]; }

 private:
  Formulas() = default;
  const Formula* known(nb::handle formula, std::size_t& number) const;
  FormulaKind kind_of(nb::handle formula) const;
  const Formula* read(nb::handle formula, std::size_t number);

  std::vector<nb::object> classes_;
  std::deque<Formula> memory_;
  std::vector<const Formula*> by_number_;
  nb::dict numbers_;
  std::vector<nb::object> texts_;
};

}  // namespace kleene
