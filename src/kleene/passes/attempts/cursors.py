"""Cursors: pointers that only walk through data structures. Each is copied before it is read.

Structures tell nodes apart by all pointers to them, so k cursors in one list have as many structures as they have
orders. A cursor that is copied to a variable of its own before it is read, as in ``at = c; if (at) c =
at->next;``, need not tell nodes apart: the copy does, and it is forgotten after the statement. What is lost is where
cursors are with respect to each other. (Manevich, Sagiv, Ramalingam, Field. Partially disjunctive heap abstraction, SAS
2004, on distinctions that are not worth their structures.)
"""

from __future__ import annotations

from collections.abc import Iterator

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import AddressOf, Cast, Expression, PointerOffset, Variable, has_dereference, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Allocate, Assign, DeclareLocal, EndScope, Operation, Print, Skip, expressions
from kleene.cfa.types import PointerType
from kleene.passes.facts.liveness import defined_variables, starts, used_variables
from kleene.passes.facts.memory import Memory
from kleene.passes.rewrite import rewrite, with_parts

FEWEST_CURSORS = 3
"""Cursors from which there are more orders of them than other structures."""
_MARK = "^at"
"""At the end of the names of locations before which a cursor is copied."""


def with_copied_cursors(memory: Memory) -> Cfa[Operation]:
    """The automaton of the memory with a copy of each cursor before it is read; the names of locations stay."""
    cfa = memory.cfa
    cursors = _cursors(memory)
    if len(cursors) < FEWEST_CURSORS:
        return cfa
    copies = {c: Variable(f"$at {c.name}", c.type) for c in sorted(cursors, key=lambda v: v.name)}
    reads = {name: _read_at(cfa, name, frozenset(copies)) for name in cfa.locations}

    def after(edge: Edge[Operation], known: frozenset[Variable]) -> frozenset[Variable]:
        if len(cfa.entering(edge.target)) > 1:  # a copy does not last longer than a few statements
            return frozenset()
        return (known | reads[edge.source]).difference(defined_variables(edge.label))

    def common(_: str, old: frozenset[Variable], new: frozenset[Variable]) -> frozenset[Variable] | None:
        return None if old <= new else old & new

    nothing: frozenset[Variable] = frozenset()
    copied = solve_forward(cfa, {cfa.entry: nothing}, after, common)
    edges: list[Edge[Operation]] = []
    for location in cfa.locations:
        leaving, here = cfa.leaving(location), location
        known = copied.get(location, nothing)
        for cursor in sorted(reads[location] - known, key=lambda v: v.name):
            there = f"{location}^{len(edges)}{_MARK}"
            edges.append(Edge(here, Assign(leaving[0].label.place, copies[cursor], cursor), there))
            here = there
        own = {c: copies[c] for c in known | reads[location]}
        edges += [Edge(here, _with_copies(edge.label, own), edge.target) for edge in leaving]
    return Cfa(cfa.entry, tuple(edges))


def copied_cursors(cfa: Cfa[Operation]) -> frozenset[Variable]:
    """The cursors of an automaton with copies: the variables that operations copy, assign and end, and do no more."""
    marked = (edge.label for edge in cfa.edges if edge.target.endswith(_MARK))
    cursors = {label.value for label in marked if isinstance(label, Assign) and isinstance(label.value, Variable)}
    for edge in cfa.edges:
        if not edge.target.endswith(_MARK) and _copied(edge.label) is None:
            cursors.difference_update(used_variables(edge.label))
    return frozenset(cursors)


def _cursors(memory: Memory) -> frozenset[Variable]:
    """The local pointers that get what memory holds, and are neither given away nor used to make or free objects."""
    cfa = memory.cfa
    if len(starts(cfa)) > 1:
        return frozenset()  # functions that are analysed apart have variables of their own for each call
    walking: set[Variable] = set()
    cursors = {v for v in memory.pointers if not v.is_global}
    flows: list[tuple[Variable, Variable]] = []
    for label in (edge.label for edge in cfa.edges):
        nodes = (n for x in expressions(label) for n in walk(x))
        cursors -= {n.target for n in nodes if isinstance(n, AddressOf) and isinstance(n.target, Variable)}
        match label:
            case Assign(target=Variable() as target, value=value):
                flows += [(source, target) for source in _plain(value)]
                walking |= {target} if has_dereference(value) else set()
            case Assign(value=value) if isinstance(value.type, PointerType):
                cursors.difference_update(_plain(value))
            case Allocate(target=Variable() as target):
                cursors.discard(target)
            case DeclareLocal() | EndScope() | Skip() | Print() | Assign():
                pass
            case _ if getattr(label, "condition", None) is None:
                cursors.difference_update(used_variables(label), defined_variables(label))
    grew = True
    while grew:
        lost = {source for source, target in flows if source in cursors and target not in cursors}
        more = {target for source, target in flows if source in walking and target not in walking}
        cursors -= lost
        walking |= more
        grew = bool(lost or more)
    return frozenset(cursors & walking)


def _plain(value: Expression) -> Iterator[Variable]:
    """The variable whose value, or a place beside it, an expression is."""
    while isinstance(value, Cast | PointerOffset):
        value = value.operand if isinstance(value, Cast) else value.pointer
    if isinstance(value, Variable):
        yield value


def _read_at(cfa: Cfa[Operation], location: str, cursors: frozenset[Variable]) -> frozenset[Variable]:
    """The cursors that operations at a location read for more than a copy."""
    read: set[Variable] = set()
    for edge in cfa.leaving(location):
        if _copied(edge.label) is None:
            read |= used_variables(edge.label)
    return frozenset(read & cursors)


def _copied(operation: Operation) -> Expression | None:
    """The pointer that an operation copies to a variable."""
    match operation:
        case Assign(target=Variable(), value=Variable() as value):
            return value
    return None


def _with_copies(operation: Operation, copies: dict[Variable, Variable]) -> Operation:
    """An operation that reads the copies."""
    if isinstance(operation, DeclareLocal | EndScope) or _copied(operation) is not None:
        return operation
    target = getattr(operation, "target", None)

    def change(node: Expression) -> Expression:
        return copies.get(node, node) if isinstance(node, Variable) else node

    def part(expression: Expression) -> Expression:
        is_written = expression is target and isinstance(target, Variable)
        return expression if is_written else rewrite(expression, change)

    return with_parts(operation, part)
