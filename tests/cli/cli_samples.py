"""A small list program, its input, and what a command line gives, for the tests of the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

PREDICATES = """\
%s PVar {x, y}
foreach (p in PVar) { %p p(v) unique pointer }
%p n(v1, v2) function
foreach (p in PVar) { %i r[n, p](v) = E(w) (p(w) & n*(w, v)) }
%i is[n](v) = E(v1, v2) (n(v1, v) & n(v2, v) & v1 != v2)
"""
ACTIONS = """\
%action copy(a, b) { %t a + " = " + b %f { b(v) } { a(v) = b(v) } }
%action next(a, b) {
  %t a + " = " + b + "->n"
  %f { E(w) (b(w) & n(w, v)) }
  %message !(E(v) b(v)) -> "NULL dereference of " + b
  { a(v) = E(w) (b(w) & n(w, v)) }
}
%action is_null(a) { %t a + " == NULL" %f { a(v) } %p !(E(v) a(v)) }
%action not_null(a) { %t a + " != NULL" %f { a(v) } %p E(v) a(v) }
"""
LISTS = """\
%n = {u, u0}
%p = {
  sm = {u: 1/2}
  x = {u0}
  n = {u0 -> u: 1/2, u -> u: 1/2}
  r[n, x] = {u0, u}
}
%n = {u0}
%p = { x = {u0} r[n, x] = {u0} }
%n = {}
%p = {}
"""
WALK = "l1 copy(y, x) l2\nl2 not_null(y) l3\nl3 next(y, y) l2\nl2 is_null(y) l4\n"
DEREF = "l1 next(y, x) l2\n"
GROW = """\
%p x(v) unique pointer
%p n(v1, v2) function
%p m(v1, v2) function
%%
%action push_n() { %t "push by n" %new { x(v) = isNew(v) n(v1, v2) = n(v1, v2) | isNew(v1) & x(v2) } }
%action push_m() { %t "push by m" %new { x(v) = isNew(v) m(v1, v2) = m(v1, v2) | isNew(v1) & x(v2) } }
%%
l1 push_n() l1
l1 push_m() l1
"""
FOCUS = """\
%p x(v)
%p n(v1, v2)
%%
%action look() { %t "look" %f { n(v1, v2) } { x(v) = x(v) } }
%%
l1 look() l2
"""


def tvp(edges: str, extra: str = "") -> str:
    return f"{PREDICATES}{extra}%%\n{ACTIONS}%%\n{edges}"


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Kleene = Callable[..., Outcome]
