"""Constraints on unknown inputs: intervals, and differences of two of them (Miné, the zone domain, PADO 2001).

A `Store` is an immutable, closed value: it contains every bound that follows from the others. So a store built without
a contradiction is feasible, and forgetting an input drops its entries. Exact over the integers.

An input that no difference relates may have *holes*, numbers that it is not: ``c != ' '`` would else be two states, and
a word of ten letters as many as a million. Whoever relates two inputs removes their holes first (`hole_of`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kleene.domains.explicit.values import Constraint, Linear

Interval = tuple[int, int]
Pairs = dict[tuple[int, int], int]
Holes = dict[int, frozenset[int]]


class Store:
    """Bounds of symbols (`intervals`), and upper bounds of differences (`pairs`: (a, b) -> c for a - b <= c).

    `holes` has the numbers inside its interval that a symbol is not.
    """

    __slots__ = ("holes", "intervals", "pairs")

    def __init__(self, intervals: dict[int, Interval], pairs: Pairs, holes: Holes) -> None:
        self.intervals = intervals
        self.pairs = pairs
        self.holes = holes

    def with_symbol(self, symbol: int, low: int, high: int) -> Store:
        return Store({**self.intervals, symbol: (low, high)}, self.pairs, self.holes)

    def may_have_holes(self, symbol: int) -> bool:
        """Whether no difference relates a symbol to another one."""
        return not any(symbol in pair for pair in self.pairs)

    def hole_of(self, symbol: int) -> int | None:
        """Some number that a symbol is not, though its bounds allow it."""
        return min(self.holes.get(symbol, ()), default=None)

    def range_of(self, value: Linear) -> Interval:
        low, high = self.intervals[value.symbol]
        return low + value.offset, high + value.offset

    def upper(self, a: int, b: int) -> int | None:
        """The least known c with a - b <= c; None without a bound."""
        if a == b:
            return 0
        if b == 0:
            return self.intervals[a][1]
        if a == 0:
            return -self.intervals[b][0]
        loose = self.intervals[a][1] - self.intervals[b][0]
        return min(loose, self.pairs.get((a, b), loose))

    def restrict(self, constraints: Iterable[Constraint]) -> Store | None:
        """The store with more constraints, or None if they are unsatisfiable.

        A constraint (a, b, c) is a - b <= c, or a != c if a and b are one symbol.
        """
        store: Store | None = self
        for a, b, c in constraints:
            if store is None:
                return None
            store = store._add(a, b, c)
        return store

    def _add(self, a: int, b: int, c: int) -> Store | None:
        if a == b and a != 0:
            return self._without(a, c)
        known = self.upper(a, b)
        if known is not None and known <= c:
            return self
        opposite = self.upper(b, a)
        if opposite is not None and opposite + c < 0:
            return None
        involved = {x for pair in self.pairs for x in pair}
        if a and b:
            involved |= {a, b}
        if not involved or ((a or b) not in involved and (a == 0 or b == 0)):
            return self._restrict(a, b, c)
        return self._close(sorted(involved | {0}), a, b, c)

    def _without(self, symbol: int, number: int) -> Store | None:
        low, high = self.intervals[symbol]
        if not low <= number <= high:
            return self
        holes = {**self.holes, symbol: self.holes.get(symbol, frozenset()) | {number}}
        return Store(self.intervals, self.pairs, holes)._within(symbol, (low, high))

    def _restrict(self, a: int, b: int, c: int) -> Store | None:
        symbol = a or b
        low, high = self.intervals[symbol]
        return self._within(symbol, (low, min(high, c)) if a else (max(low, -c), high))

    def _within(self, symbol: int, interval: Interval) -> Store | None:
        """The store with other bounds of a symbol; they are no holes."""
        low, high = interval
        holes = self.holes.get(symbol)
        if holes is None:
            return Store({**self.intervals, symbol: interval}, self.pairs, self.holes)
        while low in holes:
            low += 1
        while high in holes:
            high -= 1
        if low > high:
            return None
        left = {s: h for s, h in self.holes.items() if s != symbol}
        if inside := frozenset(n for n in holes if low < n < high):
            left[symbol] = inside
        return Store({**self.intervals, symbol: (low, high)}, self.pairs, left)

    def _close(self, symbols: list[int], a: int, b: int, c: int) -> Store | None:
        """Add a - b <= c and every bound that follows, among the symbols that differences relate."""
        intervals, pairs = dict(self.intervals), dict(self.pairs)
        to_a = {i: self.upper(i, a) for i in symbols}
        from_b = {j: self.upper(b, j) for j in symbols}
        for i in symbols:
            for j in symbols:
                first, last = to_a[i], from_b[j]
                if first is None or last is None:
                    continue
                bound = first + c + last
                if i == j:
                    if bound < 0:
                        return None
                    continue
                known = self.upper(i, j)
                if known is not None and known <= bound:
                    continue
                if j == 0:
                    intervals[i] = (intervals[i][0], min(intervals[i][1], bound))
                elif i == 0:
                    intervals[j] = (max(intervals[j][0], -bound), intervals[j][1])
                else:
                    pairs[i, j] = bound
        return Store(intervals, pairs, self.holes)

    def keep(self, symbols: set[int]) -> Store:
        """The store without all other symbols; implied bounds stay."""
        if len(symbols) == len(self.intervals):
            return self
        intervals = {s: i for s, i in self.intervals.items() if s in symbols}
        pairs = {p: c for p, c in self.pairs.items() if p[0] in symbols and p[1] in symbols}
        return Store(intervals, pairs, {s: h for s, h in self.holes.items() if s in symbols})

    def solution(self, prefer: Callable[[], int] = lambda: 0) -> dict[int, int]:
        """Values for all symbols: those of `prefer`, or as far within the bound of a symbol that has no such value."""
        store: Store = self
        values: dict[int, int] = {}
        for symbol in sorted(self.intervals):
            low, high = store.intervals[symbol]
            value = _within(low, prefer(), high)
            while value < high and value in store.holes.get(symbol, ()):
                value += 1
            fixed = store.restrict([(symbol, 0, value), (0, symbol, -value)])
            if fixed is None:
                fixed = store
                value = low
            store = fixed
            values[symbol] = value
        return values


def _within(low: int, preferred: int, high: int) -> int:
    """The preferred number, or one as far within the nearest bound as that is from 0: others would all be the bound."""
    if preferred < low:
        return min(low + abs(preferred), high)
    return preferred if preferred <= high else max(high - abs(preferred), low)


EMPTY = Store({}, {}, {})
