#include "build.hpp"

#include <algorithm>

#include "signature.hpp"

namespace kleene {

namespace {

constexpr const char* kBuiltIn[] = {"sm", "ac", "isNew", "instance"};

Rail other(Rail rail) { return rail == kMust ? kMay : kMust; }

// Large tensors first; those of one size in the order given.
void sort_by_size(Tensors& tensors) {
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const Tensor& a, const Tensor& b) { return a.axes.size() > b.axes.size(); });
}

Names all_axes(const Tensors& tensors) {
  Names axes;
  for (const Tensor& tensor : tensors) add_new(axes, tensor.axes);
  return axes;
}

}  // namespace

void add_new(Names& names, const Names& more) {
  for (Name name : more)
    if (!has(names, name)) names.push_back(name);
}

bool same_set(const Names& a, const Names& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](Name name) { return has(b, name); });
}

Places::Places(nb::object given) : given_(std::move(given)) {
  if (!given_.is_none()) return;
  for (const char* name : kBuiltIn) of(Formulas::all().name_of(nb::str(name)));
}

int Places::of(Name predicate) {
  const auto found = known_.find(predicate);
  if (found != known_.end()) return found->second;
  int place = static_cast<int>(own_.size());
  if (given_.is_none()) {
    own_.push_back(predicate);
  } else {
    const nb::object text = Formulas::all().text(predicate);
    place = nb::cast<int>(nb::object(given_[text]));
  }
  return known_[predicate] = place;
}

Builder::Builder(Places& places, bool all_active, Names parameters)
    : places_(places),
      all_active_(all_active),
      parameters_(std::move(parameters)),
      instance_(Formulas::all().name_of(nb::str("instance"))) {}

Value Builder::tensor(const Formula& f, Rail rail, const Names& axes) {
  const Tensor made = build(f, rail);
  return graph.clip(align(made, axes));
}

Value Builder::active() { return graph.load(kAc, 1); }

// Formulas -----------------------------------------------------------------------------------------------------------

Tensor Builder::build(const Formula& f, Rail rail, bool negated) {
  const std::uint64_t key = std::uint64_t{f.number} << 2 | std::uint64_t{negated} << 1 | static_cast<unsigned>(rail);
  const auto found = memo_.find(key);
  if (found != memo_.end()) return found->second;
  tick();
  const Deeper deeper(depth_);
  Tensor made = build_node(f, rail, negated);
  memo_[key] = made;
  return made;
}

Tensor Builder::build_node(const Formula& f, Rail rail, bool negated) {
  switch (f.kind) {
    case FormulaKind::constant: {
      const bool holds = rail == kMust ? (negated ? !f.may : f.must) : (negated ? !f.must : f.may);
      return {holds ? graph.full(0) : graph.zero(0), {}};
    }
    case FormulaKind::negation:
      return build(*f.part[0], rail, !negated);
    case FormulaKind::conjunction:
    case FormulaKind::disjunction: {
      Tensors tensors = build_all(parts(f), rail, negated);
      if ((f.kind == FormulaKind::conjunction) != negated) return conjunction(tensors);
      return disjunction(std::move(tensors));
    }
    case FormulaKind::iff:
      return iff(f, rail, negated);
    case FormulaKind::if_then_else:
      return if_then_else(f, rail, negated);
    case FormulaKind::exists:
      return negated ? complement(exists(f, other(rail), false)) : exists(f, rail, false);
    case FormulaKind::forall:
      return negated ? exists(f, rail, true) : complement(exists(f, other(rail), true));
    default: {
      const Tensor made = literal(f, negated ? other(rail) : rail);
      return negated ? complement(made) : made;
    }
  }
}

Tensor Builder::literal(const Formula& f, Rail rail) {
  if (f.kind == FormulaKind::equal) return equal(f.names[0], f.names[1], rail);
  if (f.kind == FormulaKind::closure) return closure(f, rail);
  const int place = 2 * places_.of(f.name) + rail;
  Value made = graph.load(place, static_cast<int>(f.names.size()));
  if (place == kInstance) {  // not every pair of individuals of a summary node and its copy
    const Value summary = graph.load(kSm, 1);
    const Value rows = graph.insert(summary, 1);
    made = graph.without(made, rows);
  }
  return apply(made, f.names);
}

