"""Ends of walks: where a loop compares with a member, a variable holds what the member points to while it runs.

In ``p = k->ring->next; while (p != k->ring) p = p->next;`` no variable holds the place where the walk ends, so its
block is summarised with the others, and a pointer that walks may seem to go past it. A variable of our own is
assigned before the loop and read behind it. The program does the same as before: the comparison still reads the
member. If the added read may fail where the program reads nothing, that is one more warning, and no proof.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleene.cfa.expressions import AddressOf, Comparison, Deref, Expression, Field, Unary, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, Operation
from kleene.cfa.types import PointerType
from kleene.passes.facts.liveness import defined_variables, starts
from kleene.passes.facts.memory import Memory

_MARK = "^end"
"""In the names of new locations."""


def with_kept_ends(memory: Memory) -> Cfa[Operation]:
    """The automaton of the memory with a variable for each member that a loop compares with; else the same one.

    Functions that are analysed apart stay as they are: the variables of a call are its own.
    """
    cfa = memory.cfa
    if len(starts(cfa)) > 1:
        return cfa
    objects = frozenset(memory.objects)
    edges = list(cfa.edges)
    for head, body in cfa.loops.items():
        inside = [e.label for e in cfa.edges if e.source in body and e.target in body]
        for end in dict.fromkeys(e for label in inside for e in _ends(label)):
            if not objects.intersection(walk(end)) and not _changes(inside, end):
                edges = _keep(edges, head, body, end, Variable(f"$end{len(edges)}", end.type))
    return cfa if len(edges) == len(cfa.edges) else Cfa(cfa.entry, tuple(edges))


def _keep(
    edges: list[Edge[Operation]], head: str, body: frozenset[str], end: Expression, variable: Variable
) -> list[Edge[Operation]]:
    """The edges with assignments where a loop begins, and a read of the variable where it is left."""
    result: list[Edge[Operation]] = []
    for edge in edges:
        middle, place = f"{edge.source}{_MARK}{variable}.{len(result)}", edge.label.place
        if edge.target == head and _before(edge.source) not in body:
            result += [Edge(edge.source, edge.label, middle), Edge(middle, Assign(place, variable, end), head)]
        elif _before(edge.source) in body and _before(edge.target) not in body:
            same = Assume(place, Comparison("==", variable, variable), truth=True)
            result += [Edge(edge.source, edge.label, middle), Edge(middle, same, edge.target)]
        else:
            result.append(edge)
    return result


def _before(location: str) -> str:
    """The location of the program from which a new one comes."""
    return location.split(_MARK)[0]


def _ends(operation: Operation) -> Iterator[Expression]:
    """The members that an assumption compares a variable with."""
    condition = operation.condition if isinstance(operation, Assume) else None
    if isinstance(condition, Unary) and condition.operator == "!":
        condition = condition.operand
    if isinstance(condition, Comparison) and isinstance(condition.left.type, PointerType):
        for side, other in ((condition.left, condition.right), (condition.right, condition.left)):
            kinds = {type(n) for n in walk(other)}
            if isinstance(side, Variable) and isinstance(other, Field) and Deref in kinds and AddressOf not in kinds:
                yield other


def _changes(inside: list[Operation], end: Expression) -> bool:
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
