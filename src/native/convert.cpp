#include "convert.hpp"

#include <algorithm>
#include <cstring>
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

nb::object integer_of(const unsigned char* rows, std::size_t row_bytes, int arity, int n) {
  const std::size_t count = count_of(arity, n), width = python_width(n);
  if (arity < 2 && row_bytes <= sizeof(Vector)) {
    Vector word = 0;
    std::memcpy(&word, rows, row_bytes);
    return nb::steal(PyLong_FromUnsignedLongLong(word));
  }
  std::size_t last = count * row_bytes;
  while (last && !rows[last - 1]) --last;
  if (!last) return nb::steal(PyLong_FromLong(0));
  last = (last - 1) / row_bytes;
  std::vector<unsigned char> bytes(byte_of(last, arity, n, width) + row_bytes);
  for (std::size_t k = 0; k <= last; ++k)
    std::memcpy(bytes.data() + byte_of(k, arity, n, width), rows + k * row_bytes, row_bytes);
  return from_bytes(bytes);
}

nb::tuple rails_of(const Record& record) {
  const Signature& signature = *record.signature;
  PyObject* made = PyTuple_New(signature.rails());
  if (!made) throw nb::python_error();
  nb::tuple result = nb::steal<nb::tuple>(made);
  const auto* rows = reinterpret_cast<const unsigned char*>(record.payload());
  for (int rail = 0; rail < signature.rails(); ++rail) {
    const std::size_t at = record.rail(rail).first;
    nb::object value = integer_of(rows + at * record.row_bytes, record.row_bytes, signature.arity(rail), record.n);
    if (!value) throw nb::python_error();
    PyTuple_SET_ITEM(made, rail, value.release().ptr());
  }
  return result;
}

namespace {

// Takes a row of a structure away from the bytes of an integer; what is left is beyond the bits that a row has.
void take_row(unsigned char* from, char* to, std::size_t row_bytes, int bits) {
  const auto whole = static_cast<std::size_t>(bits) / 8;
  std::memcpy(to, from, row_bytes);
  std::memset(from, 0, std::min(whole, row_bytes));
  if (whole < row_bytes) from[whole] &= static_cast<unsigned char>(0xff << bits % 8);
}

}  // namespace

RecordRef record_of(const Signature& signature, int n, nb::sequence rails) {
  if (n < 0 || n > kMostNodes) throw std::invalid_argument("a structure has too many nodes for the native machine");
  if (nb::len(rails) != static_cast<std::size_t>(signature.rails()))
    throw std::invalid_argument("a structure has two rails for each predicate");
  Record* made = Record::make(signature, n);
  RecordRef result = RecordRef::adopt(made);
  const std::size_t width = python_width(n);
  std::vector<unsigned char> bytes;
  const auto refuse = [] { throw std::invalid_argument("a rail is set beyond the nodes of its structure"); };
  for (int rail = 0; rail < signature.rails(); ++rail) {
    const nb::object number = rails[rail];
    if (!PyLong_Check(number.ptr())) throw nb::type_error("a rail is an integer");
    const int arity = signature.arity(rail), bits = arity ? n : 1;
    const auto [at, count] = made->rail(rail);
    if (arity < 2 && n <= 64) {
      const Vector word = PyLong_AsUnsignedLongLong(number.ptr());
      if (PyErr_Occurred()) throw nb::python_error();
      if (word & ~full(bits)) refuse();
      made->set_row(at, word);
      continue;
    }
    bytes.assign(count ? byte_of(count - 1, arity, n, width) + width / 8 : 8, 0);
    to_bytes(number, bytes);
    for (std::size_t k = 0; k < count; ++k)
      take_row(bytes.data() + byte_of(k, arity, n, width), made->payload() + (at + k) * made->row_bytes,
               made->row_bytes, bits);
    if (std::any_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte; })) refuse();
  }
  made->seal();
  return result;
}

}  // namespace kleene