// The operands of a nest of And or of Or, left to right.
std::vector<const Formula*> Builder::parts(const Formula& f) {
  std::vector<const Formula*> result, stack{&f};
  while (!stack.empty()) {
    tick();
    const Formula* g = stack.back();
    stack.pop_back();
    if (g->kind == f.kind) {
      stack.push_back(g->part[1]);
      stack.push_back(g->part[0]);
    } else {
      result.push_back(g);
    }
  }
  return result;
}

Tensors Builder::build_all(const std::vector<const Formula*>& formulas, Rail rail, bool negated) {
  Tensors tensors;
  tensors.reserve(formulas.size());
  for (const Formula* f : formulas) tensors.push_back(build(*f, rail, negated));
  return tensors;
}

// (!a | b) & (!b | a), and for the negation (a & !b) | (b & !a).
Tensor Builder::iff(const Formula& f, Rail rail, bool negated) {
  Tensors sides;
  for (const auto& [p, q] : {std::pair(f.part[0], f.part[1]), std::pair(f.part[1], f.part[0])}) {
    Tensors two{build(*p, rail, !negated), build(*q, rail, negated)};
    sides.push_back(negated ? conjunction(two) : disjunction(std::move(two)));
  }
  return negated ? disjunction(std::move(sides)) : conjunction(sides);
}

Tensor Builder::if_then_else(const Formula& f, Rail rail, bool negated) {
  const Tensor condition = build(*f.part[0], rail);
  const Tensor otherwise = build(*f.part[0], rail, true);
  const Tensor a = build(*f.part[1], rail, negated);
  const Tensor b = build(*f.part[2], rail, negated);
  Tensors cases{conjunction({condition, a}), conjunction({otherwise, b})};
  if (rail == kMust) cases.push_back(conjunction({a, b}));  // an unknown condition still gives 1 if both branches do
  return disjunction(std::move(cases));
}

bool Builder::is_parameter(Name v) const { return has(parameters_, v) && !has(bound_, v); }

// A predicate's tensor at the given arguments: parameters sliced, repeated variables on the diagonal.
Tensor Builder::apply(Value tensor, const Names& args) {
  Names axes = args;
  for (std::size_t k = axes.size(); k-- > 0;) {
    if (!is_parameter(axes[k])) continue;
    tensor = graph.slice(tensor, static_cast<int>(k), parameter(axes[k]));
    axes.erase(k, 1);
  }
  const auto repeats = [&] {
    for (std::size_t k = 0; k < axes.size(); ++k)
      if (axes.find(axes[k], k + 1) != Names::npos) return true;
    return false;
  };
  while (repeats()) merge_repeated(tensor, axes);
  return {tensor, axes};
}

void Builder::merge_repeated(Value& tensor, Names& axes) {
  std::size_t first = 0;
  while (axes.find(axes[first], first + 1) == Names::npos) ++first;
  const std::size_t second = axes.find(axes[first], first + 1);
  if (axes.size() == 2) {
    tensor = graph.diagonal(tensor);
    axes.resize(1);
    return;
  }
  Names places;
  for (std::size_t k = 0; k < axes.size(); ++k) places.push_back(static_cast<Name>(k));
  const Value identity = graph.identity();
  const Value on_diagonal = align({identity, {places[first], places[second]}}, places);
  const Value both = graph.both(tensor, on_diagonal);
  tensor = graph.drop(both, static_cast<int>(second));
  axes.erase(second, 1);
}

// 1 on a node that is no summary node, 1/2 on a summary node, 0 on different nodes; v == v is 1.
Tensor Builder::equal(Name a, Name b, Rail rail) {
  if (a == b) return {graph.full(0), {}};
  const Value certain = rail == kMust ? graph.complement(graph.load(kSm, 1)) : graph.full(1);
  Names fixed;
  for (Name v : {a, b})
    if (is_parameter(v)) fixed.push_back(v);
  if (fixed.empty()) return {graph.on_diagonal(certain), {a, b}};
  const Value node = graph.node(parameter(fixed[0]));
  const Value vector = graph.both(node, certain);
  if (fixed.size() == 1) return {vector, {fixed[0] == a ? b : a}};
  return {graph.slice(vector, 0, parameter(fixed[1])), {}};
}

