"""Live variables: the analysis forgets dead ones, which keeps the number of structures small."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, fields

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import (
    EXPRESSION_KINDS,
    AddressOf,
    Binary,
    Cast,
    Constant,
    Expression,
    Unary,
    Variable,
    walk,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Call,
    DeclareLocal,
    EndScope,
    Enter,
    Error,
    Exit,
    Havoc,
    Invoke,
    Leave,
    Operation,
    Realloc,
    Return,
    Specified,
    Unsupported,
)
from kleene.cfa.types import IntegerType, PointerType


def defined_variables(operation: Operation) -> tuple[Variable, ...]:
    """The variables that the operation overwrites as a whole, or that end with it."""
    if isinstance(operation, Assign | Allocate | Realloc | Havoc) and isinstance(operation.target, Variable):
        return (operation.target,)
    if isinstance(operation, DeclareLocal):
        return (operation.variable,)
    if isinstance(operation, EndScope):
        return operation.variables
    if isinstance(operation, Enter):
        return operation.parameters
    if isinstance(operation, Specified):
        return operation.targets
    if isinstance(operation, Invoke) and operation.target is not None:
        return (operation.target,)
    if isinstance(operation, Call) and isinstance(operation.result, Variable):
        return (operation.result,)
    return ()


def used_variables(operation: Operation) -> frozenset[Variable]:
    """The variables whose value the operation reads."""
    if isinstance(operation, DeclareLocal | EndScope | Enter):
        return frozenset()
    if isinstance(operation, Invoke):
        return frozenset(operation.arguments)
    if isinstance(operation, Specified):
        return frozenset(operation.arguments)
    result: set[Variable] = set()
    written = "result" if isinstance(operation, Call) else "target"
    for attribute in fields(operation):
        value = getattr(operation, attribute.name)
        if attribute.name == written and isinstance(value, Variable):
            continue
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, EXPRESSION_KINDS):
                result |= _read(part)
    return frozenset(result)


def _read(expression: Expression) -> set[Variable]:
    if isinstance(expression, AddressOf) and isinstance(expression.target, Variable):
        return set()
    return {node for node in walk(expression) if isinstance(node, Variable)}


def live_before(
    cfa: Cfa[Operation],
    tracked: Set[Variable],
    *,
    whole_scope: bool = False,
    to_exits: bool = False,
    numbers: Set[Variable] = frozenset(),
) -> dict[str, frozenset[Variable]]:
    """For each location, the tracked variables whose value some path from there reads before writing it.

    A value that only goes into `numbers` that are not live is not read (Giegerich, Möncke, Wilhelm. Invariance of
    approximative semantics with respect to program transformations, 1981: faint variables).

    Where all paths lead to an exit or an error, the pointers that come there stay live, because they still hold their
    blocks; and at an operation that is not supported, because what follows may use them. With `whole_scope`, pointers
    are live until their scope ends: their blocks are not lost before. With `to_exits`, they are live wherever a path
    leads to an exit or an error in their scope.
    """
    scope = in_scope(cfa)
    pointers = {v for v in tracked if isinstance(v.type, PointerType) and not v.is_temporary}
    doomed = _doomed_locations(cfa) if not whole_scope and not to_exits else frozenset()
    ends = Exit | Error | Return if whole_scope else Exit | Error
    ended = dead_ends(cfa) - doomed  # in a slice, a way to an exit may end before it
    live: dict[str, frozenset[Variable]] = {name: frozenset() for name in cfa.locations}
    waiting = list(cfa.locations)
    while waiting:
        location = waiting.pop()
        needed: set[Variable] = set()
        for edge in cfa.leaving(location):
            after = set(live[edge.target])
            after.difference_update(defined_variables(edge.label))
            needed |= after
            if not _is_without_effect(edge.label, numbers - live[edge.target]):
                needed |= used_variables(edge.label)
            holds = isinstance(edge.label, ends) and location not in doomed
            if holds or isinstance(edge.label, Unsupported):
                needed |= pointers & scope.get(location, frozenset())
            if whole_scope and isinstance(edge.label, EndScope):
                needed |= pointers & set(edge.label.variables) & scope.get(location, frozenset())
        if location in ended:
            needed |= pointers & scope.get(location, frozenset())
        needed &= tracked
        if needed != live[location]:
            live[location] = frozenset(needed)
            waiting += [edge.source for edge in cfa.entering(location)]
    _hold_moved_blocks(cfa, live, doomed, pointers)
    _hold_pointers(cfa, live, doomed, {name: pointers & known for name, known in scope.items()})
    return live


def _doomed_locations(cfa: Cfa[Operation]) -> frozenset[str]:
    """The locations from which all paths lead to an exit, an error or a dead end, before they come to a loop."""
    doomed: set[str] = set()
    waiting = [edge.source for edge in cfa.edges if isinstance(edge.label, Exit | Error)]
    waiting += dead_ends(cfa)
    while waiting:
        location = waiting.pop()
        ways = (isinstance(e.label, Exit | Error) or e.target in doomed for e in cfa.leaving(location))
        if location not in doomed and all(ways):
            doomed.add(location)
            waiting += [edge.source for edge in cfa.entering(location)]
    return frozenset(doomed)


def dead_ends(cfa: Cfa[Operation]) -> frozenset[str]:
    """The locations at which no run is: nothing leads on from there, and what leads there does not end the program."""
    ends = {edge.target for edge in cfa.edges if isinstance(edge.label, Exit | Error | Leave | Return | Unsupported)}
    return frozenset(name for name in cfa.locations if not cfa.leaving(name) and name not in ends)


def _hold_moved_blocks(
    cfa: Cfa[Operation], live: dict[str, frozenset[Variable]], doomed: Set[str], pointers: Set[Variable]
) -> None:
    """Keep the pointer that `realloc` got up to the test whether it failed, if the program ends then.

    Where it failed, the pointer still holds the block, though nothing reads it.
    """
    for edge in cfa.edges:
        pointer = edge.label.pointer if isinstance(edge.label, Realloc) else None
        if not isinstance(pointer, Variable) or pointer not in pointers:
            continue
        passed, location = [edge.target], edge.target
        defined = defined_variables(edge.label)
        while pointer not in defined and len(leaving := cfa.leaving(location)) == 1:
            defined, location = defined_variables(leaving[0].label), leaving[0].target
            if location in passed:
                break
            passed.append(location)
        if pointer not in defined and any(e.target in doomed for e in cfa.leaving(location)):
            for name in passed:
                live[name] |= {pointer}


def _hold_pointers(
    cfa: Cfa[Operation], live: dict[str, frozenset[Variable]], doomed: Set[str], in_scope: dict[str, Set[Variable]]
) -> None:
    """Keep the pointers that come to locations before an exit, and are in scope there."""
    wanted: dict[str, frozenset[Variable]] = dict.fromkeys(doomed, frozenset())
    waiting = list(doomed)
    while waiting:
        location = waiting.pop()
        needed = set() if cfa.leaving(location) else set(in_scope.get(location, frozenset()))
        for edge in cfa.leaving(location):
            is_end = isinstance(edge.label, Exit | Error)
            after = in_scope.get(location, frozenset()) if is_end else wanted[edge.target]
            needed |= after - set(defined_variables(edge.label))
        if needed != wanted[location]:
            wanted[location] = frozenset(needed)
            waiting += [edge.source for edge in cfa.entering(location) if edge.source in doomed]
    waiting = list(doomed)
    while waiting:
        location = waiting.pop()
        held = set(live[location])
        for edge in cfa.entering(location):
            held |= live[edge.source].union(defined_variables(edge.label)) & wanted[location]
        if len(held) > len(live[location]):
            live[location] = frozenset(held)
            waiting += [edge.target for edge in cfa.leaving(location) if edge.target in doomed]


def _is_without_effect(operation: Operation, dead: Set[Variable]) -> bool:
    """Whether an operation only computes a number from others, and the result is not live."""
    if not isinstance(operation, Assign) or operation.target not in dead:
        return False
    return all(isinstance(node, Binary | Cast | Constant | Unary | Variable) for node in walk(operation.value))


def starts(cfa: Cfa[Operation]) -> tuple[str, ...]:
    """The entry of the program, and those of the functions that are analysed apart."""
    return (cfa.entry, *(edge.source for edge in cfa.edges if isinstance(edge.label, Enter)))


def in_scope(cfa: Cfa[Operation]) -> dict[str, frozenset[Variable]]:
    """For each location that can be reached, the variables that some path has declared or written and not ended."""

    def after(edge: Edge[Operation], before: frozenset[Variable]) -> frozenset[Variable]:
        if isinstance(edge.label, EndScope):
            return before.difference(edge.label.variables)
        return before.union(defined_variables(edge.label))

    start: dict[str, frozenset[Variable]] = dict.fromkeys(starts(cfa), frozenset())
    return solve_forward(cfa, start, after, lambda _, known, new: None if new <= known else known | new)


@dataclass(frozen=True)
class Lifetimes:
    """Shared by all translations of one program: the live variables at each location, and `redeclared`.

    Variables that are not `mortal` live everywhere.
    """

    live: dict[str, frozenset[Variable]]
    redeclared: frozenset[Variable]
    mortal: frozenset[Variable]


def lifetimes(
    cfa: Cfa[Operation], tracked: Set[Variable], *, whole_scope: bool = False, to_exits: bool = False
) -> Lifetimes:
    """The lifetimes of the tracked variables.

    Global pointers live everywhere, as they hold their blocks; so do global numbers, if functions are analysed apart.
    """
    numbers = frozenset(v for v in tracked if isinstance(v.type, IntegerType))
    mortal = frozenset(v for v in tracked if not v.is_global)
    if not any(isinstance(edge.label, Enter) for edge in cfa.edges):
        mortal |= numbers
    live = live_before(cfa, mortal, whole_scope=whole_scope, to_exits=to_exits, numbers=numbers & mortal)
    return Lifetimes(live, redeclared_variables(cfa), mortal)


def redeclared_variables(cfa: Cfa[Operation]) -> frozenset[Variable]:
    """The variables that some path declares again before their scope has ended."""
    scope = in_scope(cfa)
    return frozenset(
        edge.label.variable
        for edge in cfa.edges
        if isinstance(edge.label, DeclareLocal) and edge.label.variable in scope.get(edge.source, frozenset())
    )


def lingering_variables(cfa: Cfa[Operation], live: dict[str, frozenset[Variable]]) -> dict[str, frozenset[Variable]]:
    """The variables to keep: the live ones, and pointers to the end of the straight line on which they die.

    A pointer that dies in a statement still names its node in the next one, for example a node that has just become
    shared. Calls get only the live variables.
    """
    kept = dict(live)
    entering: dict[str, int] = {}
    for edge in cfa.edges:
        entering[edge.target] = entering.get(edge.target, 0) + 1
    heads = [n for n in cfa.locations if entering.get(n, 0) != 1 or len(cfa.leaving(n)) != 1]
    waiting = [*heads]
    while waiting:
        location = waiting.pop()
        for edge in cfa.leaving(location):
            straight = entering[edge.target] == 1 and len(cfa.leaving(edge.target)) == 1
            if not straight:
                continue
            ended = set(edge.label.variables) if isinstance(edge.label, EndScope) else set()
            over = {v for v in kept[location] if isinstance(v.type, PointerType)} - ended
            calls = isinstance(cfa.leaving(edge.target)[0].label, Call)
            if len(cfa.leaving(location)) == 1 and not calls:
                kept[edge.target] = live[edge.target] | over
            waiting.append(edge.target)
    return kept
