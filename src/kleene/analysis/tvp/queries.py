"""Questions in the manner of temporal logic about the derivation graph (thesis section 8.3).

A *state formula* is ``FORMULA``, ``at LOCATION`` or ``at LOCATION: FORMULA``, with a closed formula in TVP syntax. A
question is one of

    always S                every state satisfies S
    never S                 no state satisfies S
    once S stays            from the first state that satisfies S on, all do
    once S always T         from the first state that satisfies S on, all states satisfy T
    S comes from T          every run to a state that satisfies S was in one that satisfies T before, or is in one now

The answer "holds" covers all runs on all stores that the input represents: a required formula must be 1, and
an excluded one 0. Otherwise the answer is a shortest path of the graph that may be a run against it.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kleene.diagnostics import UsageError, did_you_mean
from kleene.logic.formula import Formula
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.report.run.result import QueryAnswer, State, Transitions
from kleene.structures.evaluate import evaluate
from kleene.structures.structure import Structure
from kleene.tvp.program import parse_formula

Path = tuple[tuple[str, State], ...]
_AT = re.compile(r'at\s+("[^"]*"|[\w$.]+)\s*(?::(.*))?', re.DOTALL)
_FORMS = (
    (re.compile(r"always\s+(.+)", re.DOTALL), "always"),
    (re.compile(r"never\s+(.+)", re.DOTALL), "never"),
    (re.compile(r"once\s+(.+?)\s+stays", re.DOTALL), "stays"),
    (re.compile(r"once\s+(.+?)\s+always\s+(.+)", re.DOTALL), "once"),
    (re.compile(r"(.+?)\s+comes\s+from\s+(.+)", re.DOTALL), "comes from"),
)


@dataclass(frozen=True, slots=True)
class StateFormula:
    """A location, a closed formula, or both."""

    location: str | None
    formula: Formula | None

    def value(self, state: State, structure: Structure) -> Kleene:
        if self.location is not None and state[0] != self.location:
            return Kleene.FALSE
        return Kleene.TRUE if self.formula is None else evaluate(structure, self.formula, {})


@dataclass(frozen=True, slots=True)
class Query:
    """A question: its form, and the state formulas in it."""

    text: str
    form: str
    parts: tuple[StateFormula, ...]


def parse_query(
    text: str, vocabulary: Vocabulary, sets: Mapping[str, Sequence[str]], locations: Sequence[str]
) -> Query:
    """A question from its text; formulas are checked against the vocabulary, locations against the program."""
    for pattern, form in _FORMS:
        match = pattern.fullmatch(text.strip())
        if match:
            parts = tuple(_state_formula(part, vocabulary, sets, locations) for part in match.groups())
            return Query(text, form, parts)
    forms = "'always S', 'never S', 'once S stays', 'once S always T' or 'S comes from T'"
    raise UsageError(f"the query '{text}' is none of {forms}")


def _state_formula(
    text: str, vocabulary: Vocabulary, sets: Mapping[str, Sequence[str]], locations: Sequence[str]
) -> StateFormula:
    match = _AT.fullmatch(text.strip())
    location, written = (match[1].strip('"'), match[2]) if match else (None, text)
    if location is not None and location not in locations:
        raise UsageError(f"there is no location '{location}'{did_you_mean(location, locations)}")
    formula = None if written is None else parse_formula(written, vocabulary, file="<query>", free=(), sets=sets)
    return StateFormula(location, formula)


def answer(query: Query, graph: Transitions, stored: Mapping[str, Sequence[Structure]]) -> QueryAnswer:
    """Whether the question's property holds in every run, or a shortest path that may be one against it."""

    def values(part: StateFormula) -> Callable[[State], Kleene]:
        return lambda state: part.value(state, stored[state[0]][state[1]])

    first = values(query.parts[0])
    second = values(query.parts[-1])
    search = _Search(graph)
    match query.form:
        case "always":
            path = search.path(graph.initial, lambda s: first(s) is not Kleene.TRUE)
        case "never":
            path = search.path(graph.initial, lambda s: first(s) is not Kleene.FALSE)
        case "comes from":
            path = search.path(
                graph.initial,
                lambda s: first(s) is not Kleene.FALSE and second(s) is not Kleene.TRUE,
                avoid=lambda s: second(s) is Kleene.TRUE,
            )
        case _:
            path = search.path_after(
                graph.initial, lambda s: first(s) is not Kleene.FALSE, lambda s: second(s) is not Kleene.TRUE
            )
    return QueryAnswer(query.text, path is None, path or ())


class _Search:
    """Breadth-first search in the graph."""

    def __init__(self, graph: Transitions) -> None:
        self._leaving: dict[State, list[tuple[str, State]]] = {}
        for edge in graph.edges:
            self._leaving.setdefault(edge.source, []).append((edge.action, edge.target))

    def path(
        self,
        starts: Iterable[State],
        goal: Callable[[State], bool],
        *,
        avoid: Callable[[State], bool] = lambda state: False,
    ) -> Path | None:
        """A shortest path to a state that is a goal, through none that is to be avoided; None if there is none."""
        came: dict[State, tuple[str, State] | None] = {s: None for s in starts if not avoid(s)}
        waiting = deque(came)
        while waiting:
            state = waiting.popleft()
            if goal(state):
                return _way(state, came)
            for action, target in self._leaving.get(state, ()):
                if target not in came and not avoid(target):
                    came[target] = (action, state)
                    waiting.append(target)
        return None

    def path_after(
        self, starts: Iterable[State], first: Callable[[State], bool], then: Callable[[State], bool]
    ) -> Path | None:
        """A path to a state that satisfies `first` and on to one that satisfies `then`, perhaps the same; or None."""
        reached: dict[State, Path] = {}
        reachable = self._reachable(starts)
        for trigger in (state for state in reachable if first(state)):
            rest = self.path([trigger], then)
            if rest is not None:
                reached[trigger] = rest
        if not reached:
            return None
        begin = self.path(starts, lambda state: state in reached)
        assert begin is not None
        return begin + reached[begin[-1][1]][1:]

    def _reachable(self, starts: Iterable[State]) -> list[State]:
        seen = dict.fromkeys(starts)
        waiting = list(seen)
        while waiting:
            for _, target in self._leaving.get(waiting.pop(), ()):
                if target not in seen:
                    seen[target] = None
                    waiting.append(target)
        return list(seen)


def _way(state: State, came: Mapping[State, tuple[str, State] | None]) -> Path:
    steps: list[tuple[str, State]] = []
    while (step := came[state]) is not None:
        action, before = step
        steps.append((action, state))
        state = before
    return (("", state), *reversed(steps))
