// Operation graphs as bytecode (the twin of structures/program/python_machine.py).
//
// An instruction has an operation, a detail (an axis, a parameter, an order of axes), a target and up to two operands.
// An operand is a temporary value (kTemporary is set) or a rail of the structure. The bytecode does not depend on the
// width. `guard` instructions end a program early. Everything is checked when a program is made, nothing when it runs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "draft.hpp"

namespace kleene {

inline constexpr std::uint16_t kTemporary = 0x8000;
inline constexpr int kMostParameters = 16;

// name, kind of the result, kinds of the operands ('-': none); the meaning is told in structures/program/graph.py
// clang-format off
#define KLEENE_PLAIN_OPERATIONS(X) \
  X(zero_v, 'v', '-', '-') \
  X(full_0, 'v', '-', '-') \
  X(full_v, 'v', '-', '-') \
  X(and_v, 'v', 'v', 'v') \
  X(or_v, 'v', 'v', 'v') \
  X(andnot_v, 'v', 'v', 'v') \
  X(complement_0, 'v', 'v', '-') \
  X(complement_v, 'v', 'v', '-') \
  X(spread_v, 'v', 'v', '-') \
  X(some_v, 'v', 'v', '-') \
  X(node, 'v', '-', '-') \
  X(slice_v, 'v', 'v', '-') \
  X(zero_m, 'm', '-', '-') \
  X(full_m, 'm', '-', '-') \
  X(and_m, 'm', 'm', 'm') \
  X(or_m, 'm', 'm', 'm') \
  X(andnot_m, 'm', 'm', 'm') \
  X(complement_m, 'm', 'm', '-') \
  X(clip_m, 'm', 'm', '-') \
  X(spread_m, 'm', 'v', '-') \
  X(some_m, 'v', 'm', '-') \
  X(rows, 'm', 'v', '-') \
  X(cols, 'm', 'v', '-') \
  X(identity, 'm', '-', '-') \
  X(on_diagonal, 'm', 'v', '-') \
  X(diagonal, 'v', 'm', '-') \
  X(transpose, 'm', 'm', '-') \
  X(any_row, 'v', 'm', '-') \
  X(any_column, 'v', 'm', '-') \
  X(image, 'v', 'v', 'm') \
  X(preimage, 'v', 'm', 'v') \
  X(product, 'm', 'm', 'm') \
  X(closure_m, 'm', 'm', 'v') \
  X(closure_all_m, 'm', 'm', '-') \
  X(slice_row, 'v', 'm', '-') \
  X(slice_column, 'v', 'm', '-')
#define KLEENE_TENSOR_OPERATIONS(X) \
  X(zero_t, 't', '-', '-') \
  X(full_t, 't', '-', '-') \
  X(and_t, 't', 't', 't') \
  X(or_t, 't', 't', 't') \
  X(andnot_t, 't', 't', 't') \
  X(complement_t, 't', 't', '-') \
  X(clip_t, 't', 't', '-') \
  X(spread_t, 't', 'v', '-') \
  X(some_t, 'v', 't', '-') \
  X(insert_t, 't', 'm', '-') \
  X(drop_t, 'm', 't', '-') \
  X(slice_first, 'm', 't', '-') \
  X(slice_second, 'm', 't', '-') \
  X(slice_third, 'm', 't', '-') \
  X(permute_t, 't', 't', '-') \
  X(closure_t, 't', 't', 'v') \
  X(closure_all_t, 't', 't', '-') \
  X(guard_t, '-', 't', '-')
#define KLEENE_OPERATIONS(X) \
  KLEENE_PLAIN_OPERATIONS(X) \
  X(guard_v, '-', 'v', '-') \
  X(guard_m, '-', 'm', '-') \
  KLEENE_TENSOR_OPERATIONS(X)
// clang-format on

enum class Op : std::uint8_t {
#define X(name, result, a, b) name,
  KLEENE_OPERATIONS(X)
#undef X
};

struct Operation {
  std::string_view name;
  char result, a, b;
};
extern const std::vector<Operation> kOperations;

// Added to an operation whose result is tested: the program ends if it is empty. Operations on tensors have none.
#define X(name, result, a, b) +1
inline constexpr std::uint8_t kGuarded = 0 KLEENE_OPERATIONS(X);
// The code of the instruction that ends every program, after those of all operations.
inline constexpr std::uint8_t kEnd = kGuarded KLEENE_PLAIN_OPERATIONS(X);
#undef X

struct Instruction {
  std::uint8_t code;  // the operation, perhaps with kGuarded
  std::uint8_t detail;
  std::uint16_t target, a, b;
};

struct Operand {
  std::uint16_t place;
  std::uint8_t arity;
};

class Program {
 public:
  // `code` has five 16-bit numbers for each instruction: operation, detail, target, operands; without kTemporary an
  // operand is the number of a rail, which `rails` maps to one of the signature (empty: it is that rail itself).
  // An output is an operand and its arity.
  Program(const Signature& signature, const std::vector<std::uint16_t>& code, const std::vector<int>& rails,
          const std::vector<std::pair<int, int>>& outputs);

  std::vector<Instruction> code;  // the last one is kEnd
  std::vector<Operand> outputs;
  std::array<int, 3> temporaries{};  // how many of each kind
  int parameters = 0;

 private:
  bool guards_last(Op op, std::uint16_t operand);
};

using ProgramRef = std::shared_ptr<const Program>;

// How many temporary values the largest of several programs needs.
struct Demand {
  std::array<int, 3> most{};
  void include(const ProgramRef& program) {
    if (program) include(program->temporaries);
  }
  void include(const std::array<int, 3>& counts) {
    for (int k = 0; k < 3; ++k) most[k] = std::max(most[k], counts[k]);
  }
};

// The temporary values of one thread, for one width.
template <int W>
class Temporaries {
 public:
  VectorOf<W>* v = nullptr;
  Matrix<W>* m = nullptr;
  Matrix<W>* t = nullptr;

  void reserve(const std::array<int, 3>& counts) {
    grow(v_, v, counts[0]);
    grow(m_, m, counts[1]);
    grow(t_, t, counts[2] * W);
  }

 private:
  template <class T>
  static void grow(std::vector<T>& memory, T*& first, int count) {
    if (memory.size() < static_cast<std::size_t>(count)) memory.resize(count);
    first = memory.data();
  }
  std::vector<VectorOf<W>> v_;
  std::vector<Matrix<W>> m_, t_;
};

// Runs a program from its instruction `first` on; false if a guard ended it. Temporaries are reserved before.
template <int W>
bool run(const Program& program, const Draft<W>& draft, const int* parameters, Temporaries<W>& temporaries,
         int first = 0);

template <int W>
inline VectorOf<W> vector_at(std::uint16_t place, const Draft<W>& draft, const Temporaries<W>& temporaries) {
  return place & kTemporary ? temporaries.v[place & ~kTemporary] : draft.v[place];
}
template <int W>
inline const Matrix<W>& matrix_at(std::uint16_t place, const Draft<W>& draft, const Temporaries<W>& temporaries) {
  return place & kTemporary ? temporaries.m[place & ~kTemporary] : draft.m[place];
}
template <int W>
inline const Matrix<W>* tensor_at(std::uint16_t place, const Draft<W>& draft, const Temporaries<W>& temporaries) {
  return place & kTemporary ? temporaries.t + static_cast<std::size_t>(place & ~kTemporary) * W : draft.tensor(place);
}

}  // namespace kleene
