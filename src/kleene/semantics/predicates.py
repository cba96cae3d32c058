"""The predicates that stand for a C program's memory, with the rules and instrumentation of a shape class."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from kleene.cfa.expressions import Variable
from kleene.logic.formula import Formula, Not, conj, disj, exists
from kleene.logic.vocabulary import RESERVED, Predicate, Vocabulary
from kleene.semantics.groups import Group, ShapeClass, cancellation, groups_of
from kleene.semantics.memory import Memory, Place
from kleene.semantics.names import FREED, HEAP, MARKER, OPAQUE, TEMPORARY, at
from kleene.transformers.action import Rule


@dataclass(frozen=True)
class Pointer:
    """A pointer variable or temporary: where it may point; one predicate for each offset."""

    name: str
    places: tuple[Place, ...]

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        return tuple(sorted({offset for _, offset in self.places}))

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
        return {FREED, HEAP, OPAQUE, "down", *RESERVED, *self.memory.cell_targets}

    def pointer(self, variable: Variable) -> Pointer:
        return self.named(self.name(variable), self.memory.pointer_places.get(variable, set()))

    def temporary(self, number: int, places: Iterable[Place]) -> Pointer:
        """A pointer that lives during one operation only."""
        own = tuple(sorted(set(places)))
        return replace(self.named(f"{TEMPORARY}{number}", own), places=own)

    def is_temporary(self, pointer: Pointer) -> bool:
        return pointer.name.startswith(TEMPORARY)

    def integer(self, variable: Variable, constant: int) -> str:
        """The predicate that an integer variable has a value."""
        return self.nullary(f"{self.name(variable)}={constant}")

    def integer_cell(self, offset: int, constant: int) -> str:
        """The predicate of objects with an integer of that value at the offset."""
        return self.unary(f"@{offset}={constant}")

    def named(self, name: str, places: Iterable[Place]) -> Pointer:
        """The pointer of that name; its places grow with what it is given."""
        known = self._pointers.get(name)
        union = tuple(sorted({*places, *(known.places if known else ())}))
        if known is None or known.places != union:
            self._pointers[name] = Pointer(name, union)
        return self._pointers[name]

    def mark(self, count: int) -> None:
        """So many markers for calls, and opaque objects if there are back pointers."""
        for number in range(1, count + 1):
            self.named(f"{MARKER}{number}", {(size, 0) for size in self.memory.sizes})
        if count and self.shape.back:
            self.unary(OPAQUE)

    def object(self, variable: Variable) -> str:
        return self.unary(f"&{self.name(variable)}")

    @property
    def unaries(self) -> tuple[str, ...]:
        return tuple(self._unary)

    def unary(self, name: str) -> str:
        self._unary[name] = None
        return name

    def nullary(self, name: str) -> str:
        self._nullary[name] = None
        return name

    def cell(self, cell: str, target: int) -> str:
        """The edge predicate of a pointer cell, for targets at one offset."""
        return cell if target == 0 else f"{cell}+{target}"

    def target_offsets(self, cell: str) -> list[int]:
        return sorted({offset for _, offset in self.memory.cell_targets[cell]})

    def cell_undefined(self, cell: str) -> str:
        return self.unary(f"undef.{cell}")

    def size(self, size: int) -> str | None:
        """The predicate of objects of that size, if there are several sizes."""
        return self.unary(f"size[{size}]") if len(self.memory.sizes) > 1 else None

    # Edges ----------------------------------------------------------------------------------------------------

    @property
    def edges(self) -> list[tuple[str, str]]:
        """(cell, predicate) of every edge predicate."""
        cells = self.memory.cell_targets
        return [(cell, self.cell(cell, target)) for cell in cells for target in self.target_offsets(cell)]

    @cached_property
    def groups(self) -> list[Group]:
        sizes: dict[str, set[int]] = {}
        for (size, _), cell in self.memory.cell_of.items():
            sizes.setdefault(cell, set()).add(size)
        return groups_of(self.shape, self.edges, sizes)

    def group_of(self, edge: str) -> Group:
        return next(group for group in self.groups if edge in group.members)

    def edge_focus(self, base: Callable[[str], Formula], edge: str) -> Formula:
        """What the edge of an object points to, and what is reachable from there."""
        closure = self.group_of(edge).closure
        return exists(["u", "w"], conj(base("u"), at(edge, "u", "w"), at(closure, "w", "v")))

    def reach_focus(self, source: Pointer, offset: int, edge: str) -> Formula:
        """What is reachable from the target of an edge that is added."""
        closure = self.group_of(edge).closure
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
        roots = self.roots()
        for group in self.groups:
            predicates += group.core()
        for group in self.groups:
            predicates += group.instrumentation(roots)
        return Vocabulary((*predicates, *cancellation(self.shape, self.edges)))

    def roots(self) -> list[str]:
        """The predicates of everything that has a name: what is reachable from them is not lost."""
        roots = [p.predicate(o) for p in self._pointers.values() for o in p.offsets if not self.is_temporary(p)]
        return roots + [name for name in self._unary if name.startswith("&")]

    def rules(self) -> list[Rule]:
        """The rules of the groups; and a pointer points to one place only."""
        found = [rule for group in self.groups for rule in group.rules()]
        for pointer in self._pointers.values():
            places = [pointer.predicate(o) for o in pointer.offsets]
            for name in places:
                found += [
                    Rule(exists(["v"], at(name, "v")), Not(at(other, "w")), f"{pointer.name} is one pointer")
                    for other in places
                    if other != name
                ]
        return found

    def reachable(self, v: str = "v") -> Formula:
        """The object is reachable from some variable along tracked cells."""
        roots = self.roots()
        along = [at(group.reach(root), v) for group in self.groups if group.whole for root in roots]
        return disj(*along, *(at(r, v) for r in roots))
