#include "program.hpp"

#include <stdexcept>

namespace kleene {

const std::vector<Operation> kOperations = {
#define X(name, result, a, b) {#name, result, a, b},
    KLEENE_OPERATIONS(X)
#undef X
};

namespace {

constexpr int kWordsPerInstruction = 5;

Kind kind_named(char letter) { return letter == 'v' ? Kind::vector : letter == 'm' ? Kind::matrix : Kind::tensor; }

bool has_parameter(Op op) {
  switch (op) {
    case Op::node:
    case Op::slice_v:
    case Op::slice_row:
    case Op::slice_column:
    case Op::slice_first:
    case Op::slice_second:
    case Op::slice_third:
      return true;
    default:
      return false;
  }
}

// An order of three axes is a number of two bits for each; it has to be a permutation.
void check_detail(Op op, std::uint16_t detail) {
  if (has_parameter(op) && detail >= kMostParameters) throw std::invalid_argument("a program has too many parameters");
  if ((op == Op::insert_t || op == Op::drop_t) && detail >= kMostArity)
    throw std::invalid_argument("an axis of a program is out of range");
  if (op == Op::permute_t) {
    int seen = 0;
    for (int k = 0; k < kMostArity; ++k) seen |= 1 << (detail >> (2 * k) & 3);
    if (seen != 7 || detail > 63) throw std::invalid_argument("an order of axes is no permutation");
  }
}

// What operands mean: which values a program has computed so far, and which rails of the signature it reads.
struct Resolver {
  const Signature& signature;
  const std::vector<int>& rails;
  std::vector<bool> written[3];

