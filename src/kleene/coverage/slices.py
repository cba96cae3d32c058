"""The invariant of a proof by slices: a state is covered if each slice covers what it sees of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kleene.coverage.invariants import Invariant
from kleene.coverage.views import View


class SlicesInvariant:
    """The invariants of all slices."""

    def __init__(self, invariants: Sequence[Invariant]) -> None:
        self.invariants = invariants
        self.looks_closer = any(own.looks_closer for own in invariants)

        self.states = self.different = 0

    def empty(self, location: str) -> bool | None:
        """Whether a slice excludes a location; None if no slice has it."""
        answers = [own.empty(location) for own in self.invariants]
        return None if all(answer is None for answer in answers) else any(answers)

    def problem(self, view: View) -> str | None:
        here = [own for own in self.invariants if own.empty(view.location) is not None]
        problem = next((what for own in here if (what := own.problem(view)) is not None), None)
        self.states += bool(here)
        self.different = sum(own.different for own in self.invariants)
        return problem

    def closer_looks(self) -> Iterator[tuple[str, str | None]]:
        for own in self.invariants:
            yield from own.closer_looks()
