"""Names as the source has them, in texts about the analysed automaton.

Inlining gives each copy of a function its own variables (`push$2.n`), and the reader has temporaries (`$t1`). People
read `n`, and the expression that a temporary stands for. The variables of library functions are ours: their
parameters stand for the arguments of the call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kleene.cfa.expressions import Variable
from kleene.cfa.operations import Assign, Havoc, Operation
from kleene.cfa.program import SUMMARY
from kleene.cfa.types import VOID
from kleene.results.shape import ShapeResult

if TYPE_CHECKING:
    from kleene.results.fesa import FesaResult

_VARIABLE = re.compile(r"(?:[A-Za-z_][\w@]*\$\d+\.)+\$?[A-Za-z_]\w*(?:#\d+)?|(?<![\w.])\$[a-z]\w*|[A-Za-z_]\w*#\d+")
_PREFIX = re.compile(r"^(?:[A-Za-z_][\w@]*\$\d+\.)+")
_OPERAND = re.compile(r"[\w.#]+(?:->[\w.]+)*(?:\(.*\))?")
_DEPTH = 8
"""Temporaries that stand for temporaries: deeper expressions are not written in C by people."""


class WrittenNames:
    """The variables of an automaton, as the source writes them."""

    def __init__(self, operations: Iterable[Operation], library: frozenset[str] = frozenset()) -> None:
        self._values: dict[str, str | None] = {}
        self._library = library
        for operation in operations:
            if isinstance(operation, Assign | Havoc) and isinstance(operation.target, Variable):
                name = operation.target.name
                value = str(operation).partition(" = ")[2]
                if self._is_made(name):
                    known = self._values.setdefault(name, value)
                    if known != value:
                        self._values[name] = None

    def _is_made(self, name: str) -> bool:
        """Whether the source has no such variable."""
        copies = _PREFIX.match(name)
        owner = copies[0].split(".")[-2].partition("$")[0] if copies else ""
        return Variable(name, VOID).is_temporary or owner.startswith(SUMMARY) or owner in self._library

    def is_hidden(self, operation: Operation) -> bool:
        """Whether an operation computes a temporary whose value is written where it is used."""
        target = operation.target if isinstance(operation, Assign | Havoc) else None
        return isinstance(target, Variable) and self._values.get(target.name) is not None

    def step(self, operation: Operation) -> str:
        """An operation; of what computes a temporary, the value."""
        target, equals, value = str(operation).partition(" = ")
        is_temporary = equals and isinstance(operation, Assign | Havoc) and self._is_made(target)
        return self.clean(value if is_temporary else str(operation))

    def clean(self, text: str, depth: int = _DEPTH) -> str:
        """The text with the names of the source."""

        def write(match: re.Match[str]) -> str:
            name = match[0]
            value = self._values.get(name) if self._is_made(name) and depth else None
            if value is None:
                return _plain(name)
            inner = self.clean(value, depth - 1)
            return inner if _OPERAND.fullmatch(inner) or match.span() == (0, len(text)) else f"({inner})"

        return _VARIABLE.sub(write, text)


def _plain(name: str) -> str:
    """The name without the copy that it belongs to; `x#2` is the second variable `x` of a function."""
    return _PREFIX.sub("", name).partition("#")[0]


def names_of(shape: ShapeResult | FesaResult | None) -> WrittenNames:
    """The names of the variables of the automaton that was analysed."""
    first = shape.slices[0] if isinstance(shape, ShapeResult) and shape.slices else shape
    followed = first.followed if isinstance(first, ShapeResult) else None
    if followed is None:
        return WrittenNames(())
    program = followed.memory.program
    library = frozenset(f.name for f in program.functions.values() if f.place.file in program.library)
    return WrittenNames((edge.label for edge in followed.memory.cfa.edges), library)
