"""Chains of functions that get addresses of variables: analysed apart where copies would double with each function."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved_by

from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared

LINKS = 8
HEAD = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
static void f0(struct node **a, struct node **b) {
    struct node *n = malloc(sizeof *n);
    if (!n) abort();
    if (__VERIFIER_nondet_int()) { n->next = *a; *a = n; } else { n->next = *b; *b = n; }
    LAST
}
"""
MAIN = """
int main(void) {
    struct node *x = NULL, *y = NULL, *t;
    while (__VERIFIER_nondet_int()) TOP(&x, &y);
    while (x) { t = x; x = x->next; free(t); }
    while (y) { t = y; y = y->next; free(t); }
    return 0;
}
"""
WRONG = {
    "a list that may be empty is read": "(*a)->next = (*a)->next;",
    "a node that is still held is freed": "if (*b) free(*b);",
    "a node is lost": "if (*b) *b = (*b)->next;",
    "two lists share a node": "*a = *b;",
    "a list ends in a variable of the function": "struct node end; end.next = NULL; if (!*b) *b = &end;",
}


def chain(last: str = "", links: int = LINKS) -> str:
    calls = "".join(
        f"static void f{i + 1}(struct node **a, struct node **b) "
        f"{{ if (__VERIFIER_nondet_int()) f{i}(b, a); else f{i}(a, b); }}\n"
        for i in range(links)
    )
    return HEAD.replace("LAST", last) + calls + MAIN.replace("TOP", f"f{links}")


def apart(text: str, folder: Path) -> frozenset[str]:
    path = folder / "program.c"
    path.write_text(text)
    return Prepared(read_program([str(path)])).calls.apart


def test_functions_with_addresses_are_apart_where_copies_are_many(tmp_path: Path) -> None:
    """They were always inlined: eight functions that call the next one twice had 500 copies, and no end."""
    assert apart(chain(links=2), tmp_path) == frozenset()
    assert "f0" in apart(chain(), tmp_path)


def test_a_chain_with_addresses_is_proved(tmp_path: Path) -> None:
    assert is_proved_by("calls", chain(), tmp_path)


@pytest.mark.parametrize("what", WRONG)
def test_wrong_chains_are_not_proved(what: str, tmp_path: Path) -> None:
    assert not is_proved_by("calls", chain(WRONG[what]), tmp_path)
