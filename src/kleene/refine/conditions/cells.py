"""Conditions on the integer members of one object: unary predicates of an abstraction, such as ``lo <= hi``.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 2.3: field
assertions. The paper's compare one member with a constant; these are linear in several members of the same object. Each
object has a ghost for each condition, an integer cell beyond all bytes of the object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kleene.cfa.expressions import GHOST_OFFSET, Expression, Field, Variable
from kleene.cfa.types import INT, RecordType
from kleene.refine.conditions.linear import Condition


@dataclass(frozen=True)
class CellCondition:
    """A condition on members of a struct: its variables have the names and types of the members."""

    record: RecordType
    condition: Condition
    offsets: tuple[int, ...]
    """The offsets of the members, in the order of the terms."""

    @property
    def members(self) -> dict[Variable, int]:
        """The members as variables, with their offsets."""
        return {v: offset for (v, _), offset in zip(self.condition.terms, self.offsets, strict=True)}

    @property
    def true_value(self) -> int:
        """The value of the ghost where the condition holds. Zeroed memory has the ghost 0, which is right then too."""
        return 0 if self.condition.holds(dict.fromkeys(self.members, 0)) else 1

    def ghost_value(self, values: Mapping[Variable, int]) -> int:
        """The ghost of an object whose members have these values."""
        return self.true_value if self.condition.holds(values) else 1 - self.true_value

    def at(self, base: Expression) -> Condition:
        """The condition on the object that an lvalue is, over `member_variable`s."""
        fields = {v: Field(base, v.name, v.type, offset) for v, offset in self.members.items()}
        terms = tuple((member_variable(fields[v]), factor) for v, factor in self.condition.terms)
        return Condition(terms, self.condition.constant, self.condition.equal)

    def __str__(self) -> str:
        return f"{self.condition} in {self.record}"


AnyCondition = Condition | CellCondition


def member_variable(member: Field) -> Variable:
    """A variable that stands for the number in a member; members of the same object have different ones."""
    return Variable(f"{member}@{member.base.type}", member.type)


def ghost_offset(number: int) -> int:
    """The offset of the ghosts of a condition, by its number among those of an abstraction."""
    return GHOST_OFFSET * (number + 1)


def ghost_member(base: Expression, condition: CellCondition, number: int) -> Field:
    """The ghost of an object, as an lvalue."""
    return Field(base, f"[{condition}]", INT, ghost_offset(number))


def cell_conditions(conditions: Iterable[AnyCondition]) -> dict[CellCondition, int]:
    """The conditions on members among those of an abstraction, with their numbers."""
    return {c: number for number, c in enumerate(conditions) if isinstance(c, CellCondition)}


def plain_conditions(conditions: Iterable[AnyCondition]) -> list[Condition]:
    """The conditions on variables among those of an abstraction."""
    return [c for c in conditions if isinstance(c, Condition)]
