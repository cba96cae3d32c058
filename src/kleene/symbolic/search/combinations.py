"""Finding all combinations of observations that some store shows, with as few queries as possible.

A slot is an observation with options that exclude each other and cover all stores (a predicate's value on a tuple of
nodes: 0, 1 or 1/2). A point chooses an option for every slot. Fig. 4 of YRS04 queries each 1/2 alone, which is not
exact; here every point comes from one store with all of its values.

1. A SAT solver searches small stores; each store proves a point (and answers all queries about it). If the size of
   stores that show every point is known, the search ends here (`smt.finder`).
2. One query asks for a store with none of these points: 'unsatisfiable' proves that there are no others.
3. If that query is undecided, a SAT solver proposes points. A search for a small store of the point returns a store, or
   a smallest part of the point without a small store. Whether this part has any store is a separate query, which is
   small and excludes many points. Undecided points are kept, which is sound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, combinations

from kleene.logic.formula import Formula, disj, neg
from kleene.smt import FiniteModel, Sat, Solver, Universe, Unknown, Unsat
from kleene.smt.closures import Fields
from kleene.smt.finder import Finder
from kleene.smt.ground import sat_solver
from kleene.smt.solver import Session

Point = tuple[int, ...]
_LARGER = 3
UNDECIDED = 2
"""In a point that was not decided: the slot may have any option (of the three values of a predicate this is 1/2)."""
Slot = Sequence[Formula]
Literals = tuple[tuple[int, int], ...]
"""Slots, each with one of its options."""


@dataclass
class Combinations:
    """The points with a model of each, and points that were not decided, with the reason; () stands for any point."""

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

    def __init__(
        self,
        question: Question,
        solver: Solver,
        *,
        individuals: Sequence[int],
        leaves: int,
        most: int | None = None,
    ) -> None:
        self.question = question
        self.solver = solver
        self.individuals = individuals
        self.leaves = leaves
        self.most = most
        self.session = solver.session(question.base, question.universe, question.fields)
        self.unbiased = solver.session(question.base, question.universe, question.fields)
        """The same without the exclusion of the points found, which makes proofs harder."""
        self._hard: set[Literals] = set()
        self.combinations = Combinations()

    def run(self) -> Combinations:
        question = self.question
        complete = self.solver.complete_finder(question.base, question.universe, question.slots)
        if complete is not None and self._search(complete):
            return self.combinations
        for individuals in self.individuals:
            if self._search(self.solver.finder(question.base, question.universe, individuals)):
                return self.combinations
        self.combinations.reason = self._prove()
        if self.combinations.reason is not None:
            self.decide()
        return self.combinations

    def decide(self) -> None:
        """Decide each point by separate queries; the reason stays only if a point stays undecided."""
        question = self.question
        proposals = Proposals([len(slot) for slot in question.slots])
        small = self.solver.finder(question.base, question.universe, _LARGER)
        try:
            for point in self.combinations.points:
                proposals.exclude(enumerate(point))
            while (proposal := proposals.next()) is not None:
                if not self._ask_core(proposal, proposals, small):
                    self._ask(proposal, proposals)
                if self._too_many():
                    self._join(small)
                    break
                if len(self.combinations.undecided) > self.leaves or self.solver.remaining() <= 0:
                    self.combinations.undecided = [()]
                    break
        finally:
            proposals.close()
            small.close()
        if not self.combinations.undecided:
            self.combinations.reason = None

    def _note(self, model: FiniteModel) -> Point:
        point = self.question.read(model)
        if point not in self.combinations.points:
            self.combinations.points[point] = model
            self.session.add(self._other_than(point))
        return point

    def _other_than(self, point: Point) -> Formula:
        return disj(*(neg(slot[option]) for slot, option in zip(self.question.slots, point, strict=True)))

    def _search(self, finder: Finder) -> bool:
        """The points of all stores within the bounds of a search; whether no other points remain to be asked for."""
        try:
            for point in self.combinations.points:
                finder.add(self._other_than(point))
            while isinstance(answer := finder.check(), Sat):
                finder.add(self._other_than(self._note(answer.model)))
                if self._too_many():
                    self._join(finder)
                    return True
        finally:
            finder.close()
        return isinstance(answer, Unsat)

    def _too_many(self) -> bool:
        return self.most is not None and len(self.combinations.points) > self.most

    def _join(self, finder: Finder) -> None:
        """Replace all points by one: a slot has a value only if exactly one option is possible."""
        slots = self.question.slots
        seen = [set(options) for options in zip(*self.combinations.points, strict=True)]
        for slot, options in enumerate(slots):
            for option, formula in enumerate(options):
                if option in seen[slot] or len(seen[slot]) > 1:
                    continue
                answer = finder.check([formula])
                if not isinstance(answer, (Sat, Unsat)):
                    answer = self.session.check([formula], quick=True)
                if isinstance(answer, Sat):
                    for known, shown in zip(seen, self.question.read(answer.model), strict=True):
                        known.add(shown)
                elif not isinstance(answer, Unsat):
                    seen[slot].add(option)
        joined = tuple(min(options) if len(options) == 1 else UNDECIDED for options in seen)
        self.combinations = Combinations(
            undecided=[joined], reason=f"more than {self.most} structures for one set of names: joined"
        )

    def _prove(self) -> str | None:
        """Show that there are no other points, finding them if there are; a reason if that fails."""
        while True:
            match self.session.check(quick=True):
                case Sat(model):
                    self._note(model)
                case Unsat():
                    return None
                case Unknown(reason):
                    return reason

    def _ask_core(self, point: Point, proposals: Proposals, small: Finder) -> bool:
        """Ask only about the part of a point that no small store shows; False if that was not decided."""
        conflict = small.conflict([options[option] for options, option in zip(self.question.slots, point, strict=True)])
        if isinstance(conflict, Sat):
            proposals.exclude(enumerate(self._note(conflict.model)))
            return True
        if not isinstance(conflict, frozenset):
            return False
        core = tuple((slot, point[slot]) for slot in sorted(conflict))
        if core in self._hard:
            return False
        if any(self._settle(core, self.unbiased, proposals, quick=quick) is None for quick in (True, False)):
            return True
        self._hard.add(core)
        return False

    def _ask(self, point: Point, proposals: Proposals) -> None:
        """Query a whole point; it stays undecided without a definite answer."""
        literals = tuple(enumerate(point))
        reason = self._settle(literals, self.session, proposals, quick=bool(self._hard))
        if reason is not None:
            self.combinations.reason = reason
            self.combinations.undecided.append(point)
            proposals.exclude(literals)

    def _settle(self, literals: Literals, session: Session, proposals: Proposals, *, quick: bool) -> str | None:
        """Query some options, and exclude the point shown or the options refuted; returns a reason if undecided."""
        match session.check([self.question.slots[slot][option] for slot, option in literals], quick=quick):
            case Unsat(core):
                excluded = [literals[i] for i in core]
                proposals.exclude(excluded)
                for slot, option in excluded if len(excluded) == 1 else ():  # a lemma for what follows
                    self.session.add(neg(self.question.slots[slot][option]))
                    self.unbiased.add(neg(self.question.slots[slot][option]))
                return None
            case Sat(model):
                if self.question.read(model) in self.combinations.points:
                    return "a larger store shows what is known already"
                proposals.exclude(enumerate(self._note(model)))
                return None
            case Unknown(reason):
                return reason


class Proposals:
    """All points except those that contain an excluded combination, by a SAT solver."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._solver = sat_solver()
        starts = accumulate(sizes, initial=1)
        self._options = [range(first, first + size) for first, size in zip(starts, sizes, strict=False)]
        for options in self._options:
            self._solver.add_clause(list(options))
            for a, b in combinations(options, 2):
                self._solver.add_clause([-a, -b])

    def exclude(self, literals: Iterable[tuple[int, int]]) -> None:
        """Exclude all points with all of these options; without options, all points."""
        self._solver.add_clause([-self._options[slot][option] for slot, option in literals])

    def next(self) -> Point | None:
        if not self._solver.solve():
            return None
        true = {x for x in self._solver.get_model() if x > 0}
        return tuple(next(i for i, x in enumerate(options) if x in true) for options in self._options)

    def close(self) -> None:
        self._solver.delete()
