"""Shape-class generators: functions from tracking definitions to shape classes, ordered by refinement.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 2.3. A
generator is an entry of the library with some of its predicate families; ``m ⊑ m'`` iff the entry of m is that of m' or
refines it and m has all families of m'. The coarsest generator m_0 tracks no field at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from kleene.diagnostics import Diagnostic, InputError, Position
from kleene.logic.formula import Formula
from kleene.logic.transform import replace_atoms
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.passes.facts.memory import StructureType
from kleene.refine.classes.language import Entry, Family
from kleene.refine.tracking.definition import TrackingDefinition
from kleene.semantics.vocabulary.groups import ACYCLIC, CIRCULAR, LOCAL, Group, ShapeClass
from kleene.semantics.vocabulary.precision import Instrumentation, Roots
from kleene.transformers.action import Rule
from kleene.tvp.declarations import Declarations
from kleene.tvp.lower import Lowering
from kleene.tvp.predicates import Predicates
from kleene.tvp.scope import Report, in_source_order
from kleene.tvp.sets import Sets
from kleene.tvp.syntax import DeclarationItem, Name

_NOWHERE = Position("<shapes>", 0, 0)
_DECLARATIONS_OF_OBLIGATION = 12
"""The cost of showing that a relation has no cycle, in declarations of predicates of the same cost."""


@dataclass(frozen=True)
class Roles:
    """The roles of the pointer fields of a program's structures: forward, back, or closing cycles."""

    forward: frozenset[str] = frozenset()
    back: frozenset[str] = frozenset()
    circular: frozenset[str] = frozenset()
    unused: frozenset[str] = frozenset()
    """Fields that a coarser data structure ignores."""
    looping: frozenset[str] = frozenset()
    """Back fields that form cycles although the others do not: the root of a tree may be its own parent."""

    @property
    def fields(self) -> frozenset[str]:
        return self.forward | self.back | self.circular

    def __str__(self) -> str:
        parts = [("forward", self.forward), ("back", self.back), ("circular", self.circular)]
        parts.append(("own target at the end", self.looping))
        return "; ".join(f"{role} {', '.join(sorted(names))}" for role, names in parts if names) or "no fields"


@dataclass(frozen=True)
class Generator:
    """A shape-class generator. Without an entry it is the coarsest one, m_0."""

    entry: Entry | None
    families: frozenset[str]
    roles: Roles
    structure: StructureType | None = None
    """The structure type of which it makes a shape class; None for all objects of a program."""

    @property
    def name(self) -> str:
        return self.entry.name if self.entry else "m0"

    @property
    def maximum(self) -> int:
        return len(self.entry.families) if self.entry else 0

    @property
    def obligations(self) -> int:
        """The cost of assuming no cycles: every step must be shown to close no cycle, or a cut one."""
        families = [self.entry.family(n) for n in self.families] if self.entry else []
        return _DECLARATIONS_OF_OBLIGATION * sum(f.acyclic or f.cut for f in families)

    @property
    def weight(self) -> int:
        """The rough cost of tracking: the number of declarations and `obligations`."""
        return sum(len(self.entry.family(n).items) for n in self.families) + self.obligations if self.entry else 0

    @property
    def nullary_families(self) -> int:
        """The number of families with nullary predicates."""
        return sum(self.entry.family(n).is_nullary for n in self.families) if self.entry else 0

    @property
    def accompanied(self) -> Generator:
        """The generator with the companions of its families, and what these need."""
        entry, names = self.entry, self.families
        while entry is not None:
            more = {n for name in names for n in (*entry.family(name).companions, *entry.family(name).needs)}
            if more <= names:
                break
            names |= more
        return replace(self, families=names)

    def __str__(self) -> str:
        if self.entry is None:
            return "m0 (no shape class)"
        own = [f.name for f in self.entry.families if f.name in self.families]
        return f"{self.entry.name} with {', '.join(own)}" if own else f"{self.entry.name} without instrumentation"

    @property
    def missing(self) -> list[str]:
        """The families of the entry that the generator does without."""
        return [f.name for f in self.entry.families if f.name not in self.families] if self.entry else []

    @property
    def words(self) -> str:
        """The generator and its missing families, as text."""
        return f"{self}, without {', '.join(self.missing)}" if self.families and self.missing else str(self)

    def fields(self, definition: TrackingDefinition) -> frozenset[str]:
        """The pointer fields that are tracked: all those of the data structure, and what else the definition names."""
        if self.entry is None:
            return frozenset()
        asked = definition.fields & self.structure.cells if self.structure else definition.fields
        return self.roles.fields | (asked - self.roles.unused)

    def shape_class(self, definition: TrackingDefinition) -> ShapeClass:
        """The shape class of the tracked fields."""
        fields, entry = self.fields(definition), self.entry
        families = [entry.family(n) for n in self.families] if entry else []
        acyclic = entry is not None and (entry.base_acyclic or any(f.acyclic for f in families))
        cut = entry is not None and (entry.base_cut or any(f.cut for f in families))
        circular = self.roles.circular & fields
        local = self.roles.looping & fields
        back = self.roles.back & fields
        if not cut:
            return ShapeClass(self.name, acyclic, back, local=local | circular)
        return ShapeClass(self.name, acyclic, back, circular, local=local)

    def instrument(self, groups: Sequence[Group], roots: Roots) -> Instrumentation:
        if self.entry is None:
            return Instrumentation(())
        if self.structure is not None:
            groups = [group for group in groups if set(group.cells) <= self.structure.cells]
            roots = roots.of_edges(frozenset(edge for group in groups for edge in group.members))
        return instantiate(self._items, Symbols.of(groups, roots, self.roles.back))

    @property
    def _items(self) -> list[DeclarationItem]:
        assert self.entry is not None
        families = [f for f in self.entry.families if f.name in self.families]
        return [*self.entry.base, *(item for f in families for item in f.items)]


