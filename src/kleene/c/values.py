"""Lowering of expressions to values and objects."""

from __future__ import annotations

from typing import Any

from kleene.c.clang import binary_operator, evaluate, kind, selected, string_units, string_value, unary_operator
from kleene.c.control.labels import ADDRESS, is_label, label_address
from kleene.c.declarations.initializers import global_with
from kleene.c.declarations.opaque import spelling_of
from kleene.c.library.outside import NOT_MODELLED
from kleene.c.library.variadic import is_read, read_argument
from kleene.c.lowering import LoweringContext, UnsupportedConstruct, strip_parentheses
from kleene.c.type_reader import is_constant, is_variable_array, is_variable_size, is_void
from kleene.cfa.expressions import (
    AddressOf,
    Binary,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    FloatConstant,
    FunctionAddress,
    Index,
    PointerDifference,
    PointerOffset,
    StringLiteral,
    Unary,
    Variable,
    target_of,
)
from kleene.cfa.operations import Assign
from kleene.cfa.program import Global
from kleene.cfa.types import (
    ArrayType,
    FloatType,
    FunctionType,
    IntegerType,
    PointerType,
    RecordType,
    Type,
    may_be_one,
)

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_CONSTANT_KINDS = ("INTEGER_LITERAL", "CHARACTER_LITERAL", "CXX_UNARY_EXPR", "CXX_BOOL_LITERAL_EXPR")
_RVALUES = (*_CONSTANT_KINDS, "FLOATING_LITERAL", "CSTYLE_CAST_EXPR", "UNARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR")
_BRANCHING = ("&&", "||")


