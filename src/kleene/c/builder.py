"""Builds the automaton of one function: locations, edges, scopes, labels; knows nothing of libclang."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field

from kleene.cfa.expressions import AddressOf, Variable, root_variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import DeclareLocal, EndScope, Operation, Place, Skip, Unsupported, expressions
from kleene.cfa.types import RecordType, Type


@dataclass
class Scope:
    """A block of the source with the variables declared in it so far."""

    parent: Scope | None
    variables: list[Variable] = field(default_factory=list)

    def chain(self) -> list[Scope]:
        """This scope and those around it, innermost first."""
        scopes, scope = [], self
        while scope.parent is not None:
            scopes.append(scope)
            scope = scope.parent
        return [*scopes, scope]


Live = tuple[tuple[Scope, tuple[Variable, ...]], ...]
"""The scopes around a place, innermost first, with the variables that are declared before it."""


@dataclass
class _Jump:
    source: int
    label: str
    live: Live
    place: Place


class Builder:
    """The automaton under construction. `here` is the location that the next operation leaves.

    Locations are numbers that may later turn out to be the same (`connect`); `finish` names them.
    """

    def __init__(self, function: str, global_names: Container[str] = ()) -> None:
        self.function = function
        self._global_names = global_names
        self._edges: list[tuple[int, Operation, int]] = []
        self._same: dict[int, int] = {}
        self._count = 0
        self.entry = self.new()
        self.exit = self.new()
        self.here = self.entry
        self.scope = Scope(None)
        self.locals: list[Variable] = []
        self._names: dict[str, int] = {}
        self._labels: dict[str, tuple[int, Live]] = {}
        self._jumps: list[_Jump] = []
        self._temporaries: list[Variable] = []
        self._hangs: dict[int, Place] = {}
        self._at_end: dict[Variable, Callable[[Place], Operation]] = {}

    def new(self) -> int:
        self._count += 1
        return self._count - 1

    def _find(self, location: int) -> int:
        while location in self._same:
            location = self._same[location]
        return location

    def emit(self, operation: Operation, target: int | None = None) -> None:
        """Add an edge from here; `here` becomes its target."""
        target = self.new() if target is None else target
        self._edges.append((self.here, operation, target))
        self.here = target

    def branch(self, source: int, operation: Operation, target: int) -> None:
        self._edges.append((source, operation, target))

    def connect(self, source: int, target: int, place: Place) -> None:
        """Make `source`, which has no edges yet, the same location as `target`."""
        source, target = self._find(source), self._find(target)
        if source == target:
            self._hangs[source] = place
        else:
            self._same[source] = target

    def unique(self, name: str, *, may_hide: bool = False) -> str:
        """The name, with a number when it is taken in this function, or when it would hide a global.

        In a whole program the variables of the entry and the globals are told apart by their names.
        """
        first = 1 if name in self._global_names and not may_hide else 0
        self._names[name] = self._names.get(name, first) + 1
        return name if self._names[name] == 1 else f"{name}#{self._names[name]}"

    def temporary(self, type_: Type) -> Variable:
        variable = Variable(f"$t{len(self._temporaries) + 1}", type_)
        self._temporaries.append(variable)
        self.locals.append(variable)
        return variable

    def declare(self, name: str, type_: Type, place: Place) -> Variable:
        """A new local of the current scope, beginning to live here."""
        variable = Variable(self.unique(name), type_)
        self.locals.append(variable)
        self.scope.variables.append(variable)
        self.emit(DeclareLocal(place, variable))
        return variable

    def open_scope(self) -> None:
        self.scope = Scope(self.scope)

    def close_scope(self, place: Place) -> None:
        assert self.scope.parent is not None
        self._end([(self.scope, tuple(self.scope.variables))], place)
        self.scope = self.scope.parent

    def at_end(self, variable: Variable, operation: Callable[[Place], Operation]) -> None:
        """Let an operation happen wherever the variable ends, before it does."""
        self._at_end[variable] = operation

    def _end(self, scopes: Iterable[tuple[Scope, tuple[Variable, ...]]], place: Place) -> None:
        for operation in self._ends(scopes, place):
            self.emit(operation)

    def _ends(self, scopes: Iterable[tuple[Scope, tuple[Variable, ...]]], place: Place) -> list[Operation]:
        """The end of variables of scopes, innermost first: what happens at their ends in reverse order, then this."""
        live = [(scope, variables) for scope, variables in scopes if variables]
        result = self._last_operations(live, place)
        ended = tuple(v for _, variables in live for v in variables)
        return [*result, EndScope(place, ended)] if ended else result

    def _last_operations(self, scopes: Iterable[tuple[Scope, tuple[Variable, ...]]], place: Place) -> list[Operation]:
        ending = [v for _, variables in scopes for v in reversed(variables) if v in self._at_end]
        return [self._at_end[v](place) for v in ending]

    def before_return(self, place: Place) -> list[Operation]:
        """What happens at the ends of the variables that are declared here, if the function returns."""
        return self._last_operations(self.live(), place)

    def leave_scopes(self, until: Scope, place: Place) -> None:
        """Before a jump out of scopes up to, not with, `until`: their variables end."""
        chain = self.scope.chain()
        left = chain[: next((n for n, scope in enumerate(chain) if scope is until), len(chain))]
        self._end(tuple((scope, tuple(scope.variables)) for scope in left), place)

    def jump(self, target: int, place: Place) -> None:
        """Continue at `target`; the code that follows is reachable only by a label."""
        self.connect(self.here, target, place)
        self.here = self.new()

    def goto(self, label: str, place: Place) -> None:
        self._jumps.append(_Jump(self.here, label, self.live(), place))
        self.here = self.new()

    def live(self) -> Live:
        """The variables that are declared here."""
        return tuple((scope, tuple(scope.variables)) for scope in self.scope.chain())

    def label(self, name: str, place: Place) -> None:
        target = self.new()
        self.connect(self.here, target, place)
        self.here = target
        self._labels[name] = (target, self.live())

    def finish(self) -> Cfa[Operation]:
        """The automaton: jumps resolved, equal locations merged, unreachable edges dropped, locations numbered."""
        for jump in self._jumps:
            self._resolve(jump)
        objects = {variable for variable in self._temporaries if isinstance(variable.type, RecordType)}
        edges = [(self._find(s), _in_time(op, objects), self._find(t)) for s, op, t in self._edges]
        for location, place in self._hangs.items():
            end = self._find(location)
            if all(s != end for s, _, _ in edges):
                edges.append((end, Skip(place), end))
        return self._number(edges)

    def _resolve(self, jump: _Jump) -> None:
        """A jump ends the variables of the scopes that it leaves, and begins those that it passes by."""
        target, there = self._labels[jump.label]
        kept = {id(scope): variables for scope, variables in there}
        ended = [(scope, variables) for scope, variables in jump.live if id(scope) not in kept]
        passed = [(scope, tuple(v for v in vs if v not in kept.get(id(scope), vs))) for scope, vs in jump.live]
        first = [*self._ends(ended, jump.place), *self._last_operations(passed, jump.place)]
        self.enter(jump.source, first, jump.live, (target, there), jump.place)

    def enter(
        self, source: int, first: Sequence[Operation], before: Live, target: tuple[int, Live], place: Place
    ) -> None:
        """Connect `source`, which has no edges yet, with a target.

        An object lives from the entry into its block (C17, 6.2.4): what is declared between both begins to live.
        """
        known = {v for _, variables in before for v in variables}
        begun = [v for _, variables in reversed(target[1]) for v in variables if v not in known]
        for operation in (*first, *(DeclareLocal(place, variable) for variable in begun)):
            following = self.new()
            self.branch(source, operation, following)
            source = following
        self.connect(source, target[0], place)

    def _number(self, edges: list[tuple[int, Operation, int]]) -> Cfa[Operation]:
        leaving: dict[int, list[tuple[int, Operation, int]]] = {}
        for edge in edges:
            leaving.setdefault(edge[0], []).append(edge)
        entry = self._find(self.entry)
        seen = {entry}
        stack = [entry]
        while stack:
            for _, _, target in leaving.get(stack.pop(), ()):
                if target not in seen:
                    seen.add(target)
                    stack.append(target)
        names = {self._find(self.exit): f"{self.function}.exit"}
        for source, _, target in edges:
            if source in seen:
                for location in (source, target):
                    names.setdefault(location, f"{self.function}.{len(names) - 1}")
        names.setdefault(entry, f"{self.function}.{len(names) - 1}")
        kept = tuple(Edge(names[s], op, names[t]) for s, op, t in edges if s in seen)
        return Cfa(names[entry], kept)


def _in_time(operation: Operation, objects: set[Variable]) -> Operation:
    """The operation; a pointer into the result of a call, which ends with its expression, is refused (C17, 6.2.4)."""
    parts = (part for whole in expressions(operation) for part in walk(whole)) if objects else ()
    if any(isinstance(part, AddressOf) and root_variable(part.target) in objects for part in parts):
        advice = "keep the result in a variable first"
        return Unsupported(
            operation.place, f"a pointer into the result of a call, which ends with the expression: {advice}"
        )
    return operation
