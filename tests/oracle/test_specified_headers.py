"""Contracts about objects with a header, against all small heaps: what a body is given, and broken bodies.

What the clauses mean is written here once more, in Python. Nothing is shared with the code but the names of the
predicates of the program's memory.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from kleene.analysis.c.shape.analyse import analyse
from kleene.analysis.c.shape.run import domain_of
from kleene.analysis.c.specifications import read_specification
from kleene.c.contracts import read_contracts
from kleene.c.reader import read_program
from kleene.domains.explicit.explore import explore
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.passes.preparation import Prepared
from kleene.passes.prepare import whole_program
from kleene.semantics.contracts.programs import body_alone, by_contracts
from kleene.semantics.steps.specified import SpecifiedAction
from kleene.semantics.translate import Translator
from kleene.semantics.vocabulary.groups import ShapeClass
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.embedding import embeds
from kleene.structures.evaluate import rails, with_definitions
from kleene.structures.structure import Structure, StructureBuilder

CLASSES = (
    ShapeClass("together"),
    ShapeClass("apart", headers=frozenset({"head", "tail"})),
    ShapeClass("references", references=frozenset({"tail"})),
)


@dataclass(frozen=True)
class Heap:
    """A header, or none, and nodes: where the members lead."""

    header: bool
    head: int | None
    tail: int | None
    next: tuple[int | None, ...]

    def path(self, start: int | None) -> list[int]:
        found: list[int] = []
        while start is not None and start not in found:
            found.append(start)
            start = self.next[start]
        return found

    def on_cycle(self, v: int) -> bool:
        return v in self.path(self.next[v])

    def before(self, v: int) -> int:
        """The number of members that lead to a node: of other nodes, and of the header."""
        return sum(w == v for w in (*self.next, self.head, self.tail))


def heaps(most: int) -> Iterator[Heap]:
    """All heaps in which the header reaches all nodes."""
    yield Heap(header=False, head=None, tail=None, next=())
    for size in range(most + 1):
        options = [None, *range(size)]
        for head, tail, *targets in product(options, repeat=2 + size):
            heap = Heap(True, head, tail, tuple(targets))
            if {*heap.path(head), *heap.path(tail)} == set(range(size)):
                yield heap


CLAUSES: dict[str, Callable[[Heap], bool]] = {
    "A(v) !c[next](v)": lambda h: not any(map(h.on_cycle, range(len(h.next)))),
    "A(v) !c[head,tail,next](v)": lambda h: not any(map(h.on_cycle, range(len(h.next)))),
    "A(v) !is[next](v)": lambda h: all(h.next.count(v) < 2 for v in range(len(h.next))),
    "A(v) !is[head,next](v)": lambda h: all((*h.next, h.head).count(v) < 2 for v in range(len(h.next))),
    "A(v) !is[tail,next](v)": lambda h: all((*h.next, h.tail).count(v) < 2 for v in range(len(h.next))),
    "l != NULL": lambda h: h.header,
    "A(v) (l(v) -> ((E(w) head(v, w)) <-> (E(w) tail(v, w))))": lambda h: (h.head is None) == (h.tail is None),
    "A(v, w, u) !(l(v) & tail(v, w) & next(w, u))": lambda h: h.tail is None or h.next[h.tail] is None,
    "A(v, a, b) !(l(v) & head(v, a) & tail(v, b) & !next*(a, b))": lambda h: (
        h.head is None or h.tail is None or h.tail in h.path(h.head)
    ),
    "E(v, w) (l(v) & head(v, w))": lambda h: h.head is not None,
    "A(v) l(v)": lambda h: not h.next,
}
ACYCLIC = "A(v) !c[next](v)"
EFFECTS = ("A(v) r[l](v)", "A(v) old[r[l]](v)", "A(v) same[next](v)", "A(v) !old[r[l]](v)", "A(v) l(v)")

TEXT = """
#include <stdlib.h>
struct node {{ struct node *next; int data; }};
struct list {{ struct node *head, *tail; }};
/*@ requires {requires}; ensures {ensures}; {effects} */
void f(struct list *l) {{
    struct node *t = 0;
    {body}
}}
int main(void) {{ return 0; }}
"""


def required(number: int) -> list[str]:
    choice = random.Random(number)
    return [ACYCLIC, *choice.sample([c for c in CLAUSES if c != ACYCLIC], choice.choice((1, 2, 3, 4)))]


@pytest.mark.parametrize("number", range(8))
def test_a_body_is_given_every_object_that_it_requires(tmp_path: Path, number: int) -> None:
    clauses, file = required(number), tmp_path / "f.c"
    ensures = random.Random(number).choice(EFFECTS)
    file.write_text(TEXT.format(requires=" && ".join(clauses), ensures=ensures, effects="frees r[l](v);", body=""))
    program = read_program([str(file)])
    contracts = read_contracts(program)
    meant = {"f": read_specification(program, contracts["f"])}
    whole = whole_program(body_alone(by_contracts(program, contracts, meant), contracts["f"], meant["f"]))
    allowed = [h for h in heaps(3) if all(CLAUSES[c](h) for c in clauses)]
    for shape in CLASSES:
        translation = Translator(whole, whole.main.cfa, shape, malloc_may_fail=True).translate()
        domain, initial = domain_of(translation)
        (given,) = (e.label for e in translation.cfa.edges
                    if isinstance(e.label, SpecifiedAction) and e.label.role == "given")  # fmt: skip
        assert not domain.specified.cyclic(given), "types and the contract exclude cycles"
        results = domain.specified.post(given, initial)
        for heap in allowed:
            concrete = structure(heap, translation.vocabulary, given)
            assert any(embeds(concrete, r) for r in results), f"{shape.name}: {heap} is not given"


def structure(
    heap: Heap,
    vocabulary: Vocabulary,
    given: SpecifiedAction,
    pointer: str = "$old_l",
    freed: frozenset[int] = frozenset(),
) -> Structure:
    """A heap over the program's predicates, with what a body remembers of its beginning."""
    header = len(heap.next)
    builder = StructureBuilder(vocabulary, header + heap.header)
    for v in range(header + heap.header):
        builder.set("heap", (v,), Kleene.TRUE)
        builder.set("freed", (v,), Kleene.TRUE if v in freed else Kleene.FALSE)
        builder.set("size[struct list]" if v == header else "size[struct node]", (v,), Kleene.TRUE)
    if heap.header:
        name = next(p.name for p in vocabulary if p.has("unique") and pointer in p.name)
        builder.set(name, (header,), Kleene.TRUE)
        for name, target in (("head", heap.head), ("tail", heap.tail)):
            if target is not None:
                builder.set(name, (header, target), Kleene.TRUE)
    for v, w in enumerate(heap.next):
        if w is not None:
            builder.set("next", (v, w), Kleene.TRUE)
        for p in vocabulary:
            members = p.name.removeprefix("is3[").removesuffix("]")
            counted = heap.next.count(v) if members == "next" else heap.before(v)
            if p.name.startswith("is3[") and counted > 2:
                builder.set(p.name, (v,), Kleene.TRUE)
    concrete = with_definitions(builder.build())
    values = list(concrete.values)
    for name, formula in given.remembered:
        index = 2 * vocabulary.index(name)
        values[index : index + 2] = rails(concrete, formula, vocabulary[name].args)
    return with_definitions(Structure(concrete.vocabulary, concrete.size, tuple(values)))


