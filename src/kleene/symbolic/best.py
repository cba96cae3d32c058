"""Best transformers of actions and of loop-free sequences of them (seed 000, section 4).

``BT(tau, a)`` is assume over several copies of the vocabulary, observed in the last one. Actions keep the rules: a
store that breaks an integrity rule after an action is not a result, as in TVLA, where coerce discards it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from kleene.logic.formula import Formula
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.structure import Structure
from kleene.symbolic.assume import Run
from kleene.symbolic.moments import Timeline, UnsupportedAction
from kleene.symbolic.result import SymbolicOptions, SymbolicResult
from kleene.symbolic.theory import Theory
from kleene.transformers.action import Action
from kleene.transformers.focus import Focuser, FocusOptions
from kleene.transformers.transformer import Transformer

_DEFAULT = SymbolicOptions()


class BestTransformer:
    """The best transformer of an action, or of several actions one after the other."""

    def __init__(self, actions: Action | Sequence[Action], theory: Theory, options: SymbolicOptions = _DEFAULT) -> None:
        self.actions = (actions,) if isinstance(actions, Action) else tuple(actions)
        self.theory = theory
        self.options = options
        self._plain = [_plain_transformer(action, theory) for action in self.actions]

    def post(self, structure: Structure) -> list[Structure]:
        """The canonical abstractions of all stores that the actions can lead to."""
        return list(self.run([structure]).structures)

    def run(self, structures: Sequence[Structure]) -> SymbolicResult:
        """The same for a set of structures, with what it cost and whether everything was decided."""
        run = Run(self.theory, self.options)
        for structure in structures:
            try:
                timeline = Timeline(self.theory, structure)
                for action in self.actions:
                    timeline.apply(action)
            except UnsupportedAction as problem:
                run.reasons[str(problem)] = None
                run.keep(self.plain(structure))
                continue
            run.solve(timeline.scene(), partial(self.plain, structure))
        return run.result()

    def can_hold(self, condition: Formula, structure: Structure) -> bool:
        """False only if no store of the structure satisfies a closed formula before the first action."""
        run = Run(self.theory, self.options)
        timeline = Timeline(self.theory, structure)
        timeline.assume(condition)
        run.solve(timeline.scene(), partial(list, [structure]))
        return bool(run.structures)

    def plain(self, structure: Structure) -> list[Structure]:
        """The result of focus, update, coerce and blur: sound, not best."""
        current = [structure]
        for transformer in self._plain:
            results = [s for c in current for s in transformer.post(c).structures]
            current = list(dict.fromkeys(canonical_abstraction(s) for s in results))
        return current


def _plain_transformer(action: Action, theory: Theory) -> Transformer:
    focuser = Focuser(theory.vocabulary, theory.coercer, FocusOptions(skip_infinite=True))
    return Transformer(action, theory.coercer, focuser)
