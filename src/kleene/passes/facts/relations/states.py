"""States of the analysis of relations: what variables and members hold, and what is known of the numbers among it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from kleene.cfa.expressions import Variable
from kleene.passes.facts.relations.forms import ANY, Form, form_of_constant
from kleene.passes.facts.relations.zones import ZERO, Interval, Zone

MOST_SUMS = 12
"""Numbers that are kept though no variable has them, as sums and their terms: with more, none is."""


class Cell(NamedTuple):
    """The number or pointer in the block of a pointer symbol, at an offset in bytes from there."""

    symbol: int
    offset: int
    size: int

    def of(self, symbol: int) -> Cell:
        """The same cell of another pointer."""
        return Cell(symbol, self.offset, self.size)

    @property
    def order(self) -> tuple[str, int, int]:
        return "", self.offset, self.size


class Part(NamedTuple):
    """A number of a pointer symbol: its `room` ahead, how much is `behind` it, in elements of `scale` bytes."""

    kind: str
    symbol: int
    scale: int

    def of(self, symbol: int) -> Part:
        """The same number of another pointer."""
        return Part(self.kind, symbol, self.scale)

    @property
    def order(self) -> tuple[str, int, int]:
        return self.kind, self.scale, 0


Key = Variable | Cell | Part
LAST_MOVES = frozenset({"last moved", "last moved by", "element", "element by"})
"""Parts for the last pointer to an element of a variable index, and for the index."""


@dataclass
class State:
    """What is known at a location. `blocks` has the kinds of blocks of a pointer symbol; None: any.

    `nonzero` has symbols of numbers that are not 0, where their interval does not say so. `grown` has pairs of numbers
    of which the first is the second plus at least 0 or 1, or less than 0: a signed sum may have wrapped. `forms` has
    what the bits of numbers tell, where it is more than their interval.
    """

    held: dict[Key, int] = field(default_factory=dict)
    zone: Zone = field(default_factory=Zone)
    blocks: dict[int, frozenset[object] | None] = field(default_factory=dict)
    apart: set[tuple[int, int]] = field(default_factory=set)
    following: int = 1
    nonzero: set[int] = field(default_factory=set)
    grown: dict[tuple[int, int], int] = field(default_factory=dict)
    forms: dict[int, Form] = field(default_factory=dict)

    def copy(self) -> State:
        blocks, apart, nonzero = dict(self.blocks), set(self.apart), set(self.nonzero)
        grown, forms = dict(self.grown), dict(self.forms)
        return State(dict(self.held), self.zone.copy(), blocks, apart, self.following, nonzero, grown, forms)

    def form(self, number: int) -> Form:
        """What the bits of a number tell."""
        low, high = self.zone.bounds[number]
        if low == high:
            return form_of_constant(low)
        known = self.forms.get(number, ANY)
        return replace(known, odd=0) if high <= 0 else known

    def add_form(self, number: int, form: Form) -> None:
        """Write down the form of a number, and sharpen its bounds."""
        if form.tells and self.zone.bounds[number][0] != self.zone.bounds[number][1]:
            self.forms[number] = form
            self._sharpen(number, form)

    def sharpen(self) -> None:
        """Bring the bounds of numbers to numbers of their forms."""
        for number, form in self.forms.items():
            self._sharpen(number, form)

    def _sharpen(self, number: int, form: Form) -> None:
        interval = self.zone.bounds[number]
        low, high = form.bounds(interval)
        if low > interval[0]:
            self.zone.add(ZERO, number, -low)
        if high < interval[1]:
            self.zone.add(number, ZERO, high)

    def growth(self, number: int, base: int) -> int | None:
        """0 or 1 if a number is another one plus at least that, or less than 0."""
        if self.zone.bounds[number][1] < 0:
            return 1
        known = [least for (own, other), least in self.grown.items() if own == number and self._is_at_most(base, other)]
        least = -self.zone.upper(base, number)
        return max((*known, *((min(least, 1),) if least >= 0 else ())), default=None)

    def _is_at_most(self, left: int, right: int) -> bool:
        return left == right or self.zone.upper(left, right) <= 0

    def is_natural(self, number: int) -> bool:
        """Add that a number is not less than 0; false if it is."""
        if not self.zone.add(ZERO, number, 0):
            return False
        sums = [(base, least) for (own, base), least in self.grown.items() if own == number]
        return all(self.zone.add(base, number, -least) for base, least in sums)

    def is_nonzero(self, symbol: int) -> bool:
        low, high = self.zone.bounds[symbol]
        return symbol in self.nonzero or low > 0 or high < 0

    def fresh(self, low: int, high: int) -> int:
        symbol = self.following
        self.following += 1
        self.zone.bounds[symbol] = (low, high)
        return symbol

    def fresh_pointer(self, blocks: frozenset[object] | None) -> int:
        symbol = self.following
        self.following += 1
        self.blocks[symbol] = blocks
        return symbol

    def interval(self, symbol: int) -> Interval:
        return self.zone.bounds[symbol]

    def reached(self) -> set[int]:
        """The symbols to which variables lead."""
        reached: set[int] = set()
        inner: dict[int, list[int]] = {}
        for key, symbol in self.held.items():
            if isinstance(key, Variable):
                reached.add(symbol)
            else:
                inner.setdefault(key.symbol, []).append(symbol)
        waiting = list(reached)
        while waiting:
            for symbol in inner.get(waiting.pop(), ()):
                if symbol not in reached:
                    reached.add(symbol)
                    waiting.append(symbol)
        return reached

    def holders(self) -> dict[int, set[Hashable]]:
        """The variables and members that hold each symbol; a number of a pointer or sum belongs to what holds that."""
        holders: dict[int, set[Hashable]] = {}
        for key, symbol in self.held.items():
            if not isinstance(key, Part):
                holder = key.name.removeprefix("&") if isinstance(key, Variable) else (key.offset, key.size)
                holders.setdefault(symbol, set()).add(holder)
        parts = [(key.symbol, symbol) for key, symbol in self.held.items() if isinstance(key, Part)]
        grew = True
        while grew:
            grew = False
            for whole, part in parts:
                more = holders.get(whole, set()) - holders.get(part, set())
                if more:
                    holders.setdefault(part, set()).update(more)
                    grew = True
        return holders

    def collect(self) -> None:
        """Drop what no variable leads to."""
        reached = self.reached()
        reached |= self._telling_sums(reached)  # of these only the terms are kept
        self.held = {
            k: s for k, s in self.held.items() if isinstance(k, Variable) or (k.symbol in reached and s in reached)
        }
        self.zone.keep(reached & self.zone.bounds.keys())
        self.blocks = {s: b for s, b in self.blocks.items() if s in reached}
        self.nonzero &= reached
        self.forms = {number: form for number, form in self.forms.items() if number in reached}
        self.grown = {(a, b): least for (a, b), least in self.grown.items() if a in reached and b in reached}
        self.apart = {(a, b) for a, b in self.apart if a in reached and b in reached}

    def _telling_sums(self, reached: set[int]) -> set[int]:
        """Sums of reached numbers that say more than their terms: a condition such as ``used + n < 64`` was on them."""
        sums: set[int] = set()
        for key in [k for k in self.held if isinstance(k, Part) and k.kind == "term" and k.scale == 1]:
            if key.symbol in reached:
                continue
            leaves, inner = self._leaves(key.symbol)
            if len(inner) > MOST_SUMS or not {key.symbol, *leaves, *inner} <= self.zone.bounds.keys():
                continue
            bounds = self.zone.bounds
            live = {n for n in leaves if bounds[n][0] != bounds[n][1]}
            tells = bounds[key.symbol][1] < sum(bounds[n][1] for n in leaves) or any(
                bound <= 0 and a == key.symbol and b in reached and b not in leaves
                for (a, b), bound in self.zone.gaps.items()
            )
            if live <= reached and tells:
                sums |= {key.symbol, *leaves, *inner}
        return sums if len(sums) <= MOST_SUMS else set()

    def moved_before(self, kind: str, base: int, by: int, key: int) -> int | None:
        """The last pointer that was so many elements from another one, so that what is read there stays known."""
        last = self.held.get(Part(f"{kind} by", base, key))
        if last is None or self.zone.upper(last, by) > 0 or self.zone.upper(by, last) > 0:
            return None
        return self.held.get(Part(kind, base, key))

    def note_moved(self, kind: str, base: int, by: int, key: int, moved: int) -> None:
        """A pointer is so many elements from another one. `key`: the size of an element, or the offset of the first."""
        self.held[Part(f"{kind} by", base, key)] = by
        self.held[Part(kind, base, key)] = moved

    def are_apart(self, a: int, b: int) -> bool:
        """Whether two pointers lead to different blocks; one that is NULL leads to none."""
        return (a, b) in self.apart or frozenset() in (self.blocks.get(a), self.blocks.get(b))

    def is_zero(self, symbol: int) -> bool:
        return self.zone.bounds.get(symbol) == (0, 0)

    def sums(self) -> list[int]:
        """The numbers that are known as sums of two others; inner sums first."""
        keys = {k.symbol for k in self.held if isinstance(k, Part) and k.kind == "term" and k.scale == 1}
        return sorted(symbol for symbol in keys if symbol in self.zone.bounds and self.terms_of(symbol))

    def terms_of(self, symbol: int) -> tuple[int, int] | None:
        """The two numbers of which one is the sum."""
        one, two, known = (
            self.held.get(Part("term", symbol, 1)),
            self.held.get(Part("term", symbol, 2)),
            self.zone.bounds,
        )
        return (one, two) if one is not None and two is not None and one in known and two in known else None

    def _leaves(self, number: int) -> tuple[list[int], list[int]]:
        """The numbers of which one is the sum, and the sums in between; not all if there are more than `MOST_SUMS`.

        A sum of sums with common terms has twice as many for each sum in between.
        """
        waiting, leaves = [number], []
        inner: list[int] = []
        while waiting and len(inner) <= MOST_SUMS:
            symbol = waiting.pop()
            terms = [self.held.get(Part("term", symbol, place)) for place in (1, 2)]
            if terms[0] is None or terms[1] is None:
                leaves.append(symbol)
            else:
                inner.append(symbol)
                waiting += [term for term in terms if term is not None]
        return leaves, inner


def image(known: State, other: State) -> dict[int, int] | None:
    """The symbols of a state that those of a known one stand for, if this covers it as it is; else None."""
    symbols: dict[int, int] = {}
    inner: dict[int, list[Cell | Part]] = {}
    waiting: list[tuple[int, int]] = []
    for key, symbol in known.held.items():
        if not isinstance(key, Variable):
            inner.setdefault(key.symbol, []).append(key)
        elif key not in other.held:
            return None
        else:
            waiting.append((symbol, other.held[key]))
    while waiting:
        symbol, twin = waiting.pop()
        if symbol in symbols:
            if symbols[symbol] != twin:
                return None
            continue
        symbols[symbol] = twin
        if not _is_within(known, symbol, other, twin):
            return None
        for key in inner.get(symbol, ()):
            value = other.held.get(key.of(twin))
            if value is None:
                return None
            waiting.append((known.held[key], value))
    if not _has_sums(known, other, symbols):
        return None
    if any(
        a in symbols and b in symbols and other.zone.upper(symbols[a], symbols[b]) > c
        for (a, b), c in known.zone.gaps.items()
    ):
        return None
    for (a, b), least in known.grown.items():
        if a in symbols and b in symbols:
            growth = other.growth(symbols[a], symbols[b])
            if growth is None or growth < least:
                return None
    if any(a in symbols and b in symbols and (symbols[a], symbols[b]) not in other.apart for a, b in known.apart):
        return None
    return symbols


def _has_sums(known: State, other: State, symbols: dict[int, int]) -> bool:
    """Whether a state has the sums of a known one, with the same bounds; adds them to the symbols."""
    missing = [symbol for symbol in known.sums() if symbol not in symbols]
    twins = {other.terms_of(symbol): symbol for symbol in other.sums()} if missing else {}
    for symbol in missing:
        pair = [_twin(known, term, symbols, other) for term in known.terms_of(symbol) or ()]
        twin = next((s for terms, s in twins.items() if terms and terms[0] in pair[0] and terms[1] in pair[1]), None)
        if twin is None or not _is_within(known, symbol, other, twin):
            return False
        symbols[symbol] = twin
    return True


def _twin(known: State, number: int, symbols: dict[int, int], other: State) -> set[int]:
    """The numbers of a state that one of a known state may stand for: its image, or the same constants."""
    if number in symbols:
        return {symbols[number]}
    interval = known.zone.bounds[number]
    if interval[0] != interval[1]:
        return set()
    return {n for n, own in other.zone.bounds.items() if own == interval}


def _is_within(known: State, symbol: int, other: State, twin: int) -> bool:
    if symbol in known.blocks:
        if twin not in other.blocks:
            return False
        kinds, own = known.blocks[symbol], other.blocks[twin]
        return kinds is None or (own is not None and own <= kinds)
    if twin not in other.zone.bounds:
        return False
    (low, high), (a, b) = known.zone.bounds[symbol], other.zone.bounds[twin]
    if symbol in known.forms and not known.forms[symbol].covers(other.form(twin)):
        return False
    return low <= a and b <= high and (symbol not in known.nonzero or other.is_nonzero(twin))


def covers(known: State, joint: State, pairs: list[tuple[int, int]]) -> bool:
    """Whether a join has added nothing to the state that was known."""
    if len(known.held) != len(joint.held) or len({old for old, _ in pairs}) != len(pairs):
        return False
    if any(old not in known.zone.bounds and old not in known.blocks for old, _ in pairs):
        return False
    kept = {old for old, _ in pairs}
    if {(pairs[i - 1][0], pairs[j - 1][0]) for i, j in joint.apart} != {
        (a, b) for a, b in known.apart if a in kept and b in kept
    }:
        return False
    for number, (old, _) in enumerate(pairs, 1):
        if number in joint.blocks:
            if joint.blocks[number] != known.blocks[old]:
                return False
        elif joint.zone.bounds[number] != known.zone.bounds[old] or (
            known.is_nonzero(old) and not joint.is_nonzero(number)
        ):
            return False
    numbers = [(n, old) for n, (old, _) in enumerate(pairs, 1) if n not in joint.blocks]
    new = {old: n for n, old in numbers}
    if any(not form.covers(joint.form(new[number])) for number, form in known.forms.items() if number in new):
        return False
    for (a, b), least in known.grown.items():
        growth = joint.growth(new[a], new[b]) if a in new and b in new else None
        if growth is None or growth < least:
            return False
    return all(  # the intervals are the same, so only these differences can be
        joint.zone.upper(new[a], new[b]) <= known.zone.upper(a, b) for a, b in known.zone.gaps if a in new and b in new
    )
