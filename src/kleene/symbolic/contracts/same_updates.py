"""The update of ``same[f]`` where an action creates individuals and gives a relation values on them.

Differencing loses `same` there, because the new value of the relation is 1/2 at new individuals, and the definition is
about all. Where the field was the same, it still is unless an update changes it at an individual that counts; where it
was not, the definition is evaluated on the new values.
"""

from __future__ import annotations

from kleene.logic.earlier import NEW, old, same
from kleene.logic.formula import (
    FALSE,
    And,
    Atom,
    Formula,
    Iff,
    IfThenElse,
    Or,
    conj,
    disj,
    exists,
    forall,
    neg,
    subformulas,
)
from kleene.logic.transform import substitute
from kleene.logic.vocabulary import Predicate
from kleene.transformers.action import Action, Update


def same_updates(action: Action, recorded: list[Predicate]) -> tuple[Update, ...]:
    """Updates of `same` for the relations that a creating action updates; differencing derives the others."""
    if not action.creates or action.new_formula is not None or action.clone is not None or action.retain is not None:
        return ()
    result = []
    for p in recorded:
        update = action.update_of(p.name)
        if update is not None and not p.has("function") and p.arity == 2:
            result.append(_update(p, update))
    return tuple(result)


def _update(p: Predicate, update: Update) -> Update:
    a, b = "a!", "b!"
    value = substitute(update.formula, dict(zip(update.args, (a, b), strict=True)))
    atom = Atom(p.name, (a, b))
    fresh = disj(Atom(NEW, (b,)), Atom("isNew", (b,)))
    stays = neg(exists([b], conj(neg(fresh), changed_where(value, atom))))
    anew = forall([b], disj(fresh, Iff(value, Atom(old(p.name), (a, b)))))
    was = disj(Atom(same(p.name), (a,)), Atom("isNew", (a,)))
    return Update(same(p.name), (a,), IfThenElse(was, stays, anew))


def changed_where(value: Formula, atom: Formula) -> Formula:
    """A condition that holds wherever the new value differs from the old one; definite where nothing changes."""
    match value:
        case _ if value is atom:
            return FALSE
        case IfThenElse(condition, then, otherwise):
            return disj(
                conj(condition, changed_where(then, atom)), conj(neg(condition), changed_where(otherwise, atom))
            )
        case Or(left, right) if atom in subformulas(left) or atom in subformulas(right):
            if atom not in subformulas(right):
                left, right = right, left
            return disj(conj(left, neg(atom)), conj(neg(left), changed_where(right, atom)))
        case And(left, right) if atom in subformulas(left) or atom in subformulas(right):
            if atom not in subformulas(right):
                left, right = right, left
            return disj(conj(neg(left), atom), conj(left, changed_where(right, atom)))
    return disj(conj(value, neg(atom)), conj(neg(value), atom))
