"""Results of path formulas for alarms."""

from __future__ import annotations

from dataclasses import dataclass, field

from kleene.cfa.graph import Edge
from kleene.cfa.operations import Operation
from kleene.domains.explicit.explore import Confirmed
from kleene.semantics.translate import Alarm

Path = list[Edge[Operation]]
"""A path of an analysis through the program."""


@dataclass
class Confirmation:
    """Results of path formulas: findings with their runs, the paths of alarms, and an answer for each path.

    `proved`: the search followed every path of the program to its end, without an error.
    """

    findings: list[Confirmed] = field(default_factory=list)
    paths: dict[Alarm, Path] = field(default_factory=dict)
    answers: dict[Alarm, str] = field(default_factory=dict)
    solver_calls: int = 0
    proved: bool = False
