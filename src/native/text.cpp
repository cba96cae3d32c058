#include "text.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace kleene {

namespace {

using Tuple = std::array<int, kMostArity>;

// Calls f with each tuple of a rail, in increasing order; `less` are tuples that are left out (-1: none).
template <class F>
void each_tuple(const Record& structure, int rail, int less, F&& f) {
  const int arity = structure.signature->arity(rail), n = structure.n;
  const std::size_t at = structure.rail(rail).first;
  const std::size_t other = less < 0 ? 0 : structure.rail(less).first;
  with_row(structure, [&](auto like) {
    using V = VectorLike<decltype(like)>;
    const auto row = [&](std::size_t k) {
      const V all = structure.row<V>(at + k);
      return less < 0 ? all : all & ~structure.row<V>(other + k);
    };
    if (arity == 0) {
      if (row(0)) f(Tuple{});
    } else if (arity == 1) {
      each_bit(row(0), [&](int u) { f(Tuple{u}); });
    } else if (arity == 2) {
      for (int i = 0; i < n; ++i) each_bit(row(i), [&](int j) { f(Tuple{i, j}); });
    } else {
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          each_bit(row(static_cast<std::size_t>(i) * n + j), [&](int k) { f(Tuple{i, j, k}); });
    }
  });
}

bool is_empty(const Record& structure, int rail) {
  const auto [at, count] = structure.rail(rail);
  const char* const first = structure.payload() + at * structure.row_bytes;
  return std::all_of(first, first + count * structure.row_bytes, [](char byte) { return !byte; });
}

// Whether a bit of a row is set.
bool is_set(const Record& structure, std::size_t row, int place) {
  return structure.payload()[row * structure.row_bytes + place / 8] >> (place % 8) & 1;
}

bool is_one(const Record& structure, int rail, const Tuple& nodes) {
  const std::size_t at = structure.rail(rail).first, n = structure.n;
  switch (structure.signature->arity(rail)) {
    case 0:
      return is_set(structure, at, 0);
    case 1:
      return is_set(structure, at, nodes[0]);
    case 2:
      return is_set(structure, at + nodes[0], nodes[1]);
    default:
      return is_set(structure, at + nodes[0] * n + nodes[1], nodes[2]);
  }
}

void add_node(std::string& text, int node) {
  text += '_';
  text += std::to_string(node);
}

void add_value(std::string& text, const Record& structure, const Column& column) {
  bool first = true;
  if (column.arity) text += '{';
  each_tuple(structure, column.rail + 1, -1, [&](const Tuple& nodes) {
    if (!first) text += ", ";
    first = false;
    if (column.arity == 3) text += '(';
    for (int k = 0; k < column.arity; ++k) {
      if (k) text += column.arity == 3 ? "," : "->";
      add_node(text, nodes[k]);
    }
    if (column.arity == 3) text += ')';
    if (column.arity) text += ':';
    text += is_one(structure, column.rail, nodes) ? "1" : "1/2";
  });
  if (column.arity) text += '}';
}

// The nodes at which a vector is 1, or those at which it is 0.
void add_list(std::string& text, const Record& structure, int rail, bool ones) {
  const std::size_t at = structure.rail(rail).first;
  bool first = true;
  text += '[';
  for (int u = 0; u < structure.n; ++u) {
    if (is_set(structure, at, u) != ones) continue;
    if (!first) text += ", ";
    first = false;
    text += std::to_string(u);
  }
  text += ']';
}

void add_tuples(std::string& text, const Record& structure, int rail, int less, int arity) {
  bool first = true;
  text += '[';
  each_tuple(structure, rail, less, [&](const Tuple& nodes) {
    if (!first) text += ", ";
    first = false;
    text += '[';
    for (int k = 0; k < arity; ++k) {
      if (k) text += ", ";
      text += std::to_string(nodes[k]);
    }
    text += ']';
  });
  text += ']';
}

}  // namespace

void Columns::check(const Signature& signature) const {
  for (const Column& column : columns_) {
    signature.check_rail(column.rail);
    if (column.rail & 1 || signature.arity(column.rail) != column.arity)
      throw std::invalid_argument("a predicate that is written has another arity");
  }
}

std::string Columns::tvs(const Record& structure, const std::string& indent) const {
  check(*structure.signature);
  std::string text = indent + "%n = {";
  for (int u = 0; u < structure.n; ++u) {
    if (u) text += ", ";
    add_node(text, u);
  }
  text += "}\n" + indent + "%p = {\n";
  for (const Column& column : columns_) {
    if (is_empty(structure, column.rail + 1)) continue;
    text += indent;
    text += "  ";
    text += column.start;
    add_value(text, structure, column);
    text += '\n';
  }
  return text + indent + "}\n";
}

std::string Columns::json(const Record& structure) const {
  check(*structure.signature);
  std::string text = "{\"nodes\": " + std::to_string(structure.n) + ", \"summary\": ";
  add_list(text, structure, kSm, true);
  text += ", \"maybe_active\": ";
  add_list(text, structure, kAc, false);
  text += ", \"predicates\": {";
  bool first = true;
  for (const Column& column : columns_) {
    const int must = column.rail, may = must + 1;
    if (is_empty(structure, may)) continue;
    if (!first) text += ", ";
    first = false;
    text += column.start;
    const bool ones = !is_empty(structure, must);
    text += '{';
    if (ones) {
      text += "\"1\": ";
      add_tuples(text, structure, must, -1, column.arity);
    }
    std::string halves;
    add_tuples(halves, structure, may, must, column.arity);
    if (halves.size() > 2) {
      if (ones) text += ", ";
      text += "\"1/2\": " + halves;
    }
    text += '}';
  }
  return text + "}}";
}

}  // namespace kleene
