"""Phase 1: the sets of names that the individuals of a store can have (YRS04, section 3.2, procedure `bif`).

The paper bifurcates one node at a time. Here models give the sets of names, and each is excluded, until a query proves
that there are no others. Each set is then a universe with one sort for each name, for phase 2.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kleene.logic.formula import Atom, exists, neg
from kleene.smt import Answer, FiniteModel, Sat, Solver, Unknown, Unsat
from kleene.smt.finder import Finder
from kleene.smt.units import sharpen_universe
from kleene.smt.universe import in_domain
from kleene.structures.structure import Structure
from kleene.symbolic.result import SymbolicOptions
from kleene.symbolic.scene import CellName, Scene
from kleene.symbolic.search.combinations import Point, Question, Refinement
from kleene.symbolic.search.field_lemmas import with_field_lemmas

MOST_CANDIDATES = 48
_SMALL = 2


@dataclass
class NameSets:
    """The sets that occur. `undecided` are pairs (names that occur, names that may occur) that were not decided;
    `unlimited` means that any set may occur. `scene` has the lemmas learnt during the search.
    """

    scene: Scene
    sets: list[frozenset[CellName]] = field(default_factory=list)
    undecided: list[tuple[frozenset[CellName], frozenset[CellName]]] = field(default_factory=list)
    unlimited: bool = False
    reason: str | None = None


def name_sets(scene: Scene, solver: Solver, options: SymbolicOptions) -> NameSets:
    """All sets of names of the stores of a scene."""
    splits, leaves = options.splits, options.leaves
    search = _Search(scene, solver, splits, most=options.most)
    if search.find_all():
        return NameSets(scene, list(search.known))
    search.find()
    if search.too_many:
        return NameSets(scene, unlimited=True, reason=f"more than {options.most} sets of names")
    reason = search.prove()
    if reason is None:
        return NameSets(scene, list(search.known))
    # Fewer sorts, with predicates in their place, are easier where closures relate all of them.
    coarse = _Search(scene, solver, 0, search.known, most=options.most)
    learnt = coarse.learn()
    for cells in (0, splits):
        search = _Search(learnt, solver, cells, coarse.known, most=options.most)
        reason = search.prove()
        if reason is None:
            return NameSets(learnt, list(search.known))
        coarse.known |= search.known
    return _Search(learnt, solver, 0, coarse.known).by_candidates(reason, leaves)


def some_store(scene: Scene, solver: Solver) -> Structure | Unknown | None:
    """One store of the scene, observed at the end; None if there is none."""
    search = _Search(scene, solver, splits=0)
    answer: Answer = Unknown("no small store")
    finder = solver.finder(search.base, search.universe, _SMALL)
    try:
        answer = finder.check()
    finally:
        finder.close()
    if not isinstance(answer, Sat):
        search = _Search(with_field_lemmas(scene, solver), solver, splits=0)
        answer = solver.session(search.base, search.universe, search.scene.fields).check()
    match answer:
        case Sat(model):
            return scene.store(model, search.nodes)
        case Unsat():
            return None
    return answer


class _Search:
    """The sets of names of one scene, in one partition of its nodes."""

    def __init__(
        self,
        scene: Scene,
        solver: Solver,
        splits: int,
        known: dict[frozenset[CellName], None] | None = None,
        most: int | None = None,
    ) -> None:
        self.scene = scene
        self.solver = solver
        self.most = most
        cells = scene.coarse_cells(splits)
        self.nodes = [i for i, _ in cells]
        self.base = [*scene.counts(), *scene.base]
        self.universe = sharpen_universe(self.base, scene.universe(cells, all_present=False), scene.fields)
        self.known: dict[frozenset[CellName], None] = dict(known or {})

    def names(self, model: FiniteModel) -> frozenset[CellName]:
        return self.scene.names_in(model, self.nodes)

    def find(self) -> None:
        """The sets of small stores."""
        self._find(self.solver.finder(self.base, self.universe, _SMALL))

    def find_all(self) -> bool:
        """Compute all sets if a sufficient number of individuals is known; False if not."""
        candidates = [name for i in range(len(self.scene.nodes)) for name in self.scene.candidates(i)]
        if len(candidates) > MOST_CANDIDATES:
            return False
        observed = [(has, neg(has)) for has in map(self.scene.has, candidates)]
        finder = self.solver.complete_finder(self.base, self.universe, observed)
        return finder is not None and self._find(finder)

    def _find(self, finder: Finder) -> bool:
        """The sets of the stores within the bounds of a search; whether that is proved to be all."""
        try:
            for names in self.known:
                finder.add(self.scene.other_than(names))
            while not self.too_many and isinstance(answer := finder.check(), Sat):
                self.known[self.names(answer.model)] = None
                finder.add(self.scene.other_than(self.names(answer.model)))
        finally:
            finder.close()
        return not self.too_many and isinstance(answer, Unsat)

    @property
    def too_many(self) -> bool:
        return self.most is not None and len(self.known) > self.most

    def prove(self) -> str | None:
        """Show that there are no other sets, finding them if there are; a reason if that fails."""
        others = map(self.scene.other_than, self.known)
        session = self.solver.session([*self.base, *others], self.universe, self.scene.fields)
        while True:
            match session.check(quick=True):
                case Sat(model):
                    self.known[self.names(model)] = None
                    session.add(self.scene.other_than(self.names(model)))
                case Unsat():
                    return None
                case Unknown(reason):
                    return reason

    def learn(self) -> Scene:
        """The scene with the dimensions that turn out to be constant on a node."""
        scene = self.scene
        session = self.solver.session(self.base, self.universe, scene.fields)
        shown = {
            (n, s, v) for names in self.known for n, vs in names for s, v in zip(scene.dimensions, vs, strict=True)
        }
        nodes = list(scene.nodes)
        for i, node in enumerate(scene.nodes):
            known = dict(node.known)
            for symbol in scene.dimensions:
                for value in (True, False):
                    if symbol in known or (i, symbol, value) in shown:
                        continue
                    v = in_domain("v", f"n{i}")
                    atom = Atom(symbol, (v,))
                    some = exists([v], atom if value else neg(atom))
                    if isinstance(session.check([some], quick=True), Unsat):
                        known[symbol] = not value
                        session.add(neg(some))
            nodes[i] = replace(node, known=known)
        return scene if nodes == list(scene.nodes) else replace(scene, nodes=tuple(nodes))

    def by_candidates(self, reason: str, leaves: int) -> NameSets:
        """Decide name by name whether it occurs."""
        scene = self.scene
        candidates = [name for i in range(len(scene.nodes)) for name in scene.candidates(i)]
        if len(candidates) > MOST_CANDIDATES:
            return NameSets(scene, list(self.known), unlimited=True, reason=reason)
        possible = frozenset().union(*self.known)
        session = self.solver.session(self.base, self.universe, scene.fields)
        names = [
            name
            for name in candidates
            if name in possible or not isinstance(session.check([scene.has(name)], quick=True), Unsat)
        ]

        def read(model: FiniteModel) -> Point:
            there = self.names(model)
            return tuple(int(name in there) for name in names)

        slots = [(neg(scene.has(name)), scene.has(name)) for name in names]
        question = Question(self.base, self.universe, scene.fields, slots, read)
        refinement = Refinement(question, self.solver, individuals=(), leaves=leaves)
        refinement.combinations.points = {tuple(int(name in there) for name in names): None for there in self.known}
        refinement.combinations.reason = reason
        refinement.decide()
        result = NameSets(scene, reason=refinement.combinations.reason)
        for point in refinement.combinations.points:
            result.sets.append(frozenset(n for n, bit in zip(names, point, strict=True) if bit))
        for prefix in refinement.combinations.undecided:
            there = frozenset(n for n, bit in zip(names, prefix, strict=False) if bit)
            result.undecided.append((there, frozenset(names[len(prefix) :])))
        return result
