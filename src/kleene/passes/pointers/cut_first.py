"""Stores that cut a link come before the store that would close a cycle with it.

Many rotations of trees link first and cut afterwards: with ``y == x->left``, ``y->right = x; x->left = b;`` closes a
cycle for one statement, and so does the exchange of two neighbours of a list. Shape classes without cycles give up
there, although no other statement sees the cycle. Here the cut (``x->left = b``) moves before the store that closes the
cycle (``y->right = x``), if every path from there comes to the cut, and nothing on the way reads or writes this cell,
or changes the variables of the cut. (Code motion of a store that is anticipated on all paths: Knoop, Rüthing, Steffen.
Lazy code motion. PLDI 1992.)

Links back are cut by the same member: with ``y`` read from ``x->left``, ``x->parent = y; y->parent = p;`` closes one
of parents if y was a child of x. That is the same cell where x is y. So a test comes first: the order stays where they
are equal, and the cut moves where they are not. The same test allows accesses to this member of other objects.

What is written is the same when the cut is reached in the program, and nothing in between depends on the order: an
error of one automaton is one of the other, perhaps behind another one. Locations in between have other states than the
program has there, so they get other names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import (
    AddressOf,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    Variable,
    children,
    member_base,
    walk,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, DeclareLocal, EndScope, Operation, Skip, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import PointerType
from kleene.passes.facts.liveness import defined_variables, starts
from kleene.passes.facts.memory import Memory, Unmodelled

MOST_LOCATIONS = 24
"""Locations between the store that closes a cycle and the cut: a rotation with its tests for NULL has ten."""
MOST_CUTS = 32
"""Cuts that are moved in one program: inlined rotations of a balanced tree have some ten."""

_CUT, _BEFORE, _KEPT = "~cut", "~before", "~kept"
"""In the names of new locations: behind the cut, between the cut and the store, and where the order stays."""

Links = frozenset[tuple[Expression, Variable]]
"""Members of objects that variables point to, each with a variable that has the same value."""
NONE: Links = frozenset()


def with_links_cut_first(program: CProgram) -> CProgram:
    """The program with cuts before the stores that would close a cycle, if it is one automaton."""
    if set(program.functions) != {program.entry}:
        return program
    for _ in range(MOST_CUTS):
        cfa = program.main.cfa
        if not any(_closing(e, cfa) for e in cfa.edges):
            return program
        memory = Memory(program, cfa, typed=True)
        links, origins = _links(memory), _links(memory, are_kept=True)
        possible = (_motion(memory, e, links.get(e.source, NONE), origins.get(e.source, NONE)) for e in cfa.edges)
        motion = next((m for m in possible if m is not None), None)
        if motion is None:
            return program
        main = replace(program.main, cfa=_with_motion(cfa, motion))
        program = replace(program, functions={program.entry: main})
    return program


@dataclass(frozen=True)
class _Store:
    """``base->member = value`` with variables outside memory, or NULL as the value."""

    edge: Edge[Operation]
    member: Field
    base: Variable
    value: Expression

    @staticmethod
    def of(edge: Edge[Operation]) -> _Store | None:
        label = edge.label
        if not isinstance(label, Assign) or not isinstance(label.target.type, PointerType):
            return None
        base = _base(label.target)
        plain = isinstance(label.value, Variable | Constant)
        if base is None or not plain or not isinstance(label.target, Field):
            return None
        return _Store(edge, label.target, base, label.value)


def _base(lvalue: Expression) -> Variable | None:
    """The variable that points to the object of which the lvalue is a member."""
    if not isinstance(lvalue, Field):
        return None
    while isinstance(lvalue, Field):
        lvalue = lvalue.base
    pointer = lvalue.pointer if isinstance(lvalue, Deref) else None
    return pointer if isinstance(pointer, Variable) else None


def _closing(edge: Edge[Operation], cfa: Cfa[Operation]) -> bool:
    """Whether an edge looks like a store that closes a cycle which a store to its value cuts a little later."""
    store = _Store.of(edge)
    return store is not None and isinstance(store.value, Variable) and any(_cuts(cfa, store))


def _cuts(cfa: Cfa[Operation], store: _Store) -> Iterator[_Store]:
    """The stores that follow a store and write to the object whose address it stores, the nearest first."""
    seen, waiting = {store.edge.target}, [store.edge.target]
    while waiting and len(seen) <= MOST_LOCATIONS:
        for edge in cfa.leaving(waiting.pop(0)):
            cut = _Store.of(edge)
            if cut is not None and cut.base == store.value:
                yield cut
            if edge.target not in seen:
                seen.add(edge.target)
                waiting.append(edge.target)


# What members are equal to --------------------------------------------------------------------------------------------


def _links(memory: Memory, *, are_kept: bool = False) -> dict[str, Links]:
    """At each location the members that a variable equals on all paths.

    With `are_kept`, those that it was equal to since it and the variables of the member changed last.
    """

    def after(edge: Edge[Operation], before: Links) -> Links:
        return _after(memory, edge.label, before, are_kept=are_kept)

    def agree(_: str, known: Links, new: Links) -> Links | None:
        return known & new if not known <= new else None

    return solve_forward(memory.cfa, dict.fromkeys(starts(memory.cfa), NONE), after, agree)


def _after(memory: Memory, operation: Operation, before: Links, *, are_kept: bool) -> Links:
    if isinstance(operation, Assume):
        return before | frozenset(_equal_by_test(operation))
    if not isinstance(operation, Assign | Skip | DeclareLocal | EndScope):
        return NONE
    changed = set(defined_variables(operation))
    kept = {(m, v) for m, v in before if v not in changed and changed.isdisjoint(walk(m))}
    if not isinstance(operation, Assign):
        return frozenset(kept)
    target, value = operation.target, operation.value
    if not isinstance(target, Variable):
        kept = {(m, v) for m, v in kept if are_kept or _are_apart(memory, [target], m)}
        if _base(target) is not None and isinstance(value, Variable):
            kept.add((target, value))
        return frozenset(kept)
    if _base(value) is not None and target not in walk(value):
        kept.add((value, target))
    kept |= {(m, target) for m, v in before if v == value and target not in walk(m)}
    return frozenset(kept)


def _equal_by_test(operation: Assume) -> Iterator[tuple[Expression, Variable]]:
    test = operation.condition
    if isinstance(test, Comparison) and test.operator == ("==" if operation.truth else "!="):
        for member, variable in ((test.left, test.right), (test.right, test.left)):
            if _base(member) is not None and isinstance(variable, Variable):
                yield member, variable


# The motion -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Motion:
    """A cut that comes before a store: the locations between them, and pointers that must not point to its object."""

    store: _Store
    cut: _Store
    region: frozenset[str]
    others: tuple[Variable, ...]


def _motion(memory: Memory, edge: Edge[Operation], links: Links, origins: Links) -> _Motion | None:
    """How a cut moves before this store; None if it closes no cycle, or no cut may come first."""
    store = _Store.of(edge)
    if store is None or edge.source.endswith(_KEPT) or memory.kind(store.base) != "pointer":
        return None
    for cut in _cuts(memory.cfa, store):
        if cut.value == store.base or not _is_movable(memory, cut):
            continue
        if member_base(cut.member)[1] == member_base(store.member)[1]:
            closes = any(v == cut.base and _base(m) == store.base for m, v in origins if m != store.member)
        else:
            closes = (cut.member, store.base) in links
        region = _region(memory, store, cut) if closes else None
        others = _others(memory, [store.edge, *_between(memory.cfa, region, cut)], cut) if region else None
        if region is not None and others is not None:
            return _Motion(store, cut, region, tuple(sorted(others, key=str)))
    return None


def _is_movable(memory: Memory, cut: _Store) -> bool:
    """Whether the cut depends on variables outside memory alone."""
    used = [cut.base, *([cut.value] if isinstance(cut.value, Variable) else [])]
    return all(memory.kind(v) == "pointer" for v in used)


def _region(memory: Memory, store: _Store, cut: _Store) -> frozenset[str] | None:
    """The locations between the store and the cut; None unless all paths come to it."""
    cfa, region = memory.cfa, {store.edge.target}
    waiting = [store.edge.target]
    while waiting:
        location = waiting.pop()
        leaving = cfa.leaving(location)
        if not leaving or location == cfa.entry or len(region) > MOST_LOCATIONS:
            return None
        new = {e.target for e in leaving if not _is_same(e, cut)} - region
        region |= new
        waiting += new
    inside = _between(cfa, region, cut)
    leads_back = any(e.target in region for name in region for e in cfa.leaving(name) if _is_same(e, cut))
    if leads_back or store.edge.source in region or _has_cycle(inside):
        return None
    return frozenset(region)


def _between(cfa: Cfa[Operation], region: Iterable[str], cut: _Store) -> list[Edge[Operation]]:
    """The edges of a region but the cuts."""
    return [e for name in region for e in cfa.leaving(name) if not _is_same(e, cut)]


def _is_same(edge: Edge[Operation], cut: _Store) -> bool:
    own = _Store.of(edge)
    return own is not None and (own.member, own.value) == (cut.member, cut.value)


def _others(memory: Memory, edges: Iterable[Edge[Operation]], cut: _Store) -> set[Variable] | None:
    """The pointers that must not point to the object of the cut, so that nothing depends on its place.

    None if an operation may depend on it all the same: it ends an object or the run, writes the variables of the cut,
    or may read or write its cell in another way than by this member of what a variable points to.
    """
    others: set[Variable] = set()
    changed: set[Variable] = set()
    for operation in (edge.label for edge in edges):
        if not isinstance(operation, Assign | Assume | Skip | DeclareLocal | EndScope):
            return None
        defined = set(defined_variables(operation))
        if isinstance(operation, DeclareLocal | EndScope) and any(memory.kind(v) == "object" for v in defined):
            return None  # the cut may write to it
        changed |= defined
        for access in (x for whole in expressions(operation) for x in _accesses(whole)):
            if isinstance(access, Variable) and memory.kind(access) != "object":
                continue
            if _are_apart(memory, [access], cut.member):
                continue
            other = _base(access)
            if other is None or other == cut.base or not _is_one_cell(memory, access, cut.member):
                return None
            others.add(other)
    if changed & {cut.base, cut.value, *others} or any(memory.kind(v) != "pointer" for v in others):
        return None
    return others


def _accesses(expression: Expression) -> Iterator[Expression]:
    """The lvalues that an expression reads, or that it is."""
    if isinstance(expression, AddressOf):
        inner = expression.target
        while isinstance(inner, Field):
            inner = inner.base
        yield from (x for child in children(inner) for x in _accesses(child))
        return
    if isinstance(expression, Field | Index | Deref | Variable):
        yield expression
        while isinstance(expression, Field):
            expression = expression.base
    for child in children(expression):
        yield from _accesses(child)


def _are_apart(memory: Memory, lvalues: Iterable[Expression], member: Expression) -> bool:
    """Whether no lvalue has a byte in common with a member, wherever pointers lead to."""
    try:
        own = memory.address_places(member)
        for lvalue in lvalues:
            places = memory.address_places(lvalue)
            size = lvalue.type.size
            if not places or not own or any(_overlap(p, size, q, member.type.size) for p in places for q in own):
                return False
    except Unmodelled:
        return False
    return True


def _is_one_cell(memory: Memory, lvalue: Expression, member: Expression) -> bool:
    """Whether two lvalues are the same cell just where the pointers are equal, and have no byte in common elsewhere."""
    if member_base(lvalue)[1] != member_base(member)[1]:
        return False
    try:
        pairs = [(p, q) for p in memory.address_places(lvalue) for q in memory.address_places(member)]
    except Unmodelled:
        return False
    size = member.type.size
    return lvalue.type.size == size and all(p == q for p, q in pairs if _overlap(p, size, q, size))


def _overlap(place: tuple[int, int], size: int, other: tuple[int, int], length: int) -> bool:
    return place[0] == other[0] and place[1] < other[1] + length and other[1] < place[1] + size


def _has_cycle(edges: Iterable[Edge[Operation]]) -> bool:
    left = list(edges)
    while left:
        targets = {e.target for e in left}
        rest = [e for e in left if e.source in targets]
        if len(rest) == len(left):
            return True
        left = rest
    return False


def _with_motion(cfa: Cfa[Operation], motion: _Motion) -> Cfa[Operation]:
    """The automaton with the cut before the store, and nothing in its old places.

    The locations between are copied under other names. A second copy has the old order, for runs that come there in
    another way, and for those in which the order matters.
    """
    store, cut, region = motion.store, motion.cut, motion.region
    source, place = store.edge.source, store.edge.label.place
    moved, kept = ({name: _fresh(cfa, name, suffix) for name in region} for suffix in (_CUT, _KEPT))
    outside = [e for e in cfa.edges if e != store.edge and e.source not in region]
    edges = [e if e.target not in region else replace(e, target=kept[e.target]) for e in outside]
    has_other_ways = bool(motion.others) or edges != outside
    start, same = source, _fresh(cfa, source, _KEPT)
    for number, other in enumerate(motion.others):
        equal, here = Comparison("==", other, cut.base), start
        start = _fresh(cfa, source, f"{_CUT}{number}")
        edges += [Edge(here, Assume(place, equal, truth=False), start), Edge(here, Assume(place, equal), same)]
    if motion.others:
        edges.append(Edge(same, store.edge.label, kept[store.edge.target]))
    before = _fresh(cfa, source, _BEFORE)
    edges += [Edge(start, cut.edge.label, before), Edge(before, store.edge.label, moved[store.edge.target])]
    for names in (moved, kept) if has_other_ways else (moved,):
        for edge in (e for e in cfa.edges if e.source in region):
            is_gone = names is moved and _is_same(edge, cut)
            label = Skip(edge.label.place) if is_gone else edge.label
            edges.append(Edge(names[edge.source], label, names.get(edge.target, edge.target)))
    return Cfa(cfa.entry, tuple(edges))


def _fresh(cfa: Cfa[Operation], location: str, suffix: str) -> str:
    """A name that no location has; the same one for the same arguments."""
    name = location + suffix
    while name in cfa.locations:
        name = f"{name}{suffix}"
    return name
