"""Cells of data: whether they are NULL tells no nodes apart, unless the program follows pointers to nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved_by

from kleene.passes.facts.liveness import live_before

from .translated import analysis, inlined, translator

HEADER = """\
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; void *value; struct node *spare; };
static void put(struct node *l, void *value) { if (l) l->value = value; }
static void *any(void) { return __VERIFIER_nondet_int() ? NULL : (void *)4096; }
"""
FILL = """struct node *l = NULL; while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n); n->next = l; n->value = any(); n->spare = NULL; l = n; }
"""
DROP = "while (l) { struct node *n = l->next; free(l); l = n; }"


@pytest.mark.parametrize(
    ("use", "tells"),
    [
        ("", False),
        ("if (l && l->value == (void *)4096) l->value = NULL;", False),
        ("if (l && l->spare) l->spare->next = NULL;", True),
        ("if (l) free(l->spare);", True),
    ],
)
def test_which_undefined_cells_tell_nodes_apart(tmp_path: Path, use: str, tells: bool) -> None:
    translated = translator(tmp_path, FILL + use + DROP, header=HEADER)
    translated.translate()
    chosen = {p.name: p.abstraction for p in translated.symbols.vocabulary().predicates}
    assert chosen["undef.value"] is tells
    assert chosen["undef.next"] is True


@pytest.mark.parametrize("use", ["if (l && l->value) *(int *)l->value = 1;", "if (l) free(l->value);"])
def test_data_that_is_used_is_an_alarm(tmp_path: Path, use: str) -> None:
    assert analysis(tmp_path, FILL + use + DROP, HEADER).alarms


def test_temporaries_are_dead_where_an_unknown_call_may_follow(tmp_path: Path) -> None:
    """Those of main have no end of scope: each one was followed from its first use on."""
    unknown = "void (*f)(void *) = (void (*)(void *))4096; if (l && __VERIFIER_nondet_int()) f(l);"
    body = f"{FILL} for (;;) {{ if (__VERIFIER_nondet_int()) break; put(l, any()); {unknown} }} {DROP}"
    program, cfa = inlined(tmp_path, body, HEADER)
    assert any(type(e.label).__name__ == "Unsupported" for e in cfa.edges)
    pointers = {v for v in program.main.locals if v.is_temporary and "*" in str(v.type)}
    live = live_before(cfa, pointers)
    assert pointers and not any(live[head] for head in cfa.loop_heads)


KINDS = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct kind { int n; };
struct node { struct node *next; const struct kind *kind; };
static struct kind one, two;
int main(void) {
    struct node *l = NULL;
    int sum = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) break;
        n->kind = __VERIFIER_nondet_int() ? &one : &two;
        n->next = l;
        l = n;
    }
    for (struct node *n = l; n; n = n->next) sum += n->kind->n;
    while (l) { struct node *n = l->next; free(l); l = n; }
    return sum;
}
"""


def test_cells_that_lead_to_one_of_two_variables_are_not_null(tmp_path: Path) -> None:
    """A node that stands for several had two edges that may be there, and nothing said that one of them is."""
    assert is_proved_by("plain", KINDS, tmp_path)


@pytest.mark.parametrize("kind", ["__VERIFIER_nondet_int() ? &one : l ? &two : NULL", "l ? l->kind : NULL"])
def test_cells_that_may_lead_to_nothing_are_alarms(tmp_path: Path, kind: str) -> None:
    assert not is_proved_by("plain", KINDS.replace("__VERIFIER_nondet_int() ? &one : &two", kind), tmp_path)
