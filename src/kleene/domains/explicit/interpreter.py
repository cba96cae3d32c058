"""Runs a program on given inputs: the concrete semantics against which everything else is checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from kleene.cfa.expressions import Deref, Expression, walk
from kleene.cfa.operations import (
    Allocate,
    Assign,
    EndScope,
    Free,
    HandOut,
    Havoc,
    MemCopy,
    MemSet,
    Operation,
    Place,
    Print,
    Realloc,
    Return,
    expressions,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType, PointerType
from kleene.domains.explicit.evaluate import NULL_MESSAGE, UNINITIALIZED_MESSAGE
from kleene.domains.explicit.heap import Heap, draw_heap
from kleene.domains.explicit.liveness import Liveness
from kleene.domains.explicit.machine import Ended, Machine
from kleene.domains.explicit.state import GivenInputs, State
from kleene.domains.explicit.values import GARBAGE, Fault, NotModelled, Pointer, Undefined, Value, Violation

_SAME_NAME = re.compile(r"#\d+")
"""What tells variables of one name apart."""
_MADE = "$"
"""In the names of variables that the source does not have."""
_POINTER_ERRORS = ("null_dereference", "uninitialized_pointer", "dangling_dereference")
LOSING = Assign | Allocate | Realloc | Free | Return | EndScope | MemSet | MemCopy | Havoc


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One operation as it was executed: `depth` is the number of active functions.

    `input` is the number of inputs that were taken before it.
    """

    number: int
    location: str
    operation: Operation
    depth: int
    truth: bool | None = None
    input: int = 0

    def __str__(self) -> str:
        text = str(self.operation)
        if self.truth is False:
            text = f"[!({text[1:-1]})]"
        return f"{self.operation.place}: {text}"


@dataclass
class Trace:
    """A run. `outcome` is `exit`, `abort`, `error`, `blocked` (an assumption failed), `unsupported` or `steps`.

    `inputs` are the used values, `reasons` their purposes; a run on the same inputs gives the same trace.
    """

    program: CProgram
    malloc_may_fail: bool
    outcome: str = "steps"
    status: int | None = None
    steps: list[TraceStep] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    output: str = ""
    reason: str = ""
    tainted: str = ""
    choose_garbage: bool = False

    @property
    def fault(self) -> Fault | None:
        return self.faults[0] if self.faults else None

    def heap(self, number: int) -> Heap:
        """The variables and blocks before step `number` (after the last, for the number of steps)."""
        machine = self._machine
        state = machine.start(GivenInputs(self.inputs, chooses_garbage=self.choose_garbage))
        for _ in range(number):
            try:
                if machine.step(state) is None:
                    break
            except (Violation, NotModelled, Ended):
                break
        return draw_heap(machine, state)

    def states(self) -> Iterator[State]:
        """The state before each step and after the last, in one pass: one object that changes, so read it at once."""
        state = self._machine.start(GivenInputs(self.inputs, chooses_garbage=self.choose_garbage))
        yield state
        for _ in self.steps:
            try:
                if self._machine.step(state) is None:
                    return
            except (Violation, NotModelled, Ended):
                return
            yield state

    def heaps(self, numbers: Iterable[int]) -> dict[int, Heap]:
        """The heaps before these steps, in one pass; a number behind the last step stands for the end of the run."""
        wanted = set(numbers)
        heaps: dict[int, Heap] = {}
        last = Heap((), ())
        for number, state in enumerate(self.states()):
            if number in wanted or number == len(self.steps) - 1:
                heaps[number] = last = draw_heap(self._machine, state)
        return {number: heaps.get(number, last) for number in wanted}

    @cached_property
    def _machine(self) -> Machine:
        return Machine(self.program, malloc_may_fail=self.malloc_may_fail)

    def __str__(self) -> str:
        lines = [f"{step.number:4} {step}" for step in self.steps]
        lines += [str(fault) for fault in self.faults]
        return "\n".join([*lines, f"outcome: {self.outcome}"])


