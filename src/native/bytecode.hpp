// Operation graphs as bytecode (see program.hpp): the code of one program in the making.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "graph.hpp"
#include "program.hpp"

namespace kleene {

// A program that this machine cannot run: values of more than three axes, or very many of them.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Bytecode {
 public:
  explicit Bytecode(const Graph& graph) : graph_(graph) {}

  // The program ends here if the value is empty.
  void guard(Value value);
  void output(Value value);

  std::vector<std::uint16_t> words;
  std::vector<std::pair<int, int>> outputs;  // operand and arity

 private:
  // Makes sure that the value is computed, and returns the operand that holds it.
  std::uint16_t emit(Value value);
  std::uint16_t define(const GraphNode& node);
  int kind(Value value) const;
  std::pair<Op, int> operation(const GraphNode& node, int kind) const;
  void write(Op op, int detail, int target, int a, int b);

  const Graph& graph_;
  std::unordered_map<Value, std::uint16_t> operands_;
  std::set<Value> guarded_;
  std::array<int, 3> counts_{};
};

}  // namespace kleene
