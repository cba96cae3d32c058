"""Which queries are effectively propositional, and how many individuals their models need at most.

A formula whose existential quantifiers do not lie below universal ones (sort by sort: below universal ones of a sort
that cannot be reached back) is satisfiable iff it has a model with as many individuals in each sort as there are
closed Skolem terms (Bernays-Schoenfinkel; with sorts: Abadi, Rabinovich, Sagiv. Decidable fragments of many-sorted
logic. LPAR 2007). The bound makes grounding a decision procedure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from kleene.logic.formula import And, Exists, Forall, Formula, Iff, Not, Or
from kleene.smt.expand import sort_of

SkolemFunction = tuple[tuple[int, ...], int]


@dataclass
class Witnesses:
    """The Skolem constants and functions that an expanded formula needs, by sort."""

    constants: Counter[int] = field(default_factory=Counter)
    functions: Counter[SkolemFunction] = field(default_factory=Counter)

    def __add__(self, other: Witnesses) -> Witnesses:
        return Witnesses(self.constants + other.constants, self.functions + other.functions)


def witnesses(f: Formula) -> Witnesses:
    """The witnesses of a closed expanded formula that is asserted."""
    found = Witnesses()
    stack: list[tuple[Formula, bool, tuple[str, ...]]] = [(f, True, ())]
    while stack:
        g, positive, outer = stack.pop()
        match g:
            case Not(body):
                stack.append((body, not positive, outer))
            case And(a, b) | Or(a, b):
                stack += [(a, positive, outer), (b, positive, outer)]
            case Iff(a, b):
                stack += [(part, sign, outer) for part in (a, b) for sign in (True, False)]
            case Exists(v, body) | Forall(v, body):
                if isinstance(g, Forall) == positive:
                    stack.append((body, positive, (*(w for w in outer if w != v), v)))
                    continue
                arguments = tuple(sorted(sort_of(w) for w in outer if w in g.free))
                if arguments:
                    found.functions[arguments, sort_of(v)] += 1
                else:
                    found.constants[sort_of(v)] += 1
                stack.append((body, positive, outer))
    return found


def bounds(needed: Witnesses, sorts: Iterable[int], most: int) -> dict[int, int] | None:
    """How many individuals of each sort suffice; None if there is no bound, or it is above `most` in total."""
    sizes: dict[int, int] = {}
    waiting = set(sorts)
    while waiting:
        ready = [
            s
            for s in sorted(waiting)
            if all(u in sizes for (args, target) in needed.functions if target == s for u in args)
        ]
        if not ready:
            return None
        for s in ready:
            size = needed.constants[s]
            for (args, target), count in needed.functions.items():
                if target == s:
                    terms = count
                    for u in args:
                        terms *= sizes[u]
                    size += terms
            sizes[s] = max(1, size)
            waiting.discard(s)
        if sum(sizes.values()) > most:
            return None
    return sizes
