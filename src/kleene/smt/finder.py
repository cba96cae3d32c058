"""Bounded search for models, and the bounds that make such a search complete.

Without closures, a part of a model that contains the witnesses of all existential quantifiers is a model again, if it
is closed under the functions that choose them (`propositional`). With witnesses for the observations, it shows the same
observations. If that gives a bound, the search is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from kleene.logic.formula import Closure, Exists, Forall, Formula, exists, subformulas
from kleene.logic.transform import postorder
from kleene.smt.answers import Answer, Sat, Unknown, Unsat
from kleene.smt.expand import Expansion
from kleene.smt.ground import Grounding
from kleene.smt.propositional import Witnesses, bounds, witnesses
from kleene.smt.units import Assertions
from kleene.smt.universe import Universe

MOST_INSTANCES = 60_000
"""Number of instances of quantified formulas up to which grounding is faster than a prover."""


class Owner(Protocol):
    """The interface of a search to its solver."""

    def remaining(self) -> float: ...

    def conflicts(self) -> int: ...

    def dump_query(self, universe: Universe, assertions: Sequence[Formula]) -> None: ...

    def time_query(self, backend: str, query: Callable[[], tuple[str, int]]) -> None: ...


class Finder:
    """Models with a bounded number of individuals in each cell; closures are exact. It refutes only if `complete`."""

    def __init__(
        self,
        owner: Owner,
        assertions: Sequence[Formula],
        universe: Universe,
        bounds: Mapping[int, int],
        *,
        complete: bool,
    ) -> None:
        self.owner = owner
        self.complete = complete
        self.grounding = Grounding(universe, bounds)
        self._added: list[Formula] = []
        self._refuted = False
        for f in assertions:
            self.add(f)

    def add(self, f: Formula) -> None:
        self._added.append(f)
        self.grounding.add(exists(f.free, f))

    def check(self, assumptions: Sequence[Formula] = ()) -> Answer:
        """A model; if there is none within the bounds, `Unsat` or `Unknown`."""
        if self.owner.remaining() <= 0:
            return Unknown("time limit reached")
        literals = [self.grounding.literal(exists(f.free, f), {}) for f in assumptions]
        outcome: list[bool | None] = []

        def query() -> tuple[str, int]:
            outcome.append(self.grounding.solve(literals, self.owner.conflicts(), self.owner.remaining))
            none = "unsat" if self.complete else "none within bounds"
            return {True: "sat", False: none, None: "unknown"}[outcome[0]], 1

        self.owner.time_query("sat", query)
        self._refuted = outcome[0] is False
        if outcome[0]:
            return Sat(self.grounding.model())
        if outcome[0] is False and self.complete:
            expansion = Expansion(self.grounding.universe)
            self.owner.dump_query(
                expansion.universe, [expansion.expand_closed(f) for f in (*self._added, *assumptions)]
            )
            return Unsat()
        return Unknown("no model within the bounds" if outcome[0] is False else "too many conflicts")

    def shows(self, condition: Formula) -> bool:
        """Whether a model within the bounds satisfies a formula."""
        return isinstance(self.check([condition]), Sat)

    def conflict(self, assumptions: Sequence[Formula]) -> frozenset[int] | Answer:
        """A smallest set of assumptions (by their numbers) that no model within the bounds satisfies, or an answer."""
        literals = [self.grounding.literal(exists(f.free, f), {}) for f in assumptions]
        answer = self.check(assumptions)
        if isinstance(answer, Sat) or not self._refuted:
            return answer
        refuted = self.grounding.core()
        core = [i for i, literal in enumerate(literals) if literal in refuted]
        for i in tuple(core):
            rest = [j for j in core if j != i]
            if self.grounding.solve([literals[j] for j in rest], self.owner.conflicts(), self.owner.remaining) is False:
                core = rest
        return frozenset(core)

    def close(self) -> None:
        self.grounding.close()


def sufficient_bounds(
    assertions: Sequence[Formula], universe: Universe, observed: Sequence[Sequence[Formula]], most: int
) -> dict[int, int] | None:
    """Numbers of individuals of each cell that suffice for all observations of models of the assertions.

    None if no bound is known (closures, existential quantifiers that depend on universal ones), or if it is too large.
    """
    everything = [*assertions, *(f for options in observed for f in options)]
    if any(isinstance(g, Closure) for f in everything for g in subformulas(f)):
        return None
    expansion = Expansion(universe)
    needed = Witnesses()
    for f in Assertions(expansion).expand(assertions):
        needed = needed + witnesses(f)
    for options in observed:
        shown = Witnesses()
        for f in options:
            shown = shown | witnesses(expansion.expand_closed(f))
        needed = needed + shown
    sizes = bounds(needed, [c for c, cell in enumerate(universe.cells) if not cell.single], most)
    if sizes is None:
        return None
    count = len(universe.cells) - len(sizes) + sum(sizes.values())
    instances = sum(count ** _depth(f) for f in assertions)
    return sizes if instances <= MOST_INSTANCES else None


def _depth(f: Formula) -> int:
    """The depth of nested quantifiers."""
    deepest: dict[Formula, int] = {}
    for g in postorder(f):
        below = max((deepest[c] for c in g.children), default=0)
        deepest[g] = below + isinstance(g, (Exists, Forall))
    return deepest[f]
