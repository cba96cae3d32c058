"""Invariants of automata with copies of locations (`choices`): one of the copies has to cover a state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kleene.coverage.invariants import Invariant
from kleene.coverage.views import View
from kleene.passes.attempts.choices import original_location


class CopiesInvariant:
    """An invariant by locations of the program, but for those with a copy that is `left_out`.

    States are not looked at closer: one copy may cover what is written in a state, and another what follows from it.
    """

    looks_closer = False

    def __init__(self, inner: Invariant, locations: Iterable[str], left_out: Iterable[str]) -> None:
        self.inner = inner
        self.copies: dict[str, list[str]] = {}
        unknown = set(map(original_location, left_out))
        for name in sorted(locations):
            if (own := original_location(name)) not in unknown:
                self.copies.setdefault(own, []).append(name)
        self.states = self.different = 0

    @staticmethod
    def of(inner: Invariant, locations: Iterable[str], left_out: Iterable[str]) -> Invariant:
        """The invariant by locations of the program; the same one if there are no copies."""
        names = list(locations)
        has_copies = any(original_location(name) != name for name in names)
        return CopiesInvariant(inner, names, left_out) if has_copies else inner

    def empty(self, location: str) -> bool | None:
        answers = [self.inner.empty(name) for name in self.copies.get(location, ())]
        return all(answers) if answers else None

    def problem(self, view: View) -> str | None:
        problem: str | None = None
        for name in self.copies.get(view.location, ()):
            problem = self.inner.problem(replace(view, location=name))
            if problem is None:
                break
        self.states += 1
        self.different = self.inner.different
        return problem

    def closer_looks(self) -> Iterator[tuple[str, str | None]]:
        yield from ()
