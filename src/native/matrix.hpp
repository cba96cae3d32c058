// Bit vectors and W x W bit matrices, W = 8, 16, 32, 64 (the twin of structures/layout.py).
//
// A vector is a 64-bit word with a bit for each node. A matrix has W rows of W bits; bit j of row i is the pair (i, j).
// Operations that need to know take the number of nodes n; what lies beyond it in their operands is 0 unless they say.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kleene {

using Vector = std::uint64_t;

inline constexpr int kMostNodes = 64;
inline constexpr int kMostArity = 3;

// The first n bits.
inline Vector full(int n) { return n >= 64 ? ~Vector{0} : (Vector{1} << n) - 1; }

inline Vector bit(int u) { return Vector{1} << u; }

// Calls f with the number of each bit that is set, in increasing order.
template <class F>
inline void each_bit(Vector v, F&& f) {
  for (; v; v &= v - 1) f(std::countr_zero(v));
}

template <int W>
using Row = std::conditional_t<
    W == 8, std::uint8_t,
    std::conditional_t<W == 16, std::uint16_t, std::conditional_t<W == 32, std::uint32_t, std::uint64_t>>>;

// The smallest width for n nodes.
inline int width_for(int n) { return n <= 8 ? 8 : n <= 16 ? 16 : n <= 32 ? 32 : 64; }

template <int W>
struct alignas(W == 8 ? 8 : 32) Matrix {
  Row<W> row[W];
};

template <int W>
inline Row<W> as_row(Vector v) {
  return static_cast<Row<W>>(v);
}