Names Builder::hide(const Names& names) {
  Names hidden;
  for (Name v : names)
    if (has(parameters_, v) && !has(bound_, v) && !has(hidden, v)) hidden.push_back(v);
  bound_ += hidden;
  if (!hidden.empty()) memo_.clear();
  return hidden;
}

void Builder::unhide(const Names& hidden) {
  for (Name v : hidden) bound_.erase(bound_.find(v), 1);
  if (!hidden.empty()) memo_.clear();
}

Tensor Builder::closure(const Formula& f, Rail rail) {
  const Name left = f.names[0], right = f.names[1], sub_left = f.names[2], sub_right = f.names[3];
  const Names hidden = hide({sub_left, sub_right});
  const Tensor body = build(*f.part[0], rail);
  unhide(hidden);
  Names before, after;
  for (Name v : body.axes)
    if (v != sub_left && v != sub_right) before.push_back(v);
  after = before;
  for (Name v : {sub_left, sub_right}) before.push_back(v);
  for (Name v : {left, right}) after.push_back(v);
  const Value matrix = align(body, before);
  Value closed = 0;
  if (rail == kMust && !all_active_) {
    const Value through = active();
    closed = graph.closure(matrix, &through);
  } else {
    closed = graph.closure(matrix, nullptr);
  }
  return apply(closed, after);
}

// Boolean operations on tensors --------------------------------------------------------------------------------------

Tensor Builder::complement(const Tensor& tensor) { return {graph.complement(tensor.value), tensor.axes}; }

// Operands over the same variables are joined first, small ones before large ones.
Tensor Builder::conjunction(const Tensors& tensors) {
  if (tensors.size() == 1) return tensors[0];
  Tensors groups;
  for (const Tensor& tensor : tensors) {
    const auto own =
        std::find_if(groups.begin(), groups.end(), [&](const Tensor& g) { return same_set(g.axes, tensor.axes); });
    if (own != groups.end()) {
      const Value aligned = align(tensor, own->axes);
      own->value = graph.both(own->value, aligned);
    } else {
      groups.push_back(tensor);
    }
  }
  if (groups.empty()) return {graph.full(0), {}};
  sort_by_size(groups);
  const Names axes = all_axes(groups);
  Value result = align(groups[0], axes);
  for (std::size_t k = 1; k < groups.size(); ++k) {
    const Value aligned = align(groups[k], axes);
    result = graph.both(result, aligned);
  }
  return {result, axes};
}

Tensor Builder::disjunction(Tensors tensors) {
  sort_by_size(tensors);
  const Names axes = all_axes(tensors);
  Value result = graph.zero(static_cast<int>(axes.size()));
  for (const Tensor& tensor : tensors) {
    const Value aligned = align(tensor, axes);
    result = graph.either(result, aligned);
  }
  return {result, axes};
}

// The tensor with the given axes in the given order; missing ones are broadcast.
Value Builder::align(const Tensor& tensor, const Names& axes) {
  if (tensor.axes == axes) return tensor.value;
  if (tensor.axes.empty()) return graph.spread(tensor.value, static_cast<int>(axes.size()));
  std::u32string order;
  for (Name v : axes)
    if (has(tensor.axes, v)) order.push_back(static_cast<char32_t>(tensor.axes.find(v)));
  Value value = graph.permute(tensor.value, order);
  for (std::size_t k = 0; k < axes.size(); ++k)
    if (!has(tensor.axes, axes[k])) value = graph.insert(value, static_cast<int>(k));
  return value;
}

// Quantifiers --------------------------------------------------------------------------------------------------------

// The rail of E(v, ...) body (or of the negation of A(v, ...) body): all its variables at once.
Tensor Builder::exists(const Formula& f, Rail rail, bool negated) {
  const FormulaKind quantifier = negated ? FormulaKind::forall : FormulaKind::exists;
  Names variables;
  const Formula* body = &f;
  while (body->kind == quantifier && !has(variables, body->name)) {
    variables.push_back(body->name);
    body = body->part[0];
  }
  const Names hidden = hide(variables);  // a bound variable hides a parameter of the same name
  Tensor result = exists_in(variables, *body, rail, negated);
  unhide(hidden);
  return result;
}

