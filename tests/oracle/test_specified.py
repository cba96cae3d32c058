"""Contracts of C functions in formulas, against all small heaps: what a body is given, what a call may do, what holds.

What the clauses mean is written here once more, in Python over sets of numbers. Nothing is shared with the code but the
names of the predicates of the program's memory.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from pathlib import Path

import pytest

from kleene.analysis.c.shape.analyse import analyse
from kleene.analysis.c.shape.run import domain_of
from kleene.analysis.c.specifications import read_specification
from kleene.c.contracts import read_contracts
from kleene.c.reader import read_program
from kleene.domains.explicit.explore import explore
from kleene.domains.shape.calling import CallingShapeDomain
from kleene.logic.kleene import Kleene
from kleene.passes.preparation import Prepared
from kleene.passes.prepare import whole_program
from kleene.semantics.contracts.programs import body_alone, by_contracts
from kleene.semantics.steps.specified import SpecifiedAction
from kleene.semantics.translate import Translation, Translator
from kleene.semantics.vocabulary.groups import ShapeClass
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.embedding import embeds
from kleene.structures.evaluate import rails, with_definitions
from kleene.structures.structure import Structure, StructureBuilder

ACYCLIC, CIRCULAR = ShapeClass("acyclic"), ShapeClass("circular", circular=frozenset({"next"}))


@dataclass(frozen=True)
class Heap:
    """Cells that live, the arguments, and the fields; cells that were freed are not there."""

    there: frozenset[int]
    a: int | None
    b: int | None
    next: tuple[tuple[int, int], ...]
    result: int | None = None

    def after(self, v: int | None) -> int | None:
        return dict(self.next).get(v) if v is not None else None

    def reach(self, start: int | None) -> frozenset[int]:
        found: list[int] = []
        while start is not None and start in self.there and start not in found:
            found.append(start)
            start = self.after(start)
        return frozenset(found)

    def on_cycle(self, v: int) -> bool:
        return v in self.reach(self.after(v))

    def before(self, v: int) -> list[int]:
        return [u for u, w in self.next if w == v]


def heaps(cells: frozenset[int]) -> Iterator[Heap]:
    """All heaps of these cells, of which the arguments reach all."""
    options = [None, *sorted(cells)]
    for a, b, *targets in product(options, repeat=2 + len(cells)):
        pairs = tuple((v, w) for v, w in zip(sorted(cells), targets, strict=True) if w is not None)
        heap = Heap(cells, a, b, pairs)
        if heap.reach(a) | heap.reach(b) == cells:
            yield heap


REQUIRES: dict[str, Callable[[Heap], bool]] = {
    "list(a)": lambda h: not any(map(h.on_cycle, h.reach(h.a))),
    "list(b)": lambda h: not any(map(h.on_cycle, h.reach(h.b))),
    "A(v) !(r[a](v) & r[b,next](v))": lambda h: not h.reach(h.a) & h.reach(h.b),
    "A(v) !c[next](v)": lambda h: not any(map(h.on_cycle, h.there)),
    "a != NULL": lambda h: h.a is not None,
    "E(v) (a(v) & b(v))": lambda h: h.a is not None and h.a == h.b,
    "A(v) !is[next](v)": lambda h: all(len(h.before(v)) < 2 for v in h.there),
    "ring(b)": lambda h: h.b is None or h.on_cycle(h.b),
    "A(v, w) (a(v) & next(v, w) -> b(w))": lambda h: h.a is None or h.after(h.a) in (None, h.b),
    "A(v, w) (next+(v, w) -> !b(w))": lambda h: all(h.b not in h.reach(h.after(v)) for v in h.there),
    "E(v) A(w) !next(v, w)": lambda h: any(h.after(v) is None for v in h.there),
    "A(v) E(w) (b(w) & next*(v, w))": lambda h: all(h.b in h.reach(v) for v in h.there),
}


def required(clauses: list[str], heap: Heap) -> bool:
    """All clauses, of which words for shapes share no cells."""
    words = [c[5] for c in clauses if c.startswith(("list", "ring"))]
    parts = [heap.reach(heap.a if p == "a" else heap.b) for p in words]
    apart = all(not p & q for p, q in combinations(parts, 2))
    return apart and all(REQUIRES[c](heap) for c in clauses)


TREE = "A(v) !c[next](v)"
Pair = Callable[[Heap, Heap], bool]


def _same(h: Heap, k: Heap, v: int) -> bool:
    return k.after(v) == (h.after(v) if v in h.there else None)


ENSURES: dict[str, Pair] = {
    "list(\\result)": lambda h, k: not any(map(k.on_cycle, k.reach(k.result))),
    "A(v) (r[\\result](v) <-> old[r[a]](v))": lambda h, k: k.reach(k.result) == h.reach(h.a) & k.there,
    "A(v) (r[\\result](v) <-> old[r[a]](v) | old[r[b]](v) | new(v))": lambda h, k: k.reach(k.result) == k.there,
    "A(v) (new(v) -> \\result(v))": lambda h, k: all(v == k.result for v in k.there - h.there),
    "A(v) (new(v) | same[next](v))": lambda h, k: all(_same(h, k, v) for v in h.there & k.there),
    "A(v) (!old[a](v) -> same[next](v))": lambda h, k: all(_same(h, k, v) for v in k.there if v != h.a),
    "A(v) !c[next](v)": lambda h, k: not any(map(k.on_cycle, k.there)),
    "E(v) \\result(v)": lambda h, k: k.result is not None,
    "A(v) (\\result(v) -> old[r[b]](v))": lambda h, k: k.result is None or k.result in h.reach(h.b),
    "A(v, w) (\\result(v) -> (next(v, w) <-> a(w)))": lambda h, k: (
        k.result is None or k.after(k.result) == (h.a if h.a in k.there else None)
    ),
    "A(v) !old[b](v)": lambda h, k: h.b not in k.there,
    "A(v, w) (old[next](v, w) -> next(w, v))": lambda h, k: all(
        (w, v) in k.next for v, w in h.next if {v, w} <= k.there
    ),
    "A(v, w) (old[next]*(v, w) -> next*(v, w))": lambda h, k: all(
        w in k.reach(v) for v in k.there for w in k.there if w in _paths(h, k, v)
    ),
    "A(v) !is[next](v)": lambda h, k: all(len(k.before(v)) < 2 for v in k.there),
}


def _paths(h: Heap, k: Heap, v: int) -> frozenset[int]:
    """What v reached before the call."""
    return h.reach(v) if v in h.there else frozenset({v})


EFFECTS: dict[str, Pair] = {
    "modifies next;": lambda h, k: k.there == h.there,
    "modifies \\nothing;": lambda h, k: k.there == h.there and k.next == h.next,
    "modifies next; allocates;": lambda h, k: k.there >= h.there,
    "modifies \\nothing; allocates;": lambda h, k: k.there >= h.there and all(_same(h, k, v) for v in h.there),
    "modifies next; frees b(v);": lambda h, k: k.there <= h.there and h.there - k.there <= {h.b},
    "modifies \\nothing; frees r[b](v);": lambda h, k: (
        k.there <= h.there and h.there - k.there <= h.reach(h.b) and all(_same(h, k, v) for v in k.there)
    ),
    "allocates; frees b(v);": lambda h, k: h.there - k.there <= {h.b},
}

TEXT = """
void *malloc(unsigned long);
struct node {{ struct node *next; int data; }};
/*@ requires {requires}; ensures {ensures}; {effects} */
struct node *f(struct node *a, struct node *b) {{ return a; }}
int main(void) {{
    struct node *x = malloc(sizeof(struct node)), *y = malloc(sizeof(struct node));
    x = f(x, y);
    return 0;
}}
"""


@dataclass(frozen=True)
class Case:
    """A translated program, the steps of its contract, and the names of the pointers."""

    domain: CallingShapeDomain
    translation: Translation
    steps: dict[str, SpecifiedAction]
    names: dict[str, str]


def case(tmp_path: Path, requires: str, ensures: str, effects: str, shape: ShapeClass, *, body: bool) -> Case:
    file = tmp_path / "f.c"
    file.write_text(TEXT.format(requires=requires, ensures=ensures, effects=effects))
    program = read_program([str(file)])
    contracts = read_contracts(program)
    meant = {"f": read_specification(program, contracts["f"])}
    called = by_contracts(program, contracts, meant)
    whole = whole_program(body_alone(called, contracts["f"], meant["f"]) if body else called)
    translation = Translator(whole, whole.main.cfa, shape, malloc_may_fail=True).translate()
    domain, _ = domain_of(translation)
    steps = {e.label.role: e.label for e in translation.cfa.edges if isinstance(e.label, SpecifiedAction)}
    known = [p.name for p in translation.vocabulary if p.has("unique")]
    ends = (
        {"a": "$old_a", "b": "$old_b", "result": "$result#"} if body else {"a": ".a", "b": ".b", "result": "$result#"}
    )
    names = {key: next(n for n in known if end in n) for key, end in ends.items()}
    return Case(domain, translation, steps, names)


def structure(
    case: Case, heap: Heap, freed: frozenset[int] = frozenset(), marked: int | None = None
) -> list[Structure]:
    """The heap over the program's predicates: one structure for each choice of cut edges."""
    cells = sorted(heap.there | freed)
    place = {v: i for i, v in enumerate(cells)}
    vocabulary = case.translation.vocabulary
    cycles = [v for v in cells if heap.on_cycle(v)] if "cut[next]" in vocabulary else []
    found = []
    for cut in combinations(cycles, 1) if cycles else [()]:
        builder = StructureBuilder(vocabulary, len(cells))
        for v in cells:
            builder.set("heap", (place[v],), Kleene.TRUE)
            builder.set("freed", (place[v],), Kleene.TRUE if v in freed else Kleene.FALSE)
            if len(heap.before(v)) > 2:
                builder.set("is3[next]", (place[v],), Kleene.TRUE)
        pointers = [("a", heap.a), ("b", heap.b), ("result", heap.result)]
        for key, target in pointers:
            if target is not None and target in place:
                builder.set(case.names[key], (place[target],), Kleene.TRUE)
        if marked is not None:
            builder.set("$cut1", (place[marked],), Kleene.TRUE)
        for v, w in heap.next:
            builder.set("next", (place[v], place[w]), Kleene.TRUE)
        for v in cut:
            builder.set("cut[next]", (place[v],), Kleene.TRUE)
        found.append(with_definitions(builder.build()))
    return found