# Calls ----------------------------------------------------------------------------------------------------------------

CALL = """
#include <stdlib.h>
struct node {{ struct node *next; int data; }};
struct list {{ struct node *head, *tail; }};
/*@ requires {requires}; ensures {ensures}; {effects} */
void f(struct list *l) {{ }}
int main(void) {{
    struct list *x = malloc(sizeof *x);
    if (x) {{
        x->tail = x->head = malloc(sizeof(struct node));
        if (x->head) {{ x->head->next = malloc(sizeof(struct node)); if (x->head->next) x->head->next->next = 0; }}
    }}
    f(x);
    return 0;
}}
"""
CALL_EFFECTS: dict[str, Callable[[Heap, After], bool]] = {
    "modifies head, tail;": lambda h, k: not k.new and not k.freed and k.heap.next == h.next,
    "modifies next;": lambda h, k: not k.new and not k.freed and (k.heap.head, k.heap.tail) == (h.head, h.tail),
    "allocates;": lambda h, k: not k.freed,
    "frees r[l](v) & !l(v);": lambda h, k: not k.new,
    "allocates; frees r[l](v) & !l(v);": lambda h, k: True,
}


@dataclass(frozen=True)
class After:
    """A heap after a call: the nodes that were freed, and whether the last one is new."""

    heap: Heap
    freed: frozenset[int]
    new: bool


def afters(before: Heap) -> Iterator[After]:
    """All heaps that a call could lead to, with at most one new node; freed nodes lead nowhere, and nothing to them."""
    old = len(before.next)
    for new, *gone in product((False, True), repeat=1 + old):
        freed = frozenset(v for v in range(old) if gone[v])
        options = [None, *(v for v in range(old + new) if v not in freed)]
        places = [[None] if v in freed else options for v in range(old + new)]
        for head, tail, *targets in product(options, options, *places):
            yield After(Heap(True, head, tail, tuple(targets)), freed, new)


