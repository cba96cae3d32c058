"""Sums, products and quotients of symbols in a state of the analysis of relations, and what compares them."""

from __future__ import annotations

import math

from kleene.cfa.expressions import Binary, Constant, Expression
from kleene.passes.facts.relations.forms import Form, odd_part
from kleene.passes.facts.relations.states import Part, State
from kleene.passes.facts.relations.zones import Interval

QUOTIENT = "quotient by "
"""How the numbers of a number are called, before a divisor: the quotient of the number plus `scale`."""
MOST_SHIFT = 64
"""Bits by which the widest number is shifted."""
MOST_TERMS = 7
"""Terms of two sums that are compared: all ways to pair them are tried."""


class Sums:
    """One symbol for the same sum, or product, of the same numbers."""

    def _product(self, a: int, b: int, full: Interval, state: State) -> int:
        """A symbol for a product in a type of some range; the same one for the same numbers, also if it may wrap."""
        (al, ah), (bl, bh) = state.interval(a), state.interval(b)
        if al == ah:
            a, b, al, ah, bl, bh = b, a, bl, bh, al, ah
        if bl == bh == 1:
            return a
        products = [x * y for x in (al, ah) for y in (bl, bh)]
        fits = full[0] <= min(products) and max(products) <= full[1]
        names = [Part(f"times to {full[1]}", a, bl)] if bl == bh > 1 else []
        if al == ah > 1 and bl == bh:  # either may be the variable
            names.append(Part(f"times to {full[1]}", b, al))
        known = next((state.held[name] for name in names if name in state.held), None)
        if known is None and fits:
            known = self._known_product(state, a, b)
        if not fits:
            product = state.fresh(*full) if known is None else known
            self._wraps(state, product, a, bl if bl == bh else 0, full)
        elif known is None:
            product = state.fresh(min(products), max(products))
            state.held[Part("factor", product, 1)], state.held[Part("factor", product, 2)] = a, b
            if bl == bh and bl > 0:
                self._between(state, product, a, (bl - 1) * al, (bl - 1) * ah)
                self._rounded_down(state, product, a, bl)
        else:
            product = known
        state.held.update(dict.fromkeys(names, product))
        self._form_of_product(state, product, (a, b), full)
        return product

    @staticmethod
    def _rounded_down(state: State, product: int, quotient: int, divisor: int) -> None:
        """``n / 8 * 8`` is n, or up to 7 less."""
        for key, number in list(state.held.items()):
            is_quotient = isinstance(key, Part) and key.kind == f"{QUOTIENT}{divisor}" and number == quotient
            if isinstance(key, Part) and is_quotient and key.symbol in state.zone.bounds:
                state.zone.add(product, key.symbol, key.scale)
                state.zone.add(key.symbol, product, divisor - 1 - key.scale)

    @staticmethod
    def _form_of_product(state: State, product: int, factors: tuple[int, int], full: Interval) -> None:
        (al, ah), (bl, bh) = (state.interval(factor) for factor in factors)
        one, two = (state.form(factor) for factor in factors)
        is_small = full[0] <= al * bl <= ah * bh <= full[1]
        wraps_below = full[0] < 0 and bh * ah <= full[1] - full[0]  # to a number less than 0
        odd = one.odd * odd_part(bl) if one.odd and bl == bh and bl > 0 and al >= 0 else None
        multiple = math.gcd(one.multiple * two.multiple, full[1] - full[0] + 1)
        state.add_form(product, Form(odd if is_small or wraps_below else None, multiple))

    @staticmethod
    def _wraps(state: State, product: int, a: int, factor: int, full: Interval) -> None:
        """What is known of the product with a constant that may be too large for its type."""
        (low, high), width = state.interval(a), full[1] - full[0]
        if low >= 0 and factor > 1 and high * factor <= width:
            state.grown[product, a] = min(low, 1)
        before = state.held.get(Part("zero like", a, 1))
        if before is not None and (low, high) == full:  # the same number, but for multiples of the width
            low, high = state.interval(before)
        is_power = factor > 0 and factor & (factor - 1) == 0
        if is_power and state.is_nonzero(a) and factor * max(-low, high) < width + 1:
            state.nonzero.add(product)  # a multiple of the width would be needed

    @staticmethod
    def _known_product(state: State, a: int, b: int) -> int | None:
        """The product of two numbers, if it was computed before."""
        for key, value in state.held.items():
            if isinstance(key, Part) and key.kind == "factor" and key.scale == 1 and value in (a, b):
                other = state.held.get(Part("factor", key.symbol, 2))
                if other == (b if value == a else a) and key.symbol in state.zone.bounds:
                    return key.symbol
        return None

    def _quotient(self, a: int, divisor: int, state: State) -> int:
        """A number that is not less than 0, divided by a constant; the same symbol for equal numbers.

        In a heap, ``a[(i - 1) / 2]`` is read and written by an index that is computed each time.
        """
        zone, kind = state.zone, f"{QUOTIENT}{divisor}"
        for key, known in state.held.items():
            if (
                isinstance(key, Part)
                and key.kind == kind
                and {known, key.symbol} <= zone.bounds.keys()
                and zone.upper(a, key.symbol) == key.scale == -zone.upper(key.symbol, a)
            ):
                return known
        low, high = state.interval(a)
        quotient = state.fresh(low // divisor, high // divisor)
        state.held[Part(kind, *self._without_constant(state, a))] = quotient
        self._between(state, a, quotient, low - low // divisor, high - high // divisor)
        for factor, other in self._factorings(state, a):  # ``3 * n / 2`` is not less than n
            if state.interval(factor)[0] >= 0 and state.interval(other)[0] >= divisor:
                state.zone.add(factor, quotient, 0)
        return quotient

    @staticmethod
    def _without_constant(state: State, number: int) -> tuple[int, int]:
        """Another number and a constant of which one is the sum: a variable may hold the other one for longer."""
        difference = Part("minuend", number, 1), Part("subtrahend", number, 1), -1
        total = Part("term", number, 1), Part("term", number, 2), 1
        for first, second, sign in (difference, total):
            one, two = state.held.get(first), state.held.get(second)
            if one in state.zone.bounds and two in state.zone.bounds:
                low, high = state.interval(two)
                if low == high:
                    return one, sign * low
        return number, 0

    def _sum(self, state: State, a: int, b: int, *, minus: bool) -> int:
        """A new symbol for a + b or a - b, which do not overflow."""
        (al, ah), (bl, bh) = state.interval(a), state.interval(b)
        if (bl, bh) == (0, 0):
            return a
        if (al, ah) == (0, 0) and not minus:
            return b
        zone = state.zone
        for one, other in ((a, b), (b, a)) if not minus else ():  # b + (a - b)
            whole = state.held.get(Part("minuend", other, 1))
            if state.held.get(Part("subtrahend", other, 1)) == one and whole in zone.bounds:
                return whole
        if minus:
            result = state.fresh(max(al - bh, -zone.upper(b, a)), min(ah - bl, zone.upper(a, b)))
            self._between(state, a, result, bl, bh)
            self._beside_sums_with_it(state, result, a, b)
            state.held[Part("minuend", result, 1)], state.held[Part("subtrahend", result, 1)] = a, b
        else:
            result = state.fresh(al + bl, ah + bh)
            self._between(state, result, a, bl, bh)
            self._between(state, result, b, al, ah)
            self._beside_other_sums(state, result, a, b)
            state.held[Part("term", result, 1)], state.held[Part("term", result, 2)] = a, b
        state.add_form(result, Form(multiple=math.gcd(state.form(a).multiple, state.form(b).multiple)))
        return result

    @staticmethod
    def _beside_other_sums(state: State, result: int, a: int, b: int) -> None:
        """Two sums with one term in common differ as their other terms do."""
        zone = state.zone
        terms = [(k, v) for k, v in state.held.items() if isinstance(k, Part) and k.kind == "term" and v in (a, b)]
        for key, value in terms:
            mine, other = b if value == a else a, state.held[Part("term", key.symbol, 3 - key.scale)]
            if {key.symbol, mine, other} <= zone.bounds.keys():
                zone.add(result, key.symbol, zone.upper(mine, other))
                zone.add(key.symbol, result, zone.upper(other, mine))

    @staticmethod
    def _beside_sums_with_it(state: State, result: int, a: int, b: int) -> None:
        """The difference a - b and a term beside b differ as a and their sum do.

        After ``used + n <= CHUNK``, the room of ``data + used`` is not less than n.
        """
        zone = state.zone
        terms = [(k, v) for k, v in state.held.items() if isinstance(k, Part) and k.kind == "term" and v == b]
        for key, _ in terms:
            other = state.held[Part("term", key.symbol, 3 - key.scale)]
            if {key.symbol, other} <= zone.bounds.keys():
                zone.add(other, result, zone.upper(key.symbol, a))
                zone.add(result, other, zone.upper(a, key.symbol))

    def upper(self, state: State, a: int, b: int) -> float:
        """The least known bound of a difference; of sums, also from the bounds of their terms."""
        bound: float = state.zone.upper(a, b)
        left, right = self._terms(state, a), self._terms(state, b)
        for term in list(left):
            if term in right:
                left.remove(term)
                right.remove(term)
        if len(left) + len(right) <= MOST_TERMS:
            bound = min(bound, self._match(state, left, right), self._by_rows(state, left, right))
        return min([bound, *(state.zone.upper(same, b) + more for same, more in self._equal_sums(state, a))])

    def _by_rows(self, state: State, left: list[int], right: list[int]) -> float:
        """A bound by products with a common factor: ``i * w + j < h * w`` where ``i < h`` and ``j < w``."""
        best = math.inf
        pairs = [(p, r) for p in left for r in right if Part("factor", p, 1) in state.held]
        for p, r in pairs:
            rest, others = [t for t in left if t != p], [t for t in right if t != r]
            if len(rest) + 1 < len(left) or len(others) + 1 < len(right):
                continue  # a number that is there twice
            for row, width in self._factorings(state, p):
                for height, other in self._factorings(state, r):
                    rows = self.upper(state, row, height) if self._is_width(state, width, other) else 1
                    if rows <= 0:
                        best = min(best, self._match(state, rest, others))
                    if rows <= -1:
                        best = min(best, self._match(state, rest, [*others, width]))
        return best

    @staticmethod
    def _factorings(state: State, number: int) -> list[tuple[int, int]]:
        one, two = (state.held.get(Part("factor", number, place)) for place in (1, 2))
        return [] if one is None or two is None else [(one, two), (two, one)]

    @staticmethod
    def _is_width(state: State, a: int, b: int) -> bool:
        """Whether two numbers are equal and not less than 0."""
        zone = state.zone
        return state.interval(a)[0] >= 0 and zone.upper(a, b) <= 0 and zone.upper(b, a) <= 0

    def _equal_sums(self, state: State, number: int) -> list[tuple[int, int]]:
        """Other sums of the same numbers but for constants, and by how much the given one is more."""
        if Part("term", number, 1) not in state.held:
            return []
        own, plus = self._in_order(state, number)
        sums = [k.symbol for k in state.held if isinstance(k, Part) and k.kind == "term" and k.scale == 1]
        orders = [(other, *self._in_order(state, other)) for other in sums if other in state.zone.bounds]
        return [(other, plus - constant) for other, terms, constant in orders if other != number and terms == own]

    def _in_order(self, state: State, number: int) -> tuple[list[int], int]:
        """The terms of a sum in order, and the sum of those that are constants."""
        terms = self._terms(state, number)
        constants = [t for t in terms if state.interval(t)[0] == state.interval(t)[1]]
        return sorted(t for t in terms if t not in constants), sum(state.interval(t)[0] for t in constants)

    def _match(self, state: State, left: list[int], right: list[int]) -> int:
        """The least bound of the difference of two sums, where each term of the one is paired with one of the other."""
        if not left:
            return -sum(state.interval(term)[0] for term in right)
        first, *rest = left
        best = state.interval(first)[1] + self._match(state, rest, right)
        for number, term in enumerate(right):
            others = right[:number] + right[number + 1 :]
            best = min(best, state.zone.upper(first, term) + self._match(state, rest, others))
        return best

    def _terms(self, state: State, number: int) -> list[int]:
        """The numbers of which one is the sum."""
        first = state.held.get(Part("term", number, 1))
        if first is None:
            return [number]
        return self._terms(state, first) + self._terms(state, state.held[Part("term", number, 2)])

    @staticmethod
    def _between(state: State, a: int, b: int, low: int, high: int) -> None:
        """Add low <= a - b <= high."""
        state.zone.add(a, b, high)
        state.zone.add(b, a, -low)


def multiples(total: Binary) -> list[tuple[Expression, int]]:
    """The terms of a sum, each with how many times it is there: ``2 * cap + 4`` has `cap` twice."""
    return [_multiple(t) if t.type == total.type else (t, 1) for t in _terms_of(total)]


def _terms_of(value: Expression) -> list[Expression]:
    """The terms of a sum in one type."""
    if not (isinstance(value, Binary) and value.operator == "+"):
        return [value]
    return [t for side in (value.left, value.right) for t in (_terms_of(side) if side.type == value.type else [side])]


def _multiple(value: Expression) -> tuple[Expression, int]:
    match value:
        case Binary("*", number, Constant(value=times)) | Binary("*", Constant(value=times), number) if times > 0:
            return number, times
        case Binary("<<", number, Constant(value=bits)) if 0 <= bits <= MOST_SHIFT:
            return number, 1 << bits
    return value, 1
