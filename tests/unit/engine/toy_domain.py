"""A domain without structures: sets of numbers (or one interval), edges labelled with functions on numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kleene.cfa.graph import Cfa, Edge
from kleene.core.domain import Store

Step = Callable[[int], Iterable[int]]


class NumberStore:
    """All numbers met."""

    def __init__(self) -> None:
        self.known: dict[int, None] = {}

    def add(self, elements: Sequence[int]) -> list[int]:
        added = [n for n in dict.fromkeys(elements) if n not in self.known]
        self.known.update(dict.fromkeys(added))
        return added

    def covers(self, element: int) -> bool:
        return element in self.known

    def current(self, element: int) -> bool:
        return True

    def elements(self) -> list[int]:
        return sorted(self.known)

    def clear(self) -> None:
        self.known.clear()

    def __len__(self) -> int:
        return len(self.known)


class LargestStore(NumberStore):
    """Only the largest number met: each one that is added replaces what was there."""

    def add(self, elements: Sequence[int]) -> list[int]:
        added = []
        for n in elements:
            if not self.known or n > max(self.known):
                self.known = {n: None}
                added.append(n)
        return added

    def covers(self, element: int) -> bool:
        return any(element <= n for n in self.known)

    def current(self, element: int) -> bool:
        return element in self.known


class Numbers:
    """Elements are numbers; negative input is contradictory. Remembers the batches that it was asked about."""

    name = "numbers"

    def __init__(self, make: Callable[[], NumberStore] = NumberStore) -> None:
        self._make = make
        self.asked: list[tuple[str, str, tuple[int, ...]]] = []

    def initial(self, elements: Sequence[int]) -> list[int]:
        return [n for n in elements if n >= 0]

    def store(self) -> Store[int]:
        return self._make()

    def post(self, edge: Edge[Step], elements: Sequence[int]) -> list[int]:
        self.asked.append((edge.source, edge.target, tuple(elements)))
        return [result for n in elements for result in edge.label(n)]

    def explain_not_covered(self, element: int, store: Store[int]) -> str:
        return f"{element} is missing"


def when(condition: Callable[[int], bool], step: Callable[[int], int] = lambda n: n) -> Step:
    return lambda n: [step(n)] if condition(n) else []


def always(step: Callable[[int], int]) -> Step:
    return lambda n: [step(n)]


def counter(limit: int) -> Cfa[Step]:
    """``while (n < limit) n += 2;`` with the body in two steps."""
    return Cfa(
        "head",
        (
            Edge("head", when(lambda n: n < limit), "one"),
            Edge("one", always(lambda n: n + 1), "two"),
            Edge("two", always(lambda n: n + 1), "head"),
            Edge("head", when(lambda n: n >= limit), "exit"),
        ),
    )


def nested() -> Cfa[Step]:
    """An outer loop counting tens with an inner loop counting ones to a multiple of five."""
    return Cfa(
        "outer",
        (
            Edge("outer", when(lambda n: n < 30), "inner"),
            Edge("inner", when(lambda n: n % 5 != 4, lambda n: n + 1), "inner"),
            Edge("inner", when(lambda n: n % 5 == 4, lambda n: n + 1), "outer"),
            Edge("outer", when(lambda n: n >= 30), "exit"),
        ),
    )
