#include "bytecode.hpp"

namespace kleene {

namespace {

constexpr int kMostValues = 30'000;

// Where an operation has one form for vectors, one for matrices and one for tensors.
#define KLEENE_FORMS(name) \
  std::array { Op::name##_v, Op::name##_m, Op::name##_t }

int kind_of_arity(std::uint32_t arity) {
  if (arity > kMostArity) throw Unsupported("a value of more than three axes");
  return static_cast<int>(kind_of(static_cast<int>(arity)));
}

int parameter_of(char32_t number) {
  if (number >= kMostParameters) throw Unsupported("a program of very many parameters");
  return static_cast<int>(number);
}

Op slice_of(std::uint32_t arity, char32_t axis) {
  kind_of_arity(arity);
  if (arity == 1) return Op::slice_v;
  if (arity == 2) return axis == 0 ? Op::slice_row : Op::slice_column;
  return axis == 0 ? Op::slice_first : axis == 1 ? Op::slice_second : Op::slice_third;
}

}  // namespace

int Bytecode::kind(Value value) const { return kind_of_arity(graph_[value].arity); }

void Bytecode::write(Op op, int detail, int target, int a, int b) {
  for (int word : {static_cast<int>(op), detail, target, a, b}) words.push_back(static_cast<std::uint16_t>(word));
}

void Bytecode::guard(Value value) {
  if (graph_[value].op == GraphOp::transpose) value = graph_[value].a;  // as empty, and it may be all that is needed
  if (!guarded_.insert(value).second) return;
  const Op op = KLEENE_FORMS(guard)[kind(value)];
  const std::uint16_t operand = emit(value);
  write(op, 0, 0, operand, 0);
}

void Bytecode::output(Value value) {
  const std::uint16_t operand = emit(value);
  outputs.emplace_back(operand, static_cast<int>(graph_[value].arity));
}

std::uint16_t Bytecode::emit(Value value) {
  std::vector<Value> stack{value};
  while (!stack.empty()) {
    const Value current = stack.back();
    if (operands_.contains(current)) {
      stack.pop_back();
      continue;
    }
    const GraphNode& node = graph_[current];
    const std::size_t before = stack.size();
    for (Value operand : {node.b, node.a})
      if (operand != GraphNode::kNone && !operands_.contains(operand)) stack.push_back(operand);
    if (stack.size() > before) continue;
    stack.pop_back();
    const std::uint16_t place = define(node);
    operands_.emplace(current, place);
  }
  return operands_.at(value);
}

std::uint16_t Bytecode::define(const GraphNode& node) {
  const int own = kind_of_arity(node.arity);
  if (node.op == GraphOp::load) return static_cast<std::uint16_t>(node.detail[0]);
  const int target = counts_[own];
  if (target > kMostValues) throw Unsupported("a program of very many values");
  ++counts_[own];
  const auto [op, detail] = operation(node, own);
  const auto operand = [&](Value value) { return value == GraphNode::kNone ? 0 : operands_.at(value); };
  write(op, detail, target, operand(node.a), operand(node.b));
  return static_cast<std::uint16_t>(target | kTemporary);
}

std::pair<Op, int> Bytecode::operation(const GraphNode& node, int own) const {
  const auto& detail = node.detail;
  switch (node.op) {
    case GraphOp::zero:
      return {KLEENE_FORMS(zero)[own], 0};
    case GraphOp::full:
      return {node.arity == 0 ? Op::full_0 : KLEENE_FORMS(full)[own], 0};
    case GraphOp::complement:
      return {node.arity == 0 ? Op::complement_0 : KLEENE_FORMS(complement)[own], 0};
    case GraphOp::both:
      return {KLEENE_FORMS(and)[own], 0};
    case GraphOp::either:
      return {KLEENE_FORMS(or)[own], 0};
    case GraphOp::without:
      return {KLEENE_FORMS(andnot)[own], 0};
    case GraphOp::spread:
      return {KLEENE_FORMS(spread)[own], 0};
    case GraphOp::some:
      return {KLEENE_FORMS(some)[kind(node.a)], 0};
    case GraphOp::clip:
      return {own == 1 ? Op::clip_m : Op::clip_t, 0};
    case GraphOp::closure:
      return {own == 1 ? Op::closure_m : Op::closure_t, 0};
    case GraphOp::closure_all:
      return {own == 1 ? Op::closure_all_m : Op::closure_all_t, 0};
    case GraphOp::node:
      return {Op::node, parameter_of(detail[0])};
    case GraphOp::slice:
      return {slice_of(graph_[node.a].arity, detail[0]), parameter_of(detail[1])};
    case GraphOp::insert:
      return {Op::insert_t, static_cast<int>(detail[0])};
    case GraphOp::drop:
      kind(node.a);
      return {Op::drop_t, static_cast<int>(detail[0])};
    case GraphOp::permute:
      return {Op::permute_t, static_cast<int>(detail[0] | detail[1] << 2 | detail[2] << 4)};
    case GraphOp::identity:
      return {Op::identity, 0};
    case GraphOp::rows:
      return {Op::rows, 0};
    case GraphOp::cols:
      return {Op::cols, 0};
    case GraphOp::any_row:
      return {Op::any_row, 0};
    case GraphOp::any_column:
      return {Op::any_column, 0};
    case GraphOp::image:
      return {Op::image, 0};
    case GraphOp::preimage:
      return {Op::preimage, 0};
    case GraphOp::product:
      return {Op::product, 0};
    case GraphOp::diagonal:
      return {Op::diagonal, 0};
    case GraphOp::on_diagonal:
      return {Op::on_diagonal, 0};
    case GraphOp::transpose:
      return {Op::transpose, 0};
    case GraphOp::load:
      break;
  }
  throw std::logic_error("a value without an operation");
}

#undef KLEENE_FORMS

}  // namespace kleene
