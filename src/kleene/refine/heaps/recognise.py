"""Recognises the data structures of sample heaps: the roles of fields, and the invariants of the library's entries.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 3.2
(`SCGsFromExplicit`). The role of a field (forward, back, closing cycles) is also computed from the samples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from kleene.diagnostics import InputError
from kleene.logic.kleene import Kleene
from kleene.refine.classes.generators import Roles, Symbols
from kleene.refine.classes.language import COUNTS, Entry, Invariant
from kleene.refine.heaps.explicit import ExplicitHeap
from kleene.semantics.vocabulary.groups import Group, ShapeClass, groups_of
from kleene.semantics.vocabulary.precision import Roots
from kleene.structures.evaluate import evaluate
from kleene.structures.structure import Structure, StructureBuilder
from kleene.tvp.lower import Lowering
from kleene.tvp.predicates import Predicates
from kleene.tvp.scope import EMPTY, Report, in_source_order
from kleene.tvp.sets import Sets


@dataclass(frozen=True)
class Recognised:
    """The result on the samples: the roles of the fields, and for each entry whether its invariants hold."""

    roles: Roles
    fitting: Mapping[str, Roles]
    rejected: Mapping[str, str]


def recognise(entries: Sequence[Entry], heaps: Sequence[ExplicitHeap], order: Sequence[str]) -> Recognised:
    """Evaluate the library on samples; `order` is that of the fields in the program's types."""
    roles = roles_of(heaps, order)
    fitting: dict[str, Roles] = {}
    rejected: dict[str, str] = {}
    for entry in entries:
        own = roles_for(entry, roles)
        if own is None:
            rejected[entry.name] = f"it needs other fields than {roles}"
            continue
        broken = next((i for i in entry.invariants for h in heaps if not holds(i, h, own)), None)
        if broken is None:
            fitting[entry.name] = own
        else:
            rejected[entry.name] = f"not true of every sample: {broken.title}"
    return Recognised(roles, fitting, rejected)


def roles_for(entry: Entry, roles: Roles) -> Roles | None:
    """The part of the fields that a data structure uses; None if there are too few or too many."""
    if entry.count("forward") == COUNTS["any"]:  # no assumption, so no field is omitted
        return Roles(forward=roles.fields)
    back = roles.back if entry.count("back")[1] else frozenset()
    circular = roles.circular if entry.count("circular")[1] else frozenset()
    if circular and not back:
        circular -= roles.back
    fits = entry.fits(len(roles.forward), len(back), len(circular))
    unused = roles.fields - roles.forward - back - circular
    return Roles(roles.forward, back, circular, unused, roles.looping & back) if fits else None


# Roles --------------------------------------------------------------------------------------------------------------


def roles_of(heaps: Sequence[ExplicitHeap], order: Sequence[str]) -> Roles:
    """A field leads back if it always undoes another one; it is circular if the samples have cycles along it."""
    used = [f for f in order if any(to for h in heaps for cells in h.cells.values() if (to := cells.get(f)))]
    reach = {f: sum(_reach(h, f) for h in heaps) for f in used}
    ranked = sorted(used, key=lambda f: -reach[f])
    circular = {f for f in used if any(_cyclic(h, f) for h in heaps)}
    back: set[str] = set()
    for number, f in enumerate(ranked):
        if f in back:
            continue
        for b in used:
            earlier = b in ranked[:number] and _undoes(heaps, b, f)
            if b != f and not earlier and _undoes(heaps, f, b):
                back.add(b)
    forward = frozenset(used) - back - circular
    looping = back & circular if forward else frozenset()
    return Roles(forward, frozenset(back), frozenset(circular - looping), looping=frozenset(looping))


def _edges(heap: ExplicitHeap, field: str) -> list[tuple[int, int]]:
    return [(a, to) for a, cells in heap.cells.items() if (to := cells.get(field)) and to in heap.cells]


def _undoes(heaps: Sequence[ExplicitHeap], forth: str, back: str) -> bool:
    """Wherever `forth` leads, `back` leads back."""
    pairs = [(h, a, to) for h in heaps for a, to in _edges(h, forth)]
    return bool(pairs) and all(h.cells[to].get(back) == a for h, a, to in pairs)


def _reach(heap: ExplicitHeap, field: str) -> int:
    """The largest number of cells that a pointer reaches along one field."""
    return max((len(_along(heap, field, start)) for start in heap.pointers.values()), default=0)


def _along(heap: ExplicitHeap, field: str, start: int | None) -> list[int]:
    along: list[int] = []
    while start in heap.cells and start not in along:
        assert start is not None
        along.append(start)
        start = heap.cells[start].get(field)
    return along


def _cyclic(heap: ExplicitHeap, field: str) -> bool:
    return any(heap.cells[_along(heap, field, a)[-1]].get(field) in heap.cells for a in heap.cells)


# Invariants ---------------------------------------------------------------------------------------------------------


def holds(invariant: Invariant, heap: ExplicitHeap, roles: Roles) -> bool:
    """Whether an invariant is true of a heap; the fields have the given roles."""
    groups = groups_of_roles(roles, heap)
    symbols = Symbols.of(groups, Roots((), ()), roles.back, [f"le[{offset}]" for offset in _offsets(heap)])
    report = Report()
    sets = Sets(report, symbols.members())
    use = Predicates(report, symbols.core).use
    formula = Lowering(sets, report).formula(invariant.formula, EMPTY, use)
    if report.errors:
        raise InputError(in_source_order(report.errors))
    return evaluate(_structure(heap, symbols, groups), formula) is Kleene.TRUE


def groups_of_roles(roles: Roles, heap: ExplicitHeap) -> list[Group]:
    """The groups of fields as the analysis makes them."""
    sizes: dict[str, set[int]] = {f: set() for f in roles.fields}
    for address, cells in heap.cells.items():
        for f in cells:
            if f in sizes:
                sizes[f].add(heap.sizes[address])
    edges = [(f, f) for f in sorted(roles.fields)]
    return groups_of(ShapeClass("samples", True, roles.back, roles.circular, local=roles.looping), edges, sizes)


def _structure(heap: ExplicitHeap, symbols: Symbols, groups: Iterable[Group]) -> Structure:
    """The heap as a two-valued structure over the predicates that invariants use."""
    numbers = {a: n for n, a in enumerate(sorted(heap.cells))}
    builder = StructureBuilder(symbols.core, len(numbers))
    stand_ins = {name: stand_in for stand_in, name in symbols.names.items()}
    for group in groups:
        for field in group.members:
            for a, to in _edges(heap, field):
                for name in {stand_ins[field], stand_ins[group.name]}:
                    builder.set(name, (numbers[a], numbers[to]), Kleene.TRUE)
    for offset in _offsets(heap):
        for a, b in product(numbers, repeat=2):
            x, y = heap.data[a].get(offset), heap.data[b].get(offset)
            if x is not None and y is not None and x <= y:
                builder.set(stand_ins[f"le[{offset}]"], (numbers[a], numbers[b]), Kleene.TRUE)
    return builder.build()


def _offsets(heap: ExplicitHeap) -> list[int]:
    """The places of numbers that every cell has."""
    offsets = [set(data) for address, data in heap.data.items() if address in heap.cells]
    return sorted(set.intersection(*offsets)) if len(offsets) == len(heap.cells) and offsets else []
