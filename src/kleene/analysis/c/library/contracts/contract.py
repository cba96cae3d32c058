"""The contract of an operation: the invariant of its objects before and after the call, as a comment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kleene.analysis.c.library.client.text import MAIN
from kleene.analysis.c.library.contracts.invariant import Fact
from kleene.analysis.c.library.interface.object_types import record_of
from kleene.analysis.c.library.readings.operations import OBJECTS, REPLACING, Fate, Operation, Outcome, Role
from kleene.analysis.c.source_names import source_names
from kleene.report.check.shape_words import Invariant, invariants_of
from kleene.results.check import CheckReport
from kleene.results.shape import ShapeResult

_NEXT = "\n      && "
"""Between two conjuncts: each has a line."""
_RESULT = "\\result"


def loop_heads(check: CheckReport) -> list[Invariant]:
    """The structures at the heads of the client's loops, its main loop first, in each slice of a proof.

    There are none if no shape analysis was needed.
    """
    shape = check.shape
    if not isinstance(shape, ShapeResult) or check.prepared is None:
        return []
    names = source_names(check.prepared)
    heads = [i for own in shape.slices or (shape,) for i in invariants_of(own, names)]
    return [i for i in heads if i.where == "loop" and i.place.function == MAIN]


def main_heads(check: CheckReport) -> list[Invariant]:
    """The head of the client's main loop, in each slice of a proof."""
    heads = loop_heads(check)
    return [head for head in heads if head.place == heads[0].place]


def predicates_of(head: Invariant, variable: str) -> Sequence[str]:
    """The predicates of a variable of the client at the head of its loop."""
    return head.live.get(variable) or head.live.get(f"&{variable}", [variable])  # its address is passed


def contract_of(operation: Operation, facts: Mapping[str, Sequence[Fact]]) -> str:
    """The contract as a comment; empty if the operation has no object."""
    requires: list[str] = []
    ensures: list[str] = []
    for role, parameter in zip(operation.roles, operation.function.parameters, strict=True):
        known = [fact.about(parameter.name).conjunct for fact in facts.get(record_of(parameter.type), ())]
        if role in (
            Role.OBJECT,
            Role.SECOND,
            Role.GIVEN,
            Role.LOOSE,
            Role.ELEMENT,
            Role.BLOCK,
            Role.INITIALISED,
            Role.MADE,
        ):
            requires.append(f"{parameter.name} != NULL")
        if role in OBJECTS or role is Role.SECOND:
            requires += known
        ended = operation.ends or (role is Role.SECOND and operation.fate in (Fate.MERGED, Fate.MOVED))
        if role in OBJECTS and not ended and operation.outcome not in REPLACING:
            ensures += known
    if operation.outcome in (Outcome.NEW, *REPLACING):
        ensures += [fact.about(_RESULT).conjunct for fact in facts.get(record_of(operation.function.result), ())]
    clauses = [_clause("requires", requires), _clause("ensures", ensures)]
    lines = [clause for clause in clauses if clause]
    return "/*@ " + "\n    ".join(lines) + " */" if lines else ""


def _clause(word: str, conjuncts: Sequence[str]) -> str:
    kept = list(dict.fromkeys(c for c in conjuncts if c))
    return f"{word} {_NEXT.join(kept)};" if kept else ""
