"""Lowering of assignments, increments and conditions."""

from __future__ import annotations

from typing import Any

from kleene.c.clang import binary_operator, evaluate, kind, unary_operator
from kleene.c.lowering import LoweringContext, strip
from kleene.c.type_reader import common_type, integer_promotion
from kleene.cfa.expressions import (
    Comparison,
    Constant,
    Expression,
    Field,
    FloatConstant,
    FunctionAddress,
    Variable,
    has_dereference,
)
from kleene.cfa.operations import Assign, Assume
from kleene.cfa.types import INT, FloatType, IntegerType, PointerType, RecordType, is_scalar

_PURE_CALLS = ("__builtin_expect", "__builtin_expect_with_probability")


class Effects:
    """Assignments, increments, expressions for their effects, and conditions."""

    def __init__(self, lower: LoweringContext) -> None:
        self.lower = lower

    def effect(self, cursor: Any) -> None:
        """An expression for its side effects only."""
        name = kind(cursor)
        if name in ("PAREN_EXPR", "CSTYLE_CAST_EXPR") or (name == "UNEXPOSED_EXPR" and self._is_cast(cursor)):
            return self.effect(list(cursor.get_children())[-1])
        if name == "BINARY_OPERATOR" and binary_operator(cursor) == "=":
            self.assignment(cursor, wanted=False)
        elif name == "BINARY_OPERATOR" and binary_operator(cursor) in ("&&", "||"):
            end = self.lower.builder.new()
            self.condition(cursor, end, end)
            self.lower.builder.here = end
        elif name == "BINARY_OPERATOR" and binary_operator(cursor) == ",":
            for part in cursor.get_children():
                self.effect(part)
        elif name == "COMPOUND_ASSIGNMENT_OPERATOR":
            self.compound_assignment(cursor, wanted=False)
        elif name == "UNARY_OPERATOR" and unary_operator(cursor) in ("++", "--", "p++", "p--"):
            self.increment(cursor, unary_operator(cursor), wanted=False)
        elif name == "CALL_EXPR":
            self.lower.calls.call(cursor, None, None)
        elif name == "StmtExpr":
            self.lower.statements.statement_expression(cursor, wanted=False)
        else:
            value = self.lower.values.value(cursor)
            if has_dereference(value) and is_scalar(value.type):
                self.lower.as_temporary(cursor, value)
        return None

    @staticmethod
    def _is_cast(cursor: Any) -> bool:
        inner = list(cursor.get_children())
        return len(inner) == 1 and kind(inner[0]) not in ("TYPE_REF", "MEMBER_REF")

    def assignment(self, cursor: Any, *, wanted: bool) -> Expression:
        left, right = cursor.get_children()
        target = self.lower.values.lvalue(left)
        if self.assign_call(target, right):
            return self.lower.as_temporary(cursor, target) if wanted and not self._is_stable(target) else target
        value = self.lower.convert(self.lower.values.value(right), target.type, cursor)
        return self._store(cursor, target, value, wanted=wanted)

    def _store(self, cursor: Any, target: Expression, value: Expression, *, wanted: bool) -> Expression:
        """Assign a value; the result has the value of the target then, whatever changes this later (C17, 6.5.16)."""
        place = self.lower.place(cursor)
        if not wanted or self._is_stable(target):
            self.lower.builder.emit(Assign(place, target, value))
            return target
        if isinstance(target, Field) and target.bit_width is not None:
            self.lower.builder.emit(Assign(place, target, value))
            return self.lower.as_temporary(cursor, target)
        kept = value if isinstance(value, Constant) else self.lower.as_temporary(cursor, value)
        self.lower.builder.emit(Assign(place, target, kept))
        return kept

    def _is_stable(self, target: Expression) -> bool:
        """Whether nothing else in the expression can change the object, so that its value can be read from it again."""
        if not isinstance(target, Variable) or target.is_global:
            return False
        return target.name.partition("#")[0] not in self.lower.exposed

    def assign_call(self, target: Expression, right: Any) -> bool:
        """Whether `right` is a call whose result could be stored in `target` at once."""
        call = right
        while kind(call) in ("PAREN_EXPR", "UNEXPOSED_EXPR", "CSTYLE_CAST_EXPR"):
            inner = list(call.get_children())
            if not inner or kind(inner[-1]) in ("TYPE_REF", "MEMBER_REF"):
                return False
            if not isinstance(self.lower.type(call), PointerType | RecordType) and self.lower.type(call) != target.type:
                return False
            call = inner[-1]
        if kind(call) != "CALL_EXPR":
            return False
        type_ = self.lower.type(call)
        fits = type_ == target.type or (isinstance(type_, PointerType) and isinstance(target.type, PointerType))
        if not fits:
            return False
        result = self.lower.calls.call(call, target, target.type)
        if result is not None and result is not target:
            self.lower.assign(right, target, result)
        return True

    def compound_assignment(self, cursor: Any, *, wanted: bool) -> Expression:
        left, right = cursor.get_children()
        operator = binary_operator(cursor).removesuffix("=")
        target = self.lower.values.lvalue(left)
        value = self.lower.values.value(right)
        type_ = target.type
        if not isinstance(type_, PointerType):
            shift = operator in ("<<", ">>")
            type_ = integer_promotion(target.type) if shift else common_type(target.type, value.type)
        result = self.lower.convert(
            self.lower.values.binary(operator, target, value, type_, cursor), target.type, cursor
        )
        return self._store(cursor, target, result, wanted=wanted)

    def increment(self, cursor: Any, operator: str, *, wanted: bool) -> Expression:
        target = self.lower.values.lvalue(next(iter(cursor.get_children())))
        old: Expression = target
        postfix = operator.startswith("p")
        if wanted and postfix:
            old = self.lower.as_temporary(cursor, target)
        type_ = target.type
        one: Expression = Constant(1, INT)
        if isinstance(type_, IntegerType):
            type_ = integer_promotion(type_)
        elif isinstance(type_, FloatType):
            one = FloatConstant(1.0, type_)
        changed = self.lower.values.binary(operator[-1], old, one, type_, cursor)
        changed = self.lower.convert(changed, target.type, cursor)
        result = self._store(cursor, target, changed, wanted=wanted and not postfix)
        return old if wanted and postfix else result

    def condition(self, cursor: Any, yes: int, no: int) -> None:
        """Continue at `yes` if the expression is not zero, at `no` if it is."""
        name = kind(cursor)
        inner = list(cursor.get_children())
        operator = binary_operator(cursor) if name == "BINARY_OPERATOR" else ""
        if name == "PAREN_EXPR" or (name == "UNEXPOSED_EXPR" and self._keeps_truth(cursor, inner)):
            self.condition(inner[0], yes, no)
        elif name == "UNARY_OPERATOR" and unary_operator(cursor) == "!":
            self.condition(inner[0], no, yes)
        elif operator in ("&&", "||"):
            middle = self.lower.builder.new()
            self.condition(inner[0], *((middle, no) if operator == "&&" else (yes, middle)))
            self.lower.builder.here = middle
            self.condition(inner[1], yes, no)
        elif operator == ",":
            self.effect(inner[0])
            self.condition(inner[1], yes, no)
        elif name == "CALL_EXPR" and cursor.spelling in _PURE_CALLS:
            self.condition(inner[1], yes, no)
        else:
            self.branch_on(cursor, self.lower.values.value(cursor), yes, no)

    def _keeps_truth(self, cursor: Any, inner: list[Any]) -> bool:
        """Whether a conversion cannot turn a value that is not zero into zero, or the other way."""
        if len(inner) != 1 or kind(inner[0]) in ("TYPE_REF", "MEMBER_REF"):
            return False
        source, target = self.lower.type(inner[0]), self.lower.type(cursor)
        if not isinstance(source, IntegerType | PointerType) or not isinstance(target, IntegerType):
            return source == target and is_scalar(target)
        return target.boolean or target.size >= source.size

    def branch_on(self, cursor: Any, value: Expression, yes: int, no: int) -> None:
        """Two edges for a value that is zero or not; one way only if it is a constant."""
        place = self.lower.place(cursor)
        if isinstance(value, Constant):
            self.lower.builder.connect(self.lower.builder.here, yes if value.value else no, place)
            return
        if isinstance(value, FunctionAddress):
            self.lower.builder.connect(self.lower.builder.here, yes, place)
            return
        if not isinstance(value, Comparison):
            if not is_scalar(value.type):
                value = self.lower.values._decay(value)
            zero = FloatConstant(0.0, value.type) if isinstance(value.type, FloatType) else Constant(0, value.type)
            value = Comparison("!=", value, zero)
        elif isinstance(value.left, Constant) and isinstance(value.right, Constant):
            folded = evaluate(cursor)
            if isinstance(folded, int):
                self.lower.builder.connect(self.lower.builder.here, yes if folded else no, place)
                return
        here = self.lower.builder.here
        self.lower.builder.branch(here, Assume(place, value, truth=True), yes)
        self.lower.builder.branch(here, Assume(place, value, truth=False), no)

    def truth_value(self, cursor: Any) -> Expression:
        """`!`, `&&` and `||` as a number: 0 or 1, by branches."""
        inner = strip(next(iter(cursor.get_children())))
        if kind(cursor) == "UNARY_OPERATOR" and kind(inner) == "INTEGER_LITERAL":
            return Constant(int(not evaluate(inner)), INT)
        result = self.lower.builder.temporary(INT)
        yes, no, end = self.lower.builder.new(), self.lower.builder.new(), self.lower.builder.new()
        self.condition(cursor, yes, no)
        for start, number in ((yes, 1), (no, 0)):
            self.lower.builder.here = start
            self.lower.builder.emit(Assign(self.lower.place(cursor), result, Constant(number, INT)), end)
        self.lower.builder.here = end
        return result
