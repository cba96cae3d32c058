"""`kleene run --best`: best transformers (YRS04, section 4) for chosen actions, instead of focus, update, coerce."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from kleene.cfa.graph import Edge
from kleene.domains.shape.domain import ShapeDomain
from kleene.logic.formula import Formula, conj, exists
from kleene.smt import Limits
from kleene.structures.embedding import embeds
from kleene.structures.structure import Structure
from kleene.symbolic.best import BestTransformer
from kleene.symbolic.result import SymbolicOptions
from kleene.symbolic.theory import Theory
from kleene.transformers.action import Action, Message, Rule

OPTIONS = SymbolicOptions(limits=Limits(total_seconds=60), most=32)
"""A minute for one action on one structure; then the plain result is taken where it is better."""


class BestDomain(ShapeDomain):
    """A shape domain that takes the best transformer for some actions, and counts where that is more precise.

    `chosen` are names of actions, with arguments (``next(x, y)``) or without (``next``), or ``all``.
    """

    def __init__(self, *args: Any, chosen: Sequence[str], user_rules: Sequence[Rule]) -> None:
        super().__init__(*args)
        self._chosen = frozenset(chosen)
        self._theory = Theory(self.vocabulary, tuple(user_rules))
        self._best: dict[Action, BestTransformer] = {}
        self.improved: dict[str, Counter[str]] = {}
        """Actions, and at which locations their best transformers were more precise on how many structures."""
        self.undecided: dict[str, None] = {}

    def is_chosen(self, action: Action) -> bool:
        return bool({"all", action.name, action.name.partition("(")[0]} & self._chosen)

    def post(self, edge: Edge[Action], elements: Sequence[Structure]) -> Sequence[Structure]:
        action = edge.label
        if not self.is_chosen(action):
            return super().post(edge, elements)
        best = self._best.get(action)
        if best is None:
            best = self._best[action] = BestTransformer(action, self._theory, OPTIONS)
        results: list[Structure] = []
        for element in elements:
            outcome = self.outcome(self.transformer(action), edge, element)
            plain = list(dict.fromkeys(self.blur(draft, element) for draft in outcome.drafts))
            possible = {m: self._can_be_reported(m, best, element) for m in {r.message for r in outcome.reports}}
            outcome.reports = [r for r in outcome.reports if possible[r.message]]
            if outcome.reports or outcome.unmet:
                self.log.add(edge, outcome)
            results += self._results(edge, element, best, plain)
        return results

    def _results(
        self, edge: Edge[Action], element: Structure, best: BestTransformer, plain: list[Structure]
    ) -> Sequence[Structure]:
        """The best result; the plain one where that is not decided and the plain one is not above it."""
        name = edge.label.name
        answer = best.run([element])
        if answer.reason is not None:
            self.undecided[f"{name}: {answer.reason}"] = None
            if not all(_is_covered(s, plain) for s in answer.structures):
                return plain
        if not all(_is_covered(s, answer.structures) for s in plain):
            self.improved.setdefault(name, Counter())[edge.source] += 1
        return answer.structures

    def _can_be_reported(self, message: Message, best: BestTransformer, element: Structure) -> bool:
        """False only if no store of the structure can cause the message; a structure after focus may have no store."""
        action = best.actions[0]
        if message.only_if is not None or not isinstance(action, Action):
            return True
        if message in action.post_messages:
            return best.can_hold(message.condition, element, after=True)
        if message not in action.messages:
            return True
        return best.can_hold(_condition(action, message), element)


def _condition(action: Action, message: Message) -> Formula:
    """The message's condition under the action's precondition, closed."""
    both = message.condition if action.precondition is None else conj(action.precondition, message.condition)
    return exists(both.free, both)


def _is_covered(structure: Structure, others: Sequence[Structure]) -> bool:
    return any(structure == other or embeds(structure, other) for other in others)
