"""The tactics of Refine: ways to rule out an infeasible error path, tried in this order.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, Algorithm 3.
Deviation: the paper has two steps (tracking definitions from interpolants, then FineTune); other tactics serve paths
on which neither changes the abstraction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kleene.refine.rounds import DEPENDS, Round
from kleene.refine.tracking.cuts import Asked, on_path
from kleene.refine.tracking.definition import TrackingDefinition
from kleene.refine.tracking.reasons import cone, everything_mentioned, slice_of

if TYPE_CHECKING:
    from kleene.refine.loop import Refinement

GENERATORS_PER_ROUND = 4
"""Generators that are simulated before more variables are tracked: a round of trials costs as much as a tree."""

MORE_STRUCTURES = 40_000
"""Structures of a simulation before more is tracked: one to two seconds of the native machine."""


@dataclass(frozen=True)
class Tactic:
    """One way to refine an abstraction. `apply` is true if it changed something; `name` appears in the trace."""

    name: str
    apply: Callable[[Refinement, Round], bool]
    is_costly: bool = False
    """Whether it is not worth its time where the same error can be looked at in another task."""


def _dependent_pointers(run: Refinement, current: Round) -> TrackingDefinition:
    """The pointers and fields that the error depends on, without data and integers."""
    return replace(cone(run.task.memory, current.path), data=frozenset(), integers=frozenset())


def _track_dependent_pointers(run: Refinement, current: Round) -> bool:
    return run.track(current, on_path(current.path, _dependent_pointers(run, current), DEPENDS))


def _track_dependences(run: Refinement, current: Round) -> bool:
    return run.track(current, on_path(current.path, cone(run.task.memory, current.path), DEPENDS))


def _costly(name: str, apply: Callable[[Refinement, Round], bool]) -> Tactic:
    return Tactic(name, apply, is_costly=True)


TACTICS = (
    Tactic("conditions", lambda run, now: run.follow_conditions(now)),
    Tactic("interpolants", lambda run, now: run.track(now, run.ask(now))),
    Tactic("wider interpolants", lambda run, now: run.track(now, on_path(now.path, now.reason.wider, DEPENDS))),
    Tactic("dependent pointers", _track_dependent_pointers),
    Tactic("few generators", lambda run, now: run.tune(now, patience=GENERATORS_PER_ROUND)),
    _costly("larger simulations", lambda run, now: run.gave_up(now) and run.deepen(now, MORE_STRUCTURES)),
    Tactic("dependent pointers everywhere", lambda run, now: run.track(now, Asked(_dependent_pointers(run, now)))),
    Tactic("all generators", lambda run, now: run.tune(now)),
    Tactic("rings", lambda run, now: run.close(now)),
    _costly("all generators with larger simulations", lambda run, now: run.deepen(now, MORE_STRUCTURES)),
    _costly("dependences", _track_dependences),
    _costly("dependences everywhere", lambda run, now: run.track(now, Asked(cone(run.task.memory, now.path)))),
    _costly("the whole path", lambda run, now: run.track(now, Asked(everything_mentioned(run.task.memory, now.path)))),
    _costly("the slice of the path", lambda run, now: run.track(now, Asked(slice_of(run.task.memory, now.path)))),
    _costly("known variables everywhere", lambda run, now: run.track(now, Asked(run.abstraction.definition))),
    _costly("simulations to the end", lambda run, now: run.deepen(now, run.largest)),
)
"""Refine (Algorithm 3), step by step: cheap tactics that usually succeed come first."""
