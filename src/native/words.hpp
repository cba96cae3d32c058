// Vectors as words: one of 64 bits, two as one number, or an array of them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kleene {

using Vector = std::uint64_t;
__extension__ using WideVector = unsigned __int128;

inline Vector low_word(WideVector v) { return static_cast<Vector>(v); }
inline Vector high_word(WideVector v) { return static_cast<Vector>(v >> 64); }

template <class T>
concept Number = std::is_integral_v<T> || std::is_same_v<T, WideVector>;

// A number of N words, as far as vectors need numbers: the bits, and where they are.
template <std::size_t N>
struct WordArray {
  Vector word[N];

  WordArray() = default;
  template <Number T>
  constexpr WordArray(T value) : word{} {
    word[0] = static_cast<Vector>(value);
    if constexpr (sizeof(T) > sizeof(Vector)) word[1] = high_word(value);
  }
  template <std::size_t M>
    requires(M != N)
  explicit constexpr WordArray(const WordArray<M>& other) : word{} {
    for (std::size_t k = 0; k < (M < N ? M : N); ++k) word[k] = other.word[k];
  }
  template <Number T>
    requires(!std::is_same_v<T, bool>)
  explicit constexpr operator T() const {
    if constexpr (sizeof(T) > sizeof(Vector)) return static_cast<T>(word[1]) << 64 | word[0];
    return static_cast<T>(word[0]);
  }
  explicit constexpr operator bool() const {
    Vector any = 0;
    for (Vector w : word) any |= w;
    return any != 0;
  }
  friend constexpr bool operator==(const WordArray&, const WordArray&) = default;
  // As numbers: the last word weighs most.
  friend constexpr bool operator<(const WordArray& a, const WordArray& b) {
    for (std::size_t k = N; k-- > 0;)
      if (a.word[k] != b.word[k]) return a.word[k] < b.word[k];
    return false;
  }
  constexpr WordArray& operator&=(const WordArray& other) {
    for (std::size_t k = 0; k < N; ++k) word[k] &= other.word[k];
    return *this;
  }
  constexpr WordArray& operator|=(const WordArray& other) {
    for (std::size_t k = 0; k < N; ++k) word[k] |= other.word[k];
    return *this;
  }
  constexpr WordArray& operator^=(const WordArray& other) {
    for (std::size_t k = 0; k < N; ++k) word[k] ^= other.word[k];
    return *this;
  }
  friend constexpr WordArray operator&(WordArray a, const WordArray& b) { return a &= b; }
  friend constexpr WordArray operator|(WordArray a, const WordArray& b) { return a |= b; }
  friend constexpr WordArray operator^(WordArray a, const WordArray& b) { return a ^= b; }
  friend constexpr WordArray operator~(WordArray a) {
    for (Vector& w : a.word) w = ~w;
    return a;
  }
  // By less than all bits.
  friend constexpr WordArray operator<<(const WordArray& a, int by) {
    WordArray out = 0;
    const auto words = static_cast<std::size_t>(by) / 64;
    const int bits = by % 64;
    for (std::size_t k = words; k < N; ++k) {
      out.word[k] = a.word[k - words] << bits;
      if (bits && k > words) out.word[k] |= a.word[k - words - 1] >> (64 - bits);
    }
    return out;
  }
  friend constexpr WordArray operator>>(const WordArray& a, int by) {
    WordArray out = 0;
    const auto words = static_cast<std::size_t>(by) / 64;
    const int bits = by % 64;
    for (std::size_t k = 0; k + words < N; ++k) {
      out.word[k] = a.word[k + words] >> bits;
      if (bits && k + words + 1 < N) out.word[k] |= a.word[k + words + 1] << (64 - bits);
    }
    return out;
  }
  friend constexpr WordArray operator-(WordArray a, Vector less) {
    for (Vector& w : a.word) {
      const bool borrows = w < less;
      w -= less;
      less = borrows;
    }
    return a;
  }
};

// The number of the lowest bit that is set; there is one.
inline int lowest(Vector v) { return std::countr_zero(v); }
inline int lowest(WideVector v) {
  return low_word(v) ? std::countr_zero(low_word(v)) : 64 + std::countr_zero(high_word(v));
}
template <std::size_t N>
int lowest(const WordArray<N>& v) {
  std::size_t k = 0;
  while (!v.word[k]) ++k;
  return static_cast<int>(64 * k) + std::countr_zero(v.word[k]);
}

template <Number V>
bool has_bit(V v, int place) {
  return v >> place & 1;
}
template <std::size_t N>
bool has_bit(const WordArray<N>& v, int place) {
  return v.word[place / 64] >> (place % 64) & 1;
}

inline int bits_in(Vector v) { return std::popcount(v); }
inline int bits_in(WideVector v) { return std::popcount(low_word(v)) + std::popcount(high_word(v)); }
template <std::size_t N>
int bits_in(const WordArray<N>& v) {
  int sum = 0;
  for (Vector w : v.word) sum += std::popcount(w);
  return sum;
}

// Calls f with the number of each bit that is set, in increasing order.
template <Number Word, class F>
inline void each_bit(Word word, F&& f) {
  std::conditional_t<sizeof(Word) <= sizeof(Vector), Vector, WideVector> left = word;
  for (; left; left &= left - 1) f(lowest(left));
}
template <std::size_t N, class F>
inline void each_bit(const WordArray<N>& v, F&& f) {
  for (std::size_t k = 0; k < N; ++k)
    for (Vector left = v.word[k]; left; left &= left - 1) f(static_cast<int>(64 * k) + lowest(left));
}

}  // namespace kleene
