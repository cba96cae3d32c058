// Bit vectors and W x W bit matrices, W = 8, 16, 32, 64, 128, 256, 512 (the twin of structures/layout.py).
//
// A vector has a bit for each node: it is a word of 64 bits, two words as one number, or an array of words. A matrix
// has W rows of W bits; bit j of row i is the pair (i, j). Operations that need to know take the number of nodes n;
// what lies beyond it in their operands is 0 unless they say.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "words.hpp"

namespace kleene {

// A vector of structures of width W.
template <int W>
using VectorOf =
    std::conditional_t<W <= 64, Vector,
                       std::conditional_t<W == 128, WideVector, WordArray<static_cast<std::size_t>(W) / 64>>>;

inline constexpr int kMostNodes = 510;  // as in structures/layout.py
inline constexpr int kMostWidth = 512;
inline constexpr int kMostArity = 3;

// The first n bits.
template <int W = 64>
inline VectorOf<W> full(int n) {
  using V = VectorOf<W>;
  return n >= static_cast<int>(8 * sizeof(V)) ? ~V{0} : (V{1} << n) - 1;
}

template <int W = 64>
inline VectorOf<W> bit(int u) {
  return VectorOf<W>{1} << u;
}

template <int W>
using Row = std::conditional_t<
    W == 8, std::uint8_t,
    std::conditional_t<W == 16, std::uint16_t, std::conditional_t<W == 32, std::uint32_t, VectorOf<W>>>>;

// The smallest width for n nodes.
inline int width_for(int n) { return n <= 8 ? 8 : static_cast<int>(std::bit_ceil(static_cast<unsigned>(n))); }

template <int W>
struct alignas(W == 8 ? 8 : 32) Matrix {
  Row<W> row[W];
};

template <int W>
inline Row<W> as_row(VectorOf<W> v) {
  return static_cast<Row<W>>(v);
}

// All ones if the bit is set, else 0.
template <int W>
inline Row<W> stretched(Row<W> word, int place) {
  if constexpr (W <= 128) {
    return static_cast<Row<W>>(-static_cast<Row<W>>((word >> place) & 1));
  } else {
    Row<W> out;
    const Vector all = -static_cast<Vector>(has_bit(word, place));
    for (Vector& w : out.word) w = all;
    return out;
  }
}

// Elementwise -------------------------------------------------------------------------------------------------------

template <int W>
inline void zero(Matrix<W>& out) {
  for (int i = 0; i < W; ++i) out.row[i] = 0;
}

template <int W>
inline void both(Matrix<W>& out, const Matrix<W>& a, const Matrix<W>& b) {
  for (int i = 0; i < W; ++i) out.row[i] = a.row[i] & b.row[i];
}

template <int W>
inline void either(Matrix<W>& out, const Matrix<W>& a, const Matrix<W>& b) {
  for (int i = 0; i < W; ++i) out.row[i] = a.row[i] | b.row[i];
}

template <int W>
inline void without(Matrix<W>& out, const Matrix<W>& a, const Matrix<W>& b) {
  for (int i = 0; i < W; ++i) out.row[i] = static_cast<Row<W>>(a.row[i] & ~b.row[i]);
}

// The rows of a matrix, side by side in words.
template <int W>
using Packed = std::array<Vector, W * W / 64>;

template <int W>
inline bool some(const Matrix<W>& a) {
  Vector any = 0;
  for (Vector part : std::bit_cast<Packed<W>>(a)) any |= part;
  return any != 0;
}

template <int W>
inline bool same(const Matrix<W>& a, const Matrix<W>& b) {
  const auto left = std::bit_cast<Packed<W>>(a), right = std::bit_cast<Packed<W>>(b);
  Vector any = 0;
  for (std::size_t k = 0; k < left.size(); ++k) any |= left[k] ^ right[k];
  return any == 0;
}

// Broadcasts ---------------------------------------------------------------------------------------------------------

// M[i][j] = v[i], beyond n too.
template <int W>
inline void rows(Matrix<W>& out, VectorOf<W> v) {
  for (int i = 0; i < W; ++i) out.row[i] = static_cast<Row<W>>(-static_cast<Row<W>>((v >> i) & 1));
}

// M[i][j] = v[j], beyond n too.
template <int W>
inline void cols(Matrix<W>& out, VectorOf<W> v) {
  for (int i = 0; i < W; ++i) out.row[i] = as_row<W>(v);
}

template <int W>
inline void full(Matrix<W>& out, int n) {
  const Row<W> all = as_row<W>(full<W>(n));
  for (int i = 0; i < W; ++i) out.row[i] = i < n ? all : Row<W>{0};
}

template <int W>
inline void clip(Matrix<W>& out, const Matrix<W>& a, int n) {
  const Row<W> all = as_row<W>(full<W>(n));
  for (int i = 0; i < W; ++i) out.row[i] = i < n ? a.row[i] & all : 0;
}

template <int W>
inline void complement(Matrix<W>& out, const Matrix<W>& a, int n) {
  const Row<W> all = as_row<W>(full<W>(n));
  for (int i = 0; i < W; ++i) out.row[i] = i < n ? static_cast<Row<W>>(~a.row[i] & all) : Row<W>{0};
}

template <int W>
inline void identity(Matrix<W>& out, int n) {
  for (int i = 0; i < W; ++i) out.row[i] = i < n ? as_row<W>(bit<W>(i)) : Row<W>{0};
}

template <int W>
inline void on_diagonal(Matrix<W>& out, VectorOf<W> v) {
  for (int i = 0; i < W; ++i) out.row[i] = as_row<W>(v & bit<W>(i));
}

// Reductions ---------------------------------------------------------------------------------------------------------

template <int W>
inline VectorOf<W> diagonal(const Matrix<W>& a) {
  VectorOf<W> out = 0;
  for (int i = 0; i < W; ++i) out |= static_cast<VectorOf<W>>(a.row[i]) & bit<W>(i);
  return out;
}

template <int W>
inline VectorOf<W> any_row(const Matrix<W>& a) {
  VectorOf<W> out = 0;
  for (int i = 0; i < W; ++i) out |= static_cast<VectorOf<W>>(a.row[i] != 0) << i;
  return out;
}

template <int W>
inline VectorOf<W> any_column(const Matrix<W>& a) {
  Row<W> out = 0;
  for (int i = 0; i < W; ++i) out |= a.row[i];
  return out;
}

// w[j] = exists i: v[i] and M[i][j].
template <int W>
inline VectorOf<W> image(VectorOf<W> v, const Matrix<W>& a) {
  VectorOf<W> out = 0;
  each_bit(v, [&](int i) { out |= a.row[i]; });
  return out;
}

// w[i] = exists j: M[i][j] and v[j].
template <int W>
inline VectorOf<W> preimage(const Matrix<W>& a, VectorOf<W> v) {
  const Row<W> wanted = as_row<W>(v);
  VectorOf<W> out = 0;
  for (int i = 0; i < W; ++i) out |= static_cast<VectorOf<W>>((a.row[i] & wanted) != 0) << i;
  return out;
}

template <int W>
inline VectorOf<W> column(const Matrix<W>& a, int j) {
  VectorOf<W> out = 0;
  for (int i = 0; i < W; ++i) out |= (static_cast<VectorOf<W>>(a.row[i] >> j) & 1) << i;
  return out;
}

// Matrices -----------------------------------------------------------------------------------------------------------

// Quarters of size J change places, then quarters of quarters; the compiler knows the bounds of all loops.
template <int W, int J>
inline void exchange_quarters(Matrix<W>& m) {
  constexpr auto low = static_cast<Row<W>>(static_cast<Row<W>>(~Row<W>{0}) / ((Row<W>{1} << J) + 1));
  for (int base = 0; base < W; base += 2 * J)
    for (int k = base; k < base + J; ++k) {
      const auto moved = static_cast<Row<W>>(((m.row[k] >> J) ^ m.row[k + J]) & low);
      m.row[k] ^= static_cast<Row<W>>(moved << J);
      m.row[k + J] ^= moved;
    }
  if constexpr (J > 1) exchange_quarters<W, J / 2>(m);
}

template <int W>
inline void transpose(Matrix<W>& out, const Matrix<W>& a) {
  Matrix<W> m = a;
  exchange_quarters<W, W / 2>(m);
  out = m;
}

// M[i][k] = exists j: a[i][j] and b[j][k].
template <int W>
inline void product(Matrix<W>& out, const Matrix<W>& a, const Matrix<W>& b, int n) {
  Matrix<W> sum;
  zero(sum);
  for (int j = 0; j < n; ++j) {
    const Row<W> targets = b.row[j];
    if (!targets) continue;
    for (int i = 0; i < W; ++i) sum.row[i] |= stretched<W>(a.row[i], j) & targets;
  }
  out = sum;
}

// Paths of one or more steps whose inner nodes lie in `through` (thesis Def. 7.3).
template <int W>
inline void closure(Matrix<W>& out, const Matrix<W>& a, VectorOf<W> through) {
  Matrix<W> sum = a;
  each_bit(through, [&](int k) {
    const Row<W> targets = sum.row[k];
    if (!targets) return;
    for (int i = 0; i < W; ++i) sum.row[i] |= stretched<W>(sum.row[i], k) & targets;
  });
  out = sum;
}

}  // namespace kleene

#include "matrix16.hpp"
#include "matrix8.hpp"
#include "matrix_wide.hpp"
