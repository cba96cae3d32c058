"""Which source variable a pointer predicate of the shape analysis stands for at a location.

Pointers whose lives do not overlap share a predicate (`passes/coalesce.py`). The predicate has the name of one of them;
reports show the name of the variable that is live.
"""

from __future__ import annotations

from kleene.cfa.expressions import Variable
from kleene.diagnostics import LimitReached
from kleene.passes.coalesce import coalesce
from kleene.passes.facts.liveness import defined_variables, live_before
from kleene.passes.preparation import Prepared


def source_names(prepared: Prepared, *, whole_scope: bool = False) -> dict[str, dict[str, str]]:
    """For each location: a map from shared predicates to the variables that they hold there.

    Predicates of one variable are omitted. `whole_scope`: the analysis kept variables to the end of their scope.
    """
    try:
        before = prepared.cfa
    except LimitReached:
        return {}
    after = coalesce(before, prepared.memory.pointer_places, whole_scope=whole_scope)
    shared: dict[Variable, Variable] = {}
    for old, new in zip(before.edges, after.edges, strict=True):
        for variable, holder in zip(defined_variables(old.label), defined_variables(new.label), strict=False):
            if type(old.label) is type(new.label) and variable not in shared:
                shared[variable] = holder
    live = live_before(before, set(shared), whole_scope=whole_scope)
    result: dict[str, dict[str, str]] = {}
    for location, variables in live.items():
        names = {shared[v].name: v.name for v in variables if shared[v] != v}
        if names:
            result[location] = names
    return result
