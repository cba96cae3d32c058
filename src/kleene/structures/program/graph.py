"""Operation graphs: values are packed tensors, identified by what computes them (so equal work is shared)."""

from __future__ import annotations

from dataclasses import dataclass

# What an operation computes from its operands (tensors a, b of the given arity; v a vector, m a matrix, s a scalar):
#   load i        rail number i of the structure          zero, full      no tuple, all tuples
#   and or andnot bitwise                                  complement      all tuples that are not in a
#   rows v        M[i][j] = v[i]                           cols v          M[i][j] = v[j]
#   spread s      all tuples if s, else none               some a          1 iff a is not empty
#   diagonal m    v[i] = m[i][i]                           on_diagonal v   M[i][i] = v[i], 0 elsewhere
#   transpose m                                            any_row m       v[i] = exists j: m[i][j]
#   any_column m  v[j] = exists i: m[i][j]                 image v m       w[j] = exists i: v[i] and m[i][j]
#   preimage m v  w[i] = exists j: m[i][j] and v[j]        product a b     M[i][k] = exists j: a[i][j] and b[j][k]
#   closure m v   paths of m whose inner nodes are in v    closure_all m   paths of m (for each leading index)
#   insert a k    broadcast along a new axis number k      drop a k        exists along axis k
#   slice a k p   axis k fixed to parameter number p       permute a order axes in another order
#   node p        the vector with only parameter p         identity        M[i][i] = 1 for all nodes
#   clip a        a restricted to the nodes of the structure
# Broadcasts fill whole rows and columns, beyond the nodes of the structure; such a value is not `clean`. Reductions and
# results need clean operands, and `clip` what is not.


@dataclass(slots=True, eq=False)  # not frozen: there are many, and a frozen one takes three times as long to make
class Value:
    """One operation with its operands. `number` is its place in its graph; operands come earlier. Never changed."""

    op: str
    operands: tuple[Value, ...]
    detail: tuple[int, ...]
    arity: int
    number: int
    clean: bool

    def __repr__(self) -> str:
        inside = [f"t{v.number}" for v in self.operands] + [str(d) for d in self.detail]
        return f"t{self.number} = {self.op}({', '.join(inside)})"


def _is_clean(op: str, operands: tuple[Value, ...]) -> bool:
    match op:
        case "rows" | "cols" | "insert":
            return False
        case "and":
            return operands[0].clean or operands[1].clean
        case "or":
            return operands[0].clean and operands[1].clean
        case "andnot":
            return operands[0].clean
    return True


