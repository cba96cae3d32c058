"""Phase 1: the sets of names that the individuals of a store can have (seed 000, section 3.2, procedure `bif`).

The paper bifurcates one node at a time. Here the sets of names are found in models and excluded until a query proves
that there are no others; each set is then a universe with one sort for each name, as phase 2 needs it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kleene.logic.formula import neg
from kleene.smt import FiniteModel, Sat, Solver, Unknown, Unsat
from kleene.symbolic.refinement import Point, Question, Refinement
from kleene.symbolic.scene import CellName, Scene

MOST_CANDIDATES = 48
_SMALL = 3


@dataclass
class NameSets:
    """The sets that occur. `undecided` are pairs (names that occur, names that may occur) that were not decided;
    `unlimited` says that any set may occur.
    """

    sets: list[frozenset[CellName]] = field(default_factory=list)
    undecided: list[tuple[frozenset[CellName], frozenset[CellName]]] = field(default_factory=list)
    unlimited: bool = False
    reason: str | None = None


def name_sets(scene: Scene, solver: Solver, *, splits: int, leaves: int) -> NameSets:
    """All sets of names of the stores of a scene."""
    cells = scene.coarse_cells(splits)
    nodes = [i for i, _ in cells]
    universe = scene.universe(cells, all_present=False)
    base = [*scene.counts(), *scene.base]
    found: dict[frozenset[CellName], None] = {}
    finder = solver.finder(base, universe, _SMALL)
    try:
        while isinstance(answer := finder.check(), Sat):
            names = scene.names_in(answer.model, nodes)
            found[names] = None
            finder.add(scene.other_than(names))
    finally:
        finder.close()
    session = solver.session([*base, *map(scene.other_than, found)], universe, scene.fields)
    while True:
        match session.check():
            case Sat(model):
                names = scene.names_in(model, nodes)
                found[names] = None
                session.add(scene.other_than(names))
            case Unsat():
                return NameSets(list(found))
            case Unknown(reason):
                break
    return _by_candidates(scene, solver, list(found), reason, splits=splits, leaves=leaves)


def _by_candidates(
    scene: Scene, solver: Solver, found: list[frozenset[CellName]], reason: str, *, splits: int, leaves: int
) -> NameSets:
    """Decide name by name whether it occurs."""
    candidates = [name for i in range(len(scene.nodes)) for name in scene.candidates(i)]
    if len(candidates) > MOST_CANDIDATES:
        return NameSets(found, unlimited=True, reason=reason)
    cells = scene.coarse_cells(splits)
    nodes = [i for i, _ in cells]
    universe = scene.universe(cells, all_present=False)
    base = [*scene.counts(), *scene.base]
    possible = frozenset().union(*found)
    session = solver.session(base, universe, scene.fields)
    names = [name for name in candidates if name in possible or not isinstance(session.check([scene.has(name)]), Unsat)]

    def read(model: FiniteModel) -> Point:
        there = scene.names_in(model, nodes)
        return tuple(int(name in there) for name in names)

    slots = [(neg(scene.has(name)), scene.has(name)) for name in names]
    question = Question(base, universe, scene.fields, slots, read)
    refinement = Refinement(question, solver, individuals=(), leaves=leaves)
    refinement.found.points = {tuple(int(name in there) for name in names): None for there in found}
    refinement.found.reason = reason
    refinement.decide()
    result = NameSets(reason=refinement.found.reason)
    for point in refinement.found.points:
        result.sets.append(frozenset(n for n, bit in zip(names, point, strict=True) if bit))
    for prefix in refinement.found.undecided:
        there = frozenset(n for n, bit in zip(names, prefix, strict=False) if bit)
        result.undecided.append((there, frozenset(names[len(prefix) :])))
    return result
