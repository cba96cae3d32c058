"""Images of numbers, executed: whatever a program does on numbers it does on their images, and sorting is proved."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.passes.executed import Answer, answers
from tests.unit.passes.test_zero_one_images import ASSERT, OPERATORS
from tests.unit.semantics.translated import inlined, program_of

from kleene.cfa.expressions import Comparison, Constant, Unary, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, DeclareLocal, Error, Operation, Skip, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import INT, Type
from kleene.passes.facts.memory import Memory
from kleene.passes.zero_one_images import mapped_by_images, with_images

NUMBERS = (-1, 0, 1, 2, 3)
READ = "__VERIFIER_nondet_int"
THREE = f"int a = {READ}(), b = {READ}(), c = {READ}(); "
NODES = "struct node *p = malloc(sizeof *p), *q = malloc(sizeof *q); "
ZEROED = NODES.replace("malloc(", "calloc(1, ")
WIDE = "struct wide { void *next; int data, more; } *w = (struct wide *)p; "
CALLOC = "struct node *z = calloc(1, sizeof *z); free(z);"
LONG_T, LONG_U = (" ".join(f"int {x}{k} = {x}{k - 1 if k else ''};" for k in range(8)) for x in "tu")
FAILED = ("error", None, "assertion")


class Images:
    """A program, and its automaton on images."""

    def __init__(self, folder: Path, body: str, change: Callable[[Operation], list[Operation]] | None = None) -> None:
        self.program = program_of(folder, body, ASSERT)
        prepared, cfa = inlined(folder, body, ASSERT)
        if change is not None:
            cfa = changed_by(cfa, change)
            self.program = replace(prepared, functions={prepared.entry: replace(prepared.main, cfa=cfa)})
        memory = Memory(prepared, cfa, typed=True)
        self.maps = mapped_by_images(memory)
        self.variables = {v.name: v for v in prepared.main.locals}
        images = with_images(memory)
        self.changed = images != cfa
        nodes = [n for e in images.edges for x in expressions(e.label) for n in walk(x)]
        assert all(isinstance(n.type, Type) for n in nodes)
        main = replace(prepared.main, cfa=images, locals=(*prepared.main.locals, Variable("$image", INT)))
        self.images: CProgram = replace(prepared, functions={main.name: main})

    def of_numbers(self) -> set[Answer]:
        return answers(self.program, lambda why, _: NUMBERS)

    def of_images(self) -> set[Answer]:
        """For all choices; a number that has no image is read as it is."""
        return answers(self.images, lambda why, _: NUMBERS if why == READ else (0, 1))

    def mapped(self, names: str) -> str:
        return "".join(name for name in names if self.maps(self.variables[name]))


def changed_by(cfa: Cfa[Operation], change: Callable[[Operation], list[Operation]]) -> Cfa[Operation]:
    """The automaton with other operations in the place of each."""
    edges: list[Edge[Operation]] = []
    for edge in cfa.edges:
        *first, last = change(edge.label)
        here = edge.source
        for label in first:
            edges.append(Edge(here, label, f"{edge.target} {len(edges)}"))
            here = edges[-1].target
        edges.append(Edge(here, last, edge.target))
    return Cfa(cfa.entry, tuple(edges))


def negated(label: Operation) -> list[Operation]:
    """An assumption of the negation, which is assumed not to hold."""
    if not isinstance(label, Assume):
        return [label]
    return [Assume(label.place, Unary("!", label.condition, INT), not label.truth)]


def twice_negated(label: Operation) -> list[Operation]:
    return negated(*negated(label))


def bare(label: Operation) -> list[Operation]:
    """A number as a condition, instead of the comparison of it with zero."""
    test = label.condition if isinstance(label, Assume) else None
    if not isinstance(label, Assume) or not isinstance(test, Comparison) or test.right != Constant(0, INT):
        return [label]
    return [Assume(label.place, test.left, label.truth == (test.operator == "!="))]


def complemented(label: Operation) -> list[Operation]:
    """The complement of an answer as a condition, which always holds."""
    (changed,) = bare(label)
    test = changed.condition if isinstance(changed, Assume) else None
    if not isinstance(changed, Assume) or not isinstance(test, Variable) or test.name not in ("t", "u"):
        return [label]
    return [replace(changed, condition=Unary("~", test, INT))]


def declared_again(label: Operation) -> list[Operation]:
    """A variable loses its value when it is copied."""
    copied = isinstance(label, Assign) and isinstance(label.value, Variable) and label.value.name in ("t", "u")
    return [label, DeclareLocal(label.place, label.value)] if copied else [label]


EXACT = {
    "an order": "if (a > b) { int t = a; a = b; b = t; } assert(a <= b);",
    "an order by flags": "int t = a > b; if (t) { int u = a; a = b; b = u; } assert(a <= b);",
    "the other way": "if (b < a) { int t = a; a = b; b = t; } assert(b >= a);",
    "the least": "int m = a; if (b < m) m = b; if (c < m) m = c; assert(m <= a && m <= b && m <= c);",
    "the greatest": "int m = a; if (b >= m) m = b; assert(m >= a); assert(!(m < b));",
    "three in order": (
        "int t; if (a > b) { t = a; a = b; b = t; } if (b > c) { t = b; b = c; c = t; }"
        " if (a > b) { t = a; a = b; b = t; } assert(a <= b); assert(b <= c);"
    ),
    "the same number": "int d = a; assert(d == a); assert(d <= a && d >= a);",
    "numbers in nodes": (
        NODES + "p->data = a; q->data = b; if (p->data > q->data) { int t = p->data; p->data = q->data; q->data = t; }"
        " assert(p->data <= q->data); assert(q->data >= p->data);"
    ),
    "numbers in nodes of zeros": (
        ZEROED + "p->data = a; q->data = b; if (p->data > q->data) { int t = p->data; p->data = q->data; q->data = t; }"
        " assert(p->data <= q->data); assert(q->data >= p->data);"
    ),
    "a zero that is copied": ZEROED + "a = p->data; b = a; assert(a <= p->data); assert(b >= p->data);",
    "an answer that is kept": "int t = a <= b; int u = t; if (u) assert(a <= b); else assert(b <= a);",
    "an answer that is asked for otherwise": "int t = a <= b; if (t != 0) assert(a <= b); if (t == 0) assert(b <= a);",
    "an answer that is kept while others change": (
        "if (a > b) a = b; int t = a <= b; int u = 5; if (!t) assert(0); return u - 5;"
    ),
    "an answer about other numbers": (
        "if (a > b) a = b; int d = 3; d = d + 1; int s = d < 3; if (s) return 9; assert(a <= b);"
    ),
    "an assertion by a flag": "if (a > b) a = b; int t = a <= b; sure(t);",
}
FAILING = {
    "unordered numbers": "assert(a <= b);",
    "a strict order": "if (a > b) a = b; assert(a < b);",
    "numbers that differ": "if (a > b) a = b; assert(a != b);",
    "numbers that are equal": "if (a > b) a = b; assert(a == b);",
    "not transitive with equality": "if (a != b) if (b != c) assert(a != c);",
    "less and less": "if (a < b) if (b < c) assert(c <= a);",
    "greater and greater": "if (a > b) if (b > c) assert(c >= a);",
    "flags": "int t = a < b, u = b < c; if (t) if (u) assert(c <= a);",
    "a flag that is turned": "int t = a < b; if (!t) assert(a < b);",
    "a flag that is overwritten": "int t = a < b; t = 0; if (!t) assert(a < b);",
    "a flag that is declared again": "{ int t = a < b; if (t) return 1; } { int t = a <= b; sure(t); }",
    "a constant": "if (a < b) a = 2; assert(a <= b);",
    "a number that has no image": f"int d = {READ}(); if (d + 1 == 4) return 9; assert(a <= b); return 1;",
    "a constant below": "if (a < b) { a = 0; assert(a >= c); } return 1;",
    "zeros below": ZEROED + "p->data = b; assert(q->data >= a);",
    "zeros above": ZEROED + "p->data = b; assert(q->data <= a);",
    "zeros and numbers": ZEROED + "if (a < b) p->data = a; assert(p->data <= b);",
    "bytes that are no member": ZEROED + WIDE + "w->data = b; assert(w->more <= a);",
    "a constant compared": "if (a <= 2) b = a; assert(a <= b);",
    "a status by order": (
        "int s = 0; if (a < b) s += 1; if (b < c) s += 2; if (a < c) s += 4; assert(a <= c); return s;"
    ),
    "a status by flags": "int t = a < b, u = b < c, v = a == c; assert(a <= c); return t + 2 * u + 4 * v;",
    "a status by equality": (
        "int s = 0; if (a == b) s += 1; if (b != c) s += 2; if (a == c) s += 4; assert(a <= c); return s;"
    ),
    "conditions with no order": "int s = a ? 1 : 2; assert(a <= b); return s;",
    "a negated condition": "int s = 0; if (!(a < b)) s = 1; if (!(b >= c)) s += 2; assert(!(a > c)); return s;",
    "one side that is no image": "int d = 1; d = d + 1; int s = a < d; assert(a <= b); return s;",
    "an answer about one side that is no image": (
        "int d = 1; d = d + 1; int s = a < d; if (!s) assert(b <= a); return 1;"
    ),
    "an answer about the other side that is no image": (
        "int d = 1; d = d + 1; int s = d > a; if (!s) assert(b <= a); return 1;"
    ),
    "an assertion that another follows": (
        "int s = 0; if (a < b) { s = 1; if (b < c) s = 2; } assert(a <= b); assert(b <= c); return s;"
    ),
    "a failure that a test avoids": "if (a > b) { if (c > b) assert(0); } return 3;",
    "a failure behind a copy": "int t = a <= b, u; u = t; int v = u; if (!v) assert(0); return 2;",
    "a failure or an exit": "int t = a <= b; if (!t) { if (c < a) return 5; assert(0); } return 2;",
    "a flag that a pointer changes": "int t = a <= b, *r = &t; *r = 0; if (!t) assert(0); return 2;",
    "a flag of another": "int t = a <= b, u = b <= c; if (!u) sure(t); return 2;",
    "answers that are compared with one": (
        "int t = a < b; if (t == 1) ; else assert(0); int u = b < c; if (u == 1) return 7; assert(0);"
    ),
    "answers that are compared with a number": (
        "int t = a < b; if (t > 0) ; else assert(0); int u = b < c; if (u > 0) return 7; assert(0);"
    ),
    "answers that are kept for long": (
        f"int t = a < b; {LONG_T} int u = b < c; {LONG_U} if (t7) if (u7) return 7; assert(a <= b); return 1;"
    ),
    "answers that are kept elsewhere, and overwritten": (
        "int t = a <= b, s = t; t = 1; if (!t) assert(0); int u = b <= c, v = u; u = 1; if (!u) assert(0);"
        " if (!s) if (!v) return 7; assert(a <= c); return 1;"
    ),
    "answers that are kept elsewhere, and read anew": (
        f"int t = a <= b, s = t; t = {READ}(); if (!t) assert(0);"
        f" int u = b <= c, v = u; u = {READ}(); if (!u) assert(0);"
        " if (!s) if (!v) return 7; assert(a <= c); return 1;"
    ),
    "numbers in nodes": (
        NODES + "p->data = a; q->data = b; int s = p->data < c; if (s) p->data = q->data;"
        " assert(p->data <= c); return s;"
    ),
}  # fmt: skip
NUMBERS_KEPT = {
    True: [
        "",
        'printf("%d", a);',
        "c = a;",
        "struct node *z = calloc(1, sizeof *z); free(z);",
        "int d = a == b; if (d) return 2;",
        "int d = 3; d = d + 1; if (d < 3) return 2;",
    ],
    False: [
        "a = a + 1;",
        "int d = a + 1; if (d) c = 1;",
        "int t[9] = {0}; if (a == 3) t[a & 7] = 1;",
        "if (a + 1 < b + 1) return 1;",
        "int d = (a < b) + 1; if (d == 2) return 3;",
        "if ((a < b) == (b < 3)) return 1;",
        "static int g; g = a;",
        "static int g; if (g < a) return 4;",
        "long d = a; if (d == 4) return 1;",
        "a = (char)b;",
        "a = b < 3;",
        "int *r = &a; char *e = (char *)r; if (*e == 1) return 3;",
    ],
}
CELLS = {
    True: ["", "q->data = c; if (q->data < p->data) q->data = a;", "struct node n; n.next = p;", CALLOC],
    False: [
        "memset(q, 0, sizeof *q); q->next = 0;",
        "struct node *z = calloc(2, sizeof *z); free(z);",
        "*q = *p;",
        "static struct node n; struct node *r = c ? &n : q; r->next = 0;",
        "q->data = p->data + 1;",
        "union { int i; unsigned u; } *w = malloc(4); w->i = a; if (w->u > 7u) return 2; free(w);",
        "struct bits { int x : 4; struct node *n; } *z = malloc(16); z->x = 3; free(z);",
        "if (*(unsigned *)&p->data < 7u) return 1;",
        "int *o = (int *)((char *)q + 6); *o = a;",
        "long *w = (long *)&q->data; (void)w; q->data = (char)a;",
    ],
}


@pytest.mark.parametrize("name", EXACT)
def test_what_holds_of_numbers_holds_of_images(tmp_path: Path, name: str) -> None:
    runs = Images(tmp_path, THREE + EXACT[name])
    assert runs.changed
    assert runs.of_images() == runs.of_numbers() == {("exit", 0, "")}


@pytest.mark.parametrize("name", FAILING)
def test_images_do_what_numbers_do(tmp_path: Path, name: str) -> None:
    runs = Images(tmp_path, THREE + FAILING[name])
    numbers = runs.of_numbers()
    assert len(numbers) > 1 or FAILED in numbers
    assert numbers <= runs.of_images()


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(tmp_path: Path, seed: int) -> None:
    """Copies under tests, flags of how numbers compare, and an assertion on both ways of writing one."""
    rng = random.Random(f"executed {seed}")
    places = [*"abc", "p->data", "q->data"]
    tests = [f"{rng.choice(places)} {rng.choice(list(OPERATORS))} {rng.choice(places)}" for _ in range(5)]
    copies = [f"{rng.choice(places)} = {rng.choice([*places, '2'])};" for _ in range(2)]
    body = (
        f"{THREE} {NODES} p->data = {rng.choice('abc')}; q->data = {rng.choice('abc')}; int s = 0;"
        f" if ({tests[0]}) {copies[0]} int t = {tests[1]}; if (t) {copies[1]}"
        f" if ({tests[2]}) s += 1; int u = {tests[3]}; if (!u) s += 2;"
        f" {('assert', 'sure')[seed % 2]}({tests[4]}); return s;"
    )
    runs = Images(tmp_path, body)
    assert runs.of_numbers() <= runs.of_images()


@pytest.mark.parametrize(("kept", "use"), [(kept, use) for kept, uses in NUMBERS_KEPT.items() for use in uses])
def test_which_numbers_have_images(tmp_path: Path, kept: bool, use: str) -> None:
    """Those of which no more is asked than how they compare; whatever is asked, nothing is lost."""
    body = f"{THREE} if (a > b) a = b; if (b > c) b = c; if (c > a) c = a; assert(c <= a); {use}"
    runs = Images(tmp_path, body)
    assert runs.mapped("abc") == ("abc" if kept else "")
    assert runs.of_numbers() <= runs.of_images()


@pytest.mark.parametrize(("known", "use"), [(known, use) for known, uses in CELLS.items() for use in uses])
def test_which_cells_have_images(tmp_path: Path, known: bool, use: str) -> None:
    body = f"{THREE} {NODES} p->data = a; if (p->data > b) p->data = b; {use} assert(p->data <= b);"
    runs = Images(tmp_path, body)
    assert (runs.mapped("ab") == "ab") == known
    assert runs.of_numbers() <= runs.of_images()


@pytest.mark.parametrize("change", [negated, twice_negated, bare])
@pytest.mark.parametrize("name", ["an order", "an answer that is kept", "the greatest", "an assertion by a flag"])
def test_conditions_of_other_forms(tmp_path: Path, name: str, change: Callable[[Operation], list[Operation]]) -> None:
    runs = Images(tmp_path, THREE + EXACT[name], change)
    assert runs.changed
    assert runs.of_images() == runs.of_numbers()


@pytest.mark.parametrize("change", [negated, bare])
@pytest.mark.parametrize("name", ["less and less", "a status by order", "a failure behind a copy"])
def test_conditions_of_other_forms_lose_nothing(
    tmp_path: Path, name: str, change: Callable[[Operation], list[Operation]]
) -> None:
    runs = Images(tmp_path, THREE + FAILING[name], change)
    assert runs.changed
    assert runs.of_numbers() <= runs.of_images()


@pytest.mark.parametrize("change", [declared_again, complemented])
def test_answers_that_are_kept_elsewhere(tmp_path: Path, change: Callable[[Operation], list[Operation]]) -> None:
    """A variable that is declared again has any value; a complement holds whatever the answer is."""
    body = (
        "int t = a <= b, s = t; if (!t) assert(0); int u = b <= c, v = u; if (!u) assert(0);"
        " if (!s) if (!v) return 7; assert(a <= c); return 1;"
    )
    runs = Images(tmp_path, THREE + body, change)
    assert runs.changed
    assert ("exit", 7, "") in runs.of_numbers() <= runs.of_images()


def test_what_main_returns_is_not_followed(tmp_path: Path) -> None:
    for value in ("a", "a < b"):
        assert Images(tmp_path, f"{THREE} assert(a <= b); return {value};").mapped("ab") == "ab"


def test_locations_with_several_tests_are_not_followed(tmp_path: Path) -> None:
    """Two edges leave where numbers are compared, with one test: else the automaton stays as it is."""
    prepared, cfa = inlined(tmp_path, THREE + "assert(a < b);", ASSERT)
    a, b = (v for v in prepared.main.locals if v.name in "ab")
    first, second = (e for e in cfa.edges if isinstance(e.label, Assume))
    assert first.source == second.source
    place, test = first.label.place, Comparison("<", a, b)
    others = tuple(e for e in cfa.edges if e is not second)

    def changed(*edges: Edge[Operation]) -> bool:
        whole = Cfa(cfa.entry, edges)
        return with_images(Memory(prepared, whole, typed=True)) != whole

    assert changed(*cfa.edges)
    assert not changed(*(e for e in others if not isinstance(e.label, Error)))  # one test, and no failure
    assert not changed(*cfa.edges, Edge(first.source, Assume(place, test), second.target))
    assert not changed(*others, Edge(first.source, Assume(place, Comparison(">", a, b)), second.target))
    assert not changed(*others, Edge(first.source, Skip(place), second.target))
    assert not changed(*(e for e in cfa.edges if not isinstance(e.label, Error)))  # one way ends without a failure
    (failure,) = (e for e in cfa.edges if isinstance(e.label, Error))
    assert not changed(*(e for e in cfa.edges if e is not failure), replace(failure, target=second.target)), (
        "it goes on"
    )


def test_each_test_of_a_location_is_looked_at(tmp_path: Path) -> None:
    """Only the first one was; the images of another one were compared as if they were numbers."""
    prepared, cfa = inlined(tmp_path, THREE + "int d = 3; d = d + 1; assert(a <= b); assert(b <= c); return d;", ASSERT)
    (d,) = (v for v in prepared.main.locals if v.name == "d")
    first, second, *_ = (e for e in cfa.edges if isinstance(e.label, Assume))
    other = replace(second, label=Assume(first.label.place, Comparison("==", d, Constant(4, INT))))
    for pair in ((first, other), (other, first)):
        whole = Cfa(cfa.entry, (*pair, *(e for e in cfa.edges if e not in (first, second))))
        assert with_images(Memory(prepared, whole, typed=True)) == whole


def test_without_an_assertion_numbers_stay(tmp_path: Path) -> None:
    for body in (
        "if (a < b) return 1;",
        "int t = a < b; if (t) return 1;",
        "if (a < b) assert(c != 3);",
        "if (a < b) assert(a <= 3);",
        "if (a < b) c = 1; int t = a <= 3; if (!t) assert(0);",
        "assert(a <= 3);",
        "assert(a);",
    ):
        assert not Images(tmp_path, THREE + body).changed
    assert Images(tmp_path, THREE + "assert(a < b);").changed