@dataclass(frozen=True)
class Symbols:
    """The sets over which entries are written, with stand-ins for names that TVP text cannot have."""

    sets: Mapping[str, tuple[str, ...]]
    names: Mapping[str, str]
    steps: Mapping[str, str]

    @staticmethod
    def of(groups: Sequence[Group], roots: Roots, back: frozenset[str], orders: Sequence[str] = ()) -> Symbols:
        """`orders` are binary predicates that only invariants have: one number is at most another."""
        names: dict[str, str] = {}
        stand_ins: dict[str, str] = {}

        def stand_in(prefix: str, name: str) -> str:
            if name not in stand_ins:
                stand_ins[name] = f"{prefix}{len(stand_ins)}"
                names[stand_ins[name]] = name
            return stand_ins[name]

        down = [g for g in groups if not set(g.cells) <= back]
        up = [g for g in groups if set(g.cells) <= back]
        local = [g for g in groups if g.kind == LOCAL]
        groups = [g for g in groups if g.kind != LOCAL]
        sets = {
            "Members": tuple(stand_in("f", m) for g in down for m in g.members),
            "Up": tuple(stand_in("b", m) for g in up for m in g.members),
            "Groups": tuple(stand_in("g", g.name) for g in groups),
            "Down": tuple(stand_in("g", g.name) for g in down),
            "Local": tuple(stand_in("g", g.name) for g in local),
            "Rings": tuple(stand_in("g", g.name) for g in groups if g.kind == CIRCULAR),
            "Functions": tuple(stand_in("g", g.name) for g in groups if g.function),
            "Branching": tuple(stand_in("g", g.name) for g in groups if not g.function),
            "Counted": tuple(stand_in("g", g.name) for g in groups if g.sharing),
            "Tracked": tuple(stand_in("x", r) for r in roots.tracked),
            "Separating": tuple(stand_in("x", r) for r in roots.separating),
            "Inside": tuple(stand_in("x", r) for r in roots.inside),
            "Data": tuple(stand_in("d", r) for r in roots.data),
            "Orders": tuple(stand_in("o", name) for name in orders),
        }
        return Symbols(sets, names, {stand_ins[g.name]: g.step for g in groups})

    @cached_property
    def core(self) -> Vocabulary:
        """The predicates that an entry may use."""
        roots = dict.fromkeys((*self.sets["Tracked"], *self.sets["Separating"], *self.sets["Data"]))
        edges = dict.fromkeys(
            name for kind in ("Members", "Up", "Groups", "Local", "Orders") for name in self.sets[kind]
        )
        predicates = [Predicate(x, 1, ("v",)) for x in roots]
        predicates += [Predicate(e, 2, ("v1", "v2")) for e in edges]
        predicates += [Predicate(f"step[{g}]", 2, ("v1", "v2")) for g in self.sets["Groups"]]
        predicates += [Predicate(f"cut[{g}]", 1, ("v",)) for g in self.sets["Rings"]]
        predicates += [Predicate(f"is3[{g}]", 1, ("v",)) for g in self.sets["Counted"]]
        return Vocabulary(tuple(predicates))

    def members(self) -> dict[str, tuple[Name, ...]]:
        return {name: tuple(Name(text, position=_NOWHERE) for text in texts) for name, texts in self.sets.items()}

    def name_in_program(self, predicate: str) -> str:
        """The name in the program of a predicate that is written with stand-ins."""
        base, bracket, rest = predicate.partition("[")
        if not bracket:
            return self.names.get(predicate, predicate)
        args = [self.names.get(a, a) for a in rest.removesuffix("]").split(",")]
        if base == "step":
            return self.steps[rest.removesuffix("]")]
        return f"{base}[{','.join(args)}]"

    def formula(self, f: Formula) -> Formula:
        return replace_atoms(f, lambda a: type(a)(self.name_in_program(a.predicate), a.args))


