// Matrices whose rows are arrays of words. Included by matrix.hpp; its functions, where a shift of a whole row would be
// slow or where they need numbers.
#pragma once

#include "matrix.hpp"

namespace kleene {

template <int W>
inline constexpr bool kIsWide = W > 128;

template <int W>
  requires kIsWide<W>
inline void set_bit(VectorOf<W>& out, int place, bool on) {
  out.word[place / 64] |= static_cast<Vector>(on) << (place % 64);
}

template <int W>
  requires kIsWide<W>
inline void rows(Matrix<W>& out, VectorOf<W> v) {
  for (int i = 0; i < W; ++i) out.row[i] = stretched<W>(v, i);
}

template <int W>
  requires kIsWide<W>
inline void identity(Matrix<W>& out, int n) {
  zero(out);
  for (int i = 0; i < n; ++i) set_bit<W>(out.row[i], i, true);
}

template <int W>
  requires kIsWide<W>
inline void on_diagonal(Matrix<W>& out, VectorOf<W> v) {
  zero(out);
  each_bit(v, [&](int i) { set_bit<W>(out.row[i], i, true); });
}

template <int W>
  requires kIsWide<W>
inline VectorOf<W> diagonal(const Matrix<W>& a) {
  VectorOf<W> out = 0;
  for (int i = 0; i < W; ++i) set_bit<W>(out, i, has_bit(a.row[i], i));
  return out;
}

template <int W>
  requires kIsWide<W>
inline VectorOf<W> any_row(const Matrix<W>& a) {
  VectorOf<W> out = 0;
  for (int i = 0; i < W; ++i) set_bit<W>(out, i, static_cast<bool>(a.row[i]));
  return out;
}

template <int W>
  requires kIsWide<W>
inline VectorOf<W> preimage(const Matrix<W>& a, VectorOf<W> v) {
  VectorOf<W> out = 0;
  for (int i = 0; i < W; ++i) set_bit<W>(out, i, static_cast<bool>(a.row[i] & v));
  return out;
}

template <int W>
  requires kIsWide<W>
inline VectorOf<W> column(const Matrix<W>& a, int j) {
  VectorOf<W> out = 0;
  for (int i = 0; i < W; ++i) set_bit<W>(out, i, has_bit(a.row[i], j));
  return out;
}

// Most matrices have few pairs: row by row, along the bits that are set.
template <int W>
  requires kIsWide<W>
inline void product(Matrix<W>& out, const Matrix<W>& a, const Matrix<W>& b, int n) {
  Matrix<W> sum;
  zero(sum);
  for (int i = 0; i < n; ++i) each_bit(a.row[i], [&](int j) { sum.row[i] |= b.row[j]; });
  out = sum;
}

template <int W>
  requires kIsWide<W>
inline void closure(Matrix<W>& out, const Matrix<W>& a, VectorOf<W> through) {
  Matrix<W> sum = a;
  each_bit(through, [&](int k) {
    const Row<W> targets = sum.row[k];
    if (!targets) return;
    for (int i = 0; i < W; ++i)
      if (has_bit(sum.row[i], k)) sum.row[i] |= targets;
  });
  out = sum;
}

// Square blocks of 64 are transposed, each on its way to its place.
template <int W>
  requires kIsWide<W>
inline void transpose(Matrix<W>& out, const Matrix<W>& a) {
  Matrix<W> made;
  for (int i = 0; i < W; i += 64)
    for (int j = 0; j < W; j += 64) {
      Matrix<64> block;
      for (int k = 0; k < 64; ++k) block.row[k] = a.row[i + k].word[j / 64];
      exchange_quarters<64, 32>(block);
      for (int k = 0; k < 64; ++k) made.row[j + k].word[i / 64] = block.row[k];
    }
  out = made;
}

}  // namespace kleene
