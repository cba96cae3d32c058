"""Calls of recursive functions: the part of the heap that a function can reach is cut out, and put back afterwards.

The paper has no procedures. As in the shape domain (Rinetzky, Bauer, Reps, Sagiv, Wilhelm. A semantics for procedure
local heaps and its abstractions. POPL 2005), the callee gets the nodes that its arguments and its global variables
reach; the rest waits. For each pointer of the rest into that part, the callee gets an extra variable, a marker, and
the rest gets a hole: after the call, the value of the marker fills the hole. The forest of parents (`ownership`)
divides a summary whose cells belong partly to the callee: cells below the callee's nodes, and the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kleene.cfa.expressions import Variable
from kleene.cfa.operations import Assign, Invoke
from kleene.domains.fesa.flags import EDGE, EXISTS, LOST, NOT_NULL, PARENT, ROOTED, STATIC, VARIABLE, Flag, Node
from kleene.domains.fesa.functions import Function
from kleene.domains.fesa.heap import Heap, flags_of, join_vectors
from kleene.domains.fesa.ownership import forget_above, settle
from kleene.domains.fesa.summaries import fresh, part_summary, rename_nodes, separate_instance
from kleene.domains.fesa.transfer import Transfer
from kleene.domains.fesa.vectors import Vectors
from kleene.domains.fesa.writing import Pointer, clear, detach, read, write
from kleene.passes.facts.memory import Unmodelled

MOST_MARKERS = 4
"""For how many pointers of the rest a function may get markers."""
MARKER = "$cut"
_CALLEE = "$callee"
_NOT_APART = "a call of a recursive function with part of a structure that cannot be told apart"
_TOO_MANY = "a call of a recursive function that can reach too many blocks of its caller"
Slot = tuple[Node, int]


def _entry_node(number: int, size: int) -> Node:
    return Node(VARIABLE, f"$in{number}", size)


def _hole(number: int) -> Node:
    return Node(STATIC, f"$hole{number}")


def _marker(number: int, *, inside: bool) -> Node:
    """A marker, under the name that the callee gives it, or under the one that its caller gives it."""
    return Node(VARIABLE, f"{MARKER if inside else '$new'}{number}", 8)


@dataclass(frozen=True)
class Division:
    """A state at a call: the entry of the callee, the waiting rest, and the variables passed as objects."""

    entry: Vectors
    rest: Vectors
    objects: frozenset[Node]


class LocalHeaps:
    """Divides states at the calls of one program, and joins them again."""

    def __init__(self, transfer: Transfer, own: Iterable[str], known: dict[str, frozenset[Variable]]) -> None:
        self.transfer = transfer
        self.own = frozenset(own)
        """The names of the variables of recursive functions."""
        self.known = {name: [transfer.node(v) for v in variables] for name, variables in known.items()}

    # Dividing -------------------------------------------------------------------------------------------------

    def divide(self, heap: Heap, call: Invoke, gone: Iterable[str]) -> Division | None:
        """Divide a state; `gone` are the names of variables that nobody reads after the call."""
        for node in heap.nodes():
            if node == LOST:
                raise Unmodelled("a call of a recursive function after a block was lost")
        self._pass_arguments(heap, call)
        left = set(gone)
        for node in heap.nodes():
            if node.kind == VARIABLE and node.name in left:
                clear(heap, node, self.transfer.report)
        roots = [_entry_node(k, self._size(v)) for k, v in enumerate(call.parameters)]
        roots += self.known[call.function]
        objects = frozenset(n for n in reachable_nodes(heap, roots) if n.kind == VARIABLE and n not in roots)
        if any(node.name in self.own for node in objects):
            raise Unmodelled("the address of a local variable as an argument of a recursive function")
        parts = [
            p for part in self._taken_out(heap, roots[: len(call.parameters)]) for p in self._cut(part, roots, objects)
        ]
        together = join_vectors([part.vectors for part in parts if not part.vectors.is_empty()])
        if together is None:
            return None
        return self._project(together.prune(), call, objects)

    def _size(self, variable: Variable) -> int:
        return self.transfer.memory.size_of(variable)

    def _pass_arguments(self, heap: Heap, call: Invoke) -> None:
        transfer = self.transfer
        for k, (parameter, argument) in enumerate(zip(call.parameters, call.arguments, strict=True)):
            node, kind = _entry_node(k, self._size(parameter)), transfer.memory.kind(parameter)
            if kind != transfer.memory.kind(argument):
                raise Unmodelled(f"{argument} as {parameter}")
            if kind == "pointer":
                write(heap, node, 0, read(heap, transfer.node(argument), 0), transfer.report)
            elif kind == "integer":
                numbers = transfer.numbers(transfer.node(parameter), 0, parameter)
                (part, value) = next(iter(transfer.integer(heap, argument)))
                transfer.store_number(part, node, 0, numbers, value)
                heap.vectors = part.vectors

    def _taken_out(self, heap: Heap, given: list[Node]) -> list[Heap]:
        """The parts of a state in which the arguments point to single cells."""
        parts = [heap]
        for node in given:
            parts = [last for part in parts for last in self._pointing(part, node)]
        return parts

    def _pointing(self, heap: Heap, variable: Node) -> Iterator[Heap]:
        value = read(heap, variable, 0)
        nothing = heap.restrict(value.null)
        if nothing is not None:
            yield nothing
        for key in sorted(value.targets):
            for part, _, _ in self.transfer.pointing(heap, value, key):
                yield part

    def _cut(self, heap: Heap, roots: list[Node], objects: frozenset[Node], *, taken: int = 0) -> Iterator[Heap]:
        """Separate the nodes reachable from the roots: no pointer leads from one part into the other afterwards."""
        tried: set[Node] = set()
        while True:
            inside = {*reachable_nodes(heap, [*roots, *objects]), *roots, *objects}
            outer = [f for f in sorted(heap.edges()) if self._enters(heap, f, inside)]
            mixed = sorted({f.target for f in outer if f.target and heap.is_summary(f.target)} - tried)
            if not mixed or not heap.options.parents:
                break
            tried.add(mixed[0])
            self._part(heap, mixed[0], inside - {mixed[0]})
            if heap.vectors.is_empty():
                return
        summary = next((f.source for f in outer if heap.is_summary(f.source)), None)
        if summary is not None and taken < MOST_MARKERS:
            for part in self._single_source(heap, summary, [f for f in outer if f.source == summary]):
                yield from self._cut(part, roots, objects, taken=taken + 1)
            return
        slots = sorted({(f.source, f.slot) for f in outer})
        vague = next((slot for slot in slots if _vague(heap, slot, inside)), None)
        if vague is not None and taken < MOST_MARKERS:
            for part, _ in self.transfer.values(heap, read(heap, *vague)):
                yield from self._cut(part, roots, objects, taken=taken + 1)
            return
        self._mark(heap, slots, inside)
        forget_above(heap)
        names: dict[Node, Node | None] = {}
        for node in inside:
            if node.is_heap:
                tagged = node._replace(name=_CALLEE)
                names |= {node: tagged, node.other: tagged.other}
        heap.vectors = rename_nodes(heap.vectors, names)
        yield heap

    def _single_source(self, heap: Heap, summary: Node, outer: list[Flag]) -> Iterator[Heap]:
        """The part where no cell of a summary points to the callee's part, and the one where one does, taken out."""
        none = heap.restrict(~heap.any_of(heap.flag(f) for f in outer))
        if none is not None:
            yield none
        new = separate_instance(heap, summary)
        heap.assume(heap.any_of(heap.flag(f._replace(source=new)) for f in outer))
        self.transfer.tidy(heap, summary, new, *(f.target for f in outer if f.target is not None and f.target.is_heap))
        if not heap.vectors.is_empty():
            yield heap

    @staticmethod
    def _enters(heap: Heap, flag: Flag, inside: set[Node]) -> bool:
        return (
            flag.target in inside and flag.source not in inside and not flag.to_ghost and heap.possible(heap.flag(flag))
        )

    def _part(self, heap: Heap, summary: Node, tops: set[Node]) -> None:
        """Part a summary into the cells that hang below some nodes, and the others."""
        new, space = fresh(heap, summary), heap.space
        parents = heap.edges_to(summary, PARENT)
        belongs = space.var(Flag(EXISTS, new)) if Flag(EXISTS, summary) in heap.flags else space.false
        if Flag(ROOTED, summary) in heap.flags:
            belongs = belongs & ~space.var(Flag(ROOTED, new))
        alien = [f._replace(target=new) for f in parents if not f.source.ghost and f.source not in tops]
        alien += [f._replace(source=summary, target=new) for f in parents if f.source.ghost]
        others = [f for f in parents if f.source in tops]
        others += [f._replace(source=new) for f in parents if f.source.ghost]
        part_summary(heap, summary, new, belongs & space.none_of(alien), space.none_of(others))
        self.transfer.tidy(heap, *heap.nodes())

    def _mark(self, heap: Heap, slots: list[Slot], inside: set[Node]) -> None:
        """Move the pointers of the rest into the callee's part to markers, and put holes into their slots.

        Slots share a marker if only one of them at a time leads there, or if they always hold the same pointer.
        """
        held = {slot: self._targets_inside(heap, slot, inside) for slot in slots}
        groups: list[list[Slot]] = []
        for slot in slots:
            fitting = (g for g in groups if all(_share(heap, held[slot], held[other]) for other in g))
            group = next(fitting, None)
            if group is None:
                groups.append([slot])
            else:
                group.append(slot)
        if len(groups) > MOST_MARKERS:
            raise Unmodelled(_TOO_MANY)
        for number, group in enumerate(groups, 1):
            none = heap.space.false
            targets: dict[tuple[Node, int], Function] = {}
            for slot in group:
                for target, where in held[slot].targets.items():
                    targets[target] = targets.get(target, none) | where
            some = heap.any_of(held[slot].some for slot in group)
            write(heap, _marker(number, inside=False), 0, Pointer(targets, some, ~some), self.transfer.report)
            for slot in group:
                value = read(heap, *slot)
                beside = {t: f for t, f in value.targets.items() if t[0] not in inside}
                hole = {(_hole(number), 0): held[slot].some}
                write(heap, *slot, Pointer({**beside, **hole}, value.some, value.null), self.transfer.report)

    @staticmethod
    def _targets_inside(heap: Heap, slot: Slot, inside: set[Node]) -> Pointer:
        """The targets of a slot of the rest in the callee's part; other targets count as NULL."""
        if heap.is_summary(slot[0]) or _vague(heap, slot, inside):
            raise Unmodelled(_NOT_APART)
        value = read(heap, *slot)
        into = {t: f for t, f in value.targets.items() if t[0] in inside}
        beside = {t: f for t, f in value.targets.items() if t[0] not in inside}
        if any(heap.is_summary(node) for node, _ in into):
            some = value.some & ~heap.any_of(beside.values())
        else:
            some = heap.any_of(into.values())
        return Pointer(into, some, ~some)

    def _project(self, together: Vectors, call: Invoke, objects: frozenset[Node]) -> Division:
        given = {_entry_node(k, self._size(v)): self.transfer.node(v) for k, v in enumerate(call.parameters)}
        markers = [_marker(k, inside=False) for k in range(1, MOST_MARKERS + 1)]
        along = {*given, *markers, *self.known[call.function], *objects}
        callee = [f for f in flags_of(together) if f.source.name == _CALLEE or f.source in along]
        shared = [f for f in callee if f.kind == NOT_NULL and f.source in markers]
        entry = together.drop(*(together.dims - set(callee)))
        rest = together.drop(*(set(callee) - set(shared)))
        names: dict[Node, Node | None] = {**given}
        names |= {m: _marker(k, inside=True) for k, m in enumerate(markers, 1)}
        for node in {n for f in callee for n in (f.source, f.target) if n is not None and n.name == _CALLEE}:
            names[node] = node._replace(name="")
        return Division(rename_nodes(entry, names), rest, objects)

    def leave(self, heap: Heap) -> None:
        """At the end of the callee, the target of a marker is no root if it has another parent.

        The blocks that point to it are soon merged with others, and the marker ends.
        """
        if heap.options.parents:
            for number in range(1, MOST_MARKERS + 1):
                for target, _ in read(heap, _marker(number, inside=True), 0).targets:
                    settle(heap, target)

    # Joining --------------------------------------------------------------------------------------------------

    def join(self, division: Division, call: Invoke, end: Heap) -> Heap:
        """The state after the call: the waiting rest and the callee's last state."""
        rest, options, report = Heap(division.rest, end.options), end.options, self.transfer.report
        stays = {*self.known[call.function], *division.objects}
        stays |= {_marker(k, inside=True) for k in range(1, MOST_MARKERS + 1)}
        if call.returned is not None:
            stays.add(self.transfer.node(call.returned))
        if any(node == LOST for node in end.nodes()):
            raise Unmodelled("a block was lost in a recursive function")
        end = end.copy()
        for node in [n for n in end.nodes() if n.kind == VARIABLE and n not in stays]:
            clear(end, node, report)
            end.drop([Flag(EXISTS, node)])
            detach(end, node)  # each activation has an object of that name, and the caller may have one that is alive
        after = self._both(rest, rename_nodes(end.vectors, self._names(rest, end)))
        heap = Heap(after, options)
        for flag in sorted(heap.edges()):
            if flag.target is not None and flag.target.kind == STATIC and flag.target.name.startswith("$hole"):
                self._fill(heap, flag)
        if call.target is not None and call.returned is not None:
            parts = self.transfer.apply(heap, Assign(call.place, call.target, call.returned))
            heap.vectors = join_vectors([part.vectors for part in parts]) or heap.vectors.restrict(heap.space.false)
            clear(heap, self.transfer.node(call.returned), report)
        for number in range(1, MOST_MARKERS + 1):
            clear(heap, _marker(number, inside=False), report)
        self.transfer.tidy(heap, *heap.nodes())
        return heap

    @staticmethod
    def _names(rest: Heap, end: Heap) -> dict[Node, Node | None]:
        """New names for the nodes of the callee, different from those of the rest."""
        names: dict[Node, Node | None] = {}
        used = {(n.size, n.number) for n in rest.heap_nodes()}
        for node in end.nodes():
            if node.is_heap:
                number = next(k for k in range(1, len(used) + 2) if (node.size, k) not in used)
                used.add((node.size, number))
                new = node._replace(number=number)
                names |= {node: new, node.other: new.other}
        names |= {_marker(k, inside=True): _marker(k, inside=False) for k in range(1, MOST_MARKERS + 1)}
        return names

    @staticmethod
    def _both(rest: Heap, end: Vectors) -> Vectors:
        """The two parts together, where they agree which markers are NULL."""
        shared = [Flag(NOT_NULL, _marker(k, inside=False)) for k in range(1, MOST_MARKERS + 1)]
        first, second = rest.vectors.zero(shared), end.zero(shared)
        assert first.dims & second.dims == set(shared), first.dims & second.dims
        return Vectors(rest.space, first.dims | second.dims, first.function & second.function)

    def _fill(self, heap: Heap, hole: Flag) -> None:
        """A slot of the rest gets the value of its marker."""
        assert hole.target is not None
        where = heap.flag(hole)
        value = read(heap, hole.source, hole.slot)
        held = read(heap, _marker(int(hole.target.name.removeprefix("$hole")), inside=False), 0)
        targets: dict[tuple[Node, int], Function] = {t: f for t, f in value.targets.items() if t[0] != hole.target}
        for target, condition in held.targets.items():
            targets[target] = targets.get(target, heap.space.false) | (where & condition)
        write(heap, hole.source, hole.slot, Pointer(targets, value.some, value.null), self.transfer.report)


