"""Structures to draw: sample heaps of a refinement, and an example of every shape class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.refine.classes.generators import Generator, Roles, example_groups
from kleene.refine.classes.language import Entry
from kleene.refine.heaps.explicit import ExplicitHeap
from kleene.report.check.refinement_text import plain
from kleene.semantics.vocabulary.groups import CIRCULAR, Group
from kleene.semantics.vocabulary.precision import Roots
from kleene.structures.canonical import Canonicalizer
from kleene.structures.evaluate import with_definitions
from kleene.structures.structure import Structure, StructureBuilder

Edges = Sequence[tuple[int, int]]
_LINE: Edges = ((0, 1), (1, 2), (2, 3))


def heap_structure(heap: ExplicitHeap, names: Mapping[str, str]) -> Structure:
    """A sample heap as a two-valued structure: its pointers, by other names where there are some, and its fields."""
    reached = sorted(heap.reachable())
    numbers = {address: n for n, address in enumerate(reached)}
    pointers = {p: names.get(p, plain(p)) for p, a in heap.pointers.items() if a in numbers}
    fields = sorted({f for a in reached for f in heap.cells[a]})
    vocabulary = Vocabulary(
        (
            *(Predicate(shown, 1, ("v",), pointer=True) for shown in dict.fromkeys(pointers.values())),
            *(Predicate(f, 2, ("v1", "v2")) for f in fields),
        )
    )
    builder = StructureBuilder(vocabulary, len(reached), tuple(f"{n + 1}" for n in numbers.values()))
    for p, shown in pointers.items():
        builder.set(shown, (numbers[heap.pointers[p] or 0],), Kleene.TRUE)
    for address in reached:
        for f, to in heap.cells[address].items():
            if to in numbers:
                builder.set(f, (numbers[address], numbers[to]), Kleene.TRUE)
    return builder.build()


def example_structure(entry: Entry) -> Structure:
    """A small heap of the data structure under its most refined shape class, blurred; x points to its start."""
    groups = example_groups(entry)
    back = frozenset(c for g in groups for c in g.cells if c.startswith("b"))
    families = frozenset(f.name for f in entry.families)
    generator = Generator(entry, families, Roles(back=back))
    chosen = generator.instrument(groups, Roots(("x",), ("x",)))
    core = [p for g in groups for p in g.core()]
    relations = [p for g in groups for p in g.relations()]
    x = Predicate("x", 1, ("v",), frozenset({"unique"}), abstraction=True, pointer=True)
    vocabulary = Vocabulary((x, *core, *relations, *chosen.predicates))
    builder = StructureBuilder(vocabulary, 4)
    builder.set("x", (0,), Kleene.TRUE)
    for group in groups:
        _link(builder, group, back=bool(set(group.cells) & back))
    return _blur(with_definitions(builder.build()))


def _link(builder: StructureBuilder, group: Group, *, back: bool) -> None:
    """The edges of a group among four nodes: a line, or a tree; round if it is circular."""
    if len(group.members) > 1:
        for field, edge in zip(group.members * 2, ((0, 1), (0, 2), (1, 3)), strict=False):
            builder.set(field, edge, Kleene.TRUE)
        return
    tree = back and group.kind != CIRCULAR and "down" in builder.vocabulary
    edges: Edges = ((0, 1), (0, 2), (1, 3)) if tree else _LINE
    if group.kind == CIRCULAR:
        edges = (*edges, (3, 0))
        builder.set(group.cut, (0 if back else 3,), Kleene.TRUE)
    for a, b in edges:
        builder.set(group.members[0], (b, a) if back else (a, b), Kleene.TRUE)


def _blur(structure: Structure) -> Structure:
    canonicalizer = Canonicalizer(structure.vocabulary)
    values, size, _ = canonicalizer.blur(list(structure.values), structure.size, None)
    return Structure(structure.vocabulary, size, tuple(values))