  std::uint16_t operator()(std::uint16_t operand, Kind kind) const {
    if (operand & kTemporary) {
      const auto& known = written[static_cast<int>(kind)];
      const std::size_t place = operand & ~kTemporary;
      if (place >= known.size() || !known[place])
        throw std::invalid_argument("a program reads what it has not computed");
      return operand;
    }
    int rail = operand;
    if (!rails.empty()) {
      if (operand >= rails.size()) throw std::invalid_argument("a program reads a rail that is not bound");
      rail = rails[operand];
    }
    signature.check_rail(rail);
    if (signature.kind(rail) != kind) throw std::invalid_argument("a program reads a rail of another arity");
    return static_cast<std::uint16_t>(signature.slot(rail));
  }
};

}  // namespace

Program::Program(const Signature& signature, const std::vector<std::uint16_t>& words, const std::vector<int>& rails,
                 const std::vector<std::pair<int, int>>& given) {
  if (words.size() % kWordsPerInstruction) throw std::invalid_argument("the code of a program is not whole");
  Resolver resolved{signature, rails, {}};
  auto& written = resolved.written;
  for (std::size_t at = 0; at < words.size(); at += kWordsPerInstruction) {
    if (words[at] >= kOperations.size()) throw std::invalid_argument("a program has an unknown operation");
    const Operation& operation = kOperations[words[at]];
    const auto op = static_cast<Op>(words[at]);
    Instruction made{static_cast<std::uint8_t>(op), static_cast<std::uint8_t>(words[at + 1]), 0, 0, 0};
    check_detail(op, words[at + 1]);
    if (has_parameter(op)) parameters = std::max(parameters, words[at + 1] + 1);
    if (operation.a != '-') made.a = resolved(words[at + 3], kind_named(operation.a));
    if (operation.b != '-') made.b = resolved(words[at + 4], kind_named(operation.b));
    if (operation.result != '-') {
      const auto kind = static_cast<int>(kind_named(operation.result));
      const std::uint16_t target = words[at + 2];
      if (target >= kTemporary) throw std::invalid_argument("a program has too many values");
      temporaries[kind] = std::max(temporaries[kind], target + 1);
      if (written[kind].size() <= target) written[kind].resize(target + 1);
      written[kind][target] = true;
      made.target = target;
    }
    if (!guards_last(op, made.a)) code.push_back(made);
  }
  code.push_back({kEnd, 0, 0, 0, 0});
  for (const auto& [operand, arity] : given) {
    if (operand < 0 || operand > 0xffff || arity < 0 || arity > kMostArity)
      throw std::invalid_argument("an output of a program is out of range");
    outputs.push_back(
        {resolved(static_cast<std::uint16_t>(operand), kind_of(arity)), static_cast<std::uint8_t>(arity)});
  }
}

// Whether a guard tests what the last instruction computes; then that instruction ends the program itself.
bool Program::guards_last(Op op, std::uint16_t operand) {
  if ((op != Op::guard_v && op != Op::guard_m) || code.empty()) return false;
  Instruction& last = code.back();
  const std::uint8_t computed = last.code < kGuarded ? last.code : last.code - kGuarded;
  if (computed >= static_cast<int>(Op::guard_v) || operand != (last.target | kTemporary)) return false;
  if (kOperations[computed].result != (op == Op::guard_v ? 'v' : 'm')) return false;
  last.code = computed + kGuarded;
  return true;
}

namespace {

// T[i][j][k] with the axes in another order: axis k of the result is axis order[k].
template <int W>
void permute(Matrix<W>* out, const Matrix<W>* a, int order, int n) {
  for (int i = 0; i < W; ++i) zero(out[i]);
  const int places[3] = {order & 3, order >> 2 & 3, order >> 4 & 3};
  int index[3];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        index[places[0]] = i, index[places[1]] = j, index[places[2]] = k;
        if (a[index[0]].row[index[1]] >> index[2] & 1) out[i].row[j] |= as_row<W>(bit<W>(k));
      }
}

template <int W>
void insert(Matrix<W>* out, const Matrix<W>& a, int axis, int n) {
  for (int i = 0; i < W; ++i) {
    if (i >= n)
      zero(out[i]);
    else if (axis == 0)
      out[i] = a;
    else if (axis == 1)
      cols(out[i], a.row[i]);
    else
      rows(out[i], a.row[i]);
  }
}

template <int W>
void drop(Matrix<W>& out, const Matrix<W>* a, int axis, int n) {
  Matrix<W> sum;
  zero(sum);
  for (int i = 0; i < n; ++i) {
    if (axis == 0)
      either(sum, sum, a[i]);
    else
      sum.row[i] = as_row<W>(axis == 1 ? any_column(a[i]) : any_row(a[i]));
  }
  out = sum;
}

#define V(place) (*((place & kTemporary) ? tv + (place & ~kTemporary) : sv + place))
#define M(place) (*((place & kTemporary) ? tm + (place & ~kTemporary) : sm + place))
#define T(place) (((place & kTemporary) ? tt : st) + static_cast<std::size_t>(place & ~kTemporary) * W)

template <int W>
bool run_tensor(const Instruction& i, const Draft<W>& draft, const int* parameters, Temporaries<W>& temporaries);

// The operations on tensors of three axes, apart: they are rare.
template <int W>
bool run_tensor(const Instruction& i, const Draft<W>& draft, const int* parameters, Temporaries<W>& temporaries) {
  const int n = draft.n;
  const VectorOf<W>* sv = draft.v;
  VectorOf<W>* tv = temporaries.v;
  const Matrix<W>* sm = draft.m;
  Matrix<W>* tm = temporaries.m;
  const Matrix<W>* st = draft.t;
  const Matrix<W>* tt = temporaries.t;
  Matrix<W>* out = temporaries.t + static_cast<std::size_t>(i.target) * W;
  switch (static_cast<Op>(i.code)) {
    case Op::zero_t:
      for (int k = 0; k < W; ++k) zero(out[k]);
      break;
    case Op::full_t:
      for (int k = 0; k < W; ++k) full(out[k], k < n ? n : 0);
      break;
    case Op::and_t:
      for (int k = 0; k < W; ++k) both(out[k], T(i.a)[k], T(i.b)[k]);
      break;
    case Op::or_t:
      for (int k = 0; k < W; ++k) either(out[k], T(i.a)[k], T(i.b)[k]);
      break;
    case Op::andnot_t:
      for (int k = 0; k < W; ++k) without(out[k], T(i.a)[k], T(i.b)[k]);
      break;
    case Op::complement_t:
      for (int k = 0; k < W; ++k) complement(out[k], T(i.a)[k], k < n ? n : 0);
      break;
    case Op::clip_t:
      for (int k = 0; k < W; ++k) clip(out[k], T(i.a)[k], k < n ? n : 0);
      break;
    case Op::spread_t:
      for (int k = 0; k < W; ++k) full(out[k], k < n && V(i.a) ? n : 0);
      break;
    case Op::some_t: {
      bool any = false;
      for (int k = 0; k < W; ++k) any |= some(T(i.a)[k]);
      tv[i.target] = any;
      break;
    }
    case Op::insert_t:
      insert(out, M(i.a), i.detail, n);
      break;
    case Op::drop_t:
      drop(tm[i.target], T(i.a), i.detail, n);
      break;
    case Op::slice_first:
      tm[i.target] = T(i.a)[parameters[i.detail]];
      break;
    case Op::slice_second:
    case Op::slice_third: {
      Matrix<W> made;
      zero(made);
      for (int k = 0; k < n; ++k)
        made.row[k] = static_cast<Op>(i.code) == Op::slice_second ? T(i.a)[k].row[parameters[i.detail]]
                                                                  : as_row<W>(column(T(i.a)[k], parameters[i.detail]));
      tm[i.target] = made;
      break;
    }
    case Op::permute_t:
      permute(out, T(i.a), i.detail, n);
      break;
    case Op::closure_t:
      for (int k = 0; k < W; ++k) closure(out[k], T(i.a)[k], V(i.b));
      break;
    case Op::closure_all_t:
      for (int k = 0; k < W; ++k) closure(out[k], T(i.a)[k], full<W>(n));
      break;
    case Op::guard_t: {
      for (int k = 0; k < W; ++k)
        if (some(T(i.a)[k])) return true;
      return false;
    }
    default:
      break;
  }
  return true;
}

#define KLEENE_INTERPRETER __attribute__((flatten)) interpret
#include "interpret.hpp"
#if defined(__x86_64__)
#define KLEENE_INTERPRETER __attribute__((target("avx2,bmi,bmi2,popcnt"), flatten)) interpret_avx2
#include "interpret.hpp"
const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#endif

#undef V
#undef M
#undef T

}  // namespace

template <int W>
bool run(const Program& program, const Draft<W>& draft, const int* parameters, Temporaries<W>& temporaries, int first) {
#if defined(__x86_64__)
  if (has_avx2) return interpret_avx2<W>(program, draft, parameters, temporaries, first);
#endif
  return interpret<W>(program, draft, parameters, temporaries, first);
}

template bool run<8>(const Program&, const Draft<8>&, const int*, Temporaries<8>&, int);
template bool run<16>(const Program&, const Draft<16>&, const int*, Temporaries<16>&, int);
template bool run<32>(const Program&, const Draft<32>&, const int*, Temporaries<32>&, int);
template bool run<64>(const Program&, const Draft<64>&, const int*, Temporaries<64>&, int);
template bool run<128>(const Program&, const Draft<128>&, const int*, Temporaries<128>&, int);
template bool run<256>(const Program&, const Draft<256>&, const int*, Temporaries<256>&, int);
template bool run<512>(const Program&, const Draft<512>&, const int*, Temporaries<512>&, int);

}  // namespace kleene
