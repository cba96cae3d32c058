#include "graph.hpp"

namespace kleene {

bool Graph::is_clean(GraphOp op, Value a, Value b) const {
  switch (op) {
    case GraphOp::rows:
    case GraphOp::cols:
    case GraphOp::insert:
      return false;
    case GraphOp::both:
      return nodes_[a]->clean || nodes_[b]->clean;
    case GraphOp::either:
      return nodes_[a]->clean && nodes_[b]->clean;
    case GraphOp::without:
      return nodes_[a]->clean;
    default:
      return true;
  }
}

Value Graph::make(GraphOp op, int arity, Value a, Value b, std::u32string detail) {
  GraphNode node{op, true, static_cast<std::uint32_t>(arity), a, b, std::move(detail)};
  const auto known = values_.find(node);
  if (known != values_.end()) return known->second;
  node.clean = is_clean(op, a, b);
  const Value made = static_cast<Value>(nodes_.size());
  nodes_.push_back(&values_.emplace(std::move(node), made).first->first);
  return made;
}

Value Graph::clip(Value a) { return nodes_[a]->clean ? a : make(GraphOp::clip, arity(a), a); }

Value Graph::both(Value a, Value b) {
  if (a == b || is(b, GraphOp::full) || is(a, GraphOp::zero)) return a;
  if (is(a, GraphOp::full) || is(b, GraphOp::zero)) return b;
  if (is(b, GraphOp::complement)) return without(a, nodes_[b]->a);
  if (is(a, GraphOp::complement)) return without(b, nodes_[a]->a);
  return make(GraphOp::both, arity(a), a <= b ? a : b, a <= b ? b : a);
}

Value Graph::either(Value a, Value b) {
  if (a == b || is(b, GraphOp::zero) || is(a, GraphOp::full)) return a;
  if (is(a, GraphOp::zero) || is(b, GraphOp::full)) return b;
  return make(GraphOp::either, arity(a), a <= b ? a : b, a <= b ? b : a);
}

Value Graph::without(Value a, Value b) {
  if (is(a, GraphOp::zero) || is(b, GraphOp::zero)) return a;
  if (a == b || is(b, GraphOp::full)) return zero(arity(a));
  if (is(a, GraphOp::complement)) return complement(either(nodes_[a]->a, b));  // not x and not b
  if (is(a, GraphOp::full)) return complement(b);
  return make(GraphOp::without, arity(a), a, b);
}

Value Graph::complement(Value a) {
  if (is(a, GraphOp::complement)) return nodes_[a]->a;
  if (is(a, GraphOp::zero)) return full(arity(a));
  if (is(a, GraphOp::full)) return zero(arity(a));
  return make(GraphOp::complement, arity(a), a);
}

Value Graph::spread(Value scalar, int arity) {
  if (arity == 0) return scalar;
  if (is_constant(scalar)) return make(nodes_[scalar]->op, arity);
  return make(GraphOp::spread, arity, scalar);
}

Value Graph::some(Value a) {
  if (arity(a) == 0) return a;
  if (is(a, GraphOp::zero)) return zero(0);
  return make(GraphOp::some, 0, a);
}

Value Graph::insert(Value a, int axis) {
  if (arity(a) == 0) return spread(a, 1);
  if (is_constant(a)) return make(nodes_[a]->op, arity(a) + 1);
  if (arity(a) == 1) return make(axis == 1 ? GraphOp::rows : GraphOp::cols, 2, a);
  return make(GraphOp::insert, arity(a) + 1, a, kNone, {static_cast<char32_t>(axis)});
}

// Exists along an axis. A full tensor is empty if there is no node, so it is not simplified.
Value Graph::drop(Value a, int axis) {
  if (is(a, GraphOp::zero)) return zero(arity(a) - 1);
  if (arity(a) == 1) return some(a);
  if (arity(a) == 2) {
    if (is(a, GraphOp::both)) {
      const Value left = nodes_[a]->a, right = nodes_[a]->b;
      for (const auto& [broadcast, other] : {std::pair(left, right), std::pair(right, left)}) {
        if (axis == 0 && is(broadcast, GraphOp::rows)) return image(nodes_[broadcast]->a, other);
        if (axis == 1 && is(broadcast, GraphOp::cols)) return preimage(other, nodes_[broadcast]->a);
      }
    }
    const Value clean = clip(a);
    return make(axis == 1 ? GraphOp::any_row : GraphOp::any_column, 1, clean);
  }
  const Value clean = clip(a);
  return make(GraphOp::drop, arity(a) - 1, clean, kNone, {static_cast<char32_t>(axis)});
}

Value Graph::image(Value v, Value m) {
  const Value clean = clip(m);
  return make(GraphOp::image, 1, v, clean);
}

Value Graph::preimage(Value m, Value v) {
  const Value clean = clip(m);
  return make(GraphOp::preimage, 1, clean, v);
}

Value Graph::product(Value a, Value b) {
  if (is(a, GraphOp::zero) || is(b, GraphOp::zero)) return zero(2);
  const Value left = clip(a);
  const Value right = clip(b);
  return make(GraphOp::product, 2, left, right);
}

Value Graph::closure(Value m, const Value* through) {
  if (is(m, GraphOp::zero)) return m;
  const Value clean = clip(m);
  if (!through) return make(GraphOp::closure_all, arity(clean), clean);
  return make(GraphOp::closure, arity(clean), clean, *through);
}

Value Graph::diagonal(Value m) {
  if (is_constant(m)) return make(nodes_[m]->op, 1);
  if (is(m, GraphOp::identity)) return full(1);
  const Value clean = clip(m);
  return make(GraphOp::diagonal, 1, clean);
}

Value Graph::on_diagonal(Value v) {
  if (is(v, GraphOp::full)) return identity();
  if (is(v, GraphOp::zero)) return zero(2);
  const Value clean = clip(v);
  return make(GraphOp::on_diagonal, 2, clean);
}

Value Graph::slice(Value a, int axis, int parameter) {
  if (is(a, GraphOp::zero)) return zero(arity(a) - 1);
  const Value clean = clip(a);
  return make(GraphOp::slice, arity(a) - 1, clean, kNone,
              {static_cast<char32_t>(axis), static_cast<char32_t>(parameter)});
}

Value Graph::permute(Value a, const std::u32string& order) {
  bool same = true;
  for (std::size_t k = 0; k < order.size(); ++k) same = same && order[k] == k;
  if (same || is_constant(a) || is(a, GraphOp::identity)) return a;
  if (order.size() == 2) {
    if (is(a, GraphOp::rows)) return make(GraphOp::cols, 2, nodes_[a]->a);
    if (is(a, GraphOp::cols)) return make(GraphOp::rows, 2, nodes_[a]->a);
    if (is(a, GraphOp::transpose)) return nodes_[a]->a;
    const Value clean = clip(a);
    return make(GraphOp::transpose, 2, clean);
  }
  const Value clean = clip(a);
  return make(GraphOp::permute, arity(a), clean, kNone, order);
}

}  // namespace kleene
