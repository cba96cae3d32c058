"""A recursive program whose frames are nodes: which rules its structures depend on (docs/tvla-differences.md)."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.run import prepare, run
from kleene.cfa.graph import Edge
from kleene.report.run.result import INCOMPLETE, VERIFIED, RunReport
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import parse_tvs
from kleene.transformers.action import Action
from kleene.transformers.differencing import DifferencingOptions
from kleene.tvp.program import parse_program

# void release(struct list *x) { struct list *t; if (x == NULL) return; t = x->n; release(t); free(x); }
PROGRAM = """%s Var {x, t}
%p stack(v)
%p top(v) unique
%p pr(v1, v2) function
%p cs[release](v)
foreach (z in Var) { %p z(v1, v2) function }
%p n(v1, v2) function
%i sh(v) = E(v1, v2) n(v1, v) & n(v2, v) & v1 != v2
foreach (z in Var) {
  %i cur[z](v) = E(f) top(f) & z(f, v)
  %i prev[z](v) = E(f, g) top(f) & pr(f, g) & z(g, v)
  %i some[z](v) = E(f) z(f, v)
  %i null[z]() = !(E(f, v) top(f) & z(f, v))
}
%i ptop(v) = E(f) top(f) & pr(f, v)
%i reach(v) = E(u) cur[x](u) & n*(u, v)
%%
%action call(c) { %f { E(f) top(f) & t(f, v) }
  %new
  { stack(v) = stack(v) | isNew(v)
    top(v) = isNew(v)
    pr(v1, v2) = pr(v1, v2) | isNew(v1) & top(v2)
    cs[c](v) = cs[c](v) | isNew(v)
    x(v1, v2) = x(v1, v2) | isNew(v1) & E(f) top(f) & t(f, v2) } }
%action ret(c) { %f { E(f) top(f) & pr(f, v), top(v) & cs[c](v) }
  %p E(f) top(f) & cs[c](f)
  { top(v) = E(f) top(f) & pr(f, v) CLEARED }
  %retain !top(v) }
%action isNull(z) { %f { E(f) top(f) & z(f, v) } %p !(E(f, v) top(f) & z(f, v)) }
%action notNull(z) { %f { E(f) top(f) & z(f, v) } %p E(f, v) top(f) & z(f, v) }
%action next(z, y) { %f { E(f, w) top(f) & y(f, w) & n(w, v) }
  %message !(E(f, v) top(f) & y(f, v)) -> "null dereference " + y
  { z(v1, v2) = (top(v1) ? E(w) y(v1, w) & n(w, v2) : z(v1, v2)) } }
%action free(z) { %f { E(f) top(f) & z(f, v) }
  { n(v1, v2) = n(v1, v2) & !(E(f) top(f) & z(f, v1)) & !(E(f) top(f) & z(f, v2))
    foreach (y in Var) { y(v1, v2) = y(v1, v2) & !(E(f) top(f) & z(f, v2)) } }
  %retain !(E(f) top(f) & z(f, v)) }
%%
r0 isNull(x) r9
r0 notNull(x) r1
r1 next(t, x) r2
r2 call(release) r0
r9 ret(release) r3
r3 free(x) r9
"""
CLEARED = "foreach (y in {pr} + Var) { y(v1, v2) = y(v1, v2) & !top(v1) }"
INPUT = """%n = {f, a, b}
%p = { sm = {b:1/2} stack = {f} top = {f} x = {f->a} n = {a->b:1/2, b->b:1/2}
       cur[x] = {a} some[x] = {a} null[t] = 1 reach = {a, b} }"""


def ran(cleared: str = CLEARED, seed: int | None = None, *, universe_changes: bool = True) -> RunReport:
    program = parse_program(PROGRAM.replace("CLEARED", cleared))
    differencing = DifferencingOptions(universe_changes=universe_changes)
    analysis = prepare(program, RunOptions(order="tvla", differencing=differencing))
    if seed is not None:
        in_random_order(analysis.domain, random.Random(seed))
    return run(analysis, parse_tvs(INPUT, program.vocabulary).structures)


def in_random_order(domain, chance: random.Random) -> None:
    post = domain.post

    def shuffled(edge: Edge[Action], elements: Sequence[Structure]) -> list[Structure]:
        results = list(post(edge, list(elements)))
        chance.shuffle(results)
        return results

    domain.post = shuffled


def structures(report: RunReport) -> dict[str, list[Structure]]:
    return {location.name: list(location.structures) for location in report.locations}


@pytest.fixture(scope="module")
def usual() -> RunReport:
    return ran()


def test_it_is_verified(usual):
    assert usual.verdict == VERIFIED
    assert sum(map(len, structures(usual).values())) > 60


def test_updates_that_ignore_new_and_removed_frames_give_the_same_structures(usual):
    assert structures(ran(universe_changes=False)) == structures(usual)


def test_they_change_counts_where_a_return_leaves_its_variables_to_retain(usual):
    """TVLA's updates keep what depended on the removed frame; what rests on them is not verified."""
    assert structures(ran("")) == structures(usual)
    report = ran("", universe_changes=False)
    counts = {name: len(found) - len(structures(usual)[name]) for name, found in structures(report).items()}
    assert counts == {"r0": 0, "r1": 0, "r2": 0, "r9": -4, "r3": -6}
    assert report.messages == usual.messages
    assert report.verdict == INCOMPLETE
    assert report.reason is not None and "ignore new or removed nodes, as in TVLA" in report.reason


@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_results_does_not_matter(usual, seed):
    assert structures(ran(seed=seed)) == structures(usual)
