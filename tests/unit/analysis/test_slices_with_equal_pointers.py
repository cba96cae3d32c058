"""Slices where pointers of two data structures are compared: if they are equal, when are they NULL?

Each unsafe program has pointers that are equal and not NULL, though no object belongs to both structures: an address
that is given out again, a pointer without a value, a constant address. Some slice would prove it if it took them to be
NULL.
"""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

import pytest
from tests.coverage.helpers import attacked, is_proof, read
from tests.unit.analysis.test_program_slices import HEAD, by_slices

from kleene.analysis.c.shape.attempts import kinds_of_alarms
from kleene.analysis.c.shape.slices import run_slices
from kleene.cfa.operations import Error
from kleene.passes.attempts.slices.slicing import Slice
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult
from kleene.semantics.translate import Alarm

GLOBALS = """
static struct node base;
static struct node *kept = &base;
static struct item *spare;
static void swap(int n) { if (n > 0) { swap(n - 1); swap(n - 2); } else spare = malloc(sizeof *spare); }
"""
ITEM = "struct item *b = malloc(sizeof(struct node)); if (!b) abort(); b->more = NULL; "
SAFE = {
    "the address of a global": ITEM + "struct node *o = &base, *l = fill(); if ((void *)b == (void *)o) assert(0); "
    "free(b); drop(l);",
    "a pointer to a global or NULL": ITEM + "struct node *o = NULL, *l = fill(); if (l) o = kept; "
    "if ((void *)b == (void *)o) assert(0); free(b); drop(l);",
    "a freed pointer and a global": ITEM + "struct node *o = &base, *l = fill(); free(b); "
    "if (!((void *)b != (void *)o)) assert(0); drop(l);",
}
UNSAFE = {
    "an address is given out again": "struct node *a = push(NULL), *o = a, *l = fill(); drop(a); "
    + ITEM + "if ((void *)o == (void *)b) free(b); free(b); drop(l);",
    "a freed pointer is equal to a new one": ITEM + "free(b); struct node *l = fill(), *n = push(NULL); "
    "if ((void *)n == (void *)b) assert(n == NULL); free(n); drop(l);",
    "a global gets a new address": ITEM + "struct node *l = fill(); free(b); kept = push(NULL); "
    "if ((void *)b == (void *)kept) assert(b == NULL); free(kept); drop(l);",
    "a call gives a global a new address": ITEM + "struct node *l = fill(); struct item *q = b; free(b); swap(2); "
    "if (q == spare) assert(q == NULL); drop(l); free(spare);",
    "a new address after one round": ITEM + "struct node *o = &base, *l = fill(); struct item *q = b; free(b); "
    "if (base.next) assert(0); while (__VERIFIER_nondet_int()) { if ((void *)q == (void *)o) assert(q == NULL); "
    "if (o == &base) o = push(NULL); } if (o != &base) free(o); drop(l);",
    "a local object that ended": ITEM + "struct item *q = b; if (__VERIFIER_nondet_int()) { struct item x; q = &x; } "
    "{ struct node y; y.next = NULL; if ((void *)q == (void *)&y) assert(q == NULL); } free(b);",
    "a member without a value": ITEM + "struct node *l = fill(); struct header *h = malloc(sizeof *h); "
    "if (!h) abort(); if (__VERIFIER_nondet_int()) h->a = push(NULL); if (h->a == &base) assert(h->a == NULL); "
    "if ((void *)h->a == (void *)kept) assert(h->a == NULL); free(b); drop(l);",
    "a constant address": ITEM + "struct node *l = fill(), *o = (struct node *)64; struct item *q = b; "
    "if (l) q = (struct item *)64; if ((void *)q == (void *)o) assert(q == NULL); free(b); drop(l);",
    "pointers that differ may be NULL": "struct node *o = &base, *l = fill(); "
    "struct item *b = malloc(sizeof(struct item)); if ((void *)b != (void *)o) b->more = NULL; free(b); drop(l);",
    "pointers that are not equal may be NULL": "struct node *o = &base, *l = fill(); "
    "struct item *b = malloc(sizeof(struct item)); if ((void *)b == (void *)o) assert(0); else b->more = NULL; "
    "free(b); drop(l);",
    "objects of one class": ITEM + "struct node *l = &base, *m = fill(); if (m) l = push(NULL); "
    "if (l == kept) assert(l == NULL); if (l != &base) free(l); free(b); drop(m);",
}  # fmt: skip


