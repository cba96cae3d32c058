"""States of the analysis of relations: what variables and members hold, and what is known of the numbers among it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from kleene.cfa.expressions import Variable
from kleene.passes.facts.relations.forms import ANY, Form, form_of_constant
from kleene.passes.facts.relations.zones import ZERO, Interval, Zone, join_zones

MOST_DEPTH = 2
"""Members that are followed from a variable where paths meet: else a list that grows would be followed for ever."""
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
        reached |= self._telling_sums(reached)
        self.held = {k: s for k, s in self.held.items() if isinstance(k, Variable) or k.symbol in reached}
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


def merge(first: State, second: State) -> tuple[State, list[tuple[int, int]]]:
    """The state that covers both, and the pair of symbols that each of its symbols 1, 2, ... stands for."""
    return _Merge(first.copy(), second.copy()).run()


class _Merge:
    """Two states on their way to one: they get the same members of pointers that are NULL in one of them."""

    def __init__(self, first: State, second: State) -> None:
        self.first, self.second = first, second
        self.numbers: dict[tuple[int, int], int] = {}
        self.order: list[tuple[int, int]] = []
        self.depths: list[int] = []
        """Members of members that lead from a variable to each pair."""
        self.held: dict[Key, int] = {}

    def run(self) -> tuple[State, list[tuple[int, int]]]:
        first, second = self.first, self.second
        variables = [k for k in first.held if isinstance(k, Variable) and k in second.held]
        for variable in sorted(variables, key=lambda v: v.name):
            self._hold(variable, first.held[variable], second.held[variable])
        self._look_into(0, nulls=False)
        looked = len(self.order)
        imitates = False
        for a, b in list(self.order):
            if first.blocks.get(a) == frozenset() and second.blocks.get(b):
                _imitate(first, a, second, b, {two: one for one, two in self.order})
            elif second.blocks.get(b) == frozenset() and first.blocks.get(a):
                _imitate(second, b, first, a, dict(self.order))
            else:
                imitates |= (first.blocks.get(a) == frozenset()) != (second.blocks.get(b) == frozenset())
                continue
            imitates = True
        if imitates:
            self._look_into(0)
        self._complete_sums()
        self._hold_sums()
        assert len(self.order) >= looked
        return self._result(), self.order

    def _hold(self, key: Key, a: int, b: int, depth: int = 0) -> None:
        if (a in self.first.blocks) != (b in self.second.blocks):
            return
        if (a, b) not in self.numbers:
            self.order.append((a, b))
            self.depths.append(depth)
            self.numbers[a, b] = len(self.order)
        self.held[key] = self.numbers[a, b]

    def _look_into(self, looked: int, *, nulls: bool = True) -> None:
        """The members of pointers that both states know; without `nulls`, not of those that one state knows as NULL."""
        inner: dict[int, list[Cell | Part]] = {}
        for key in self.first.held:
            if not isinstance(key, Variable):
                inner.setdefault(key.symbol, []).append(key)
        while looked < len(self.order):
            a, b = self.order[looked]
            looked += 1
            if not nulls and (self.first.blocks.get(a) == frozenset()) != (self.second.blocks.get(b) == frozenset()):
                continue
            deep = self.depths[looked - 1] >= MOST_DEPTH
            for key in sorted(inner.get(a, ()), key=lambda k: k.order):
                other = key.of(b)
                steps = isinstance(key, Cell) or key.kind == "debt"
                if other in self.second.held and not (deep and steps):
                    self._hold(
                        key.of(looked),
                        self.first.held[key],
                        self.second.held[other],
                        self.depths[looked - 1] + steps,
                    )

    def _complete_sums(self) -> None:
        """Numbers that are a sum in one state, and in the other one of its terms, as the other term is 0 there."""
        for (a, b), whole in list(self.numbers.items()):
            if Part("term", whole, 1) in self.held or a in self.first.blocks:
                continue
            for pairs in self._terms(a, b):
                one, two = (self._known_pair(*pair) for pair in pairs)
                if one is not None and two is not None and not self._has_term((one, two), whole):
                    self.held[Part("term", whole, 1)], self.held[Part("term", whole, 2)] = one, two
                    break

    def _has_term(self, sums: tuple[int, int], number: int) -> bool:
        """Whether a number is one of some, or a term of them: a sum of itself would have no end of terms."""
        waiting, seen = list(sums), set(sums)
        while waiting:
            symbol = waiting.pop()
            if symbol == number:
                return True
            more = {self.held.get(Part("term", symbol, place), symbol) for place in (1, 2)} - seen
            seen |= more
            waiting += more
        return False

    def _hold_sums(self) -> None:
        """Sums of the same numbers in both states: a condition may have been on them, though no variable has them."""
        mine, others = (state.sums()[-MOST_SUMS:] for state in (self.first, self.second))
        known = [{pair[side] for pair in self.numbers} for side in (0, 1)]
        for a in mine:
            twin = next((b for b in others if b not in known[1] and self._are_one(a, b)), None)
            if twin is not None and a not in known[0]:
                self._hold_sum(a, twin)
                known[0] |= self._equal_sums(self.first, a)
                known[1] |= self._equal_sums(self.second, twin)
        for side, sums in enumerate((mine, others)):
            for whole in sums:
                if all(pair[side] != whole for pair in self.numbers):
                    self._hold_sum_with_zero(whole, side)

    def _hold_sum_with_zero(self, whole: int, side: int) -> None:
        """A sum of one state that is one of its terms in the other state, as the other term is 0 there.

        A new chunk has 0 bytes in use, and what is asked for fits; in a chunk that is there, it fits behind those.
        """
        states = self.first, self.second
        terms = states[side].terms_of(whole)
        for number, zero in (terms, terms[::-1]) if terms else ():
            mine = [pair for pair in self.order if pair[side] == number]
            none = [pair for pair in self.order if pair[side] == zero and states[1 - side].is_zero(pair[1 - side])]
            if mine and none:
                same = mine[0][1 - side]
                pair = (same, whole) if side else (whole, same)
                self.order.append(pair)
                self.depths.append(0)
                key = self.numbers[pair] = len(self.order)
                self.held[Part("term", key, 1)] = self.numbers[mine[0]]
                self.held[Part("term", key, 2)] = self.numbers[none[0]]
                return

    @staticmethod
    def _equal_sums(state: State, symbol: int) -> set[int]:
        """The sums that equal one: they say the same."""
        upper = state.zone.upper
        return {s for s in state.sums() if upper(s, symbol) <= 0 and upper(symbol, s) <= 0}

    def _known_pair(self, a: int, b: int) -> int | None:
        """The number of the result for two numbers, or for the first one and one that equals the second.

        A number of the first state is not given a second one, unless it stands for a sum with 0 there: the fixpoint
        would take that for something new.
        """
        upper = self.second.zone.upper
        return next((n for (x, y), n in self.numbers.items() if x == a and upper(y, b) <= 0 and upper(b, y) <= 0), None)

    def _are_one(self, a: int, b: int) -> bool:
        """Whether two numbers of the states are one of the result, the same constant, or sums of such numbers."""
        if self._known_pair(a, b) is not None:
            return True
        bounds = self.first.zone.bounds[a], self.second.zone.bounds[b]
        if any(x == a for x, _ in self.numbers):
            sums = self._sums_with_zero(a, b)
            return any(self._known_pair(*one) and self._known_pair(*two) for one, two in sums)
        if bounds[0] == bounds[1] and bounds[0][0] == bounds[0][1]:
            return True
        return any(self._are_one(*one) and self._are_one(*two) for one, two in self._terms(a, b))

    def _terms(self, a: int, b: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """The terms of two sums in pairs. Of a sum that is one of its terms, as the other one is 0, also with that."""
        mine, others = self.first.terms_of(a), self.second.terms_of(b)
        pairs = [((mine[0], others[0]), (mine[1], others[1]))] if mine and others else []
        pairs += self._sums_with_zero(a, b)
        for zero, rest in (mine, mine[::-1]) if mine else ():
            pairs += [((zero, y), (rest, b)) for x, y in self.order if x == zero and self.second.is_zero(y)]
        return pairs

    def _sums_with_zero(self, a: int, b: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """The terms of a sum of the second state in pairs, where one is 0 in the first: there, the other is the sum."""
        others = self.second.terms_of(b)
        return [
            ((x, zero), (a, rest))
            for zero, rest in ((others, others[::-1]) if others else ())
            for x, y in self.order
            if y == zero and self.first.is_zero(x)
        ]

    def _hold_sum(self, a: int, b: int) -> int:
        whole = self._known_pair(a, b)
        if whole is not None:
            return whole
        self.order.append((a, b))
        self.depths.append(0)
        whole = self.numbers[a, b] = len(self.order)
        for one, two in self._terms(a, b):
            if self._are_one(*one) and self._are_one(*two):
                terms = self._hold_sum(*one), self._hold_sum(*two)
                if self._has_term(terms, whole):
                    continue
                self.held[Part("term", whole, 1)], self.held[Part("term", whole, 2)] = terms
                break
        return whole

    def _result(self) -> State:
        first, second, order = self.first, self.second, self.order
        result = State(self.held, following=len(order) + 1)
        for index, (a, b) in enumerate(order, 1):
            if a in first.blocks:
                one, two = first.blocks[a], second.blocks[b]
                result.blocks[index] = None if one is None or two is None else one | two
        for i in result.blocks:
            for j in result.blocks:
                (a, b), (c, d) = order[i - 1], order[j - 1]
                if i != j and first.are_apart(a, c) and second.are_apart(b, d):
                    result.apart.add((i, j))
        plain = [(ZERO, ZERO) if i in result.blocks else pair for i, pair in enumerate(order, 1)]
        result.zone = join_zones(first.zone, second.zone, plain)
        result.zone.keep(i for i in range(1, len(order) + 1) if i not in result.blocks)
        numbers = [(i, pair) for i, pair in enumerate(order, 1) if i not in result.blocks]
        own = numbers if first.grown or second.grown else []
        for i, j, a, b, c, d in ((i, j, *p, *q) for i, p in own for j, q in own if i != j):
            if (a, c) in first.grown or (b, d) in second.grown:
                growths = first.growth(a, c), second.growth(b, d)
                if growths[0] is not None and growths[1] is not None:
                    result.grown[i, j] = min(growths[0], growths[1])
        result.nonzero = {i for i, (a, b) in numbers if first.is_nonzero(a) and second.is_nonzero(b)}
        for i, (a, b) in numbers:
            result.add_form(i, first.form(a).join(second.form(b)))
        return result


def _imitate(state: State, null: int, other: State, pointer: int, known: dict[int, int]) -> None:
    """Give a pointer that is NULL in a state the members that it has in the other one.

    Nothing can be read through it, so its members may have any values: those of variables that the two states hold in
    common, or else new ones with the same relations.
    """
    made: dict[int, int] = {pointer: null}
    waiting = [pointer]
    while waiting:
        symbol = waiting.pop()
        keys = [k for k in other.held if not isinstance(k, Variable) and k.symbol == symbol]
        keys = [k for k in keys if isinstance(k, Cell) or k.kind != "nonzero"]
        for key in sorted(keys, key=lambda k: k.order):
            value = other.held[key]
            if value not in made:
                if value in known:
                    made[value] = known[value]
                elif value in other.blocks:
                    made[value] = state.fresh_pointer(frozenset())
                    waiting.append(value)
                else:
                    made[value] = state.fresh(*other.zone.bounds[value])
                    state.add_form(made[value], other.form(value))
            state.held[key.of(made[symbol])] = made[value]
    new = {old: own for old, own in made.items() if old not in known and old in other.zone.bounds}
    for (a, b), c in other.zone.gaps.items():
        if a in new and b in new:
            state.zone.add(new[a], new[b], c)
    for (a, b), c in other.zone.gaps.items():
        if (a in new and b in known) or (b in new and a in known):
            pair = new.get(a, known.get(a, ZERO)), new.get(b, known.get(b, ZERO))
            _relate(state, pair, c, new[a] if a in new else new[b])


def _relate(state: State, pair: tuple[int, int], bound: int, free: int) -> None:
    """Bound the difference of a number that may have any value and another one, if this says nothing of others.

    The number may be 0 instead of more.
    """
    bounds = state.zone.bounds[free]
    for low in (bounds[0], min(bounds[0], 0)):
        zone = state.zone.copy()
        zone.bounds[free] = (low, bounds[1])
        if zone.add(*pair, bound) and _says_the_same(state.zone, zone, free):
            state.zone = zone
            return


def _says_the_same(before: Zone, after: Zone, but: int) -> bool:
    if any(interval != after.bounds[n] for n, interval in before.bounds.items() if n != but):
        return False
    return all(before.upper(a, b) <= c for (a, b), c in after.gaps.items() if but not in (a, b))


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
