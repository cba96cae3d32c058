#include "text.hpp"

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
  const auto row = [&](std::size_t k) { return structure.row(at + k) & ~(less < 0 ? 0 : structure.row(other + k)); };
  if (arity == 0) {
    if (row(0)) f(Tuple{});
  } else if (arity == 1) {
    each_bit(row(0), [&](int u) { f(Tuple{u}); });
  } else if (arity == 2) {
    for (int i = 0; i < n; ++i) each_bit(row(i), [&](int j) { f(Tuple{i, j}); });
  } else {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) each_bit(row(static_cast<std::size_t>(i) * n + j), [&](int k) { f(Tuple{i, j, k}); });
  }
}

bool is_empty(const Record& structure, int rail) {
  const auto [at, count] = structure.rail(rail);
  for (std::size_t k = at; k < at + count; ++k)
    if (structure.row(k)) return false;
  return true;
}

bool is_one(const Record& structure, int rail, const Tuple& nodes) {
  const std::size_t at = structure.rail(rail).first, n = structure.n;
  switch (structure.signature->arity(rail)) {
    case 0:
      return structure.row(at) & 1;
    case 1:
      return structure.row(at) >> nodes[0] & 1;
    case 2:
      return structure.row(at + nodes[0]) >> nodes[1] & 1;
    default:
      return structure.row(at + nodes[0] * n + nodes[1]) >> nodes[2] & 1;
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

void add_list(std::string& text, WideVector nodes) {
  bool first = true;
  text += '[';
  each_bit(nodes, [&](int u) {
    if (!first) text += ", ";
    first = false;
    text += std::to_string(u);
  });
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
  const Signature& signature = *structure.signature;
  std::string text = "{\"nodes\": " + std::to_string(structure.n) + ", \"summary\": ";
  add_list(text, structure.vector(signature.slot(kSm)));
  text += ", \"maybe_active\": ";
  add_list(text, full<kMostNodes>(structure.n) & ~structure.vector(signature.slot(kAc)));
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
