"""The Python machine: operation graphs as Python source on big integers.

One function of source is made for each program and width. Constants of the layout are literals in the source, and
matrix operations that recur on equal operands (broadcast, transpose, closure) are dictionaries that fill themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any, cast

from kleene.diagnostics import Limit, LimitReached
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.layout import Layout
from kleene.structures.program.graph import Value

Namespace = dict[str, Any]
MOST_AXES = 8
"""Variables that a value may range over at once: the value of one more would have more bits than a machine has."""


class FunctionText:
    """The body of one generated function ``name(V, n, P)``: V the rails, n the number of nodes, P the parameters.

    Rails from `first_bound` on are further parameters: binding the function fixes their places in V.
    """

    def __init__(self, layout: Layout, first_bound: int | None = None) -> None:
        self.layout = layout
        self.first_bound = first_bound
        self.bound: dict[int, str] = {}
        self.given: dict[tuple[int, str], str] = {}
        self.lines: list[str] = []
        self._names: dict[int, str] = {}
        self._prologue: dict[str, str] = {}

    def rail(self, rail: int) -> str:
        """Where a rail is in V."""
        if self.first_bound is not None and rail >= self.first_bound:
            return self.bound.setdefault(rail, f"r{rail}")
        return str(rail)

    def number(self, rail: int, kind: str) -> str:
        """A number that belongs to a rail; binding the function fixes it."""
        return self.given.setdefault((rail, kind), f"{kind}{rail}")

    def emit(self, value: Value) -> str:
        """Make sure that the value is computed, and return the name of its variable or its literal."""
        stack = [value]
        while stack:
            current = stack[-1]
            if current.number in self._names:
                stack.pop()
                continue
            missing = [v for v in current.operands if v.number not in self._names]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            self._define(current)
        return self._names[value.number]

    def line(self, text: str) -> None:
        self.lines.append(text)

    def _define(self, value: Value) -> None:
        text = self._expression(value, [self._names[v.number] for v in value.operands])
        if value.op in ("zero", "full"):
            self._names[value.number] = text
            return
        name = f"t{value.number}"
        self.lines.append(f"{name} = {text}")
        self._names[value.number] = name

    def _full(self, arity: int) -> str:
        if arity == 0:
            return "1"
        if arity > MOST_AXES:
            raise LimitReached(
                f"a formula has a value over {arity} variables at once, at most {MOST_AXES} are possible", Limit.SIZE
            )
        name = f"F{arity}"
        self._prologue[name] = f"{name} = FULL{arity}[n]"
        return name

    def _expression(self, value: Value, a: list[str]) -> str:
        k = self.layout
        match value.op, value.detail:
            case "load", (rail,):
                return f"V[{self.rail(rail)}]"
            case "zero", _:
                return "0"
            case "full", _:
                return self._full(value.arity)
            case "and", _:
                return f"{a[0]} & {a[1]}"
            case "or", _:
                return f"{a[0]} | {a[1]}"
            case "andnot", _:
                return f"{a[0]} & ~{a[1]}"
            case "complement", _:
                return f"1 ^ {a[0]}" if value.arity == 0 else f"{self._full(value.arity)} & ~{a[0]}"
            case "clip", _:
                return f"{a[0]} & {self._full(value.arity)}"
            case "spread", _:
                return f"{self._full(value.arity)} if {a[0]} else 0"
            case "some", _:
                return f"1 if {a[0]} else 0"
            case "rows", _:
                return f"ROWS[{a[0]}]"
            case "cols", _:
                return f"{a[0]} * {k.col:#x}"
            case "node", (parameter,):
                return f"1 << P[{parameter}]"
            case "identity", _:
                return f"{k.diagonal:#x} & {self._full(2)}"
        return self._matrix_expression(value, a)

    def _matrix_expression(self, value: Value, a: list[str]) -> str:
        k = self.layout
        match value.op, value.detail:
            case "transpose", _:
                return f"TRANSPOSED[{a[0]}]"
            case "closure_all", _ if value.arity == 2:
                return f"CLOSED[{a[0]}]"
            case "closure", _ if value.arity == 2:
                return f"CLOSURE({a[0]}, {a[1]})"
            case "closure_all", _:
                return f"CLOSURES({a[0]}, {value.arity}, {k.row:#x})"
            case "closure", _:
                return f"CLOSURES({a[0]}, {value.arity}, {a[1]})"
            case "product", _:
                return f"PRODUCT({a[0]}, {a[1]})"
            case "image", _:
                return f"IMAGE({a[0]}, {a[1]})"
            case "preimage", _:
                return self._any_row(f"{a[0]} & ({a[1]} * {k.col:#x})")
            case "any_row", _:
                return self._any_row(a[0])
            case "any_column", _:
                return f"ANY_COLUMN({a[0]})"
            case "diagonal", _:
                return self._any_row(f"{a[0]} & {k.diagonal:#x}")
            case "on_diagonal", _:
                return f"ROWS[{a[0]}] & {k.diagonal:#x}"
        return self._tensor_expression(value, a)

    def _tensor_expression(self, value: Value, a: list[str]) -> str:
        arity = value.operands[0].arity
        match value.op, value.detail:
            case "insert", (axis,):
                return f"INSERT({a[0]}, {arity}, {axis})"
            case "drop", (axis,):
                return f"DROP({a[0]}, {arity}, {axis})"
            case "slice", (0, parameter) if arity == 1:
                return f"{a[0]} >> P[{parameter}] & 1"
            case "slice", (0, parameter) if arity == 2:
                return f"({a[0]} >> P[{parameter}] * {self.layout.width}) & {self.layout.row:#x}"
            case "slice", (1, parameter) if arity == 2:
                return f"({a[0]} >> P[{parameter}] & {self.layout.col:#x}) % {self.layout.modulus}"
            case "slice", (axis, parameter):
                return f"SLICE({a[0]}, {arity}, {axis}, P[{parameter}])"
            case "permute", order:
                return f"PERMUTE({a[0]}, {order})"
        raise ValueError(f"unknown operation {value.op}")

    def _any_row(self, matrix: str) -> str:
        """Some bit in each row: adding `low` carries into the row's high bit; the modulus gathers the high bits."""
        k = self.layout
        if not matrix.isidentifier():
            self.lines.append(f"m = {matrix}")
            matrix = "m"
        return f"((({matrix} & {k.low:#x}) + {k.low:#x} | {matrix}) & {k.high:#x}) % {k.modulus}"

    def source(self, name: str) -> str:
        body = [*self._prologue.values(), *self.lines]
        further = "".join(f", {parameter}=0" for parameter in (*self.bound.values(), *self.given.values()))
        return f"def {name}(V, n, P=(){further}):\n" + "".join(f"    {line}\n" for line in body)


