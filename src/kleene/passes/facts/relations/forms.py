"""What the bits of a number tell: multiples of powers of 2, and odd numbers times a power of 2 (capacities that grow).

``cap * 2 + 4`` in an `int` wraps where `cap` is large. From 0 on, all capacities are multiples of 4: the last one is
2^31 - 4, and what follows it wraps to -4. That is less than 0, so no block has this size. An interval ends at 2^31 - 1,
behind which are 0 and 2 (decision 370; decision 156 for capacities that are only doubled).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from kleene.passes.facts.relations.zones import Interval


@dataclass(frozen=True)
class Form:
    """`odd` times a power of 2, or not more than 0, and a multiple of `multiple`, which is a power of 2.

    `odd` is 0 if the number is not more than 0, and None if nothing is known of it. `multiple` is 0 for the number 0.
    """

    odd: int | None = None
    multiple: int = 1

    @property
    def tells(self) -> bool:
        """Whether it says more than an interval."""
        return bool(self.odd) or self.multiple > 1

    def join(self, other: Form) -> Form:
        """What is known of both: a number that is not more than 0 may have any odd part."""
        one, two = self.odd, other.odd
        odd = None if one is None or two is None or (one and two and one != two) else one or two
        return Form(odd, math.gcd(self.multiple, other.multiple))

    def covers(self, other: Form) -> bool:
        """Whether numbers of another form are of this one."""
        has_odd = not self.odd or other.odd in (0, self.odd)
        return has_odd and other.multiple % self.multiple == 0

    def bounds(self, interval: Interval) -> Interval:
        """The least and the greatest number of this form in an interval, if there is one."""
        low, high = interval
        most = high
        if self.odd:
            most = self.odd << (high // self.odd).bit_length() - 1 if high >= self.odd else min(high, 0)
        if self.multiple > 1:
            low, most = low + -low % self.multiple, most - most % self.multiple
        return (low, most) if low <= most else interval


ANY = Form()


def form_of_constant(number: int) -> Form:
    return Form(odd_part(number) if number > 0 else 0, number & -number)


def odd_part(number: int) -> int:
    """A number greater than 0, divided by 2 as long as it is even."""
    return number // (number & -number)
