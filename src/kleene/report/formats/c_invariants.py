"""Shape invariants as C expressions, where C can express them: which pointers are null, and which are equal.

A structure is a conjunction of such facts, a loop head the disjunction of its structures. Facts that C cannot express,
such as 'an acyclic list', are omitted, so the expression is weaker than the invariant.

Predicates may stand for several variables of the source, so an expression is a candidate: it has to be proved again on
the source (`analysis/witnesses/validate.py`) before it is written into a witness.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kleene.cfa.operations import Place
from kleene.logic.kleene import Kleene
from kleene.report.check.shape_words import Invariant
from kleene.report.findings.source_lines import source_line
from kleene.structures.structure import Structure

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_LOOP = re.compile(r"\b(while|for|do)\b")
_MOST_CASES = 32
"""Disjuncts of one expression: longer ones help no reader and no tool."""

Facts = frozenset[tuple[str, str, str]]
"""Literals: a variable, `==` or `!=`, and 0 or another variable."""


@dataclass(frozen=True)
class CInvariant:
    """An expression that holds whenever the loop at this place is about to be entered or repeated."""

    place: Place
    value: str


def c_invariants(invariants: Sequence[Invariant]) -> list[CInvariant]:
    """The expressions of loop heads; of a function that was inlined several times, one for all its copies."""
    heads: dict[Place, list[Invariant]] = {}
    for invariant in invariants:
        place = _keyword(invariant.place) if invariant.where == "loop" else None
        if place is not None:
            heads.setdefault(place, []).append(invariant)
    expressions = []
    for place, copies in heads.items():
        cases = simplify_cases({_facts(s, copy) for copy in copies for s in copy.structures})
        if frozenset() not in cases and 0 < len(cases) <= _MOST_CASES:
            expressions.append(CInvariant(place, _text(cases)))
    return expressions


def _keyword(place: Place) -> Place | None:
    """The place of the loop's keyword: the last one on its line that does not come after the place itself."""
    starts = [match.start() + 1 for match in _LOOP.finditer(source_line(place.file, place.line))]
    before = [start for start in starts if start <= place.column]
    if not before and len(starts) != 1:
        return None
    return Place(place.file, place.line, before[-1] if before else starts[0], place.function)


def _facts(structure: Structure, invariant: Invariant) -> Facts:
    """The certain facts about the live variables."""
    facts: set[tuple[str, str, str]] = set()
    at: dict[tuple[int, str], str] = {}
    for variable, predicates in invariant.live.items():
        name = invariant.names.get(variable, variable)
        if [invariant.names.get(other, other) for other in invariant.live].count(name) > 1:
            continue  # one of them stands for another variable
        if not _IDENTIFIER.fullmatch(name) or _is_undefined(structure, variable):
            continue
        targets = [(node[0], p, value) for p in predicates for node, value in structure.entries(p)]
        if not targets:
            facts.add((name, "==", "0"))
        elif len(targets) == 1 and targets[0][2] is Kleene.TRUE:
            node, predicate, _ = targets[0]
            facts.add((name, "!=", "0"))
            other = at.setdefault((node, predicate.partition("+")[2]), name)
            if other != name:
                facts.add((name, "==", other))
    return frozenset(facts)


def _is_undefined(structure: Structure, variable: str) -> bool:
    name = f"undef[{variable}]"
    return name in structure.vocabulary and structure.value(name) is not Kleene.FALSE


def simplify_cases(cases: set[Facts]) -> set[Facts]:
    """The same disjunction with fewer cases: two that differ in one variable's being null become one."""
    while True:
        merged = next(
            (
                (one, two, one - {(v, "==", "0")})
                for one in cases
                for v, operator, value in one
                if (operator, value) == ("==", "0")
                for two in cases
                if one - {(v, "==", "0")} == two - {(v, "!=", "0")} and (v, "!=", "0") in two
            ),
            None,
        )
        if merged is not None:
            cases = (cases - {merged[0], merged[1]}) | {merged[2]}
            continue
        return {case for case in cases if not any(other < case for other in cases)}


def _text(cases: set[Facts]) -> str:
    parts = sorted(" && ".join(" ".join(fact) for fact in sorted(case)) for case in cases)
    return parts[0] if len(parts) == 1 else " || ".join(f"({part})" for part in parts)