def cycles_are_disjoint(heap: Heap) -> bool:
    """One cut edge is enough: the heaps here are too small for two cycles of two arguments, but for self loops."""
    return len({frozenset(heap.reach(v)) for v in heap.there if heap.on_cycle(v)}) <= 1


@cache
def chosen(number: int) -> tuple[list[str], list[str], str]:
    choice = random.Random(number)
    return (
        choice.sample(list(REQUIRES), choice.choice((1, 2, 2, 3))),
        choice.sample(list(ENSURES), choice.choice((1, 2, 2))),
        choice.choice(list(EFFECTS)),
    )


SIZES = (frozenset(), frozenset({0}), frozenset({0, 1}), frozenset({0, 1, 2}))


@pytest.mark.parametrize("number", range(16))
def test_a_body_is_given_every_heap_that_it_requires(tmp_path: Path, number: int) -> None:
    clauses, ensures, effects = chosen(number)
    allowed = [h for cells in SIZES for h in heaps(cells) if required(clauses, h)]
    for shape in (ACYCLIC, CIRCULAR):
        made = case(tmp_path, " && ".join(clauses), " && ".join(ensures), effects, shape, body=True)
        given = made.steps["given"]
        if shape is ACYCLIC and made.domain.specified.cyclic(given):
            continue  # the analysis says so, and gives up
        (empty,) = structure(made, Heap(frozenset(), None, None, ()))
        results = made.domain.specified.post(given, empty)
        for heap in filter(cycles_are_disjoint, allowed):
            assert shape is CIRCULAR or not any(map(heap.on_cycle, heap.there)), f"{heap} is cyclic"
            concrete = [_remembering(s, made, given) for s in structure(made, heap)]
            assert any(embeds(c, r) for c in concrete for r in results), f"{shape.name}: {heap} is not given"


