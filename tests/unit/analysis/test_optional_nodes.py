"""The attempt `optional nodes`: nodes that no variable points to may be there or not (decision 238)."""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any

import pytest
from tests.coverage.helpers import attacked, read

from kleene.analysis.c.shape import plan
from kleene.analysis.c.shape.analyse import analyse, analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.analysis.c.shape.run import check_again
from kleene.domains.shape.calling import CallingShapeDomain
from kleene.domains.shape.heap_join import join_after_call
from kleene.domains.shape.local_heaps import Division
from kleene.domains.shape.specified import with_definite_nodes
from kleene.passes.facts import calls as calls_apart
from kleene.passes.preparation import Prepared
from kleene.structures.embedding import embeds
from kleene.structures.structure import AC, Structure

ROOT = Path(__file__).parents[3]
NODES = next(row for row in ATTEMPTS if row.name == "optional nodes")
UNSAFE = sorted((ROOT / "tests" / "unsafe_c" / "optional").glob("*.c"))
MOST_CASES = 24
"""Cases of one structure that are compared."""
DRAWS = 60
"""Calls that are drawn, each with other nodes that may be missing."""


def _families() -> dict[str, Any]:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        return {family.name: family for family in importlib.import_module("user_families").USER_FAMILIES}
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


FAMILIES = _families()
PROVED = (("lists in lists", 2), ("levels of trees", 3), ("calls by address", 2), ("loops in a row", 3))
WRONG = [
    (name, what)
    for name in ("lists in lists", "levels of trees", "calls by address", "loops in a row", "commands")
    for what in FAMILIES[name].mutants(2)
]
SHARED = """\
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct leaf { struct leaf *next; };
struct branch { struct branch *next; struct leaf *first, *more; };
static void grow(struct leaf *at) {
  struct leaf *n = malloc(sizeof *n);
  if (!n) abort();
  n->next = at->next; at->next = n;
}
static void drop(struct leaf *l) { while (l) { struct leaf *t = l; l = t->next; free(t); } }
int main(void) {
  struct branch *l = NULL; struct leaf *q = malloc(sizeof *q);
  if (!q) abort();
  q->next = NULL;
  while (__VERIFIER_nondet_int()) {
    struct branch *n = malloc(sizeof *n);
    if (!n) abort();
    n->next = l; n->first = __VERIFIER_nondet_int() ? q : NULL; n->more = q; l = n;
  }
  grow(q); grow(q);
  while (l) { struct branch *t = l; l = t->next; if (t->first) grow(t->first); free(t); }
  drop(q);
  return 0;
}
"""
"""Blocks outside of the part of a call point into it."""
PUSHED = """\
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct leaf { struct leaf *next; };
static void hang(struct leaf *n, struct leaf *at) {
  if (n == at) exit(1);
  while (n->next) n = n->next;
  n->next = at;
}
static void drop(struct leaf *l) { while (l) { struct leaf *t = l; l = t->next; free(t); } }
int main(void) {
  struct leaf *q = calloc(1, sizeof *q), *p = calloc(1, sizeof *p), *n = calloc(1, sizeof *n);
  struct leaf *l = calloc(1, sizeof *l), *m = l, *t;
  if (!q || !p || !n || !l) abort();
  hang(p, q);
  l->next = p;
  while (__VERIFIER_nondet_int()) { t = malloc(sizeof *t); if (!t) abort(); t->next = l; l = t; }
  hang(n, p);
  m->next = NULL;
  drop(l);
  drop(n);
  return q == p;
}
"""
"""A list outside leads to the part, which has two variables of the caller; the call hangs it on another node."""
CALLS = {"shared": SHARED, "pushed": PUSHED, "lists in lists": FAMILIES["lists in lists"].program(2)}
WITHOUT_VARIABLES = ("shared", "pushed")
"""Calls where variables are left out too; lists in a node that nothing leads to any more would be in no part."""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "program.c"
    path.write_text(text, encoding="utf-8")
    return path


def alone(path: Path) -> Any:
    return analyse_by_attempt(Prepared(read(path)), NODES, malloc_may_fail=True, seconds=60)


@pytest.mark.parametrize(("name", "size"), PROVED)
def test_a_family_is_proved_by_optional_nodes(name: str, size: int, tmp_path: Path) -> None:
    path = written(tmp_path, FAMILIES[name].program(size))
    result = alone(path)
    assert result.complete and not result.alarms and result.join == "pointed"
    assert check_again(result)
    assert attacked(read(path), result, 2.0, max_runs=6).refuted is None


