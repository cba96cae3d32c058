"""From C operations to Actions (design.md section 5): every operation becomes a short chain of simple steps.

A step is an Action on one pointer, cell or integer. Before a step that dereferences or frees, edges to the location
`ERROR` report what can be wrong there; the step itself is taken only where nothing is wrong. A cell is cleared before it
is set, so that differencing sees changes of one edge at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from kleene.cfa.expressions import (
    NEGATED,
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    PointerOffset,
    Unary,
    Variable,
    children,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Error,
    Exit,
    Free,
    Havoc,
    Operation,
    Place,
    Print,
    Return,
    Skip,
    Unsupported,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType, PointerType, RecordType
from kleene.logic.formula import (
    FALSE,
    TRUE,
    UNKNOWN,
    Atom,
    Formula,
    IfThenElse,
    Not,
    Or,
    conj,
    disj,
    exists,
    neg,
)
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.semantics.integers import COMPARE, UNKNOWN_INTEGER, Constants, IntegerValue, combined
from kleene.semantics.liveness import live_before
from kleene.semantics.memory import Leaf, Memory, Unmodelled, constant_of, leaves
from kleene.semantics.predicates import FREED, HEAP, Pointer, ShapeClass, Symbols, at
from kleene.structures.structure import Structure, StructureBuilder
from kleene.transformers.action import Action, Message, Rule, Update

ERROR = "error"
UNSUPPORTED = "unsupported"


@dataclass(frozen=True)
class Alarm:
    """What a message of the analysis means: a kind of finding at a place in the source."""

    kind: str
    place: Place
    text: str


@dataclass
class Translation:
    """A C program as a transition system of Actions."""

    vocabulary: Vocabulary
    rules: tuple[Rule, ...]
    cfa: Cfa[Action]
    initial: Structure
    alarms: dict[str, Alarm]
    places: dict[str, Place]


@dataclass(frozen=True)
class Step:
    """An Action, and the alarms that may be raised before it."""

    action: Action
    alarms: tuple[tuple[Formula, Alarm], ...] = ()


@dataclass(frozen=True)
class Base:
    """An object that is accessed: a formula for it, and at which offset of it the access begins."""

    offset: int
    formula: Callable[[str], Formula]
    pointer: Pointer | None = None


class Translator:
    """Translates one inlined program for one shape class."""

    def __init__(
        self, program: CProgram, cfa: Cfa[Operation], shape: ShapeClass, *, malloc_may_fail: bool = True
    ) -> None:
        self.program = program
        self.source = cfa
        self.memory = Memory(program, cfa)
        self.constants = Constants(self.memory)
        self.symbols = Symbols(self.memory, shape)
        self.malloc_may_fail = malloc_may_fail
        self.alarms: dict[str, Alarm] = {}
        self.steps: list[Step] = []
        self.place = Place("", 0, 0, "")
        self._temporaries = 0
        self._used_temporaries: list[Pointer] = []
        tracked = {*self.memory.pointers, *self.memory.integers}
        self.live = live_before(cfa, {v for v in tracked if not v.is_global})
        for variable in self.memory.pointers:
            self.symbols.pointer(variable)
        for variable in self.memory.objects:
            self.symbols.object(variable)

    # The whole program ----------------------------------------------------------------------------------------

    def translate(self) -> Translation:
        edges: list[Edge[Action]] = []
        places: dict[str, Place] = {}
        entry = "start"
        chain: list[Step] = []
        for item in self.program.globals:
            if item.external:
                chain += self._steps(Unsupported(Place("", 0, 0, ""), f"external variable {item.variable}"))
            for assignment in item.initial:
                chain += self._steps(assignment)
        self._connect(entry, chain, self.source.entry, edges)
        for edge in self.source.edges:
            places.setdefault(edge.source, edge.label.place)
            branches = self._branches(edge)
            for steps in branches:
                self._connect(edge.source, steps, edge.target, edges)
        vocabulary = self.symbols.vocabulary()
        cfa = Cfa(entry, tuple(Edge(e.source, _kept(e.label, vocabulary), e.target) for e in edges))
        return Translation(vocabulary, tuple(self.symbols.rules()), cfa, self._initial(vocabulary), self.alarms, places)

    def _connect(self, source: str, steps: Sequence[Step], target: str, edges: list[Edge[Action]]) -> None:
        if not steps:
            steps = [Step(Action("skip", "skip"))]
        here = source
        for k, step in enumerate(steps):
            for condition, alarm in step.alarms:
                edges.append(Edge(here, self._alarm_action(condition, alarm, step.action), ERROR))
            last = k == len(steps) - 1
            there = target if last else f"{source}~{len(edges)}"
            edges.append(Edge(here, step.action, there))
            here = there

    def _alarm_action(self, condition: Formula, alarm: Alarm, before: Action) -> Action:
        text = f"{alarm.kind} at {alarm.place}: {alarm.text}"
        self.alarms[text] = alarm
        return Action(
            f"check: {alarm.kind}",
            f"{alarm.kind}?",
            focus=before.focus,
            precondition=condition,
            messages=(Message(TRUE, text),),
        )

    def _branches(self, edge: Edge[Operation]) -> list[list[Step]]:
        """The chains of steps of an operation; a malloc that may fail has two."""
        operation = edge.label
        if isinstance(operation, Exit | Error):  # what the variables hold is not lost, the program just ends
            return [self._steps(operation)]
        dead = self._dying(edge)
        if isinstance(operation, Allocate) and operation.may_fail and self.malloc_may_fail:
            ways = [self._steps(operation), self._steps(Assign(operation.place, operation.target, _null(operation)))]
        else:
            ways = [self._steps(operation)]
        return [self._with_dead(steps, dead) for steps in ways]

    def _dying(self, edge: Edge[Operation]) -> list[Variable]:
        before, after = self.live[edge.source], self.live[edge.target]
        gone = [v for v in before if v not in after]
        target = getattr(edge.label, "target", None)
        if isinstance(target, Variable) and not target.is_global and target not in after:
            gone.append(target)
        return sorted(dict.fromkeys(gone), key=lambda v: v.name)

    def _with_dead(self, steps: list[Step], dead: Sequence[Variable]) -> list[Step]:
        """Forget dead variables after an operation, and blocks that are freed and that nothing points to."""
        updates = [u for v in dead for u in self._forget(v)]
        if updates:
            names = ", ".join(v.name for v in dead)
            steps = [*steps, Step(Action(f"forget {names}", f"forget {names}", updates=tuple(updates)))]
        loses = updates or any(s.action.updates for s in steps)
        if loses and self._can_leak():
            leak = exists(["v"], conj(at(HEAP, "v"), Not(at(FREED, "v")), neg(self.symbols.reachable("v"))))
            alarm = Alarm("memory_leak", self.place, "a block is not freed and nothing points to it any more")
            steps = [*steps, Step(self._collect(), ((leak, alarm),))]
        return steps

    def _can_leak(self) -> bool:
        return any(isinstance(e.label, Allocate) for e in self.source.edges)

    def _collect(self) -> Action:
        """Drop freed blocks that nothing points to: they have no edges, so nothing else changes."""
        pointed = [at(p.predicate(o), "v") for p in self.symbols.pointers for o in p.offsets]
        pointed += [exists(["u"], at(name, "u", "v")) for _, _, name in self.symbols.edges]
        return Action("collect", "", retain=Or(Not(at(FREED, "v")), disj(*pointed)))

    def _forget(self, variable: Variable) -> list[Update]:
        if self.memory.kind(variable) == "pointer":
            return self._set_pointer(self.symbols.pointer(variable), {}, FALSE)
        if self.memory.kind(variable) == "integer":
            return [Update(self._integer(variable, c), (), FALSE) for c in self.constants.of(variable)]
        return []

    def _initial(self, vocabulary: Vocabulary) -> Structure:
        """Before main: the global objects, all zero."""
        objects = [g.variable for g in self.program.globals if self.memory.kind(g.variable) == "object"]
        builder = StructureBuilder(vocabulary, len(objects), tuple(f"&{v.name}" for v in objects))
        for number, variable in enumerate(objects):
            builder.set(self.symbols.object(variable), (number,), Kleene.TRUE)
            size = self.symbols.size(variable.type.size)
            if size:
                builder.set(size, (number,), Kleene.TRUE)
            for leaf in self._leaves(variable):
                if isinstance(leaf.type, IntegerType) and 0 in self.constants.of(leaf.offset):
                    builder.set(self._integer_cell(leaf.offset, 0), (number,), Kleene.TRUE)
        for item in self.program.globals:
            if self.memory.kind(item.variable) == "integer" and 0 in self.constants.of(item.variable):
                builder.set(self._integer(item.variable, 0), (), Kleene.TRUE)
        return builder.build()

    def _leaves(self, variable: Variable) -> list[Leaf]:
        try:
            return leaves(variable.type, self.program)
        except Unmodelled:
            return []

    # One operation --------------------------------------------------------------------------------------------

    def _steps(self, operation: Operation) -> list[Step]:
        """The steps of an operation; what is not modelled leads to `UNSUPPORTED`."""
        self.steps, self.place = [], operation.place
        self._used_temporaries = []
        try:
            self._operation(operation)
        except Unmodelled as reason:
            self.steps = [self._unsupported(str(reason))]
        if self._used_temporaries:
            updates = [u for p in self._used_temporaries for u in self._set_pointer(p, {}, FALSE)]
            self.steps.append(Step(Action("forget temporaries", "", updates=tuple(updates))))
        return self.steps

    def _unsupported(self, reason: str) -> Step:
        alarm = Alarm("unsupported", self.place, reason)
        return Step(Action("unsupported", f"unsupported: {reason}", precondition=FALSE), ((TRUE, alarm),))

    def _operation(self, operation: Operation) -> None:
        match operation:
            case Skip() | Print():
                return
            case Assign(target=target, value=value):
                self._assign(target, value)
            case Assume(condition=condition, truth=truth):
                self._assume(condition, truth)
            case Allocate():
                self._allocate(operation)
            case Free(pointer=pointer):
                self._free(pointer)
            case Havoc(target=target):
                self._havoc(target)
            case DeclareLocal(variable=variable):
                self._declare(variable)
            case EndScope(variables=variables):
                for variable in variables:
                    self._end(variable)
            case Error(kind=kind, message=message):
                self._fail(TRUE, kind, message or "an error call is reached")
            case Return() | Exit():
                self._leave(operation)
            case Unsupported(reason=reason):
                raise Unmodelled(reason)
            case _:
                raise Unmodelled(str(operation))

    def _fail(self, condition: Formula, kind: str, text: str) -> None:
        action = Action("stop", "", precondition=FALSE)
        self.steps.append(Step(action, ((condition, Alarm(kind, self.place, text)),)))

    def _step(self, name: str, updates: Iterable[Update], *, focus: Sequence[Formula] = (), **parts: object) -> None:
        action = Action(name, name, focus=tuple(focus), updates=tuple(updates), **parts)  # type: ignore[arg-type]
        self.steps.append(Step(action))

    def _leave(self, operation: Return | Exit) -> None:
        """At the end of main every local pointer is lost; what is not freed then was never cleaned up."""
        kept = exists(["v"], conj(at(HEAP, "v"), Not(at(FREED, "v"))))
        if isinstance(operation, Exit):
            if operation.status is not None:
                alarm = Alarm("memory_cleanup", self.place, "a block is not freed when the program ends")
                self.steps.append(Step(Action("exit", "exit"), ((kept, alarm),)))
            return
        lost = [v for v in self.memory.pointers if not v.is_global]
        self._step("return", [u for v in lost for u in self._forget(v)])
        alarm = Alarm("memory_cleanup", self.place, "a block is not freed when the program ends")
        self.steps.append(Step(Action("end of main", "end"), ((kept, alarm),)))

    # Pointers -------------------------------------------------------------------------------------------------

    def _set_pointer(self, pointer: Pointer, targets: dict[int, Formula], undefined: Formula) -> list[Update]:
        updates = [Update(pointer.predicate(o), ("v",), targets.get(o, FALSE)) for o in pointer.offsets]
        return [*updates, Update(self.symbols.nullary(pointer.undefined), (), undefined)]

    def _temporary(self, offsets: Iterable[int]) -> Pointer:
        self._temporaries = len(self._used_temporaries) + 1
        pointer = self.symbols.named(f"$p{self._temporaries}", offsets)
        self._used_temporaries.append(pointer)
        return pointer

    def _load(self, value: Expression) -> Pointer | None:
        """A pointer variable that holds the value (a temporary if need be); None for the null pointer."""
        value = _uncast(value)
        if isinstance(value, Variable) and self.memory.kind(value) == "pointer":
            return self.symbols.pointer(value)
        if constant_of(value) == 0:
            return None
        pointer = self._temporary(self.memory.value_offsets(value))
        self._move(pointer, value)
        return pointer

    def _move(self, target: Pointer, value: Expression) -> None:
        """One step: target = value."""
        value = _uncast(value)
        if constant_of(value) == 0:
            self._step(f"{target.name} = NULL", self._set_pointer(target, {}, FALSE))
            return
        match value:
            case Variable() if self.memory.kind(value) == "pointer":
                self._copy(target, self.symbols.pointer(value), 0)
            case PointerOffset(pointer=pointer, index=index, scale=scale):
                shift = constant_of(index)
                base = self._load(pointer)
                if shift is None or base is None:
                    raise Unmodelled("pointer arithmetic")
                self._copy(target, base, shift * scale)
            case AddressOf(target=lvalue):
                self._address(target, lvalue)
            case Field() | Deref() | Index() | Variable():
                self._read_cell(target, value)
            case _:
                raise Unmodelled(f"pointer value {value}")

    def _copy(self, target: Pointer, source: Pointer, shift: int) -> None:
        targets = {o + shift: source.at(o) for o in source.offsets}
        focus = [source.at(o) for o in source.offsets]
        undefined = at(self.symbols.nullary(source.undefined))
        text = f"{target.name} = {source.name}" + (f" + {shift}" if shift else "")
        self._step(text, self._set_pointer(target, targets, undefined), focus=focus)

    def _address(self, target: Pointer, lvalue: Expression) -> None:
        bases = self._bases(lvalue, None)
        targets: dict[int, Formula] = {}
        for base in bases:
            targets[base.offset] = disj(targets.get(base.offset, FALSE), base.formula("v"))
        undefined = disj(*(at(self.symbols.nullary(b.pointer.undefined)) for b in bases if b.pointer))
        self._step(f"{target.name} = &{lvalue}", self._set_pointer(target, targets, undefined))

    def _bases(self, lvalue: Expression, access: int | None) -> list[Base]:
        """The objects that an lvalue may lie in; with `access` bytes to be read or written there, checked."""
        match lvalue:
            case Variable() if self.memory.kind(lvalue) == "object":
                name = self.symbols.object(lvalue)
                return [Base(0, lambda v: at(name, v))]
            case Field(base=base, offset=offset, bit_width=None):
                inner = self._bases(base, None if access is None else access + offset)
                return [Base(b.offset + offset, b.formula, b.pointer) for b in inner]
            case Index(base=base, index=index):
                number = constant_of(index)
                if number is None:
                    raise Unmodelled("an array element with a variable index")
                shift = number * lvalue.type.size
                inner = self._bases(base, None if access is None else access + shift)
                return [Base(b.offset + shift, b.formula, b.pointer) for b in inner]
            case Deref(pointer=expression):
                pointer = self._load(expression)
                if pointer is None:
                    self._fail(TRUE, "null_dereference", f"{lvalue} dereferences a null pointer")
                    pointer = self._temporary(())
                if access is not None:
                    self._check(pointer, access, str(lvalue))
                return [Base(o, _at_offset(pointer, o), pointer) for o in pointer.offsets]
        raise Unmodelled(f"memory access {lvalue}")

    def _check(self, pointer: Pointer, access: int, text: str) -> None:
        """The pointer must point to an object that is alive and large enough; else an alarm."""
        somewhere = exists(["v"], pointer.somewhere())
        undefined = at(self.symbols.nullary(pointer.undefined))
        alive = exists(["v"], conj(pointer.somewhere(), Not(at(FREED, "v"))))
        freed = exists(["v"], conj(pointer.somewhere(), at(FREED, "v")))
        name = pointer.name.partition("$p")[0] or text
        alarms = [
            (conj(neg(somewhere), Not(undefined)), "null_dereference", f"{name} may be NULL"),
            (undefined, "uninitialized_pointer", f"{name} may not be initialized"),
            (freed, "dangling_dereference", f"{name} may point to a block that was freed"),
        ]
        outside = self._outside(pointer, access)
        if outside is not FALSE:
            alarms.append((outside, "dangling_dereference", f"{name} is out of the bounds of its object"))
        checked = tuple((c, Alarm(kind, self.place, why)) for c, kind, why in alarms if c is not FALSE)
        good = conj(alive, Not(undefined), neg(outside))
        focus = tuple(pointer.at(o) for o in pointer.offsets)
        self.steps.append(Step(Action(f"use {pointer.name}", "", focus=focus, precondition=good), checked))

    def _outside(self, pointer: Pointer, access: int) -> Formula:
        found = []
        for offset in pointer.offsets:
            small = [size for size in sorted(self.memory.sizes) if offset + access > size or offset < 0]
            if len(small) == len(self.memory.sizes) and small:
                found.append(exists(["v"], pointer.at(offset)))
            else:
                names = [n for n in (self.symbols.size(s) for s in small) if n]
                found += [exists(["v"], conj(pointer.at(offset), at(n, "v"))) for n in names]
        return disj(*found)

    # Cells ----------------------------------------------------------------------------------------------------

    def _read_cell(self, target: Pointer, lvalue: Expression) -> None:
        bases = self._bases(lvalue, lvalue.type.size)
        targets: dict[int, Formula] = {}
        undefined: list[Formula] = []
        focus: list[Formula] = []
        for base in bases:
            if base.offset not in self.memory.cell_offsets:
                raise Unmodelled(f"{lvalue} reads a pointer where no pointer is stored")
            undefined.append(exists(["u"], conj(base.formula("u"), at(self.symbols.cell_undefined(base.offset), "u"))))
            for to in sorted(self.memory.cell_offsets[base.offset]):
                edge = self.symbols.cell(base.offset, to)
                found = exists(["u"], conj(base.formula("u"), at(edge, "u", "v")))
                targets[to] = disj(targets.get(to, FALSE), found)
                focus.append(self._edge_focus(base, edge))
        self._step(f"{target.name} = {lvalue}", self._set_pointer(target, targets, disj(*undefined)), focus=focus)

    def _edge_focus(self, base: Base, edge: str) -> Formula:
        """What the edge points to, and what is reachable from there."""
        closure = f"t[{self.symbols.group_of(edge)}]"
        return exists(["u", "w"], conj(base.formula("u"), at(edge, "u", "w"), at(closure, "w", "v")))

    def _assign(self, target: Expression, value: Expression) -> None:
        if isinstance(target.type, RecordType):
            self._assign_record(target, value)
        elif isinstance(target.type, PointerType):
            if isinstance(target, Variable) and self.memory.kind(target) == "pointer":
                self._move(self.symbols.pointer(target), value)
            else:
                self._write_cell(target, value)
        elif isinstance(target.type, IntegerType):
            self._assign_integer(target, value)
        else:
            self._read_only(target)
            self._evaluated(value)

    def _read_only(self, target: Expression) -> None:
        """A target of a type that is not tracked: only the access itself matters."""
        if not (isinstance(target, Variable) and self.memory.kind(target) != "object"):
            self._bases(target, target.type.size)

    def _assign_record(self, target: Expression, value: Expression) -> None:
        for leaf in leaves(target.type, self.program):
            self._assign(self.memory.member(target, leaf), self.memory.member(value, leaf))

    def _write_cell(self, lvalue: Expression, value: Expression) -> None:
        source = self._load(value)
        bases = self._bases(lvalue, lvalue.type.size)
        self._spoil_integers(bases, lvalue.type.size)
        self._clear(bases, str(lvalue))
        if source is not None:
            self._set_cell(bases, source, str(lvalue))

    def _spoil_integers(self, bases: Sequence[Base], size: int) -> None:
        """A pointer written over an integer (unions, casts) leaves the integer unknown."""
        updates: dict[str, Update] = {}
        for base in bases:
            cells = [*self.memory.overlapped_integers(base.offset, size), base.offset]
            for name in [self._integer_cell(k, c) for k in cells for c in self.constants.of(k)]:
                updates[name] = Update(name, ("v",), IfThenElse(base.formula("v"), UNKNOWN, at(name, "v")))
        if updates:
            self._step("spoil integers", updates.values())

    def _clear(self, bases: Sequence[Base], text: str) -> None:
        """The cell becomes NULL, one edge predicate after another."""
        for base in bases:
            undefined = self.symbols.cell_undefined(base.offset)
            keep = Update(undefined, ("v",), conj(at(undefined, "v"), neg(base.formula("v"))))
            edges = [self.symbols.cell(base.offset, to) for to in sorted(self.memory.cell_offsets.get(base.offset, ()))]
            for edge in edges or [None]:  # type: ignore[list-item]
                updates = [keep]
                focus: list[Formula] = []
                if edge is not None:
                    remaining = conj(at(edge, "v1", "v2"), neg(base.formula("v1")))
                    updates = [Update(edge, ("v1", "v2"), remaining), keep]
                    focus = [base.formula("v"), self._edge_focus(base, edge)]
                self._step(f"{text} = NULL", updates, focus=focus)

    def _set_cell(self, bases: Sequence[Base], source: Pointer, text: str) -> None:
        for base in bases:
            undefined = self.symbols.cell_undefined(base.offset)
            poison = conj(base.formula("v"), at(self.symbols.nullary(source.undefined)))
            for offset in source.offsets or (0,):
                updates = [Update(undefined, ("v",), disj(at(undefined, "v"), poison))]
                focus: list[Formula] = []
                if source.offsets:
                    edge = self.symbols.cell(base.offset, offset)
                    added = conj(base.formula("v1"), source.at(offset, "v2"))
                    updates.insert(0, Update(edge, ("v1", "v2"), disj(at(edge, "v1", "v2"), added)))
                    closure = f"t[{self.symbols.group_of(edge)}]"
                    reached = exists(["u"], conj(source.at(offset, "u"), at(closure, "u", "v")))
                    focus = [base.formula("v"), source.at(offset), reached]
                self._step(f"{text} = {source.name}", updates, focus=focus)

    # Allocation -----------------------------------------------------------------------------------------------

    def _allocate(self, operation: Allocate) -> None:
        size = constant_of(operation.size)
        if size is None:
            raise Unmodelled("a block whose size is not a constant")
        if operation.stack:
            raise Unmodelled("alloca")
        target = operation.target
        if not (isinstance(target, Variable) and self.memory.kind(target) == "pointer"):
            pointer = self._temporary({0})
            self._new(pointer, size, heap=True, zeroed=operation.zeroed)
            self._store_pointer(target, pointer)
            return
        self._new(self.symbols.pointer(target), size, heap=True, zeroed=operation.zeroed)

    def _store_pointer(self, lvalue: Expression, source: Pointer) -> None:
        bases = self._bases(lvalue, lvalue.type.size)
        self._spoil_integers(bases, lvalue.type.size)
        self._clear(bases, str(lvalue))
        self._set_cell(bases, source, str(lvalue))

    def _new(self, pointer: Pointer | None, size: int, *, heap: bool, zeroed: bool, stack: str | None = None) -> None:
        """A new object, with undefined cells unless it is zeroed."""
        new = at("isNew", "v")
        updates: list[Update] = []
        if pointer is not None:
            updates += self._set_pointer(pointer, {0: new}, FALSE)
        if stack is not None:
            updates.append(Update(stack, ("v",), new))
        if heap:
            updates.append(Update(HEAP, ("v",), disj(at(HEAP, "v"), new)))
        kind = self.symbols.size(size)
        if kind:
            updates.append(Update(kind, ("v",), disj(at(kind, "v"), new)))
        for offset in sorted(self.memory.cell_offsets):
            if offset < size and not zeroed:
                name = self.symbols.cell_undefined(offset)
                updates.append(Update(name, ("v",), disj(at(name, "v"), new)))
        for offset, constants in self._integer_cells():
            for c in constants:
                name = self._integer_cell(offset, c)
                value = (TRUE if c == 0 else FALSE) if zeroed else UNKNOWN
                updates.append(Update(name, ("v",), IfThenElse(new, value, at(name, "v"))))
        self._step(f"{pointer.name if pointer else stack} = new", updates, creates=True)

    def _integer_cells(self) -> list[tuple[int, tuple[int, ...]]]:
        return [(k, c) for k in self.constants.cells if (c := self.constants.of(k))]

    def _free(self, expression: Expression) -> None:
        pointer = self._load(expression)
        if pointer is None:
            return
        inside = disj(*(exists(["v"], pointer.at(o)) for o in pointer.offsets if o))
        stack = exists(["v"], conj(pointer.somewhere(), Not(at(HEAP, "v"))))
        freed = exists(["v"], conj(pointer.somewhere(), at(FREED, "v")))
        undefined = at(self.symbols.nullary(pointer.undefined))
        alarms = [
            (undefined, "invalid_free", f"{pointer.name} may not be initialized"),
            (inside, "invalid_free", f"{pointer.name} may not point to the start of a block"),
            (stack, "invalid_free", f"{pointer.name} may point to an object that malloc did not give"),
            (freed, "double_free", f"{pointer.name} may point to a block that was freed already"),
        ]
        checked = tuple((c, Alarm(kind, self.place, why)) for c, kind, why in alarms if c is not FALSE)
        good = conj(Not(undefined), neg(inside), neg(stack), neg(freed))
        focus = tuple(pointer.at(o) for o in pointer.offsets)
        self.steps.append(Step(Action(f"may free {pointer.name}", "", focus=focus, precondition=good), checked))
        if 0 not in pointer.offsets:
            return
        self._clear_object(lambda v: pointer.at(0, v), f"free({pointer.name})")
        self._step(f"free({pointer.name})", [Update(FREED, ("v",), disj(at(FREED, "v"), pointer.at(0)))], focus=focus)

    def _clear_object(self, formula: Callable[[str], Formula], text: str) -> None:
        for offset in sorted(self.memory.cell_offsets):
            self._clear([Base(offset, formula)], f"{text}: {self.memory.cell_names[offset]}")

    def _declare(self, variable: Variable) -> None:
        kind = self.memory.kind(variable)
        if kind == "pointer":
            self._step(f"declare {variable}", self._set_pointer(self.symbols.pointer(variable), {}, TRUE))
        elif kind == "integer":
            self._step(f"declare {variable}", self._set_integer(variable, UNKNOWN_INTEGER))
        elif kind == "object":
            name = self.symbols.object(variable)
            self._new(None, variable.type.size, heap=False, zeroed=False, stack=name)

    def _end(self, variable: Variable) -> None:
        if self.memory.kind(variable) == "object":
            name = self.symbols.object(variable)
            self._clear_object(lambda v: at(name, v), f"end {variable}")
            updates = [Update(FREED, ("v",), disj(at(FREED, "v"), at(name, "v"))), Update(name, ("v",), FALSE)]
            self._step(f"end {variable}", updates)

    def _havoc(self, target: Expression) -> None:
        if isinstance(target.type, IntegerType):
            self._store_integer(target, UNKNOWN_INTEGER)
        elif isinstance(target.type, PointerType):
            raise Unmodelled("a pointer with any value")
        else:
            self._read_only(target)

    # Conditions -----------------------------------------------------------------------------------------------

    def _assume(self, condition: Expression, truth: bool) -> None:
        while isinstance(condition, Unary) and condition.operator == "!":
            condition, truth = condition.operand, not truth
        if isinstance(condition, Cast) and isinstance(condition.operand, Comparison):
            condition = condition.operand
        if isinstance(condition, Comparison):
            operator = condition.operator if truth else NEGATED[condition.operator]
            if isinstance(condition.left.type, PointerType):
                self._assume_pointers(operator, condition.left, condition.right)
            else:
                self._assume_integers(operator, condition.left, condition.right)
        elif isinstance(condition.type, PointerType):
            null = Constant(0, condition.type)
            self._assume_pointers("!=" if truth else "==", condition, null)
        else:
            self._assume_integers("!=" if truth else "==", condition, Constant(0, condition.type))

    def _assume_pointers(self, operator: str, left: Expression, right: Expression) -> None:
        if operator not in ("==", "!="):
            raise Unmodelled(f"comparison {operator} of pointers")
        a, b = self._load(left), self._load(right)
        equal = self._same(a, b)
        focus = [p.at(o) for p in (a, b) if p is not None for o in p.offsets]
        self._step(
            f"{left} {operator} {right}", (), focus=focus, precondition=equal if operator == "==" else neg(equal)
        )

    def _same(self, a: Pointer | None, b: Pointer | None) -> Formula:
        nowhere = [neg(exists(["v"], p.somewhere())) if p else TRUE for p in (a, b)]
        unclear = disj(*(at(self.symbols.nullary(p.undefined)) for p in (a, b) if p))
        shared: Formula = FALSE
        if a is not None and b is not None:
            common = [o for o in a.offsets if o in b.offsets]
            shared = disj(*(exists(["v"], conj(a.at(o), b.at(o))) for o in common))
        equal = disj(shared, conj(*nowhere))
        return IfThenElse(unclear, UNKNOWN, equal) if unclear is not FALSE else equal

    def _assume_integers(self, operator: str, left: Expression, right: Expression) -> None:
        a, b = self._evaluated(left), self._evaluated(right)
        compare = COMPARE[operator]
        k = constant_of(right)
        if k is not None:
            others = {"==": FALSE, "!=": TRUE}.get(operator, UNKNOWN) if k in a.table else UNKNOWN
            condition = a.truth(lambda c: compare(c, k), others)
            updates = self._sharpened(left, operator, k)
        else:
            truth = combined(a, b, lambda x, y: int(compare(x, y)))
            condition, updates = truth.at(1), []
        self._step(f"{left} {operator} {right}", updates, precondition=condition)

    def _sharpened(self, expression: Expression, operator: str, k: int) -> list[Update]:
        """After a comparison with a constant holds, the values that contradict it are ruled out."""
        while isinstance(expression, Cast) and isinstance(expression.operand.type, IntegerType):
            inner, outer = expression.operand.type, expression.type
            if not isinstance(outer, IntegerType) or outer.bits < inner.bits or outer.signed != inner.signed:
                return []
            expression = expression.operand
        compare = COMPARE[operator]
        if isinstance(expression, Variable) and self.memory.kind(expression) == "integer":
            name = expression
            return [
                Update(self._integer(name, c), (), TRUE if operator == "==" else at(self._integer(name, c)))
                if compare(c, k)
                else Update(self._integer(name, c), (), FALSE)
                for c in self.constants.of(name)
            ]
        return []

    # Integers -------------------------------------------------------------------------------------------------

    def _integer(self, variable: Variable, constant: int) -> str:
        return self.symbols.nullary(f"{variable.name}={constant}")

    def _integer_cell(self, offset: int, constant: int) -> str:
        return self.symbols.unary(f"@{offset}={constant}")

    def _evaluated(self, expression: Expression) -> IntegerValue:
        """What is known of an integer expression; its memory accesses are checked on the way."""
        match expression:
            case Constant(value=value):
                return IntegerValue.constant(value)
            case Variable() if self.memory.kind(expression) == "integer":
                return self._stored({c: at(self._integer(expression, c)) for c in self.constants.of(expression)})
            case Cast(operand=operand, type=IntegerType() as type_) if isinstance(operand.type, IntegerType):
                return self._evaluated(operand).mapped(type_.wrap)
            case Unary(operator="-", operand=operand, type=IntegerType() as type_):
                return self._evaluated(operand).mapped(lambda c: type_.wrap(-c))
            case Unary(operator="!", operand=operand) if isinstance(operand.type, IntegerType):
                return self._evaluated(operand).mapped(lambda c: int(c == 0))
            case Binary(operator=operator, left=left, right=right, type=IntegerType() as type_):
                a, b = self._evaluated(left), self._evaluated(right)
                function = _ARITHMETIC.get(operator)
                if function is None:
                    return UNKNOWN_INTEGER
                return combined(a, b, lambda x, y: type_.wrap(function(x, y)))
            case Comparison(operator=operator, left=left, right=right) if isinstance(left.type, IntegerType):
                a, b = self._evaluated(left), self._evaluated(right)
                return combined(a, b, lambda x, y: int(COMPARE[operator](x, y)))
            case Field() | Deref() | Index() | Variable() if isinstance(expression.type, IntegerType):
                return self._read_integer(expression)
        self._visit(expression)
        return UNKNOWN_INTEGER

    def _visit(self, expression: Expression) -> None:
        """Check the memory accesses of an expression whose value is not tracked."""
        match expression:
            case Field() | Deref() | Index():
                self._bases(expression, expression.type.size)
            case AddressOf():
                return
            case _:
                for child in children(expression):
                    self._visit(child)

    def _stored(self, table: dict[int, Formula]) -> IntegerValue:
        return IntegerValue(table, neg(disj(*table.values())) if table else TRUE)

    def _read_integer(self, lvalue: Expression) -> IntegerValue:
        bases = self._bases(lvalue, lvalue.type.size)
        table: dict[int, Formula] = {}
        for base in bases:
            for c in self.constants.of(base.offset):
                here = exists(["u"], conj(base.formula("u"), at(self._integer_cell(base.offset, c), "u")))
                table[c] = disj(table.get(c, FALSE), here)
        return self._stored(table)

    def _assign_integer(self, target: Expression, value: Expression) -> None:
        self._store_integer(target, self._evaluated(value))

    def _store_integer(self, target: Expression, value: IntegerValue) -> None:
        if isinstance(target, Variable) and self.memory.kind(target) == "integer":
            self._step(f"{target} = ...", self._set_integer(target, value))
            return
        bases = self._bases(target, target.type.size)
        updates: dict[str, Update] = {}
        for base in bases:
            self._invalidate(base, target.type.size, updates)
            for c in self.constants.of(base.offset):
                name = self._integer_cell(base.offset, c)
                old = updates[name].formula if name in updates else at(name, "v")
                updates[name] = Update(name, ("v",), IfThenElse(base.formula("v"), value.at(c), old))
        self._step(f"{target} = ...", updates.values())

    def _invalidate(self, base: Base, size: int, updates: dict[str, Update]) -> None:
        """A write of an integer spoils other cells that it overlaps: other integers, and pointers (unions, casts)."""
        for cell in self.memory.overlapped_integers(base.offset, size):
            for c in self.constants.of(cell):
                name = self._integer_cell(cell, c)
                updates[name] = Update(name, ("v",), IfThenElse(base.formula("v"), UNKNOWN, at(name, "v")))
        if self.memory.mixes_types:
            for cell in self.memory.overlapped_pointers(base.offset, size):
                self._clear([Base(cell, base.formula)], "overwritten")
                name = self.symbols.cell_undefined(cell)
                updates[name] = Update(name, ("v",), disj(at(name, "v"), base.formula("v")))

    def _set_integer(self, variable: Variable, value: IntegerValue) -> list[Update]:
        return [Update(self._integer(variable, c), (), value.at(c)) for c in self.constants.of(variable)]


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}


def _null(operation: Allocate) -> Expression:
    return Constant(0, operation.target.type)


def _uncast(value: Expression) -> Expression:
    while (
        isinstance(value, Cast) and isinstance(value.operand.type, PointerType) and isinstance(value.type, PointerType)
    ):
        value = value.operand
    return value


def _at_offset(pointer: Pointer, offset: int) -> Callable[[str], Formula]:
    return lambda v: pointer.at(offset, v)


def _kept(action: Action, vocabulary: Vocabulary) -> Action:
    """Dropping isolated objects changes no instrumentation predicate on the others: say so, so that none is derived."""
    if action.retain is None:
        return action
    same = tuple(Update(p.name, p.args, Atom(p.name, p.args)) for p in vocabulary.declared if p.definition is not None)
    return replace(action, updates=action.updates + same)
