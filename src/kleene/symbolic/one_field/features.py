"""What a formula can say about one individual of a store with one functional field.

A feature is a pseudo-predicate of one variable. It stands for a subformula with quantifiers or closures. Its value is
determined by the neighbours of an individual: by its successor, by its predecessors, or by both and its cycle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from kleene.logic.formula import (
    TRUE,
    And,
    Atom,
    Const,
    Formula,
    Iff,
    IfThenElse,
    Not,
    Or,
)
from kleene.logic.kleene import Kleene

HERE = "v"
"""The variable of every condition on one individual."""


class Kind(Enum):
    """How a feature depends on the field; `gamma` is the condition of the feature."""

    SUCCESSOR = "the successor satisfies gamma"
    PREDECESSOR = "some predecessor satisfies gamma"
    PREDECESSORS = "two predecessors satisfy gamma"
    FROM = "the individual is reached, in zero or more steps, from one that satisfies gamma"
    TO = "the individual reaches, in zero or more steps, one that satisfies gamma"
    CYCLIC = "the individual is on a cycle"
    LOOP = "the individual is its own successor"


@dataclass(frozen=True)
class Feature:
    kind: Kind
    gamma: Formula = TRUE

    @property
    def name(self) -> str:
        return f"{self.kind.name} {self.gamma.number}"


@dataclass(frozen=True)
class Some:
    """A condition on a whole store: an individual satisfies `gamma`; with `other`, another one satisfies that."""

    gamma: Formula
    other: Formula | None = None

    @property
    def name(self) -> str:
        return f"SOME {self.gamma.number}" + (f" OTHER {self.other.number}" if self.other is not None else "")


@dataclass(frozen=True)
class Gap:
    """A condition on a whole store: an individual with `gamma` does not reach one with `other`.

    With `both`, the latter does not reach the former either.
    """

    gamma: Formula
    other: Formula
    both: bool

    @property
    def name(self) -> str:
        return f"GAP {self.gamma.number} {'-' if self.both else '>'} {self.other.number}"


def holds(f: Formula, values: Mapping[str, bool]) -> bool:
    """The truth of a condition without quantifiers, for the values of its predicates and features."""
    match f:
        case Atom(name):
            return values[name]
        case Not(body):
            return not holds(body, values)
        case And(a, b):
            return holds(a, values) and holds(b, values)
        case Or(a, b):
            return holds(a, values) or holds(b, values)
        case Iff(a, b):
            return holds(a, values) is holds(b, values)
        case IfThenElse(c, a, b):
            return holds(a if holds(c, values) else b, values)
        case Const(value):
            return value is Kleene.TRUE
    raise TypeError(f"not a condition on one individual: {f}")
