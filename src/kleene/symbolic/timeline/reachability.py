"""Relations between closures before and after an action or a call.

A path of the old field that is no path of the new one contains an object with a changed field; up to the first such
object it is a path of both. These facts as formulas are valid for every field, and save the solver an induction. (Dong
and Su's maintenance of closures, and Itzhaky et al. 2013, are exact versions for lists.)
"""

from __future__ import annotations

from kleene.logic.formula import (
    And,
    Atom,
    Closure,
    Equal,
    Exists,
    Formula,
    Iff,
    Or,
    conj,
    disj,
    exists,
    forall,
    neg,
)
from kleene.logic.vocabulary import Predicate
from kleene.smt.universe import in_domain


def path_lemmas(before: str, after: str, mark: str, label: str) -> list[Formula]:
    """Lemmas on the closures of a field before and after, if only the object with `mark` was changed."""
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


def frame_lemmas(before: str, after: str, mark: str, label: str) -> list[Formula]:
    """The same for any change; `mark` is a new symbol for the objects whose field changes."""
    a, b = (in_domain(v, label) if label else v for v in ("a", "b"))
    differs = neg(Iff(Atom(before, (a, b)), Atom(after, (a, b))))
    means = forall([a], Iff(Atom(mark, (a,)), exists([b], differs)))
    return [means, *path_lemmas(before, after, mark, label)]


def reach_lemma(predicate: Predicate, field: str, symbols: tuple[str, str], mark: str, label: str) -> list[Formula]:
    """'Reachable from z along the field' is as before, if nothing reachable from z changed and z did not."""
    match predicate.definition:
        case Exists(w, And(Atom(_, (source,)), Or(Equal(), Closure(a, b, x, y, Atom(f, ends))))) if (
            w,
            source,
            f,
            ends,
        ) == (a, a, field, (x, y)) and (b,) == predicate.args:
            v, c = (in_domain(name, label) if label else name for name in ("v", "c"))
            before, after = symbols
            touched = exists([c], conj(Atom(before, (c,)), Atom(mark, (c,))))
            return [disj(touched, forall([v], Iff(Atom(after, (v,)), Atom(before, (v,)))))]
    return []
