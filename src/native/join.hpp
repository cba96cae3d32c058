// Joins of canonical structures (the twin of structures/join.py).
#pragma once

#include "canonical.hpp"
#include "record.hpp"

namespace kleene {

// The join of two structures with the same node names; the first itself if the second adds nothing to it.
RecordRef join_partial(const RecordRef& a, const Record& b);

// The join of thesis Fig. 41: nodes are matched by name, those that one side lacks become maybe active.
RecordRef join_independent(const Record& a, const Record& b, const Naming& naming);

}  // namespace kleene