class Graph:
    """Builds values, sharing equal ones, and simplifying the constants `zero` and `full`."""

    def __init__(self) -> None:
        self._values: dict[tuple[object, ...], Value] = {}

    def _make(self, op: str, operands: tuple[Value, ...], arity: int, *detail: int) -> Value:
        key = (op, operands, detail, arity)
        result = self._values.get(key)
        if result is None:
            clean = _is_clean(op, operands)
            result = self._values[key] = Value(op, operands, detail, arity, len(self._values), clean)
        return result

    def clip(self, a: Value) -> Value:
        """The same value with nothing outside the nodes of the structure."""
        return a if a.clean else self._make("clip", (a,), a.arity)

    def load(self, rail: int, arity: int) -> Value:
        return self._make("load", (), arity, rail)

    def zero(self, arity: int) -> Value:
        return self._make("zero", (), arity)

    def full(self, arity: int) -> Value:
        return self._make("full", (), arity)

    def node(self, parameter: int) -> Value:
        return self._make("node", (), 1, parameter)

    def identity(self) -> Value:
        return self._make("identity", (), 2)

    def both(self, a: Value, b: Value) -> Value:
        if a is b or b.op == "full" or a.op == "zero":
            return a
        if a.op == "full" or b.op == "zero":
            return b
        if b.op == "complement":
            return self.without(a, b.operands[0])
        if a.op == "complement":
            return self.without(b, a.operands[0])
        return self._make("and", (a, b) if a.number <= b.number else (b, a), a.arity)

    def either(self, a: Value, b: Value) -> Value:
        if a is b or b.op == "zero" or a.op == "full":
            return a
        if a.op == "zero" or b.op == "full":
            return b
        return self._make("or", (a, b) if a.number <= b.number else (b, a), a.arity)

    def without(self, a: Value, b: Value) -> Value:
        """a and not b."""
        if a.op == "zero" or b.op == "zero":
            return a
        if a is b or b.op == "full":
            return self.zero(a.arity)
        if a.op == "complement":  # not x and not b
            return self.complement(self.either(a.operands[0], b))
        if a.op == "full":
            return self.complement(b)
        return self._make("andnot", (a, b), a.arity)

    def complement(self, a: Value) -> Value:
        if a.op == "complement":
            return a.operands[0]
        if a.op == "zero":
            return self.full(a.arity)
        if a.op == "full":
            return self.zero(a.arity)
        return self._make("complement", (a,), a.arity)

    def spread(self, scalar: Value, arity: int) -> Value:
        if arity == 0:
            return scalar
        if scalar.op in ("zero", "full"):
            return self._make(scalar.op, (), arity)
        return self._make("spread", (scalar,), arity)

    def some(self, a: Value) -> Value:
        if a.arity == 0 or a.op == "zero":
            return a if a.arity == 0 else self.zero(0)
        return self._make("some", (a,), 0)

    def insert(self, a: Value, axis: int) -> Value:
        if a.arity == 0:
            return self.spread(a, 1)
        if a.op in ("zero", "full"):
            return self._make(a.op, (), a.arity + 1)
        if a.arity == 1:
            return self._make("rows" if axis == 1 else "cols", (a,), 2)
        return self._make("insert", (a,), a.arity + 1, axis)

    def drop(self, a: Value, axis: int) -> Value:
        """Exists along an axis. A full tensor is empty if there is no node, so it is not simplified."""
        if a.op == "zero":
            return self.zero(a.arity - 1)
        if a.arity == 1:
            return self.some(a)
        if a.arity == 2:
            if a.op == "and":
                for broadcast, other in (a.operands, a.operands[::-1]):
                    if axis == 0 and broadcast.op == "rows":
                        return self.image(broadcast.operands[0], other)
                    if axis == 1 and broadcast.op == "cols":
                        return self.preimage(other, broadcast.operands[0])
            return self._make("any_row" if axis == 1 else "any_column", (self.clip(a),), 1)
        return self._make("drop", (self.clip(a),), a.arity - 1, axis)

    def image(self, v: Value, m: Value) -> Value:
        return self._make("image", (v, self.clip(m)), 1)

    def preimage(self, m: Value, v: Value) -> Value:
        return self._make("preimage", (self.clip(m), v), 1)

    def product(self, a: Value, b: Value) -> Value:
        if a.op == "zero" or b.op == "zero":
            return self.zero(2)
        return self._make("product", (self.clip(a), self.clip(b)), 2)

    def closure(self, m: Value, through: Value | None) -> Value:
        if m.op == "zero":
            return m
        m = self.clip(m)
        if through is None:
            return self._make("closure_all", (m,), m.arity)
        return self._make("closure", (m, through), m.arity)

    def diagonal(self, m: Value) -> Value:
        if m.op in ("zero", "full"):
            return self._make(m.op, (), 1)
        if m.op == "identity":
            return self.full(1)
        return self._make("diagonal", (self.clip(m),), 1)

    def on_diagonal(self, v: Value) -> Value:
        if v.op == "full":
            return self.identity()
        return self.zero(2) if v.op == "zero" else self._make("on_diagonal", (self.clip(v),), 2)

    def slice(self, a: Value, axis: int, parameter: int) -> Value:
        if a.op == "zero":
            return self.zero(a.arity - 1)
        return self._make("slice", (self.clip(a),), a.arity - 1, axis, parameter)

    def permute(self, a: Value, order: tuple[int, ...]) -> Value:
        if order == tuple(range(len(order))) or a.op in ("zero", "full", "identity"):
            return a
        if len(order) == 2:
            if a.op in ("rows", "cols"):
                return self._make("cols" if a.op == "rows" else "rows", a.operands, 2)
            if a.op == "transpose":
                return a.operands[0]
            return self._make("transpose", (self.clip(a),), 2)
        return self._make("permute", (self.clip(a),), a.arity, *order)
