"""Unknown numbers as bit-vector terms: the exact interpreter computes with them along a path.

A C integer of n bits is a bit-vector of n bits, so wrap-around, `%`, shifts and `&` are what C has them to be; a
difference domain (`domains.explicit.constraints`) knows sums and comparisons only. Pointers stay explicit: on one path
a pointer is a block and an offset, and memory needs no theory of arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from kleene.cfa.types import IntegerType
from kleene.domains.explicit.constraints import Store
from kleene.domains.explicit.state import History, InputSource, State
from kleene.domains.explicit.values import NotModelled, Split, Unknown, Value

MANY_VALUES = 12
"""Largest number of values tried for a number that must be explicit: an index, a size, an address."""
SMALL_VALUE = 64
"""Numbers up to this one are tried first: a block of eight words, an index into a short array."""
STEPS = 3_000_000
"""Z3's resource steps for one question (smt.z3_backend: steps, not seconds, so that answers can be repeated)."""

_OPERATORS: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b,
}
_COMPARISONS: dict[str, Any] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_UNSIGNED: dict[str, Any] = _COMPARISONS | {"<": z3.ULT, "<=": z3.ULE, ">": z3.UGT, ">=": z3.UGE}


class Term(Unknown):
    """A bit-vector term and its integer type."""

    __slots__ = ("expression", "type")

    def __init__(self, expression: Any, type_: IntegerType) -> None:
        self.expression = expression
        self.type = type_

    def __str__(self) -> str:
        return str(self.expression)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Term) and self.type == other.type and bool(self.expression.eq(other.expression))

    def __hash__(self) -> int:
        return int(self.expression.get_id())

    def operate(self, state: State, symbol: str, a: int | Unknown, b: int | Unknown, type_: IntegerType) -> Value:
        left, right = as_bits(a, type_.bits), as_bits(b, type_.bits)
        if symbol in "/%":
            if truth(state, right == 0):
                raise NotModelled("division by zero")
            return _make(_quotient(symbol, left, right, signed=type_.signed), type_)
        if symbol in ("<<", ">>"):
            if not truth(state, _in_range(b, type_.bits)):
                raise NotModelled("shift by a negative number or by too many bits")
            if symbol == ">>":
                return _make(left >> right if type_.signed else z3.LShR(left, right), type_)
        return _make(_OPERATORS[symbol](left, right), type_)

    def decide(self, state: State, symbol: str, a: int | Unknown, b: int | Unknown) -> int:
        if all(_has(self.type, value) for value in (a, b)):
            compare = _COMPARISONS[symbol] if self.type.signed else _UNSIGNED[symbol]
            return int(truth(state, compare(as_bits(a, self.type.bits), as_bits(b, self.type.bits))))
        width = max(_width(a), _width(b)) + 1
        return int(truth(state, _COMPARISONS[symbol](as_bits(a, width), as_bits(b, width))))

    def fit(self, state: State, type_: IntegerType) -> Value:
        if type_.boolean:
            zero, one = z3.BitVecVal(0, type_.bits), z3.BitVecVal(1, type_.bits)
            return _make(z3.If(self.expression != 0, one, zero), type_)
        return _make(as_bits(self, type_.bits), type_)

    def concrete(self, state: State) -> int:
        store = constraints_of(state)
        fixed = store.fixed.get(self.expression.get_id())
        if fixed is not None:
            return self.type.wrap(fixed)
        values, complete = store.values(self.expression)
        if len(values) == 1 and complete:
            return self.type.wrap(values[0])
        more: list[Any] = [] if complete else [PARTIAL]
        raise Split([[self.expression == value, *more] for value in values])


PARTIAL = "partial"
"""Stands among the constraints of a case when not all cases were looked at."""


class Constraints(Store):
    """The constraints of the path on the inputs: a conjunction of terms, oldest first."""

    __slots__ = ("fixed", "inputs", "known", "partial", "terms")

    def __init__(self) -> None:
        super().__init__({}, {}, {})
        self.terms: tuple[Any, ...] = ()
        self.known: dict[int, bool] = {}
        self.fixed: dict[int, int] = {}
        self.inputs = 0
        self.partial = False

    def restrict(self, constraints: Any) -> Constraints:
        """The constraints with more of them; whether anything satisfies them is not asked here."""
        twin = Constraints()
        twin.terms, twin.known, twin.fixed = self.terms, dict(self.known), dict(self.fixed)
        twin.inputs, twin.partial = self.inputs, self.partial
        for constraint in constraints:
            if isinstance(constraint, str):
                twin.partial = True
            else:
                twin._append(constraint)
        return twin

    def _append(self, term: Any) -> None:
        self.terms += (term,)
        self.known[term.get_id()] = True
        if z3.is_not(term):
            self.known[term.arg(0).get_id()] = False
        elif z3.is_eq(term) and z3.is_bv_value(term.arg(1)):
            self.fixed[term.arg(0).get_id()] = term.arg(1).as_long()

    def values(self, expression: Any) -> tuple[list[int], bool]:
        """Some values of a term under the constraints, small ones first, and whether these are all."""
        solver = solver_for(self.terms)
        values: list[int] = []
        small = z3.ULE(expression, SMALL_VALUE) if expression.size() > SMALL_VALUE.bit_length() else None
        while len(values) <= MANY_VALUES:
            answer = solver.check() if small is None else solver.check(small)
            if answer != z3.sat and small is not None:
                small = None
                continue
            if answer != z3.sat:
                if not values:
                    raise NotModelled("a number whose values the solver does not find")
                return values, answer == z3.unsat
            values.append(solver.model().eval(expression, model_completion=True).as_long())
            solver.add(expression != values[-1])
            if len(values) == MANY_VALUES // 2:
                small = None
        return values, False


