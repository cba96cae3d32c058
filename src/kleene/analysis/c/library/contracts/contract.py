"""The contract of an operation: the invariant of its objects before and after the call, as a comment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kleene.analysis.c.library.client.text import MAIN
from kleene.analysis.c.library.contracts.invariant import Fact
from kleene.analysis.c.library.interface.object_types import is_direct, record_of
from kleene.analysis.c.library.readings.operations import (
    OBJECTS,
    POINTER_ROLES,
    REPLACING,
    Fate,
    Operation,
    Outcome,
    Role,
)
from kleene.analysis.c.source_names import source_names
from kleene.cfa.operations import Allocate, Free, Realloc
from kleene.cfa.program import CProgram
from kleene.cfa.types import PointerType
from kleene.report.check.shape_words import Invariant, invariants_of
from kleene.results.check import CheckReport
from kleene.results.shape import ShapeResult
from kleene.semantics.contracts.formulas import not_described

_NEXT = "\n      && "
"""Between two conjuncts: each has a line."""
_RESULT = "\\result"


def loop_heads(check: CheckReport, labels: Mapping[str, str] | None = None) -> list[Invariant]:
    """The structures at the heads of the client's loops, its main loop first, in each slice of a proof.

    There are none if no shape analysis was needed. `labels` are names for variables of the client.
    """
    shape = check.shape
    if not isinstance(shape, ShapeResult) or check.prepared is None:
        return []
    names = source_names(check.prepared)
    heads: list[Invariant] = []
    for own in shape.slices or (shape,):
        places = own.translation.places if own.translation is not None else ()
        heads += invariants_of(own, {place: {**(labels or {}), **names.get(place, {})} for place in places})
    return [i for i in heads if i.where == "loop" and i.place.function == MAIN]


def main_heads(check: CheckReport) -> list[Invariant]:
    """The head of the client's main loop, in each slice of a proof."""
    heads = loop_heads(check)
    return [head for head in heads if head.place == heads[0].place]


def predicates_of(head: Invariant, variable: str) -> Sequence[str]:
    """The predicates of a variable of the client at the head of its loop."""
    return head.live.get(variable) or head.live.get(f"&{variable}", [variable])  # its address is passed


def why_no_contract(operation: Operation, program: CProgram) -> str:
    """Why formulas cannot describe a function, so that a contract could not be checked where it is pasted."""
    return not_described(program, program.functions[operation.function.name])


def contract_of(operation: Operation, facts: Mapping[str, Sequence[Fact]], program: CProgram) -> str:
    """The contract as a comment; empty if the operation has no object, or if formulas cannot describe the function."""
    if why_no_contract(operation, program):
        return ""
    shown = _names(operation, program)
    requires: list[str] = []
    ensures: list[str] = []
    for role, parameter in zip(operation.roles, operation.function.parameters, strict=True):
        known = _conjuncts(facts, record_of(parameter.type), shown[parameter.name])
        if role in _NOT_NULL:
            requires.append(f"{parameter.name} != NULL")
        if role in OBJECTS or role is Role.SECOND:
            requires += known
        ended = operation.ends or (role is Role.SECOND and operation.fate in (Fate.MERGED, Fate.MOVED))
        if role in OBJECTS and not ended and operation.outcome not in REPLACING:
            ensures += known
    if operation.outcome in (Outcome.NEW, *REPLACING):
        ensures += _conjuncts(facts, record_of(operation.function.result), _RESULT)
    if not any(map(_is_formula, (*requires, *ensures))):  # 'p != NULL' alone would be no formula, but words for shapes
        requires = [f"E(v) {shown[text.removesuffix(' != NULL')]}(v)" for text in requires]
    clauses = [_clause("requires", requires), _clause("ensures", ensures)]
    lines = [clause for clause in clauses if clause]
    return "/*@ " + "\n    ".join([*lines, *_effects(operation, program)]) + " */" if lines else ""


_NOT_NULL = (
    Role.OBJECT,
    Role.SECOND,
    Role.GIVEN,
    Role.LOOSE,
    Role.ELEMENT,
    Role.BLOCK,
    Role.INITIALISED,
    Role.MADE,
)
"""Roles of arguments that are not NULL."""


def _conjuncts(facts: Mapping[str, Sequence[Fact]], record: str, name: str) -> list[str]:
    """The formulas about an object; some facts have none."""
    return [conjunct for fact in facts.get(record, ()) if (conjunct := fact.about(name).conjunct)]


def _names(operation: Operation, program: CProgram) -> dict[str, str]:
    """The names of parameters in formulas: ``\\next`` is a parameter with the name of a field."""
    fields = {f.name for r in program.records.values() for f in r.fields if isinstance(f.type, PointerType)}
    return {p.name: f"\\{p.name}" if p.name in fields else p.name for p in operation.function.parameters}


def _effects(operation: Operation, program: CProgram) -> list[str]:
    """The clauses about new blocks and freed ones: a contract without them says that there are none."""
    names = program.reached_from(operation.function.name)
    labels = [e.label for name in names for e in program.functions[name].cfa.edges]
    pairs = zip(operation.roles, operation.function.parameters, strict=True)
    shown = _names(operation, program)
    reached = [f"r[{shown[p.name]}](v)" for role, p in pairs if role in POINTER_ROLES and is_direct(p.type)]
    clauses = ["allocates;"] if any(isinstance(label, Allocate | Realloc) for label in labels) else []
    if reached and any(isinstance(label, Free | Realloc) for label in labels):
        clauses.append(f"frees {' | '.join(reached)};")
    return clauses


def _is_formula(conjunct: str) -> bool:
    return conjunct.startswith(("A(", "E("))


def _clause(word: str, conjuncts: Sequence[str]) -> str:
    kept = list(dict.fromkeys(c for c in conjuncts if c))
    return f"{word} {_NEXT.join(kept)};" if kept else ""
