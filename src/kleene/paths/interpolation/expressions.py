"""Expressions as terms over the current versions; None is "any value"."""

from __future__ import annotations

from typing import Any

import z3

from kleene.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    FunctionAddress,
    Index,
    PointerDifference,
    PointerOffset,
    StringLiteral,
    Unary,
    Variable,
)
from kleene.cfa.types import IntegerType, PointerType, Type
from kleene.domains.explicit.evaluate import bit_width
from kleene.domains.explicit.machine import Machine
from kleene.paths.formulas.encode import Case, PathFormula
from kleene.paths.interpolation.arithmetic import converts_freely, number, operate, within, wrap_term
from kleene.paths.interpolation.facts import Unfit, label_of, root_of
from kleene.paths.interpolation.relation import Address, Layout, Relation, Spot, named_block
from kleene.paths.interpolation.vocabulary import FREED, NUMBER, POINTER, SIZE, UNSIGNED, Defined

_COMPARE: dict[str, Any] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


class Expressions(Relation):
    """Evaluates expressions; collects the conditions of dereferences in `valid`, and their errors in `wrong`."""

    def __init__(self, formula: PathFormula, machine: Machine, case: Case, layout: Layout | None) -> None:
        super().__init__(formula, machine, case, layout)
        self.valid: list[Any] = []
        self.wrong: dict[str, list[Any]] = {}

    def value(self, expression: Expression) -> Any:
        """A term for a number, an Address for a pointer, None for any value."""
        match expression:
            case Constant(value=constant, type=type_):
                return Address(number(0), constant) if isinstance(type_, PointerType) else number(constant)
            case Variable() | Field() | Index() | Deref():
                return self._load(expression)
            case AddressOf(target=target):
                return self._address_of(target, expression)
            case FunctionAddress(name=name):
                return Address(named_block(self.machine.functions[name]), 0)
            case Unary(operator=symbol, operand=operand, type=type_):
                return self._unary(symbol, operand, type_)
            case Binary(operator=symbol, left=left, right=right, type=type_):
                a, b = self.value(left), self.value(right)
                if isinstance(type_, IntegerType) and _terms(a, b):
                    return self._fit(operate(symbol, a, b), type_, expression)
                return None
            case PointerOffset(pointer=pointer, index=index):
                self.value(index)
                base = self.value(pointer)
                if not isinstance(base, Address):
                    return None
                return Address(base.block, self.facts.offset(expression), base.defined)
            case PointerDifference(left=left, right=right):
                self.value(left)
                self.value(right)
                return None
            case Comparison():
                condition = self.comparison(expression)
                return None if condition is None else z3.If(condition, number(1), number(0))
            case Cast(operand=operand, type=type_):
                return self._cast(self.value(operand), operand, type_, expression)
        return None

    def condition(self, expression: Expression) -> Any:
        """The expression as a truth value, None for either."""
        if isinstance(expression, Comparison):
            return self.comparison(expression)
        if isinstance(expression, Unary) and expression.operator == "!":
            inner = self.condition(expression.operand)
            return None if inner is None else z3.Not(inner)
        value = self.value(expression)
        if isinstance(value, Address):
            return value.block != 0 if value.offset == 0 else None
        return None if value is None else value != 0

    def comparison(self, expression: Comparison) -> Any:
        a, b = self.value(expression.left), self.value(expression.right)
        compare = _COMPARE[expression.operator]
        if _terms(a, b):
            return compare(a, b)
        if not isinstance(a, Address) or not isinstance(b, Address) or expression.operator not in ("==", "!="):
            return None
        if self._may_be_undefined(expression.left) or self._may_be_undefined(expression.right):
            return None
        if a.offset == b.offset:
            return compare(a.block, b.block)
        return z3.BoolVal(expression.operator == "!=")

    def _may_be_undefined(self, pointer: Expression) -> bool:
        """Whether the pointer may be unwritten: then C leaves the result of the comparison open."""
        value = self.facts.value(pointer)
        return value is None or (hasattr(value, "block") and self.facts.kind(value.block) == "garbage")

    def _unary(self, symbol: str, operand: Expression, type_: Any) -> Any:
        if symbol == "!":
            condition = self.condition(operand)
            return None if condition is None else z3.If(condition, number(0), number(1))
        value = self.value(operand)
        if not isinstance(type_, IntegerType) or not _terms(value):
            return None
        return wrap_term(-value if symbol == "-" else -value - 1, type_)

    def _fit(self, term: Any, type_: IntegerType, expression: Expression) -> Any:
        """The term in the type; where the value is explicit on the path and does not wrap, that is a fact."""
        if term is None:
            return None
        if self._explicit(expression):
            self.valid.append(within(term, type_))
            return term
        return wrap_term(term, type_)

    def _explicit(self, expression: Expression) -> bool:
        """Whether the path has one value here, which is the mathematical one."""
        if not isinstance(expression, Binary) or expression.operator not in ("+", "-"):
            return False
        left, right = self.facts.value(expression.left), self.facts.value(expression.right)
        value = self.facts.value(expression)
        if not isinstance(left, int) or not isinstance(right, int):
            return False
        return value == (left + right if expression.operator == "+" else left - right)

    def _cast(self, cast: Any, operand: Expression, type_: Any, expression: Expression) -> Any:
        if isinstance(type_, PointerType):
            if isinstance(cast, Address):
                return cast
            constant = self.facts.value(expression)
            return Address(number(0), constant) if isinstance(constant, int) else None
        if not isinstance(type_, IntegerType):
            return None
        if isinstance(cast, Address):
            return z3.If(cast.block != 0, number(1), number(0)) if type_.boolean else None
        if cast is None or not isinstance(operand.type, IntegerType):
            return None
        return cast if converts_freely(operand.type, type_) else wrap_term(cast, type_)

    # Places -------------------------------------------------------------------------------------------------

    def place(self, lvalue: Expression, *, touched: bool = True) -> Spot | None:
        """The cell of an lvalue; None if its content is unknown."""
        self._indices(lvalue)
        root = root_of(lvalue)
        block, bit = self.facts.address(lvalue)
        region = (_kind_of(lvalue.type), bit, bit_width(lvalue))
        if isinstance(root, Variable):
            owner = "" if root.name in self.exposed else root.name
            term = named_block(block) if root.name in self.exposed else None
            if self.facts.kind(block) == "opaque":
                return None
            spot = self.spot(owner, term, block, region)
            self.vocabulary.label(spot.cell, str(lvalue) if owner else label_of(lvalue) or "*")
            self.vocabulary.blocks[-block] = root.name
            self.vocabulary.parts.setdefault((str(-block), spot.cell), str(lvalue))
            return spot
        if not isinstance(root, Deref):
            return None
        pointer = self.value(root.pointer)
        if not isinstance(pointer, Address):
            return None
        if touched:
            self.touch(pointer, bit // 8, (bit % 8 + region[2] + 7) // 8)
        spot = self.spot("", pointer.block, block, region)
        self.vocabulary.label(spot.cell, label_of(lvalue) or "*")
        self.vocabulary.parts.setdefault((str(root.pointer), spot.cell), str(lvalue))
        return spot

    def _indices(self, lvalue: Expression) -> None:
        while isinstance(lvalue, Field | Index | Cast):
            if isinstance(lvalue, Index):
                self.value(lvalue.index)
            lvalue = lvalue.operand if isinstance(lvalue, Cast) else lvalue.base

    def touch(self, pointer: Address, offset: int, size: int) -> None:
        """A dereference: the block must live and have the bytes."""
        freed = z3.Select(self.get(FREED), pointer.block)
        too_large = z3.Select(self.get(SIZE), pointer.block) < offset + size
        beyond = z3.BoolVal(True) if offset < 0 else too_large
        self.valid += [pointer.block != 0, z3.Not(freed), z3.Not(beyond)]
        self._note("null_dereference", pointer.block == 0)
        self._note("dangling_dereference", z3.And(pointer.block != 0, freed))
        self._note("out_of_bounds", z3.And(pointer.block != 0, z3.Not(freed), beyond))
        if pointer.defined is not None:
            self._note("uninitialized_pointer", z3.Not(pointer.defined))

    def _note(self, kind: str, condition: Any) -> None:
        self.wrong.setdefault(kind, []).append(condition)

    def _load(self, expression: Expression) -> Any:
        spot = self.place(expression)
        if not isinstance(expression.type, PointerType | IntegerType):
            return None
        if spot is None:
            return None
        term = self.read(spot)
        if not isinstance(expression.type, PointerType):
            return term
        defined = None
        if self.tracks_defined:
            flag = self.get(Defined(spot.cell))
            defined = flag if spot.block is None else z3.Select(flag, spot.block)
        return Address(term, self.facts.offset(expression), defined)

    def _address_of(self, target: Expression, expression: AddressOf) -> Any:
        root = root_of(target)
        self._indices(target)
        if isinstance(root, Deref):
            base = self.value(root.pointer)
            if not isinstance(base, Address):
                return None
            return Address(base.block, self.facts.offset(expression), base.defined)
        if isinstance(root, Variable | StringLiteral):
            block, bit = self.facts.address(target)
            if isinstance(root, Variable):
                self.vocabulary.blocks[-block] = root.name
            return Address(named_block(block), bit // 8)
        raise Unfit(f"the address of {target}")


def _kind_of(type_: Type) -> str:
    if isinstance(type_, PointerType):
        return POINTER
    return UNSIGNED if isinstance(type_, IntegerType) and not type_.signed else NUMBER


def _terms(*values: Any) -> bool:
    return all(value is not None and not isinstance(value, Address) for value in values)
