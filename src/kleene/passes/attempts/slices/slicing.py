"""The slices of a program: one for each class of objects that points to no other class, with all that leads to it.

Every operation is in the slices that keep the objects it accesses. A run of the program is a run of each slice, up to
its first error: until then, pointers point where their classes say. So if no slice has an error, the program has none.
(Steensgaard, POPL 1996, for the classes; Weiser 1981 for slices.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace

from kleene.cfa.expressions import Expression, Field, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Error, Exit, Operation, Unsupported, expressions
from kleene.cfa.program import CProgram, Global
from kleene.cfa.types import PointerType, RecordLayout, RecordType
from kleene.passes.attempts.slices.classes import Class, Classes, NoSlices, Spot
from kleene.passes.attempts.slices.projection import Projected, Projection, accesses, numbers_of_places
from kleene.passes.attempts.slices.silence import Silencer
from kleene.passes.facts.liveness import defined_variables, used_variables
from kleene.passes.facts.memory import Memory

MOST_SLICES = 40
"""Slices of one program: with more of them, each has little time."""
Member = tuple[str, int]
"""A member of a struct: its tag and its offset."""


@dataclass(frozen=True)
class Slice:
    """A program that follows some objects of another one."""

    program: CProgram
    mixed: frozenset[Variable]
    """Pointers that are NULL in the slice where they point to objects of others."""
    open_places: frozenset[tuple[int, int]]
    """The sizes and offsets at which objects of the slice point to objects of others."""
    kept: frozenset[Class]
    correlated: frozenset[Class]
    """The classes of other slices on which conditions and numbers of this one depend."""
    accesses: Mapping[tuple[int, int], Set[tuple[type, Expression]]]
    """What the slice accesses of what each operation of the program accesses, by edge and call."""
    left_out: frozenset[str]
    """The locations of the program that the slice does not have."""

    def describes(self, memory: Memory) -> bool:
        """Whether all that the structures of the slice say about its pointers holds in the program, too."""
        return not self.mixed and not any(map(self.is_open, memory.cell_of))

    def is_open(self, place: tuple[int, int]) -> bool:
        """Whether the slice may not know what the pointer at a place points to."""
        return (int(place[0]), place[1]) in self.open_places


class Slicing:
    """The slices of one program, and wider ones."""

    def __init__(self, memory: Memory) -> None:
        """Raises NoSlices if a class of objects cannot be told."""
        self.classes = Classes(memory)
        after = {c: set(self.classes.targets(c).values()) for c in self.classes.leaders()}
        for index, element in self._indices():
            after[index].add(element)
        self._reach = {c: _reachable(c, after) for c in after}
        self._full = self.classes.with_objects
        self._empty = frozenset(after) - self._full
        """The classes of pointers that are always NULL."""
        if any(self._reach[c] & self._full for c in self._empty):
            raise NoSlices("only a pointer that is always NULL leads to an object")

    def slices(self) -> tuple[Slice, ...]:
        """One slice for each class (or classes in a circle) without pointers to others: itself and all that lead to it.

        Pointers that are always NULL are in the slices of the objects that have them; variables that are read, in the
        first one.
        """
        reach, full = self._reach, self._full
        last = {frozenset(reach[c] & full) for c in full if all(c in reach[d] for d in reach[c] & full)}
        if not 1 < len(last) <= MOST_SLICES:
            return ()
        first, *others = (self._closure(end) for end in sorted(last, key=min))
        pointed = frozenset().union(*(reach[c] for c in full))
        every = tuple(map(self._slice, (first | ((self._empty & self._read_classes()) - pointed), *others)))
        for spot in self.classes.spots:
            done = (own.accesses.get((id(spot.edge), spot.call), frozenset()) for own in every)
            if spot.edge is not None and accesses((spot.edge.label,)).difference(*done):
                raise NoSlices(f"'{spot.edge.label}' is in no slice")
        return every

    def _read_classes(self) -> frozenset[Class]:
        """The classes of what the variables that operations read point to."""
        classes, read = self.classes, set()
        for spot in classes.spots:
            label = spot.edge.label if spot.edge is not None else None
            for variable in used_variables(label) if label is not None else ():
                if classes.memory.kind(variable) == "pointer":
                    read.add(classes.find(classes.variable(variable, spot)))
        return frozenset(read)

    def _indices(self) -> Iterator[tuple[Class, Class]]:
        """Objects with an index, and the objects with the element that it says: they need to be together."""
        classes = self.classes
        for spot in classes.spots:
            for element, node in numbers_of_places(spot.edge.label) if spot.edge is not None else ():
                if classes.is_in_memory(node):
                    yield classes.find(classes.object_of(node, spot)), classes.find(classes.object_of(element, spot))

    def widen(self, own: Slice) -> Slice | None:
        """The slice with the objects on which its conditions and numbers depend; None if that is the whole program."""
        kept = own.kept | self._closure(own.correlated & self._full)
        if kept == own.kept or kept >= self._full:
            return None
        try:
            return self._slice(kept)
        except NoSlices:
            return None

    def _closure(self, ends: Set[Class]) -> frozenset[Class]:
        """Classes of objects with all that lead to them, and with their pointers that are always NULL."""
        kept = {c for c in self._full if self._reach[c] & ends}
        return frozenset(kept | {d for c in kept for d in self._reach[c] & self._empty})

    def _slice(self, kept: frozenset[Class]) -> Slice:
        classes = self.classes
        left = _left_calls(classes, kept)
        projection = Projection(classes, kept, left)
        memory, regions = classes.memory, classes.regions
        kept_calls = [call for call in regions.outer_calls if id(call) not in left]
        calls_of: dict[str, list[int]] = {}
        for call in kept_calls:
            for name in regions.called_by(call):
                calls_of.setdefault(name, []).append(id(call))
        edges: list[Edge[Operation]] = []
        projected: list[Projected] = []
        done: dict[tuple[int, int], Set[tuple[type, Expression]]] = {}
        for edge in memory.cfa.edges:
            name = regions.function_of.get(edge.source, "")
            calls = calls_of.get(name, []) if name else [0]
            views = [projection.project(edge.label, Spot(edge, call)) for call in calls]
            if any(view != views[0] for view in views):
                raise NoSlices(f"calls of {name} differ in what they need")
            if views:
                edges.append(edge)
                projected.append(views[0])
                done |= dict.fromkeys(((id(edge), call) for call in calls), accesses(views[0].kept))
        silencer = Silencer(Cfa(memory.cfa.entry, tuple(edges)), projected)
        cfa = silencer.quiet_automaton()
        program = memory.program
        main = replace(program.main, cfa=cfa)
        dropped = _members(memory.cfa) - _members(cfa)
        sliced = replace(
            program,
            functions={**program.functions, program.entry: main},
            globals=tuple(_globals(projection, program.globals, silencer.needed)),
            records={name: _without(name, layout, dropped) for name, layout in program.records.items()},
        )
        others = classes.places_to(kept, classes.leaders() - kept)
        correlated = {
            c
            for edge in silencer.open_edges()
            for call in calls_of.get(regions.function_of.get(edge.source, ""), [0])
            for c in projection.hidden_classes(edge.label, Spot(edge, call))
        }
        open_places = frozenset((int(size), offset) for size, offset in others)
        left_out = frozenset(memory.cfa.locations).difference(cfa.locations)
        return Slice(sliced, projection.mixed, open_places, kept, frozenset(correlated), done, left_out)


def _reachable(start: Class, after: Mapping[Class, Set[Class]]) -> set[Class]:
    reachable, waiting = {start}, [start]
    while waiting:
        new = after[waiting.pop()] - reachable
        reachable |= new
        waiting += new
    return reachable


def _left_calls(classes: Classes, kept: frozenset[Class]) -> frozenset[int]:
    """The calls from outside that neither access objects of a slice nor change what others see of it."""
    projection, regions = Projection(classes, kept), classes.regions
    left = set()
    for call in regions.outer_calls:
        inside = [e for name in regions.called_by(call) for e in regions.edges_of.get(name, ())]
        gives = projection.gives_pointer(call)
        if not gives and not any(_matters(projection, Spot(edge, id(call))) for edge in inside):
            left.add(id(call))
    return frozenset(left)


def _matters(projection: Projection, spot: Spot) -> bool:
    assert spot.edge is not None
    label = spot.edge.label
    if isinstance(label, Error | Exit | Unsupported) or any(v.is_global for v in defined_variables(label)):
        return True
    return projection.project(label, spot).matters


def _globals(projection: Projection, every: Iterable[Global], needed: Set[Variable]) -> Iterable[Global]:
    memory = projection.memory
    for item in every:
        kind = memory.kind(item.variable)
        if kind == "integer":
            if item.variable in needed:
                yield item
            continue
        if kind not in ("pointer", "object") or not projection.keeps_global(item.variable):
            continue
        steps = (projection.project(assignment, Spot(None)) for assignment in item.initial)
        kept = tuple(a for a, step in zip(item.initial, steps, strict=True) if a in step.kept)
        yield replace(item, initial=kept)


def _members(cfa: Cfa[Operation]) -> set[Member]:
    """The pointers in structs that an automaton names."""
    members: set[Member] = set()
    for edge in cfa.edges:
        for node in (n for x in expressions(edge.label) for n in walk(x)):
            if isinstance(node, Field) and isinstance(node.type, PointerType):
                record = node.base.type
                members |= {(record.name, node.offset)} if isinstance(record, RecordType) else set()
    return members


def _without(name: str, layout: RecordLayout, dropped: Set[Member]) -> RecordLayout:
    """A struct without members that are left out of a slice."""
    fields = tuple(f for f in layout.fields if (name, f.offset) not in dropped or not isinstance(f.type, PointerType))
    return layout if len(fields) == len(layout.fields) else replace(layout, fields=fields)