@pytest.mark.parametrize(("name", "what"), WRONG)
def test_no_mutant_is_proved_by_optional_nodes(name: str, what: str, tmp_path: Path) -> None:
    result = alone(written(tmp_path, FAMILIES[name].mutants(2)[what]))
    assert not result.complete or result.alarms


@pytest.mark.parametrize("path", UNSAFE, ids=lambda path: path.stem)
def test_no_unsafe_program_is_proved_by_optional_nodes(path: Path) -> None:
    result = alone(path)
    assert not result.complete or result.alarms


def test_a_run_with_many_nodes_goes_this_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "STRUCTURES_BEFORE_NODES", 2_000)
    path = written(tmp_path, FAMILIES["lists in lists"].program(3))
    result = analyse(Prepared(read(path)), malloc_may_fail=True, seconds=60)
    assert result.complete and not result.alarms
    assert result.shape_class == "acyclic, with optional nodes"


def _cases(domain: CallingShapeDomain, structure: Structure) -> Iterator[Structure]:
    """The structure with nodes that are there, and without them, as far as there are such heaps."""
    for case in with_definite_nodes(structure)[:MOST_CASES]:
        coerced = domain.coercer.coerce(case)
        if coerced is not None:
            yield coerced


def _doubtful(domain: CallingShapeDomain, structure: Structure, dropped: Set[str], rng: random.Random) -> Structure:
    """The structure without some of the variables; some nodes to which no variable points may be missing."""
    vocabulary, values, pointed = structure.vocabulary, list(structure.values), 0
    for name in sorted(dropped):
        if name in vocabulary and rng.random() < 0.5:
            for index, predicate in enumerate(vocabulary):
                if predicate.name == name or (predicate.role is not None and predicate.role.root == name):
                    values[2 * index] = values[2 * index + 1] = 0
    for rail in domain.canonicalizer.pointing:
        pointed |= values[rail]
    for node in range(structure.size):
        if not pointed >> node & 1 and rng.random() < 0.5:
            values[AC] &= ~(1 << node)
    return Structure(vocabulary, structure.size, tuple(values))


def _division(domain: CallingShapeDomain, structure: Structure, call: Any) -> Division | None:
    sharp = domain.coercer.coerce(domain.heaps.sharpen(structure))
    return None if sharp is None else domain.heaps.divide(sharp, call)


@pytest.mark.parametrize("name", CALLS)
def test_calls_cover_every_case_of_missing_nodes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a call makes of a structure covers what it makes of the structure with each node there, or not there."""
    calls: list[tuple[CallingShapeDomain, Any, Structure, list[Structure]]] = []
    resume = CallingShapeDomain.resume

    def recorded(self: CallingShapeDomain, edge: Any, caller: Structure, entry: Structure, exits: Any) -> Any:
        calls.append((self, edge.label, caller, list(exits)))
        return resume(self, edge, caller, entry, exits)

    monkeypatch.setattr(CallingShapeDomain, "resume", recorded)
    monkeypatch.setattr(calls_apart, "LEAST_EDGES", 0)
    alone(written(tmp_path, CALLS[name]))
    rng, compared = random.Random(0), 0
    for domain, call, given, exits in rng.choices(calls, k=DRAWS):
        kept = {argument for _, argument in call.given} | call.shared | set(domain.heaps.calls.markers)
        dropped = domain.heaps.calls.pointers - kept if name in WITHOUT_VARIABLES else frozenset()
        caller, end = _doubtful(domain, given, dropped, rng), _doubtful(domain, rng.choice(exits), dropped, rng)
        whole = _division(domain, caller, call)
        joined = join_after_call(domain.heaps, whole, call, end) if whole is not None else None
        if whole is None or joined is None:  # the call is refused
            continue
        after = domain.coercer.coerce(joined)
        entry = domain.heaps.entry(whole, call)
        for case in _cases(domain, caller):
            division = _division(domain, case, call)
            if division is None:
                continue
            assert embeds(domain.heaps.entry(division, call), entry)
            if division.rest.bit_count() > whole.rest.bit_count():
                continue  # what no edge leads to is not in the part here: the call does not end with it
            for end_case in _cases(domain, end):
                result = join_after_call(domain.heaps, division, call, end_case)
                result = None if result is None else domain.coercer.coerce(result)
                assert result is None or (after is not None and embeds(result, after))
                compared += result is not None
    assert compared > 10
