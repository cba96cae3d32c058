"""Input structures: checked against the rules, explained if contradictory, completed on request."""

from __future__ import annotations

from collections.abc import Sequence

from kleene.diagnostics import Diagnostic
from kleene.logic.kleene import Kleene
from kleene.structures.evaluate import with_definitions
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import TvsStructure
from kleene.transformers.coerce import Coercer


def complete_structure(given: TvsStructure) -> Structure:
    """The structure with every instrumentation predicate that its text does not list computed from its definition."""
    return with_definitions(given.structure, given.listed, by_machine=True)


def checked_input(
    given: Sequence[TvsStructure], coercer: Coercer, *, complete: bool
) -> tuple[list[Structure], list[Diagnostic]]:
    """The structures that satisfy the rules; for each other one, a message with the broken rule and its nodes."""
    accepted, problems = [], []
    for number, item in enumerate(given, 1):
        structure = complete_structure(item) if complete else item.structure
        if coercer.coerce(structure) is not None:
            accepted.append(structure)
            continue
        breach = coercer.explain(structure)
        reason = breach.describe(structure) if breach else "no rule found"
        hint = "" if complete else _hint(item, structure)
        text = f"input structure {number} contradicts the rule {reason}{hint}"
        problems.append(Diagnostic(text, item.position, "warning"))
    return accepted, problems


def _hint(item: TvsStructure, structure: Structure) -> str:
    """Suggest --complete-input if some instrumentation predicate is not listed and would not be 0 everywhere."""
    whole = complete_structure(item)
    missing = [
        p.name
        for p in structure.vocabulary.declared
        if p.definition is not None
        and p.name not in item.listed
        and any(value is not Kleene.FALSE for _, value in whole.entries(p.name))
    ]
    if not missing:
        return ""
    are = "is" if len(missing) == 1 else "are"
    return f"; {', '.join(missing)} {are} not listed and so 0 (--complete-input computes what is not listed)"