// All ones if the bit is set, else 0.
template <int W>
inline Row<W> stretched(Row<W> word, int place) {
  return static_cast<Row<W>>(-static_cast<Row<W>>((word >> place) & 1));
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

template <int W>
inline bool some(const Matrix<W>& a) {
  Row<W> any = 0;
  for (int i = 0; i < W; ++i) any |= a.row[i];
  return any != 0;
}

template <int W>
inline bool same(const Matrix<W>& a, const Matrix<W>& b) {
  Row<W> any = 0;
  for (int i = 0; i < W; ++i) any |= a.row[i] ^ b.row[i];
  return any == 0;
}

// Broadcasts ---------------------------------------------------------------------------------------------------------

// M[i][j] = v[i], beyond n too.
template <int W>
inline void rows(Matrix<W>& out, Vector v) {
  for (int i = 0; i < W; ++i) out.row[i] = static_cast<Row<W>>(-static_cast<Row<W>>((v >> i) & 1));
}

// M[i][j] = v[j], beyond n too.
template <int W>
inline void cols(Matrix<W>& out, Vector v) {
  for (int i = 0; i < W; ++i) out.row[i] = as_row<W>(v);
}

template <int W>
inline void full(Matrix<W>& out, int n) {
  const Row<W> all = as_row<W>(full(n));
  for (int i = 0; i < W; ++i) out.row[i] = i < n ? all : Row<W>{0};
}

template <int W>
inline void clip(Matrix<W>& out, const Matrix<W>& a, int n) {
  const Row<W> all = as_row<W>(full(n));
  for (int i = 0; i < W; ++i) out.row[i] = i < n ? a.row[i] & all : 0;
}

template <int W>
inline void complement(Matrix<W>& out, const Matrix<W>& a, int n) {
  const Row<W> all = as_row<W>(full(n));
  for (int i = 0; i < W; ++i) out.row[i] = i < n ? static_cast<Row<W>>(~a.row[i] & all) : Row<W>{0};
}

template <int W>
inline void identity(Matrix<W>& out, int n) {
  for (int i = 0; i < W; ++i) out.row[i] = i < n ? as_row<W>(bit(i)) : Row<W>{0};
}

template <int W>
inline void on_diagonal(Matrix<W>& out, Vector v) {
  for (int i = 0; i < W; ++i) out.row[i] = as_row<W>(v & bit(i));
}

// Reductions ---------------------------------------------------------------------------------------------------------

template <int W>
inline Vector diagonal(const Matrix<W>& a) {
  Vector out = 0;
  for (int i = 0; i < W; ++i) out |= static_cast<Vector>(a.row[i]) & bit(i);
  return out;
}

template <int W>
inline Vector any_row(const Matrix<W>& a) {
  Vector out = 0;
  for (int i = 0; i < W; ++i) out |= static_cast<Vector>(a.row[i] != 0) << i;
  return out;
}

template <int W>
inline Vector any_column(const Matrix<W>& a) {
  Row<W> out = 0;
  for (int i = 0; i < W; ++i) out |= a.row[i];
  return out;
}

// w[j] = exists i: v[i] and M[i][j].
template <int W>
inline Vector image(Vector v, const Matrix<W>& a) {
  Vector out = 0;
  each_bit(v, [&](int i) { out |= a.row[i]; });
  return out;
}

// w[i] = exists j: M[i][j] and v[j].
template <int W>
inline Vector preimage(const Matrix<W>& a, Vector v) {
  const Row<W> wanted = as_row<W>(v);
  Vector out = 0;
  for (int i = 0; i < W; ++i) out |= static_cast<Vector>((a.row[i] & wanted) != 0) << i;
  return out;
}

template <int W>
inline Vector column(const Matrix<W>& a, int j) {
  Vector out = 0;
  for (int i = 0; i < W; ++i) out |= (static_cast<Vector>(a.row[i] >> j) & 1) << i;
  return out;
}

// Matrices -----------------------------------------------------------------------------------------------------------

// Quarters change places, then quarters of quarters, all of one size at once.
template <int W>
inline void transpose(Matrix<W>& out, const Matrix<W>& a) {
  out = a;
  auto low = static_cast<Row<W>>(static_cast<Row<W>>(~Row<W>{0}) >> (W / 2));
  for (int j = W / 2; j; j >>= 1) {
    for (int k = 0; k < W; k = ((k | j) + 1) & ~j) {
      const auto moved = static_cast<Row<W>>(((out.row[k] >> j) ^ out.row[k | j]) & low);
      out.row[k] ^= static_cast<Row<W>>(moved << j);
      out.row[k | j] ^= moved;
    }
    low ^= static_cast<Row<W>>(low << (j >> 1));
  }
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
inline void closure(Matrix<W>& out, const Matrix<W>& a, Vector through) {
  Matrix<W> sum = a;
  each_bit(through, [&](int k) {
    const Row<W> targets = sum.row[k];
    if (!targets) return;
    for (int i = 0; i < W; ++i) sum.row[i] |= stretched<W>(sum.row[i], k) & targets;
  });
  out = sum;
}

// Width 8: a matrix is one word -----------------------------------------------------------------------------------

inline constexpr Vector kColumn8 = 0x0101010101010101ULL;
inline constexpr Vector kDiagonal8 = 0x8040201008040201ULL;
inline constexpr Vector kHigh8 = 0x8080808080808080ULL;

inline Vector word(const Matrix<8>& a) { return std::bit_cast<Vector>(a); }
inline void put(Matrix<8>& out, Vector w) { out = std::bit_cast<Matrix<8>>(w); }

// A byte of ones for each byte that is not 0.
inline Vector filled_bytes(Vector w) {
  const Vector high = (((w & ~kHigh8) + ~kHigh8) | w) & kHigh8;
  return (high - (high >> 7)) | high;
}
inline Vector gathered_bytes(Vector w) {  // bit i = byte i is not 0
  const Vector high = ((((w & ~kHigh8) + ~kHigh8) | w) & kHigh8) >> 7;
  return (high * 0x0102040810204080ULL) >> 56;
}
inline Vector full_word8(int n) { return full(8 * n) & (full(n) * kColumn8); }

template <>
inline void zero(Matrix<8>& out) {
  put(out, 0);
}
template <>
inline void both(Matrix<8>& out, const Matrix<8>& a, const Matrix<8>& b) {
  put(out, word(a) & word(b));
}
template <>
inline void either(Matrix<8>& out, const Matrix<8>& a, const Matrix<8>& b) {
  put(out, word(a) | word(b));
}
template <>
inline void without(Matrix<8>& out, const Matrix<8>& a, const Matrix<8>& b) {
  put(out, word(a) & ~word(b));
}
template <>
inline bool some(const Matrix<8>& a) {
  return word(a) != 0;
}
template <>
inline bool same(const Matrix<8>& a, const Matrix<8>& b) {
  return word(a) == word(b);
}
template <>
inline void rows(Matrix<8>& out, Vector v) {
  put(out, filled_bytes(((v & 0xff) * kColumn8) & kDiagonal8));
}
template <>
inline void cols(Matrix<8>& out, Vector v) {
  put(out, (v & 0xff) * kColumn8);
}
template <>
inline void full(Matrix<8>& out, int n) {
  put(out, full_word8(n));
}
template <>
inline void clip(Matrix<8>& out, const Matrix<8>& a, int n) {
  put(out, word(a) & full_word8(n));
}
template <>
inline void complement(Matrix<8>& out, const Matrix<8>& a, int n) {
  put(out, ~word(a) & full_word8(n));
}
template <>
inline void identity(Matrix<8>& out, int n) {
  put(out, kDiagonal8 & full_word8(n));
}
template <>
inline void on_diagonal(Matrix<8>& out, Vector v) {
  put(out, ((v & 0xff) * kColumn8) & kDiagonal8);
}
template <>
inline Vector diagonal(const Matrix<8>& a) {
  return gathered_bytes(word(a) & kDiagonal8);
}
template <>
inline Vector any_row(const Matrix<8>& a) {
  return gathered_bytes(word(a));
}
template <>
inline Vector any_column(const Matrix<8>& a) {
  Vector w = word(a);
  w |= w >> 32;
  w |= w >> 16;
  w |= w >> 8;
  return w & 0xff;
}
template <>
inline Vector image(Vector v, const Matrix<8>& a) {
  Vector w = filled_bytes(((v & 0xff) * kColumn8) & kDiagonal8) & word(a);
  w |= w >> 32;
  w |= w >> 16;
  w |= w >> 8;
  return w & 0xff;
}
template <>
inline Vector preimage(const Matrix<8>& a, Vector v) {
  return gathered_bytes(word(a) & ((v & 0xff) * kColumn8));
}
template <>
inline Vector column(const Matrix<8>& a, int j) {
  return (((word(a) >> j) & kColumn8) * 0x0102040810204080ULL) >> 56;
}
template <>
inline void transpose(Matrix<8>& out, const Matrix<8>& a) {
  Vector w = word(a);
  Vector moved = (w ^ (w >> 28)) & 0x00000000F0F0F0F0ULL;
  w ^= moved ^ (moved << 28);
  moved = (w ^ (w >> 14)) & 0x0000CCCC0000CCCCULL;
  w ^= moved ^ (moved << 14);
  moved = (w ^ (w >> 7)) & 0x00AA00AA00AA00AAULL;
  w ^= moved ^ (moved << 7);
  put(out, w);
}
template <>
inline void product(Matrix<8>& out, const Matrix<8>& a, const Matrix<8>& b, int n) {
  const Vector left = word(a), right = word(b);
  Vector sum = 0;
  for (int j = 0; j < n; ++j) sum |= (((left >> j) & kColumn8) * 0xff) & (((right >> (8 * j)) & 0xff) * kColumn8);
  put(out, sum);
}
template <>
inline void closure(Matrix<8>& out, const Matrix<8>& a, Vector through) {
  Vector sum = word(a);
  each_bit(through & 0xff,
           [&](int k) { sum |= (((sum >> k) & kColumn8) * 0xff) & (((sum >> (8 * k)) & 0xff) * kColumn8); });
  put(out, sum);
}

}  // namespace kleene
