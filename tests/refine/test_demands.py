"""What a path asks for: weakest preconditions of conditions on members, object by object."""

from __future__ import annotations

import pytest
from tests.refine.helpers import task_of, written

from kleene.cfa.operations import Assume
from kleene.refine.conditions.members import Members
from kleene.refine.model import Error, Task
from kleene.refine.tracking.conditions import _comparison, _first_conditions
from kleene.refine.tracking.demands import conditions_along
from kleene.refine.tree.reachability_tree import ErrorPath, PathStep

PROGRAM = """
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct sum { unsigned a, b, c; };
int main(void) {
    struct sum *p = malloc(sizeof *p), *q = malloc(sizeof *q), *r = p;
    if (!p) exit(1);
    if (!q) exit(1);
    BODY
    assert(p->c == p->a + p->b);
    return 0;
}
"""


def asked(task: Task) -> list[str]:
    """The conditions along the path to the assertion, on which all tests before it have their second outcome."""
    path, location = [], task.cfa.entry
    while True:
        leaving = task.cfa.leaving(location)
        if isinstance(leaving[0].label, Assume) and "->" in str(leaving[0].label):
            compared = _comparison(leaving[0].label.condition)
            assert compared is not None
            members = Members(task.memory)
            first = list(_first_conditions(members, compared, location))
            whole = ErrorPath(tuple(PathStep(edge) for edge in path), Error("assertion", None))
            return [str(c).partition(" in ")[0] for c in conditions_along(members, first, whole, len(path))]
        chosen = next((e for e in leaving if isinstance(e.label, Assume) and "NULL" in str(e.label)), leaving[0])
        path.append(chosen)
        location = chosen.target


@pytest.mark.parametrize(
    ("body", "conditions"),
    [
        ("p->a++; p->c++;", ["a + b == c", "a + b == c + 1"]),
        ("p->c++; p->a++;", ["a + b == c", "a + b + 1 == c"]),
        ("p->c = p->a + p->b;", ["a + b == c"]),
        ("r->a++; r->c++; p = r;", ["a + b == c", "a + b == c + 1"]),
        ("r->a++; r->c++; p = q;", ["a + b == c", "a + b == c + 1"]),
    ],
)
def test_an_assignment_asks_for_a_condition_on_its_object(tmp_path, body, conditions):
    assert asked(task_of(written(tmp_path, PROGRAM.replace("BODY", body)), "assert")) == conditions


EXCHANGED = """
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct interval { int lo, hi; };
int main(void) {
    struct interval *p = malloc(sizeof *p);
    if (!p) exit(1);
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    int t = x;
    x = y;
    y = t;
    p->lo = x;
    p->hi = y;
    assert(p->lo <= p->hi);
    return 0;
}
"""


def test_what_a_member_gets_is_followed_up_the_path(tmp_path):
    """The condition on variables was asked for where the member gets them, and not before the exchange above it."""
    conditions = asked(task_of(written(tmp_path, EXCHANGED), "assert"))
    assert conditions == ["hi + 1 <= lo", "x <= y", "t + 1 <= x", "t + 1 <= y", "x + 1 <= y"]
