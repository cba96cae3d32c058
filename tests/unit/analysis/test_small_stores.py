"""Given updates on small stores: what a later focus would hide is a wrong update (thesis section 8.1)."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from tests.oracle.concrete import is_valid
from tests.oracle.naive import embeds, from_structure

from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.run import prepare, run
from kleene.analysis.tvp.small_stores import small_stores
from kleene.report.run.result import INCOMPLETE, VERIFIED, RunReport
from kleene.structures.tvs_reader import parse_tvs, read_tvs
from kleene.transformers.coerce import Coercer
from kleene.transformers.rules import all_rules
from kleene.tvp.program import parse_program

EXAMPLES = Path(__file__).parents[3] / "examples" / "tvp"
WALK = """%s PV {x, y, t}
foreach (z in PV) { %p z(v) unique pointer }
%p n(a, b) function
%i is[n](v) = E(a, b) a != b & n(a, v) & n(b, v)
foreach (z in PV) { %i r[z](v) = E(u) z(u) & n*(u, v) }
%%
%action copy(a, b) { %f { b(v) } { a(v) = b(v) UPDATE } }
%action next(a, b) { %f { E(u) b(u) & n(u, v) } { a(v) = E(u) b(u) & n(u, v) } }
%action null(a) { %p !(E(v) a(v)) }
%action some(a) { %f { a(v) } %p E(v) a(v) }
%%
l1 copy(y, x) l2
l2 next(t, y) l3
l3 null(t) exit
l3 some(t) l4
l4 copy(y, t) l2
"""
LISTS = """%n = {h, s} %p = { sm = {s:1/2} x = {h} n = {h->s:1/2, s->s:1/2} r[x] = {h, s} }
%n = {h} %p = { x = {h} r[x] = {h} }"""


def ran(update: str, order: str) -> RunReport:
    program = parse_program(WALK.replace("UPDATE", update))
    return run(prepare(program, RunOptions(order=order)), parse_tvs(LISTS, program.vocabulary).structures)


@pytest.mark.parametrize("order", ["inner-first", "tvla"])
@pytest.mark.parametrize("update", ["r[a](v) = b(v)", "r[a](v) = is[n](v) | b(v)", "r[a](v) = b(v) | !r[x](v)"])
def test_a_wrong_update_that_focus_hides(update: str, order: str) -> None:
    """Lists of one cell came to the exit, those of two were lost, and the verdict was `verified`."""
    report = ran(update, order)
    assert report.verdict == INCOMPLETE
    assert report.reason is not None and "definition of r[y]" in report.reason
    assert "on a store of a structure there" in report.reason


@pytest.mark.parametrize("update", ["", "r[a](v) = r[b](v)", "r[a](v) = 1/2", "is[n](v) = is[n](v)"])
def test_right_updates(update: str) -> None:
    assert ran(update, "inner-first").verdict == VERIFIED


def test_the_update_that_an_example_had() -> None:
    """Elements whose last successor is marked become closed too; the example was `verified` without them."""
    path = EXAMPLES / "features" / "mark_sweep.tvp"
    text = path.read_text()
    right = " | A(w) (ref(v, w) -> (marked(w) | E(u) (x(u) & ref(u, w))))"
    assert right in text
    for source, verdict in ((text, VERIFIED), (text.replace(right, ""), INCOMPLETE)):
        program = parse_program(source)
        report = run(prepare(program, RunOptions()), read_tvs(path.with_suffix(".tvs"), program.vocabulary).structures)
        assert report.verdict == verdict


def test_stores_are_stores_of_the_structure() -> None:
    program = parse_program(WALK.replace("UPDATE", ""))
    coercer = Coercer(program.vocabulary, all_rules(program.vocabulary, program.rules))
    for item in parse_tvs(LISTS, program.vocabulary).structures:
        stores = list(islice(small_stores(item.structure, coercer), 8))
        assert {s.size for s in stores} == ({2, 3} if item.structure.size == 2 else {1})
        for store in stores:
            assert store.is_concrete
            assert is_valid(from_structure(store), program.rules)
            assert embeds(from_structure(store), from_structure(item.structure))