def _remembering(concrete: Structure, made: Case, given: SpecifiedAction) -> Structure:
    values = list(concrete.values)
    for name, formula in given.remembered:
        index = 2 * made.translation.vocabulary.index(name)
        values[index : index + 2] = rails(concrete, formula, made.translation.vocabulary[name].args)
    return with_definitions(Structure(concrete.vocabulary, concrete.size, tuple(values)))


@pytest.mark.parametrize("number", range(24, 52))
def test_a_call_may_do_all_that_its_contract_allows(tmp_path: Path, number: int) -> None:
    """Also what the caller marks stays what it was."""
    clauses, ensures, effects = chosen(number)
    choice = random.Random(number)
    shape = ACYCLIC if number % 4 else CIRCULAR
    if shape is ACYCLIC:  # else the analysis gives up
        clauses, ensures = [*clauses, TREE], [*ensures, TREE]
    made = case(tmp_path, " && ".join(clauses), " && ".join(ensures), effects, shape, body=False)
    change = made.steps["changes"]
    if shape is ACYCLIC and made.domain.specified.cyclic(change):
        return
    befores = [h for cells in SIZES[:3] for h in heaps(cells) if required(clauses, h)]
    befores = [h for h in befores if shape is CIRCULAR or not any(map(h.on_cycle, h.there))]
    for before in choice.sample(befores, min(4 if shape is ACYCLIC else 1, len(befores))):
        marked = choice.choice([None, *sorted(before.there)])
        start = canonical_abstraction(structure(made, before, marked=marked)[0])
        results = made.domain.specified.post(change, start)
        allowed = [k for k in _afters(before) if EFFECTS[effects](before, k)]
        allowed = [k for k in allowed if all(ENSURES[c](before, k) for c in ensures)]
        for after in choice.sample(allowed, min(30, len(allowed))):
            gone = before.there - after.there
            assert shape is CIRCULAR or not any(map(after.on_cycle, after.there)), f"{before} -> {after}"
            concrete = structure(made, after, gone, marked) if cycles_are_disjoint(after) else []
            fits = not concrete or any(embeds(c, r) for c in concrete for r in results)
            assert fits, f"{shape.name}: {before} -> {after}, {marked} marked"


