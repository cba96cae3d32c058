// Embedding of structures (thesis Defs. 2.3 and 7.1) and isomorphism (the twin of structures/embedding.py).
#pragma once

#include "record.hpp"
#include "worker.hpp"

namespace kleene {

// Called in long searches.
struct Ticker {
  Watch& watch;
  std::uint32_t count = 0;
  void tick() { watch.tick(count, true); }
};

// Whether everything that a represents, b represents too.
bool embeds(const Record& a, const Record& b, Ticker& ticker);

// Whether the structures differ by the numbering of their nodes only.
bool isomorphic(const Record& a, const Record& b, Ticker& ticker);

}  // namespace kleene
