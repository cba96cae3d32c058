"""How closures before and after an action are related, when the action changes a field of one object.

A path of the old field that is no path of the new one passes an object whose field was changed, and up to the first
such object it is a path of both. Stated as formulas, these are valid whatever the field is like; they spare the solver
an induction. (Dong and Su's maintenance of closures, and Itzhaky et al. 2013, are exact versions for lists.)
"""

from __future__ import annotations

from collections.abc import Iterator

from kleene.logic.formula import (
    FALSE,
    And,
    Atom,
    Closure,
    Equal,
    Exists,
    Forall,
    Formula,
    IfThenElse,
    Not,
    Or,
    conj,
    disj,
    exists,
    forall,
    neg,
)
from kleene.logic.transform import replace_atoms
from kleene.logic.vocabulary import Vocabulary
from kleene.smt.universe import in_domain
from kleene.transformers.action import Update


def changed_sources(update: Update, vocabulary: Vocabulary) -> Iterator[str]:
    """The unique predicates such that only objects with that predicate have their field changed."""
    source = update.args[0]
    same = Atom(update.predicate, update.args)
    for p in vocabulary.declared:
        if p.arity == 1 and p.has("unique"):
            here = Atom(p.name, (source,))
            elsewhere = replace_atoms(update.formula, lambda a, here=here: FALSE if a is here else a)  # type: ignore[misc]
            if simplified(elsewhere) is same:
                yield p.name


def simplified(f: Formula) -> Formula:
    """The formula without the constants that make parts of it superfluous."""
    match f:
        case Not(body):
            return neg(simplified(body))
        case And(a, b):
            return conj(simplified(a), simplified(b))
        case Or(a, b):
            return disj(simplified(a), simplified(b))
        case IfThenElse(c, a, b):
            test = simplified(c)
            if test is FALSE:
                return simplified(b)
            return IfThenElse(test, simplified(a), simplified(b))
        case Exists(v, body) | Forall(v, body):
            inner = simplified(body)
            return type(f)(v, inner) if v in inner.free else inner
    return f


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