def _afters(before: Heap) -> Iterator[Heap]:
    """All heaps that a call could lead to, with at most one new cell."""
    for new in ((), (9,)):
        for kept in product((True, False), repeat=len(before.there)):
            there = frozenset([v for v, k in zip(sorted(before.there), kept, strict=True) if k] + list(new))
            options = [None, *sorted(there)]
            for result, *targets in product(options, repeat=1 + len(there)):
                pairs = tuple((v, w) for v, w in zip(sorted(there), targets, strict=True) if w is not None)
                yield Heap(there, before.a, before.b, pairs, result)


@pytest.mark.parametrize("number", range(52, 60))
def test_what_is_required_is_checked(tmp_path: Path, number: int) -> None:
    """Exactly on one heap, and never too leniently on its abstraction."""
    clauses, ensures, effects = chosen(number)
    made = case(tmp_path, " && ".join(clauses), " && ".join(ensures), effects, CIRCULAR, body=False)
    wanted = made.steps["holds"].wanted
    for heap in [h for cells in SIZES for h in heaps(cells) if cycles_are_disjoint(h)]:
        expected = required(clauses, heap)
        for concrete in structure(made, heap):
            assert all(made.domain.specified.holds(f, concrete) for f, _ in wanted) == expected, heap
            blurred = canonical_abstraction(concrete)
            if not expected:
                assert not all(made.domain.specified.holds(f, blurred) for f, _ in wanted), heap


# Blocks with two members --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Graph:
    """Cells with two members, and one argument."""

    there: frozenset[int]
    a: int | None
    members: tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]

    def reach(self, start: int | None, which: tuple[int, ...] = (0, 1)) -> frozenset[int]:
        found: set[int] = set()
        waiting = [start] if start is not None else []
        while waiting:
            v = waiting.pop()
            if v not in found:
                found.add(v)
                waiting += [w for m in which for u, w in self.members[m] if u == v]
        return frozenset(found)

    def on_cycle(self, v: int, which: tuple[int, ...]) -> bool:
        return any(v in self.reach(w, which) for m in which for u, w in self.members[m] if u == v)

    def pointed(self, v: int) -> int:
        return sum(w == v for member in self.members for _, w in member)


def graphs(size: int) -> Iterator[Graph]:
    cells = range(size)
    options = [None, *cells]
    for a, *targets in product(options, repeat=1 + 2 * size):
        found = [frozenset((v, w) for v, w in zip(cells, part, strict=True) if w is not None)
                 for part in (targets[:size], targets[size:])]  # fmt: skip
        graph = Graph(frozenset(cells), a, (found[0], found[1]))
        if graph.reach(a) == graph.there:
            yield graph


TWO: dict[str, Callable[[Graph], bool]] = {
    "dlist(a, f, b)": lambda g: (
        g.there == g.reach(g.a, (0,))
        and not any(g.on_cycle(v, (0,)) for v in g.there)
        and g.members[1] == {(w, v) for v, w in g.members[0]}
    ),
    "tree(a, f, b)": lambda g: (
        not any(g.on_cycle(v, (0, 1)) for v in g.there) and all(g.pointed(v) < 2 for v in g.there)
    ),
    "A(v) !c[f,b](v)": lambda g: not any(g.on_cycle(v, (0, 1)) for v in g.there),
    "A(v) (inv[f,b](v) & !c[f](v) & !c[b](v))": lambda g: (
        all((w, v) in g.members[1] for v, w in g.members[0])
        and not any(g.on_cycle(v, (m,)) for v in g.there for m in (0, 1))
    ),
    "A(v) !c[f,b](v) && A(v) (is[f,b](v) -> !a(v)) && E(v) r[a,b](v)": lambda g: (
        not any(g.on_cycle(v, (0, 1)) for v in g.there)
        and (g.a is None or g.pointed(g.a) < 2)
        and bool(g.reach(g.a, (1,)))
    ),
}

