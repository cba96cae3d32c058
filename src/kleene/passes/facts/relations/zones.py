"""Zones: an interval for each number, and upper bounds of differences of two (Miné, PADO 2001).

A zone is closed: it contains every bound that follows from the others, except after a widening. A difference is kept
only where it says more than the two intervals do, so numbers that nothing relates cost nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence

from kleene.cfa.expressions import MIRRORED

Interval = tuple[int, int]
ZERO = 0
"""The number 0, so that a bound of one number is a difference too."""
GAP_STEPS = (-1, 0, 1)
"""Differences at which a growing one stops first: before, at, or just behind the end of an array."""
UNBOUNDED = 1 << 64
"""Larger than every number of a program."""


class Zone:
    """Numbers are named by integers. `gaps[a, b] = c` stands for a - b <= c."""

    __slots__ = ("bounds", "gaps")

    def __init__(self) -> None:
        self.bounds: dict[int, Interval] = {ZERO: (0, 0)}
        self.gaps: dict[tuple[int, int], int] = {}

    def copy(self) -> Zone:
        twin = Zone()
        twin.bounds, twin.gaps = dict(self.bounds), dict(self.gaps)
        return twin

    def upper(self, a: int, b: int) -> int:
        """The least known c with a - b <= c."""
        if a == b:
            return 0
        loose = self.bounds[a][1] - self.bounds[b][0]
        gap = self.gaps.get((a, b), loose)
        return min(loose, gap)

    def add(self, a: int, b: int, c: int) -> bool:
        """Add a - b <= c and all that follows; false if nothing satisfies it."""
        if a == b:
            return c >= 0
        if self.upper(a, b) <= c:
            return True
        if self.upper(b, a) + c < 0:
            return False
        before = {a, ZERO} | {i for i, j in self.gaps if j == a}
        behind = {b, ZERO} | {j for i, j in self.gaps if i == b}
        to_a = {i: self.upper(i, a) for i in before}
        from_b = {j: self.upper(b, j) for j in behind}
        for i, first in to_a.items():
            for j, last in from_b.items():
                bound = first + c + last
                if i == j:
                    if bound < 0:
                        return False
                elif bound < self.upper(i, j):
                    self._set(i, j, bound)
        return True

    def _set(self, a: int, b: int, c: int) -> None:
        if b == ZERO:
            self.bounds[a] = (self.bounds[a][0], c)
        elif a == ZERO:
            self.bounds[b] = (-c, self.bounds[b][1])
        else:
            self.gaps[a, b] = c

    def same(self, a: int, b: int, c: int = 0) -> bool:
        """Add a = b + c; false if nothing satisfies it."""
        return self.add(a, b, c) and self.add(b, a, -c)

    def tighten(self) -> None:
        """Add the bounds of numbers that follow from differences: after a widening, not all of them are there."""
        for _ in self.bounds:  # a chain of differences is not longer; if they contradict each other, there is no end
            before = dict(self.bounds)
            for (a, b), c in self.gaps.items():
                high, low = self.bounds[b][1] + c, self.bounds[a][0] - c
                self.bounds[a] = (self.bounds[a][0], min(high, self.bounds[a][1]))
                self.bounds[b] = (max(low, self.bounds[b][0]), self.bounds[b][1])
            if self.bounds == before:
                break

    def keep(self, numbers: Iterable[int]) -> None:
        """Forget all other numbers; what follows about the kept ones is there already."""
        kept = {ZERO, *numbers}
        self.bounds = {n: interval for n, interval in self.bounds.items() if n in kept}
        self.gaps = {pair: c for pair, c in self.gaps.items() if pair[0] in kept and pair[1] in kept}


DENSE = 40
"""Numbers whose bounds changed, up to which a join looks at all their differences; of more, at the known ones only."""


def join_zones(first: Zone, second: Zone, pairs: Sequence[tuple[int, int]]) -> Zone:
    """The least zone of the new numbers 1, 2, ..., each of which is a number of the first and one of the second.

    A difference can be bounded by more than the intervals only if one of the zones has a bound for it, or if the upper
    bound of the one number and the lower bound of the other one differ in the two zones.
    """
    result = Zone()
    ups, downs = [], []
    places: tuple[dict[int, list[int]], dict[int, list[int]]] = ({}, {})
    for number, (a, b) in enumerate(pairs, 1):
        (al, ah), (bl, bh) = first.bounds[a], second.bounds[b]
        result.bounds[number] = (min(al, bl), max(ah, bh))
        if ah != bh:
            ups.append(number)
        if al != bl:
            downs.append(number)
        places[0].setdefault(a, []).append(number)
        places[1].setdefault(b, []).append(number)
    candidates = {(i, j) for i in ups for j in downs} if max(len(ups), len(downs)) <= DENSE else set()
    for zone, where in ((first, places[0]), (second, places[1])):
        candidates |= {(i, j) for a, c in zone.gaps for i in where.get(a, ()) for j in where.get(c, ())}
    for where in places:  # one number of a zone may stand for several new ones
        candidates |= {(i, j) for same in where.values() if len(same) > 1 for i in same for j in same}
    for i, j in candidates:
        if i != j:
            (a, b), (c, d) = pairs[i - 1], pairs[j - 1]
            bound = max(first.upper(a, c), second.upper(b, d))
            if bound < result.bounds[i][1] - result.bounds[j][0]:
                result.gaps[i, j] = bound
    return result


def relate(operator: str, a: int, b: int, zone: Zone) -> bool:
    """Add a comparison of two numbers; false if it cannot hold."""
    if operator in (">", ">="):
        a, b, operator = b, a, MIRRORED[operator]
    match operator:
        case "<":
            return zone.add(a, b, -1)
        case "<=":
            return zone.add(a, b, 0)
        case "==":
            return zone.same(a, b)
    if zone.upper(a, b) <= 0 and zone.upper(b, a) <= 0:
        return False
    if zone.upper(a, b) <= 0:
        return zone.add(a, b, -1)
    return zone.upper(b, a) > 0 or zone.add(b, a, -1)


def widen(
    known: Zone,
    joint: Zone,
    pairs: Sequence[tuple[int, int]],
    landmarks: Callable[[int], Sequence[int]],
    gap_steps: Sequence[int] = GAP_STEPS,
) -> None:
    """Widen a join, each number of which is a pair with one of the known zone: what grew stops at a landmark."""
    for number, (old, _) in enumerate(pairs, 1):
        if number not in joint.bounds or old not in known.bounds:  # a member that a null pointer was given
            continue
        (low, high), (a, b) = joint.bounds[number], known.bounds[old]
        if low < a or high > b:
            steps = landmarks(number)
            if low < a:
                k = bisect_right(steps, low)
                low = steps[k - 1] if k else -UNBOUNDED
            if high > b:
                k = bisect_left(steps, high)
                high = steps[k] if k < len(steps) else UNBOUNDED
            joint.bounds[number] = (low, high)
    for (i, j), c in list(joint.gaps.items()):
        one, two = pairs[i - 1][0], pairs[j - 1][0]
        if {one, two} <= known.bounds.keys() and c > known.upper(one, two):
            step = next((s for s in gap_steps if s >= c), None)
            if step is None:
                del joint.gaps[i, j]
            else:
                joint.gaps[i, j] = step