@pytest.mark.parametrize("number", range(12))
def test_a_call_may_do_all_that_the_contract_of_its_object_allows(tmp_path: Path, number: int) -> None:
    choice = random.Random(number)
    effects = list(CALL_EFFECTS)[number % len(CALL_EFFECTS)]
    kept = [c for c in CLAUSES if c not in (ACYCLIC, "A(v) l(v)")]
    ensures = [ACYCLIC, *choice.sample(kept, choice.choice((0, 1, 2)))]
    requires = [ACYCLIC, "l != NULL", *choice.sample(kept, choice.choice((0, 1, 2)))]
    file = tmp_path / "f.c"
    texts = ["E(v) l(v)" if c == "l != NULL" else c for c in ensures]
    file.write_text(CALL.format(requires=" && ".join(requires), ensures=" && ".join(texts), effects=effects))
    program = read_program([str(file)])
    contracts = read_contracts(program)
    meant = {"f": read_specification(program, contracts["f"])}
    whole = whole_program(by_contracts(program, contracts, meant))
    befores = [h for h in heaps(2) if all(CLAUSES[c](h) for c in requires)]
    for shape in CLASSES[:2]:
        translation = Translator(whole, whole.main.cfa, shape, malloc_may_fail=True).translate()
        domain, _ = domain_of(translation)
        (change,) = (e.label for e in translation.cfa.edges
                     if isinstance(e.label, SpecifiedAction) and e.label.role == "changes")  # fmt: skip
        assert not domain.specified.cyclic(change), "types and the contract exclude cycles"
        for before in choice.sample(befores, min(3, len(befores))):
            start = canonical_abstraction(structure(before, translation.vocabulary, change, pointer=".l"))
            results = domain.specified.post(change, start)
            allowed = [k for k in afters(before) if CALL_EFFECTS[effects](before, k)]
            allowed = [k for k in allowed if all(CLAUSES[c](k.heap) for c in ensures)]
            for after in choice.sample(allowed, min(25, len(allowed))):
                concrete = structure(after.heap, translation.vocabulary, change, pointer=".l", freed=after.freed)
                assert any(embeds(concrete, r) for r in results), f"{shape.name}: {before} -> {after}"


# Bodies ---------------------------------------------------------------------------------------------------------------

STATEMENTS = (
    "if (l) l->head = 0;", "if (l) l->tail = l->head;", "if (l && l->head) l->head = l->head->next;",
    "if (l && l->tail) l->tail->next = l->head;", "if (l && l->tail) { free(l->tail); l->tail = 0; }",
    "while (l && l->head) { t = l->head; l->head = t->next; free(t); }", "free(l); l = 0;",
    "if (l) { t = malloc(sizeof *t); if (!t) return; t->data = 0; t->next = l->head; l->head = t; }",
    "if (l) for (t = l->head; t && t->next; t = t->next) ; if (t) l->tail = t;",
    "if (l) { t = l->head; while (t) { struct node *n = t->next; free(t); t = n; } l->head = l->tail = 0; }",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(24))
def test_a_body_that_breaks_the_contract_of_its_object_is_not_proved(tmp_path: Path, seed: int) -> None:
    """What exact exploration shows of random bodies, the analysis does not prove away."""
    choice = random.Random(2000 + seed)
    body = "\n    ".join(choice.choices(STATEMENTS, k=choice.randint(1, 2)))
    ensures = choice.sample([*(c for c in CLAUSES if c != "l != NULL"), *EFFECTS[:1], *EFFECTS[3:]], 2)
    file = tmp_path / "f.c"
    effects = choice.choice(("allocates; frees r[l](v);", "allocates; frees r[l](v) & !l(v);", "frees r[l](v);"))
    requires = " && ".join(required(2000 + seed))
    file.write_text(TEXT.format(requires=requires, ensures=" && ".join(ensures), effects=effects, body=body))
    program = read_program([str(file)])
    contracts = read_contracts(program)
    meant = {"f": read_specification(program, contracts["f"])}
    called = by_contracts(program, contracts, meant, concrete=True)
    shown = explore(body_alone(called, contracts["f"], meant["f"], concrete=True), seconds=1.0, malloc_may_fail=True)
    broken = [c for c in shown.findings if c.fault.detail != "exit"]
    if broken:
        abstract = body_alone(by_contracts(program, contracts, meant), contracts["f"], meant["f"])
        result = analyse(Prepared(abstract), malloc_may_fail=True, seconds=3.0)
        raised = [a for a in result.alarms if a.kind != "memory_cleanup"]
        assert raised or not result.complete, (file.read_text(), broken[0].fault)