def instantiate(items: Sequence[DeclarationItem], symbols: Symbols) -> Instrumentation:
    """The predicates and rules that declarations stand for. Raises InputError where they make no sense."""
    report = Report()
    sets = Sets(report, symbols.members())
    declarations = Declarations(report, sets, Predicates(report, symbols.core), Lowering(sets, report))
    declarations.read(items)
    if report.errors:
        raise InputError(in_source_order(report.errors))
    predicates = []
    for p in declarations.predicates.vocabulary().declared:
        if p.name not in symbols.core:
            assert p.definition is not None
            predicates.append(
                Predicate(
                    symbols.name_in_program(p.name),
                    p.arity,
                    p.args,
                    p.properties,
                    symbols.formula(p.definition),
                    abstraction=p.abstraction,
                )
            )
    rules = [Rule(symbols.formula(r.body), symbols.formula(r.head), "shape class") for r in declarations.rules]
    return Instrumentation(tuple(predicates), tuple(rules))


class Lattice:
    """All generators of a library for given roles, ordered by refinement. The order of `generators` is a linear one."""

    def __init__(
        self, entries: Sequence[Entry], roles: Mapping[str, Roles], structure: StructureType | None = None
    ) -> None:
        """`roles` are those of the entries that fit the structure type at all."""
        self.entries = {e.name: e for e in entries}
        self.coarsest = Generator(None, frozenset(), Roles(), structure)
        self.generators = [
            Generator(e, frozenset(names), roles[e.name], structure)
            for e in entries
            if e.name in roles
            for size in range(len(e.families) + 1)
            for names in combinations([f.name for f in e.families], size)
            if e.is_closed(frozenset(names))
        ]

    def refines(self, fine: Generator, coarse: Generator) -> bool:
        """``fine ⊑ coarse``."""
        if coarse.entry is None:
            return True
        if fine.entry is None or not coarse.families <= fine.families:
            return False
        return coarse.name == fine.name or coarse.name in self.above(fine.name)

    def above(self, name: str) -> set[str]:
        """The data structures that one refines."""
        result: set[str] = set()
        waiting = [name]
        while waiting:
            entry = self.entries.get(waiting.pop())
            for above in entry.refines if entry else ():
                if above not in result:
                    result.add(above)
                    waiting.append(above)
        return result

    def of_entry(self, name: str) -> list[Generator]:
        return [g for g in self.generators if g.name == name]

    def least(self, name: str) -> Generator:
        """The coarsest generator of an entry."""
        return self.of_entry(name)[0]

    def most(self, name: str) -> Generator:
        """The most refined generator of an entry."""
        return self.of_entry(name)[-1]


# Checks of a library ------------------------------------------------------------------------------------------------


def check_entries(entries: Sequence[Entry]) -> None:
    """Raises InputError where an entry cannot be instantiated, is not monotone, or refines what does not exist."""
    names = {e.name for e in entries}
    problems: list[Diagnostic] = []
    for entry in entries:
        problems += [
            Diagnostic(f"shape '{entry.name}' refines '{other}', which does not exist", entry.position)
            for other in entry.refines
            if other not in names
        ]
        problems += _not_monotone(entry)
    if problems:
        raise InputError(problems)


def _not_monotone(entry: Entry) -> list[Diagnostic]:
    """Families whose predicates change, rather than grow, when more pointers are tracked."""
    groups = example_groups(entry)
    back = frozenset(c for g in groups for c in g.cells if c.startswith("b"))
    small, large = Roots(("p",), ("p",)), Roots(("p", "q", "s"), ("p", "q"))
    not_monotone = []
    families: list[Family | None] = [None, *entry.families]
    for number, family in enumerate(families):
        items = [*entry.base, *(i for f in families[: number + 1] if f is not None for i in f.items)]
        coarse = {p.name: p for p in instantiate(items, Symbols.of(groups, small, back)).predicates}
        fine = {p.name: p for p in instantiate(items, Symbols.of(groups, large, back)).predicates}
        wrong = [name for name, p in coarse.items() if fine.get(name) != p]
        if wrong:
            text = f"not monotone: '{wrong[0]}' is another predicate when more pointers are tracked"
            not_monotone.append(Diagnostic(text, family.position if family else entry.position))
            break
    return not_monotone


def example_groups(entry: Entry) -> list[Group]:
    """Fields such as the entry needs, for checks and pictures."""
    forward, back, circular = (entry.count(role) for role in ("forward", "back", "circular"))
    result: list[Group] = []
    names = tuple(f"f{i}" for i in range(1, max(forward[0], min(1, forward[1])) + 1))
    if names:
        single = len(names) == 1
        result.append(Group(names[0] if single else "down", ACYCLIC, names, names, function=single))
    result += [Group("b1", ACYCLIC, ("b1",), ("b1",)) for _ in range(min(1, back[1]))]
    result += [Group("h1", CIRCULAR, ("h1",), ("h1",)) for _ in range(min(1, circular[1]))]
    return result


def predicates_of(generator: Generator, groups: Sequence[Group], pointers: Iterable[str]) -> Instrumentation:
    """The instrumentation of a generator for some groups and separating pointers."""
    names = tuple(pointers)
    return generator.instrument(groups, Roots(names, names))
