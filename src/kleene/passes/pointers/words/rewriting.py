"""The program over pointers and flags in place of words.

An assignment to a word assigns its pointer, then its flags. A comparison of words compares the flags first. The members
of structs have both at the same offset; a variable whose address is not taken becomes two.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from kleene.cfa.expressions import Comparison, Constant, Deref, Expression, Field, Variable, without_casts
from kleene.cfa.graph import Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Havoc,
    Operation,
    Realloc,
    Unsupported,
    address_taken,
)
from kleene.cfa.program import CProgram, Function, Global
from kleene.cfa.types import INT, RecordField, RecordLayout, is_scalar
from kleene.passes.facts.memory import constant_of
from kleene.passes.pointers.words.selection import Words, key_of
from kleene.passes.pointers.words.types import TAG_SUFFIX
from kleene.passes.pointers.words.values import Word, WordValues, alike
from kleene.passes.rewrite import Choice, expand_edges, with_parts

_KEPT_FLAGS, _KEPT_ADDRESS = "$flags", "$word at"


def with_words(program: CProgram) -> CProgram | None:
    """The program over pointers and flags; None if it has no words that could be followed."""
    words = Words(program)
    taken = frozenset(v.name for v in address_taken(words.operations))
    while True:
        words.select()
        if not words.is_followed:
            return None
        wrong = {
            key
            for target, value in words.stored
            if words.is_word(target)
            and (key := key_of(target)) is not None
            and WordValues(words, taken).word(value) is None
        }
        if not wrong:
            return _Rewriting(program, words, taken).program()
        words.numbers |= wrong


@dataclass
class _Rewriting:
    source: CProgram
    words: Words
    taken: frozenset[str]
    temporaries: dict[Variable, None] = field(default_factory=dict)

    def program(self) -> CProgram | None:
        functions = {name: self._function(f) for name, f in self.source.functions.items()}
        variables: list[Global] = []
        for item in self.source.globals:
            rewritten = self._global(item)
            if rewritten is None:
                return None
            variables += rewritten
        records = {name: self._layout(layout) for name, layout in self.source.records.items()}
        return replace(self.source, functions=functions, globals=tuple(variables), records=records)

    def _values(self) -> WordValues:
        return WordValues(self.words, self.taken)

    def _layout(self, layout: RecordLayout) -> RecordLayout:
        values, fields = self._values(), []
        for member in layout.fields:
            if (layout.type.name, member.name, str(member.offset)) not in self.words.keys:
                fields.append(member)
                continue
            fields.append(replace(member, type=values.type))
            if self.words.mask:
                fields.append(RecordField(member.name + TAG_SUFFIX, values.tag, member.offset))
        return replace(layout, fields=tuple(fields))

    def _variables(self, variables: Iterable[Variable]) -> list[Variable]:
        """The variables that stand for some."""
        values, result = self._values(), []
        for variable in variables:
            pointer = values.lvalue(variable)
            assert isinstance(pointer, Variable)
            result.append(pointer)
            if self.words.is_word(variable) and isinstance(tag := values.tag_of(pointer), Variable):
                result.append(tag)
        return result

    def _global(self, item: Global) -> list[Global] | None:
        """A variable and its initial value as two; None if the value needs a guard."""
        initial: list[Assign] = []
        for assignment in item.initial:
            values = self._values()
            operations = self._operations(assignment, values)
            if values.guards or not all(isinstance(o, Assign) for o in operations):
                return None
            initial += [o for o in operations if isinstance(o, Assign)]
        names = self._variables([item.variable])
        return [
            replace(item, variable=name, initial=tuple(initial) if k == len(names) - 1 else ())
            for k, name in enumerate(names)
        ]

    def _function(self, function: Function) -> Function:
        self.temporaries = {}
        cfa = expand_edges(function.cfa, self._choices, "&")
        names = (*self._variables(function.locals), *self.temporaries)
        return replace(function, cfa=cfa, locals=tuple(dict.fromkeys(names)))

    def _choices(self, edge: Edge[Operation]) -> list[Choice] | None:
        values = self._values()
        operation, place = edge.label, edge.label.place
        choices: list[Choice] = []
        if isinstance(operation, Assume) and (parts := self._compared(operation, values)) is not None:
            first, second = parts
            comparison = operation.condition
            assert isinstance(comparison, Comparison)
            if constant_of(first.tag) is None or constant_of(first.tag) != constant_of(second.tag):
                unequal = Constant(int(comparison.operator == "!="), INT)
                other = Comparison("!=", first.tag, second.tag)
                choices.append(Choice(other, (replace(operation, condition=unequal),)))
            pointers = Comparison(comparison.operator, *alike(first.pointer, second.pointer, values.type))
            operations: list[Operation] = [replace(operation, condition=pointers)]
        else:
            operations = self._operations(operation, values)
        if not choices and not values.guards and operations == [operation]:
            return None
        guards = [Choice(condition, (Unsupported(place, text),)) for condition, text in dict.fromkeys(values.guards)]
        return [*guards, *choices, Choice(None, tuple(operations))]

    def _compared(self, operation: Assume, values: WordValues) -> tuple[Word, Word] | None:
        condition = operation.condition
        if isinstance(condition, Comparison) and condition.operator in ("==", "!="):
            return values.compared_words(condition)
        return None

    def _operations(self, operation: Operation, values: WordValues) -> list[Operation]:
        place = operation.place
        match operation:
            case Assume(condition=condition) if values.is_word_value(condition):
                zero = Constant(0, condition.type)
                return [replace(operation, condition=values.number(Comparison("!=", condition, zero)))]
            case DeclareLocal(variable=variable):
                return [DeclareLocal(place, name) for name in self._variables([variable])]
            case EndScope(variables=variables):
                return [EndScope(place, tuple(self._variables(variables)))]
            case Assign(target=target, value=value) if self.words.is_word(target):
                return self._assign(operation, values.word(value), values)
            case Assign(target=target, value=value):
                return [Assign(place, values.lvalue(target), self._whole(value, values))]
            case Allocate(target=target) | Realloc(target=target) if self.words.is_word(target):
                before: list[Operation] = []
                pointer = self._fixed(values.lvalue(target), operation, before)
                made = with_parts(operation, lambda x: pointer if x is target else values.value(x))
                cleared = [Assign(place, values.tag_of(pointer), Constant(0, values.tag))] if self.words.mask else []
                return [*before, made, *cleared]
            case Havoc(target=target):
                return [replace(operation, target=values.lvalue(target))]
        return [with_parts(operation, lambda x: self._whole(x, values))]

    @staticmethod
    def _whole(value: Expression, values: WordValues) -> Expression:
        """A value, or a struct that is copied."""
        return values.value(value) if is_scalar(value.type) else values.lvalue(value)

    def _assign(self, operation: Assign, word: Word | None, values: WordValues) -> list[Operation]:
        place = operation.place
        if word is None:
            return [Unsupported(place, f"the value {operation.value} of a word with a pointer and flags")]
        values.require_value(word)
        before: list[Operation] = []
        pointer, tag = values.lvalue(operation.target), word.tag
        if without_casts(word.pointer) == pointer and self.words.mask:  # only flags change
            return [Assign(place, values.tag_of(pointer), tag)]
        pointer = self._fixed(pointer, operation, before)
        if constant_of(tag) is None:
            tag = self._temporary(Variable(_KEPT_FLAGS, values.tag))
            before.append(Assign(place, tag, word.tag))
        stored: list[Operation] = [*before, Assign(place, pointer, alike(word.pointer, pointer, values.type)[0])]
        if self.words.mask:
            stored.append(Assign(place, values.tag_of(pointer), tag))
        return stored

    def _fixed(self, lvalue: Expression, operation: Operation, before: list[Operation]) -> Expression:
        """An lvalue whose address is computed once: assigning the pointer may change what the address is read from."""
        match lvalue:
            case Field(base=base):
                return replace(lvalue, base=self._fixed(base, operation, before))
            case Deref(pointer=pointer) if not isinstance(without_casts(pointer), Variable):
                address = self._temporary(Variable(f"{_KEPT_ADDRESS} {pointer.type}", pointer.type))
                before.append(Assign(operation.place, address, pointer))
                return replace(lvalue, pointer=address)
        return lvalue

    def _temporary(self, variable: Variable) -> Variable:
        self.temporaries[variable] = None
        return variable
