// Structures as text (the twin of structures/tvs_writer.py and of report/run/json.py).
#pragma once

#include <string>
#include <vector>

#include "record.hpp"

namespace kleene {

// A predicate that is written: its must rail, its arity, and the text before its value.
struct Column {
  int rail;
  int arity;
  std::string start;
};

// The predicates of a vocabulary in the order in which they are written. Those that are 0 everywhere are left out.
class Columns {
 public:
  explicit Columns(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // `%n` and `%p`, each line behind the indent.
  std::string tvs(const Record& structure, const std::string& indent) const;
  // An object with the nodes and their tuples, on one line.
  std::string json(const Record& structure) const;

 private:
  void check(const Signature& signature) const;
  std::vector<Column> columns_;
};

}  // namespace kleene
