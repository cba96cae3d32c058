"""Best transformers of actions and of loop-free sequences of them (YRS04, section 4).

``BT(tau, a)`` is assume over several copies of the vocabulary, observed in the last one. Actions keep the rules: a
store that breaks an integrity rule after an action is not a result, as in TVLA, where coerce discards it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

from kleene.diagnostics import UsageError
from kleene.logic.formula import FALSE, Formula, conj, forall, neg
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.structure import Structure
from kleene.symbolic.assume import Run
from kleene.symbolic.contracts.calls_by_rules import CallByRules
from kleene.symbolic.contracts.specifications import Call, as_before
from kleene.symbolic.result import SymbolicOptions, SymbolicResult
from kleene.symbolic.scene import Scene
from kleene.symbolic.theory import Theory
from kleene.symbolic.timeline.timeline import Timeline, UnsupportedAction, scenes
from kleene.symbolic.timeline.two_store import with_both_stores, with_unknown_past
from kleene.transformers.action import Action
from kleene.transformers.differencing import derive
from kleene.transformers.draft import Draft
from kleene.transformers.focus import Focuser, FocusOptions
from kleene.transformers.transformer import Transformer

_DEFAULT = SymbolicOptions()
Step = Action | Call


class BestTransformer:
    """The best transformer of an action, or of several actions one after the other.

    With `two_store`, the structures relate the store after the actions to the one before (`timeline.two_store`).
    """

    def __init__(
        self,
        actions: Action | Call | Sequence[Action | Call],
        theory: Theory,
        options: SymbolicOptions = _DEFAULT,
        *,
        two_store: bool = False,
    ) -> None:
        self.actions = (actions,) if isinstance(actions, (Action, Call)) else tuple(actions)
        self.theory = theory
        self.options = options
        self.two_store = two_store
        if two_store and any(_removes(step) for step in self.actions):
            raise UsageError("a step removes individuals: the store after it has no nodes for them: use no --two-store")
        self._plain = [
            _plain_transformer(a, theory) if isinstance(a, Action) else CallByRules(a, theory.vocabulary, theory.rules)
            for a in self.actions
        ]

    def post(self, structure: Structure) -> list[Structure]:
        """The canonical abstractions of all stores that the actions can lead to."""
        return list(self.run([structure]).structures)

    def run(self, structures: Sequence[Structure]) -> SymbolicResult:
        """The same for a set of structures, with the cost and whether everything was decided."""
        run = Run(self.theory, self.options)
        for structure in (f for s in structures if not self._decided(run, s) for f in self.focus(s)):
            undecided = cache(partial(self._without_solver, structure))
            if self.options.limits.total_seconds is not None:
                undecided()  # at the end of the time, there is none for that
            try:
                parts = scenes(self.theory, structure, partial(_steps, self.actions))
            except UnsupportedAction as problem:
                run.reasons[str(problem)] = None
                run.keep(undecided())
                continue
            for scene in parts:
                run.solve(self._scene_to_observe(scene), undecided)
        return run.result()

    def _decided(self, run: Run, structure: Structure) -> bool:
        """Try the procedure for one functional field; False if the actions are not of its kind."""
        actions = [step for step in self.actions if isinstance(step, Action)]
        if len(actions) < len(self.actions):
            return False
        return run.decide_actions(actions, structure, two_store=self.two_store)

    def _scene_to_observe(self, scene: Scene) -> Scene:
        return with_both_stores(scene, self.theory.vocabulary) if self.two_store else scene

    def _without_solver(self, structure: Structure) -> list[Structure]:
        results = self.plain(structure)
        return [with_unknown_past(s) for s in results] if self.two_store else results

    def focus(self, structure: Structure) -> list[Structure]:
        """The structure split by the first action's focus formulas: the same stores, with more definite values."""
        first = self._plain[0] if self._plain else None
        if not isinstance(first, Transformer):
            return [structure]
        drafts = first.focus(Draft.of(structure, self.theory.coercer.all))
        return [draft.structure(structure) for draft in drafts if first.coerce(draft)]

    def can_hold(self, condition: Formula, structure: Structure, *, after: bool = False) -> bool:
        """False only if no store of the structure satisfies a closed formula before the actions, or after them."""

        def build(timeline: Timeline) -> None:
            _steps(self.actions if after else (), timeline)
            timeline.assume(condition)

        breach = _breach(build, [structure], self.theory, self.options)
        return not breach.excluded

    def plain(self, structure: Structure) -> list[Structure]:
        """The result of focus, update, coerce and blur: sound, not best."""
        current = [structure]
        for step in self._plain:
            results = [
                s for c in current for s in (step.post(c) if isinstance(step, CallByRules) else step.post(c).structures)
            ]
            current = list(dict.fromkeys(canonical_abstraction(s) for s in results))
        return current


@dataclass(frozen=True)
class Breach:
    """Stores that break a condition, one for each initial structure; `reason` names an undecided question, if any."""

    stores: tuple[Structure, ...]
    reason: str | None

    @property
    def excluded(self) -> bool:
        """No store breaks the condition: proved."""
        return not self.stores and self.reason is None


def broken_requires(
    call: Call,
    before: Sequence[Step],
    structures: Sequence[Structure],
    theory: Theory,
    options: SymbolicOptions = _DEFAULT,
) -> Breach:
    """Stores, after the steps before a call, that break its precondition (section 1.1)."""

    def build(timeline: Timeline) -> None:
        _steps(before, timeline)
        timeline.assume(neg(call.requires))

    return _breach(build, structures, theory, options)


def broken_ensures(
    call: Call,
    body: Sequence[Step],
    structures: Sequence[Structure],
    theory: Theory,
    options: SymbolicOptions = _DEFAULT,
) -> Breach:
    """Results of a loop-free body, begun with the precondition, that break the postcondition or `modifies`."""
    if call.changes_universe or any(step.changes_universe for step in body):
        return Breach((), "individuals are created or removed: see 'kleene contracts'")

    def build(timeline: Timeline) -> None:
        timeline.assume(call.requires)
        _steps(body, timeline)
        timeline.assume_since_start(neg(conj(call.ensures, unmodified_predicates(call, theory.vocabulary))))

    return _breach(build, structures, theory, options)


def _breach(
    build: Callable[[Timeline], None], structures: Sequence[Structure], theory: Theory, options: SymbolicOptions
) -> Breach:
    run = Run(theory, options)
    witnesses = []
    for structure in structures:
        try:
            witnesses += [run.witness(scene) for scene in scenes(theory, structure, build)]
        except UnsupportedAction as problem:
            run.reasons[str(problem)] = None
    return Breach(tuple(store for store in witnesses if store is not None), "; ".join(run.reasons) or None)


def unmodified_predicates(call: Call, vocabulary: Vocabulary) -> Formula:
    """Every core predicate that the call may not modify is as it was."""
    kept = [p for p in vocabulary.declared if p.definition is None and p.name not in call.modifies]
    return conj(*(forall(p.args, as_before(p)) for p in kept))


def _removes(step: Step) -> bool:
    return step.retain is not None if isinstance(step, Action) else step.frees is not FALSE


def _steps(steps: Sequence[Step], timeline: Timeline) -> None:
    for step in steps:
        timeline.apply(step) if isinstance(step, Action) else timeline.call(step)


def _plain_transformer(action: Action, theory: Theory) -> Transformer:
    """Focus, update and coerce, with derived updates where the action gives none."""
    action = derive(action, theory.vocabulary).action
    focuser = Focuser(theory.vocabulary, theory.coercer, FocusOptions(skip_infinite=True))
    return Transformer(action, theory.coercer, focuser)
