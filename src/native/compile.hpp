// The part of the Python module that compiles formulas.
#pragma once

#include <nanobind/nanobind.h>

namespace kleene {

void bind_compiler(nanobind::module_& m);

}  // namespace kleene
