"""Cutting a structure at a call and joining it again, against concrete heaps built by hand from random choices.

On concrete structures nothing may be lost: every predicate with a definition must have the value that the definition
gives on the cells. On abstract ones, what happens to a concrete heap must be represented by what happens to its
abstraction.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from kleene.analysis.c.shape.run import domain_of
from kleene.analysis.tvp.input import complete_structure
from kleene.c.reader import read_program
from kleene.cfa.graph import Edge
from kleene.domains.shape.heap_join import join_after_call
from kleene.domains.shape.local_heaps import Division, LocalHeaps
from kleene.logic.kleene import Kleene
from kleene.passes.facts.memory import Memory
from kleene.passes.prepare import whole_program
from kleene.semantics.steps.invocations import CallAction
from kleene.semantics.translate import Translation, Translator
from kleene.semantics.vocabulary.groups import CIRCULAR, ShapeClass
from kleene.semantics.vocabulary.names import OPAQUE
from kleene.structures.canonical import Canonicalizer
from kleene.structures.embedding import embeds
from kleene.structures.structure import Structure, StructureBuilder
from kleene.structures.tvs_reader import TvsStructure
from kleene.transformers.coerce import Coercer
from kleene.transformers.rules import all_rules

TEXT = """
#include <stdlib.h>
struct node {{ {fields} }};
struct node *g;
static struct node *f(struct node *t, struct node *u) {{
  if (!t) return u;
  struct node *n = t->{first};
  struct node *m = f(n, u);
  if (m) {{ m->{first} = n; t->{last} = m; free(t); g = u; }}
  return m;
}}
int main(void) {{ struct node *l = malloc(sizeof *l); if (l) {{ g = l; {stores} f(l, g); }} return 0; }}
"""
CLASSES = {
    "list": (("next",), ShapeClass("acyclic")),
    "doubly": (("next", "prev"), ShapeClass("back", back=frozenset({"prev"}))),
    "tree": (("left", "right"), ShapeClass("acyclic")),
    "parents": (("left", "right", "up"), ShapeClass("back", back=frozenset({"up"}))),
    "own parent": (("left", "right", "up"), ShapeClass("own", back=frozenset({"up"}), circular=frozenset({"up"}))),
    "ring": (("next",), ShapeClass("circular", circular=frozenset({"next"}))),
    "ring and back": (("next", "prev"), ShapeClass("ring", back=frozenset({"prev"}), circular=frozenset({"next"}))),
    "rings": (("next", "prev"), ShapeClass("rings", back=frozenset({"prev"}), circular=frozenset({"next", "prev"}))),
    "any": (("next",), ShapeClass("cyclic", acyclic=False)),
}
TRIES = 80


@dataclass
class Setting:
    fields: tuple[str, ...]
    translation: Translation
    heaps: LocalHeaps
    call: CallAction
    kinds: dict[str, str]

    @property
    def core(self) -> frozenset[str]:
        return frozenset(p.name for p in self.translation.vocabulary if p.definition is None)

    def complete(self, structure: Structure) -> Structure:
        return complete_structure(TvsStructure(structure, self.core))


@cache
def setting(name: str, folder: Path) -> Setting:
    fields, shape = CLASSES[name]
    path = folder / f"{name.replace(' ', '_')}.c"
    cells = " ".join(f"struct node *{f};" for f in fields)
    path.write_text(
        TEXT.format(fields=cells, stores=" ".join(f"l->{f} = l;" for f in fields), first=fields[0], last=fields[-1])
    )
    program = whole_program(read_program([str(path)]))
    cfa = program.main.cfa
    translator = Translator(program, cfa, shape, malloc_may_fail=True, markers=4)
    translation = translator.translate()
    assert translation.calls is not None and set(Memory(program, cfa).cell_targets) == set(fields)
    calls = [e.label for e in translation.cfa.edges if isinstance(e.label, CallAction) and e.source.startswith("f:")]
    heaps = LocalHeaps(translation.vocabulary, translation.calls)
    assert not heaps.others  # all kinds of predicates are known to the join
    kinds = {edge: g.kind for g in translation.calls.groups for edge in g.members}
    return Setting(fields, translation, heaps, calls[0], kinds)


@dataclass
class Heap:
    """A concrete heap: cells and pointers by node, None for null."""

    size: int
    cells: dict[tuple[str, int], int]
    pointers: dict[str, int]
    opaque: frozenset[int] = frozenset()

    def structure(self, at: Setting) -> Structure:
        builder = StructureBuilder(at.translation.vocabulary, self.size)
        for node in range(self.size):
            builder.set("heap", (node,), Kleene.TRUE)
            if node in self.opaque:
                builder.set(OPAQUE, (node,), Kleene.TRUE)
        for (field, node), target in self.cells.items():
            builder.set(field, (node, target), Kleene.TRUE)
        for name, node in self.pointers.items():
            builder.set(name, (node,), Kleene.TRUE)
        for field in self.cut_fields(at):
            for node in self.cuts(field):
                builder.set(f"cut[{field}]", (node,), Kleene.TRUE)
        for group in at.heaps.calls.groups:
            for node in self.crowded(group.members) if group.crowded in at.translation.vocabulary else ():
                builder.set(group.crowded, (node,), Kleene.TRUE)
        return at.complete(builder.build())

    def crowded(self, members: tuple[str, ...]) -> set[int]:
        """The nodes to which three cells point."""
        targets = [t for (f, _), t in self.cells.items() if f in members]
        return {t for t in targets if targets.count(t) > 2}

    def cut_fields(self, at: Setting) -> list[str]:
        return [f for f in at.fields if at.kinds[f] == CIRCULAR]

    def cuts(self, field: str) -> list[int]:
        """One node of each cycle: the smallest."""
        found = set()
        for start in range(self.size):
            path, node = [], start
            while node is not None and node not in path:
                path.append(node)
                node = self.cells.get((field, node))  # type: ignore[assignment]
            if node is not None:
                found.add(min(path[path.index(node) :]))
        return sorted(found)

    def acyclic(self, at: Setting) -> bool:
        """Whether groups that are assumed to be acyclic are."""
        for group in at.heaps.calls.groups:
            edges = {(n, t) for (f, n), t in self.cells.items() if f in group.members}
            if group.kind != "acyclic":
                continue
            while edges:
                last = {t for _, t in edges} - {n for n, _ in edges}
                kept = {(n, t) for n, t in edges if t not in last}
                if kept == edges:
                    return False
                edges = kept
        return True


def random_heap(at: Setting, chooser: random.Random) -> Heap:
    size = chooser.randint(0, 6)
    density = chooser.choice((0.4, 0.8))
    while True:
        cells = {(f, n): chooser.randrange(size) for f in at.fields for n in range(size) if chooser.random() < density}
        heap = Heap(size, cells, {})
        if heap.acyclic(at):
            break
    names = [*(a for _, a in at.call.given), *sorted(at.call.kept), "g", *at.heaps.calls.markers[:2]]
    if size:
        heap.pointers = {n: chooser.randrange(size) for n in dict.fromkeys(names) if chooser.random() < 0.5}
    return heap


def heap_of(structure: Structure, at: Setting) -> Heap:
    """The cells, pointers and opaque nodes of a concrete structure."""
    cells = {(f, a): b for f in at.fields for (a, b), _ in structure.entries(f)}
    names = at.heaps.calls.pointers
    pointers = {n: u for n in names for (u,), _ in structure.entries(n)}
    opaque = frozenset(u for (u,), _ in structure.entries(OPAQUE)) if OPAQUE in structure.vocabulary else frozenset()
    return Heap(structure.size, cells, pointers, opaque)


def after_callee(entry: Heap, at: Setting, chooser: random.Random) -> Heap | None:
    """What some callee may leave: changed cells of what it may look into, new objects, other globals, a result."""
    new = chooser.randint(0, 2)
    heap = Heap(entry.size + new, dict(entry.cells), {}, entry.opaque)
    nodes = list(range(heap.size))
    changeable = [n for n in nodes if n not in heap.opaque]
    for _ in range(chooser.randint(0, 4)):
        if changeable:
            key = (chooser.choice(at.fields), chooser.choice(changeable))
            if chooser.random() < 0.4:
                heap.cells.pop(key, None)
            else:
                heap.cells[key] = chooser.choice(nodes)
    heap.pointers = {m: n for m, n in entry.pointers.items() if m in at.heaps.calls.markers}
    for name in ["g", *(s for _, s in at.call.results)]:
        if nodes and chooser.random() < 0.7:
            heap.pointers[name] = chooser.choice(nodes)
    return heap if heap.acyclic(at) else None


def entry_heap(before: Heap, division: Division, at: Setting) -> Heap:
    """What the callee gets, from first principles."""
    kept = [u for u in range(before.size) if division.local >> u & 1 or u in division.borders]
    place = {u: k for k, u in enumerate(kept)}
    cells = {(f, place[n]): place[t] for (f, n), t in before.cells.items() if division.local >> n & 1}
    pointers = {p: place[before.pointers[a]] for p, a in at.call.given if a in before.pointers}
    pointers |= {m: place[u] for u, m in (division.cutpoints | division.borders).items()}
    if "g" in before.pointers:
        pointers["g"] = place[before.pointers["g"]]
    opaque = frozenset(place[u] for u in kept if u in division.borders or u in before.opaque)
    return Heap(len(kept), cells, pointers, opaque)


def joined_heap(before: Heap, division: Division, end: Heap, at: Setting) -> Heap:
    """What the caller has after the call: the rest first, what the callee left behind it."""
    rest = [u for u in range(before.size) if not division.local >> u & 1]
    place = {u: k for k, u in enumerate(rest)}
    moved: dict[int, int] = {}
    for node in range(end.size):
        border = next((u for u, m in division.borders.items() if end.pointers.get(m) == node), None)
        moved[node] = (
            place[border] if border is not None else len(rest) + len(set(moved.values()) - set(range(len(rest))))
        )
    for u, marker in division.cutpoints.items():
        place[u] = moved[end.pointers[marker]]
    cells = {(f, place[n]): place[t] for (f, n), t in before.cells.items() if n in rest}
    cells |= {(f, moved[n]): moved[t] for (f, n), t in end.cells.items()}
    kept = at.call.kept | set(at.heaps.calls.markers)
    pointers = {n: place[u] for n, u in before.pointers.items() if n in kept}
    pointers |= {t: moved[end.pointers[s]] for t, s in at.call.results if s in end.pointers}
    if "g" in end.pointers:
        pointers["g"] = moved[end.pointers["g"]]
    size = max([len(rest), *(k + 1 for k in moved.values())])
    borders = {end.pointers[m] for m in division.borders.values()}
    opaque = {place[u] for u in rest if u in before.opaque} | {moved[n] for n in end.opaque - borders}
    return Heap(size, cells, pointers, frozenset(opaque))


def agrees(structure: Structure, at: Setting, *, exact: bool) -> None:
    """Definitions are satisfied; of several opaque nodes some values may be unknown."""
    wanted = at.complete(structure)
    for p in structure.vocabulary:
        here, there = dict(structure.entries(p.name)), dict(wanted.entries(p.name))
        if exact:
            assert (p.name, here) == (p.name, there)
        certain = {nodes for nodes, value in here.items() if value is Kleene.TRUE}
        assert certain <= set(there) <= set(here), p.name
    for group in at.heaps.calls.groups:
        if group.crowded in structure.vocabulary:
            there = {(n,): Kleene.TRUE for n in heap_of(structure, at).crowded(group.members)}
            here = dict(structure.entries(group.crowded))
            assert {nodes for nodes, value in here.items() if value is Kleene.TRUE} <= set(there) <= set(here)


@pytest.mark.parametrize("name", CLASSES)
def test_concrete_heaps_are_cut_and_joined_exactly(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    at = setting(name, tmp_path_factory.getbasetemp())
    done, most = 0, 1 if CIRCULAR in at.kinds.values() else 2
    for seed in range(TRIES):
        chooser = random.Random(seed)
        before = random_heap(at, chooser)
        structure = before.structure(at)
        assert at.heaps.sharpen(structure) == structure
        division = at.heaps.divide(structure, at.call)
        if division is None:
            continue
        for (f, n), t in before.cells.items():
            if division.local >> n & 1:
                assert division.local >> t & 1 or (t in division.borders and f in at.heaps.calls.back)
        entry = at.heaps.entry(division, at.call)
        wanted = entry_heap(before, division, at)
        assert heap_of(entry, at) == wanted
        agrees(entry, at, exact=len(division.borders) < most)
        end = after_callee(wanted, at, chooser)
        if end is None:
            continue
        after = join_after_call(at.heaps, division, at.call, end.structure(at))
        if after is None:
            continue
        done += 1
        assert heap_of(after, at) == joined_heap(before, division, end, at)
        agrees(after, at, exact=len(division.borders) < most)
    assert done > TRIES / 5


@pytest.mark.parametrize("name", CLASSES)
def test_abstract_heaps_represent_what_happens(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    at = setting(name, tmp_path_factory.getbasetemp())
    vocabulary = at.translation.vocabulary
    blur = Canonicalizer(vocabulary)
    coercer = Coercer(vocabulary, all_rules(vocabulary, at.translation.rules))
    done = 0
    for seed in range(TRIES):
        chooser = random.Random(seed)
        before = random_heap(at, chooser)
        concrete = before.structure(at)
        names = blur.names(concrete.values, concrete.size)
        order = sorted(set(names), reverse=True)
        values, size, _ = blur.blur(list(concrete.values), concrete.size)
        sharp = coercer.coerce(at.heaps.sharpen(Structure(vocabulary, size, tuple(values))))
        assert sharp is not None and embeds(concrete, sharp)
        abstract = at.heaps.divide(sharp, at.call)
        if abstract is None:
            continue
        image = {u: order.index(n) for u, n in enumerate(names)}
        division = Division(
            concrete,
            sum(1 << u for u, k in image.items() if abstract.local >> k & 1),
            {u: abstract.cutpoints[k] for u, k in image.items() if k in abstract.cutpoints},
            {u: abstract.borders[k] for u, k in image.items() if k in abstract.borders},
        )
        entry = entry_heap(before, division, at)
        assert embeds(entry.structure(at), at.heaps.entry(abstract, at.call))
        end = after_callee(entry, at, chooser)
        if end is None:
            continue
        left = end.structure(at)
        values, size, _ = blur.blur(list(left.values), left.size)
        after = join_after_call(at.heaps, abstract, at.call, Structure(vocabulary, size, tuple(values)))
        if after is None:
            continue
        done += 1
        expected = join_after_call(at.heaps, division, at.call, left)
        assert expected is not None and embeds(expected, after)
    assert done > TRIES / 8


def test_a_block_with_two_names_is_a_cutpoint_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    at = setting("list", tmp_path_factory.getbasetemp())
    (_, argument), _ = at.call.given
    kept = sorted(at.call.kept - {argument})[0]
    heap = Heap(2, {("next", 0): 1}, {argument: 1, kept: 1})
    division = at.heaps.divide(heap.structure(at), at.call)
    assert division is not None and division.local == 0b10 and list(division.cutpoints) == [1]
    few = LocalHeaps(at.translation.vocabulary, replace(at.heaps.calls, markers=()))
    assert few.divide(heap.structure(at), at.call) is None


@pytest.mark.parametrize("name", ["list", "parents", "ring"])
def test_a_structure_is_divided_once_at_a_call(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Coerce was asked again about structures that satisfy the rules, and each activation divided them again."""
    at = setting(name, tmp_path_factory.getbasetemp())
    domain, _ = domain_of(at.translation)
    edge = Edge("before", at.call, "after")
    entered = coerced = 0
    coerce, divide = domain.coercer.coerce, domain.heaps.divide

    def coercing(structure: Structure) -> Structure | None:
        nonlocal coerced
        coerced += 1
        return coerce(structure)

    def dividing(structure: Structure, call: CallAction) -> Division | None:
        nonlocal entered
        entered += 1
        return divide(structure, call)

    domain.coercer.coerce = coercing  # type: ignore[method-assign]
    domain.heaps.divide = dividing  # type: ignore[method-assign]
    for seed in range(TRIES // 4):
        (element,) = domain.initial([random_heap(at, random.Random(seed)).structure(at)])
        domain._calls.clear()
        entered = coerced = 0
        first = list(domain._enter(edge, element))
        before_entry = int(domain.heaps.sharpen(element) is not element)
        sharp = coerce(domain.heaps.sharpen(element))
        assert sharp is not None
        division = divide(sharp, at.call)
        assert entered == 1 and coerced == before_entry + (division is not None)
        wanted = list(domain._settle(edge, at.heaps.entry(division, at.call))) if division is not None else []
        assert first == wanted
        again = Structure(element.vocabulary, element.size, element.values)
        assert list(domain._enter(edge, again)) == wanted and entered == 1 + (division is None)


def test_edges_that_cannot_be_there_are_left_out(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What nothing excludes is the same structure, which needs no coerce."""
    at = setting("list", tmp_path_factory.getbasetemp())
    pointer = sorted(at.heaps.pointers)[0]
    structure = Heap(2, {}, {pointer: 0}).structure(at)
    assert at.heaps.sharpen(structure) is structure
    edge = 2 * structure.vocabulary.index("next") + 1
    unknown = list(structure.values)
    unknown[edge] |= 1 << structure.layout.bit((0, 1))
    sharper = at.heaps.sharpen(Structure(structure.vocabulary, 2, tuple(unknown)))
    assert sharper == structure
