"""To *take* a shape is to walk over it and free its cells, to *give* one is to build any (`programs.py`)."""

from __future__ import annotations

from collections.abc import Callable

from kleene.c.contracts import Shape
from kleene.cfa.expressions import Comparison, Constant, Deref, Expression, Field, Variable
from kleene.cfa.graph import Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Call,
    Free,
    Havoc,
    Return,
    Skip,
)
from kleene.cfa.types import (
    INT,
    UNSIGNED_LONG_LONG,
    PointerType,
    RecordField,
    VoidType,
)
from kleene.passes.calls.inline import convert_value
from kleene.semantics.contracts.parts import PartsBuilder, not_null


class ShapesBuilder(PartsBuilder):
    """Builds an automaton of takes and gives."""

    def _member(self, pointer: Variable, shape: Shape, name: str) -> Field:
        member = next(f for f in self.program.records[shape.cell.name].fields if f.name == name)
        return _access(pointer, shape, member)

    def _fill(self, cell: Variable, shape: Shape) -> None:
        """Any data; this also makes sure that the cell is as large as it should be."""
        for member in self.program.records[shape.cell.name].fields:
            if member.name not in shape.links:
                value = self._fresh("$data", member.type)
                self._emit(Havoc(self.place, value))
                self._emit(Assign(self.place, _access(cell, shape, member), value))

    def _set(self, cell: Variable, shape: Shape, link: int, value: Expression) -> None:
        if link < len(shape.links):
            target = self._member(cell, shape, shape.links[link])
            self._emit(Assign(self.place, target, convert_value(value, target)))

    def _next(self, cell: Variable, shape: Shape, link: int = 0) -> Variable:
        following = self._fresh("$next", cell.type)
        self._emit(Assign(self.place, following, self._member(cell, shape, shape.links[link])))
        return following

    def _points_back(self, cell: Variable, shape: Shape, before: Expression) -> None:
        """The cell, if there is one, points back to the one before it."""
        if shape.word == "dlist":
            join = self._location()
            yes, no = self._branch(not_null(cell))
            self.edges.append(Edge(no, Skip(self.place), join))
            self.here = yes
            back = self._fresh("$prev", cell.type)
            self._emit(Assign(self.place, back, self._member(cell, shape, shape.links[1])))
            self._check(Comparison("==", back, before), f"{shape}: {shape.links[1]} points to the cell before")
            self._emit_to(Skip(self.place), join)

    def _give(self, shape: Shape, around: Variable | None = None) -> Variable:
        """A list of any length, or any tree: cells are added in front, or where a link is NULL.

        A ring is a list whose last cell leads to the first, or to the cell that stays (`around`).
        """
        pointer = PointerType(shape.cell, self.program.pointer_size)
        first = self._fresh("$first", pointer)
        cell = self._fresh("$cell", pointer)
        at = self._fresh("$at", pointer) if shape.word in ("tree", "ring") else first
        self._emit(Assign(self.place, first, Constant(0, pointer)))
        head = self.here
        yes, no = self._branch(self._choice())
        self.here = yes
        size = Constant(shape.cell.size, UNSIGNED_LONG_LONG)
        self._emit(Allocate(self.place, cell, size, shape.cell, may_fail=False))
        self._fill(cell, shape)
        if shape.word == "tree":
            self._hang(shape, first, cell, at, head)
        else:
            if shape.word == "ring":
                self._if_null(first, lambda: self._emit(Assign(self.place, at, cell)))
            self._set(cell, shape, 0, first)
            self._set(cell, shape, 1, Constant(0, pointer))
            self._link_back(first, shape, cell)
            self._emit(Assign(self.place, first, cell))
            self._emit_to(Skip(self.place), head)
        self.here = no
        if shape.word == "ring":
            self._close(shape, first, at, around)
        return first

    def _close(self, shape: Shape, first: Variable, last: Variable, around: Variable | None) -> None:
        """The last cell leads back to the first, or to the cell that stays."""
        if around is None:
            self._if_null(first, lambda: None, lambda: self._set(last, shape, 0, first))
            return
        self._if_null(first, lambda: self._emit(Assign(self.place, first, around)),
                      lambda: self._set(last, shape, 0, around))  # fmt: skip

    def _if_null(
        self, pointer: Variable, then: Callable[[], None], otherwise: Callable[[], None] | None = None
    ) -> None:
        """Add a branch with operations for a NULL pointer and for another one."""
        join = self._location()
        for place, do in zip(self._branch(not_null(pointer)), (otherwise, then), strict=True):
            self.here = place
            if do is not None:
                do()
            self._emit_to(Skip(self.place), join)

    def _hang(self, shape: Shape, root: Variable, leaf: Variable, at: Variable, done: str) -> None:
        """Make a cell a leaf of a tree, anywhere."""
        null = Constant(0, leaf.type)
        self._set(leaf, shape, 0, null)
        self._set(leaf, shape, 1, null)
        some, none = self._branch(not_null(root))
        self.here = none
        self._emit(Assign(self.place, root, leaf))
        self._emit_to(Skip(self.place), done)
        self.here = some
        self._emit(Assign(self.place, at, root))
        walk_on = self.here
        sides = self._branch(self._choice())
        for link, side in enumerate(sides):
            self.here = side
            child = self._next(at, shape, link)
            there, free = self._branch(not_null(child))
            self.here = there
            self._emit(Assign(self.place, at, child))
            self._emit_to(Skip(self.place), walk_on)
            self.here = free
            self._set(at, shape, link, leaf)
            self._emit_to(Skip(self.place), done)

    def _choice(self) -> Expression:
        """A condition that may hold or not."""
        choice = self._fresh("$choice", INT)
        self._emit(Havoc(self.place, choice))
        return Comparison("!=", choice, Constant(0, INT))

    def _taker(self, shape: Shape) -> str:
        """The function that takes a tree: a cell is freed before its links are followed, so that none is met twice."""
        name = f"{self.name}$take.{shape.cell.name}.{'.'.join(shape.links)}"
        if name not in self.helpers:
            taker = ShapesBuilder(self.program, self.contract, self.place, name, self.role)
            cell = Variable("$cell", PointerType(shape.cell, self.program.pointer_size))
            some, none = taker._branch(not_null(cell))
            taker.edges.append(Edge(none, Return(taker.place, None), taker.exit))
            taker.here = some
            taker._fill(cell, shape)
            parts = [taker._next(cell, shape, 0), taker._next(cell, shape, 1)]
            taker._emit(Free(taker.place, cell))
            for part in parts:
                taker._emit(Call(taker.place, name, (part,)))
            taker._emit_to(Return(taker.place, None), taker.exit)
            self.helpers[name] = taker._build((cell,), VoidType())
        return name

    def _link_back(self, cell: Variable, shape: Shape, before: Variable) -> None:
        """The cell, if there is one, gets a pointer back."""
        if shape.word == "dlist":
            join = self._location()
            yes, no = self._branch(not_null(cell))
            self.edges.append(Edge(no, Skip(self.place), join))
            self.here = yes
            self._set(cell, shape, 1, before)
            self._emit_to(Skip(self.place), join)

    def _take(self, shape: Shape, first: Variable) -> None:
        """Walk over a list or a tree and free it."""
        if shape.word == "tree":
            self._emit(Call(self.place, self._taker(shape), (first,)))
            return
        if shape.word == "ring":
            self._if_null(first, lambda: None, lambda: self._take_ring(shape, first, whole=True))
            return
        cell = self._fresh("$taken", first.type)
        self._emit(Assign(self.place, cell, first))
        if first == self.values[shape.subject]:
            self._points_back(cell, shape, Constant(0, first.type))
        head = self.here
        yes, no = self._branch(not_null(cell))
        self.here = yes
        self._fill(cell, shape)
        following = self._next(cell, shape)
        self._points_back(following, shape, cell)
        self._emit(Free(self.place, cell))
        self._emit(Assign(self.place, cell, following))
        self._emit_to(Skip(self.place), head)
        self.here = no

    def _take_ring(self, shape: Shape, first: Variable, *, whole: bool) -> None:
        """Walk around a ring and free its cells, the first one last; it is an error if the walk does not return."""
        cell = self._next(first, shape)
        head = self.here
        yes, no = self._branch(Comparison("!=", cell, first))
        self.here = yes
        self._fill(cell, shape)
        following = self._next(cell, shape)
        self._emit(Free(self.place, cell))
        self._emit(Assign(self.place, cell, following))
        self._emit_to(Skip(self.place), head)
        self.here = no
        if whole:
            self._fill(first, shape)
            self._emit(Free(self.place, first))


def _access(pointer: Variable, shape: Shape, member: RecordField) -> Field:
    record = Deref(pointer, shape.cell)
    return Field(record, member.name, member.type, member.offset, member.bit_offset, member.bit_width)