def namespace(layout: Layout) -> Namespace:
    """What generated functions may refer to."""
    names: Namespace = {
        "ROWS": layout.rows,
        "TRANSPOSED": layout.transposed,
        "CLOSED": layout.closed,
        "CLOSURE": layout.closure,
        "CLOSURES": layout.closures,
        "PRODUCT": layout.product,
        "IMAGE": layout.image,
        "ANY_COLUMN": layout.any_in_column,
        "DIAGONAL": layout.diagonal_of,
        "INSERT": layout.insert_axis,
        "DROP": layout.drop_axis,
        "SLICE": layout.slice_axis,
        "PERMUTE": layout.permute_axes,
    }
    for arity in range(1, MOST_AXES + 1):
        names[f"FULL{arity}"] = _Full(layout, arity)
    return names


class _Full(dict[int, int]):
    """All tuples of an arity, by the number of nodes."""

    def __init__(self, layout: Layout, arity: int) -> None:
        super().__init__()
        self._layout = layout
        self._arity = arity

    def __missing__(self, nodes: int) -> int:
        self[nodes] = self._layout.full(nodes, self._arity)
        return self[nodes]


def load(sources: Iterable[str], layout: Layout) -> dict[str, Callable[..., Any]]:
    """Compile generated functions; the result maps their names to them."""
    names = namespace(layout)
    builtin = set(names)
    exec(compile("\n".join(sources), "<kleene program>", "exec"), names)
    return {name: f for name, f in names.items() if name not in builtin and not name.startswith("__")}


class SharedFunction:
    """A function made for a vocabulary of its own that can be bound to every other one that has its predicates."""

    def __init__(self, made: FunctionType, text: FunctionText, own: Vocabulary) -> None:
        self._made = made
        self._rails = [(own.predicates[rail >> 1].name, rail & 1) for rail in text.bound]
        self._given = [(own.predicates[rail >> 1].name, rail & 1, kind) for rail, kind in text.given]

    def bind(self, vocabulary: Vocabulary, given: Mapping[str, Mapping[int, int]] | None = None) -> Callable[..., Any]:
        """The function for a vocabulary; `given` has for each kind of number the one that belongs to a rail."""
        rails = [2 * vocabulary.index(name) + rail for name, rail in self._rails]
        numbers = [
            given[kind].get(2 * vocabulary.index(name) + rail, 0) if given else 0 for name, rail, kind in self._given
        ]
        return FunctionType(self._made.__code__, self._made.__globals__, "shared", ((), *rails, *numbers))


def shared_functions(texts: Mapping[str, FunctionText], own: Vocabulary, layout: Layout) -> dict[str, SharedFunction]:
    """Functions by name, compiled together."""
    made = load([text.source(name) for name, text in texts.items()], layout)
    return {name: SharedFunction(cast(FunctionType, made[name]), text, own) for name, text in texts.items()}