class SymbolicInputs(InputSource):
    """Every input is a new term. `malloc` is the outcome of the next allocation, if the path fixes it.

    A search keeps a model of its path; every new input then gets the value of `habit` in this model.
    """

    chooses_garbage = True
    floating = False

    def __init__(self) -> None:
        self.malloc: bool | None = None
        self.chose_garbage = False
        self.model: dict[str, int] = {}
        self.habit: Callable[[], int] = lambda: 0

    def draw(self, state: State, low: int, high: int, why: str) -> Value:
        self.chose_garbage = self.chose_garbage or why == "uninitialized pointer"
        if why == "malloc succeeds" and self.malloc is not None:
            low = high = int(self.malloc)
        if low == high:
            state.history = History(state.history, ("value", (low, why)))
            return low
        store = constraints_of(state).restrict(())
        store.inputs += 1
        type_ = _smallest(low, high)
        name = f"input{store.inputs}"
        self.model[name] = min(max(self.habit(), low), high) & ((1 << type_.bits) - 1)
        term = z3.BitVec(name, type_.bits)
        if not (type_.minimum == low and type_.maximum == high):
            bits = _COMPARISONS if type_.signed else _UNSIGNED
            store = store.restrict([bits[">="](term, low), bits["<="](term, high)])
        state.store = store
        state.history = History(state.history, ("input", (term, type_, why)))
        return Term(term, type_)


def constraints_of(state: State) -> Constraints:
    assert isinstance(state.store, Constraints)
    return state.store


def truth(state: State, condition: Any) -> bool:
    """Whether a condition holds on the path; raises Split if the path has not decided it."""
    condition = z3.simplify(condition)
    if z3.is_true(condition) or z3.is_false(condition):
        return bool(z3.is_true(condition))
    negated = bool(z3.is_not(condition))
    positive = condition.arg(0) if negated else condition
    known = constraints_of(state).known.get(positive.get_id())
    if known is None:
        raise Split([[condition], [positive if negated else z3.Not(positive)]])
    return known != negated


def solver_for(terms: Any, steps: int = STEPS) -> Any:
    """A solver for bit-vectors with the terms asserted."""
    solver = z3.SolverFor("QF_BV")
    solver.set("rlimit", steps)
    solver.add(*terms)
    return solver


def as_bits(value: int | Unknown, width: int) -> Any:
    """The number as a bit-vector of the width."""
    if isinstance(value, int):
        return z3.BitVecVal(value, width)
    assert isinstance(value, Term)
    own = value.type.bits
    if width <= own:
        return z3.Extract(width - 1, 0, value.expression) if width < own else value.expression
    extend = z3.SignExt if value.type.signed else z3.ZeroExt
    return extend(width - own, value.expression)


def _has(type_: IntegerType, value: int | Unknown) -> bool:
    """Whether the value is one of the type as it stands."""
    if isinstance(value, int):
        return type_.minimum <= value <= type_.maximum
    return isinstance(value, Term) and value.type == type_


def _width(value: int | Unknown) -> int:
    """So many bits hold the number, with its sign."""
    if isinstance(value, int):
        return value.bit_length() + 1
    assert isinstance(value, Term)
    return value.type.bits + 1


def _make(expression: Any, type_: IntegerType) -> Value:
    expression = z3.simplify(expression)
    if z3.is_bv_value(expression):
        return type_.wrap(expression.as_long())
    return Term(expression, IntegerType(type_.bits, type_.signed))


def _quotient(symbol: str, a: Any, b: Any, *, signed: bool) -> Any:
    """Towards zero; the remainder has the sign of the dividend (C17, 6.5.5; so do bvsdiv and bvsrem)."""
    if symbol == "/":
        return a / b if signed else z3.UDiv(a, b)
    return z3.SRem(a, b) if signed else z3.URem(a, b)


def _in_range(count: int | Unknown, bits: int) -> Any:
    width = max(_width(count), bits.bit_length() + 1)
    term = as_bits(count, width)
    return z3.And(term >= 0, term < bits)


def _smallest(low: int, high: int) -> IntegerType:
    """The smallest type that has all numbers from low to high."""
    if low >= 0:
        return IntegerType(max(1, high.bit_length()), signed=False)
    return IntegerType(max((-low - 1).bit_length(), high.bit_length()) + 1, signed=True)
