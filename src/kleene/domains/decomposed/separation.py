"""Actions that are several ones at the same time, each about parts of its own.

The end of a block forgets many variables in one action. Applied to all of their parts at once, it would combine them:
seven flags with three parts each have 2,187 combinations. Updates that are about different roots, and read these only,
can be applied one after the other: none of them changes what another one reads.
"""

from __future__ import annotations

from dataclasses import replace

from kleene.domains.decomposed.locality import Locality
from kleene.transformers.action import Action, Update


def separate_actions(locality: Locality, action: Action) -> tuple[Action, ...]:
    """Actions about different roots that have the same effect one after the other; none if there is one only."""
    if type(action) is not Action or _does_more_than_update(action):
        return ()
    roots = {update: _roots(locality, update) for update in action.updates}
    if not all(roots.values()):
        return ()
    groups = locality.finest.join(list(roots.values()))
    by_group: dict[frozenset[str], list[Update]] = {}
    for update in action.updates:
        by_group.setdefault(groups.class_of[min(roots[update])], []).append(update)
    if len(by_group) < 2:
        return ()
    actions = tuple(
        replace(action, name=f"{action.name}, {number}", updates=tuple(updates))
        for number, updates in enumerate(by_group.values(), 1)
    )
    own = zip(actions, by_group, strict=True)
    return actions if all(_stays_within(locality, part, group) for part, group in own) else ()


def _does_more_than_update(action: Action) -> bool:
    conditional = action.precondition is not None or action.focus or action.messages or action.post_messages
    return bool(conditional or action.changes_universe)


def _roots(locality: Locality, update: Update) -> frozenset[str]:
    """What an update writes and reads."""
    own = {update.predicate} if update.predicate in locality.roots else locality.rooted.get(update.predicate, ())
    return locality.roots_of(update.formula).union(own)


def _stays_within(locality: Locality, action: Action, group: frozenset[str]) -> bool:
    """Whether an action touches roots of one group alone, and has no effect elsewhere."""
    plan = locality.plan(action)
    return plan.touched is not None and plan.touched <= group and plan.elsewhere is None and not plan.in_some_part
