// Operation graphs (the twin of structures/program/graph.py, with the same cases in the same order).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace kleene {

using Value = std::uint32_t;  // its place in its graph; operands come earlier

enum class GraphOp : std::uint8_t {
  load,
  zero,
  full,
  node,
  identity,
  both,
  either,
  without,
  complement,
  clip,
  spread,
  some,
  rows,
  cols,
  insert,
  drop,
  any_row,
  any_column,
  image,
  preimage,
  product,
  closure,
  closure_all,
  diagonal,
  on_diagonal,
  slice,
  transpose,
  permute,
};

// One operation with its operands (kNone: there is none).
struct GraphNode {
  static constexpr Value kNone = ~Value{0};
  GraphOp op{};
  bool clean = true;
  std::uint32_t arity = 0;
  Value a = kNone, b = kNone;
  std::u32string detail;  // rails, parameters, axes

  bool operator==(const GraphNode& other) const {
    return op == other.op && arity == other.arity && a == other.a && b == other.b && detail == other.detail;
  }
};

struct GraphNodeHash {
  std::size_t operator()(const GraphNode& node) const {
    std::uint64_t hash = static_cast<std::uint64_t>(node.op) | std::uint64_t{node.arity} << 8;
    const auto mix = [&](std::uint64_t x) { hash = (hash ^ x) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29; };
    mix(node.a | std::uint64_t{node.b} << 32);
    for (char32_t number : node.detail) mix(number + 1);
    return hash;
  }
};

// Builds values, sharing equal ones, and simplifying the constants `zero` and `full`.
class Graph {
 public:
  const GraphNode& operator[](Value value) const { return *nodes_[value]; }

  Value clip(Value a);
  Value load(int rail, int arity) { return make(GraphOp::load, arity, kNone, kNone, {static_cast<char32_t>(rail)}); }
  Value zero(int arity) { return make(GraphOp::zero, arity); }
  Value full(int arity) { return make(GraphOp::full, arity); }
  Value node(int parameter) { return make(GraphOp::node, 1, kNone, kNone, {static_cast<char32_t>(parameter)}); }
  Value identity() { return make(GraphOp::identity, 2); }
  Value both(Value a, Value b);
  Value either(Value a, Value b);
  Value without(Value a, Value b);
  Value complement(Value a);
  Value spread(Value scalar, int arity);
  Value some(Value a);
  Value insert(Value a, int axis);
  Value drop(Value a, int axis);
  Value image(Value v, Value m);
  Value preimage(Value m, Value v);
  Value product(Value a, Value b);
  Value closure(Value m, const Value* through);
  Value diagonal(Value m);
  Value on_diagonal(Value v);
  Value slice(Value a, int axis, int parameter);
  Value permute(Value a, const std::u32string& order);

 private:
  // Levels of operands that are looked at, and through which a transposition is pushed: without a bound, hostile
  // formulas would take exponential time, or all of the stack.
  static constexpr int kCostDepth = 8;
  static constexpr int kPushDepth = 64;
  Value transpose(Value a, int depth);
  Value push_transpose(const GraphNode& node, Value a, int depth);
  int cost_of_transpose(Value a, int depth) const;
  static constexpr Value kNone = GraphNode::kNone;
  Value make(GraphOp op, int arity, Value a = kNone, Value b = kNone, std::u32string detail = {});
  bool is_clean(GraphOp op, Value a, Value b) const;
  bool is(Value value, GraphOp op) const { return nodes_[value]->op == op; }
  bool is_constant(Value value) const { return is(value, GraphOp::zero) || is(value, GraphOp::full); }
  int arity(Value value) const { return static_cast<int>(nodes_[value]->arity); }

  std::unordered_map<GraphNode, Value, GraphNodeHash> values_;
  std::unordered_map<Value, Value> transposed_;  // where the transposition was pushed to the operands
  std::vector<const GraphNode*> nodes_;          // the keys of the map, which do not move
};

}  // namespace kleene
