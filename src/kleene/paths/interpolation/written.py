"""Interpolants in C syntax: fields of pointers in place of reads of arrays, NULL for the block 0."""

from __future__ import annotations

from typing import Any

import z3

from kleene.cfa.expressions import NEGATED
from kleene.paths.interpolation.vocabulary import POINTER, Cell, Defined, Vocabulary

_OPERATORS = {
    z3.Z3_OP_EQ: "==",
    z3.Z3_OP_DISTINCT: "!=",
    z3.Z3_OP_LE: "<=",
    z3.Z3_OP_LT: "<",
    z3.Z3_OP_GE: ">=",
    z3.Z3_OP_GT: ">",
    z3.Z3_OP_ADD: "+",
    z3.Z3_OP_SUB: "-",
    z3.Z3_OP_MUL: "*",
}
_JOINS = {z3.Z3_OP_AND: " && ", z3.Z3_OP_OR: " || "}


def formula_text(formula: Any, vocabulary: Vocabulary) -> str:
    """A formula over plain names as a condition in C syntax, with `allocated(p)`, `freed(p)` and `defined(p)`."""
    return _Writer(vocabulary).text(formula)


class _Writer:
    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def text(self, node: Any, *, inner: bool = False) -> str:
        if not z3.is_app(node):
            return str(node)
        kind = node.decl().kind()
        if kind in _JOINS:
            parts = dict.fromkeys(self.text(child, inner=True) for child in node.children())
            joined = _JOINS[kind].join(parts)
            return f"({joined})" if inner and len(parts) > 1 else joined
        if kind == z3.Z3_OP_NOT:
            return self._negation(node.arg(0))
        if kind == z3.Z3_OP_SELECT:
            return self._read(node)
        if kind == z3.Z3_OP_UMINUS:
            return f"-{self.text(node.arg(0), inner=True)}"
        if kind in _OPERATORS and len(node.children()) >= 2:
            return self._operation(node, _OPERATORS[kind], inner=inner)
        return str(node)

    def _operation(self, node: Any, operator: str, *, inner: bool = False) -> str:
        sides = node.children()
        pointers = any(self._is_pointer(side) for side in sides)
        if operator in ("==", "!=") and z3.is_int_value(sides[0]):
            sides = sides[::-1]
        texts = [self._pointer(s) if pointers and z3.is_int_value(s) else self.text(s, inner=True) for s in sides]
        joined = f" {operator} ".join(texts)
        return f"({joined})" if inner and operator in "+-*" else joined

    def _negation(self, node: Any) -> str:
        operator = _OPERATORS.get(node.decl().kind(), "") if z3.is_app(node) else ""
        if operator in NEGATED and len(node.children()) == 2:
            return self._operation(node, NEGATED[operator])
        return f"!{self.text(node, inner=True)}"

    def _read(self, node: Any) -> str:
        """A field of an object, or whether it is allocated, freed, ..."""
        array, block = str(node.arg(0)), node.arg(1)
        key = self.vocabulary.keys.get(array)
        if isinstance(key, Cell):
            return self._cell(block, key)
        if isinstance(key, Defined):
            return f"defined({self._cell(block, key.cell)})"
        return f"{array}({self._pointer(block) if z3.is_int_value(block) else self.text(block, inner=True)})"

    def _cell(self, block: Any, cell: Cell) -> str:
        """A field of an object, or a variable whose address the program takes."""
        place, label = self.text(block, inner=True), self.vocabulary.name(cell)
        known = self.vocabulary.parts.get((place, cell))
        name = self.vocabulary.blocks.get(block.as_long()) if z3.is_int_value(block) else None
        return known or (f"{name}.{label.removeprefix('->')}" if name is not None else f"{place}{label}")

    def _pointer(self, value: Any) -> str:
        """A number that is a pointer: NULL, or the address of a variable."""
        name = self.vocabulary.blocks.get(value.as_long())
        return "NULL" if value.as_long() == 0 else f"&{name}" if name is not None else str(value)

    def _is_pointer(self, node: Any) -> bool:
        name = str(node.arg(0)) if z3.is_select(node) else str(node) if z3.is_const(node) else ""
        key = self.vocabulary.keys.get(name)
        return isinstance(key, Cell) and key.kind == POINTER
