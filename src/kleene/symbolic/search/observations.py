"""Phase 2: the values of all predicates for one set of names (YRS04, section 3.3), and the structures they make.

A node of the result stands for all individuals with the same values of the output's abstraction predicates: one cell
in `assume`, several where an action gives individuals of different nodes the same name.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from kleene.logic.formula import Atom, Equal, Formula, conj, exists, forall, neg
from kleene.logic.kleene import Kleene
from kleene.smt import FiniteModel, Solver, Universe
from kleene.smt.units import sharpen_universe
from kleene.smt.universe import in_domain
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.structure import Structure, StructureBuilder
from kleene.symbolic.scene import CellName, Scene
from kleene.symbolic.search.combinations import UNDECIDED, Combinations, Point, Question, Refinement

_VALUES = (Kleene.FALSE, Kleene.TRUE, Kleene.UNKNOWN)
_INDIVIDUALS = (2,)


@dataclass(frozen=True)
class Slot:
    """The value of a predicate on a tuple of groups; the predicate ``sm`` is the number of individuals of a group."""

    predicate: str
    groups: tuple[int, ...]
    options: tuple[Formula, ...]


class Observation:
    """One set of names."""

    def __init__(self, scene: Scene, names: frozenset[CellName]) -> None:
        self.scene = scene
        self.names = sorted(names)
        cells = [(name[0], scene.values_of(name)) for name in self.names]
        plain = scene.universe(cells, all_present=True)
        self.groups = self._groups(plain)
        domains = {**plain.domains, **{f"g{g}": cells for g, (_, cells) in enumerate(self.groups)}}
        universe = Universe(plain.cells, domains, plain.fixed)
        self.base = (*scene.counts(), *scene.base)
        self.universe = sharpen_universe(self.base, universe, scene.fields)
        self.single = [len(cells) == 1 and plain.cells[cells[0]].single for _, cells in self.groups]
        self.slots: list[Slot] = []
        self.known: list[tuple[str, tuple[int, ...], Kleene]] = []
        self._observe()

    def _groups(self, universe: Universe) -> list[tuple[tuple[bool, ...], tuple[int, ...]]]:
        """The names of the result's nodes, each with its cells."""
        scene = self.scene
        symbols = [scene.symbols[p.name] for p in scene.output.unary_abstraction]
        groups: dict[tuple[bool, ...], list[int]] = {}
        for c, cell in enumerate(universe.cells):
            if scene.exists_at(scene.last, self.names[c][0], cell.values):
                groups.setdefault(tuple(cell.values[s] for s in symbols), []).append(c)
        return [(name, tuple(cells)) for name, cells in groups.items()]

    # Slots ------------------------------------------------------------------------------------------------

    def _observe(self) -> None:
        for g, single in enumerate(self.single):
            if single:
                continue
            v, w = in_domain("v", f"g{g}"), in_domain("w", f"g{g}")
            one = forall([v, w], Equal(v, w))
            if len(self.groups[g][1]) > 1:
                self.known.append(("sm", (g,), Kleene.UNKNOWN))
            else:
                self.slots.append(Slot("sm", (g,), (one, neg(one))))
        for p in sorted(self.scene.output.declared, key=lambda p: p.arity):
            if p.arity == 1 and p.abstraction:
                continue
            for groups in product(range(len(self.groups)), repeat=p.arity):
                self._observe_tuple(p.name, groups)

    def _observe_tuple(self, predicate: str, groups: tuple[int, ...]) -> None:
        symbol = self.scene.symbols[predicate]
        tuples = product(*(self.groups[g][1] for g in groups))
        constants = {self.universe.constant(symbol, cells) for cells in tuples}
        if None not in constants:
            value = Kleene.of(False not in constants, True in constants)
            self.known.append((predicate, groups, value))
            return
        variables = tuple(in_domain(f"v{i}", f"g{g}") for i, g in enumerate(groups))
        some = exists(variables, Atom(symbol, variables))
        other = exists(variables, neg(Atom(symbol, variables)))
        options = (neg(some), neg(other), conj(some, other))
        definite = all(self.single[g] for g in groups)
        self.slots.append(Slot(predicate, groups, options[:2] if definite else options))

    def read(self, model: FiniteModel) -> Point:
        """The options that a model shows."""
        members = [[i for i, c in enumerate(model.cells) if c in cells] for _, cells in self.groups]
        point = []
        for slot in self.slots:
            if slot.predicate == "sm":
                point.append(int(len(members[slot.groups[0]]) > 1))
                continue
            symbol = self.scene.symbols[slot.predicate]
            values = {model.holds(symbol, t) for t in product(*(members[g] for g in slot.groups))}
            point.append(_VALUES.index(Kleene.of(False not in values, True in values)))
        return tuple(point)

    # Results ----------------------------------------------------------------------------------------------

    def solve(self, solver: Solver, *, leaves: int, most: int | None = None) -> Combinations:
        options = [slot.options for slot in self.slots]
        question = Question(self.base, self.universe, self.scene.fields, options, self.read)
        return Refinement(question, solver, individuals=_INDIVIDUALS, leaves=leaves, most=most).run()

    def structure(self, point: Point) -> Structure:
        """The structure of a point, or of a prefix of one: undecided values are 1/2."""
        vocabulary = self.scene.output
        builder = StructureBuilder(vocabulary, len(self.groups))
        for g, (name, _) in enumerate(self.groups):
            for p, holds in zip(vocabulary.unary_abstraction, name, strict=True):
                builder.set(p.name, (g,), Kleene.TRUE if holds else Kleene.FALSE)
        for predicate, groups, value in self.known:
            builder.set(predicate, groups, value)
        for number, slot in enumerate(self.slots):
            option = point[number] if number < len(point) else UNDECIDED
            value = _VALUES[option]
            if slot.predicate == "sm":
                value = Kleene.UNKNOWN if option else Kleene.FALSE
            builder.set(slot.predicate, slot.groups, value)
        return canonical_abstraction(builder.build())

    def store(self, model: FiniteModel) -> Structure:
        """The concrete structure of a model, as the output's vocabulary describes it."""
        return self.scene.store(model, [name[0] for name in self.names])
