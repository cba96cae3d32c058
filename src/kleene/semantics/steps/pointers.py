"""Pointer values: where they come from, and whether they may be dereferenced."""

from __future__ import annotations

from collections.abc import Sequence

from kleene.cfa.expressions import (
    GHOST_OFFSET,
    AddressOf,
    Cast,
    Deref,
    Expression,
    Field,
    Index,
    PointerOffset,
    Variable,
    has_dereference,
)
from kleene.cfa.types import IntegerType, PointerType
from kleene.logic.formula import FALSE, TRUE, UNKNOWN, Formula, IfThenElse, Not, conj, disj, exists, neg
from kleene.passes.facts.memory import Unmodelled, constant_of
from kleene.semantics.steps.context import Base, StepContext, at_offset
from kleene.semantics.vocabulary.names import FREED, OPAQUE, at
from kleene.semantics.vocabulary.predicates import Pointer

Span = tuple[int, int]
"""The bytes from .. to .. of an lvalue that are accessed."""


class PointerSteps:
    """Loading pointer values into pointers, and finding the objects that lvalues lie in."""

    def __init__(self, context: StepContext) -> None:
        self.context = context
        self.program = context.program
        self.memory = context.memory
        self.symbols = context.symbols

    def load(self, value: Expression) -> Pointer | None:
        """A pointer variable that holds the value (a temporary if need be); None for the null pointer."""
        value = uncast(value)
        if isinstance(value, Variable) and self.memory.kind(value) == "pointer":
            known = self.symbols.pointer(value)
            if known.tracked:
                return known
        if constant_of(value) == 0:
            return None
        pointer = self.context.temporary(self.memory.value_places(value))
        self.move(pointer, value)
        return pointer

    def move(self, target: Pointer, value: Expression) -> None:
        """One step: target = value."""
        value = uncast(value)
        if constant_of(value) == 0:
            self.context.step(f"{target.name} = NULL", self.context.set_pointer(target, {}, FALSE))
            return
        if constant_of(value) is not None:  # such as (void *)-1: it may be copied and compared, as one not initialized
            self.context.step(f"{target.name} = {value}", self.context.set_pointer(target, {}, TRUE))
            return
        match value:
            case Variable() if self.memory.kind(value) == "pointer":
                self.copy(target, self.symbols.pointer(value), 0)
            case PointerOffset(pointer=pointer, index=index, scale=scale):
                shift = constant_of(index)
                base = self.load(pointer)
                if shift is None or base is None:
                    raise Unmodelled("pointer arithmetic")
                self.copy(target, base, shift * scale)
            case AddressOf(target=lvalue):
                self._address(target, lvalue)
            case Field() | Deref() | Index() | Variable():
                self.read_cell(target, self.objects_of(value, (0, value.type.size)), str(value))
            case Cast(operand=operand) if isinstance(operand.type, IntegerType) and not operand.type.function:
                if has_dereference(operand) or self.memory.address_numbers.contains(operand):
                    raise Unmodelled(f"pointer value {value}")
                self.context.step(f"{target.name} = {value}", self.context.set_pointer(target, {}, UNKNOWN))
            case _:
                raise Unmodelled(f"pointer value {value}")

    def copy(self, target: Pointer, source: Pointer, shift: int) -> None:
        if not target.tracked:
            return
        if not source.tracked:  # it may point anywhere
            anywhere: dict[int, Formula] = {o + shift: UNKNOWN for o in source.offsets}
            self.context.step(f"{target.name} = {source.name}", self.context.set_pointer(target, anywhere, UNKNOWN))
            return
        targets = {o + shift: source.at(o) for o in source.offsets}
        focus = [source.at(o) for o in source.offsets]
        if self.symbols.is_temporary(source):
            focus += self.symbols.reach_foci(source.somewhere)
        undefined = self.context.is_undefined(source)
        if shift:  # a null pointer that is moved is neither null nor a pointer to something
            undefined = disj(undefined, neg(exists(["v"], source.somewhere())))
        text = f"{target.name} = {source.name}" + (f" + {shift}" if shift else "")
        self.context.step(text, self.context.set_pointer(target, targets, undefined), focus=focus)

    def _address(self, target: Pointer, lvalue: Expression) -> None:
        targets: dict[int, Formula] = {}
        undefined: list[Formula] = []
        focus: list[Formula] = []
        for base in self.objects_of(lvalue, None):
            if base.formula("v") is not FALSE:
                targets[base.offset] = disj(targets.get(base.offset, FALSE), base.formula("v"))
            if base.pointer is not None:
                if self.symbols.is_temporary(base.pointer) and base.formula("v") is not FALSE:
                    focus += self.symbols.reach_foci(base.formula)
                undefined.append(self.context.is_undefined(base.pointer))
                if base.offset not in base.pointer.offsets or _is_shifted(lvalue):
                    undefined.append(neg(exists(["v"], base.pointer.somewhere())))
        self.context.step(
            f"{target.name} = &{lvalue}", self.context.set_pointer(target, targets, disj(*undefined)), focus=focus
        )

    # Lvalues --------------------------------------------------------------------------------------------------

    def objects_of(self, lvalue: Expression, span: Span | None, *, number: bool = False) -> list[Base]:
        """The objects that an lvalue may lie in; with a span of bytes to be read or written there, checked.

        With `number`, the bytes are a number: opaque objects have them, too.
        """
        match lvalue:
            case Variable() if self.memory.kind(lvalue) == "object":
                if span is not None and (span[0] < 0 or span[1] > lvalue.type.size):
                    self.context.fail("out_of_bounds", f"access out of the bounds of {lvalue}")
                name = self.symbols.object(lvalue)
                return [Base((self.memory.size_of(lvalue), 0), lambda v: at(name, v))]
            case Field(base=base, offset=offset):
                inside = _move(span, offset) if offset < GHOST_OFFSET else None  # a ghost is beside all bytes
                return [b.move(offset) for b in self.objects_of(base, inside, number=number)]
            case Index(base=base, index=index):
                place = constant_of(index)
                if place is None:
                    raise Unmodelled("an array element with a variable index")
                shift = place * lvalue.type.size
                return [b.move(shift) for b in self.objects_of(base, _move(span, shift), number=number)]
            case Deref(pointer=expression):
                return self.targets_of(self.load(expression), span, str(lvalue), number=number)
        raise Unmodelled(f"memory access {lvalue}")

    def targets_of(self, pointer: Pointer | None, span: Span | None, text: str, *, number: bool = False) -> list[Base]:
        """The objects that a pointer points to."""
        if pointer is None:
            if span is None:
                raise Unmodelled(f"address of {text} with a null pointer")
            self.context.fail("null_dereference", f"{text} dereferences a null pointer")
            return []
        if span is not None:
            self._check(pointer, span, text, number=number and self._is_number_alone(pointer, span))
        if not pointer.offsets and span is None:  # always null, or not initialized
            return [Base((0, 0), lambda v: FALSE, pointer)]
        several = {o for o in pointer.offsets if sum(offset == o for _, offset in pointer.places) > 1}
        return [
            Base((size, o), at_offset(pointer, o, self.symbols.size(size) if o in several else None), pointer)
            for size, o in pointer.places
            if size or span is None  # an object without bytes has no member: the check has said so
        ]

    def _is_number_alone(self, pointer: Pointer, span: Span) -> bool:
        """Whether no pointer shares a byte with the number, and no claim (`counts`) is about it."""
        length = span[1] - span[0]
        begins = [(size, o + span[0]) for size, o in pointer.places]
        alone = not any(self.memory.overlapped_pointers(place, length) for place in begins)
        return alone and self.context.counts is None

    def _check(self, pointer: Pointer, span: Span, text: str, *, number: bool) -> None:
        """The pointer must point to an object that is alive and large enough; else an alarm."""
        somewhere = exists(["v"], pointer.somewhere())
        undefined = self.context.is_undefined(pointer)
        alive = exists(["v"], conj(pointer.somewhere(), Not(at(FREED, "v"))))
        freed = exists(["v"], conj(pointer.somewhere(), at(FREED, "v")))
        outside = self._outside(pointer, span)
        name = text if self.symbols.is_temporary(pointer) else pointer.name
        alarms = [
            (conj(neg(somewhere), Not(undefined)), "null_dereference", f"{name} may be NULL"),
            (undefined, "uninitialized_pointer", f"{name} may not be initialized"),
            (freed, "dangling_dereference", f"{name} may point to a block that was freed"),
            (outside, "out_of_bounds", f"{name} is out of the bounds of its object"),
            *([] if number else self.look_back_alarm(pointer)),
        ]
        focus = [pointer.at(o) for o in pointer.offsets]
        good = conj(alive, Not(undefined), neg(outside), TRUE if number else neg(self.is_opaque(pointer)))
        self.context.check_then_step(f"use {pointer.name}", alarms, good, focus)

    def look_back_alarm(self, pointer: Pointer) -> list[tuple[Formula, str, str]]:
        """A recursive function that uses an object of its callers which it was not given cannot be followed."""
        text = "a recursive function that follows back pointers to objects of its callers"
        return [(self.is_opaque(pointer), "unsupported", text)]

    def is_opaque(self, pointer: Pointer) -> Formula:
        if OPAQUE not in self.symbols.unaries:
            return FALSE
        return exists(["v"], conj(pointer.somewhere(), at(OPAQUE, "v")))

    def require_writable(self, bases: Sequence[Base]) -> None:
        """Raise an alarm if the target of a write may be constant."""
        constant = [g.variable for g in self.program.globals if g.constant and self.memory.kind(g.variable) == "object"]
        for base in bases if constant else ():
            if base.pointer is not None:  # variables themselves: `prepare.py`
                fixed = disj(*(conj(base.formula("v"), at(self.symbols.object(c), "v")) for c in constant))
                wrong = exists(["v"], fixed)
                self.context.check_then_step(
                    "write", [(wrong, "dangling_dereference", "a constant may be written")], neg(wrong), ()
                )

    def _outside(self, pointer: Pointer, span: Span) -> Formula:
        cases: list[Formula] = []
        for offset in pointer.offsets:
            sizes = [size for size, o in pointer.places if o == offset]
            small = [size for size in sizes if offset + span[1] > size or offset + span[0] < 0]
            if len(small) == len(sizes):
                cases.append(exists(["v"], pointer.at(offset)))
            else:
                names = [n for n in (self.symbols.size(s) for s in small) if n]
                cases += [exists(["v"], conj(pointer.at(offset), at(n, "v"))) for n in names]
        return disj(*cases)

    # Reading and comparing --------------------------------------------------------------------------------------

    def read_cell(self, target: Pointer, bases: Sequence[Base], text: str) -> None:
        """One step: assign the pointer cell at the bases to the target."""
        if not target.tracked:
            return
        targets: dict[int, Formula] = {}
        undefined: list[Formula] = []
        focus: list[Formula] = []
        for base in bases:
            cell = self.memory.cell_of.get(base.place)
            if cell is None:  # no pointer is ever stored there
                undefined.append(exists(["u"], base.formula("u")))
                continue
            if not self.symbols.precision.tracks_cell(cell):
                undefined.append(UNKNOWN)
                targets.update(dict.fromkeys((o for _, o in self.memory.cell_places([base.place])), UNKNOWN))
                continue
            undefined.append(exists(["u"], conj(base.formula("u"), at(self.symbols.cell_undefined(cell), "u"))))
            for to in sorted({offset for _, offset in self.memory.cell_places([base.place])}):
                edge = self.symbols.cell(cell, to)
                read = exists(["u"], conj(base.formula("u"), at(edge, "u", "v")))
                targets[to] = disj(targets.get(to, FALSE), read)
                focus.append(self.edge_focus(base, edge))
        self.context.step(
            f"{target.name} = {text}", self.context.set_pointer(target, targets, disj(*undefined)), focus=focus
        )

    def edge_focus(self, base: Base, edge: str) -> Formula:
        """The focus formula of the target of an edge and all nodes reachable from it."""
        return self.symbols.edge_focus(base.formula, edge)

    def same_pointers(self, a: Pointer | None, b: Pointer | None) -> Formula:
        """Whether two pointers are equal; unknown where one is not initialized or points to a freed block."""
        nowhere = conj(*(neg(exists(["v"], p.somewhere())) for p in (a, b) if p))
        unclear = [self.context.is_undefined(p) for p in (a, b) if p]
        shared: Formula = FALSE
        if a is not None and b is not None:
            common = [o for o in a.offsets if o in b.offsets]
            shared = disj(*(exists(["v"], conj(a.at(o), b.at(o))) for o in common))
            loose = [self._loose(p) for p in (a, b)]
            both = conj(*(exists(["v"], p.somewhere()) for p in (a, b)))
            unclear.append(conj(both, neg(shared), disj(*loose)))
        doubt = disj(*unclear)
        equal = disj(shared, nowhere)
        return IfThenElse(doubt, UNKNOWN, equal) if doubt is not FALSE else equal

    def _loose(self, pointer: Pointer) -> Formula:
        """The pointer points to a freed block or outside its object: another object may have the same address."""
        freed = exists(["v"], conj(pointer.somewhere(), at(FREED, "v")))
        outside = {o for size, o in pointer.places if o and not 0 < o < size}
        return disj(freed, *(exists(["v"], pointer.at(o)) for o in sorted(outside)))


def uncast(value: Expression) -> Expression:
    """The pointer value without conversions between pointer types."""
    while (
        isinstance(value, Cast) and isinstance(value.operand.type, PointerType) and isinstance(value.type, PointerType)
    ):
        value = value.operand
    return value


def _move(span: Span | None, shift: int) -> Span | None:
    return None if span is None else (span[0] + shift, span[1] + shift)


def _is_shifted(lvalue: Expression) -> bool:
    """Whether an lvalue may lie at another place than where its pointer points."""
    while isinstance(lvalue, Field | Index):
        if isinstance(lvalue, Index) or lvalue.offset:
            return True
        lvalue = lvalue.base
    return False
