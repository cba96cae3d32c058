"""Jumps between functions: `setjmp` and `longjmp` (C17, 7.13), as returns that callers look at.

Each `setjmp` has a variable of its function, its *frame*. It writes the address of the frame into its buffer.
`longjmp` reads this address back and looks at the frame: one of a function that has returned is gone, and using it is
an error. The address is then what every function returns with, until the function comes that has the frame. There the
run continues behind `setjmp`. So the analyses see calls, returns and branches only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kleene.cfa.expressions import (
    AddressOf,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    FloatConstant,
    Variable,
)
from kleene.cfa.graph import Cfa, Edge, chain
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    DeclareLocal,
    EndScope,
    Operation,
    Place,
    Return,
    Unsupported,
)
from kleene.cfa.program import Assumption, CProgram, Function, Global
from kleene.cfa.types import INT, FloatType, IntegerType, PointerType, RecordType, Type

if TYPE_CHECKING:
    from kleene.c.lowering import LoweringContext

SET, JUMP = "$setjmp", "$longjmp"
"""The names of the calls that stand for both functions between the lowering and `with_jumps`."""
_VALUE = Variable("value of longjmp", INT, is_global=True)
"""The second argument of the `longjmp` that is under way."""
_ASSUMPTION = (
    "longjmp() leaves all variables as they are: C allows this, but those that are not volatile and have changed since "
    "setjmp() need not keep their values"
)
_ARRAYS = "longjmp out of the scope of an array of variable length"
_NO_FRAME = "longjmp to no active function"


def set_place(lower: LoweringContext, cursor: Any, buffer: Expression, result: Expression) -> Expression:
    """`result = setjmp(buffer)`."""
    lower.builder.emit(Call(lower.place(cursor), SET, (buffer,), result))
    return result


def jump(lower: LoweringContext, cursor: Any, buffer: Expression, value: Expression) -> None:
    """`longjmp(buffer, value)`: the code that follows is not reached."""
    if not isinstance(value, Constant):
        value = lower.as_temporary(cursor, value)
    lower.builder.emit(Call(lower.place(cursor), JUMP, (buffer, value)), lower.builder.exit)
    lower.builder.here = lower.builder.new()


def with_jumps(program: CProgram) -> CProgram:
    """The program without calls of `setjmp` and `longjmp`."""
    if not any(_calls(o, SET) or _calls(o, JUMP) for o in program.operations):
        return program
    jumping = _jumping_functions(program)
    target = Variable("target of longjmp", PointerType(INT, program.pointer_size), is_global=True)
    functions = {
        name: _Jumps(program, function, jumping, target).function() for name, function in program.functions.items()
    }
    if not jumping:
        return replace(program, functions=functions)
    assumption = Assumption("longjmp", "jump", _ASSUMPTION)
    return replace(
        program,
        functions=functions,
        globals=(*program.globals, Global(target), Global(_VALUE)),
        assumptions=(*program.assumptions, assumption),
    )


def _calls(operation: Operation, name: str) -> bool:
    return isinstance(operation, Call) and operation.function == name


def _jumping_functions(program: CProgram) -> frozenset[str]:
    """The functions that may end by a jump: those that call `longjmp`, and their callers."""
    jumping = {f.name for f in program.functions.values() if any(_calls(e.label, JUMP) for e in f.cfa.edges)}
    size = -1
    while size != len(jumping):
        size = len(jumping)
        jumping |= {name for name, callees in program.call_graph.items() if jumping.intersection(callees)}
    return frozenset(jumping)


@dataclass(frozen=True)
class _Site:
    """One `setjmp`: the variable that is its frame, its result, and the location behind it."""

    frame: Variable
    result: Expression | None
    behind: str


class _Jumps:
    """One function, rewritten."""

    def __init__(self, program: CProgram, function: Function, jumping: frozenset[str], target: Variable) -> None:
        self.program = program
        self.before = function
        self.jumping = jumping
        self.target = target
        self.null = Constant(0, target.type)
        self.locals: list[Variable] = []
        self.sites: dict[int, _Site] = {}
        self.arrays = frozenset(_array(edge.label) for edge in function.cfa.edges)

    def function(self) -> Function:
        edges = self.before.cfa.edges
        for number, edge in enumerate(edges):
            call = edge.label
            if isinstance(call, Call) and call.function == SET:
                which = f"frame {len(self.sites) + 1}" if self.sites else "frame"
                frame = self._local(f"{which} of {self.before.name}", INT)
                self.sites[number] = _Site(frame, call.result, edge.target)
        alive = _alive(self.before) if self.before.name in self.jumping else {}
        new = [e for number, edge in enumerate(edges) for e in self._edges(number, edge, alive)]
        entry, begin = self._begin()
        cfa = Cfa(entry, (*begin, *new))
        return replace(self.before, cfa=cfa, locals=(*self.before.locals, *self.locals))

    def _local(self, name: str, type_: Type) -> Variable:
        variable = Variable(name, type_)
        self.locals.append(variable)
        return variable

    def _begin(self) -> tuple[str, list[Edge[Operation]]]:
        """The frames live from the entry of the function to its end."""
        operations = [DeclareLocal(self.before.place, site.frame) for site in self.sites.values()]
        if not operations:
            return self.before.cfa.entry, []
        start = f"{self.before.name}.frames"
        return start, chain(start, operations, self.before.cfa.entry, start)

    def _edges(
        self, number: int, edge: Edge[Operation], alive: dict[str, frozenset[Variable]]
    ) -> Iterator[Edge[Operation]]:
        call = edge.label
        if number in self.sites:
            assert isinstance(call, Call)
            yield from self._set(edge, call, self.sites[number])
        elif isinstance(call, Call) and call.function == JUMP:
            yield from self._jump(edge.source, call, alive)
        elif isinstance(call, Call) and self.jumping.intersection(self.program.targets(call)):
            yield from self._look(number, edge, call, alive)
        else:
            yield edge

    def _set(self, edge: Edge[Operation], call: Call, site: _Site) -> list[Edge[Operation]]:
        operations: list[Operation] = [
            Assign(call.place, site.frame, Constant(0, INT)),
            Assign(call.place, self._kept(call.arguments[0]), AddressOf(site.frame, self.target.type)),
        ]
        if call.result is not None:
            operations.append(Assign(call.place, call.result, Constant(0, call.result.type)))
        return chain(f"{edge.source}.set", operations, edge.target, edge.source)

    def _kept(self, buffer: Expression) -> Expression:
        """Where a buffer keeps the frame: in its first bytes."""
        return Deref(Cast(buffer, PointerType(self.target.type, self.program.pointer_size)), self.target.type)

    def _jump(self, source: str, call: Call, alive: dict[str, frozenset[Variable]]) -> Iterator[Edge[Operation]]:
        """Takes the frame from the buffer, looks at it, and ends the functions up to it."""
        buffer, value = call.arguments
        here, one, other, away = (f"{source}.{part}" for part in ("jump", "one", "other", "away"))
        looked: list[Operation] = [
            Assign(call.place, self.target, self._kept(buffer)),
            Assign(call.place, _VALUE, Deref(self.target, INT)),  # fails if the function of the frame has returned
        ]
        yield from chain(here, looked, here, source)
        if isinstance(value, Constant):  # setjmp returns 0 only once (C17, 7.13.2.1, 4)
            yield Edge(here, Assign(call.place, _VALUE, Constant(value.value or 1, INT)), away)
        else:
            is_zero = Comparison("==", value, Constant(0, value.type))
            yield Edge(here, Assume(call.place, is_zero), one)
            yield Edge(here, Assume(call.place, is_zero, truth=False), other)
            yield Edge(one, Assign(call.place, _VALUE, Constant(1, INT)), away)
            yield Edge(other, Assign(call.place, _VALUE, value), away)
        yield from self._dispatch(away, call.place, alive.get(source, frozenset()), alive)

    def _look(
        self, number: int, edge: Edge[Operation], call: Call, alive: dict[str, frozenset[Variable]]
    ) -> Iterator[Edge[Operation]]:
        """A call behind which it is seen whether a jump is under way; then the result is not assigned."""
        returned, on, away = (f"{self.before.name}.{part}{number}" for part in ("returned", "on", "away"))
        result = self._local(f"$returned{number}", call.result.type) if call.result is not None else None
        yield Edge(edge.source, replace(call, result=result), returned)
        none = Comparison("==", self.target, self.null)
        if call.result is None or result is None:
            yield Edge(returned, Assume(call.place, none), edge.target)
        else:
            yield Edge(returned, Assume(call.place, none), on)
            yield Edge(on, Assign(call.place, call.result, result), edge.target)
        yield Edge(returned, Assume(call.place, none, truth=False), away)
        yield from self._dispatch(away, call.place, alive.get(edge.source, frozenset()), alive)

    def _dispatch(
        self, here: str, place: Place, ending: frozenset[Variable], alive: dict[str, frozenset[Variable]]
    ) -> Iterator[Edge[Operation]]:
        """Continue behind the `setjmp` whose frame the jump goes to, or return."""
        if ending & self.arrays:
            yield Edge(here, Unsupported(place, _ARRAYS), self.before.exit)
            return
        for number, site in enumerate(self.sites.values()):
            landing, other = f"{here}.landing{number}", f"{here}.other{number}"
            test = Comparison("==", self.target, AddressOf(site.frame, self.target.type))
            yield Edge(here, Assume(place, test), landing)
            yield Edge(here, Assume(place, test, truth=False), other)
            operations = self._land(site, place, ending, alive[site.behind])
            yield from chain(landing, operations, site.behind, landing)
            here = other
        if self.before.name == self.program.entry:
            yield Edge(here, Unsupported(place, _NO_FRAME), self.before.exit)
        else:
            yield Edge(here, Return(place, self._nothing()), self.before.exit)

    def _land(
        self, site: _Site, place: Place, ending: frozenset[Variable], beginning: frozenset[Variable]
    ) -> list[Operation]:
        operations: list[Operation] = [Assign(place, self.target, self.null)]
        if site.result is not None:
            value = _VALUE if site.result.type == INT else Cast(_VALUE, site.result.type)
            operations.append(Assign(place, site.result, value))
        ended = sorted(ending - beginning, key=str)
        operations += [EndScope(place, tuple(ended))] if ended else []
        return operations + [DeclareLocal(place, v) for v in sorted(beginning - ending, key=str)]

    def _nothing(self) -> Expression | None:
        """The value with which a function returns that a jump ends: nothing uses it."""
        type_ = self.before.type.result
        if isinstance(type_, IntegerType | PointerType):
            return Constant(0, type_)
        if isinstance(type_, FloatType):
            return FloatConstant(0.0, type_)
        return self._local(f"$none{len(self.locals)}", type_) if isinstance(type_, RecordType) else None


def _array(operation: Operation) -> Expression | None:
    """The array of variable length that begins here, whose block ends with its scope."""
    return operation.target if isinstance(operation, Allocate) and operation.scoped else None


def _alive(function: Function) -> dict[str, frozenset[Variable]]:
    """The variables that are declared and have not ended, by location; all paths to a location agree on them."""
    alive = {function.cfa.entry: frozenset[Variable]()}
    waiting = [function.cfa.entry]
    while waiting:
        here = waiting.pop()
        for edge in function.cfa.leaving(here):
            after = alive[here]
            if isinstance(edge.label, DeclareLocal):
                after |= {edge.label.variable}
            elif isinstance(edge.label, EndScope):
                after -= frozenset(edge.label.variables)
            if edge.target not in alive:
                alive[edge.target] = after
                waiting.append(edge.target)
    return alive
