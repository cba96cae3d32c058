"""The predicates that stand for a C program's memory, with the rules and instrumentation of a shape class."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from kleene.cfa.expressions import Variable
from kleene.logic.formula import (
    Atom,
    Equal,
    Exists,
    Formula,
    Not,
    conj,
    disj,
    exists,
    forall,
    implies,
    reflexive_closure,
)
from kleene.logic.vocabulary import RESERVED, Predicate, Vocabulary
from kleene.semantics.memory import Memory
from kleene.transformers.action import Rule

FREED, HEAP, DOWN, TEMPORARY = "freed", "heap", "down", "%p"


def at(name: str, *variables: str) -> Formula:
    return Atom(name, variables)


@dataclass(frozen=True)
class Pointer:
    """A pointer variable or temporary: one predicate for each offset at which it may point."""

    name: str
    offsets: tuple[int, ...]

    def predicate(self, offset: int) -> str:
        return self.name if offset == 0 else f"{self.name}+{offset}"

    def at(self, offset: int, v: str = "v") -> Formula:
        return at(self.predicate(offset), v)

    def somewhere(self, v: str = "v") -> Formula:
        """The pointer points into the object, wherever."""
        return disj(*(self.at(offset, v) for offset in self.offsets))

    @property
    def undefined(self) -> str:
        return f"undef[{self.name}]"


@dataclass(frozen=True)
class ShapeClass:
    """Which instrumentation predicates are used. `back` are the offsets of cells that point against the structure."""

    name: str
    acyclic: bool = True
    back: frozenset[int] = frozenset()


@dataclass
class Symbols:
    """All predicates of a translation; temporaries and integer predicates are added as they are needed."""

    memory: Memory
    shape: ShapeClass
    _names: dict[Variable, str] = field(default_factory=dict)
    _pointers: dict[str, Pointer] = field(default_factory=dict)
    _nullary: dict[str, None] = field(default_factory=dict)
    _unary: dict[str, None] = field(default_factory=dict)

    @property
    def pointers(self) -> list[Pointer]:
        return list(self._pointers.values())

    # Names ----------------------------------------------------------------------------------------------------

    def name(self, variable: Variable) -> str:
        """The name of a variable's predicate: its own, unless that stands for something else."""
        found = self._names.get(variable)
        if found is None:
            taken = {*self._names.values(), *self._reserved}
            found = variable.name
            while found in taken:
                found += "'"
            self._names[variable] = found
        return found

    @property
    def _reserved(self) -> set[str]:
        return {FREED, HEAP, DOWN, *RESERVED, *(self.cell(o, 0) for o in self.memory.cell_offsets)}

    def pointer(self, variable: Variable) -> Pointer:
        return self.named(self.name(variable), self.memory.pointer_offsets.get(variable, set()))

    def temporary(self, number: int, offsets: Iterable[int]) -> Pointer:
        """A pointer that lives during one operation only."""
        own = tuple(sorted(set(offsets)))
        return replace(self.named(f"{TEMPORARY}{number}", own), offsets=own)

    def is_temporary(self, pointer: Pointer) -> bool:
        return pointer.name.startswith(TEMPORARY)

    def integer(self, variable: Variable, constant: int) -> str:
        """The predicate that an integer variable has a value."""
        return self.nullary(f"{self.name(variable)}={constant}")

    def integer_cell(self, offset: int, constant: int) -> str:
        """The predicate of objects with an integer of that value at the offset."""
        return self.unary(f"@{offset}={constant}")

    def named(self, name: str, offsets: Iterable[int]) -> Pointer:
        """The pointer of that name; its offsets grow with what it is given."""
        known = self._pointers.get(name)
        union = tuple(sorted({*offsets, *(known.offsets if known else ())}))
        if known is None or known.offsets != union:
            self._pointers[name] = Pointer(name, union)
        return self._pointers[name]

    def object(self, variable: Variable) -> str:
        return self.unary(f"&{self.name(variable)}")

    def unary(self, name: str) -> str:
        self._unary[name] = None
        return name

    def nullary(self, name: str) -> str:
        self._nullary[name] = None
        return name

    def cell(self, offset: int, target: int) -> str:
        """The edge predicate of a pointer cell, for targets at one offset."""
        name = self.memory.cell_names[offset]
        return name if target == 0 else f"{name}+{target}"

    def cell_undefined(self, offset: int) -> str:
        return self.unary(f"undef.{self.memory.cell_names[offset]}")

    def size(self, size: int) -> str | None:
        """The predicate of objects of that size, if there are several sizes."""
        return self.unary(f"size[{size}]") if len(self.memory.sizes) > 1 else None

    # Edges ----------------------------------------------------------------------------------------------------

    @property
    def edges(self) -> list[tuple[int, int, str]]:
        """(cell offset, target offset, predicate) of every edge predicate."""
        return [
            (offset, target, self.cell(offset, target))
            for offset, targets in sorted(self.memory.cell_offsets.items())
            for target in sorted(targets)
        ]

    @property
    def groups(self) -> dict[str, list[str]]:
        """Unions of edge predicates whose closure is tracked: the forward cells together, each back cell alone."""
        forward = [name for offset, _, name in self.edges if offset not in self.shape.back]
        groups = {self._union_name if len(forward) > 1 else forward[0]: forward} if forward else {}
        for offset, _, name in self.edges:
            if offset in self.shape.back:
                groups[name] = [name]
        return groups

    @property
    def _union_name(self) -> str:
        return DOWN if DOWN not in self.memory.cell_names.values() else f"{DOWN}*"

    def group_of(self, edge: str) -> str:
        return next(group for group, members in self.groups.items() if edge in members)

    def edge_focus(self, base: Callable[[str], Formula], edge: str) -> Formula:
        """What the edge of an object points to, and what is reachable from there."""
        closure = f"t[{self.group_of(edge)}]"
        return exists(["u", "w"], conj(base("u"), at(edge, "u", "w"), at(closure, "w", "v")))

    def reach_focus(self, source: Pointer, offset: int, edge: str) -> Formula:
        """What is reachable from the target of an edge that is added."""
        closure = f"t[{self.group_of(edge)}]"
        return exists(["u"], conj(source.at(offset, "u"), at(closure, "u", "v")))

    # The vocabulary -------------------------------------------------------------------------------------------

    def vocabulary(self) -> Vocabulary:
        predicates = [
            Predicate(p.predicate(o), 1, ("v",), frozenset({"unique"}), abstraction=True, pointer=True)
            for p in self._pointers.values()
            for o in p.offsets
        ]
        unique = frozenset({"unique"})
        for name in self._unary:
            stack = name.startswith("&")
            predicates.append(
                Predicate(name, 1, ("v",), unique if stack else frozenset(), abstraction=True, pointer=stack)
            )
        predicates += [Predicate(name, 0, (), abstraction=True) for name in self._nullary]
        predicates += [Predicate(name, 1, ("v",), abstraction=True) for name in (HEAP, FREED)]
        acyclic = {"acyclic"} if self.shape.acyclic else set()
        for _, _, name in self.edges:
            alone = self.groups[self.group_of(name)] == [name]
            properties = frozenset({"function"} | (acyclic if alone else set()))
            predicates.append(Predicate(name, 2, ("v1", "v2"), properties))
        return Vocabulary((*predicates, *self._instrumentation()))

    def _instrumentation(self) -> list[Predicate]:
        found: list[Predicate] = []
        for group, members in self.groups.items():
            acyclic = frozenset({"acyclic"}) if self.shape.acyclic else frozenset()
            if members != [group]:
                union = disj(*(at(m, "v1", "v2") for m in members))
                found.append(Predicate(group, 2, ("v1", "v2"), acyclic, union))
            found.append(Predicate(f"is[{group}]", 1, ("v",), definition=_shared(group, members), abstraction=True))
            closed = frozenset({"transitive", "reflexive"})
            closure = reflexive_closure(group, "v1", "v2")
            found.append(Predicate(f"t[{group}]", 2, ("v1", "v2"), closed, closure))
            if not self.shape.acyclic:
                on_cycle = Exists("v1", conj(at(group, "v", "v1"), at(f"t[{group}]", "v1", "v")))
                found.append(Predicate(f"c[{group}]", 1, ("v",), definition=on_cycle, abstraction=True))
            found += self._reachability(group)
            if len(members) > 1:  # where a node has several cells, what is below does not tell which of them is null
                found += [
                    Predicate(f"has[{m}]", 1, ("v",), definition=exists(["v1"], at(m, "v", "v1"))) for m in members
                ]
                found += [
                    Predicate(
                        f"nn[{root}->{m}]",
                        0,
                        (),
                        definition=exists(["v1", "v2"], conj(at(root, "v1"), at(m, "v1", "v2"))),
                        abstraction=True,
                    )
                    for root in self._roots()
                    for m in members
                ]
        found += self._cancellation()
        return found

    def _roots(self) -> list[str]:
        roots = [p.predicate(o) for p in self._pointers.values() for o in p.offsets if not self.is_temporary(p)]
        return roots + [name for name in self._unary if name.startswith("&")]

    def _reachability(self, group: str) -> list[Predicate]:
        return [
            Predicate(
                f"r[{group},{root}]",
                1,
                ("v",),
                definition=Exists("v1", conj(at(root, "v1"), at(f"t[{group}]", "v1", "v"))),
                abstraction=True,
            )
            for root in self._roots()
        ]

    def _cancellation(self) -> list[Predicate]:
        """``v->f->b == v`` wherever v->f is not null, for forward cells f and back cells b, and the other way round."""
        forward = [name for offset, _, name in self.edges if offset not in self.shape.back]
        back = [name for offset, _, name in self.edges if offset in self.shape.back]
        pairs = [(f, b) for f in forward for b in back] + [(b, f) for f in forward for b in back]
        return [
            Predicate(
                f"c[{f},{b}]",
                1,
                ("v",),
                definition=forall(["v1"], implies(at(f, "v", "v1"), at(b, "v1", "v"))),
                abstraction=True,
            )
            for f, b in pairs
        ]

    def rules(self) -> list[Rule]:
        """Facts about closures of functions that the automatic rules do not say."""
        found = []
        for group, members in self.groups.items():
            t = f"t[{group}]"
            apart = Not(at(t, "v1", "v2"))
            found.append(Rule(apart, Not(at(group, "v1", "v2")), f"closure of {group}"))
            found.append(Rule(apart, Not(Equal("v1", "v2")), f"closure of {group}"))
            if len(members) == 1:  # what one node reaches along a function is a line
                line = exists(["v1"], conj(at(t, "v1", "v2"), at(t, "v1", "v3"), Not(at(t, "v2", "v3"))))
                found.append(Rule(line, at(t, "v3", "v2"), f"{group} is a function"))
        for name in [p.predicate(o) for p in self._pointers.values() for o in p.offsets]:
            for other in [p.predicate(o) for p in self._pointers.values() for o in p.offsets]:
                base, other_base = name.partition("+")[0], other.partition("+")[0]
                if name != other and base == other_base:  # a pointer points to one place only
                    found.append(Rule(exists(["v"], at(name, "v")), Not(at(other, "w")), f"{base} is one pointer"))
        return found

    def reachable(self, v: str = "v") -> Formula:
        """The object is reachable from some variable along tracked cells."""
        parts = [at(f"r[{group},{root}]", v) for group in self.groups for root in self._roots()]
        return disj(*parts, *(at(root, v) for root in self._roots()))


def _shared(group: str, members: list[str]) -> Formula:
    """Two cells point to the node: of two nodes, or two cells of one node."""
    two = exists(["v1", "v2"], conj(Not(Equal("v1", "v2")), at(group, "v1", "v"), at(group, "v2", "v")))
    same = [
        exists(["v1"], conj(at(f, "v1", "v"), at(g, "v1", "v")))
        for i, f in enumerate(members)
        for g in members[i + 1 :]
    ]
    return disj(two, *same)
