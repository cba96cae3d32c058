"""The sum of where a ring begins and how many elements it has, as a number of its own.

In ``a[(first + count) % 32] = p`` the elements of the ring are those from `first` on, before the sum, and around the
end those that are 32 less than it. Zones relate two numbers, so the sum has a variable: it changes as its terms do, and
a bound of one term is a bound of the difference of the sum and the other one.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Operation
from kleene.cfa.program import CProgram
from kleene.passes.attempts.owned.wrapped import set_from_wrapped, wrapped_sums
from kleene.passes.facts.relations.counted_together import Pair
from kleene.passes.facts.relations.questions import Relations


class Sums(Relations):
    """Relations in which sums of two variables are followed."""

    def __init__(self, program: CProgram, cfa: Cfa[Operation]) -> None:
        super().__init__(program, cfa)
        self.wrapped = set_from_wrapped(cfa)
        """The numbers that go round."""

    def _pairs(self) -> Iterator[Pair]:
        pairs = sorted(wrapped_sums(self.cfa), key=str)
        yield from (pair for pair in pairs if all(self._is_tracked(v) for v in pair))
        yield from super()._pairs()
