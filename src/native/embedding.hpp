// Embedding of structures (thesis Defs. 2.3 and 7.1) and isomorphism (the twin of structures/embedding.py).
#pragma once

#include "record.hpp"
#include "worker.hpp"

namespace kleene {

// Called for each structure of a batch, and in long searches.
struct Ticker {
  Watch& watch;
  bool caller = true;
  std::uint32_t count = 0;
  void tick(int nodes) {
    if (nodes > kNarrow) count |= Watch::kTicksBetweenLooks;  // a tick of wide structures is much work
    watch.tick(count, caller);
  }
};

// Whether everything that a represents, b represents too.
bool embeds(const Record& a, const Record& b, Ticker& ticker);

// Whether the structures differ by the numbering of their nodes only.
bool isomorphic(const Record& a, const Record& b, Ticker& ticker);

}  // namespace kleene
