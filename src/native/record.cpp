#include "record.hpp"

namespace kleene {

static_assert(sizeof(Record) % sizeof(WideVector) == 0, "rows behind the head are aligned");

Record* Record::make(const Signature& signature, int n) {
  const std::size_t row = static_cast<std::size_t>(width_for(n)) / 8;
  const std::size_t bytes = (rows_for(signature, n) * row + 7) / 8 * 8;
  void* memory = std::malloc(sizeof(Record) + bytes + kBehind);
  if (!memory) throw std::bad_alloc();
  auto* made = new (memory) Record;
  made->signature = &signature;
  made->bytes = bytes;
  made->n = static_cast<std::uint16_t>(n);
  made->row_bytes = static_cast<std::uint8_t>(row);
  if (bytes) std::memset(made->payload() + bytes - 8, 0, 8);  // what is behind the last row
  return made;
}

void Record::seal() {
  std::uint64_t sum = n;
  for (std::size_t at = 0; at < bytes; at += 8) {
    sum = mixed(sum + at, word(at / 8));
  }
  hash = sum;
}

std::size_t Record::rail_at(const Signature& signature, int n, int number) {
  const int slot = signature.slot(number);
  switch (signature.kind(number)) {
    case Kind::vector:
      return static_cast<std::size_t>(slot);
    case Kind::matrix:
      return matrix_at(signature, n, slot);
    case Kind::tensor:
      return tensor_at(signature, n, slot);
  }
  return 0;
}

std::pair<std::size_t, std::size_t> Record::rail(int number) const {
  const std::size_t nodes = n;
  const Kind kind = signature->kind(number);
  return {rail_at(*signature, n, number), kind == Kind::vector ? 1 : kind == Kind::matrix ? nodes : nodes * nodes};
}

bool Record::before(const Record& other) const {
  if (n != other.n) return n < other.n;
  return with_row(*this, [&](auto like) {
    for (int number = 0; number < signature->rails(); ++number) {
      const auto [at, count] = rail(number);
      for (std::size_t k = count; k-- > 0;) {  // the highest row weighs most
        auto a = like, b = like;
        std::memcpy(&a, payload() + (at + k) * sizeof a, sizeof a);
        std::memcpy(&b, other.payload() + (at + k) * sizeof b, sizeof b);
        if (a != b) return a < b;
      }
    }
    return false;
  });
}

namespace {

// A matrix of width 8 is a word: it is written and read whole, with rows of the next matrix, or what is behind them
// all.
void put_rows(std::uint8_t* to, const Draft<8>& draft, const Signature& signature, Record& record) {
  const auto n = static_cast<std::size_t>(draft.n);
  for (int s = 0; s < signature.count(Kind::vector); ++s) *to++ = static_cast<std::uint8_t>(draft.v[s]);
  const auto put = [&](const Matrix<8>& matrix) {
    std::memcpy(to, &matrix, sizeof matrix);
    to += n;
  };
  for (int s = 0; s < signature.count(Kind::matrix); ++s) put(draft.m[s]);
  for (int s = 0; s < signature.count(Kind::tensor); ++s)
    for (std::size_t i = 0; i < n; ++i) put(draft.tensor(s)[i]);
  const auto* const end = reinterpret_cast<const std::uint8_t*>(record.payload()) + record.bytes;
  std::memset(to, 0, static_cast<std::size_t>(end - to));
}

void take_rows(const std::uint8_t* from, Draft<8>& draft, const Signature& signature) {
  const auto n = static_cast<std::size_t>(draft.n);
  const Vector own = full(8 * draft.n);
  for (int s = 0; s < signature.count(Kind::vector); ++s) draft.v[s] = *from++;
  const auto take = [&](Matrix<8>& matrix) {
    Vector word;
    std::memcpy(&word, from, sizeof word);
    put(matrix, word & own);
    from += n;
  };
  for (int s = 0; s < signature.count(Kind::matrix); ++s) take(draft.m[s]);
  for (int s = 0; s < signature.count(Kind::tensor); ++s)
    for (std::size_t i = 0; i < 8; ++i) {
      if (i < n)
        take(draft.tensor(s)[i]);
      else
        zero(draft.tensor(s)[i]);
    }
}

template <class Word, int W>
void put_rows(Word* to, const Draft<W>& draft, const Signature& signature) {
  const int n = draft.n;
  for (int s = 0; s < signature.count(Kind::vector); ++s) *to++ = static_cast<Word>(draft.v[s]);
  for (int s = 0; s < signature.count(Kind::matrix); ++s)
    for (int i = 0; i < n; ++i) *to++ = static_cast<Word>(draft.m[s].row[i]);
  for (int s = 0; s < signature.count(Kind::tensor); ++s)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) *to++ = static_cast<Word>(draft.tensor(s)[i].row[j]);
}

template <class Word, int W>
void take_rows(const Word* from, Draft<W>& draft, const Signature& signature) {
  const int n = draft.n;
  for (int s = 0; s < signature.count(Kind::vector); ++s) draft.v[s] = static_cast<VectorOf<W>>(*from++);
  for (int s = 0; s < signature.count(Kind::matrix); ++s) {
    for (int i = 0; i < W; ++i) draft.m[s].row[i] = i < n ? static_cast<Row<W>>(from[i]) : Row<W>{0};
    from += n;
  }
  for (int s = 0; s < signature.count(Kind::tensor); ++s)
    for (int i = 0; i < W; ++i) {
      Matrix<W>& slice = draft.tensor(s)[i];
      for (int j = 0; j < W; ++j) slice.row[j] = i < n && j < n ? static_cast<Row<W>>(from[j]) : Row<W>{0};
      if (i < n) from += n;
    }
}

}  // namespace

template <int W>
RecordRef packed(const Signature& signature, const Draft<W>& draft) {
  Record* record = Record::make(signature, draft.n);
  with_row(*record, [&](auto like) {
    auto* const to = reinterpret_cast<decltype(like)*>(record->payload());
    if constexpr (W == 8 && sizeof like == 1)
      put_rows(to, draft, signature, *record);
    else
      put_rows(to, draft, signature);
  });
  record->seal();
  return RecordRef::adopt(record);
}

template <int W>
void unpack(const Record& record, Draft<W>& draft) {
  if (record.row_bytes * 8 > W) throw NeedsWidth{};
  draft.n = record.n;
  with_row(record, [&](auto like) {
    if constexpr (8 * sizeof like <= W)
      take_rows(reinterpret_cast<const decltype(like)*>(record.payload()), draft, *record.signature);
  });
}

template RecordRef packed<8>(const Signature&, const Draft<8>&);
template RecordRef packed<16>(const Signature&, const Draft<16>&);
template RecordRef packed<32>(const Signature&, const Draft<32>&);
template RecordRef packed<64>(const Signature&, const Draft<64>&);
template RecordRef packed<128>(const Signature&, const Draft<128>&);
template RecordRef packed<256>(const Signature&, const Draft<256>&);
template RecordRef packed<512>(const Signature&, const Draft<512>&);
template void unpack<8>(const Record&, Draft<8>&);
template void unpack<16>(const Record&, Draft<16>&);
template void unpack<32>(const Record&, Draft<32>&);
template void unpack<64>(const Record&, Draft<64>&);
template void unpack<128>(const Record&, Draft<128>&);
template void unpack<256>(const Record&, Draft<256>&);
template void unpack<512>(const Record&, Draft<512>&);

}  // namespace kleene