Tensor Builder::exists_in(const Names& variables, const Formula& given, Rail rail, bool negated) {
  const Deeper deeper(depth_);
  const Formula* body = &given;
  for (; body->kind == FormulaKind::negation; negated = !negated) body = body->part[0];
  // exists distributes over disjunction
  if (body->kind == (negated ? FormulaKind::conjunction : FormulaKind::disjunction)) {
    Tensors cases;
    for (const Formula* p : parts(*body)) cases.push_back(exists_in(variables, *p, rail, negated));
    return disjunction(std::move(cases));
  }
  const bool conjunctive = body->kind == (negated ? FormulaKind::disjunction : FormulaKind::conjunction);
  Tensors tensors;
  for (const Formula* p : conjunctive ? parts(*body) : std::vector<const Formula*>{body})
    tensors.push_back(witness_part(*p, variables, rail, negated));
  return eliminate(variables, tensors, rail);
}

// A conjunct under an existential quantifier. Every new node has exactly one original (see build.py).
Tensor Builder::witness_part(const Formula& f, const Names& variables, Rail rail, bool negated) {
  if (f.kind == FormulaKind::atom && f.name == instance_ && rail == kMust && !negated && f.names.size() == 2) {
    const bool first = has(variables, f.names[0]), second = has(variables, f.names[1]);
    if (f.names[0] != f.names[1] && first != second) return apply(graph.load(kInstance, 2), f.names);
  }
  return build(f, rail, negated);
}

// Exists the variables over a conjunction, those with the fewest neighbours first. What does not mention a variable
// stays outside its quantifier; products are recognised.
Tensor Builder::eliminate(const Names& variables, const Tensors& tensors, Rail rail) {
  Tensors remaining = tensors;
  Names waiting = variables;
  while (!waiting.empty()) {
    std::size_t best = 0, least = ~std::size_t{0};
    for (std::size_t k = 0; k < waiting.size(); ++k) {
      Names neighbours;
      for (const Tensor& tensor : remaining)
        if (has(tensor.axes, waiting[k])) add_new(neighbours, tensor.axes);
      if (neighbours.size() < least) best = k, least = neighbours.size();
    }
    const Name chosen = waiting[best];
    waiting.erase(best, 1);
    Tensors inside, outside;
    for (Tensor& tensor : remaining) (has(tensor.axes, chosen) ? inside : outside).push_back(std::move(tensor));
    if (rail == kMust && !all_active_) inside.push_back({active(), {chosen}});
    if (inside.empty()) inside.push_back({graph.full(1), {chosen}});  // any node is a witness, but there must be one
    outside.push_back(witness(chosen, inside));
    remaining = std::move(outside);
  }
  return conjunction(remaining);
}

Tensor Builder::witness(Name v, const Tensors& inside) {
  Names others;
  for (const Tensor& tensor : inside)
    for (Name w : tensor.axes)
      if (w != v && !has(others, w)) others.push_back(w);
  if (others.size() == 2) {
    Tensors first, second, unary;
    for (const Tensor& tensor : inside) {
      if (same_set(tensor.axes, {v, others[0]})) first.push_back(tensor);
      if (same_set(tensor.axes, {v, others[1]})) second.push_back(tensor);
      if (tensor.axes == Names{v}) unary.push_back(tensor);
    }
    if (first.size() + second.size() + unary.size() == inside.size()) {
      first.insert(first.end(), unary.begin(), unary.end());
      const Value left = align(conjunction(first), {others[0], v});
      const Value right = align(conjunction(second), {v, others[1]});
      return {graph.product(left, right), others};
    }
  }
  const Tensor all = conjunction(inside);
  const std::size_t axis = all.axes.find(v);
  Names axes = all.axes;
  axes.erase(axis, 1);
  return {graph.drop(all.value, static_cast<int>(axis)), axes};
}

}  // namespace kleene
