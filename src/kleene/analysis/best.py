"""`kleene run --best`: best transformers (seed 000, section 4) for chosen actions, instead of focus, update, coerce."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from kleene.cfa.graph import Edge
from kleene.domains.shape.domain import ShapeDomain
from kleene.logic.formula import Formula, conj, exists
from kleene.structures.embedding import embeds
from kleene.structures.structure import Structure
from kleene.symbolic.best import BestTransformer
from kleene.symbolic.theory import Theory
from kleene.transformers.action import Action, Message, Rule
from kleene.transformers.transformer import Report


class BestDomain(ShapeDomain):
    """A shape domain that takes the best transformer for some actions, and counts where that is more precise.

    `chosen` are names of actions, with arguments (``next(x, y)``) or without (``next``), or ``all``.
    """

    def __init__(self, *args: Any, chosen: Sequence[str], user_rules: Sequence[Rule]) -> None:
        super().__init__(*args)
        self._chosen = frozenset(chosen)
        self._theory = Theory(self.vocabulary, tuple(user_rules))
        self._best: dict[Action, BestTransformer] = {}
        self.improved: Counter[str] = Counter()
        self.undecided: dict[str, None] = {}

    def is_chosen(self, action: Action) -> bool:
        return bool({"all", action.name, action.name.partition("(")[0]} & self._chosen)

    def post(self, edge: Edge[Action], elements: Sequence[Structure]) -> list[Structure]:
        action = edge.label
        if not self.is_chosen(action):
            return super().post(edge, elements)
        best = self._best.get(action)
        if best is None:
            best = self._best[action] = BestTransformer(action, self._theory)
        results: list[Structure] = []
        for element in elements:
            outcome = self.outcome(self.transformer(action), edge, element)
            plain = list(dict.fromkeys(self.blurred(draft, element) for draft in outcome.drafts))
            outcome.reports = [r for r in outcome.reports if self._real(r, best, element)]
            if outcome.reports or outcome.unmet:
                self.log.add(edge, outcome)
            found = best.run([element])
            if found.reason is not None:
                self.undecided[f"{action.name}: {found.reason}"] = None
            if _more_precise(found.structures, plain):
                self.improved[action.name] += 1
            results += found.structures
        return results

    def _real(self, report: Report, best: BestTransformer, element: Structure) -> bool:
        """A message that certainly holds on a structure, or that some store can cause."""
        action = best.actions[0]
        if report.definite or not isinstance(action, Action) or report.message not in action.messages:
            return True
        return best.can_hold(_condition(action, report.message), element)


def _condition(action: Action, message: Message) -> Formula:
    """The message's condition under the action's precondition, closed."""
    both = message.condition if action.precondition is None else conj(action.precondition, message.condition)
    return exists(both.free, both)


def _more_precise(best: Sequence[Structure], plain: Sequence[Structure]) -> bool:
    """The plain result has a structure that no structure of the best result covers."""
    return any(not any(s == b or embeds(s, b) for b in best) for s in plain)
