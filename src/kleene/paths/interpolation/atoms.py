"""The contents of a formula over variables and fields: pointers, aliases, field assertions, integer predicates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import z3

from kleene.cfa.expressions import MIRRORED, NEGATED, Variable
from kleene.cfa.program import CProgram
from kleene.paths.interpolation.vocabulary import ALLOCATED, NUMBER, POINTER, Cell, Defined, Vocabulary


@dataclass(frozen=True)
class Place:
    """A variable with a path of fields, such as `p` or `p->next`. A named object `&x` has no fields."""

    name: str
    fields: tuple[str, ...] = ()
    variable: Variable | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return "->".join((self.name, *self.fields))


@dataclass(frozen=True)
class FieldAssertion:
    """A field of the object at a place compared with a constant."""

    place: Place
    field: str
    operator: str
    constant: int

    def __str__(self) -> str:
        return f"{self.place}->{self.field} {self.operator} {self.constant}"


@dataclass(frozen=True)
class IntegerPredicate:
    """A comparison of integers; `formula` is over the plain names, `text` is in C syntax."""

    text: str
    formula: Any = field(compare=False)
    places: tuple[Place, ...] = ()

    def __str__(self) -> str:
        return self.text


@dataclass
class Spoken:
    """The contents of one formula."""

    pointers: list[Place] = field(default_factory=list)
    aliases: list[tuple[Place, Place]] = field(default_factory=list)
    field_assertions: list[FieldAssertion] = field(default_factory=list)
    integer_predicates: list[IntegerPredicate] = field(default_factory=list)


def spoken_of(formula: Any, vocabulary: Vocabulary, program: CProgram) -> Spoken:
    return _Reader(vocabulary, program).read(formula)


class _Reader:
    """Reads the atoms of one formula."""

    def __init__(self, vocabulary: Vocabulary, program: CProgram) -> None:
        self.vocabulary = vocabulary
        main = program.main
        own = (*main.parameters, *main.locals, *(g.variable for g in program.globals))
        self.variables = {v.name: v for v in own}
        self.spoken = Spoken()

    def read(self, formula: Any) -> Spoken:
        stack, seen = [formula], set()
        while stack:
            node = stack.pop()
            if node.get_id() in seen:
                continue
            seen.add(node.get_id())
            comparison = _comparison(node)
            if comparison is not None:
                self._compare(node, *comparison)
            elif z3.is_select(node):
                self._mention(node.arg(1))
            else:
                stack.extend(reversed(node.children()))
        return self.spoken

    def _compare(self, node: Any, operator: str, left: Any, right: Any) -> None:
        kinds = {self._kind(left), self._kind(right)}
        if POINTER in kinds:
            places = [self._mention(left), self._mention(right)]
            if operator in ("==", "!=") and None not in places and places[0] != places[1]:
                pair = tuple(sorted((p for p in places if p is not None), key=str))
                _add(self.spoken.aliases, pair)
            return
        self._numbers(node, operator, left, right)

    def _numbers(self, node: Any, operator: str, left: Any, right: Any) -> None:
        if z3.is_int_value(left) and not z3.is_int_value(right):
            operator, left, right = MIRRORED[operator], right, left
        selection = self._selection(left)
        if selection is not None and z3.is_int_value(right):
            place, name = selection
            if place is not None:
                _add(self.spoken.pointers, place)
                _add(self.spoken.field_assertions, FieldAssertion(place, name, operator, right.as_long()))
                return
        places = tuple(self._places_in(node))
        if places:
            text = f"{self._text(left)} {operator} {self._text(right)}"
            _add(self.spoken.integer_predicates, IntegerPredicate(text, node, places))

    def _selection(self, term: Any) -> tuple[Place | None, str] | None:
        """The object and the field, if the term reads one."""
        if z3.is_select(term):
            key = self.vocabulary.keys.get(str(term.arg(0)))
            if isinstance(key, Cell):
                return self._place(term.arg(1)), self.vocabulary.name(key).removeprefix("->")
        return None

    def _kind(self, term: Any) -> str:
        """Whether a term is a pointer, a number, or neither."""
        if z3.is_select(term):
            term = term.arg(0)
        if z3.is_const(term):
            key = self.vocabulary.keys.get(str(term))
            if isinstance(key, Cell):
                return key.kind
            if isinstance(key, Defined) or key == ALLOCATED:
                return ""
        return NUMBER

    def _mention(self, term: Any) -> Place | None:
        """A pointer that is spoken about, with the pointers that lead to it."""
        place = self._place(term)
        if place is not None:
            _add(self.spoken.pointers, place)
        if z3.is_select(term):
            self._mention(term.arg(1))
        return place

    def _place(self, term: Any) -> Place | None:
        if z3.is_select(term):
            base = self._place(term.arg(1))
            key = self.vocabulary.keys.get(str(term.arg(0)))
            if base is None or not isinstance(key, Cell):
                return None
            name = self.vocabulary.name(key).removeprefix("->")
            return Place(base.name, (*base.fields, name), base.variable)
        if z3.is_const(term):
            key = self.vocabulary.keys.get(str(term))
            if isinstance(key, Cell):
                return Place(self.vocabulary.name(key), (), self.variables.get(key.owner))
        return None

    def _places_in(self, term: Any) -> list[Place]:
        places_in: list[Place] = []
        stack = [term]
        while stack:
            node = stack.pop()
            place = self._place(node)
            if place is not None:
                _add(places_in, place)
            else:
                stack.extend(node.children())
        return places_in

    def _text(self, term: Any) -> str:
        place = self._place(term)
        if place is not None:
            return str(place)
        if z3.is_add(term):
            return " + ".join(self._text(child) for child in term.children())
        if z3.is_mul(term):
            return " * ".join(self._text(child) for child in term.children())
        return str(term)


def _comparison(node: Any) -> tuple[str, Any, Any] | None:
    """Operator and sides of a comparison of integers; its negation too."""
    if z3.is_not(node):
        inner = _comparison(node.arg(0))
        return None if inner is None else (NEGATED[inner[0]], inner[1], inner[2])
    for test, symbol in ((z3.is_eq, "=="), (z3.is_distinct, "!="), (z3.is_le, "<="), (z3.is_lt, "<")):
        if test(node) and len(node.children()) == 2 and z3.is_int(node.arg(0)):
            return symbol, node.arg(0), node.arg(1)
    for test, symbol in ((z3.is_ge, ">="), (z3.is_gt, ">")):
        if test(node) and z3.is_int(node.arg(0)):
            return symbol, node.arg(0), node.arg(1)
    return None


def _add(items: list[Any], item: Any) -> None:
    if item not in items:
        items.append(item)
