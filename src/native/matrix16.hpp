// Matrices of width 16: one vector of 16 rows each. Included by matrix.hpp, whose functions it specialises.
//
// The vectors are those of the compiler: 256 bits where the code around them is for AVX2, else two of 128 bits.
#pragma once

#include "matrix.hpp"

namespace kleene {

using Rows16 = std::uint16_t __attribute__((vector_size(32)));

inline constexpr Rows16 kPlace16 = {1 << 0, 1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                                    1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};

// All rows of a matrix are this row.
#define KLEENE_EACH16(row) (Rows16{} + static_cast<std::uint16_t>(row))
// A row of ones for each row that is not 0.
#define KLEENE_FILLED16(rows) (reinterpret_cast<Rows16>((rows) != 0))

inline void load(Rows16& out, const Matrix<16>& a) { std::memcpy(&out, &a, sizeof out); }
inline void put(Matrix<16>& out, const Rows16& rows) { std::memcpy(&out, &rows, sizeof rows); }

// The disjunction of all rows.
inline Vector gathered_rows(const Rows16& rows) {
  Packed<16> parts;
  std::memcpy(&parts, &rows, sizeof parts);
  Vector w = parts[0] | parts[1] | parts[2] | parts[3];
  w |= w >> 32;
  w |= w >> 16;
  return w & 0xffff;
}

template <>
inline void rows(Matrix<16>& out, Vector v) {
  put(out, KLEENE_FILLED16(KLEENE_EACH16(v) & kPlace16));
}
template <>
inline void on_diagonal(Matrix<16>& out, Vector v) {
  put(out, KLEENE_EACH16(v) & kPlace16);
}
template <>
inline Vector diagonal(const Matrix<16>& a) {
  Rows16 all;
  load(all, a);
  return gathered_rows(all & kPlace16);
}
template <>
inline Vector any_row(const Matrix<16>& a) {
  Rows16 all;
  load(all, a);
  return gathered_rows(KLEENE_FILLED16(all) & kPlace16);
}
template <>
inline Vector any_column(const Matrix<16>& a) {
  Rows16 all;
  load(all, a);
  return gathered_rows(all);
}
template <>
inline Vector image(Vector v, const Matrix<16>& a) {
  Rows16 all;
  load(all, a);
  return gathered_rows(KLEENE_FILLED16(KLEENE_EACH16(v) & kPlace16) & all);
}
template <>
inline Vector preimage(const Matrix<16>& a, Vector v) {
  Rows16 all;
  load(all, a);
  return gathered_rows(KLEENE_FILLED16(all & KLEENE_EACH16(v)) & kPlace16);
}
template <>
inline Vector column(const Matrix<16>& a, int j) {
  return preimage(a, bit(j));
}

// Rows whose numbers differ in bit J change places.
template <int J>
inline void exchange_rows(Rows16& out, const Rows16& m) {
  out = __builtin_shufflevector(m, m, 0 ^ J, 1 ^ J, 2 ^ J, 3 ^ J, 4 ^ J, 5 ^ J, 6 ^ J, 7 ^ J, 8 ^ J, 9 ^ J, 10 ^ J,
                                11 ^ J, 12 ^ J, 13 ^ J, 14 ^ J, 15 ^ J);
}
// One step of a transposition: of quarters of size J, the two that are not on the diagonal change places.
template <int J>
inline void exchange_quarters(Rows16& m) {
  constexpr std::uint16_t low = 0xffff / ((1 << J) + 1);
  constexpr std::uint16_t high = static_cast<std::uint16_t>(~low);
  const Rows16 upper = KLEENE_FILLED16(kPlace16 & low);
  Rows16 other;
  exchange_rows<J>(other, m);
  m = (upper & ((m & low) | ((other & low) << J))) | (~upper & ((m & high) | ((other >> J) & low)));
}
template <>
inline void transpose(Matrix<16>& out, const Matrix<16>& a) {
  Rows16 m;
  load(m, a);
  exchange_quarters<8>(m);
  exchange_quarters<4>(m);
  exchange_quarters<2>(m);
  exchange_quarters<1>(m);
  put(out, m);
}

// For each row in which a bit is set, another row.
#define KLEENE_WHERE16(rows, place, row) (reinterpret_cast<Rows16>(((rows) & (place)) == (place)) & KLEENE_EACH16(row))

template <>
inline void product(Matrix<16>& out, const Matrix<16>& a, const Matrix<16>& b, int n) {
  Rows16 left, sum{};
  load(left, a);
  for (int j = 0; j < n; ++j) {
    const auto bit = static_cast<std::uint16_t>(1U << j);  // its type is kept under the sanitizers
    const Rows16 place = KLEENE_EACH16(bit);
    sum |= KLEENE_WHERE16(left, place, b.row[j]);
  }
  put(out, sum);
}
template <>
inline void closure(Matrix<16>& out, const Matrix<16>& a, Vector through) {
  Matrix<16> sum = a;
  each_bit(through & 0xffff, [&](int k) {
    Rows16 all;
    load(all, sum);
    const auto bit = static_cast<std::uint16_t>(1U << k);  // its type is kept under the sanitizers
    const Rows16 place = KLEENE_EACH16(bit);
    put(sum, all | KLEENE_WHERE16(all, place, sum.row[k]));
  });
  out = sum;
}

#undef KLEENE_WHERE16
#undef KLEENE_EACH16
#undef KLEENE_FILLED16

}  // namespace kleene
