"""Invariants of automata with copies of locations (`choices`): one of the copies has to cover a state.

A slice may have some copies of a location only, or some calls of a function: then it says nothing about the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kleene.coverage.invariants import Invariant
from kleene.coverage.views import View
from kleene.passes.attempts.choices import original_location


class CopiesInvariant:
    """An invariant by locations of the program, but for those with a copy that is `left_out`.

    Where there are copies, states are not looked at closer: one copy may cover what is written in a state, and another
    one what follows from it.
    """

    def __init__(self, inner: Invariant, locations: Iterable[str], left_out: Iterable[str]) -> None:
        self.inner = inner
        self.copies: dict[str, list[str]] = {}
        unknown = set(map(original_location, left_out))
        for name in sorted(locations):
            if (own := original_location(name)) not in unknown:
                self.copies.setdefault(own, []).append(name)
        has_copies = any(len(own) > 1 for own in self.copies.values())
        self.looks_closer = inner.looks_closer and not has_copies
        self.states = self.different = 0

    @staticmethod
    def of(inner: Invariant, locations: Iterable[str], left_out: Iterable[str]) -> Invariant:
        """The invariant by locations of the program; the same one if all locations are and cover their own."""
        names, unknown = list(locations), frozenset(left_out)
        are_own = all(original_location(name) == name and name not in unknown for name in names)
        return inner if are_own else CopiesInvariant(inner, names, unknown)

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
        yield from self.inner.closer_looks() if self.looks_closer else ()