TWO_TEXT = """
struct cell {{ struct cell *f, *b; int data; }};
/*@ requires {}; ensures A(v) same[f](v); */
void g(struct cell *a) {{ }}
int main(void) {{ return 0; }}
"""


@pytest.mark.parametrize("back", [frozenset(), frozenset({"b"})])
@pytest.mark.parametrize("clause", TWO)
def test_blocks_with_two_members_are_given(tmp_path: Path, clause: str, back: frozenset[str]) -> None:
    file = tmp_path / "g.c"
    file.write_text(TWO_TEXT.format(clause))
    program = read_program([str(file)])
    contracts = read_contracts(program)
    meant = {"g": read_specification(program, contracts["g"])}
    whole = whole_program(body_alone(by_contracts(program, contracts, meant), contracts["g"], meant["g"]))
    translation = Translator(whole, whole.main.cfa, ShapeClass("two", back=back), malloc_may_fail=True).translate()
    domain, initial = domain_of(translation)
    (given,) = (e.label for e in translation.cfa.edges
                if isinstance(e.label, SpecifiedAction) and e.label.role == "given")  # fmt: skip
    allowed = [g for size in range(3) for g in graphs(size) if TWO[clause](g)]
    if domain.specified.cyclic(given):
        assert clause not in ("dlist(a, f, b)", "tree(a, f, b)") or (clause[0] == "d") != bool(back)
        return
    results = domain.specified.post(given, initial)
    made = Case(domain, translation, {}, {})
    pointer = next(p.name for p in translation.vocabulary if p.has("unique") and "$old_a" in p.name)
    for graph in allowed:
        builder = StructureBuilder(translation.vocabulary, len(graph.there))
        for v in graph.there:
            builder.set("heap", (v,), Kleene.TRUE)
            if "is3[down]" in translation.vocabulary and graph.pointed(v) > 2:
                builder.set("is3[down]", (v,), Kleene.TRUE)
        if graph.a is not None:
            builder.set(pointer, (graph.a,), Kleene.TRUE)
        for name, pairs in zip("fb", graph.members, strict=True):
            for pair in pairs:
                builder.set(name, pair, Kleene.TRUE)
        concrete = _remembering(with_definitions(builder.build()), made, given)
        assert any(embeds(concrete, r) for r in results), graph


# Bodies ---------------------------------------------------------------------------------------------------------------

STATEMENTS = (
    "if (a) a->next = b;", "if (a) a = a->next;", "t = a; a = b; b = t;", "if (b) b->next = 0;", "b = 0;",
    "if (a && a->next) a->next = a->next->next;", "while (a && a->next) a = a->next;", "free(b); b = 0;",
    "t = malloc(sizeof(struct node)); if (!t) abort(); t->next = a; t->data = 0; a = t;",
    "t = 0; while (a) { struct node *n = a->next; a->next = t; t = a; a = n; } a = t;",
)  # fmt: skip
BODY = """
#include <stdlib.h>
struct node {{ struct node *next; int data; }};
/*@ requires {requires}; ensures {ensures}; {effects} */
struct node *f(struct node *a, struct node *b) {{
    struct node *t = 0;
    {body}
    return a;
}}
int main(void) {{ return 0; }}
"""


@pytest.mark.parametrize("seed", range(30))
def test_a_body_that_breaks_its_contract_is_not_proved(tmp_path: Path, seed: int) -> None:
    """What exact exploration shows of random bodies, the analysis does not prove away."""
    choice = random.Random(1000 + seed)
    clauses, ensures, effects = chosen(1000 + seed)
    body = "\n    ".join(choice.choices(STATEMENTS, k=choice.randint(1, 3)))
    file = tmp_path / "f.c"
    file.write_text(
        BODY.format(requires=" && ".join([*clauses, TREE]), ensures=" && ".join(ensures), effects=effects, body=body)
    )
    program = read_program([str(file)])
    contracts = read_contracts(program)
    meant = {"f": read_specification(program, contracts["f"])}
    called = by_contracts(program, contracts, meant, concrete=True)
    shown = explore(body_alone(called, contracts["f"], meant["f"], concrete=True), seconds=1.5, malloc_may_fail=True)
    broken = [c for c in shown.findings if c.fault.detail != "exit"]
    if broken:
        abstract = body_alone(by_contracts(program, contracts, meant), contracts["f"], meant["f"])
        result = analyse(Prepared(abstract), malloc_may_fail=True, seconds=5.0)
        raised = [a for a in result.alarms if a.kind != "memory_cleanup"]
        assert raised or not result.complete, (file.read_text(), broken[0].fault)
