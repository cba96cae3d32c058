"""The accesses of one operation to texts: checked, and replaced by choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kleene.cfa.expressions import (
    AddressOf,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    PointerDifference,
    PointerOffset,
    Variable,
    map_variables,
)
from kleene.cfa.operations import CHOICE, Assign, Error, Havoc, Place
from kleene.cfa.types import CHAR, INT, ArrayType, IntegerType, PointerType, Type
from kleene.passes.elements.chains import Chains
from kleene.passes.elements.text.blocks import TextBlocks, is_in_literal
from kleene.passes.entry_parameters import ARGUMENT, COUNT
from kleene.passes.facts.blocks_of_pointers import LITERAL
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.relations.questions import Relations
from kleene.passes.facts.relations.texts import is_byte
from kleene.passes.literals import character
from kleene.passes.rewrite import with_parts


class NotFollowed(Exception):
    """An operation on texts that is not supported."""


class Accesses:
    """The accesses of one operation, from `here` on."""

    def __init__(
        self,
        texts: TextBlocks,
        relations: Relations,
        chains: Chains,
        rename: dict[Variable, Variable],
        source: tuple[str, str],
        place: Place,
        bounds: Mapping[Variable, Variable],
    ) -> None:
        """`source` is the location of the operation, and its name in the automaton of the relations.

        `bounds` are variables of the relations that numbers in memory may be less than, each with its name here.
        """
        self.bounds = bounds
        self.texts, self.relations, self.chains, self.rename = texts, relations, chains, rename
        (self.here, self.location), self.place = source, place
        self.word = IntegerType(texts.program.pointer_size * 8, signed=True, name="long")

    def original(self, expression: Expression) -> Expression:
        """The expression with the variables of the relations."""
        return map_variables(expression, self.rename)

    # Values ---------------------------------------------------------------------------------------------------

    def value(self, expression: Expression) -> Expression:
        """The expression without accesses to texts."""
        self._check_place(expression)
        match expression:
            case Variable() | Constant():
                return expression
            case Index() if (number := character(expression)) is not None:
                return Constant(number, expression.type)  # the literal itself is no object any more
            case AddressOf(target=target):
                return self._address(expression, target)
            case PointerOffset(pointer=pointer) if not self._is_followed(expression) and self._is_moved_text(pointer):
                return self._move(expression)
            case Deref() | Index() | Field() if self.texts.is_text_lvalue(self.original(expression)):
                return self._read(expression)
            case Deref(pointer=pointer) if self.texts.is_argument(self.original(pointer)):
                return self._argument(expression)
            case Comparison(left=left, right=right) if self._are_texts(left, right):
                exact = all(self.texts.is_address(self.original(side)) for side in (left, right))
                return (
                    with_parts(expression, self.value)
                    if exact and expression.is_equation
                    else self._compare(expression)
                )
            case PointerDifference(left=left, right=right) if self._are_texts(left, right):
                self.read(left)
                self.read(right)
                return self.choose(expression)
        return with_parts(expression, self.value)

    def read(self, expression: Expression) -> None:
        """Evaluate an expression whose value is not followed: what it accesses must be there."""
        value = self.value(expression)  # this moves on, too
        self.here = self.chains.read(self.here, value, self.place)

    def _is_moved_text(self, pointer: Expression) -> bool:
        original = self.original(pointer)
        if self.texts.is_text(original) or self.texts.is_argument(original):
            return True
        if self.texts.is_partly_text(original):
            raise NotFollowed(f"a pointer to a text or to something else that is moved: {pointer}")
        return False

    def _is_followed(self, moved: PointerOffset) -> bool:
        original = self.original(moved)
        return isinstance(original, PointerOffset) and self.texts.is_followed(original)

    def _check_place(self, expression: Expression) -> None:
        if isinstance(expression, Deref) and not is_byte(expression):
            self.stay_outside(expression.pointer)

    def stay_outside(self, pointer: Expression) -> None:
        """What is no byte is not accessed by a pointer whose offset in a struct is not followed."""
        if self.texts.may_be_inside(self.original(pointer)):
            raise NotFollowed(f"{pointer} was moved in a text, and something else is accessed there")

    def stay_in_array(self, pointer: Expression, *sizes: Expression, more: int = 0) -> None:
        """The bytes that are written from a pointer on are those of an array in a struct: at most one of some sizes."""
        if not any(self.is_in_array(pointer, size, more=more) for size in sizes):
            raise NotFollowed(f"bytes from {pointer} on that are written may be those of another member")

    def is_in_array(self, pointer: Expression, size: Expression, *, more: int = 0) -> bool:
        """Whether so many bytes from a pointer on are nothing but bytes of an array, if it points into a struct."""
        own, number = self.original(pointer), self.original(size)
        arrays = self.texts.arrays_of(own)
        if any(map(self.texts.is_shared, arrays)):
            return False
        return not arrays or self.relations.stays_in_arrays(own, number, arrays, self.location, more=more)

    def _are_texts(self, left: Expression, right: Expression) -> bool:
        if not isinstance(left.type, PointerType) or not isinstance(right.type, PointerType):
            return False
        if any(constant_of(side) == 0 for side in (left, right)):
            return False
        sides = [self.original(side) for side in (left, right)]
        return any(self.texts.is_text(s) or self.texts.is_argument(s) for s in sides)

    def choose(self, expression: Expression) -> Variable:
        """A number that may be anything that the expression can be."""
        type_ = expression.type
        value = self.original(expression)
        low, high = self.relations.of(value, self.location)
        number = self.chosen_between(type_, low, high)
        for bound, own in self.bounds.items():
            if own.type == type_ and self.relations.is_below(value, bound, self.location):
                self._only(Comparison("<", number, own))
        return number

    def chosen_between(self, type_: Type, low: int, high: int) -> Variable:
        self.chains.fresh += 1
        number = self.chains.local(f"$text{self.chains.fresh}", type_)
        if isinstance(type_, IntegerType) and high - low == 1:
            self._either(number, low, high)
            return number
        self.here = self.chains.add(self.here, Havoc(self.place, number, CHOICE))
        if isinstance(type_, IntegerType):
            if low > type_.minimum:
                self._only(Comparison(">=", number, Constant(low, type_)))
            if high < type_.maximum:
                self._only(Comparison("<=", number, Constant(high, type_)))
        return number

    def _either(self, number: Variable, low: int, high: int, same: Comparison | None = None) -> None:
        """One of two numbers, and the higher one only where a condition holds.

        They are assigned, not chosen by comparisons: what is known of numbers is which constants they are, so a number
        that is at least 0 and at most 1 could be neither.
        """
        above, below = self.chains.maybe(self.here, self.place)
        if same is not None:
            above = self.chains.only(above, same, self.place)
        self.here = self.chains.location()
        for way, value in ((above, high), (below, low)):
            way = self.chains.add(way, Assign(self.place, number, Constant(value, number.type)))
            self.chains.connect(way, self.here, self.place)

    def _only(self, test: Comparison) -> None:
        self.here = self.chains.only(self.here, test, self.place)

    def _address(self, expression: AddressOf, target: Expression) -> Expression:
        if is_in_literal(target):
            return replace(expression, target=LITERAL)
        place = inner = self._place(target)
        while isinstance(inner, Field | Index):
            inner = inner.base
        if place is not inner and self.texts.is_in_text(self.original(target)):
            if isinstance(target, Index) or isinstance(target.type, ArrayType):
                self._check_around(target.base if isinstance(target, Index) else target)
            if isinstance(inner, Deref):  # a pointer into a text is one to its start
                start = inner.pointer
                return start if start.type == expression.type else Cast(start, expression.type)
        return replace(expression, target=place)

    def _place(self, lvalue: Expression) -> Expression:
        """An lvalue of which only the address is computed: of an element of a text, the first one's."""
        self._check_place(lvalue)
        match lvalue:
            case Field(base=base):
                return replace(lvalue, base=self._place(base))
            case Index(base=base, index=index):
                if self.texts.is_text_lvalue(self.original(lvalue)):
                    self.read(index)
                    index = Constant(0, lvalue.index.type)
                else:
                    index = self.value(index)
                return replace(lvalue, base=self._place(base), index=index)
            case Deref(pointer=pointer):
                return replace(lvalue, pointer=self.value(pointer))
        return lvalue

    def _move(self, expression: PointerOffset) -> Expression:
        """A pointer that is moved in a text stays where it is; one to nowhere may be moved by 0 (`NULL + 0`) only."""
        pointer = self.value(expression.pointer)
        index = self.value(expression.index)
        self.here = self.chains.read(self.here, index, self.place)
        if constant_of(index) != 0:
            test = Comparison("==", pointer, Constant(0, pointer.type))
            nowhere, self.here = self.chains.branch(self.here, test, self.place)
            stays, moved = self.chains.branch(nowhere, Comparison("==", index, Constant(0, index.type)), self.place)
            self.chains.fail(moved, self.place, "null_dereference", f"{expression.pointer} may be NULL")
            self.chains.connect(stays, self.here, self.place)
        return pointer if pointer.type == expression.type else Cast(pointer, expression.type)

    def _compare(self, expression: Comparison) -> Expression:
        """Two pointers into texts: they may differ in one text; in two they do, if one asks whether they are equal."""
        left, right = self.value(expression.left), self.value(expression.right)
        if not expression.is_equation:
            return self._order(replace(expression, left=left, right=right))
        self.chains.fresh += 1
        equal = self.chains.local(f"$text{self.chains.fresh}", INT)
        right = right if right.type == left.type else Cast(right, left.type)
        self._either(equal, 0, 1, Comparison("==", left, right))
        return Comparison(expression.operator, equal, Constant(1, INT))

    def _order(self, expression: Comparison) -> Variable:
        """Whether a pointer into a text is before another one: either may be the case, but two of NULL are equal."""
        sides = (expression.left, expression.right)
        for side in sides:
            self.here = self.chains.read(self.here, side, self.place)
        here, others = self.here, []
        for side in sides:
            nowhere, somewhere = self.chains.branch(here, Comparison("==", side, Constant(0, side.type)), self.place)
            others.append(somewhere)
            here = nowhere
        self.here = self.chains.location()
        for way in others:
            self.chains.connect(way, self.here, self.place)
        answer = self.chosen_between(INT, 0, 1)
        equal = Assign(self.place, answer, Constant(int(expression.operator in ("<=", ">=")), INT))
        self.chains.connect(self.chains.add(here, equal), self.here, self.place)
        return answer

    # Accesses -------------------------------------------------------------------------------------------------

    def _read(self, lvalue: Expression) -> Expression:
        self.access(lvalue, write=False)
        if not isinstance(lvalue.type, IntegerType):
            return self.chosen_between(lvalue.type, 0, 0)
        return self.choose(lvalue)

    def access(self, lvalue: Expression, *, write: bool) -> None:
        """Check an access to an element of a text: it must be inside, and the text must be there."""
        index: Expression = Constant(0, self.word)
        match lvalue:
            case Deref(pointer=PointerOffset(pointer=pointer, index=index, scale=scale)) if scale == lvalue.type.size:
                base = self.value(pointer)
                self.read(index)
                inside = self._is_there(lvalue, or_null=True)
            case Deref(pointer=pointer):
                base = self.value(pointer)
                inside = self._is_there(lvalue, or_null=True)
            case Index(base=array, index=index):
                pointer = AddressOf(array, self._pointer_to(lvalue.type))
                base = self._address(pointer, array)
                self.read(index)
                inside = self._is_there(lvalue)
            case Field(base=inner):
                if not isinstance(inner, Variable):  # a variable that is named is there
                    self.access(inner, write=write)
                return
            case _:
                raise NotFollowed(f"an access to a text: {lvalue}")
        self.check(inside, f"the index of {lvalue} may be out of bounds")
        if write and inside:
            self.stay_in_array(pointer, index, more=1)
        self.touch(base, write=write and self.texts.may_be_literal(self.original(pointer)))

    def _check_around(self, array: Expression) -> None:
        """Check the elements that an array is a member of: what is known of the array says nothing about them."""
        while isinstance(array, Field):
            array = array.base
        if isinstance(array, Deref | Index):
            self.check(self._is_there(array), f"the index of {array} may be out of bounds")
        if isinstance(array, Index):
            self._check_around(array.base)

    def _is_there(self, element: Deref | Index, *, or_null: bool = False) -> bool:
        size = element.type.size
        match element:
            case Index(base=array, index=index):
                return self._inside(AddressOf(array, self._pointer_to(element.type)), index, size)
            case Deref(pointer=PointerOffset(pointer=pointer, index=index, scale=scale)) if scale == size:
                return self._inside(pointer, index, scale, or_null=or_null)
        return self._inside(element.pointer, Constant(0, self.word), size, or_null=or_null)

    def _pointer_to(self, type_: Type) -> PointerType:
        return PointerType(type_, self.texts.program.pointer_size)

    def _inside(self, pointer: Expression, index: Expression, scale: int, *, or_null: bool = False) -> bool:
        own, number = self.original(pointer), self.original(index)
        return self.relations.inside(own, number, scale, self.location, or_null=or_null)

    def check(self, holds: bool, message: str, kind: str = "out_of_bounds") -> None:
        """A possible error, unless it was proved that there is none."""
        if not holds:
            wrong, self.here = self.chains.maybe(self.here, self.place)
            self.chains.fail(wrong, self.place, kind, message)

    def touch(self, pointer: Expression, *, write: bool) -> None:
        """The block of a pointer must be there."""
        if is_in_literal(pointer.target) if isinstance(pointer, AddressOf) else False:
            pointer = AddressOf(LITERAL, pointer.type)
        if write:
            literal = Cast(AddressOf(LITERAL, PointerType(CHAR, pointer.type.size)), pointer.type)
            test = Comparison("==", pointer, literal)
            wrong, self.here = self.chains.branch(self.here, test, self.place)
            self.chains.add(wrong, Error(self.place, "dangling_dereference", "a string literal is written"))
        touched = self.chains.local("$touched byte", CHAR)
        bytes_ = Cast(pointer, PointerType(CHAR, pointer.type.size))
        self.here = self.chains.add(self.here, Assign(self.place, touched, Deref(bytes_, CHAR)))

    # Arguments ------------------------------------------------------------------------------------------------

    def _argument(self, access: Deref) -> Expression:
        """An element of `argv`: a text, or NULL behind the last one."""
        pointer: Expression = access.pointer
        index: Expression = Constant(0, self.word)
        if isinstance(pointer, PointerOffset):
            index, pointer = pointer.index, pointer.pointer
        self.read(pointer)
        self.read(index)
        width = self.texts.program.pointer_size
        self.check(self._inside(pointer, index, width), f"the index of {access} may be out of bounds")
        some = AddressOf(ARGUMENT, access.type)
        before = self.relations.is_before_end(self.original(pointer), self.original(index), width, self.location)
        if before:
            return some
        self.chains.fresh += 1
        element = self.chains.local(f"$argument{self.chains.fresh}", access.type)
        count = self._argument_count(pointer, index)
        if count is None:
            yes, no = self.chains.maybe(self.here, self.place)
        else:
            no, yes = self.chains.branch(self.here, Comparison("==", count, self._same(index, count)), self.place)
        self.here = self.chains.location()
        for here, value in ((yes, some), (no, Constant(0, access.type))):
            self.chains.connect(self.chains.add(here, Assign(self.place, element, value)), self.here, self.place)
        return element

    def _argument_count(self, pointer: Expression, index: Expression) -> Variable | None:
        """The variable of the program that is the number of arguments, if it is enough to compare an index with it.

        So it is if the index is a constant from the beginning of `argv`: the element is NULL iff both are equal.
        """
        if constant_of(index) is None or not self.relations.is_start(self.original(pointer), self.location):
            return None
        count = Variable(COUNT, INT)
        stores = (e.label for e in self.texts.program.main.cfa.edges if isinstance(e.label, Assign))
        names = [o.value for o in stores if o.target == count and isinstance(o.value, Variable)]
        same = (v for v in names if self.relations.distance(v, count, self.location) == 0)
        return next(same, None)

    @staticmethod
    def _same(index: Expression, count: Variable) -> Constant:
        number = constant_of(index)
        assert number is not None
        return Constant(number, count.type)