def _vague(heap: Heap, slot: Slot, inside: set[Node]) -> bool:
    """Whether a slot may point to cells of summaries in both parts: a vector without these cells is ambiguous."""
    are_inside = [node in inside for node, _ in read(heap, *slot).targets if heap.is_summary(node)]
    return True in are_inside and False in are_inside


def _share(heap: Heap, a: Pointer, b: Pointer) -> bool:
    """Whether two pointers are never both there, or always the same."""
    if not heap.possible(a.some & b.some):
        return True
    none: Function = heap.space.false
    keys = a.targets.keys() | b.targets.keys()
    pairs = [(a.targets.get(key, none), b.targets.get(key, none)) for key in keys]
    return not heap.possible(heap.any_of(first ^ second for first, second in [(a.some, b.some), *pairs]))


def reachable_nodes(heap: Heap, roots: Iterable[Node]) -> set[Node]:
    """The nodes to which edges of the graph lead from some nodes, but for static ones."""
    following: dict[Node, list[Node]] = {}
    for flag in heap.edges(EDGE):
        if flag.target is not None and not flag.to_ghost and heap.possible(heap.flag(flag)):
            following.setdefault(flag.source, []).append(flag.target)
    seen: set[Node] = set()
    stack = list(roots)
    while stack:
        for node in following.get(stack.pop(), ()):
            if node not in seen and node.kind != STATIC:
                seen.add(node)
                stack.append(node)
    return seen
