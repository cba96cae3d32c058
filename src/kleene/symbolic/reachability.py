"""How closures before and after an action are related, when the action changes a field of one object.

A path of the old field that is no path of the new one passes an object whose field was changed, and up to the first
such object it is a path of both. Stated as formulas, these are valid whatever the field is like; they spare the solver
an induction. (Dong and Su's maintenance of closures, and Itzhaky et al. 2013, are exact versions for lists.)
"""

from __future__ import annotations

from kleene.logic.formula import (
    Atom,
    Closure,
    Equal,
    Formula,
    conj,
    disj,
    exists,
    forall,
    neg,
)
from kleene.smt.universe import in_domain


def path_lemmas(before: str, after: str, mark: str, label: str) -> list[Formula]:
    """What links the closures of a field before and after, if only the object with `mark` was changed."""
    a, b, c = (in_domain(v, label) if label else v for v in ("a", "b", "c"))
    x, y = (in_domain(v, label) if label else v for v in ("x", "y"))

    def path(symbol: str, start: str, end: str) -> Formula:
        return Closure(start, end, x, y, Atom(symbol, (x, y)))

    lemmas = []
    for old, new in ((before, after), (after, before)):
        same_so_far = disj(Equal(a, c), conj(path(old, a, c), path(new, a, c)))
        through = exists([c], conj(Atom(mark, (c,)), same_so_far, path(old, c, b)))
        lemmas.append(forall([a, b], disj(neg(path(old, a, b)), path(new, a, b), through)))
    return lemmas
