#include "formula.hpp"

#include <stdexcept>
#include <string_view>

namespace kleene {

namespace {

constexpr const char* kClasses[] = {"Const", "Atom",       "Equal",  "Not",    "And",    "Or",
                                    "Iff",   "IfThenElse", "Exists", "Forall", "Closure"};

}  // namespace

Formulas& Formulas::all() {
  static Formulas* formulas = new Formulas();
  return *formulas;
}

void Formulas::learn(nb::dict classes) {
  classes_.clear();
  for (const char* name : kClasses) classes_.push_back(classes[name]);
}

FormulaKind Formulas::kind_of(nb::handle formula) const {
  for (std::size_t k = 0; k < classes_.size(); ++k)
    if (formula.type().is(classes_[k])) return static_cast<FormulaKind>(k);
  throw nb::type_error("not a formula");
}

const Formula* Formulas::known(nb::handle formula, std::size_t& number) const {
  number = nb::cast<std::size_t>(formula.attr("number"));
  return number < by_number_.size() ? by_number_[number] : nullptr;
}

const Formula& Formulas::of(nb::handle formula) {
  std::size_t number = 0;
  if (const Formula* found = known(formula, number)) return *found;
  std::vector<nb::object> stack{nb::borrow(formula)};  // children before parents, and no recursion: formulas are deep
  const Formula* last = nullptr;
  while (!stack.empty()) {
    const nb::object current = stack.back();
    last = known(current, number);
    if (last) {
      stack.pop_back();
      continue;
    }
    const nb::object children = current.attr("children");
    const std::size_t before = stack.size();
    std::size_t ignored = 0;
    for (nb::handle child : children)
      if (!known(child, ignored)) stack.push_back(nb::borrow(child));
    if (stack.size() > before) continue;
    last = read(current, number);
    stack.pop_back();
  }
  return *last;
}

const Formula* Formulas::read(nb::handle formula, std::size_t number) {
  Formula made;
  made.kind = kind_of(formula);
  made.number = static_cast<std::uint32_t>(number);
  const auto part = [&](const char* name) {
    std::size_t own = 0;
    return known(formula.attr(name), own);
  };
  const auto name = [&](const char* field) { return name_of(formula.attr(field)); };
  switch (made.kind) {
    case FormulaKind::constant: {
      const nb::object value = formula.attr("value");
      const nb::str written{nb::handle(value)};
      const std::string_view text = written.c_str();
      made.must = text == "1";
      made.may = text != "0";
      break;
    }
    case FormulaKind::atom:
      made.name = name("predicate");
      made.names = names_of(formula.attr("args"));
      break;
    case FormulaKind::equal:
      made.names = {name("left"), name("right")};
      break;
    case FormulaKind::negation:
      made.part[0] = part("body");
      break;
    case FormulaKind::conjunction:
    case FormulaKind::disjunction:
    case FormulaKind::iff:
      made.part[0] = part("left");
      made.part[1] = part("right");
      break;
    case FormulaKind::if_then_else:
      made.part[0] = part("condition");
      made.part[1] = part("then");
      made.part[2] = part("otherwise");
      break;
    case FormulaKind::exists:
    case FormulaKind::forall:
      made.name = name("variable");
      made.part[0] = part("body");
      break;
    case FormulaKind::closure:
      made.names = {name("left"), name("right"), name("sub_left"), name("sub_right")};
      made.part[0] = part("body");
      break;
  }
  memory_.push_back(std::move(made));
  if (by_number_.size() <= number) by_number_.resize(number + 1 + number / 2, nullptr);
  return by_number_[number] = &memory_.back();
}

Name Formulas::name_of(nb::handle text) {
  if (!PyUnicode_CheckExact(text.ptr())) throw nb::type_error("a name is a text");
  if (PyObject* number = PyDict_GetItemWithError(numbers_.ptr(), text.ptr()))
    return static_cast<Name>(PyLong_AsLong(number));
  const Name made = static_cast<Name>(texts_.size());
  numbers_[text] = static_cast<long>(made);
  texts_.push_back(nb::borrow(text));
  return made;
}

Names Formulas::names_of(nb::handle texts) {
  Names made;
  for (nb::handle text : texts) made.push_back(name_of(text));
  return made;
}

}  // namespace kleene
