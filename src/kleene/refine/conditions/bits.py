"""Questions about conditions with bit-vectors: what ``^``, ``|``, ``&`` and products do to the bits of a number.

Every number is a bit-vector that is wide enough for all integer types and for small sums of them, so that sums in
conditions are exact, as for unbounded integers; results of the program keep the bits of their types.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kleene.cfa.expressions import Binary, Variable
from kleene.cfa.types import IntegerType
from kleene.refine.conditions.entailment import UNCHANGED, WIDEST_BITS, Entailment, Values
from kleene.refine.conditions.linear import Condition

WIDTH_BITS = WIDEST_BITS + 16
"""Bits of all numbers: those of the widest type, and some for the sign and for sums."""
MOST_WEIGHT = 1 << (WIDTH_BITS - WIDEST_BITS - 2)
"""Sum of the factors of a condition, so that no sum of the widest numbers leaves `WIDTH_BITS`."""


@dataclass
class BitEntailment(Entailment):
    """Questions about conditions, with machine integers as bit-vectors."""

    def condition(self, condition: Condition, values: Values = UNCHANGED) -> Any:
        weight = sum(abs(factor) for _, factor in condition.terms) + (abs(condition.constant) >> WIDEST_BITS) + 1
        if weight > MOST_WEIGHT and not condition.modulus:
            self._fresh += 1
            return self.z3.Bool(f"any!{self._fresh}")
        return super().condition(condition, values)

    def variable(self, variable: Variable) -> Any:
        assert isinstance(variable.type, IntegerType)
        return self._of_type(variable.name, variable.type)

    def _of_type(self, name: str, type_: IntegerType) -> Any:
        return self._in_range(self._extended(self.z3.BitVec(name, type_.bits), type_), type_)

    def _extended(self, bits: Any, type_: IntegerType) -> Any:
        """A number of WIDTH_BITS from the bits of its type."""
        extend = self.z3.SignExt if type_.signed else self.z3.ZeroExt
        return extend(WIDTH_BITS - type_.bits, bits)

    def _in_range(self, term: Any, type_: IntegerType) -> Any:
        if type_.boolean:  # all others have the range of their bits
            self._constraints.append(self.z3.ULE(term, self._number(1)))
        return term

    def _any(self, type_: IntegerType | None) -> Any:
        self._fresh += 1
        name = f"any!{self._fresh}"
        return self._of_type(name, type_) if type_ is not None else self.z3.BitVec(name, WIDTH_BITS)

    def _number(self, value: int) -> Any:
        return self.z3.BitVecVal(value, WIDTH_BITS)

    def _is_multiple(self, total: Any, modulus: int) -> Any:
        return self.z3.Extract(modulus.bit_length() - 2, 0, total) == 0

    def _wrap(self, term: Any, type_: IntegerType) -> Any:
        if type_.boolean:
            return self._truth_value(term != 0)
        return self._extended(self.z3.Extract(type_.bits - 1, 0, term), type_)

    def _of_bits(self, operator: str, a: Any, b: Any, whole: Binary) -> Any:
        assert isinstance(whole.type, IntegerType)
        results = {"*": a * b, "&": a & b, "|": a | b, "^": a ^ b}
        return self._wrap(results[operator], whole.type)

    def _shifted(self, operator: str, number: Any, bits: int, type_: IntegerType) -> Any:
        return self._wrap(number << bits if operator == "<<" else number >> bits, type_)

    def _divided(self, operator: str, number: Any, divisor: int, type_: IntegerType) -> Any:
        right = self._number(divisor)
        return self._wrap(number / right if operator == "/" else self.z3.SRem(number, right), type_)
