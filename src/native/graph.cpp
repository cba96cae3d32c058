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
  return make(GraphOp::some, 0, is(a, GraphOp::transpose) ? nodes_[a]->a : a);
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
    const bool turned = is(clean, GraphOp::transpose);
    return make((axis == 1) != turned ? GraphOp::any_row : GraphOp::any_column, 1, turned ? nodes_[clean]->a : clean);
  }
  const Value clean = clip(a);
  return make(GraphOp::drop, arity(a) - 1, clean, kNone, {static_cast<char32_t>(axis)});
}

Value Graph::image(Value v, Value m) {
  const Value clean = clip(m);
  if (is(clean, GraphOp::transpose)) return make(GraphOp::preimage, 1, nodes_[clean]->a, v);
  return make(GraphOp::image, 1, v, clean);
}

Value Graph::preimage(Value m, Value v) {
  const Value clean = clip(m);
  if (is(clean, GraphOp::transpose)) return make(GraphOp::image, 1, v, nodes_[clean]->a);
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
  return make(GraphOp::diagonal, 1, is(clean, GraphOp::transpose) ? nodes_[clean]->a : clean);
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

// How many more transpositions it takes to compute the transposed value where the value itself is not needed; what is
// deeper than `depth` counts as one.
int Graph::cost_of_transpose(Value a, int depth) const {
  const GraphNode& node = *nodes_[a];
  switch (depth ? node.op : GraphOp::load) {
    case GraphOp::zero:
    case GraphOp::full:
    case GraphOp::identity:
    case GraphOp::on_diagonal:
    case GraphOp::rows:
    case GraphOp::cols:
      return 0;
    case GraphOp::transpose:
      return -1;
    case GraphOp::complement:
      return cost_of_transpose(node.a, depth - 1);
    case GraphOp::both:
    case GraphOp::either:
    case GraphOp::without:
    case GraphOp::product:
      return cost_of_transpose(node.a, depth - 1) + cost_of_transpose(node.b, depth - 1);
    default:
      return 1;
  }
}

// A transposition is pushed to the operands where it meets others there, and through complements. The Python machine
// does not do that.
Value Graph::transpose(Value a, int depth) {
  const bool pushes = is(a, GraphOp::complement) || cost_of_transpose(a, kCostDepth) < 1;
  if (!depth || !pushes) {
    const Value clean = clip(a);
    return make(GraphOp::transpose, 2, clean);
  }
  const auto known = transposed_.find(a);
  if (known != transposed_.end()) return known->second;
  const Value made = push_transpose(*nodes_[a], a, depth - 1);
  transposed_.emplace(a, made);
  return made;
}

Value Graph::push_transpose(const GraphNode& node, Value a, int depth) {
  switch (node.op) {
    case GraphOp::rows:
      return make(GraphOp::cols, 2, node.a);
    case GraphOp::cols:
      return make(GraphOp::rows, 2, node.a);
    case GraphOp::transpose:
      return node.a;
    case GraphOp::complement:
      return complement(transpose(node.a, depth));
    case GraphOp::both:
    case GraphOp::either:
    case GraphOp::without:
    case GraphOp::product: {
      const Value left = transpose(node.a, depth);
      const Value right = transpose(node.b, depth);
      if (node.op == GraphOp::both) return both(left, right);
      if (node.op == GraphOp::either) return either(left, right);
      return node.op == GraphOp::without ? without(left, right) : product(right, left);
    }
    default:
      return a;
  }
}

Value Graph::permute(Value a, const std::u32string& order) {
  bool same = true;
  for (std::size_t k = 0; k < order.size(); ++k) same = same && order[k] == k;
  if (same || is_constant(a) || is(a, GraphOp::identity)) return a;
  if (order.size() == 2) return transpose(a, kPushDepth);
  const Value clean = clip(a);
  return make(GraphOp::permute, arity(a), clean, kNone, order);
}

}  // namespace kleene
