"""States where ways come together: what both hold, and what is known of it in both."""

from __future__ import annotations

from kleene.cfa.expressions import Variable
from kleene.passes.facts.relations.states import LAST_MOVES, MOST_SUMS, Cell, Key, Part, State
from kleene.passes.facts.relations.zones import ZERO, Zone, join_zones

MOST_DEPTH = 2
"""Members that are followed from a variable where paths meet: else a list that grows would be followed for ever."""
PLACE_IN_TEXT = Part("text", 0, 1), Part("at", 0, 1)
"""The block and the position of a pointer into a text, where it may not be the start of the block."""
PLACE_IN_BLOCK = Part("block", 0, 1), Part("behind", 0, 1)
"""The block of a pointer, and its position there."""


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
            if not isinstance(key, Variable) and not (isinstance(key, Part) and key.kind in LAST_MOVES):
                inner.setdefault(key.symbol, []).append(key)
        while looked < len(self.order):
            a, b = self.order[looked]
            looked += 1
            if not nulls and (self.first.blocks.get(a) == frozenset()) != (self.second.blocks.get(b) == frozenset()):
                continue
            deep = self.depths[looked - 1] >= MOST_DEPTH
            places = self._places_in_texts(a, b)
            for key in sorted({*inner.get(a, ()), *(k.of(a) for k in places)}, key=lambda k: k.order):
                one, two = places.get(key.of(0), (self.first.held.get(key), self.second.held.get(key.of(b))))
                steps = isinstance(key, Cell) or key.kind == "debt"
                if one is not None and two is not None and not (deep and steps):
                    self._hold(key.of(looked), one, two, self.depths[looked - 1] + steps)

    def _places_in_texts(self, a: int, b: int) -> dict[Cell | Part, tuple[int, int]]:
        """The places of two pointers in texts, where one of them has its place in a block: a text is a block as well.

        Not of arrays in structs: what is behind such a text is not behind the block.
        """
        states = ((self.first, a), (self.second, b))
        texts = [_values(state, symbol, PLACE_IN_TEXT) for state, symbol in states]
        if (texts[0] is None) == (texts[1] is None):
            return {}
        for n, (state, symbol) in enumerate(states):
            own = texts[n] or _values(state, symbol, PLACE_IN_BLOCK)
            if own is None or Part("text", own[0], 1) in state.held:
                return {}
            texts[n] = own
        return dict(zip(PLACE_IN_TEXT, zip(*texts, strict=True), strict=True))

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


def _values(state: State, symbol: int, parts: tuple[Part, ...]) -> tuple[int, ...] | None:
    """What a state holds at parts of a pointer, if it has all of them."""
    values = [state.held[p.of(symbol)] for p in parts if p.of(symbol) in state.held]
    return tuple(values) if len(values) == len(parts) else None


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
