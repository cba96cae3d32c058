"""Functions that have no error if operations which are accepted already are read in another way."""

from __future__ import annotations

from dataclasses import replace

from kleene.analysis.c.library.inference.attempts import Rejected, Tried
from kleene.analysis.c.library.inference.tries import Tries
from kleene.analysis.c.library.interface.exports import ExportedFunction
from kleene.analysis.c.library.readings.operations import STATUS, Operation, Role

OF_SIZES = ("out_of_bounds", "double_free", "dangling_dereference")
"""Kinds of errors that a size has: it is too large for a block, or 0, with which `realloc` frees the block."""


def is_accepted_otherwise(tries: Tries, function: ExportedFunction, failures: list[Rejected]) -> bool:
    """Accept a function if one of the other ways helps; false if none does."""
    return (
        if_texts_last(tries, function)
        or if_status_is_another(tries, function)
        or if_amounts_are_small(tries, function, failures)
    )


def if_texts_last(tries: Tries, function: ExportedFunction) -> bool:
    """Accept a function if texts that were stored outlive the objects; false if that does not help."""
    before = list(tries.inferred.accepted)
    lasting = [o if o.function.name in tries.stored.readings else _with_lasting_texts(o) for o in before]
    possible = [_with_lasting_texts(o) for o in tries.possible(function)]
    if lasting == before and not any(Role.LASTING_TEXT in o.roles for o in possible):
        return False
    tries.inferred.accepted = lasting
    best = tries.best(tries.all_of(possible))
    tries.inferred.accepted = before if best is None else [*lasting, best.operation]
    return best is not None


def if_amounts_are_small(tries: Tries, function: ExportedFunction, failures: list[Rejected]) -> bool:
    """Accept a function if numbers of elements are so small that no size overflows; false if that does not help."""
    before = list(tries.inferred.accepted)
    small = [o if o.function.name in tries.stored.readings else o.with_amounts() for o in before]
    best = tries.best(_with_small_amounts(tries, function, failures, small))
    tries.inferred.accepted = before if best is None else [*small, best.operation]
    return best is not None


def other_failures(tries: Tries, function: ExportedFunction, failures: list[Rejected]) -> list[Rejected]:
    """The errors that a function has with small numbers of elements, in place of those of its sizes."""
    before = list(tries.inferred.accepted)
    small = [o if o.function.name in tries.stored.readings else o.with_amounts() for o in before]
    tried = _with_small_amounts(tries, function, failures, small)
    tries.inferred.accepted = before
    return [r for t in tried if (r := t.rejected) is not None]


def _with_small_amounts(
    tries: Tries, function: ExportedFunction, failures: list[Rejected], accepted: list[Operation]
) -> list[Tried]:
    """The trials of a function with small numbers of elements; none if that changes nothing."""
    possible = [o.with_amounts() for o in tries.possible(function)]
    is_same = accepted == tries.inferred.accepted and possible == tries.possible(function)
    if is_same or all(r.error.fault.kind not in OF_SIZES for r in failures):
        return []
    tries.inferred.accepted = accepted
    return tries.all_of(possible)


def if_status_is_another(tries: Tries, function: ExportedFunction) -> bool:
    """Accept a function if the result of a maker says something else than was read; false if that does not help.

    A block that is no object was taken for one: only the functions that use it show that, by an error or by
    members that nothing has set.
    """
    before = tries.inferred.accepted
    for place, maker in enumerate(before):
        if maker.outcome in STATUS and maker.function.name not in tries.stored.readings:
            for outcome in STATUS:
                other = replace(maker, outcome=outcome)
                tries.inferred.accepted = [*before[:place], other, *before[place + 1 :]]
                best = tries.best(tries.all_of(tries.possible(function))) if other != maker else None
                if best is not None and not best.trial.exploration.possible:
                    tries.inferred.accepted.append(best.operation)
                    return True
    tries.inferred.accepted = before
    return False


def _with_lasting_texts(operation: Operation) -> Operation:
    """The reading whose texts are stored."""
    return operation.with_roles({Role.TEXT: Role.LASTING_TEXT})
