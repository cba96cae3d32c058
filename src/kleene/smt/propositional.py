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

    def __or__(self, other: Witnesses) -> Witnesses:
        """Enough for either: of a disjunction that is not below a universal quantifier, one part must hold."""
        return Witnesses(self.constants | other.constants, self.functions | other.functions)


def witnesses(f: Formula) -> Witnesses:
    """The witnesses of a closed expanded formula that is asserted."""
    return _needed_witnesses(f, positive=True, outer=())


def _needed_witnesses(f: Formula, *, positive: bool, outer: tuple[str, ...]) -> Witnesses:
    match f:
        case Not(body):
            return _needed_witnesses(body, positive=not positive, outer=outer)
        case And(a, b) | Or(a, b):
            left, right = (_needed_witnesses(g, positive=positive, outer=outer) for g in (a, b))
            return left + right if isinstance(f, And) == positive or outer else left | right
        case Iff(a, b):
            signs = ((True, positive), (False, not positive))
            cases = [
                _needed_witnesses(a, positive=sign, outer=outer) + _needed_witnesses(b, positive=other, outer=outer)
                for sign, other in signs
            ]
            return cases[0] + cases[1] if outer else cases[0] | cases[1]
        case Exists(v, body) | Forall(v, body):
            if isinstance(f, Forall) == positive:
                return _needed_witnesses(body, positive=positive, outer=(*(w for w in outer if w != v), v))
            arguments = tuple(sorted(sort_of(w) for w in outer if w in f.free))
            below = _needed_witnesses(body, positive=positive, outer=outer)
            if arguments:
                return below + Witnesses(functions=Counter({(arguments, sort_of(v)): 1}))
            return below + Witnesses(constants=Counter({sort_of(v): 1}))
    return Witnesses()


def bounds(needed: Witnesses, sorts: Iterable[int], most: int) -> dict[int, int] | None:
    """Sufficient numbers of individuals of each sort; None without a bound, or if it is above `most` in total."""
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
