"""Field assertions that survive copies of members: through variables of another type, parameters and results."""

from __future__ import annotations

import pytest
from tests.refine.helpers import refined, written

from kleene.refine.conditions.cells import cell_conditions
from kleene.refine.loop import SAFE, UNSAFE

PROGRAM = """
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct pair { TYPE a, b; struct pair *next; };
FUNCTION
int main(void) {
    struct pair *head = NULL, *p;
    while (__VERIFIER_nondet_int()) {
        p = malloc(sizeof *p);
        if (!p) exit(1);
        p->a = p->b = __VERIFIER_nondet_int();
        p->next = head;
        head = p;
    }
    for (p = head; p; p = p->next) { CHANGE }
    for (p = head; p; p = p->next) assert(p->a RELATION p->b);
    return 0;
}
"""
ORDER = "static void order(struct pair *q) { if (q->a > q->b) { T t = q->a; q->a = q->b; q->b = t; } }"
FILL = "p->a = __VERIFIER_nondet_int(); order(p);"
GET_A = "static T get_a(struct pair *q) { return q->a; }"
TWO = """struct pair *q = p->next;
    if (q) { T t = p->a, u = p->b; p->a = q->a; p->b = q->b; q->a = t; q->b = u; }"""


def program(members: str, copy: str, function: str, change: str, relation: str = "==") -> str:
    text = PROGRAM.replace("FUNCTION", function.replace("T ", f"{copy} "))
    text = text.replace("CHANGE", change.replace("T ", f"{copy} "))
    return text.replace("TYPE", members).replace("RELATION", relation)


@pytest.mark.parametrize(
    "text",
    [
        program("unsigned", "int", "", "T t = p->a; p->a = p->b; p->b = t;"),
        program("unsigned char", "signed char", "", "T t = p->a; p->a = p->b; p->b = t;"),
        program("unsigned", "int", ORDER, FILL, "<="),
        program("unsigned", "unsigned", GET_A, "p->b = get_a(p);"),
        program("unsigned", "int", GET_A, "p->b = get_a(p);"),
        program("unsigned", "int", "static void set_a(struct pair *q, T v) { q->a = v; }", "set_a(p, p->b);"),
        program("unsigned", "int", "", TWO),
    ],
)
def test_members_are_copied_through_variables(tmp_path, text):
    """They were UNKNOWN: a conversion was left out of a condition, and a parameter had no condition of the caller's."""
    result = refined(written(tmp_path, text))
    assert result.outcome == SAFE
    assert cell_conditions(result.task.conditions)


@pytest.mark.parametrize(
    "text",
    [
        program("unsigned", "short", "", "T t = p->a; p->a = p->b; p->b = t;"),
        program("unsigned char", "_Bool", "", "T t = p->a; p->a = p->b; p->b = t;"),
        program("unsigned", "int", "", "T x = p->a, y = p->b - 1; if (x > y) { p->a = y; p->b = x; }", "<="),
        program("unsigned", "int", GET_A, "p->a++; p->b = get_a(head);"),
    ],
)
def test_copies_that_change_members(tmp_path, text):
    assert refined(written(tmp_path, text)).outcome == UNSAFE
