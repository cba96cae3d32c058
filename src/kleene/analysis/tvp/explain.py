"""`--explain`: where a structure came from, stage by stage, and why others were discarded (thesis Fig. 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from kleene.cfa.graph import Edge
from kleene.domains.shape.domain import ShapeDomain
from kleene.report.run.result import Explanation, Stage
from kleene.structures.embedding import embeds
from kleene.structures.structure import Structure
from kleene.transformers.action import Action
from kleene.transformers.draft import Draft
from kleene.transformers.focus import Focuser, InfiniteFocus

_MANY_CASES = 1000


class Provenance:
    """A listener that records the steps into the locations of interest."""

    def __init__(self, locations: Sequence[str]) -> None:
        self._locations = frozenset(locations)
        self.steps: dict[str, list[tuple[Edge[Action], Structure, tuple[Structure, ...]]]] = {}

    def on_location(self, location: str, batch: int) -> None:
        """Nothing to remember."""

    def on_edge(self, edge: Edge[Any], source: Any, results: Sequence[Any]) -> None:
        if edge.target in self._locations:
            self.steps.setdefault(edge.target, []).append((edge, source, tuple(results)))

    def fruitless(self, location: str) -> list[tuple[Edge[Action], Structure]]:
        """The first few steps towards the location that have no result."""
        steps = self.steps.get(location, [])
        return [(edge, source) for edge, source, results in steps if not results][:MOST_FRUITLESS]

    def origin(self, location: str, structure: Structure) -> tuple[Edge[Action], Structure] | None:
        """A step that led to the structure, or to a part of it if it was joined from several."""
        steps = self.steps.get(location, [])
        for edge, source, results in steps:
            if structure in results:
                return edge, source
        for edge, source, results in steps:
            if any(embeds(r, structure) for r in results):
                return edge, source
        return None


MOST_FRUITLESS = 5


def explanations(
    domain: ShapeDomain, provenance: Provenance, location: str, structures: Sequence[Structure]
) -> list[Explanation]:
    """One explanation for each step that led to a structure of the location, and for some that led to nothing."""
    by_source: dict[tuple[str, str, Structure], Explanation] = {}
    for structure in structures:
        origin = provenance.origin(location, structure)
        if origin is not None:
            edge, source = origin
            key = (edge.source, edge.label.name, source)
            if key not in by_source:
                by_source[key] = _explanation(domain, location, edge, source)
    for edge, source in provenance.fruitless(location):
        by_source.setdefault((edge.source, edge.label.name, source), _explanation(domain, location, edge, source))
    return list(by_source.values())


def _explanation(domain: ShapeDomain, location: str, edge: Edge[Action], source: Structure) -> Explanation:
    stages = stages_of(domain, edge.label, source)
    return Explanation(location, source, edge.source, str(edge.label), stages)


def stages_of(domain: ShapeDomain, action: Action, structure: Structure) -> tuple[Stage, ...]:
    """Replay an action on one structure; keep the results of each stage, and the reason for each discarded one."""
    transformer = domain.transformer(action)
    focused = _focus_cases(domain, action, structure)
    stages = [_plain("focused", focused, structure)]
    kept: list[Draft] = []
    if transformer.stages.coerce_before:
        coerced, kept = _coerce_all(domain, focused, structure)
        stages.append(Stage("coerced", coerced))
    else:
        kept = focused
    updated = [transformer.update(draft, a) for draft in kept for a in transformer.assignments(draft)]
    stages.append(_plain("updated", updated, structure))
    if transformer.stages.coerce_after:
        coerced, updated = _coerce_all(domain, updated, structure)
        stages.append(Stage("coerced", coerced))
    if domain.options.join != "conc":
        blurred = dict.fromkeys(domain.blur(draft, structure) for draft in updated)
        stages.append(Stage("blurred", tuple((s, None) for s in blurred)))
    return tuple(stages)


def focus_and_coerce(
    domain: ShapeDomain, action: Action, structure: Structure
) -> tuple[tuple[Structure, str | None], ...]:
    """The cases of an action's focus, each with the rule that it contradicts, or None."""
    entries, _ = _coerce_all(domain, _focus_cases(domain, action, structure), structure)
    return entries


def _focus_cases(domain: ShapeDomain, action: Action, structure: Structure) -> list[Draft]:
    """Every case of focus, the contradictory ones too, so that coerce can tell why it discards them.

    If there are too many cases, or infinitely many, only those that the analysis itself uses.
    """
    transformer = domain.transformer(action)
    start = Draft.of(structure, domain.coercer.all, keep_names=True)
    if not transformer.stages.focus:
        return [start]
    focuser = _focuser_without_coerce(domain)
    drafts = [start]
    try:
        for formula in action.focus:
            drafts = [result for draft in drafts for result in focuser.focus_draft(draft, formula)]
            if len(drafts) > _MANY_CASES:
                return transformer.focus(start)
    except InfiniteFocus:
        return transformer.focus(start)
    return drafts


@lru_cache(maxsize=1)
def _focuser_without_coerce(domain: ShapeDomain) -> Focuser:
    options = replace(domain.focuser.options, coerce_cases=False)
    return Focuser(domain.vocabulary, domain.coercer, options)


def _plain(name: str, drafts: Sequence[Draft], like: Structure) -> Stage:
    return Stage(name, tuple((draft.structure(like), None) for draft in drafts))


def _coerce_all(
    domain: ShapeDomain, drafts: Sequence[Draft], like: Structure
) -> tuple[tuple[tuple[Structure, str | None], ...], list[Draft]]:
    entries: list[tuple[Structure, str | None]] = []
    kept = []
    for draft in drafts:
        before = draft.structure(like)
        breach = domain.coercer.explain(before)
        if breach is not None:
            entries.append((before, breach.describe(before)))
            continue
        draft.dirty = domain.coercer.all
        domain.coercer.sharpen(draft.values, draft.size, draft.dirty)
        draft.dirty = 0
        entries.append((draft.structure(like), None))
        kept.append(draft)
    return tuple(entries), kept
