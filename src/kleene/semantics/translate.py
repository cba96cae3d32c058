"""From C operations to Actions (docs/manual/check.md): every operation becomes a short chain of simple steps.

A step is an Action on one pointer, cell or integer. Before a step that dereferences or frees, edges to the location
`ERROR` report the possible errors; the step itself is taken only without an error. A cell is cleared before it is set,
so that differencing sees changes of one edge at a time. The folder `steps` has the kinds of steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from kleene.cfa.expressions import OPEN_GHOST_OFFSET, Constant, Expression, Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    ChangeGhosts,
    DeclareLocal,
    EndScope,
    Enter,
    Error,
    Exit,
    Free,
    HandOut,
    Havoc,
    Invoke,
    Leave,
    MemCopy,
    MemSet,
    Operation,
    Place,
    Print,
    Realloc,
    Return,
    Skip,
    Specified,
    Unsupported,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType, PointerType, RecordType
from kleene.logic.earlier import NEW
from kleene.logic.formula import FALSE, TRUE, UNKNOWN, Atom, Formula, Not, Or, conj, disj, exists, neg
from kleene.logic.kleene import Kleene
from kleene.logic.roles import Role, RoleKind
from kleene.logic.vocabulary import Vocabulary
from kleene.passes.facts.integers import UNKNOWN_INTEGER, Constants
from kleene.passes.facts.liveness import Lifetimes, lifetimes, lingering_variables
from kleene.passes.facts.memory import Memory, Unmodelled
from kleene.passes.literals import is_literal
from kleene.passes.prepare import without_dead_ends
from kleene.semantics.steps.allocation import ObjectSteps
from kleene.semantics.steps.cells import CellSteps
from kleene.semantics.steps.conditions import ConditionSteps
from kleene.semantics.steps.context import Alarm, Step, StepContext
from kleene.semantics.steps.count_readings import CountReadings
from kleene.semantics.steps.counts import CountSteps
from kleene.semantics.steps.invocations import CallAction, CallVocabulary, InvocationSteps, call_vocabulary
from kleene.semantics.steps.numbers import NumberSteps
from kleene.semantics.steps.pointers import PointerSteps
from kleene.semantics.steps.specified import SpecifiedAction, SpecifiedSteps
from kleene.semantics.vocabulary.groups import ShapeClass
from kleene.semantics.vocabulary.names import FREED, HEAP, OUTER, at
from kleene.semantics.vocabulary.precision import EVERYTHING, Precision
from kleene.semantics.vocabulary.predicates import Symbols
from kleene.structures.structure import Structure, StructureBuilder
from kleene.transformers.action import Action, Message, Rule, Update

__all__ = ["Alarm", "Translation", "Translator"]

ERROR = "error"
ERROR_CALL = "an error call is reached"
"""The text of the alarm of an error call without a message."""


@dataclass
class Translation:
    """A C program as a transition system of Actions."""

    vocabulary: Vocabulary
    rules: tuple[Rule, ...]
    cfa: Cfa[Action]
    initial: Structure
    alarms: dict[str, Alarm]
    places: dict[str, Place]
    origins: tuple[Edge[Operation] | None, ...] = ()
    """For every edge of `cfa`, the edge of the program that it is a step of; None before the program starts."""
    procedures: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Entry and exit of the functions that are analysed apart."""
    calls: CallVocabulary | None = None


