"""Executes a program on a state, one operation at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kleene.cfa.expressions import Expression, FunctionAddress, StringLiteral, walk
from kleene.cfa.operations import Assume, Operation, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType
from kleene.domains.explicit.arithmetic import compare_numbers
from kleene.domains.explicit.constraints import EMPTY, Store
from kleene.domains.explicit.entry import entry_value
from kleene.domains.explicit.evaluate import Compiler
from kleene.domains.explicit.memory import Cell
from kleene.domains.explicit.operations import Ended, Operations
from kleene.domains.explicit.outside.given import missing_pointers, passed_pointers
from kleene.domains.explicit.state import Frame, InputSource, State
from kleene.domains.explicit.values import NotModelled, Undefined, Value, Violation

__all__ = ["Ended", "Machine", "Step"]


@dataclass(slots=True)
class Step:
    """The compiled edges of one location: a single operation, or a condition with two targets."""

    operation: Operation
    run: Callable[[State], None]
    target: str
    otherwise: str | None = None
    condition: Callable[[State], Value] | None = None
    is_assumption: bool = False
    """Whether a path ends with one of the outcomes of the condition."""


class Machine:
    """A program made executable. States are independent of each other; the machine itself does not change."""

    def __init__(self, program: CProgram, *, malloc_may_fail: bool) -> None:
        self.program = program
        self.malloc_may_fail = malloc_may_fail
        self._template = State(InputSource())
        self.fixed: dict[str, int] = {}
        self.strings: dict[bytes, int] = {}
        self.functions: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._make_fixed_blocks()
        self.compiler = Compiler(self.fixed, self.strings, self.functions, program.records)
        self.operations = Operations(program, self.compiler, self._names, malloc_may_fail=malloc_may_fail)
        self._code: dict[str, Step | None] = {}
        for variable in program.globals:
            block = self._template.blocks[self.fixed[variable.variable.name]]
            try:
                for assign in variable.initial:
                    self.operations.compile(assign, "")(self._template)
            except NotModelled:  # its value is not known
                block.kind = "opaque"
        for variable in program.globals:
            block = self._template.blocks[self.fixed[variable.variable.name]]
            if variable.constant and block.kind != "opaque":
                block.kind = "constant"
        self.fixed_blocks = dict(self._template.blocks)
        for block in self.fixed_blocks.values():
            block.owner = self

    def _make_fixed_blocks(self) -> None:
        state = self._template
        for variable in self.program.globals:
            name = variable.variable.name
            kind = "opaque" if variable.external else "global"
            number = state.new_block(kind, variable.variable.type.size, name)
            state.blocks[number].zeroed = True
            self.fixed[name] = number
        operations: list[Operation] = [a for g in self.program.globals for a in g.initial]
        operations += [e.label for f in self.program.functions.values() for e in f.cfa.edges]
        for name in self.program.functions:
            self._function_block(name)
        for operation in operations:
            for expression in expressions(operation):
                for node in walk(expression):
                    if isinstance(node, StringLiteral) and node.value not in self.strings:
                        self._string_block(node)
                    elif isinstance(node, FunctionAddress):
                        self._function_block(node.name)

    def _function_block(self, name: str) -> None:
        if name not in self.functions:
            self.functions[name] = self._template.new_block("function", 1, name)
            self._names[self.functions[name]] = name

    def _string_block(self, node: StringLiteral) -> None:
        number = self._template.new_block("string", len(node.value), str(node))
        signed = IntegerType(8, signed=True)
        cells: dict[int, Cell] = {8 * i: (8, signed.wrap(byte)) for i, byte in enumerate(node.value)}
        self._template.blocks[number].cells = cells
        self.strings[node.value] = number

    def start(self, source: InputSource, output: list[str] | None = None, store: Store = EMPTY) -> State:
        """The state at the entry of the program with its parameters; the store has the constraints on inputs."""
        state = self._template.clone()
        state.source = source
        state.store = store
        state.output = output
        main = self.program.main
        state.push(Frame(main.name, main.cfa.entry))
        given: list[Value] = []
        for number, parameter in enumerate(main.parameters):
            value = entry_value(state, self.program, number, given)
            given.append(value)
            kind = "opaque" if isinstance(value, Undefined) else "stack"
            block = state.new_block(kind, parameter.type.size, parameter.name)
            state.locals[parameter.name] = block
            state.blocks[block].store(0, parameter.type.size * 8, value)
        return state

    def passed_pointers(self, location: str) -> list[Expression]:
        """The pointers that unknown code is given at a location."""
        return passed_pointers(self.program, location) if location in self.program.passed_on else []

    def step_at(self, location: str, function: str) -> Step | None:
        """The step at a location; None where the path ends (at a false assumption)."""
        if location not in self._code:
            self._code[location] = self._compile(location, function)
        return self._code[location]

    def step(self, state: State) -> Step | None:
        """Execute one operation and advance the state; None if there is no operation."""
        step = self.step_at(state.frames[-1].location, state.frames[-1].function)
        if step is not None:
            try:
                self._execute(state, step)
            except Violation as problem:
                if problem.place is None and step.operation.place.file in self.program.library:
                    problem.place = state.call_from(step.operation.place, self.program.library)
                raise
        return step

    def _execute(self, state: State, step: Step) -> None:
        frame = state.frames[-1]
        if step.condition is not None:
            value = step.condition(state)
            truth = value if type(value) is int else compare_numbers(state, "!=", value, 0)
            target = step.target if truth else step.otherwise
            assert target is not None
            frame.location = target
        else:
            depth = len(state.frames)
            step.run(state)
            if len(state.frames) == depth:
                frame.location = step.target
        if state.pending:
            state.pending = {}

    def _compile(self, location: str, function: str) -> Step | None:
        edges = self.program.functions[function].cfa.leaving(location)
        if not edges:
            return None
        first = edges[0]
        if isinstance(first.label, Assume):
            condition = self.compiler.value(first.label.condition)
            targets = {e.label.truth: e.target for e in edges if isinstance(e.label, Assume)}
            nowhere = f"{function}.nowhere"
            yes, no = targets.get(True, nowhere), targets.get(False, nowhere)
            ends = any(not self.program.functions[function].cfa.leaving(target) for target in (yes, no))
            return Step(first.label, nothing, yes, no, condition, is_assumption=ends)
        run = self.operations.compile(first.label, first.target)
        leave = missing_pointers(self.program, self.compiler, location, first.label)
        return Step(first.label, run if leave is None else _one_after_the_other(leave, run), first.target)


def _one_after_the_other(first: Callable[[State], None], second: Callable[[State], None]) -> Callable[[State], None]:
    def both(state: State) -> None:
        first(state)
        second(state)

    return both


def nothing(state: State) -> None:
    pass