class Values:
    """Values and objects; assignments and calls are in other parts."""

    def __init__(self, lower: LoweringContext) -> None:
        self.lower = lower

    def value(self, cursor: Any) -> Expression:
        """The value of an expression; its side effects are emitted before."""
        name = kind(cursor)
        if name in _CONSTANT_KINDS:
            return self._constant(cursor)
        if name == "FLOATING_LITERAL":
            return self._constant(cursor)
        if name == "PAREN_EXPR":
            return self.value(strip_parentheses(cursor))
        if name == "UNEXPOSED_EXPR":
            return self._unexposed_value(cursor)
        if name == "UNARY_OPERATOR":
            return self._unary(cursor)
        if name == "BINARY_OPERATOR":
            return self._binary(cursor)
        if name == "CSTYLE_CAST_EXPR":
            return self.convert(list(cursor.get_children())[-1], self.lower.type(cursor), cursor)
        if name == "CALL_EXPR":
            result = self.lower.calls.call(cursor, None, self.lower.type(cursor))
            return result if result is not None else Constant(0, self.lower.type(cursor))
        if name == "CONDITIONAL_OPERATOR":
            return self._conditional(cursor)
        if name == "COMPOUND_ASSIGNMENT_OPERATOR":
            return self.lower.effects.compound_assignment(cursor, wanted=True)
        if name == "StmtExpr":
            return self.lower.statements.statement_expression(cursor, wanted=True) or Constant(
                0, self.lower.type(cursor)
            )
        if name == "GENERIC_SELECTION_EXPR" and evaluate(cursor) is not None:
            return self._constant(cursor)
        if name == ADDRESS:
            return label_address(self.lower, cursor, self.lower.type(cursor))
        return self.lvalue(cursor)

    def lvalue(self, cursor: Any) -> Expression:
        """The object that an expression designates."""
        name = kind(cursor)
        if name == "PAREN_EXPR":
            return self.lvalue(strip_parentheses(cursor))
        if name == "DECL_REF_EXPR":
            return self._reference(cursor)
        if name == "MEMBER_REF_EXPR":
            return self._member(cursor)
        if name == "ARRAY_SUBSCRIPT_EXPR":
            return self._subscript(cursor)
        if name == "UNARY_OPERATOR" and unary_operator(cursor) == "*":
            return self._dereference(cursor)
        if name == "STRING_LITERAL":
            return self._string(cursor)
        if name == "COMPOUND_LITERAL_EXPR":
            return self._compound_literal(cursor)
        if name == "GENERIC_SELECTION_EXPR":
            inner = self._generic(cursor)
            return self.value(inner) if kind(inner) in _RVALUES else self.lvalue(inner)
        if name in ("CALL_EXPR", "StmtExpr", "UNEXPOSED_EXPR", "CONDITIONAL_OPERATOR", "BINARY_OPERATOR"):
            return self.value(cursor)
        if name == "UNARY_OPERATOR" and unary_operator(cursor) == "extension":
            return self.lvalue(next(iter(cursor.get_children())))
        raise UnsupportedConstruct(f"expression {name.lower().replace('_', ' ')}", cursor)

    def _constant(self, cursor: Any) -> Expression:
        value = evaluate(cursor)
        type_ = self.lower.type(cursor)
        if isinstance(value, float):
            return FloatConstant(value, type_)
        if value is None and kind(cursor) == "CXX_UNARY_EXPR":
            size = self.lower.arrays.size(cursor)
            if size is not None:
                return size
        if value is None:
            what = "sizeof of an array of variable length" if kind(cursor) == "CXX_UNARY_EXPR" else "expression"
            raise UnsupportedConstruct(f"{what} without a constant value", cursor)
        return Constant(type_.wrap(value) if isinstance(type_, IntegerType) else value, type_)

    def _string(self, cursor: Any) -> Expression:
        type_ = self.lower.type(cursor)
        if not isinstance(type_, ArrayType):
            raise UnsupportedConstruct("string literal", cursor)
        if type_.element.size != 1:
            return self._wide_string(cursor, type_)
        return StringLiteral(string_value(cursor), ArrayType(type_.element, len(string_value(cursor))))

    def _wide_string(self, cursor: Any, type_: ArrayType) -> Expression:
        """A literal of wide characters: a constant array without a name."""
        unit, units = self.lower.unit, string_units(cursor, type_.element.size)
        if len(units) != type_.count:
            raise UnsupportedConstruct("wide string literal", cursor)
        variable = Variable(str(cursor.spelling), type_, is_global=True)
        place, number = self.lower.place(cursor), self.difference_type()
        elements = (Index(variable, Constant(i, number), type_.element) for i in range(len(units)))
        initial = tuple(
            Assign(place, element, Constant(value, element.type))
            for element, value in zip(elements, units, strict=True)
        )
        unit.linkage.globals[variable.name] = Global(variable, initial, constant=True)
        return variable

    def _generic(self, cursor: Any) -> Any:
        """The expression that `_Generic` selects."""
        inner = selected(cursor)
        if inner is None:
            raise UnsupportedConstruct("a _Generic selection among several expressions of its type", cursor)
        return inner

    def _unexposed_value(self, cursor: Any) -> Expression:
        inner = list(cursor.get_children())
        if len(inner) == 4 and self.lower.type(inner[1]) == self.lower.type(inner[0]):
            return self._binary_conditional(cursor, inner)
        if len(inner) == 1 and is_read(cursor, inner[0]):
            return read_argument(self.lower, cursor, inner[0])
        if len(inner) == 1 and kind(inner[0]) not in ("TYPE_REF", "MEMBER_REF"):
            return self.convert(inner[0], self.lower.type(cursor), cursor)
        return self._constant(cursor)

    def convert(self, inner: Any, type_: Type, cursor: Any) -> Expression:
        """The value of `inner` converted; a call learns the type that its result is wanted in."""
        if is_void(type_):
            self.lower.effects.effect(inner)
            return Constant(0, type_)
        call = strip_parentheses(inner)
        if kind(call) == "CALL_EXPR":
            type_ = self.lower.unit.types.decay(type_)
        if kind(call) == "CALL_EXPR" and isinstance(type_, PointerType):
            result = self.lower.calls.call(call, None, type_)
            return self.lower.convert(result if result is not None else Constant(0, type_), type_, cursor)
        return self.lower.convert(self.value(inner), type_, cursor)

    def _reference(self, cursor: Any) -> Expression:
        declaration = cursor.referenced
        if kind(declaration) == "ENUM_CONSTANT_DECL":
            return Constant(int(declaration.enum_value), self.lower.type(cursor))
        if kind(declaration) == "FUNCTION_DECL":
            return self.function_address(declaration, cursor)
        type_ = self.lower.unit.types.read(declaration.type)
        variable = self.lower.unit.variable(declaration, type_)
        if variable.is_global and not may_be_one(type_, variable.type, self.lower.unit.types.records):
            raise UnsupportedConstruct(f"'{variable.name}' is {type_} here and {variable.type} elsewhere", cursor)
        known = self.lower.unit.linkage.globals.get(variable.name) if variable.is_global else None
        if known is not None and known.external:
            self.lower.must_be_there(variable.name, declaration, cursor)
        return variable

    def function_address(self, declaration: Any, cursor: Any) -> Expression:
        name = self.lower.unit.name_of(declaration)
        if name not in self.lower.unit.linkage.defined_functions:
            if name in NOT_MODELLED:
                raise UnsupportedConstruct(f"the address of {name}: {NOT_MODELLED[name]}", cursor)
            self.lower.must_be_there(name, declaration, cursor)
            self.lower.unit.needs(name, declaration)
        return FunctionAddress(name, self.lower.pointer_to(self.lower.unit.types.read(declaration.type)))

    def _member(self, cursor: Any) -> Expression:
        base = next(iter(cursor.get_children()), None)
        while base is not None and kind(base) == "MEMBER_REF_EXPR" and "(" in base.spelling:
            base = next(iter(base.get_children()), None)
        if base is None:
            raise UnsupportedConstruct("member of an implicit object", cursor)
        whole = self.value(base)
        if isinstance(whole.type, PointerType | ArrayType):
            whole = self._target_of(whole, cursor)
        return self.field(whole, cursor.spelling, cursor)

    def field(self, whole: Expression, name: str, cursor: Any) -> Expression:
        """The member `name` of a record, through anonymous members."""
        record = whole.type
        layout = self.lower.unit.types.records.get(record.name) if isinstance(record, RecordType) else None
        path = layout.path_to(name, self.lower.unit.types.records) if layout else ()
        if not path:
            raise UnsupportedConstruct(f"member {name} of {record}", cursor)
        for member in path:
            whole = Field(whole, member.name, member.type, member.offset, member.bit_offset, member.bit_width)
        return whole

    def _subscript(self, cursor: Any) -> Expression:
        first, second = cursor.get_children()
        base, index = self.value(first), self.value(second)
        if isinstance(index.type, PointerType | ArrayType):
            base, index = index, base
        if isinstance(base.type, ArrayType):
            return Index(base, index, base.type.element)
        if isinstance(base, AddressOf) and isinstance(base.target.type, ArrayType):
            array = base.target.type
            if base.type == self.lower.pointer_to(array.element):
                return Index(base.target, index, array.element)
        if not isinstance(base.type, PointerType):
            raise UnsupportedConstruct(f"subscript of {base.type}", cursor)
        if is_variable_array(cursor.type):
            return self.lower.arrays.element(self.offset(base, index, cursor), cursor)
        return Deref(self.offset(base, index, cursor), base.type.target)

    def _dereference(self, cursor: Any) -> Expression:
        pointer = self.value(next(iter(cursor.get_children())))
        if is_variable_array(cursor.type):
            return self.lower.arrays.element(pointer, cursor)
        return self._target_of(pointer, cursor)

    def _target_of(self, pointer: Expression, cursor: Any) -> Expression:
        """`*pointer`; for an array, its first element."""
        if isinstance(pointer.type, ArrayType):
            return Index(pointer, Constant(0, self.difference_type()), pointer.type.element)
        if not isinstance(pointer.type, PointerType):
            raise UnsupportedConstruct(f"dereference of {pointer.type}", cursor)
        if isinstance(pointer.type.target, FunctionType):
            return pointer
        return target_of(pointer, pointer.type.target)

    def _compound_literal(self, cursor: Any) -> Expression:
        type_ = self.lower.type(cursor)
        place = self.lower.place(cursor)
        start = list(cursor.get_children())[-1]
        if self.lower.at_file_scope:
            return self._global_literal(type_, start, constant=is_constant(cursor.type))
        variable = self.lower.builder.declare("$literal", type_, place)
        self.lower.initializers.initialize(variable, start)
        return variable

    def _global_literal(self, type_: Type, start: Any, *, constant: bool) -> Expression:
        """A compound literal outside of functions is an object without a name (C17, 6.5.2.5, 5)."""
        unit = self.lower.unit
        name = f"$literal {len(unit.linkage.globals)}"
        variable = Variable(name, type_, is_global=True)
        unit.linkage.globals[name] = Global(variable)
        unit.linkage.globals[name] = global_with(self.lower.sibling(name), variable, start, constant=constant)
        return variable

    def _unary(self, cursor: Any) -> Expression:
        operator = unary_operator(cursor)
        inner = next(iter(cursor.get_children()))
        if operator == "*":
            return self._dereference(cursor)
        if operator == "&":
            return self._address_of(inner, cursor)
        if operator in ("++", "--", "p++", "p--"):
            return self.lower.effects.increment(cursor, operator, wanted=True)
        if operator == "!":
            return self.lower.effects.truth_value(cursor)
        type_ = self.lower.type(cursor)
        if operator in ("+", "extension"):
            return self.lower.convert(self.value(inner), type_, cursor)
        if operator in ("-", "~"):
            return self.negate(operator, self.lower.convert(self.value(inner), type_, cursor))
        raise UnsupportedConstruct(f"operator {operator}", cursor)

    @staticmethod
    def negate(operator: str, value: Expression) -> Expression:
        type_ = value.type
        if isinstance(value, Constant) and isinstance(type_, IntegerType):
            return Constant(type_.wrap(-value.value if operator == "-" else ~value.value), type_)
        if isinstance(value, FloatConstant):
            return FloatConstant(-value.value, type_)
        return Unary(operator, value, type_)

    def _address_of(self, inner: Any, cursor: Any) -> Expression:
        type_ = self.lower.type(cursor)
        target = self.lvalue(inner)
        if is_variable_array(inner.type) and not _is_parameter(inner):  # the value is a pointer to its first element
            return self.lower.convert(target, type_, cursor)
        if isinstance(target, FunctionAddress):
            return FunctionAddress(target.name, type_)
        if isinstance(target, Deref):
            return self.lower.convert(target.pointer, type_, cursor)
        if isinstance(target.type, PointerType) and isinstance(target.type.target, FunctionType):
            return target if type_ == target.type else AddressOf(target, type_)
        return AddressOf(target, type_)

    def _binary(self, cursor: Any) -> Expression:
        operator = binary_operator(cursor)
        if operator == "=":
            return self.lower.effects.assignment(cursor, wanted=True)
        if operator in _BRANCHING:
            return self.lower.effects.truth_value(cursor)
        first, second = cursor.get_children()
        if operator == ",":
            self.lower.effects.effect(first)
            return self.value(second)
        left, right = self.value(first), self.value(second)
        return self.binary(operator, left, right, self.lower.type(cursor), cursor)

    def binary(self, operator: str, left: Expression, right: Expression, type_: Type, cursor: Any) -> Expression:
        """An operator applied to values: pointer arithmetic or arithmetic of numbers."""
        left, right = self._decay(left), self._decay(right)
        if operator in COMPARISONS:
            return Comparison(operator, left, right)
        if isinstance(left.type, PointerType) and isinstance(right.type, PointerType) and operator == "-":
            if is_variable_size(left.type.target):
                raise UnsupportedConstruct("the difference of pointers to arrays of variable length", cursor)
            if is_label(left) or is_label(right):
                raise UnsupportedConstruct("the difference of addresses of labels", cursor)
            scale = max(left.type.target.size, 1)
            return PointerDifference(left, right, scale, type_)
        if isinstance(left.type, PointerType) and operator in "+-":
            if operator == "-":
                right = self.negate("-", self.lower.convert(right, self.difference_type(), cursor))
            return self.offset(left, right, cursor)
        if isinstance(right.type, PointerType) and operator == "+":
            return self.offset(right, left, cursor)
        if not isinstance(type_, IntegerType | FloatType):
            raise UnsupportedConstruct(f"operator {operator} on {spelling_of(left.type)}", cursor)
        left = self.lower.convert(left, type_, cursor)
        if operator not in ("<<", ">>"):
            right = self.lower.convert(right, type_, cursor)
        match operator, left, right:
            case "/", Constant(value=size), Constant(value=part) if size >= 0 < part and isinstance(type_, IntegerType):
                return Constant(size // part, type_)  # ``sizeof a / sizeof *a``
        return Binary(operator, left, right, type_)

    def _decay(self, value: Expression) -> Expression:
        if isinstance(value.type, ArrayType):
            return AddressOf(value, self.lower.pointer_to(value.type.element))
        return value

    def size_type(self) -> IntegerType:
        size = self.lower.unit.types.pointer_size
        return IntegerType(size * 8, signed=False, name="unsigned int" if size == 4 else "unsigned long")

    def difference_type(self) -> IntegerType:
        size = self.lower.unit.types.pointer_size
        return IntegerType(size * 8, signed=True, name="int" if size == 4 else "long")

    def offset(self, pointer: Expression, index: Expression, cursor: Any) -> Expression:
        """pointer + index; adding a constant zero changes nothing, and one that is too large goes backwards.

        ``-offsetof(struct item, link) + (void *) p`` is such a sum: addresses are numbers modulo the width of pointers.
        """
        if isinstance(index, Constant):
            if index.value == 0:
                return pointer
            if index.value > self.difference_type().maximum:
                index = Constant(self.difference_type().wrap(index.value), self.difference_type())
        assert isinstance(pointer.type, PointerType)
        target = pointer.type.target
        if isinstance(target, RecordType) and not target.complete:
            raise UnsupportedConstruct(f"arithmetic on pointers to the incomplete {target}", cursor)
        if is_variable_size(target):
            return self.lower.arrays.offset(pointer, index, cursor)
        return PointerOffset(pointer, index, target.size, pointer.type)

    def _conditional(self, cursor: Any) -> Expression:
        condition, yes, no = cursor.get_children()
        return self._choose(cursor, lambda a, b: self.lower.effects.condition(condition, a, b), yes, no)

    def _binary_conditional(self, cursor: Any, inner: list[Any]) -> Expression:
        first = self.lower.as_temporary(cursor, self.value(inner[0]))
        type_ = self.lower.type(cursor)
        result = self.lower.builder.temporary(type_)
        zero = Constant(0, first.type)
        yes, no, end = self.lower.builder.new(), self.lower.builder.new(), self.lower.builder.new()
        self.lower.effects.branch_on(cursor, Comparison("!=", first, zero), yes, no)
        self.lower.builder.here = yes
        self.lower.assign(cursor, result, first)
        self.lower.builder.connect(self.lower.builder.here, end, self.lower.place(cursor))
        self.lower.builder.here = no
        self.lower.assign(cursor, result, self.value(inner[-1]))
        self.lower.builder.connect(self.lower.builder.here, end, self.lower.place(cursor))
        self.lower.builder.here = end
        return result

    def _choose(self, cursor: Any, decide: Any, yes_cursor: Any, no_cursor: Any) -> Expression:
        type_ = self.lower.type(cursor)
        yes, no, end = self.lower.builder.new(), self.lower.builder.new(), self.lower.builder.new()
        decide(yes, no)
        result: Variable | None = None if is_void(type_) else self.lower.builder.temporary(type_)
        for start, branch in ((yes, yes_cursor), (no, no_cursor)):
            self.lower.builder.here = start
            if result is None:
                self.lower.effects.effect(branch)
            else:
                self.lower.assign(branch, result, self.value(branch))
            self.lower.builder.connect(self.lower.builder.here, end, self.lower.place(cursor))
        self.lower.builder.here = end
        return result if result is not None else Constant(0, type_)


def _is_parameter(cursor: Any) -> bool:
    inner = strip_parentheses(cursor)
    return kind(inner) == "DECL_REF_EXPR" and kind(inner.referenced) == "PARM_DECL"
