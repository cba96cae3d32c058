"""Addresses that no object has, such as ``(void *)-1``: what pointers are compared with becomes an object of its own.

A pointer that is such a number differs from NULL, from all pointers to objects, and from other numbers. An object
without bytes has these properties: every access to it is out of bounds, and it cannot be freed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from kleene.cfa.expressions import (
    AddressOf,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    PointerOffset,
    Variable,
    walk,
    without_casts,
)
from kleene.cfa.operations import Assign, Operation, address_taken, expressions
from kleene.cfa.program import CProgram, Global
from kleene.cfa.types import ArrayType, FunctionType, IntegerType, PointerType, RecordLayout, RecordType
from kleene.passes.facts.memory import constant_of
from kleene.passes.rewrite import operations_of, rewrite_program

_PREFIX, _MEMORY = "(void *)", "*"
_PAGE = 4096
"""Bytes: systems map neither the first page of addresses, so that null pointers trap, nor the last one, which holds
error numbers."""
_USED_BITS = 48
"""The bits of an address of 64 bits that processors translate; the others are copies of the highest one."""
_MOST_ADDRESSES = 4
"""Each is a node in all structures; programs that test for more numbers use them as data."""


def fixed_address(lvalue: Expression) -> int | None:
    """The number that an object of this pass stands for; None for other lvalues."""
    is_one = isinstance(lvalue, Variable) and isinstance(lvalue.type, RecordType) and lvalue.name.startswith(_PREFIX)
    return int(lvalue.name.removeprefix(_PREFIX)) if is_one and isinstance(lvalue, Variable) else None


def with_fixed_addresses(program: CProgram) -> CProgram:
    """The program with an object for each address that pointers are compared with and no object can have."""
    numbers = dict.fromkeys(_compared(program))
    if not numbers or len(numbers) > _MOST_ADDRESSES:
        return program
    objects = {n: object_of(n) for n in numbers}

    def change(node: Expression) -> Expression:
        if isinstance(node, Cast) and isinstance(node.type, IntegerType):
            target = without_casts(node.operand)
            inner = fixed_address(target.target) if isinstance(target, AddressOf) else None
            return node if inner is None else Constant(node.type.wrap(inner), node.type)
        number = _number_of(node, program)
        if number is None or number not in objects:
            return node
        return Cast(AddressOf(objects[number], PointerType(objects[number].type, program.pointer_size)), node.type)

    changed = rewrite_program(program, change)
    made = tuple(Global(variable, constant=True) for variable in objects.values())
    layouts = {v.name: RecordLayout(RecordType(v.name), (), alignment=n & -n) for n, v in objects.items()}
    changed = replace(changed, globals=(*made, *changed.globals), records=changed.records | layouts)
    return changed if _are_apart(changed, list(numbers)) else program


def _compared(program: CProgram) -> Iterator[int]:
    """The numbers, none an address of an object, that pointers are compared with."""
    nodes = (n for o in operations_of(program) for x in expressions(o) for n in walk(x))
    for comparison in nodes:
        if isinstance(comparison, Comparison) and comparison.operator in ("==", "!="):
            for side in (comparison.left, comparison.right):
                number = _number_of(side, program)
                if number is not None and is_no_address(number, program.pointer_size):
                    yield number


def _number_of(value: Expression, program: CProgram) -> int | None:
    """The number other than 0 that a constant pointer to an object is, with a sign."""
    if not isinstance(value.type, PointerType) or isinstance(value.type.target, FunctionType):
        return None
    number = constant_of(value)
    return signed_address(number, program.pointer_size) or None if number is not None else None


def signed_address(number: int, pointer_size: int) -> int:
    """The number by which an address has its object."""
    return IntegerType(8 * pointer_size, signed=True, name="long").wrap(number)


def is_no_address(number: int, pointer_size: int) -> bool:
    """Whether no object of a program can be at an address."""
    number = signed_address(number, pointer_size)
    outside = pointer_size == 8 and not -(1 << (_USED_BITS - 1)) <= number < 1 << (_USED_BITS - 1)
    return number != 0 and (-_PAGE < number < _PAGE or outside)


def object_of(number: int) -> Variable:
    """The object that stands for a number."""
    name = f"{_PREFIX}{number}"
    return Variable(name, RecordType(name), is_global=True)


def _are_apart(program: CProgram, numbers: list[int]) -> bool:
    """Whether pointers that are moved from the addresses, such as to a member, stay different and no address."""
    shifts = _Moves(program).shifts
    if shifts is None:
        return False
    moved = [n + shift for n, shift in product(numbers, shifts)]
    return len(set(moved)) == len(moved) and all(is_no_address(n, program.pointer_size) for n in moved)


class _Moves:
    """By how many bytes pointers with such an address are moved, without regard to control flow.

    Memory is one holder of pointers, each variable whose address is not taken one of its own. `shifts` is None where
    a pointer may be moved twice, or by an unknown distance.
    """

    def __init__(self, program: CProgram) -> None:
        operations = operations_of(program)
        self._taken = address_taken(operations)
        self._apart = len(program.functions) > 1  # calls pass pointers on: any variable may have any of them
        self._holders: set[str] = set()
        self._moved: set[str] = set()
        self.shifts: set[int] | None = {0}
        before = -1
        while self.shifts is not None and before != len(self._holders) + len(self._moved) + len(self.shifts):
            before = len(self._holders) + len(self._moved) + len(self.shifts)
            for operation in operations:
                self._follow(operation)

    def _follow(self, operation: Operation) -> None:
        values = [operation.value] if isinstance(operation, Assign) else list(expressions(operation))
        found = [self._found(v) for v in values if isinstance(v.type, PointerType | RecordType | ArrayType)]
        target = getattr(operation, "target", None)
        holder = self._holder(target) if target is not None else _MEMORY
        if any(is_held for is_held, _ in found):
            self._holders.add(holder)
        if any(is_moved for _, is_moved in found):
            self._moved.add(holder)
        for expression in expressions(operation):
            for node in walk(expression):
                if isinstance(node, PointerOffset | AddressOf):
                    self._found(node)

    def _holder(self, lvalue: Expression) -> str:
        is_alone = isinstance(lvalue, Variable) and lvalue not in self._taken and isinstance(lvalue.type, PointerType)
        return lvalue.name if is_alone and isinstance(lvalue, Variable) else _MEMORY

    def _found(self, value: Expression) -> tuple[bool, bool]:
        """Whether a pointer may be one of the addresses, and whether it may be one that was moved."""
        match value:
            case Cast(operand=operand):
                return self._found(operand)
            case AddressOf(target=Variable() as variable):
                return fixed_address(variable) is not None, False
            case AddressOf(target=target):
                return self._after(*_origin(target))
            case PointerOffset(pointer=pointer, index=index, scale=scale):
                distance = constant_of(index)
                return self._after(pointer, None if distance is None else distance * scale)
            case Variable() | Field() | Deref() | Index():
                if self._apart:
                    return True, self.shifts != {0}
                holder = self._holder(value)
                return holder in self._holders, holder in self._moved
        return False, False

    def _after(self, pointer: Expression | None, distance: int | None) -> tuple[bool, bool]:
        """The same for a pointer that is moved."""
        held, moved = self._found(pointer) if pointer is not None else (False, False)
        if not held and not moved:
            return False, False
        if distance == 0:
            return held, moved
        if moved or distance is None:
            self.shifts = None
        elif self.shifts is not None:
            self.shifts.add(distance)
        return False, True


def _origin(lvalue: Expression) -> tuple[Expression | None, int | None]:
    """The pointer from which the address of an lvalue is computed, and how far it is from there."""
    match lvalue:
        case Deref(pointer=pointer):
            return pointer, 0
        case Field(base=base, offset=offset):
            start, distance = _origin(base)
            return start, None if distance is None else distance + offset
        case Index(base=base, index=index):
            start, distance = _origin(base)
            place = constant_of(index)
            return start, None if place is None or distance is None else distance + place * lvalue.type.size
    return None, 0