def run(
    program: CProgram,
    inputs: Iterable[int] | GivenInputs = (),
    max_steps: int = 100_000,
    *,
    malloc_may_fail: bool,
    check_leaks: bool = True,
    choose_garbage: bool = False,
    machine: Machine | None = None,
) -> Trace:
    """Execute the program; inputs are taken in order (zero when they end). Leaks do not stop the run, other errors do.

    Inputs are: values of `__VERIFIER_nondet_*`, parameters of the entry, numbers read before they are written, with
    `malloc_may_fail` one for each allocation (0: it fails), and comparisons whose result C leaves open. With
    `choose_garbage` also pointers read before they are written (0: NULL, 1: an address of nothing).
    """
    machine = machine or Machine(program, malloc_may_fail=malloc_may_fail)
    source = inputs if isinstance(inputs, GivenInputs) else GivenInputs(inputs, chooses_garbage=choose_garbage)
    return _Run(machine, source, check_leaks=check_leaks).run(max_steps)


def replay(trace: Trace, max_steps: int = 100_000) -> Trace:
    """The same run again, from its program and inputs alone."""
    return run(
        trace.program,
        trace.inputs,
        max_steps,
        malloc_may_fail=trace.malloc_may_fail,
        choose_garbage=trace.choose_garbage,
    )


def exits(trace: Trace, max_steps: int) -> bool:
    """Whether the run exits within `max_steps` more steps; cheap, because it checks nothing else."""
    if trace.outcome != "steps":
        return trace.outcome == "exit"
    machine = Machine(trace.program, malloc_may_fail=trace.malloc_may_fail)
    state = machine.start(GivenInputs(trace.inputs, chooses_garbage=trace.choose_garbage))
    for _ in range(max_steps):
        try:
            if machine.step(state) is None:
                return False
        except Ended as end:
            return end.status is not None
        except (Violation, NotModelled):
            return False
    return False


class _Run:
    """One run in progress."""

    def __init__(self, machine: Machine, source: GivenInputs, *, check_leaks: bool) -> None:
        self.machine = machine
        self.source = source
        self.output: list[str] = []
        self.check_leaks = check_leaks
        self.trace = Trace(machine.program, machine.malloc_may_fail, choose_garbage=source.chooses_garbage)
        self.liveness = Liveness(machine.program)
        self.reported: set[int] = set()
        self.passed: set[int] = set()
        """The blocks that unknown code was given: it may keep or free them, and what they lead to."""

    def run(self, max_steps: int) -> Trace:
        trace = self.trace
        state = self.machine.start(self.source, self.output)
        for number in range(max_steps):
            if not self._step(state, number):
                break
        trace.inputs = [value for value, _ in self.source.used]
        trace.reasons = [why for _, why in self.source.used]
        trace.output = "".join(self.output)
        trace.tainted = state.tainted
        return trace

    def _step(self, state: State, number: int) -> bool:
        """Execute one step and write it down; false at the end."""
        trace = self.trace
        frame = state.frames[-1]
        location = frame.location
        step = self.machine.step_at(location, frame.function)
        if step is None:
            trace.outcome = "blocked"
            return False
        taken = len(self.source.used)
        trace.steps.append(TraceStep(number, location, step.operation, len(state.frames), input=taken))
        place = step.operation.place
        self._pass_on(state, location)
        try:
            self.machine.step(state)
        except Violation as problem:
            trace.outcome = "error"
            where = problem.place or place
            message = _with_file(problem.message, state, problem.block, where)
            message += _culprit(self.machine, step.operation, state, problem)
            fault = Fault(problem.kind, where, message, block=problem.block)
            trace.faults.append(fault)
            return False
        except NotModelled as problem:
            trace.outcome, trace.reason = "unsupported", f"{place}: {problem.reason}"
            return False
        except Ended as end:
            trace.outcome = "abort" if end.status is None else "exit"
            trace.status = _exit_status(end.status)
            if end.status is not None and self.check_leaks:
                self._leaks_at_end(state, place)
            return False
        if step.condition is not None:
            truth = frame.location == step.target
            trace.steps[-1] = TraceStep(number, location, step.operation, len(state.frames), truth, taken)
        if self.check_leaks and isinstance(step.operation, LOSING):
            self._report_leaks(state, place)
        return True

    def _pass_on(self, state: State, location: str) -> None:
        """Note the blocks that unknown code is given at a location."""
        for pointer in self.machine.passed_pointers(location) if self.check_leaks else ():
            try:
                value = self.machine.compiler.value(pointer)(state)
            except (Violation, NotModelled):
                continue
            if isinstance(value, Pointer):
                self.passed |= state.reachable([value.block])

    def _report_leaks(self, state: State, place: Place) -> None:
        lost = lost_blocks(self.machine, state, self.liveness.dead_temporaries)
        elsewhere = state.reachable(list(self.passed)) if lost and self.passed else set()
        for number in lost:
            if number not in self.reported and number not in elsewhere:
                self.reported.add(number)
                message = _with_file(f"{state.blocks[number].label} is lost", state, number, place)
                fault = Fault("memory_leak", place, message, "lost", number)
                self.trace.faults.append(fault)

    def _leaks_at_end(self, state: State, place: Place) -> None:
        self._report_leaks(state, place)
        elsewhere = state.reachable(list(self.passed))
        for number, block in state.blocks.items():
            if block.kind == "heap" and block.alive and number not in self.reported | elsewhere:
                message = _with_file(f"{block.label} is not freed at the end", state, number, place)
                self.trace.faults.append(Fault("memory_leak", place, message, "exit", number))


