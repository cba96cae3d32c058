"""Held ends of walks: a variable of our own holds what a member points to, while a loop compares with the member.

Blocks that variables hold can be kept apart from the others. In ``p = k->ring->next; while (p != k->ring) p =
p->next;`` no variable holds the place where the walk ends, so a pointer that walks may seem to go past it. A variable
is assigned before the loop and read behind it. The program does the same as before: it still reads the member. If the
added read may fail where the program reads nothing, that is one more warning, and no proof. A block that only the
variable holds is lost where it is read last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kleene.cfa.expressions import AddressOf, Comparison, Deref, Expression, Field, Unary, Variable, walk
from kleene.cfa.graph import Cfa, Edge, chain
from kleene.cfa.operations import Assign, Assume, Error, Exit, Leave, Operation, Return
from kleene.cfa.types import PointerType
from kleene.passes.facts.liveness import defined_variables, starts
from kleene.passes.facts.memory import Memory

_LAST = Return | Exit | Error | Leave
"""Operations behind which nothing is read."""


def with_held_ends(memory: Memory) -> Cfa[Operation]:
    """The automaton of the memory with variables for members that loops compare with; the names of locations stay.

    Functions that are analysed apart stay as they are: the variables of a call are its own.
    """
    cfa = memory.cfa
    if len(starts(cfa)) > 1:
        return cfa
    behind: dict[int, list[Operation]] = {}
    count = 0
    for head, body in cfa.loops.items():
        for end in _held_ends(memory, [e.label for e in cfa.edges if e.source in body and e.target in body]):
            for number, operation in _operations(cfa, head, body, end, Variable(f"$held{count}", end.type)):
                behind.setdefault(number, []).append(operation)
            count += 1
    edges: list[Edge[Operation]] = []
    for number, edge in enumerate(cfa.edges):
        edges += chain(
            f"{edge.source}^held{number}", [edge.label, *behind.get(number, ())], edge.target, start=edge.source
        )
    return Cfa(cfa.entry, tuple(edges))


def _operations(
    cfa: Cfa[Operation], head: str, body: frozenset[str], end: Expression, variable: Variable
) -> Iterator[tuple[int, Operation]]:
    """The operations to add, each behind an edge: the variable is assigned before the loop, and read behind it."""
    for number, edge in enumerate(cfa.edges):
        if edge.target == head and edge.source not in body:
            yield number, Assign(edge.label.place, variable, end)
        elif edge.source in body and edge.target not in body and not isinstance(edge.label, _LAST):
            yield number, Assume(edge.label.place, Comparison("==", variable, variable))


def _held_ends(memory: Memory, inside: Sequence[Operation]) -> Iterator[Expression]:
    """The members that a loop compares a variable with, and does not change."""
    objects = frozenset(memory.objects)
    for end in dict.fromkeys(end for operation in inside for end in _ends(operation)):
        kinds = {type(n) for n in walk(end)}
        pointer = isinstance(end, Field) and isinstance(end.type, PointerType)
        plain = Deref in kinds and AddressOf not in kinds and not objects.intersection(walk(end))
        if pointer and plain and not _changes(inside, end):
            yield end


def _ends(operation: Operation) -> Iterator[Expression]:
    """The members that an assumption compares a variable with."""
    condition = operation.condition if isinstance(operation, Assume) else None
    if isinstance(condition, Unary) and condition.operator == "!":
        condition = condition.operand
    if isinstance(condition, Comparison):
        for side, other in ((condition.left, condition.right), (condition.right, condition.left)):
            if isinstance(side, Variable):
                yield other


def _changes(inside: Sequence[Operation], end: Expression) -> bool:
    """Whether a loop assigns a variable of the expression, or a member of the same name as one of its members."""
    variables = {n for n in walk(end) if isinstance(n, Variable)}
    members = {(n.name, n.offset) for n in walk(end) if isinstance(n, Field)}
    for operation in inside:
        target = getattr(operation, "target", None)
        if variables.intersection(defined_variables(operation)):
            return True
        if isinstance(target, Field) and (target.name, target.offset) in members:
            return True
    return False
