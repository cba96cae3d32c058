// Matrices of width 8: one word each. Included by matrix.hpp, whose functions it specialises.
#pragma once

#include "matrix.hpp"

namespace kleene {

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
