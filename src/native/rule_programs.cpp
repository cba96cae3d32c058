#include "rule_programs.hpp"

#include <algorithm>

namespace kleene {

namespace {

bool within(const Names& names, const Names& all) {
  return std::all_of(names.begin(), names.end(), [&](Name name) { return has(all, name); });
}

}  // namespace

RuleProgram::RuleProgram(const RuleText& text, Builder& builder) : text_(text), builder_(builder) {
  for (const Formula* part : text.parts) body_.push_back(builder.build(*part, kMust));
  head_axes();
  if (!builder.all_active()) {
    const Value active = builder.active();
    for (Name v : axes_) body_.push_back({active, {v}});
  }
  look_at_body();
  if (!text.has_predicate) return;
  const Value load = builder.graph.load(text.rail, static_cast<int>(axes_.size()));
  unmet_ = {text.rail & 1 ? load : builder.graph.complement(load), axes_};
}

// The variable of each argument of the head; a repeated one gets a second name, tied to the first. p(v, v) says nothing
// of different individuals of one summary node: `single_` are the nodes that are one individual.
void RuleProgram::head_axes() {
  for (Name v : text_.args) {
    Name name = v;
    while (has(axes_, name)) {
      const nb::object text = Formulas::all().text(name);
      name = Formulas::all().name_of(text + nb::str("\""));
    }
    if (name != v) {
      body_.push_back({builder_.graph.identity(), {v, name}});
      single_.push_back(builder_.equal(v, name, kMust));
    }
    axes_.push_back(name);
  }
}

void RuleProgram::look_at_body() {
  std::vector<Value> stack;
  for (const Tensor& tensor : body_) stack.push_back(tensor.value);
  std::vector<bool> seen;
  while (!stack.empty()) {
    const Value value = stack.back();
    stack.pop_back();
    if (seen.size() <= value) seen.resize(value + 1);
    if (seen[value]) continue;
    seen[value] = true;
    const GraphNode& node = builder_.graph[value];
    if (node.op == GraphOp::load) reads.push_back(static_cast<int>(node.detail[0]));
    if (node.op == GraphOp::identity || node.op == GraphOp::on_diagonal) reads_equality = true;
    for (Value operand : {node.a, node.b})
      if (operand != GraphNode::kNone) stack.push_back(operand);
  }
  std::sort(reads.begin(), reads.end());
  reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
}

// Whether a value is computed word by word from rails, in few steps; others need loops over nodes.
bool RuleProgram::is_cheap(Value value, int depth) const {
  const GraphNode& node = builder_.graph[value];
  switch (depth ? node.op : GraphOp::product) {
    case GraphOp::load:
    case GraphOp::zero:
    case GraphOp::full:
    case GraphOp::identity:
      return true;
    case GraphOp::both:
    case GraphOp::either:
    case GraphOp::without:
      return is_cheap(node.a, depth - 1) && is_cheap(node.b, depth - 1);
    case GraphOp::complement:
    case GraphOp::on_diagonal:
    case GraphOp::rows:
    case GraphOp::cols:
    case GraphOp::spread:
      return is_cheap(node.a, depth - 1);
    default:
      return false;
  }
}

// The conjuncts over the variables of the head as one; a guard tests the cheap ones before the others are computed.
Tensor RuleProgram::candidate(const Tensors& small, std::vector<Value>& guards) {
  Graph& graph = builder_.graph;
  Tensors cheap, costly;
  bool selective = false;
  for (const Tensor& tensor : small) {
    const bool in_order = tensor.axes.size() < 2 || tensor.axes == axes_;
    const bool first = in_order && is_cheap(tensor.value, kCheapDepth);
    (first ? cheap : costly).push_back(tensor);
    selective = selective || (first && graph[tensor.value].op != GraphOp::complement);
  }
  if (!selective || costly.empty()) return builder_.conjunction(small);
  Tensor tested = builder_.conjunction(cheap);
  tested.value = graph.clip(tested.value);
  guards.push_back(tested.value);
  Tensors groups{tested};  // those over the variables in the same order, so that they are transposed together
  for (const Tensor& tensor : costly) {
    const auto same = [&](const Tensor& group) { return group.axes == tensor.axes; };
    const auto own = std::find_if(groups.begin(), groups.end(), same);
    if (own == groups.end())
      groups.push_back(tensor);
    else
      own->value = graph.both(own->value, tensor.value);
  }
  return builder_.conjunction(groups);
}

Bytecode RuleProgram::code() {
  Graph& graph = builder_.graph;
  Tensors tensors = body_;
  if (unmet_) tensors.push_back(*unmet_);
  std::vector<Value> guards;
  for (const Tensor& tensor : tensors)
    if (graph[tensor.value].op == GraphOp::load) guards.push_back(tensor.value);
  std::stable_sort(guards.begin(), guards.end(), [&](Value a, Value b) { return graph[a].arity < graph[b].arity; });
  Tensors small, rest;
  for (const Tensor& tensor : tensors) (within(tensor.axes, axes_) ? small : rest).push_back(tensor);
  if (!small.empty()) {
    Tensor one = candidate(small, guards);
    if (!rest.empty()) {
      one.value = graph.clip(one.value);
      guards.push_back(one.value);
    }
    tensors = {one};
    tensors.insert(tensors.end(), rest.begin(), rest.end());
  }
  Names hidden;
  for (Name v : text_.hidden)
    if (std::any_of(rest.begin(), rest.end(), [&](const Tensor& tensor) { return has(tensor.axes, v); }))
      hidden.push_back(v);
  const Tensor result = builder_.eliminate(hidden, tensors, kMust);
  const Value violated = graph.clip(builder_.align(result, axes_));
  guards.push_back(violated);
  std::optional<Value> single;
  if (text_.has_predicate && !single_.empty()) single = builder_.align(builder_.conjunction(single_), axes_);
  Bytecode code(graph);
  for (Value guard : guards) code.guard(guard);
  code.output(violated);
  if (single) code.output(*single);
  return code;
}

}  // namespace kleene
