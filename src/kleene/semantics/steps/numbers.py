"""Integer values: evaluating expressions over the constants that matter, and storing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kleene.cfa.expressions import (
    ARITHMETIC,
    MIRRORED,
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    Unary,
    Variable,
    children,
)
from kleene.cfa.operations import ChangeGhosts, GhostCube
from kleene.cfa.types import IntegerType, PointerType, rereads
from kleene.logic.formula import FALSE, TRUE, UNKNOWN, Formula, IfThenElse, conj, disj, exists, neg, predicates_of
from kleene.passes.facts.integers import COMPARE, INJECTIVE, UNKNOWN_INTEGER, IntegerValue, combine_values
from kleene.passes.facts.memory import Place, Unmodelled
from kleene.passes.indices import whole_array
from kleene.passes.literals import character, is_literal
from kleene.semantics.steps.cells import CellSteps
from kleene.semantics.steps.context import Base, StepContext
from kleene.semantics.steps.count_readings import CountReadings, Reading
from kleene.semantics.steps.pointers import PointerSteps
from kleene.semantics.vocabulary.names import at
from kleene.transformers.action import Update


class NumberSteps:
    """Reading and writing integers; the memory accesses of an expression are checked on the way."""

    def __init__(self, context: StepContext, pointers: PointerSteps, cells: CellSteps) -> None:
        self.context = context
        self.memory = context.memory
        self.constants = context.constants
        self.symbols = context.symbols
        self.pointers = pointers
        self.cells = cells

    def value_of(self, expression: Expression) -> IntegerValue:
        """The abstract value of an integer expression."""
        match expression:
            case Constant(value=value, type=IntegerType()):
                return IntegerValue.constant(value)
            case Variable() if self.memory.kind(expression) == "integer":
                self._sharpen_count(expression)
                return stored_value({c: at(self.symbols.integer(expression, c)) for c in self.constants.of(expression)})
            case Cast(operand=operand, type=IntegerType() as type_) if isinstance(operand.type, IntegerType):
                return self.value_of(operand).convert(operand.type, type_)
            case Unary(operator="-", operand=operand, type=IntegerType() as type_):
                return self.value_of(operand).map(lambda c: type_.wrap(-c), injective=not type_.boolean)
            case Unary(operator="!", operand=operand) if isinstance(operand.type, IntegerType):
                return self.value_of(operand).negate()
            case Binary(type=IntegerType() as type_):
                return self._binary(expression, type_)
            case Comparison(operator=operator, left=left, right=right):
                return self._compare(operator, left, right)
            case Index() if (constant := character(expression)) is not None:
                return IntegerValue.constant(constant)
            case Field() | Deref() | Index() | Variable() if isinstance(expression.type, IntegerType):
                if not _is_inexact(expression):
                    return self._read_integer(expression)
        self.visit(expression)
        return UNKNOWN_INTEGER

    def _binary(self, expression: Binary, type_: IntegerType) -> IntegerValue:
        a, b = self.value_of(expression.left), self.value_of(expression.right)
        function = ARITHMETIC.get(expression.operator)
        if function is None:
            return UNKNOWN_INTEGER
        injective = expression.operator in INJECTIVE and not type_.boolean
        return combine_values(a, b, lambda x, y: type_.wrap(function(x, y)), injective=injective)

    def _compare(self, operator: str, left: Expression, right: Expression) -> IntegerValue:
        if isinstance(left.type, IntegerType) and isinstance(right.type, IntegerType):
            a, b = self.value_of(left), self.value_of(right)
            return IntegerValue.boolean(comparison(operator, a, b, least_of(left, right)))
        if isinstance(left.type, PointerType) and operator in ("==", "!="):
            same = self.pointers.same_pointers(self.pointers.load(left), self.pointers.load(right))
            return IntegerValue.boolean(same if operator == "==" else neg(same))
        self.visit(left)
        self.visit(right)
        return UNKNOWN_INTEGER

    def visit(self, expression: Expression) -> None:
        """Check the memory accesses of an expression whose value is not tracked."""
        match expression:
            case Field() | Deref() | Index():
                self.access(expression)
            case AddressOf(target=target):
                self._visit_address(target)
            case _:
                for child in children(expression):
                    self.visit(child)

    def access(self, lvalue: Expression) -> tuple[list[Base], int]:
        """The objects and the size of an access: the bytes of a bit-field, or a whole array for a variable index."""
        array = whole_array(lvalue)
        if array is not None:
            self._visit_indices(lvalue)
            return self.pointers.objects_of(array, (0, array.type.size)), array.type.size
        if isinstance(lvalue, Field) and lvalue.bit_width is not None:
            size = (lvalue.bit_offset + lvalue.bit_width + 7) // 8
            return self.pointers.objects_of(lvalue, (0, size)), size
        return self.pointers.objects_of(lvalue, (0, lvalue.type.size)), lvalue.type.size

    def _visit_indices(self, lvalue: Expression) -> None:
        while isinstance(lvalue, Field | Index):
            if isinstance(lvalue, Index) and not isinstance(lvalue.index, Constant):
                if not lvalue.checked:
                    raise Unmodelled("an array element with a variable index")
                self.visit(lvalue.index)
            lvalue = lvalue.base

    def read_text(self, text: Expression) -> None:
        """Read a text to its end: literals have an end; for other texts it is unknown."""
        pointer = self.pointers.load(text)
        self.pointers.targets_of(pointer, (0, 1), str(text))
        if pointer is not None:
            literals = [at(self.symbols.object(v), "v") for v in self.memory.objects if is_literal(v)]
            open_ended = exists(["v"], conj(pointer.somewhere(), neg(disj(*literals))))
            alarm = (open_ended, "unsupported", f"output of a text that may have no end: {text}")
            self.context.check_then_step(
                f"read {text}", [alarm], neg(open_ended), [pointer.at(o) for o in pointer.offsets]
            )

    def _visit_address(self, lvalue: Expression) -> None:
        """The accesses that computing an address needs: of the pointers and indices in it, not of the place itself."""
        match lvalue:
            case Field(base=base):
                self._visit_address(base)
            case Index(base=base, index=index):
                self._visit_address(base)
                self.visit(index)
            case Deref(pointer=pointer):
                self.visit(pointer)

    # Cells ----------------------------------------------------------------------------------------------------

    def _read_integer(self, lvalue: Expression) -> IntegerValue:
        type_ = lvalue.type
        assert isinstance(type_, IntegerType)
        bases = self.pointers.objects_of(lvalue, (0, type_.size), number=True)
        if self.context.counts is not None:
            for base in bases:
                self._take(CountReadings(self.context.counts).read_member(base.place, base.formula), str(lvalue))
        return self.read_integer_at(bases, type_)

    def _sharpen_count(self, variable: Variable) -> None:
        if self.context.counts is not None:
            self._take(CountReadings(self.context.counts).read_variable(variable), str(variable))

    def _take(self, readings: Iterable[Reading], text: str) -> None:
        """What claims say about a number, before it is read."""
        for reading in readings:
            quiet_step = self.context.quiet_step
            quiet_step(f"count {text}", reading.updates, focus=reading.focus, precondition=reading.precondition)

    def read_integer_at(self, bases: Sequence[Base], type_: IntegerType) -> IntegerValue:
        tables = [self._kept_numbers(base, type_) for base in bases]
        table: dict[int, Formula] = dict.fromkeys(sorted({c for own in tables for c in own}), FALSE)
        for base, own in zip(bases, tables, strict=True):
            for c in table:
                value = disj(*(at(name, "u") for name in own[c])) if c in own else UNKNOWN
                table[c] = disj(table[c], exists(["u"], conj(base.formula("u"), value)))
        return stored_value(table)

    def tag_foci(self, *values: IntegerValue) -> list[Formula]:
        """Numbers that were read are told apart where they say which cells are NULL (`vocabulary/tags`)."""
        tagged = self.symbols.tagged
        return [f for value in values for f in value.table.values() if tagged and predicates_of(f) & tagged]

    def _kept_numbers(self, base: Base, type_: IntegerType) -> dict[int, list[str]]:
        """The numbers in the integer cell at a base, read as a type, each with its predicates."""
        kept = self.memory.integer_type(base.place)
        result: dict[int, list[str]] = {}
        if kept is not None and rereads(kept, type_):
            for c in filter(kept.has, self.constants.of(base.offset)):
                result.setdefault(type_.wrap(c), []).append(self.symbols.integer_cell(base.offset, c))
        return result

    def assign_integer(self, target: Expression, value: Expression) -> None:
        self.store_integer(target, self.value_of(value), value)

    def store_integer(self, target: Expression, value: IntegerValue, expression: Expression | None = None) -> None:
        """Store a number; the expression that it is the value of, if there is one, says what becomes of counters."""
        if isinstance(target, Variable) and self.memory.kind(target) == "integer":
            counted = self._count_updates(target, (), expression)
            changed = [*self.set_integer(target, value), *counted]
            self.context.quiet_step(f"{target} = ...", changed, focus=self.tag_foci(value))
            return
        size = target.type.size
        if _is_inexact(target):
            self.overwrite(*self.access(target))
            return
        assert isinstance(target.type, IntegerType)
        bases = self.pointers.objects_of(target, (0, size), number=True)
        updates = {u.predicate: u for u in self._count_updates(target, bases, expression)}
        self._store_integer_at(bases, value, target.type, str(target), updates)

    def _count_updates(self, target: Expression, bases: Sequence[Base], expression: Expression | None) -> list[Update]:
        """What becomes of the claims about a counter that gets the value of an expression."""
        if self.context.counts is None:
            return []
        return self.context.counts.assign(target, [(b.place, b.formula) for b in bases], expression)

    def _store_integer_at(
        self,
        bases: Sequence[Base],
        value: IntegerValue,
        type_: IntegerType,
        text: str,
        updates: dict[str, Update],
    ) -> None:
        self.pointers.require_writable(bases)
        for base in bases:
            written = self.as_kept(base.place, type_, value)
            for c in self.constants.of(base.offset):
                name = self.symbols.integer_cell(base.offset, c)
                old = updates[name].formula if name in updates else at(name, "v")
                updates[name] = Update(name, ("v",), IfThenElse(base.formula("v"), written.at(c), old))
        self.context.quiet_step(f"{text} = ...", list(updates.values()))
        self.cells.spoil(bases, type_.size, integer=type_.size)

    def as_kept(self, place: Place, type_: IntegerType, value: IntegerValue) -> IntegerValue:
        """The abstract value of the integer cell at a place after a write of a value of the given type."""
        kept = self.memory.integer_type(place)
        return value.convert(type_, kept) if kept is not None and rereads(type_, kept) else UNKNOWN_INTEGER

    def set_integer(self, variable: Variable, value: IntegerValue) -> list[Update]:
        return [Update(self.symbols.integer(variable, c), (), value.at(c)) for c in self.constants.of(variable)]

    def change_ghosts(self, operation: ChangeGhosts) -> None:
        """New values for ghosts of all objects, from those before; what no cube decides is any of both values."""
        updates = []
        for change in operation.changes:
            true, false = self._one_of(change.true), self._one_of(change.false)
            values = {1: IfThenElse(true, TRUE, IfThenElse(false, FALSE, UNKNOWN))}
            values[0] = IfThenElse(false, TRUE, IfThenElse(true, FALSE, UNKNOWN))
            for c in self.constants.of(change.offset):
                name = self.symbols.integer_cell(change.offset, c)
                updates.append(Update(name, ("v",), values.get(c, FALSE)))
        self.context.step(str(operation), updates)

    def _one_of(self, cubes: Sequence[GhostCube]) -> Formula:
        """One of the cubes holds for an object; a ghost that is not tracked may have any value."""
        tracked = {offset: self.constants.of(offset) for cube in cubes for offset, _ in cube}
        return disj(
            *(
                conj(*(at(self.symbols.integer_cell(o, c), "v") if c in tracked[o] else UNKNOWN for o, c in cube))
                for cube in cubes
            )
        )

    def overwrite(self, bases: Sequence[Base], size: int) -> None:
        """Write unknown bytes."""
        self.pointers.require_writable(bases)
        self.cells.spoil(bases, size, integer=size)
        for base in bases:
            names = [self.symbols.integer_cell(base.offset, c) for c in self.constants.of(base.offset)]
            if names:
                updates = [Update(n, ("v",), IfThenElse(base.formula("v"), UNKNOWN, at(n, "v"))) for n in names]
                self.context.step("spoil integers", updates)


def _is_inexact(lvalue: Expression) -> bool:
    """Whether an lvalue has an unknown value: a bit-field, or an array element with a variable index."""
    return whole_array(lvalue) is not None or (isinstance(lvalue, Field) and lvalue.bit_width is not None)


def stored_value(table: dict[int, Formula]) -> IntegerValue:
    """The abstract value of a variable or cell with these predicates."""
    return IntegerValue(table, neg(disj(*table.values())) if table else TRUE)


def comparison(operator: str, a: IntegerValue, b: IntegerValue, least: int | None, counted: Formula = FALSE) -> Formula:
    """When a comparison holds; where `counted` does, `a` is not less than 0.

    No number is less than the least one of the type: where ``a < b`` holds, for unsigned numbers, `b` is not 0.
    """
    holds = _comparison(operator, a, b, counted)
    if least is None or (a.single is not None and b.single is not None):
        return holds
    if operator in (">", ">="):
        a, b, operator = b, a, MIRRORED[operator]
    one, two = a.table.get(least), b.table.get(least)
    match operator:
        case "<" if two is not None:
            more = conj(one, neg(two)) if one is not None else FALSE
            return disj(conj(holds, neg(two)), more)
        case "<=" if one is not None:
            most = disj(one, neg(two)) if two is not None else TRUE
            return conj(disj(holds, one), most)
    return holds


def least_of(left: Expression, right: Expression) -> int | None:
    """The least number of the type that two numbers have; None if they have different ones."""
    return left.type.minimum if isinstance(left.type, IntegerType) and left.type == right.type else None


def _comparison(operator: str, a: IntegerValue, b: IntegerValue, counted: Formula) -> Formula:
    compare: Callable[[int, int], bool] = COMPARE[operator]
    if b.single is not None:
        k = b.single
        others: Formula = {"==": FALSE, "!=": TRUE}.get(operator, UNKNOWN) if k in a.table else UNKNOWN
        if others is UNKNOWN and counted is not FALSE and k >= 0 and all(c in a.table for c in range(k + 1)):
            others = IfThenElse(counted, TRUE if operator in (">", ">=", "!=") else FALSE, UNKNOWN)
        return a.truth(lambda c: compare(c, k), others)
    return combine_values(a, b, lambda x, y: int(compare(x, y))).at(1)
