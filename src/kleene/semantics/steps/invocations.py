"""Calls of functions that are analysed apart: predicates that the callee gets, and predicates that it returns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from kleene.cfa.expressions import Variable, walk
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Enter, Invoke, Operation, expressions
from kleene.cfa.program import CProgram
from kleene.logic.formula import TRUE, conj, exists
from kleene.logic.roles import RoleKind
from kleene.passes.facts.memory import Unmodelled
from kleene.semantics.steps.context import Alarm, Cause, Step, StepContext
from kleene.semantics.vocabulary.groups import Group
from kleene.semantics.vocabulary.names import OPAQUE, at
from kleene.semantics.vocabulary.predicates import Symbols
from kleene.transformers.action import Action, Message

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CallAction(Action):
    """A call: predicates of the callee with those of the caller that they get their values from, and back again.

    `given` are pointer parameters: (parameter, argument), by offset. `kept` are pointers that are needed afterwards and
    that the callee does not know. `shared` are the predicates of the global variables that it knows. The message is for
    calls that cannot be followed.
    """

    function: str = ""
    given: Pairs = ()
    values: Pairs = ()
    results: Pairs = ()
    result_values: Pairs = ()
    kept: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()


@dataclass(frozen=True)
class CallVocabulary:
    """Facts about the predicates that the domain needs for programs with procedures."""

    groups: tuple[Group, ...]
    edges: tuple[str, ...]
    roots: tuple[str, ...]
    pointers: frozenset[str]
    """Unary predicates of pointer variables, and of variables that are memory objects."""
    markers: tuple[str, ...]
    back: frozenset[str]
    """Cells that point against the structure."""


def call_vocabulary(symbols: Symbols) -> CallVocabulary:
    pointers = {p.predicate(o) for p in symbols.pointers for o in p.offsets}
    objects = {symbols.object(v) for v in symbols.memory.objects}
    return CallVocabulary(
        tuple(symbols.groups),
        tuple(name for _, name in symbols.edges),
        tuple(symbols.roots),
        frozenset(pointers | objects),
        tuple(p.name for p in symbols.pointers if p.kind is RoleKind.MARKER),
        symbols.shape.back if OPAQUE in symbols.unaries else frozenset(),
    )


def known_globals(program: CProgram, cfa: Cfa[Operation]) -> dict[str, frozenset[Variable]]:
    """The global variables that a function, or one that it calls, names. Others it reaches by pointers only.

    All constants are known: to write to one through a pointer is an error.
    """
    constants = {g.variable for g in program.globals if g.constant}
    own: dict[str, set[Variable]] = {}
    calls: dict[str, set[str]] = {}
    for enter in cfa.edges:
        if isinstance(enter.label, Enter):
            name, body = enter.label.function, Cfa(enter.source, cfa.edges)
            inside = [e.label for e in cfa.edges if e.source in body.reachable]
            nodes = [n for label in inside for x in expressions(label) for n in walk(x)]
            own[name] = constants | {n for n in nodes if isinstance(n, Variable) and n.is_global}
            calls[name] = {label.function for label in inside if isinstance(label, Invoke)}
    for _ in own:
        for name, others in calls.items():
            own[name].update(*(own[other] for other in others))
    return {name: frozenset(variables) for name, variables in own.items()}


class InvocationSteps:
    """The step of a call."""

    def __init__(self, context: StepContext) -> None:
        self.context = context
        self.memory = context.memory
        self.constants = context.constants
        self.symbols = context.symbols

    def invoke(self, operation: Invoke, live: Iterable[Variable]) -> None:
        text = f"the call of {operation.function}, which can reach too many blocks that its caller knows"
        alarm = Alarm("unsupported", self.context.place, text, Cause.TOO_FEW_MARKERS)
        given, values = self._predicate_pairs(zip(operation.parameters, operation.arguments, strict=True))
        back = []
        if operation.target is not None and operation.returned is not None:
            back.append((operation.target, operation.returned))
        results, result_values = self._predicate_pairs(back)
        known = self.known_globals[operation.function]
        needed = [v for v in live if v != operation.target and not v.is_global]
        needed += [v for v in self.memory.pointers if v.is_global and v not in known]
        kept = [self.symbols.pointer(v) for v in needed if self.memory.kind(v) == "pointer"]
        objects = [self.symbols.object(v) for v in self.memory.objects if v not in known]
        action = CallAction(
            f"call {operation.function}",
            str(operation),
            messages=(Message(TRUE, self.context.name_alarm(alarm)),),
            function=operation.function,
            given=given,
            values=values,
            results=results,
            result_values=result_values,
            kept=frozenset([p.predicate(o) for p in kept for o in p.offsets] + objects),
            shared=frozenset(name for v in known for name in self._predicates_of(v)),
        )
        self._decide_reached(operation)
        self.context.steps.append(Step(action))

    @cached_property
    def known_globals(self) -> dict[str, frozenset[Variable]]:
        return known_globals(self.memory.program, self.memory.cfa)

    def _predicates_of(self, variable: Variable) -> list[str]:
        """All core predicates of a variable itself."""
        match self.memory.kind(variable):
            case "pointer":
                pointer = self.symbols.pointer(variable)
                return [
                    *(pointer.predicate(o) for o in pointer.offsets),
                    self.symbols.undefined_predicate(pointer),
                ]
            case "integer":
                return [self.symbols.integer(variable, c) for c in self.constants.of(variable)]
            case "object":
                return [self.symbols.object(variable)]
        return []

    def _decide_reached(self, operation: Invoke) -> None:
        """Split until the set of nodes that the arguments reach is definite: the callee gets exactly these nodes."""
        pointers = [self.symbols.pointer(v) for v in operation.arguments if self.memory.kind(v) == "pointer"]
        groups = [g for g in self.symbols.followed if not set(g.cells) <= self.symbols.shape.back]
        focus = [
            exists(["u"], conj(pointer.at(o, "u"), at(group.closure, "u", "v")))
            for pointer in pointers
            for o in pointer.offsets
            for group in groups
        ]
        if focus:
            self.context.step(f"arguments of {operation.function}", (), focus=focus)

    def _predicate_pairs(self, pairs: Iterable[tuple[Variable, Variable]]) -> tuple[Pairs, Pairs]:
        """For (target, source) variables: the pairs of pointer predicates, and of predicates without nodes."""
        pointers: list[tuple[str, str]] = []
        values: list[tuple[str, str]] = []
        for target, source in pairs:
            kind = self.memory.kind(target)
            if kind != self.memory.kind(source):
                raise Unmodelled(f"{source} as {target}")
            if kind == "pointer":
                to, of = self.symbols.pointer(target), self.symbols.pointer(source)
                if not set(of.offsets) <= set(to.offsets):
                    raise Unmodelled(f"{to.name} may point to too many places inside objects")
                pointers += [(to.predicate(o), of.predicate(o)) for o in of.offsets]
                values.append((self.symbols.undefined_predicate(to), self.symbols.undefined_predicate(of)))
            elif kind == "integer":
                known = [c for c in self.constants.of(target) if c in self.constants.of(source)]
                if len(known) != len(self.constants.of(target)):
                    raise Unmodelled(f"the values of {source} as {target}")
                values += [(self.symbols.integer(target, c), self.symbols.integer(source, c)) for c in known]
        return tuple(pointers), tuple(values)
