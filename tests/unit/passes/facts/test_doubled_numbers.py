"""Capacities that are doubled, and what conditions say of a capacity: the indices of heaps, the blocks of builders."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from tests.unit.passes.facts.test_sums_and_sizes import alarms
from tests.unit.semantics.translated import program_of

from kleene.analysis.c.shape.analyse import analyse
from kleene.cfa.expressions import Binary, Constant, Variable
from kleene.cfa.graph import Cfa
from kleene.cfa.types import INT
from kleene.passes.facts.relations.forms import Form, form_of_constant
from kleene.passes.facts.relations.merging import merge
from kleene.passes.facts.relations.states import State
from kleene.passes.facts.relations.values import Values
from kleene.passes.preparation import Prepared

SECONDS = 30.0
"""It takes 1 s of the processor."""
BYTE = (-128, 127)
"""The numbers of a type with few of them."""
N = Variable("n", INT)
HEAP = """struct heap { int *a; int n, cap; };
static void push(struct heap *h, int x) {
    if (h->n == h->cap) {
        int cap = h->cap ? 2 * h->cap : 4;
        int *a = realloc(h->a, cap * sizeof *a);
        if (!a) abort();
        h->a = a;
        h->cap = cap;
    }
    h->a[h->n++] = x;
}
static void sink(struct heap *h) {
    for (int i = 0;;) {
        int left = 2 * i + 1, right = left + 1, most = i;
        if (left < h->n && h->a[left] < h->a[most]) most = left;
        if (right < h->n && h->a[right] < h->a[most]) most = right;
        if (most == i) break;
        h->a[i] = h->a[most];
        i = most;
    }
}
int main(void) {
    struct heap h = { 0 };
    while (__VERIFIER_nondet_int()) push(&h, __VERIFIER_nondet_int());
    while (h.n) { h.n--; if (h.n) sink(&h); }
    free(h.a);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ("", "", set()),
        ("2 * h->cap : 4", "2 * h->cap : 3", {"out_of_bounds"}),
        ("2 * h->cap : 4", "3 * h->cap : 4", {"out_of_bounds"}),
        ("2 * h->cap : 4", "h->cap + 4 : 4", {"out_of_bounds"}),
        ("left < h->n", "left <= h->n", {"out_of_bounds"}),
    ],
)
def test_indices_of_a_heap_do_not_wrap(tmp_path: Path, old: str, new: str, kinds: set[str]) -> None:
    """Capacities of 4, 8, ... end at 2^30, so ``2 * i + 2`` does not wrap; with 3, 6, ... up to 3 * 2^29 it does."""
    assert alarms(tmp_path, HEAP.replace(old, new, 1) if old else HEAP) == kinds


def _values(tmp_path: Path) -> Values:
    program = program_of(tmp_path, "int main(void) { return 0; }")
    cfa = program.main.cfa
    return Values(program, Cfa(cfa.entry, cfa.edges))


@pytest.mark.parametrize("odd", [1, 3, 5, 7])
@pytest.mark.parametrize("factor", [2, 3, 4, 6, 100])
def test_products_of_doubled_numbers(tmp_path: Path, odd: int, factor: int) -> None:
    """What is known of a product in a type of 8 bits holds for each number that is doubled, or 0."""
    values, state = _values(tmp_path), State()
    number = state.fresh(0, BYTE[1])
    state.add_form(number, Form(odd))
    result = values._product(number, state.fresh(factor, factor), BYTE, state)
    low, high = state.interval(result)
    for value in [0, *(odd << k for k in range(8) if odd << k <= BYTE[1])]:
        assert value <= state.interval(number)[1]
        wrapped = (value * factor + 128) % 256 - 128
        assert low <= wrapped <= high
        assert state.form(result).covers(form_of_constant(wrapped))


@pytest.mark.parametrize(
    "ranges", [((0, 127), (0, 63), (1, 1)), ((0, 120), (0, 120), (0, 15)), ((3, 127), (0, 0), (2, 9))]
)
def test_sums_of_three_numbers_that_wrap(tmp_path: Path, ranges: tuple[tuple[int, int], ...]) -> None:
    """A sum in a type of 8 bits is each of its terms plus what is known, or less than 0: ``n + n / 2 + 1``."""
    values, state = _values(tmp_path), State()
    terms = [Variable(name, INT) for name in "xyz"]
    for term, bounds in zip(terms, ranges, strict=True):
        state.held[term] = state.fresh(*bounds)
    sum_of_three = Binary("+", Binary("+", terms[0], terms[1], INT), terms[2], INT)
    result = values._wrapped_sum(sum_of_three, BYTE, state)
    assert result is not None
    for numbers in product(*(range(low, high + 1, 3) for low, high in ranges)):
        wrapped = (sum(numbers) + 128) % 256 - 128
        assert wrapped != 0 or not state.is_nonzero(result)
        for term, number in zip(terms, numbers, strict=True):
            assert wrapped < 0 or wrapped >= number + state.grown[result, state.held[term]]


