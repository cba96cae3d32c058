"""Bit-fields of structs behind pointers, as bits of the byte in which they are.

``h->dup`` is ``(byte & 2) != 0``, and ``h->dup = 1`` is ``byte |= 2``, where `byte` is a member of one byte at the same
place. So the analyses, which follow whole numbers, know which bits are set. A bit-field that has a sign or that is in
two bytes stays, and so does a struct that is a variable: its members become variables of their own (`scalars`).
"""

from __future__ import annotations

from dataclasses import replace

from kleene.cfa.expressions import Binary, Cast, Comparison, Constant, Deref, Expression, Field, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Operation, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import INT, ArrayType, IntegerType, RecordType, Type
from kleene.passes.facts.memory import constant_of
from kleene.passes.rewrite import operations_of, rewrite, rewrite_operation

BYTE_BITS = 8
BYTE = IntegerType(BYTE_BITS, signed=False, name="unsigned char")


def with_bits_of_bytes(program: CProgram) -> CProgram:
    """The program with bytes in the place of bit-fields that pointers lead to."""
    nodes = (n for o in operations_of(program) for x in expressions(o) for n in walk(x))
    if not any(isinstance(n, Field) and n.bit_width is not None for n in nodes):
        return program
    bits = _Bits(program)
    functions = {}
    for name, function in program.functions.items():
        edges = tuple(Edge(e.source, bits.operation(e.label), e.target) for e in function.cfa.edges)
        functions[name] = replace(function, cfa=Cfa(function.cfa.entry, edges))
    return replace(program, functions=functions)


class _Bits:
    """Rewrites operations."""

    def __init__(self, program: CProgram) -> None:
        self.program = program
        variables = [g.variable for g in program.globals]
        for function in program.functions.values():
            variables += [*function.parameters, *function.locals]
        self._in_variables: set[str] = set()
        for variable in variables:
            self._add(variable.type)

    def _add(self, type_: Type) -> None:
        """The structs in a type, that type included."""
        if isinstance(type_, ArrayType):
            self._add(type_.element)
        if isinstance(type_, RecordType) and type_.name not in self._in_variables:
            self._in_variables.add(type_.name)
            layout = self.program.records.get(type_.name)
            for member in layout.fields if layout is not None else ():
                self._add(member.type)

    def operation(self, operation: Operation) -> Operation:
        if isinstance(operation, Assign) and self._has_byte(operation.target):
            target = operation.target
            assert isinstance(target, Field)
            target = replace(target, base=rewrite(target.base, self._read))
            return self._write(operation, target, rewrite(operation.value, self._read))
        return rewrite_operation(operation, self._read)

    def _has_byte(self, node: Expression) -> bool:
        if not isinstance(node, Field) or node.bit_width is None or not isinstance(node.type, IntegerType):
            return False
        base: Expression = node.base
        while isinstance(base, Field):
            base = base.base
        in_one = node.bit_offset % BYTE_BITS + node.bit_width <= BYTE_BITS
        is_struct = isinstance(node.base.type, RecordType) and node.base.type.name not in self._in_variables
        return isinstance(base, Deref) and in_one and is_struct and not node.type.signed

    def _read(self, node: Expression) -> Expression:
        if not self._has_byte(node):
            return node
        assert isinstance(node, Field)
        byte, shift, mask = _place(node)
        bits = Binary("&", Cast(byte, INT), Constant(mask << shift, INT), INT)
        if mask == 1:
            return Cast(Comparison("!=", bits, Constant(0, INT)), node.type)
        return Cast(Binary(">>", bits, Constant(shift, INT), INT) if shift else bits, node.type)

    def _write(self, operation: Assign, target: Field, value: Expression) -> Assign:
        byte, shift, mask = _place(target)
        cleared: Expression = Binary("&", Cast(byte, INT), Constant((1 << BYTE_BITS) - 1 - (mask << shift), INT), INT)
        number = constant_of(value)
        if number is None:
            set_bits: Expression = Binary("&", Cast(value, INT), Constant(mask, INT), INT)
            set_bits = Binary("<<", set_bits, Constant(shift, INT), INT) if shift else set_bits
        else:
            set_bits = Constant((number & mask) << shift, INT)
        if number is not None and number & mask == mask:
            cleared = Cast(byte, INT)
        new = cleared if number is not None and not number & mask else Binary("|", cleared, set_bits, INT)
        return replace(operation, target=byte, value=Cast(new, BYTE))


def _place(field: Field) -> tuple[Field, int, int]:
    """The byte of a bit-field, the number of its first bit in it, and as many bits from the first one as it has."""
    assert field.bit_width is not None
    offset = field.offset + field.bit_offset // BYTE_BITS
    byte = Field(field.base, field.name, BYTE, offset)
    return byte, field.bit_offset % BYTE_BITS, (1 << field.bit_width) - 1
