"""Counted lists: what claims about counters say about numbers that are read, and what numbers say about lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kleene.cfa.expressions import Cast, Comparison, Expression, Unary, Variable
from kleene.cfa.operations import Assume
from kleene.cfa.types import IntegerType
from kleene.logic.formula import FALSE, TRUE, Formula, IfThenElse, Not, conj, disj, exists, neg
from kleene.passes.facts.counters import MemberCount, VariableCount, linear
from kleene.passes.facts.memory import Place
from kleene.semantics.steps.counts import CountSteps
from kleene.semantics.vocabulary.counts import LONGEST, OWNER, SHIFTS, Claims
from kleene.semantics.vocabulary.names import at
from kleene.transformers.action import Update


@dataclass(frozen=True)
class Reading:
    """A step before a number is read."""

    precondition: Formula
    updates: list[Update]
    focus: list[Formula]


class CountReadings:
    """Steps before numbers are read and behind conditions."""

    def __init__(self, counts: CountSteps) -> None:
        self.counts = counts

    def read_variable(self, variable: Variable) -> Iterator[Reading]:
        """Steps that make the number of a variable as definite as the lists are; none if it was forgotten."""
        if variable not in self.counts.known:
            return
        for claims in self.counts.claims:
            count = claims.count
            if isinstance(count, VariableCount) and count.less is None and count.counter == variable:
                names = {c: self.counts.symbols.integer(variable, c) for c in self.counts.constants.of(variable)}
                yield self._read(claims, TRUE, names, ())

    def read_member(self, place: Place, owner: Callable[[str], Formula]) -> Iterator[Reading]:
        """Steps that make the number in a member as definite as the lists are."""
        for claims in self.counts.claims:
            if isinstance(claims.count, MemberCount) and claims.count.counter == place:
                names = {c: self.counts.symbols.integer_cell(place[1], c) for c in self.counts.constants.of(place[1])}
                yield self._read(claims, owner(OWNER), names, (OWNER,))

    def _read(self, claims: Claims, mine: Formula, names: dict[int, str], args: tuple[str, ...]) -> Reading:
        chain, source, wrap = claims.chain, claims.anchor().source, claims.type.wrap
        longer = chain.longer(source)
        bad: list[Formula] = []
        values: dict[int, list[Formula]] = {c: [] for c in names}
        for k in SHIFTS:
            claim = claims.at(k)
            for m in range(LONGEST + 1):
                length = conj(claim, chain.length(source, m))
                number = wrap(m + k)
                others = [at(name, *args) for c, name in names.items() if c != number]
                itself = [Not(at(names[number], *args))] if number in names else []
                bad.append(conj(length, disj(*others, *itself)))
                if number in values:
                    values[number].append(length)
            short = [at(name, *args) for c, name in names.items() if c <= LONGEST + k]
            bad.append(conj(claim, longer, disj(*short)))
            for c in values:
                if c > LONGEST + k:
                    values[c].append(conj(claim, longer, at(names[c], *args)))
        claimed = conj(mine, claims.any())
        updates = [
            Update(name, args, IfThenElse(claimed, disj(*values[c]), at(name, *args))) for c, name in names.items()
        ]
        wrong = conj(mine, disj(*bad))

        def close(formula: Formula) -> Formula:
            return exists([OWNER], formula) if args else formula

        first = close(conj(mine, source.target))
        second = close(conj(mine, _second(claims)))
        certain = [] if args else [claims.at(k) for k in SHIFTS]
        return Reading(neg(close(wrong)), updates, [first, second, *certain])

    def is_natural(self, expression: Expression) -> Formula:
        """Whether a claim about a number holds that makes it a natural number."""
        inner = expression
        while isinstance(inner, Cast) and isinstance(inner.operand.type, IntegerType):
            if not isinstance(inner.type, IntegerType) or inner.type.bits < inner.operand.type.bits:
                return FALSE
            inner = inner.operand
        cases: list[Formula] = []
        for own in self.counts.facts_about(inner):
            for k in SHIFTS:
                empty = [neg(own.chain.length(own.anchor.source, m)) for m in range(-k)]
                cases.append(own.bind(conj(own.claim(k), *empty)))
        return disj(*cases)

    # Bounds ---------------------------------------------------------------------------------------------------

    def behind(self, condition: Assume) -> list[Reading]:
        """What the bounds of numbers, where a condition holds, say about lists whose lengths they are."""
        readings: list[Reading] = []
        for claims in self.counts.claims:
            count = claims.count
            if isinstance(count, MemberCount):
                readings += self._behind_members(claims, count, condition)
                continue
            bounds = self.counts.relations.difference(count.counter, count.less, self.counts.location, condition)
            wrong, focus = self._unfit(claims, bounds, self._exclude(count, condition))
            if wrong is not FALSE:
                readings.append(Reading(neg(wrong), [], focus))
        return readings

    def _behind_members(self, claims: Claims, count: MemberCount, condition: Assume) -> Iterator[Reading]:
        """What a condition says about the list of an object by its counter: ``if (0 <= i && i < list->size)``."""
        relations, location = self.counts.relations, self.counts.location
        for member, mine in self.counts.owners(count):
            bounds, before = relations.difference(member, None, location, condition), relations.of(member, location)
            if bounds[0] <= before[0] and bounds[1] >= before[1]:  # nothing new
                continue
            wrong, focus = self._unfit(claims, bounds, None)
            if wrong is not FALSE:
                closed = [exists([OWNER], conj(mine(OWNER), formula)) for formula in (wrong, *focus)]
                yield Reading(neg(closed[0]), [], closed[1:])

    def _unfit(
        self, claims: Claims, bounds: tuple[float, float], excluded: int | None
    ) -> tuple[Formula, list[Formula]]:
        """The claims by which a list has no length that fits the bounds of its counter, and what to focus on."""
        (low, high), chain, source = bounds, claims.chain, claims.anchor().source
        bad: list[Formula] = []
        focus = [source.target]
        for k in SHIFTS:
            fits = {m: low <= claims.value(m + k) <= high and m + k != excluded for m in range(LONGEST + 1)}
            if high < k + LONGEST + 1:  # no list that is longer fits
                wrong = neg(disj(*(chain.length(source, m) for m in fits if fits[m])))
            else:
                wrong = disj(*(chain.length(source, m) for m in fits if not fits[m]))
            bad.append(conj(claims.at(k), wrong))
            if not k and not fits[1]:  # whether there is a second node matters
                focus = [source.target, _second(claims)]
        return disj(*bad), focus

    def _exclude(self, count: VariableCount, condition: Assume) -> int | None:
        """The value that a count's difference does not have if a condition holds."""
        test, truth = condition.condition, condition.truth
        while isinstance(test, Unary) and test.operator == "!":
            test, truth = test.operand, not truth
        if not isinstance(test, Comparison) or test.operator != ("!=" if truth else "==") or count.less is None:
            return None
        one, two = linear(test.left), linear(test.right)  # equal numbers stay equal where they are converted
        if one is None or two is None or one[1] or two[1]:
            return None
        for left, right in ((one[0], two[0]), (two[0], one[0])):
            above = self._distance(left, count.counter, condition)
            below = self._distance(right, count.less, condition)
            if above is not None and below is not None:
                return below - above
        return None

    def _distance(self, one: Expression, other: Expression, condition: Assume) -> int | None:
        """How much greater a number is than another, if that is known."""
        if one == other:
            return 0
        low, high = self.counts.relations.difference(one, other, self.counts.location, condition)
        return int(low) if low == high else None


def _second(claims: Claims) -> Formula:
    """The second node of a list."""
    return exists(["u"], conj(claims.anchor().at("u"), at(claims.chain.edge, "u", "v")))