@pytest.mark.parametrize("multiple", [1, 2, 4, 8, 32])
@pytest.mark.parametrize("more", [0, 1, 2, 4, 5, 8, 64])
def test_capacities_that_are_doubled_and_more(tmp_path: Path, multiple: int, more: int) -> None:
    """``2 * n + 4`` in a type of 8 bits, for each multiple of a power of 2: larger than it, or less than 0."""
    values, state = _values(tmp_path), State()
    state.held[N] = number = state.fresh(0, BYTE[1])
    state.add_form(number, Form(multiple=multiple))
    doubled = Binary("*", N, Constant(2, INT), INT)
    result = values._wrapped_sum(Binary("+", doubled, Constant(more, INT), INT), BYTE, state)
    capacities = range(0, BYTE[1] + 1, multiple)
    wrapped = {n: (2 * n + more + 128) % 256 - 128 for n in capacities}
    if result is None:
        assert any(2 * n + more > 255 for n in capacities)
        return
    low, high = state.interval(result)
    for n, grown in wrapped.items():
        assert low <= grown <= high
        assert grown < 0 or grown >= n + state.grown[result, number]
        assert grown or not state.is_nonzero(result)
        assert state.form(result).covers(form_of_constant(grown))


def test_bounds_of_forms() -> None:
    """No number of a form is outside of its bounds."""
    for odd, multiple, low, high in product((None, 1, 3), (1, 4), range(-9, 9, 3), range(-8, 40, 3)):
        form = Form(odd, multiple)
        least, most = form.bounds((low, high))
        own = [n for n in range(low, high + 1) if form.covers(form_of_constant(n))]
        assert all(least <= n <= most for n in own)


@pytest.mark.parametrize(
    "ranges", [((0, 127), (0, 127), (0, 2)), ((0, 127), (-1, 5), (0, 1)), ((-9, 127), (0, 1), (1, 1))]
)
def test_sums_that_may_wrap_to_any_number(tmp_path: Path, ranges: tuple[tuple[int, int], ...]) -> None:
    values, state = _values(tmp_path), State()
    terms = [Variable(name, INT) for name in "xyz"]
    for term, bounds in zip(terms, ranges, strict=True):
        state.held[term] = state.fresh(*bounds)
    sum_of_three = Binary("+", Binary("+", terms[0], terms[1], INT), terms[2], INT)
    assert values._wrapped_sum(sum_of_three, BYTE, state) is None


def test_doubled_numbers_that_meet() -> None:
    """Numbers of two states are doubled in the join only if they have the same odd part; 0 has any."""
    for one, two, joint in ((4, 8, Form(1, 4)), (6, 24, Form(3, 2)), (4, 6, Form(None, 2)), (0, 12, Form(3, 4))):
        first, second = State(), State()
        first.held[N], second.held[N] = first.fresh(one, one), second.fresh(two, two)
        state, _ = merge(first, second)
        assert state.forms[state.held[N]] == joint


BUILDER = """struct builder { char *data; size_t len, cap; };
static int append(struct builder *b, const char *s) {
    size_t n = strlen(s);
    if (b->len + n + 1 > b->cap) {
        size_t cap = b->cap ? b->cap : 16;
        while (cap < b->len + n + 1) cap *= 2;
        char *data = realloc(b->data, cap);
        if (!data) return -1;
        b->data = data;
        b->cap = cap;
    }
    memcpy(b->data + b->len, s, n);
    b->len += n;
    b->data[b->len] = 0;
    return 0;
}
int main(int argc, char **argv) {
    struct builder b = { NULL, 0, 0 };
    for (int i = 0; i < argc; i++) if (append(&b, argv[i])) break;
    free(b.data);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("old", "new", "alarmed"),
    [
        ("", "", set()),
        ("n + 1 > b->cap", "n > b->cap", {"null_dereference", "out_of_bounds"}),
        ("NULL, 0, 0", "NULL, 0, 1", {"null_dereference"}),
    ],
)
def test_a_capacity_that_is_large_enough_is_not_0(tmp_path: Path, old: str, new: str, alarmed: set[str]) -> None:
    """Where ``len + n + 1 <= cap``, the capacity is not 0, so the block is there."""
    prepared = Prepared(program_of(tmp_path, BUILDER.replace(old, new, 1) if old else BUILDER))
    result = analyse(prepared, malloc_may_fail=True, seconds=SECONDS)
    kinds = {alarm.kind for alarm in result.alarms}
    assert result.complete
    assert bool(kinds) == bool(alarmed) and (not alarmed or kinds & alarmed)