def program_of(body: str, tmp_path: Path) -> Path:
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}{GLOBALS}int main(void) {{ {body} return 0; }}\n")
    return path


@pytest.mark.parametrize("name", SAFE)
def test_pointers_of_two_slices_are_not_equal(name: str, tmp_path: Path) -> None:
    path = program_of(SAFE[name], tmp_path)
    result = by_slices(path)
    assert result is not None and is_proof(result) and len(result.slices) > 1
    assert attacked(read(path), result, 2.0, max_runs=10).refuted is None


@pytest.mark.parametrize("name", UNSAFE)
def test_equal_pointers_are_not_taken_to_be_null(name: str, tmp_path: Path) -> None:
    result = by_slices(program_of(UNSAFE[name], tmp_path))
    assert result is not None and kinds_of_alarms(result)


TEXTS = """
#include <string.h>
struct named { char *name; struct named *next; };
static struct named *add(struct named *l, const char *name) {
    struct named *n = malloc(sizeof *n);
    if (!n) abort();
    n->name = malloc(strlen(name) + 1);
    if (!n->name) abort();
    strcpy(n->name, name);
    n->next = l;
    return n;
}
static void end(struct named *l) { while (l) { struct named *t = l; l = t->next; free(t->name); free(t); } }
"""
TWO_LISTS = 'struct named *a = add(NULL, "one"), *b = add(NULL, "two"); '


def test_copies_of_literals_do_not_overlap(tmp_path: Path) -> None:
    """The slice of a list did not know that the block of a copy is not the literal, which is in another slice."""
    path = tmp_path / "program.c"
    for more in ("", "strcpy(a->name, a->name);"):
        path.write_text(f"{HEAD}{TEXTS}int main(void) {{ {TWO_LISTS}{more} end(a); end(b); return 0; }}\n")
        result = by_slices(path)
        assert result is not None and len(result.slices) > 1 and is_proof(result) == (not more)


def test_an_alarm_of_all_slices_is_asked_for_until_one_excludes_it(tmp_path: Path) -> None:
    """Slices end with alarms that another one may exclude: no slice was asked to go on when none had excluded one."""
    path = tmp_path / "program.c"
    copied = "strcpy(a->name, a->name);"
    path.write_text(f"{HEAD}{TEXTS}int main(void) {{ {TWO_LISTS}{copied} end(a); end(b); return 0; }}\n")
    prepared = Prepared(read(path))
    error = next(edge.label for edge in prepared.cfa.edges if isinstance(edge.label, Error))
    overlap, count = Alarm(error.kind, error.place, error.message), len(prepared.slices)
    ignores: list[bool] = []

    def run(excluder: int) -> ShapeResult:
        ignores.clear()

        def analyse(own: Slice, ignored: Set[Alarm], seconds: float, *, glance: bool = False) -> ShapeResult:
            ignores.append(overlap in ignored)
            alarms = [] if len(ignores) == count + excluder else [overlap]
            return ShapeResult("", alarms, complete=True, reason="", structures=0, seconds=0.0)

        return run_slices(prepared, analyse, {error.kind}, 60.0)

    for excluder in (1, 2):
        assert not run(excluder).alarms
        assert ignores == [True] * count + [False] * excluder
    assert run(count + 1).alarms == [overlap]
    assert ignores == [True] * count + [False] * count
