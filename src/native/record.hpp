// Structures at rest (the twin of structures/structure.py): one block of memory, counted references, compared by bytes.
//
// Behind the head come the vectors, then n rows of each matrix, then n * n rows of each tensor; a row has as many bytes
// as the width of the structure says, and the width depends on the number of nodes only. So equal structures are equal
// blocks, and the hash is that of the block.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "draft.hpp"

namespace kleene {

inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide wide = static_cast<Wide>(a ^ 0x9E3779B97F4A7C15ULL) * (b ^ 0xD1B54A32D192ED03ULL);
  return static_cast<std::uint64_t>(wide) ^ static_cast<std::uint64_t>(wide >> 64);
}

class Record {
 public:
  // A block with one reference; the caller fills the payload, then calls `seal`.
  static Record* make(const Signature& signature, int n);

  const Signature* signature;
  std::uint64_t hash;
  std::size_t bytes;  // of the payload, a multiple of 8
  std::uint16_t n;
  std::uint8_t row_bytes;  // 1, 2, 4, ... 64

  char* payload() { return reinterpret_cast<char*>(this + 1); }
  const char* payload() const { return reinterpret_cast<const char*>(this + 1); }

  static constexpr std::size_t kBehind =
      8;  // bytes behind the payload: a matrix of width 8 is one word, see record.cpp

  void seal();
  void keep() const { references_.fetch_add(1, std::memory_order_relaxed); }
  void drop() const {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) std::free(const_cast<Record*>(this));
  }

  std::uint64_t word(std::size_t index) const {
    std::uint64_t out;
    std::memcpy(&out, payload() + 8 * index, 8);
    return out;
  }
  // A row as a number that has a bit for each node, or more.
  template <class V>
  V row(std::size_t index) const {
    V out = 0;
    std::memcpy(&out, payload() + index * row_bytes, row_bytes);  // the machine is little-endian, see module.cpp
    return out;
  }
  template <class V>
  void set_row(std::size_t index, const V& value) {
    std::memcpy(payload() + index * row_bytes, &value, row_bytes);
  }
  // The value of a nullary predicate.
  Vector nullary(int slot) const {
    return static_cast<unsigned char>(payload()[static_cast<std::size_t>(slot) * row_bytes]);
  }

  // How many rows the structures of n nodes have, and where those of a rail begin.
  static std::size_t rows_for(const Signature& signature, int n) {
    return tensor_at(signature, n, signature.count(Kind::tensor));
  }
  static std::size_t rail_at(const Signature& signature, int n, int number);
  std::size_t matrix_at(int slot) const { return matrix_at(*signature, n, slot); }
  std::size_t tensor_at(int slot) const { return tensor_at(*signature, n, slot); }
  // The rows of a rail: where they begin and how many there are.
  std::pair<std::size_t, std::size_t> rail(int number) const;

  bool equals(const Record& other) const {
    return this == &other || (hash == other.hash && n == other.n && bytes == other.bytes &&
                              signature == other.signature && !std::memcmp(payload(), other.payload(), bytes));
  }
  // The order of (size, values) in Python: small structures first, then by the rails as numbers.
  bool before(const Record& other) const;

 private:
  static std::size_t matrix_at(const Signature& signature, int n, int slot) {
    return static_cast<std::size_t>(signature.count(Kind::vector)) + static_cast<std::size_t>(slot) * n;
  }
  static std::size_t tensor_at(const Signature& signature, int n, int slot) {
    return matrix_at(signature, n, signature.count(Kind::matrix)) + static_cast<std::size_t>(slot) * n * n;
  }
  mutable std::atomic<std::uint32_t> references_{1};
};

// Calls f with a value of the type of the rows of a record.
template <class F>
auto with_row(const Record& record, F&& f) {
  switch (record.row_bytes) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    case 8:
      return f(Vector{});
    case 16:
      return f(WideVector{});
    case 32:
      return f(VectorOf<256>{});
    default:
      return f(VectorOf<512>{});
  }
}

// The vector that a row is read as.
template <class Row>
using VectorLike = VectorOf<std::max<int>(64, 8 * sizeof(Row))>;

// A counted reference to a record.
class RecordRef {
 public:
  RecordRef() = default;
  static RecordRef adopt(Record* record) {
    RecordRef made;
    made.record_ = record;
    return made;
  }
  static RecordRef share(const Record& record) {
    record.keep();
    return adopt(const_cast<Record*>(&record));
  }
  RecordRef(const RecordRef& other) : record_(other.record_) {
    if (record_) record_->keep();
  }
  RecordRef(RecordRef&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  RecordRef& operator=(RecordRef other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  ~RecordRef() {
    if (record_) record_->drop();
  }
  const Record* operator->() const { return record_; }
  const Record& operator*() const { return *record_; }
  const Record* get() const { return record_; }
  explicit operator bool() const { return record_ != nullptr; }

 private:
  Record* record_ = nullptr;
};

template <int W>
RecordRef packed(const Signature& signature, const Draft<W>& draft);

template <int W>
void unpack(const Record& record, Draft<W>& draft);

}  // namespace kleene
