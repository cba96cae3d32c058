"""Conditions on integer members of one object and on variables: unary predicates, such as ``lo <= hi``, ``key < k``.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 2.3: field
assertions. The paper's compare one member with a constant; these are sums of what is computed from several members of
the same object, and from integer variables beside them. Each object has a ghost for each condition, an integer cell
beyond all bytes of the object. A variable that changes may change the ghosts of all objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kleene.cfa.expressions import GHOST_OFFSET, OPEN_GHOST_OFFSET, Expression, Field, Variable
from kleene.cfa.types import INT, RecordType, Type
from kleene.refine.conditions.linear import Condition, renamed

_MEMBER = "."
"""The names of members begin with it in a condition, so that a member and a variable may have the same name."""


def own_member(name: str, type_: Type) -> Variable:
    """A member of the object that a condition is about, as a variable of the condition."""
    return Variable(f"{_MEMBER}{name}", type_)


def is_own_member(variable: Variable) -> bool:
    return variable.name.startswith(_MEMBER)


def own_members(condition: Condition) -> list[Variable]:
    """The members of the object that a condition is about, by name."""
    return sorted(filter(is_own_member, condition.variables), key=lambda v: v.name)


@dataclass(frozen=True)
class CellCondition:
    """A condition on members of a struct (`own_member`), and on variables of the program."""

    record: RecordType
    condition: Condition
    offsets: tuple[int, ...]
    """The offsets of the members, in the order of their names."""

    @property
    def members(self) -> dict[Variable, int]:
        """The members as variables, with their offsets."""
        return dict(zip(own_members(self.condition), self.offsets, strict=True))

    @property
    def outer(self) -> frozenset[Variable]:
        """The variables of the program that the condition is about."""
        return frozenset(v for v in self.condition.variables if not is_own_member(v))

    @property
    def true_value(self) -> int:
        """The value of the ghost where the condition holds.

        Zeroed memory has the ghost 0, which is right then too; if there are variables, its ghost is not known.
        """
        return 0 if not self.outer and self.condition.holds(dict.fromkeys(self.members, 0)) else 1

    def ghost_value(self, values: Mapping[Variable, int]) -> int:
        """The ghost of an object whose members have these values, where variables have these."""
        return self.true_value if self.condition.holds(values) else 1 - self.true_value

    def at(self, base: Expression) -> Condition:
        """The condition on the object that an lvalue is, over `member_variable`s."""
        members = self.members
        fields = {v: Field(base, v.name.removeprefix(_MEMBER), v.type, offset) for v, offset in members.items()}
        return renamed(self.condition, {v: member_variable(member) for v, member in fields.items()})

    def __str__(self) -> str:
        plain = renamed(self.condition, {v: Variable(v.name.removeprefix(_MEMBER), v.type) for v in self.members})
        return f"{self.condition if self.outer else plain} in {self.record}"


AnyCondition = Condition | CellCondition


def member_variable(member: Field) -> Variable:
    """A variable that stands for the number in a member; members of the same object have different ones."""
    return Variable(f"{member}@{member.base.type}", member.type)


def ghost_offset(condition: CellCondition, number: int) -> int:
    """The offset of the ghosts of a condition, by its number among those of an abstraction."""
    return (OPEN_GHOST_OFFSET if condition.outer else 0) + GHOST_OFFSET * (number + 1)


def ghost_member(base: Expression, condition: CellCondition, number: int) -> Field:
    """The ghost of an object, as an lvalue."""
    return Field(base, f"[{condition}]", INT, ghost_offset(condition, number))


def cell_conditions(conditions: Iterable[AnyCondition]) -> dict[CellCondition, int]:
    """The conditions on members among those of an abstraction, with their numbers."""
    return {c: number for number, c in enumerate(conditions) if isinstance(c, CellCondition)}


def plain_conditions(conditions: Iterable[AnyCondition]) -> list[Condition]:
    """The conditions on variables among those of an abstraction."""
    return [c for c in conditions if isinstance(c, Condition)]
