#include "convert.hpp"

#include <vector>

namespace nb = nanobind;

namespace kleene {

namespace {

// The width tiers of structures/layout.py: two columns are always spare there.
int python_width(int n) {
  int width = 16;
  while (n > width - 2) width *= 2;
  return width;
}

std::size_t count_of(int arity, int n) {
  const auto nodes = static_cast<std::size_t>(n);
  return arity < 2 ? 1 : arity == 2 ? nodes : nodes * nodes;
}

// Where row number k of a rail begins in the integer, in bytes.
std::size_t byte_of(std::size_t k, int arity, int n, std::size_t width) {
  const auto nodes = static_cast<std::size_t>(n);
  return (arity < 3 ? k : k / nodes * width + k % nodes) * width / 8;
}

nb::object from_bytes(const std::vector<unsigned char>& bytes) {
  PyObject* made = _PyLong_FromByteArray(bytes.data(), bytes.size(), 1, 0);
  if (!made) throw nb::python_error();
  return nb::steal(made);
}

void to_bytes(nb::handle number, std::vector<unsigned char>& bytes) {
  auto* value = reinterpret_cast<PyLongObject*>(number.ptr());
#if PY_VERSION_HEX >= 0x030D0000
  const int failed = _PyLong_AsByteArray(value, bytes.data(), bytes.size(), 1, 0, 1);
#else
  const int failed = _PyLong_AsByteArray(value, bytes.data(), bytes.size(), 1, 0);
#endif
  if (failed) throw nb::python_error();
}

}  // namespace

nb::object integer_of(const WideVector* rows, int arity, int n) {
  if (arity < 2 && !high_word(rows[0])) return nb::steal(PyLong_FromUnsignedLongLong(low_word(rows[0])));
  const std::size_t count = count_of(arity, n), width = python_width(n);
  std::size_t last = count;
  while (last && !rows[last - 1]) --last;
  if (!last) return nb::steal(PyLong_FromLong(0));
  std::vector<unsigned char> bytes(byte_of(last - 1, arity, n, width) + sizeof(WideVector));
  for (std::size_t k = 0; k < last; ++k) {
    if (!rows[k]) continue;
    WideVector word = rows[k];
    unsigned char* to = bytes.data() + byte_of(k, arity, n, width);
    for (; word; word >>= 8) *to++ = static_cast<unsigned char>(word);
  }
  return from_bytes(bytes);
}

nb::tuple rails_of(const Record& record) {
  const Signature& signature = *record.signature;
  PyObject* made = PyTuple_New(signature.rails());
  if (!made) throw nb::python_error();
  nb::tuple result = nb::steal<nb::tuple>(made);
  std::vector<WideVector> rows;
  for (int rail = 0; rail < signature.rails(); ++rail) {
    const auto [at, count] = record.rail(rail);
    rows.assign(std::max<std::size_t>(1, count), 0);
    for (std::size_t k = 0; k < count; ++k) rows[k] = record.row(at + k);
    nb::object value = integer_of(rows.data(), signature.arity(rail), record.n);
    if (!value) throw nb::python_error();
    PyTuple_SET_ITEM(made, rail, value.release().ptr());
  }
  return result;
}

RecordRef record_of(const Signature& signature, int n, nb::sequence rails) {
  if (n < 0 || n > kMostNodes) throw std::invalid_argument("a structure has too many nodes for the native machine");
  if (nb::len(rails) != static_cast<std::size_t>(signature.rails()))
    throw std::invalid_argument("a structure has two rails for each predicate");
  Record* made = Record::make(signature, n);
  RecordRef result = RecordRef::adopt(made);
  const std::size_t width = python_width(n);
  std::vector<unsigned char> bytes;
  for (int rail = 0; rail < signature.rails(); ++rail) {
    const nb::object number = rails[rail];
    if (!PyLong_Check(number.ptr())) throw nb::type_error("a rail is an integer");
    const int arity = signature.arity(rail);
    const auto [at, count] = made->rail(rail);
    const WideVector allowed = arity ? full<kMostNodes>(n) : 1;
    if (arity < 2 && n <= 64) {
      const Vector word = PyLong_AsUnsignedLongLong(number.ptr());
      if (PyErr_Occurred()) throw nb::python_error();
      if (word & ~allowed) throw std::invalid_argument("a rail is set beyond the nodes of its structure");
      made->set_row(at, word);
      continue;
    }
    const std::size_t row_bytes = width / 8;
    bytes.assign(count ? byte_of(count - 1, arity, n, width) + std::max(row_bytes, sizeof(WideVector)) : 8, 0);
    to_bytes(number, bytes);
    WideVector rest = 0;
    for (std::size_t k = 0; k < count; ++k) {
      unsigned char* from = bytes.data() + byte_of(k, arity, n, width);
      WideVector word = 0;
      for (std::size_t b = 0; b < std::min(row_bytes, sizeof(WideVector)); ++b) {
        word |= static_cast<WideVector>(from[b]) << (8 * b);
        from[b] = 0;
      }
      rest |= word & ~allowed;
      made->set_row(at + k, word);
    }
    for (unsigned char b : bytes) rest |= b;
    if (rest) throw std::invalid_argument("a rail is set beyond the nodes of its structure");
  }
  made->seal();
  return result;
}

}  // namespace kleene
