"""Claims about counters: after every operation on every small heap, a claim that is made is true.

The number of nodes and the counter of the heap after the operation are computed from the heap alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.c.reader import read_program
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.passes.facts.counters import VariableCount, counts_of, linear
from kleene.passes.facts.memory import Memory
from kleene.passes.preparation import Prepared
from kleene.semantics.translate import Translator
from kleene.semantics.vocabulary.groups import ShapeClass
from kleene.structures.structure import Structure, StructureBuilder
from kleene.transformers.coerce import Coercer
from kleene.transformers.differencing import derive
from kleene.transformers.rules import all_rules
from kleene.transformers.transformer import Stages, Transformer

from .translated import inlined, translator

HEADER = """\
#include <stdlib.h>
struct node { struct node *next; long data[3]; };
struct list { struct node *head; TYPE len; };
extern int __VERIFIER_nondet_int(void);
"""
IN_MEMBERS = """
int main(void) {
    struct list *l = calloc(1, sizeof *l);
    struct node *x = malloc(sizeof *x), *y = malloc(sizeof *y);
    x->next = NULL;
    y->next = x;
    while (__VERIFIER_nondet_int()) {
        l->head = l->head->next;
        x->next = y;
        x->next = NULL;
        x->next = x->next->next;
        l->head = x;
        l->head = NULL;
        l->len = l->len + 1;
        l->len = l->len - 1;
        l->len = 0;
        l->len = 1;
        free(x);
        if (l->len > 0) x = y;
        if (l->len == 1) y = x;
    }
    free(l);
    return 0;
}
"""
IN_VARIABLES = (
    IN_MEMBERS.replace("l->", "").replace("struct list *l = calloc(1, sizeof *l);", "").replace("free(l);", "")
)
GLOBALS = "static struct node *head;\nstatic TYPE len;\n"
NEXT = "x->next"
MOST = 4
"""Lengths of counters that are tried: 0 to 3."""


@dataclass(frozen=True)
class Heap:
    """The next node of each node, None for NULL; the nodes of x, y and head; and the counter."""

    following: tuple[int | None, ...]
    x: int | None
    y: int | None
    head: int | None
    len: int
    freed: int | None = None

    def length(self) -> int | None:
        """The number of nodes of the list, if it ends in NULL."""
        at, number = self.head, 0
        while at is not None:
            if at == self.freed or number > len(self.following):
                return None
            at, number = self.following[at], number + 1
        return number

    def linked(self, node: int | None, to: int | None) -> Heap | None:
        """The heap after a write to the cell of a node; None if there is no such node."""
        if node is None:
            return None
        return replace(self, following=(*self.following[:node], to, *self.following[node + 1 :]))


def after(heap: Heap, operation: str, wrap: Callable[[int], int]) -> Heap | None:
    """The heap after an operation; None if it is an error."""
    match operation:
        case "head = head->next":
            return None if heap.head is None else replace(heap, head=heap.following[heap.head])
        case "x->next = y":
            return heap.linked(heap.x, heap.y)
        case "x->next = NULL":
            return heap.linked(heap.x, None)
        case "x->next = x->next->next":
            second = None if heap.x is None else heap.following[heap.x]
            return None if second is None else heap.linked(heap.x, heap.following[second])
        case "head = x":
            return replace(heap, head=heap.x)
        case "head = NULL":
            return replace(heap, head=None)
        case "free(x)":
            return None if heap.x is None else replace(heap, freed=heap.x)
    name, _, value = operation.partition(" = ")
    assert name == "len"
    number = {"len + 1": heap.len + 1, "len - 1": heap.len - 1}.get(value.rstrip("u"))
    constant = value.rstrip("u")
    return replace(heap, len=wrap(int(constant) if number is None and constant.isdigit() else number or 0))


def heaps() -> Iterator[Heap]:
    """All heaps of up to three nodes without cycles."""
    for size in (1, 2, 3):
        places: list[int | None] = [None, *range(size)]
        for following in itertools.product(places, repeat=size):
            if any(v is not None and v <= u for u, v in enumerate(following)):  # up to names, all without cycles
                continue
            for x, y, head, number in itertools.product(places, places, places, range(MOST)):
                yield Heap(following, x, y, head, number)


class Layout:
    """The structures of a program whose counter is a member, or a variable."""

    def __init__(self, folder: Path, type_: str, *, members: bool) -> None:
        header = HEADER + ("" if members else GLOBALS)
        body = IN_MEMBERS if members else IN_VARIABLES
        shape = ShapeClass("counted", counts=True)
        self.members = members
        self.translator: Translator = translator(folder, body, shape, header.replace("TYPE", type_))
        counts = self.translator.context.counts
        assert counts is not None
        self.claims = next(
            c for c in counts.claims if members or (isinstance(c.count, VariableCount) and str(c.count.head) == "head")
        )
        labels = {str(e.label): e.label for e in self.translator.source.edges}
        for edge in self.translator.source.edges:
            self.translator.live.setdefault(edge.source, frozenset())
        self.steps = {
            text.replace("l->", ""): [s.action for s in self.translator._steps(label) if s.action.updates]
            for text, label in labels.items()
        }
        self.translation = self.translator.translate()
        self.vocabulary: Vocabulary = self.translation.vocabulary

    def structure(self, heap: Heap, shift: int | None) -> Structure:
        """The heap with a claim, or without one; instrumentation predicates as far as claims depend on them."""
        owner = len(heap.following)
        builder = StructureBuilder(self.vocabulary, owner + self.members)

        def put(name: str, *nodes: int) -> None:
            if name in self.vocabulary:
                builder.set(name, nodes, Kleene.TRUE)

        edges = {(u, v) for u, v in enumerate(heap.following) if v is not None}
        for u, v in edges:
            put("next", u, v)
        for name, place in (("x", heap.x), ("y", heap.y)):
            if place is not None:
                put(name, place)
        if self.members:
            put("l", owner)
            put(f".len={heap.len}", owner)
            if heap.head is not None:
                put("head", owner, heap.head)
                edges |= {(owner, heap.head)}
        else:
            put(f"len={heap.len}")
            if heap.head is not None:
                put("head", heap.head)
        closed = edges | {(u, u) for u in range(owner + self.members)}
        for k, i, j in itertools.product(range(owner + self.members), repeat=3):
            if (i, k) in closed and (k, j) in closed:
                closed.add((i, j))
        for u, v in edges:
            put("down", u, v)
        for u, v in closed:
            put(self.claims.chain.group.closure, u, v)
        for u in range(owner):
            put("size[32]", u)
            put("heap", u)
        if self.members:
            put("size[16]", owner)
        if shift is not None:
            put(self.claims.names[shift], *((owner,) if self.members else ()))
        return builder.build()

    def shifts(self, structure: Structure, owner: int) -> list[int]:
        """The differences of the claims that a structure makes, or may make."""
        nodes = (owner,) if self.members else ()
        return [k for k, name in self.claims.names.items() if structure.value(name, *nodes) is not Kleene.FALSE]


@pytest.mark.parametrize("members", [True, False])
@pytest.mark.parametrize("type_", ["int", "unsigned"])
def test_claims_are_true_after_every_operation(tmp_path: Path, type_: str, members: bool) -> None:
    layout = Layout(tmp_path, type_, members=members)
    vocabulary = layout.vocabulary
    plain, stages = Coercer(vocabulary, all_rules(vocabulary)), Stages(False, False, False)
    wrap = layout.claims.type.wrap
    kept = checked = 0
    names = [n for n in layout.steps if " = " in n and n.split(" = ")[0] in ("head", "len", NEXT)]
    for name in [*names, "free(x)"]:
        transformers = [Transformer(derive(a, vocabulary).action, plain, stages=stages) for a in layout.steps[name]]
        for heap in heaps():
            then, length = after(heap, name, wrap), heap.length()
            if then is None or (heap.freed is not None and heap.freed == then.head):
                continue
            true = [k for k in layout.claims.names if length is not None and wrap(length + k) == heap.len]
            for shift in (None, *true):
                current = layout.structure(heap, shift)
                for transformer in transformers:
                    (current,) = transformer.post(current).structures
                number = then.length()
                for k in layout.shifts(current, len(heap.following)):
                    assert number is not None and wrap(number + k) == then.len, (name, heap, shift, k)
                    kept += 1
                checked += 1
    assert checked > 2000
    assert kept > checked // 4, "claims are made"


def test_what_claims_say_about_numbers_is_true(tmp_path: Path) -> None:
    """No heap with a true claim is discarded where its counter is read, and the number stays."""
    for members in (True, False):
        layout = Layout(tmp_path, "int", members=members)
        vocabulary = layout.vocabulary
        plain, stages = Coercer(vocabulary, all_rules(vocabulary)), Stages(False, False, False)
        counts = layout.translator.context.counts
        assert counts is not None
        for condition, holds in (("len > 0", lambda n: n > 0), ("len == 1", lambda n: n == 1)):
            label = next(
                e.label for e in layout.translator.source.edges if str(e.label).replace("l->", "") == f"[{condition}]"
            )
            steps = [s.action for s in layout.translator._steps(label)]
            transformers = [Transformer(derive(a, vocabulary).action, plain, stages=stages) for a in steps]
            for heap in heaps():
                length = heap.length()
                for k in [k for k in layout.claims.names if length is not None and length + k == heap.len]:
                    current = [layout.structure(heap, k)]
                    for transformer in transformers:
                        current = [s for c in current for s in transformer.post(c).structures]
                    assert len(current) == int(holds(heap.len)), (condition, heap, k)


@pytest.mark.parametrize(
    ("text", "candidates"),
    [
        ("while (n--) { x = x->next; }", True),
        ("while (n) { x = x->next; }", False),
        ("while (c--) { x = x->next; }", False),
    ],
)
def test_counters_are_numbers_that_are_wide_and_stepped(tmp_path: Path, text: str, candidates: bool) -> None:
    """A counter of 16 bits wraps before a list is too long: it is none."""
    body = f"int n = __VERIFIER_nondet_int(); short c = n; struct node *x = malloc(sizeof *x); x->next = x; {text}"
    program, cfa = inlined(tmp_path, body, HEADER.replace("TYPE", "int"))
    assert bool(counts_of(Memory(program, cfa, typed=True))) == candidates


def test_linear_expressions_have_an_lvalue_and_a_number(tmp_path: Path) -> None:
    body = "int n = __VERIFIER_nondet_int(), m; m = n + 1; m = n - 2; m = 3 + n; m = n * 2; m = n + n;"
    _, cfa = inlined(tmp_path, body)
    sums = [linear(e.label.value) for e in cfa.edges if str(e.label).startswith("m = ")]  # type: ignore[union-attr]
    assert [None if s is None else (str(s[0]), s[1]) for s in sums] == [("n", 1), ("n", -2), ("n", 3), None, None]


def test_a_number_that_was_forgotten_says_nothing() -> None:
    """The index of a loop over slots is in no number that is read: its claims contradicted it, and ended all runs."""
    program = Path(__file__).parents[2] / "unsafe_c" / "rewritings" / "not_only_slots.c"
    (attempt,) = (a for a in ATTEMPTS if a.name == "counts")
    result = analyse_by_attempt(
        Prepared(read_program([str(program)])), attempt, malloc_may_fail=True, seconds=20, max_structures=20_000
    )
    assert result is not None
    assert result.alarms