def _exit_status(status: int | None) -> int | None:
    return None if status is None else IntegerType(8, signed=False).wrap(status)


def roots(machine: Machine, state: State, dead: Callable[[str, str], frozenset[str]]) -> list[int]:
    """The blocks that the program can name: globals, strings, variables except temporaries that are used up."""
    result = list(machine.fixed_blocks)
    for frame in state.frames:
        gone = dead(frame.function, frame.location)
        result += [number for name, number in frame.locals.items() if name not in gone]
        result += frame.stack_blocks
    return result


def lost_blocks(machine: Machine, state: State, dead: Callable[[str, str], frozenset[str]]) -> list[int]:
    """The heap blocks that live and that no pointer leads to any more."""
    heap = [n for n, b in state.blocks.items() if b.kind == "heap" and b.alive]
    if not heap:
        return []
    reached = state.reachable(roots(machine, state, dead))
    return [number for number in heap if number not in reached]


def _with_file(message: str, state: State, number: int | None, place: Place) -> str:
    """A message about a block; the line where it began has its file, if this is another one than that of the error."""
    begun = state.blocks[number].place if number is not None and number in state.blocks else None
    if begun is None or begun.file == place.file:
        return message
    return message.replace(f"from line {begun.line}", f"from {begun.file}:{begun.line}")


def _culprit(machine: Machine, operation: Operation, state: State, problem: Violation) -> str:
    """The pointer that is NULL, uninitialized or dangling where an operation fails for it, as an end of the message.

    In a library function it is the argument that the program passes.
    """
    inside = operation.place.file in machine.program.library
    if problem.kind not in _POINTER_ERRORS or (problem.place is not None and not inside):
        return ""
    depth, candidates = len(state.frames), list(_pointers(operation))
    while depth > 1 and operation.place.file in machine.program.library:
        call = state.frames[depth - 1].call
        if call is None:
            return ""
        operation, depth = call, depth - 1
        candidates = [a for a in call.arguments if isinstance(a.type, PointerType)]
    own = state.locals
    state.locals = state.frames[depth - 1].locals
    try:
        names = (_name(machine, pointer, state, problem) for pointer in candidates)
        return next((f": {name}" for name in names if name), "")
    finally:
        state.locals = own


def _pointers(operation: Operation) -> Iterator[Expression]:
    """The pointers through which an operation may access memory."""
    for node in (node for expression in expressions(operation) for node in walk(expression)):
        if isinstance(node, Deref):
            yield node.pointer
    if isinstance(operation, Free | HandOut | MemSet | Realloc):
        yield operation.pointer
    elif isinstance(operation, MemCopy):
        yield from (operation.destination, operation.source)
    elif isinstance(operation, Print):
        yield from operation.texts


def _name(machine: Machine, pointer: Expression, state: State, problem: Violation) -> str:
    """The pointer as the source writes it, if it is the one of the message."""
    text = _SAME_NAME.sub("", str(pointer))
    if _MADE in text:
        return ""
    try:
        value = machine.compiler.value(pointer)(state)
    except (Violation, NotModelled):  # a pointer in it is the one
        return ""
    return text if _fails(value, state, problem) else ""


def _fails(value: Value, state: State, problem: Violation) -> bool:
    """Whether the value of a pointer is what the message is about."""
    if problem.message == NULL_MESSAGE:
        return value == 0
    block = state.blocks.get(value.block) if isinstance(value, Pointer) else None
    if problem.message == UNINITIALIZED_MESSAGE:
        return isinstance(value, Undefined) or (block is not None and block.kind == GARBAGE)
    return isinstance(value, Pointer) and value.block == problem.block