class Translator:
    """Translates one inlined program for one shape class; without `leaks`, blocks that are lost are no alarm."""

    def __init__(
        self,
        program: CProgram,
        cfa: Cfa[Operation],
        shape: ShapeClass,
        *,
        malloc_may_fail: bool,
        whole_scope: bool = False,
        precision: Precision = EVERYTHING,
        markers: int = 2,
        leaks: bool = True,
        memory: Memory | None = None,
        lives: Lifetimes | None = None,
    ) -> None:
        memory = memory or Memory(program, cfa, typed=True)
        symbols = Symbols(memory, shape, precision)
        self.memory, self.symbols = memory, symbols
        self.constants = Constants(memory, precision.tracks_integer, only_zeros=shape.zeros)
        self.context = StepContext(program, memory, self.constants, symbols)
        if shape.counts:
            self.context.counts = CountSteps(memory, symbols, self.constants)
        self.pointers = PointerSteps(self.context)
        self.cells = CellSteps(self.context, self.pointers)
        self.numbers = NumberSteps(self.context, self.pointers, self.cells)
        self.objects = ObjectSteps(self.context, self.pointers, self.cells, self.numbers)
        self.conditions = ConditionSteps(self.context, self.pointers, self.numbers)
        self.invocations = InvocationSteps(self.context)
        self.specified = SpecifiedSteps(self.context, self.objects)
        self.source = cfa
        self.is_given = any(isinstance(e.label, Specified) and e.label.role == "given" for e in cfa.edges)
        self.malloc_may_fail = malloc_may_fail
        self.leaks = leaks
        lives = lives or lifetimes(cfa, {*memory.pointers, *memory.integers}, whole_scope=whole_scope)
        self.needed, self.mortal = lives.live, lives.mortal
        self.live = lingering_variables(cfa, self._active())
        declared = {e.label.variable for e in cfa.edges if isinstance(e.label, DeclareLocal)}
        self.undeclared = [v for v in memory.objects if not v.is_global and v not in declared]
        if any(isinstance(e.label, Enter) for e in cfa.edges):
            self.symbols.mark(markers)
        self.exits_apart = any(isinstance(e.label, Enter) for e in cfa.edges) and any(
            isinstance(e.label, Exit) and e.label.status is not None for e in cfa.edges
        )
        self.live_after: frozenset[Variable] = frozenset()
        self.redeclared = lives.redeclared
        for variable in memory.pointers:
            self.symbols.pointer(variable)
        for variable in memory.objects:
            self.symbols.object(variable)

    # The whole program ----------------------------------------------------------------------------------------

    def translate(self) -> Translation:
        edges: list[Edge[Action]] = []
        places: dict[str, Place] = {}
        entry = "start"
        chain: list[Step] = []
        undefined = self.context.program.without_definition(self.source)
        given = [v for v in self.memory.integers if v in self.needed[self.source.entry] and not v.is_global]
        for variable in (*self.undeclared, *given):  # temporaries of the C reader; parameters: any number
            chain += self._steps(DeclareLocal(Place("", 0, 0, ""), variable))
        for item in self.context.program.globals:
            if item.variable in undefined:
                chain += self._steps(Unsupported(self.context.program.main.place, undefined[item.variable]))
            for assignment in item.initial:
                chain += self._steps(assignment)
        self._connect(entry, chain, self.source.entry, edges)
        origins: list[Edge[Operation] | None] = [None] * len(edges)
        for edge in without_dead_ends(self.source).edges:
            places.setdefault(edge.source, edge.label.place)
            for steps in self._ways(edge):
                self._connect(edge.source, steps, edge.target, edges)
            origins += [edge] * (len(edges) - len(origins))
        self._name_globals()
        vocabulary = self.symbols.vocabulary().extend(self.specified.recorded.values())
        same = tuple([Update(p.name, p.args, Atom(p.name, p.args)) for p in vocabulary.declared if p.instrumentation])
        cfa = Cfa(entry, tuple([_with_kept(edge, vocabulary, same) for edge in edges]))
        counted = self.context.counts.rules() if self.context.counts is not None else []
        rules, initial = (*self.symbols.rules(), *counted), self._initial(vocabulary)
        procedures = self._procedures()
        calls = call_vocabulary(self.symbols) if procedures else None
        return Translation(
            vocabulary, rules, cfa, initial, self.context.alarms, places, tuple(origins), procedures, calls
        )

    def _procedures(self) -> dict[str, tuple[str, str]]:
        entries = {e.label.function: e.source for e in self.source.edges if isinstance(e.label, Enter)}
        exits = {e.label.function: e.target for e in self.source.edges if isinstance(e.label, Leave)}
        return {name: (entry, exits.get(name, "")) for name, entry in entries.items()}

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
        return Action(
            f"check: {alarm.kind}",
            f"{alarm.kind}?",
            focus=before.focus,
            precondition=condition,
            messages=(Message(TRUE, self.context.name_alarm(alarm)),),
        )

    # Live but inactive variables ------------------------------------------------------------------------------

    def _active(self) -> dict[str, frozenset[Variable]]:
        """The live variables that the precision tracks at each location."""
        tracked = self.symbols.precision
        if not tracked.active:
            return self.needed
        return {name: frozenset(v for v in vs if tracked.active_at(v.name, name)) for name, vs in self.needed.items()}

    def complete_at(self, location: str) -> bool:
        """Whether no pointer that is live at a location is unknown there."""
        return not any(self.memory.kind(v) == "pointer" for v in self.needed[location] - self.live[location])

    def _ways(self, edge: Edge[Operation]) -> list[list[Step]]:
        """The chains of steps of an edge; a variable that is inactive before it and active after it gets any value."""
        if self.context.counts is not None:
            self.context.counts.location = edge.source
            self.context.counts.known, self.context.counts.live = self.live[edge.source], self.live[edge.target]
        before, after = self.live[edge.source], self.live[edge.target]
        appearing = sorted((self.needed[edge.source] & after) - before, key=lambda v: v.name)
        hidden = (self.needed[edge.source] | self.needed[edge.target]) - before - after
        self.symbols.hidden = self.constants.hidden = hidden
        self.symbols.complete = self.complete_at(edge.target)
        updates = [u for v in appearing for u in self._any_value(v)]
        names = ", ".join(v.name for v in appearing)
        first = [Step(Action(f"any {names}", f"any {names}", updates=tuple(updates)))] if updates else []
        ways = [[*first, *steps] for steps in self._branches(edge)]
        self.symbols.hidden = self.constants.hidden = frozenset()
        self.symbols.complete = True
        return ways

    def _bound_steps(self, operation: Operation) -> list[Step]:
        """Behind a condition, what the bounds of numbers say about lists that they count."""
        counts = self.context.counts
        if counts is None or not isinstance(operation, Assume):
            return []
        readings = CountReadings(counts).behind(operation)
        return [Step(Action("bounds", "", focus=tuple(r.focus), precondition=r.precondition)) for r in readings]

    def _any_value(self, variable: Variable) -> list[Update]:
        if self.memory.kind(variable) == "pointer":
            pointer = self.symbols.pointer(variable)
            return self.context.set_pointer(pointer, dict.fromkeys(pointer.offsets, UNKNOWN), UNKNOWN)
        return self.numbers.set_integer(variable, UNKNOWN_INTEGER)

    def _branches(self, edge: Edge[Operation]) -> list[list[Step]]:
        """The chains of steps of an operation; a malloc that may fail has two."""
        operation = edge.label
        if isinstance(operation, Exit | Error | Leave):  # the program ends: variables do not lose their blocks
            return [self._steps(operation)]
        dead, self.live_after = self._dying(edge), self.needed[edge.target]
        if isinstance(operation, DeclareLocal) and self._not_needed(operation.variable, edge.target):
            return [[]]
        if isinstance(operation, Allocate) and operation.may_fail and self.malloc_may_fail:
            ways = [self._steps(operation), self._steps(Assign(operation.place, operation.target, _null(operation)))]
        elif isinstance(operation, Realloc):
            ways = self._realloc_ways(operation)
        else:
            ways = [self._steps(operation)]
        return [self._with_dead([*steps, *self._bound_steps(operation)], dead) for steps in ways]

    def _realloc_ways(self, operation: Realloc) -> list[list[Step]]:
        """The cases of realloc: a null pointer, a block of each size that the pointer may point to, or failure.

        Every way begins with the check that the pointer may be freed, also if no way moves a block.
        """
        try:
            places = self.memory.value_places(operation.pointer)
        except Unmodelled as reason:
            return [self._steps(Unsupported(operation.place, str(reason)))]
        sizes = sorted({size for size, offset in places if offset == 0})
        ways = [self._steps(operation, partial(self.objects.reallocate, operation, s)) for s in (None, *sizes)]
        if operation.may_fail and self.malloc_may_fail:
            ways.append(self._steps(operation, lambda: self._failed_realloc(operation)))
        return ways

    def _failed_realloc(self, operation: Realloc) -> None:
        self.objects.require_movable(operation)
        self._assign(operation.target, _null(operation))

    def _not_needed(self, variable: Variable, location: str) -> bool:
        """Whether a declaration has no effect: the variable is assigned before it is read."""
        return self.memory.kind(variable) in ("pointer", "integer") and variable not in self.live[location]

    def _dying(self, edge: Edge[Operation]) -> list[Variable]:
        before, after = self.live[edge.source], self.live[edge.target]
        gone = [v for v in before if v not in after]
        target = getattr(edge.label, "target", None)
        if isinstance(target, Variable) and target in self.mortal and target not in after:
            gone.append(target)
        if isinstance(edge.label, Enter):
            gone += [v for v in edge.label.parameters if v not in after]
        return sorted(dict.fromkeys(gone), key=lambda v: v.name)

    def _with_dead(self, steps: list[Step], dead: Sequence[Variable]) -> list[Step]:
        """Forget dead variables after an operation, and freed blocks without pointers to them."""
        updates = {u.predicate: u for v in dead for u in self._forget(v)}
        if updates:
            names = ", ".join(v.name for v in dead)
            steps = [*steps, Step(Action(f"forget {names}", f"forget {names}", updates=tuple(updates.values())))]
        loses = updates or any(s.action.updates or isinstance(s.action, CallAction | SpecifiedAction) for s in steps)
        if loses and self._can_leak:
            steps = [*steps, Step(self._collect(), self._leaks() if self.leaks else ())]
        return steps

    def _leaks(self) -> tuple[tuple[Formula, Alarm], ...]:
        ours = at(NEW, "v") if self.is_given else TRUE  # a caller may hold the others
        leak = exists(["v"], conj(at(HEAP, "v"), Not(at(FREED, "v")), ours, neg(self.symbols.reachable("v"))))
        alarm = Alarm("memory_leak", self.context.place, "a block is not freed and nothing points to it any more")
        return ((leak, alarm),)

    @cached_property
    def _can_leak(self) -> bool:
        return any(isinstance(e.label, Allocate | Realloc | Specified) for e in self.source.edges)

    def _collect(self) -> Action:
        """Drop freed blocks without pointers to them: they have no edges, so no other predicate changes."""
        if not self.symbols.all_pointers_tracked:
            return Action("keep", "")
        given = [Not(at(NEW, "v"))] if self.is_given else []  # a check at the end asks which of them are freed
        return Action("collect", "", retain=Or(Not(at(FREED, "v")), disj(self.symbols.pointed, *given)))

    def _forget(self, variable: Variable) -> list[Update]:
        ends = self.context.counts.forget(variable) if self.context.counts is not None else []
        if self.memory.kind(variable) == "pointer":
            own = self.context.set_pointer(self.symbols.pointer(variable), {}, FALSE)
            return [*(u for u in own if all(u.predicate != e.predicate for e in ends)), *ends]
        if self.memory.kind(variable) == "integer":
            return [*(Update(self.symbols.integer(variable, c), (), FALSE) for c in self.constants.of(variable)), *ends]
        return []

    def _name_globals(self) -> None:
        """Make sure that the predicates of the initial structure exist, though no operation may use them."""
        for size in sorted(self.memory.sizes):
            self.symbols.size(size)
        for offset, constants in self.objects.integer_cells():
            for c in constants:
                self.symbols.integer_cell(offset, c)
        for item in self.context.program.globals:
            if self.memory.kind(item.variable) == "integer":
                for c in self.constants.of(item.variable):
                    self.symbols.integer(item.variable, c)

    def _initial(self, vocabulary: Vocabulary) -> Structure:
        """Before main: the global objects, all zero."""
        objects = [g.variable for g in self.context.program.globals if self.memory.kind(g.variable) == "object"]
        builder = StructureBuilder(vocabulary, len(objects), tuple(f"&{v.name}" for v in objects))
        for number, variable in enumerate(objects):
            builder.set(self.symbols.object(variable), (number,), Kleene.TRUE)
            size = self.symbols.size(self.memory.size_of(variable))
            if size:
                builder.set(size, (number,), Kleene.TRUE)
            for offset, constants in self.objects.integer_cells():
                unknown = is_literal(variable) or offset >= OPEN_GHOST_OFFSET
                for c in constants if unknown else ():
                    builder.set(self.symbols.integer_cell(offset, c), (number,), Kleene.UNKNOWN)
                if 0 in constants and not unknown:
                    builder.set(self.symbols.integer_cell(offset, 0), (number,), Kleene.TRUE)
        if self.context.counts is not None:
            for name, node in self.context.counts.initial_claims(objects):
                builder.set(name, node, Kleene.TRUE)
        for item in self.context.program.globals:
            if self.memory.kind(item.variable) == "integer" and 0 in self.constants.of(item.variable):
                builder.set(self.symbols.integer(item.variable, 0), (), Kleene.TRUE)
        return builder.build()

    # One operation --------------------------------------------------------------------------------------------

    def _steps(self, operation: Operation, build: Callable[[], None] | None = None) -> list[Step]:
        """The steps of an operation; an unsupported operation leads to `UNSUPPORTED`."""
        self.context.steps, self.context.place = [], operation.place
        try:
            if build is not None:
                build()
            else:
                self._operation(operation)
        except Unmodelled as reason:
            self.context.steps = [self._unsupported_step(str(reason))]
        self.context.forget_temporaries()
        return self.context.steps

    def _unsupported_step(self, reason: str) -> Step:
        alarm = Alarm("unsupported", self.context.place, reason)
        return Step(Action("unsupported", f"unsupported: {reason}", precondition=FALSE), ((TRUE, alarm),))

    def _operation(self, operation: Operation) -> None:
        match operation:
            case Skip() | Enter() | Leave():
                return
            case Invoke():
                self.invocations.invoke(operation, self.live_after)
            case Print(arguments=arguments, texts=texts):
                for argument in arguments:
                    self.numbers.visit(argument)
                for text in texts:
                    self.numbers.read_text(text)
            case Assign(target=target, value=value):
                self._assign(target, value)
            case Assume(condition=condition, truth=truth):
                self.conditions.assume(condition, truth)
            case Allocate():
                self.objects.allocate(operation)
            case Free():
                self.objects.free(operation)
            case HandOut(pointer=pointer):
                self.objects.hand_out(pointer)
            case Havoc(target=target):
                self.objects.havoc(target)
            case MemSet():
                self.objects.set_bytes(operation)
            case MemCopy():
                self.objects.copy_memory(operation)
            case DeclareLocal(variable=variable):
                if variable in self.redeclared:
                    self.objects.end_object(variable)
                self.objects.declare(variable)
            case EndScope(variables=variables):
                for variable in variables:
                    self._leave_scope(variable)
            case Specified():
                self.specified.follow(operation)
            case Error(kind=kind, message=message):
                self.context.fail(kind, message or ERROR_CALL)
            case Return() | Exit():
                self._leave(operation)
            case ChangeGhosts():
                self.numbers.change_ghosts(operation)
            case Unsupported(reason=reason):
                raise Unmodelled(reason)
            case _:
                raise Unmodelled(str(operation))

    def _leave_scope(self, variable: Variable) -> None:
        if variable in self.undeclared:  # the object stays, but its content is lost
            name = self.symbols.object(variable)
            self.cells.clear_object(lambda v: at(name, v), [self.memory.size_of(variable)], f"end {variable}")
        else:
            self.objects.end_object(variable)

    def _assign(self, target: Expression, value: Expression) -> None:
        if isinstance(target.type, RecordType):
            self.objects.assign_record(target, value)
        elif isinstance(target.type, PointerType):
            if isinstance(target, Variable) and self.memory.kind(target) == "pointer":
                self.pointers.move(self.symbols.pointer(target), value)
            else:
                self.cells.write_cell(target, value)
        elif isinstance(target.type, IntegerType):
            self.numbers.assign_integer(target, value)
        else:
            self.numbers.visit(value)
            self.objects.store_untracked(target)

    def _leave(self, operation: Return | Exit) -> None:
        """End the program: all local variables are lost, and a block that is not freed is an alarm of `memcleanup`."""
        value = operation.status if isinstance(operation, Exit) else operation.value
        if value is not None:
            self.numbers.visit(value)
        kept = exists(["v"], conj(at(HEAP, "v"), Not(at(FREED, "v"))))
        if self.exits_apart:
            kept = disj(kept, at(self.symbols.nullary(OUTER, Role(RoleKind.OUTSIDE))))
        alarm = (kept, "memory_cleanup", "a block is not freed when the program ends")
        if isinstance(operation, Exit):
            if operation.status is not None:
                self.context.check_then_step("exit", [alarm], TRUE, ())
            return
        gone = {u.predicate: u for v in self.memory.pointers if not v.is_global for u in self._forget(v)}
        self.context.step("return", gone.values())
        for variable in self.memory.objects:
            if not variable.is_global:
                self._leave_scope(variable)
        self.context.check_then_step("end of main", [alarm], TRUE, ())


def _null(operation: Allocate | Realloc) -> Expression:
    return Constant(0, operation.target.type)


def _with_kept(edge: Edge[Action], vocabulary: Vocabulary, same: tuple[Update, ...]) -> Edge[Action]:
    kept = _keep(edge.label, vocabulary, same)
    return edge if kept is edge.label else Edge(edge.source, kept, edge.target)


def _keep(action: Action, vocabulary: Vocabulary, same: tuple[Update, ...]) -> Action:
    """The action with identity updates where it drops isolated objects: these change no instrumentation predicate.

    If the vocabulary has `new`, it becomes true for the objects that the action creates.
    """
    if action.creates and NEW in vocabulary:
        action = replace(action, updates=(*action.updates, Update(NEW, ("v",), disj(at(NEW, "v"), at("isNew", "v")))))
    if action.retain is None:
        return action
    return replace(action, updates=action.updates + same)
