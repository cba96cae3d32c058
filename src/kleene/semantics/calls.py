"""Calls of functions that are analysed apart, in terms of predicates: what the callee gets and what it gives back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kleene.cfa.expressions import Variable
from kleene.cfa.operations import Invoke
from kleene.logic.formula import TRUE, conj, exists
from kleene.semantics.conditions import ConditionSteps
from kleene.semantics.groups import Group
from kleene.semantics.memory import Unmodelled
from kleene.semantics.names import MARKER, OPAQUE, at
from kleene.semantics.predicates import Symbols
from kleene.semantics.steps import Alarm, Step
from kleene.transformers.action import Action, Message

TOO_MANY = "which can reach too many blocks that its caller knows"
"""Why a call cannot be followed: more markers may help."""
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CallAction(Action):
    """A call: predicates of the callee with those of the caller that they get their values from, and back again.

    `given` are pointer parameters: (parameter, argument), by offset. `kept` are the caller's pointers that are needed
    afterwards. The message is for calls that cannot be followed.
    """

    function: str = ""
    given: Pairs = ()
    values: Pairs = ()
    results: Pairs = ()
    result_values: Pairs = ()
    kept: frozenset[str] = frozenset()


@dataclass(frozen=True)
class CallVocabulary:
    """What the domain has to know about the predicates of a program with procedures."""

    groups: tuple[Group, ...]
    edges: tuple[str, ...]
    roots: tuple[str, ...]
    pointers: frozenset[str]
    """Unary predicates of pointer variables, and of variables that are memory objects."""
    globals: frozenset[str]
    """The predicates that belong to global variables, of pointers, objects and values."""
    markers: tuple[str, ...]
    back: frozenset[str]
    """Cells that point against the structure."""


def call_vocabulary(symbols: Symbols, global_values: Iterable[str]) -> CallVocabulary:
    memory = symbols.memory
    shared = {symbols.name(v) for v in memory.pointers if v.is_global}
    pointers = {p.predicate(o) for p in symbols.pointers for o in p.offsets}
    objects = {symbols.object(v) for v in memory.objects}
    common = {p.predicate(o) for p in symbols.pointers if p.name in shared for o in p.offsets}
    common |= {p.undefined for p in symbols.pointers if p.name in shared}
    common |= {symbols.object(v) for v in memory.objects if v.is_global}
    return CallVocabulary(
        tuple(symbols.groups),
        tuple(name for _, name in symbols.edges),
        tuple(symbols.roots),
        frozenset(pointers | objects),
        frozenset(common | set(global_values)),
        tuple(p.name for p in symbols.pointers if p.name.startswith(MARKER)),
        symbols.shape.back if OPAQUE in symbols.unaries else frozenset(),
    )


class CallSteps(ConditionSteps):
    """The step of a call."""

    def _invoke(self, operation: Invoke, live: Iterable[Variable]) -> None:
        text = f"the call of {operation.function}, {TOO_MANY}"
        alarm = Alarm("unsupported", self.place, text)
        given, values = self._bound(zip(operation.parameters, operation.arguments, strict=True))
        back = []
        if operation.target is not None and operation.returned is not None:
            back.append((operation.target, operation.returned))
        results, result_values = self._bound(back)
        needed = [v for v in live if v != operation.target and not v.is_global]
        kept = [self.symbols.pointer(v) for v in needed if self.memory.kind(v) == "pointer"]
        objects = [self.symbols.object(v) for v in self.memory.objects if not v.is_global]
        action = CallAction(
            f"call {operation.function}",
            str(operation),
            messages=(Message(TRUE, self._named_alarm(alarm)),),
            function=operation.function,
            given=given,
            values=values,
            results=results,
            result_values=result_values,
            kept=frozenset([p.predicate(o) for p in kept for o in p.offsets] + objects),
        )
        self._decide_reached(operation)
        self.steps.append(Step(action))

    def _decide_reached(self, operation: Invoke) -> None:
        """Split until it is certain what the arguments reach: the callee gets that and no more."""
        pointers = [self.symbols.pointer(v) for v in operation.arguments if self.memory.kind(v) == "pointer"]
        groups = [g for g in self.symbols.groups if not set(g.cells) <= self.symbols.shape.back]
        focus = [
            exists(["u"], conj(pointer.at(o, "u"), at(group.closure, "u", "v")))
            for pointer in pointers
            for o in pointer.offsets
            for group in groups
        ]
        if focus:
            self._step(f"arguments of {operation.function}", (), focus=focus)

    def _bound(self, pairs: Iterable[tuple[Variable, Variable]]) -> tuple[Pairs, Pairs]:
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
                values.append((self.symbols.nullary(to.undefined), self.symbols.nullary(of.undefined)))
            elif kind == "integer":
                known = [c for c in self.constants.of(target) if c in self.constants.of(source)]
                if len(known) != len(self.constants.of(target)):
                    raise Unmodelled(f"the values of {source} as {target}")
                values += [(self.symbols.integer(target, c), self.symbols.integer(source, c)) for c in known]
        return tuple(pointers), tuple(values)
