"""Locations that no run leaves, because all their structures contradict the rules (thesis section 8.1).

A wrong update need not contradict a rule at once: coerce may see the contradiction only where a later focus decides
the values that hide it. Focus keeps all stores that a structure represents. So a structure whose cases of focus are
all contradictory represents no store, and if this holds for all structures of a location, then no run reaches the
location, or an update or rule before it is wrong. A single structure of this kind is no sign of a mistake: focus and
joins make some.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kleene.analysis.tvp.explain import focus_and_coerce
from kleene.cfa.graph import Cfa, Edge
from kleene.diagnostics import Diagnostic
from kleene.domains.shape.domain import ShapeDomain
from kleene.structures.structure import Structure
from kleene.transformers.action import Action


def dead_ends(cfa: Cfa[Action], domain: ShapeDomain, structures: Mapping[str, Sequence[Structure]]) -> list[Diagnostic]:
    """A warning for each location with structures, all of which contradict the rules on the way out."""
    found = []
    for location, here in structures.items():
        edges = cfa.leaving(location)
        if not here or any(domain.leads_on(e.label, s) for s in here for e in edges):
            continue
        reasons = [_reason(domain, edges, structure) for structure in here]
        if edges and None not in reasons:
            edge, rule = next(r for r in reasons if r is not None)
            text = (
                f"all structures at {location} contradict the rules where '{edge.label}' focuses, for example the rule "
                f"{rule}: an update before {location} or a rule is wrong, or no run comes there"
            )
            found.append(Diagnostic(text, edge.label.position, "warning"))
    return found


def _reason(
    domain: ShapeDomain, edges: Sequence[Edge[Action]], structure: Structure
) -> tuple[Edge[Action], str] | None:
    """An edge whose cases of focus all contradict the rules, and the rule that discards the last of them."""
    for edge in edges:
        cases = focus_and_coerce(domain, edge.label, structure)
        rules = [rule for _, rule in cases if rule is not None]
        if cases and len(rules) == len(cases):
            return edge, rules[-1]
    return None
