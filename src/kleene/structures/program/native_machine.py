"""The native machine: operation graphs as bytecode for `kleene._native` (docs/concepts/native.md).

Bytecode does not depend on the width of structures. Programs made for a vocabulary of their own are bound to another
one by a table of rails, as the functions of the Python machine are.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cache

from kleene import _native
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.program.graph import Value

_CODE = {name: number for number, name in enumerate(_native.OPERATIONS)}
_SUFFIX = ("v", "v", "m", "t")
_SLICES = {(1, 0): "slice_v", (2, 0): "slice_row", (2, 1): "slice_column"}
_SLICES |= {(3, 0): "slice_first", (3, 1): "slice_second", (3, 2): "slice_third"}
_MOST_VALUES = 30_000


class Unsupported(Exception):
    """A program that the native machine cannot run: values of more than three axes, or very many of them."""


class Bytecode:
    """The code of one program in the making."""

    def __init__(self) -> None:
        self._words = array("H")
        self._operands: dict[int, int] = {}
        self._counts = {"v": 0, "m": 0, "t": 0}
        self.outputs: list[tuple[int, int]] = []

    def emit(self, value: Value) -> int:
        """Make sure that the value is computed, and return the operand that holds it."""
        operands = self._operands
        stack = [value]
        while stack:
            current = stack[-1]
            if current.number in operands:
                stack.pop()
                continue
            missing = [v for v in current.operands if v.number not in operands]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            operands[current.number] = self._define(current)
        return operands[value.number]

    def guard(self, value: Value) -> None:
        """The program ends here if the value is empty."""
        self._words.extend((_CODE[f"guard_{_suffix(value)}"], 0, 0, self.emit(value), 0))

    def output(self, value: Value) -> None:
        self.outputs.append((self.emit(value), value.arity))

    def _define(self, value: Value) -> int:
        suffix = _suffix(value)
        if value.op == "load":
            return value.detail[0]
        operands = [self._operands[v.number] for v in value.operands]
        target = self._counts[suffix]
        if target > _MOST_VALUES:
            raise Unsupported("a program of very many values")
        self._counts[suffix] = target + 1
        name, detail = _operation(value, suffix)
        a, b = (*operands, 0, 0)[:2]
        self._words.extend((_CODE[name], detail, target, a, b))
        return target | _native.TEMPORARY

    def code(self) -> bytes:
        return self._words.tobytes()


def _suffix(value: Value) -> str:
    if value.arity > _native.MOST_ARITY:
        raise Unsupported("a value of more than three axes")
    return _SUFFIX[value.arity]


def _operation(value: Value, suffix: str) -> tuple[str, int]:
    """The name of the native operation, and its detail."""
    match value.op, value.detail:
        case (("full" | "complement"), _) if value.arity == 0:
            return f"{value.op}_0", 0
        case "some", _:
            return f"some_{_suffix(value.operands[0])}", 0
        case "node", (parameter,):
            return "node", _parameter(parameter)
        case "slice", (axis, parameter):
            _suffix(value.operands[0])
            return _SLICES[value.operands[0].arity, axis], _parameter(parameter)
        case (("insert" | "drop"), (axis,)):
            _suffix(value.operands[0])
            return f"{value.op}_t", axis
        case "permute", (first, second, third):
            return "permute_t", first | second << 2 | third << 4
    return (value.op if value.op in _CODE else f"{value.op}_{suffix}"), 0


def _parameter(number: int) -> int:
    if number >= _native.MOST_PARAMETERS:
        raise Unsupported("a program of very many parameters")
    return number


@cache  # handles of one vocabulary share one signature for ever
def _signature(arities: tuple[int, ...]) -> _native.Signature:
    return _native.Signature(arities)


def signature_of(vocabulary: Vocabulary) -> _native.Signature | None:
    """The signature of a vocabulary; None if it has predicates of more than three arguments."""
    arities = tuple(p.arity for p in vocabulary)
    return None if max(arities) > _native.MOST_ARITY else _signature(arities)


class SharedProgram:
    """A program made for a vocabulary of its own that can be bound to every other one that has its predicates."""

    def __init__(self, code: Bytecode, own: Vocabulary) -> None:
        self._code = code.code()
        self._outputs = code.outputs
        self._names = [p.name for p in own]

    def bind(self, vocabulary: Vocabulary) -> _native.Program:
        signature = signature_of(vocabulary)
        assert signature is not None
        rails: list[int] = []
        for name in self._names:
            rail = 2 * vocabulary.index(name)
            rails += (rail, rail + 1)
        return _native.Program(signature, self._code, rails, self._outputs)


def program_of(code: Bytecode, vocabulary: Vocabulary, rails: Sequence[int] = ()) -> _native.Program:
    """A program for its own vocabulary."""
    signature = signature_of(vocabulary)
    if signature is None:
        raise Unsupported("a predicate of more than three arguments")
    return _native.Program(signature, code.code(), rails, code.outputs)
