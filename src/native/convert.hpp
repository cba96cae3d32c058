// Rails as Python integers, in the layout of structures/layout.py, and back.
#pragma once

#include <nanobind/nanobind.h>

#include "record.hpp"

namespace kleene {

// The rails of a structure, as a tuple of integers.
nanobind::tuple rails_of(const Record& record);

// A structure from its rails; values that are set beyond its nodes, or too large, are refused.
RecordRef record_of(const Signature& signature, int n, nanobind::sequence rails);

// The rows of a vector, matrix or tensor, side by side, as one integer in the layout for n nodes.
nanobind::object integer_of(const unsigned char* rows, std::size_t row_bytes, int arity, int n);

}  // namespace kleene
