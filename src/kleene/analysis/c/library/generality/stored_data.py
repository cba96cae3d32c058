"""Which arguments a function may store in memory: all others it only looks at, compares or passes on.

A client hands in a datum with an owner once. To look for it, it may pass it as often as it likes.
"""

from __future__ import annotations

from collections.abc import Collection

from kleene.cfa.expressions import AddressOf, Expression, Variable, walk
from kleene.cfa.operations import Assign, Call, Operation, Return, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import PointerType


def stored_arguments(program: CProgram, names: Collection[str]) -> dict[str, frozenset[int]]:
    """The places of the arguments that functions may store, by the names of the functions."""
    stored: dict[str, frozenset[int]] = {name: frozenset() for name in program.functions}
    while True:
        after = {name: _stored(program, name, stored) for name in program.functions}
        if after == stored:
            return {name: stored.get(name, frozenset()) for name in names}
        stored = after


def _stored(program: CProgram, name: str, known: dict[str, frozenset[int]]) -> frozenset[int]:
    function = program.functions[name]
    labels = [edge.label for edge in function.cfa.edges]
    places = range(len(function.parameters))
    return frozenset(i for i in places if _may_store(labels, function.parameters[i], known))


def _may_store(labels: list[Operation], parameter: Variable, known: dict[str, frozenset[int]]) -> bool:
    """Whether a pointer that a parameter holds may get to memory, without regard to the order of operations."""
    holders = {parameter}
    grew = True
    while grew:
        size = len(holders)
        for label in labels:
            if _keeps(label, holders, known):
                return True
        grew = len(holders) > size
    return False


def _keeps(label: Operation, holders: set[Variable], known: dict[str, frozenset[int]]) -> bool:
    """Whether an operation stores what variables hold; a variable that gets it is one of them from then on."""
    nodes = [n for x in expressions(label) for n in walk(x)]
    if any(isinstance(n, AddressOf) and n.target in holders for n in nodes):
        return True
    match label:
        case Assign(target=target, value=value) if isinstance(target.type, PointerType) and _holds(value, holders):
            return not _is_held(target, holders)
        case Call(function=function, arguments=arguments, result=result):
            places = {i for i, a in enumerate(arguments) if _holds(a, holders)}
            if isinstance(function, str) and places & known.get(function, places):
                return True
            if places and result is not None and isinstance(result.type, PointerType):
                return not _is_held(result, holders)
        case Return():
            return False
    return False


def _is_held(target: Expression, holders: set[Variable]) -> bool:
    """Whether a value goes to a variable of the function, which holds it from then on."""
    if not isinstance(target, Variable) or target.is_global:
        return False
    holders.add(target)
    return True


def _holds(value: Expression, holders: set[Variable]) -> bool:
    return any(node in holders for node in walk(value) if isinstance(node, Variable))
