"""Finding all combinations of observations that some store shows, with as few queries as possible.

A slot is something to observe, with options that exclude each other and cover all stores (a predicate's value on a
tuple of nodes: 0, 1 or 1/2). A point chooses an option for every slot. Fig. 4 of seed 000 asks about each 1/2 on its
own, which is not exact; here every point found is one store that shows all of its values at once.

1. Small stores are searched with a SAT solver; each one found proves a point (and answers all queries about it).
2. One query asks for a store that shows none of the points found: 'unsatisfiable' proves that there are no others.
3. Where that query is not decided, slots are decided one after the other. A query whose answer follows from a point or
   from an earlier unsatisfiable core is not asked. What stays undecided is kept, which is sound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kleene.logic.formula import Formula, disj, neg
from kleene.smt import FiniteModel, Sat, Solver, Universe, Unknown, Unsat
from kleene.smt.closures import Fields

Point = tuple[int, ...]
Slot = Sequence[Formula]


@dataclass
class Found:
    """The points with a model of each, and prefixes of points that were not decided, with the reason."""

    points: dict[Point, FiniteModel | None] = field(default_factory=dict)
    undecided: list[Point] = field(default_factory=list)
    reason: str | None = None


@dataclass(frozen=True)
class Question:
    """The stores of a universe that satisfy `base`, and how to read a point from a model."""

    base: Sequence[Formula]
    universe: Universe
    fields: Fields
    slots: Sequence[Slot]
    read: Callable[[FiniteModel], Point]


class Refinement:
    """One question put to one solver."""

    def __init__(self, question: Question, solver: Solver, *, individuals: Sequence[int], leaves: int) -> None:
        self.question = question
        self.solver = solver
        self.individuals = individuals
        self.leaves = leaves
        self.session = solver.session(question.base, question.universe, question.fields)
        self.found = Found()
        self._cores: list[frozenset[tuple[int, int]]] = []

    def run(self) -> Found:
        for individuals in self.individuals:
            self._search(individuals)
        self.found.reason = self._prove()
        if self.found.reason is not None:
            self.decide()
        return self.found

    def decide(self) -> None:
        """Decide slot by slot what one query could not; the reason stays only if something stays undecided."""
        self._decide_slots()
        if not self.found.undecided:
            self.found.reason = None

    def _note(self, model: FiniteModel) -> Point:
        point = self.question.read(model)
        if point not in self.found.points:
            self.found.points[point] = model
            self.session.add(self._other_than(point))
        return point

    def _other_than(self, point: Point) -> Formula:
        return disj(*(neg(slot[option]) for slot, option in zip(self.question.slots, point, strict=True)))

    def _search(self, individuals: int) -> None:
        """Points of all stores with at most so many individuals in each cell."""
        finder = self.solver.finder(self.question.base, self.question.universe, individuals)
        try:
            for point in self.found.points:
                finder.add(self._other_than(point))
            while isinstance(answer := finder.check(), Sat):
                finder.add(self._other_than(self._note(answer.model)))
        finally:
            finder.close()

    def _prove(self) -> str | None:
        """Show that there are no other points, finding them if there are; a reason if that fails."""
        while True:
            match self.session.check():
                case Sat(model):
                    self._note(model)
                case Unsat():
                    return None
                case Unknown(reason):
                    return reason

    # One slot after the other -----------------------------------------------------------------------------

    def _decide_slots(self) -> None:
        slots = self.question.slots
        stack: list[Point] = []
        if self.found.points:
            stack.append(())
        else:
            self._ask((), stack)
        while stack:
            prefix = stack.pop()
            if len(prefix) == len(slots):
                continue
            if len(self.found.undecided) > self.leaves:
                self.found.undecided.append(prefix)
                continue
            for option in range(len(slots[len(prefix)])):
                longer = (*prefix, option)
                if self._is_shown(longer):
                    stack.append(longer)
                else:
                    self._ask(longer, stack)

    def _is_shown(self, prefix: Point) -> bool:
        return any(point[: len(prefix)] == prefix for point in self.found.points)

    def _ask(self, prefix: Point, stack: list[Point]) -> None:
        literals = list(enumerate(prefix))
        if any(core.issubset(literals) for core in self._cores):
            return
        match self.session.check([self.question.slots[slot][option] for slot, option in literals]):
            case Unsat(core):
                self._cores.append(frozenset(literals[i] for i in core))
            case Sat(model):
                self._note(model)
                stack.append(prefix)
            case Unknown():
                self.found.undecided.append(prefix)
