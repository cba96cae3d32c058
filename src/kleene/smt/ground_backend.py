"""The back end without an SMT solver: bounded search for models, and refutation where a bound is known to suffice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kleene.logic.formula import Formula, exists
from kleene.smt.ground import Grounding
from kleene.smt.propositional import Witnesses, bounds, witnesses
from kleene.smt.prover import Proof
from kleene.smt.universe import Universe


@dataclass(frozen=True)
class GroundQuery:
    """Closure-free formulas, and the same ones expanded, from which the bounds are computed."""

    universe: Universe
    assertions: list[Formula]
    assumptions: list[Formula]
    expanded: list[Formula]

    def bounds(self, most: int) -> dict[int, int] | None:
        needed = Witnesses()
        for f in self.expanded:
            needed = needed + witnesses(f)
        sorts = [c for c, cell in enumerate(self.universe.cells) if not cell.single]
        return bounds(needed, sorts, most)


def decide(query: GroundQuery, *, individuals: int, most: int, conflicts: int, remaining: Callable[[], float]) -> Proof:
    """'unsat' by grounding if the query is effectively propositional, otherwise a bounded search for a model."""
    enough = query.bounds(most)
    sizes = enough if enough is not None else dict.fromkeys(range(len(query.universe.cells)), individuals)
    grounding = Grounding(query.universe, sizes)
    try:
        for f in query.assertions:
            grounding.add(exists(f.free, f))
        literals = [grounding.literal(exists(f.free, f), {}) for f in query.assumptions]
        satisfiable = grounding.solve(literals, conflicts, remaining)
        if satisfiable:
            return Proof("sat", model=grounding.model())
        if satisfiable is False and enough is not None:
            core = set(grounding.solver.get_core() or ())
            return Proof("unsat", core=frozenset(i for i, x in enumerate(literals) if x in core))
    finally:
        grounding.close()
    if satisfiable is None:
        return Proof("unknown", reason="ground: too many conflicts, or no time left")
    return Proof("unknown", reason=f"ground: no model with up to {individuals} individuals for each name is no proof")
