"""Repeated reads of a pointer: a variable keeps the first read, and later reads use the variable.

The analysis keeps no name for a node that only a member points to, so it forgets facts about it after the statement. In
``x = r->items->next; free(r->items);`` no write occurs between the two reads of ``r->items``, so they give the same
pointer. A variable for it gives the node a name. (Value numbering in straight-line code: Cocke. Global common
subexpression elimination, 1970.)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from kleene.cfa.expressions import AddressOf, Deref, Expression, Field, Index, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    HandOut,
    Havoc,
    Operation,
    Print,
    Skip,
    expressions,
)
from kleene.cfa.types import PointerType, is_scalar
from kleene.passes.attempts.comparisons import with_known_outcomes
from kleene.passes.attempts.decided_tests import with_decided_tests
from kleene.passes.attempts.known_addresses import with_known_addresses
from kleene.passes.facts.liveness import defined_variables, starts
from kleene.passes.facts.memory import Memory
from kleene.passes.rewrite import rewrite, rewrite_operation, with_parts

Available = dict[Expression, Variable]
"""Reads of memory whose result a variable holds."""


def with_shared_loads(memory: Memory, *, behind_branches: bool = False) -> Cfa[Operation]:
    """The automaton of the memory with a variable for each pointer that is read from memory several times.

    Reads through pointers to members that are known are reads of these members (`known_addresses.py`). With
    `behind_branches`, a read before a branch is known where its ways meet again, if it is so on all of them, and so is
    what a pointer to a member that was read points to.
    """
    cfa = with_known_addresses(memory)
    numbering = _Numbering(cfa, frozenset(memory.objects), behind_branches)
    edges = numbering.run()
    counted = [e.label for e in edges if not isinstance(e.label, Assume) or e.label.truth]
    uses = Counter(v for label in counted for v in _variables(label) if v in numbering.loads)
    once = {v: load for v, load in numbering.loads.items() if uses[v] <= 2}  # where it is assigned, and once more
    once = {v: load for v, load in once.items() if v not in numbering.pointed_to}
    if len(once) == len(numbering.loads):
        return cfa

    def inline(node: Expression) -> Expression:
        return rewrite(once[node], inline) if isinstance(node, Variable) and node in once else node

    kept = [e for e in edges if not (isinstance(e.label, Assign) and e.label.target in once)]
    following = {e.source: e.target for e in edges if isinstance(e.label, Assign) and e.label.target in once}

    def target(location: str) -> str:
        while location in following:
            location = following[location]
        return location

    return Cfa(
        target(cfa.entry),
        tuple(Edge(e.source, rewrite_operation(e.label, inline), target(e.target)) for e in kept),
    )


def with_known_outcomes_and_loads(memory: Memory) -> Cfa[Operation]:
    """The automaton in which comparisons have the outcomes that they had before, and pointers are read once.

    Tests of numbers are apart on the ways on which they are decided.
    """
    known = memory
    for rewriting in (with_decided_tests, with_known_outcomes):
        cfa = rewriting(known)
        known = known if cfa is known.cfa else Memory(memory.program, cfa, typed=True)
    shared = with_shared_loads(known, behind_branches=True)
    return memory.cfa if shared == memory.cfa else shared


def _variables(operation: Operation) -> list[Variable]:
    return [n for x in expressions(operation) for n in walk(x) if isinstance(n, Variable)]


@dataclass
class _Numbering:
    """Every pointer that is read from memory gets a variable; the same one while nothing can have changed."""

    cfa: Cfa[Operation]
    objects: frozenset[Variable]
    behind_branches: bool
    loads: dict[Variable, Expression] = field(default_factory=dict)
    edges: list[Edge[Operation]] = field(default_factory=list)
    pointed_to: set[Variable] = field(default_factory=set)
    """The variables of reads that are used for reads through another pointer: they cannot be read again in place."""

    def run(self) -> list[Edge[Operation]]:
        """The edges, location by location: all sources of a location come before it, but at the heads of loops."""
        first, done = starts(self.cfa), set[str]()
        order: dict[str, int] = {}
        for start in first:
            order |= Cfa(start, self.cfa.edges).post_order
        names = sorted(self.cfa.locations, key=lambda name: -order.get(name, -1))
        behind: dict[str, list[Available]] = {name: [] for name in names}
        for name in names:
            sources = [edge.source for edge in self.cfa.entering(name)]
            is_followed = name not in first and all(source in done for source in sources)
            is_followed = is_followed and (self.behind_branches or len(sources) == 1)
            available = _common(behind[name]) if is_followed else {}
            for edge, after in self._location(name, available):
                behind[edge.target].append(after)
            done.add(name)
        return self.edges

    def _location(self, location: str, available: Available) -> list[tuple[Edge[Operation], Available]]:
        """The edges that leave a location, with variables for repeated reads, and the reads available after each."""
        leaving = self.cfa.leaving(location)
        together = len(leaving) == 1 or all(isinstance(e.label, Assume) for e in leaving)
        if not together or len({_condition(e.label) for e in leaving}) > 1:
            self.edges += leaving
            return [(edge, {}) for edge in leaving]
        here, known = location, dict(available)
        results = []
        for number, edge in enumerate(leaving):
            before: list[Assign] = []
            label = self._replace_reads(edge.label, known, before)
            for assignment in before if number == 0 else ():
                there = f"{location}^{len(self.edges)}"
                self.edges.append(Edge(here, assignment, there))
                here = there
            self.edges.append(Edge(here, label, edge.target))
            after = self._after(edge.label, known)
            results.append((edge, after | self._through_pointer(label, known) if self.behind_branches else after))
        return results

    def _through_pointer(self, operation: Operation, known: Available) -> Available:
        """In ``t = &n->left``, where ``n->left`` was read: ``*t`` is what was read."""
        match operation:
            case Assign(target=Variable() as target, value=AddressOf(target=member)) if member in known:
                read = Deref(target, member.type)
                is_whole = isinstance(target.type, PointerType) and target.type.target == member.type
                if is_whole and self._is_load(read):
                    self.pointed_to.add(known[member])
                    return {read: known[member]}
        return {}

    def _replace_reads(self, operation: Operation, known: Available, before: list[Assign]) -> Operation:
        """The operation with variables in place of its reads; `before` gets the assignments of new variables."""
        target = getattr(operation, "target", None)

        def number(node: Expression) -> Expression:
            if not self._is_load(node):
                return node
            if node not in known:
                variable = Variable(f"$again{len(self.loads)}", node.type)
                self.loads[variable] = node
                known[node] = variable
                before.append(Assign(operation.place, variable, node))
            return known[node]

        def read(expression: Expression, *, place: bool) -> Expression:
            """Rewrite an expression that is read, or, with `place`, an lvalue that is only addressed."""
            match expression:
                case Field(base=base):
                    lvalue: Expression = replace(expression, base=read(base, place=True))
                case Index(base=base, index=index):
                    lvalue = replace(expression, base=read(base, place=True), index=read(index, place=False))
                case Deref(pointer=pointer):
                    lvalue = replace(expression, pointer=read(pointer, place=False))
                case AddressOf(target=inner):
                    return replace(expression, target=read(inner, place=True))
                case _:
                    return with_parts(expression, lambda child: read(child, place=False))
            return lvalue if place else number(lvalue)

        return with_parts(operation, lambda x: read(x, place=x is target))

    def _is_load(self, node: Expression) -> bool:
        """Whether an expression reads a pointer from memory, at an address given by variables outside memory."""
        return (
            isinstance(node, Field | Deref | Index)
            and isinstance(node.type, PointerType)
            and any(isinstance(n, Deref) for n in walk(node))
            and not any(n in self.objects or isinstance(n, AddressOf) for n in walk(node))
        )

    def _after(self, operation: Operation, known: Available) -> Available:
        """The reads available after an operation: none, if it may write to memory or end an object."""
        match operation:
            case Skip() | Assume() | Print() | HandOut():
                return dict(known)
            case Assign(target=Variable() as v) | Allocate(target=Variable() as v) | Havoc(target=Variable() as v):
                plain = v not in self.objects and is_scalar(v.type)
            case DeclareLocal() | EndScope():
                plain = not self.objects.intersection(defined_variables(operation))
            case _:
                plain = False
        if not plain:
            return {}
        changed = set(defined_variables(operation))
        return {load: v for load, v in known.items() if changed.isdisjoint(walk(load))}


def _common(known: list[Available]) -> Available:
    """The reads that are available on all ways, in the same variable."""
    return {load: v for load, v in known[0].items() if all(other.get(load) == v for other in known)} if known else {}


def _condition(operation: Operation) -> Expression | None:
    return operation.condition if isinstance(operation, Assume) else None
