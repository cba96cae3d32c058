"""Updates that contradict a rule where focus cannot be the reason (thesis section 8.1).

An instrumentation predicate is updated apart from the core predicates, so a wrong update shows up as a contradiction
between its result and the rules. But focus also makes structures that represent no store, and some of them are
discarded only after the update. The cases of focus together represent the same stores as the structure before it. So
if this structure represents a store, one of its cases does. Therefore the update causes a contradiction if it occurs
in every case, or on a structure that focus has not changed, or in a case without indefinite values: it satisfies all
rules, so it is a store. The precondition must hold definitely in each of them.
"""

from __future__ import annotations

from kleene.logic.kleene import Kleene
from kleene.structures.evaluate import evaluate
from kleene.structures.structure import AC, Structure
from kleene.transformers.draft import Draft
from kleene.transformers.transformer import Transformer


def wrong_update(transformer: Transformer, structure: Structure) -> Structure | None:
    """The result of an update that must be wrong, before coerce discards it; None if focus may be the reason."""
    given = Draft.of(structure, transformer.coercer.all)
    if not transformer.coerce(given):
        return None  # the structure itself represents nothing
    cases = transformer.focus(given)
    if transformer.stages.coerce_before:
        cases = [case for case in cases if transformer.coerce(case)]
    results = [_contradictory(transformer, case, structure) for case in cases]
    for case, result in zip(cases, results, strict=True):
        if result is not None and (case is given or (transformer.stages.coerce_before and _is_store(case))):
            return result
    return results[0] if results and None not in results else None


def _is_store(case: Draft) -> bool:
    """Whether all values are definite: a structure that coerce has kept then satisfies all rules."""
    return case.values[::2] == case.values[1::2]


def _contradictory(transformer: Transformer, case: Draft, like: Structure) -> Structure | None:
    """The result for an assignment that certainly satisfies the precondition, if it contradicts a rule."""
    for assignment in transformer.assignments(case):
        if _certain(transformer, case, assignment, like):
            result = transformer.update(case, assignment)
            before = result.structure(like)
            if not transformer.coerce(result):
                return before
    return None


def _certain(transformer: Transformer, case: Draft, assignment: tuple[int, ...], like: Structure) -> bool:
    precondition = transformer.action.precondition
    if precondition is None:
        return True
    if not all(case.values[AC] >> u & 1 for u in assignment):
        return False
    nodes = dict(zip(precondition.free, assignment, strict=True))
    return evaluate(case.structure(like), precondition, nodes) is Kleene.TRUE
