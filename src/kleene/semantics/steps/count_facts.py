"""What is known about a number: that it is the number of nodes of a list, up to a small difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from kleene.cfa.types import IntegerType
from kleene.logic.formula import FALSE, Formula, conj
from kleene.passes.facts.memory import Place
from kleene.semantics.vocabulary.counts import OWNER, Anchor, Chain, Claims


@dataclass(frozen=True)
class Fact:
    """What is known about a number: it is the number of nodes of a list, plus k where a claim holds.

    `bind` closes the formula over the object whose member the number is.
    """

    chain: Chain
    anchor: Anchor
    claim: Callable[[int], Formula]
    bind: Callable[[Formula], Formula]
    type: IntegerType
    is_exact: bool = False
    """Whether the claims are not modulo the width."""
    head: Place | None = None
    """The place of the pointer to the first node, if it is a member of the object that the number is a member of."""

    def carry(self, shift: int, to: Claims) -> Formula:
        """The claim with that difference, where another number is equal to this one.

        Claims are modulo the width of the number. A number that is less than 0 wraps if it is unsigned, so it has no
        meaning in a wider type, nor in a difference.
        """
        exact = shift >= 0 or self.is_exact or (self.type.signed and to.is_difference)
        narrow = self.type.bits >= to.type.bits and not to.is_difference
        return self.claim(shift) if exact or narrow else FALSE

    def plus(self, number: int) -> Fact:
        """What is known about the sum with a number."""
        return self if not number else replace(self, claim=lambda k: self.claim(k - number))


def owned_by(claims: Claims, body: Formula) -> Formula:
    """A formula about a list, where the object is the one whose member its counter is."""
    return conj(claims.owns(OWNER), body)


def plain_fact(claims: Claims) -> Fact:
    """What claims say as they are."""
    return Fact(claims.chain, claims.anchor(), claims.at, lambda body: body, claims.type, claims.is_difference)
