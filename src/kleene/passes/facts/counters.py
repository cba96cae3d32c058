"""Counters of lists: numbers that a program keeps equal to the number of nodes of a list, up to a small difference.

A candidate is a guess. The shape analysis (`semantics/steps/counts.py`) finds out where the number of nodes and the
counter really differ by a known number, and says nothing elsewhere. So a wrong guess costs time only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import permutations

from kleene.cfa.expressions import (
    Binary,
    Cast,
    Comparison,
    Deref,
    Expression,
    Field,
    Index,
    Variable,
    member_base,
    walk,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, Enter, Free, Operation, Specified, expressions
from kleene.cfa.types import IntegerType, PointerType
from kleene.passes.facts.liveness import live_before
from kleene.passes.facts.memory import Memory, Place, Unmodelled, constant_of
from kleene.passes.facts.relations.questions import relations_of
from kleene.passes.rewrite import rewrite

MOVE_WEIGHT = 10
"""What ``list->head = node->next`` says about the cells of a list, compared with a read of `node->next`."""
LEAST_COUNTER_BITS = 32
"""Width of a counter: a list has fewer nodes than such a number can count (docs/assumptions.md)."""
MOST_VARIABLE_COUNTS = 12
"""Pairs of a counter variable and a pointer variable: each has predicates of its own."""
MOST_MEMBER_COUNTS = 2
"""Lists of one counter that is a member: from the first node on, and from the last one backwards."""
MOST_DIRECTIONS = 4
"""Cells that lead from a node to one of its kind: with more, each pointer gets the best one alone."""
MOST_STEPS_BETWEEN = 6
"""Operations between two that belong together: the `free` of a first node and the assignment of the pointer to the next
one, a copy of a number and its test."""
COPIES = 3
"""Copies of copies that are followed: a result is copied when the function returns it, and by the caller."""
MOST_BOUNDS = 2
"""Bounds of one index in a loop: often several variables point to the object whose member the bound is."""


@dataclass(frozen=True)
class MemberCount:
    """A counter and the first node of a list, both members of one kind of object."""

    head: Place
    counter: Place
    following: Place
    """The cell of a node that leads to the next one."""


@dataclass(frozen=True)
class VariableCount:
    """A counter, or the difference of two numbers, and a pointer to the first node of a list.

    Pointer and counter are variables, or members of the object that a variable points to.
    """

    head: Expression
    counter: Expression
    less: Variable | None
    """The variable to be subtracted."""
    following: Place


Count = MemberCount | VariableCount


def counts_of(memory: Memory) -> tuple[Count, ...]:
    """The candidates of a program; none where functions are analysed apart."""
    return tuple(_Search(memory).counts())


def has_counts(memory: Memory) -> bool:
    """Whether a program has candidates: without those that are more expensive to find, if there are others."""
    return next(_Search(memory).counts(), None) is not None


def linear(expression: Expression) -> tuple[Expression, int] | None:
    """An lvalue and a number whose sum an expression is, modulo the least width of the conversions in it."""
    while isinstance(expression, Cast) and isinstance(expression.operand.type, IntegerType):
        if isinstance(expression.type, IntegerType) and expression.type.boolean:
            return None
        expression = expression.operand
    match expression:
        case Variable() | Field() | Deref() | Index() if isinstance(expression.type, IntegerType):
            return expression, 0
        case Binary(operator=("+" | "-") as operator, left=left, right=right):
            number, inner = constant_of(right), linear(left)
            if number is None and operator == "+":
                number, inner = constant_of(left), linear(right)
            if number is not None and inner is not None:
                return inner[0], inner[1] + (number if operator == "+" else -number)
    return None


def least_bits(expression: Expression) -> int:
    """The width of the narrowest number in an expression."""
    return min((n.type.bits for n in walk(expression) if isinstance(n.type, IntegerType)), default=0)


def owner_of(lvalue: Expression) -> Variable | None:
    """The variable that points to the struct of which an lvalue is a member."""
    base, _ = member_base(lvalue)
    if base is not lvalue and isinstance(base, Deref) and isinstance(base.pointer, Variable):
        return base.pointer
    return None


def members_of(cfa: Cfa[Operation]) -> list[Expression]:
    """The lvalues of a program that are members of what a variable points to."""
    nodes = (n for e in cfa.edges for x in expressions(e.label) for n in walk(x))
    return list(dict.fromkeys(n for n in nodes if owner_of(n) is not None))


class _Search:
    """Looks through the operations of one program."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.labels = [e.label for e in memory.cfa.edges]

    def counts(self) -> Iterator[Count]:
        if any(isinstance(label, Enter | Specified) for label in self.labels) or not self.following:
            return
        stepped = [t for t in self.stepped if isinstance(t.type, IntegerType) and t.type.bits >= LEAST_COUNTER_BITS]
        members = dict.fromkeys(c for t in stepped for c in self._members(t))
        yield from members
        yield from self._freed_first(members)
        yield from self._variables(stepped)[:MOST_VARIABLE_COUNTS]
        yield from self._differences(stepped, members, self._by_callers(self._lvalues({m.counter for m in members})))

    # Lists ----------------------------------------------------------------------------------------------------

    @cached_property
    def following(self) -> dict[int, list[Place]]:
        """For each kind of nodes, the cells that lead from a node to one of the same kind."""
        result: dict[int, list[Place]] = {}
        for place in sorted(self.memory.cell_of):
            targets = self.memory.cell_places([place])
            if targets == {(place[0], 0)}:
                result.setdefault(place[0], []).append(place)
        return result

    def _places(self, lvalue: Expression) -> Set[Place]:
        try:
            return self.memory.address_places(lvalue)
        except Unmodelled:
            return frozenset()

    @cached_property
    def loads(self) -> list[tuple[Expression, Expression]]:
        """Pointers, each with the lvalue that it is read from."""
        return _loads(self.labels)

    def _walks(self, head: Set[Expression], following: Place) -> int:
        """How often the cell is read through one of the pointers."""
        reads = [value for _, value in self.loads if following in self._places(value)]
        return sum(isinstance(v, Field) and isinstance(v.base, Deref) and v.base.pointer in head for v in reads)

    # Counters -------------------------------------------------------------------------------------------------

    @cached_property
    def stepped(self) -> list[Expression]:
        """The lvalues that are incremented or decremented."""
        return list(dict.fromkeys(step.target for step in self._steps))

    @cached_property
    def _steps(self) -> list[Assign]:
        """The operations that increment or decrement a number."""
        assigns = [label for label in self.labels if isinstance(label, Assign)]
        copies = {(a.target, _uncast(a.value)) for a in assigns}
        steps = []
        for assign in assigns:
            sum_ = linear(assign.value)
            by_one = sum_ is not None and sum_[1] in (1, -1)
            if sum_ is not None and by_one and (sum_[0] == assign.target or (sum_[0], assign.target) in copies):
                steps.append(assign)
        return steps

    def _stepped_in(self, labels: Sequence[Operation], numbers: Sequence[Expression]) -> list[Variable]:
        """The variables among some numbers that operations increment or decrement."""
        targets = {label.target for label in labels if isinstance(label, Assign) and label in self._steps}
        return [n for n in numbers if n in targets and isinstance(n, Variable) and self.memory.kind(n) == "integer"]

    def _members(self, counter: Expression) -> Iterator[MemberCount]:
        """The counts whose counter is a member: for each, the cell that is walked from most often."""
        if isinstance(counter, Variable) and self.memory.kind(counter) != "object":
            return
        for size, offset in sorted(self._places(counter)):
            rates: dict[tuple[Place, Place], int] = {}
            for head in sorted(p for p in self.memory.cell_of if p[0] == size):
                targets = self.memory.cell_places([head])
                if len(targets) != 1 or not targets <= {(kind, 0) for kind in self.following} or head in self._inner:
                    continue
                held = {t for t, value in self.loads if head in self._places(value)}
                held |= {v for _, value in self.loads for v in walk(value) if head in self._places(v)}
                for following in self.following[next(iter(targets))[0]]:
                    moves = sum(following in self._places(v) and head in self._places(t) for t, v in self.loads)
                    rates[head, following] = MOVE_WEIGHT * moves + self._walks(held, following)
            chosen = [(head, following) for head, following in _matching(rates) if rates[head, following] > 0]
            best = sorted(chosen, key=lambda pair: -rates[pair])[:MOST_MEMBER_COUNTS]
            yield from (MemberCount(head, (size, offset), following) for head, following in best)

    @property
    def _inner(self) -> Set[Place]:
        return {place for places in self.following.values() for place in places}

    def _variables(self, stepped: list[Expression]) -> list[VariableCount]:
        result: dict[VariableCount, None] = {}
        for edges in self._loops:
            labels = [e.label for e in edges]
            changed = {label.target for label in labels if isinstance(label, Assign)}
            for counter in self._stepped_in(labels, stepped):
                for head in (p for p in self.walkers if p in changed):
                    for following in self._cells(head, labels):
                        result[VariableCount(head, counter, None, following)] = None
        return list(result)

    def _freed_first(self, members: Iterable[MemberCount]) -> Iterator[VariableCount]:
        """The rest of a list whose first node is freed before the pointer to it moves on.

        ``next = l->head->next; free(l->head); l->head = next;``: `next` leads to as many nodes as `l->len`, less one.
        """
        loads = {(target, place) for target, value in self.loads for place in self._places(value)}
        for member in members:
            counters = self._lvalues({member.counter})
            for edge in self.memory.cfa.edges:
                label = edge.label
                if not isinstance(label, Assign) or member.head not in self._places(label.target):
                    continue
                rest = label.value
                if isinstance(rest, Variable) and (rest, member.following) in loads and self._frees_before(edge):
                    own = [c for c in counters if owner_of(c) in {owner_of(label.target)} - {None}]
                    yield from (VariableCount(rest, c, None, member.following) for c in own[:1])

    def _frees_before(self, edge: Edge[Operation]) -> bool:
        """Whether a block is freed a few operations before one."""
        for _ in range(MOST_STEPS_BETWEEN):
            entering = self.memory.cfa.entering(edge.source)
            if len(entering) != 1:
                return False
            edge = entering[0]
            if isinstance(edge.label, Free):
                return True
        return False

    def _lvalues(self, places: Set[Place]) -> list[Expression]:
        """The lvalues of the program that are members of what a variable points to, at certain places."""
        return [n for n in members_of(self.memory.cfa) if self._places(n) & places]

    def _by_callers(self, members: Iterable[Expression]) -> list[Expression]:
        """The same members by the pointers of callers: a function may not read its own any more."""
        known = dict.fromkeys(members)
        for _ in range(COPIES):
            given = {label.target: _uncast(label.value) for label in self.labels if isinstance(label, Assign)}
            for member in list(known):
                owner = owner_of(member)
                source = given.get(owner) if owner is not None else None
                if owner is not None and isinstance(source, Variable) and source.type == owner.type:
                    known[rewrite(member, partial(_exchanged, owner, source))] = None
        return list(known)

    @cached_property
    def _live(self) -> dict[str, frozenset[Variable]]:
        """The pointers that are read later, by location."""
        return live_before(self.memory.cfa, frozenset(self.memory.pointers))

    def _differences(
        self, stepped: list[Expression], members: Iterable[MemberCount], members_read: list[Expression]
    ) -> list[VariableCount]:
        """Counts of what is left of a list: an index is subtracted from a number that it does not exceed."""
        relations = relations_of(self.memory)
        result: dict[VariableCount, None] = {}
        for edges in self._loops:
            labels, behind = [e.label for e in edges], {e.target for e in edges if isinstance(e.label, Assume)}
            changed = [label.target for label in labels if isinstance(label, Assign)]
            compared = {
                n for o in labels if isinstance(o, Assume) for n in walk(o.condition) if isinstance(n, Variable)
            }
            for index in self._stepped_in(labels, stepped):
                bounds = [*members_read, *(v for v in compared if isinstance(v.type, IntegerType) and v != index)]
                held = [b for b in bounds if any(relations.at_most(index, b, name) for name in behind)]
                held += [b for b in self._equal_numbers(index) if b not in held]
                live = {None, *self._live[edges[0].source]}
                held = [b for b in held if owner_of(b) in live] + [b for b in held if owner_of(b) not in live]
                copied = [c for c in self._copies(index) if isinstance(c, Variable) and self._equals(c)]
                for bound in held[:MOST_BOUNDS]:
                    for pointer, following in self._moved_pointers(labels, changed, bound, members):
                        for less in (index, *(c for c in copied if c not in (index, bound))):
                            result[VariableCount(pointer, bound, less, following)] = None
        return list(result)[:MOST_VARIABLE_COUNTS]

    def _equal_numbers(self, index: Variable) -> list[Expression]:
        """The numbers with which an index, or a copy of it, is compared for equality."""
        copies = self._copies(index)
        others = [b for a in copies for b in self._equals(a) if b not in copies]
        lvalues = [b for b in others if isinstance(b.type, IntegerType) and isinstance(b, Variable | Field)]
        return list(dict.fromkeys(b for b in lvalues if isinstance(b, Variable) or owner_of(b) is not None))

    def _copies(self, index: Variable) -> list[Expression]:
        """The index, and the lvalues that get its value."""
        copies: dict[Expression, None] = {index: None}
        for _ in range(COPIES):
            assigns = (label for label in self.labels if isinstance(label, Assign))
            copies |= {a.target: None for a in assigns if _uncast(a.value) in copies}
        return list(copies)

    def _equals(self, lvalue: Expression) -> list[Expression]:
        """What an lvalue is compared with for equality."""
        tests = [
            n for o in self.labels if isinstance(o, Assume) for n in walk(o.condition) if isinstance(n, Comparison)
        ]
        sides = [(_uncast(t.left), _uncast(t.right)) for t in tests if t.operator in ("==", "!=")]
        return [b for pair in sides for a, b in (pair, pair[::-1]) if a == lvalue]

    def _moved_pointers(
        self,
        labels: Sequence[Operation],
        changed: list[Expression],
        bound: Expression,
        members: Iterable[MemberCount],
    ) -> Iterator[tuple[Expression, Place]]:
        """The pointers that move in a loop, with the cell along which."""
        for pointer in dict.fromkeys(p for p in self.walkers if p in changed):
            yield from ((pointer, following) for following in self._cells(pointer, labels))
        for member in members:
            if member.counter in self._places(bound) and any(member.head in self._places(t) for t in changed):
                heads = [h for h in self._lvalues({member.head}) if owner_of(h) == owner_of(bound)]
                yield from ((h, member.following) for h in heads[:1])

    def _cells(self, head: Variable, labels: Sequence[Operation]) -> list[Place]:
        """The cell along which a pointer moves most often in a loop, or else in the program.

        One variable may stand for several that do not live at the same time, so other loops say less.
        """
        places = self.memory.pointer_places.get(head, set())
        if len(places) != 1 or next(iter(places))[1] != 0:
            return []
        cells = self.following.get(next(iter(places))[0], [])
        inside = self._walked(_loads(labels))
        rated = sorted(
            ((inside.get((head, c), 0), self.walked.get((head, c), 0), -k, c) for k, c in enumerate(cells)),
            reverse=True,
        )
        return [rated[0][-1]] if rated else []

    @cached_property
    def walkers(self) -> list[Variable]:
        """Pointer variables that get the next node of a list, or the value of one that does."""
        walkers: dict[Variable, None] = {}
        while True:
            before = len(walkers)
            for target, value in self.loads:
                if not isinstance(target, Variable) or self.memory.kind(target) != "pointer":
                    continue
                along = value in walkers if isinstance(value, Variable) else bool(self._places(value) & self._inner)
                if along:
                    walkers[target] = None
            if len(walkers) == before:
                return list(walkers)

    @cached_property
    def walked(self) -> dict[tuple[Variable, Place], int]:
        """How often a variable gets a value along a cell, directly or by a copy, in the program."""
        return self._walked(self.loads)

    def _walked(self, loads: Sequence[tuple[Expression, Expression]]) -> dict[tuple[Variable, Place], int]:
        walked: dict[tuple[Variable, Place], int] = {}
        for target, value in loads:
            if isinstance(target, Variable) and not isinstance(value, Variable):
                for place in self._places(value) & self._inner:
                    walked[target, place] = walked.get((target, place), 0) + 1
        for target, value in loads:
            if isinstance(target, Variable) and isinstance(value, Variable):
                for (variable, place), number in list(walked.items()):
                    if variable == value:
                        walked.setdefault((target, place), number)
        return walked

    @cached_property
    def _loops(self) -> list[list[Edge[Operation]]]:
        """The edges of each loop that are in no loop inside it, small loops first.

        A number that an inner loop changes does not count the steps of the outer one.
        """
        loops = sorted(self.memory.cfa.loops.values(), key=len)
        taken: set[Edge[Operation]] = set()
        result = []
        for loop in loops:
            edges = [e for e in self.memory.cfa.edges if e.source in loop and e.target in loop and e not in taken]
            taken.update(edges)
            result.append(edges)
        return result


def _matching(rates: Mapping[tuple[Place, Place], int]) -> list[tuple[Place, Place]]:
    """A cell to go on by for each pointer to a first node, as well as possible: different ones for different pointers.

    Where a list has pointers to both of its ends, they are its two directions.
    """
    heads, cells = list(dict.fromkeys(h for h, _ in rates)), list(dict.fromkeys(f for _, f in rates))
    own = {head: [f for f in cells if (head, f) in rates] for head in heads}
    if any(own[head] != cells for head in heads) or len(heads) > len(cells) or len(cells) > MOST_DIRECTIONS:
        return [(head, max(own[head], key=lambda f: rates[head, f])) for head in heads]
    ways = [list(zip(heads, way, strict=True)) for way in permutations(cells, len(heads))]
    return max(ways, key=lambda pairs: sum(rates[pair] for pair in pairs), default=[])


def _loads(labels: Iterable[Operation]) -> list[tuple[Expression, Expression]]:
    """The pointers that operations assign, each with the lvalue that it is read from."""
    assigns = [label for label in labels if isinstance(label, Assign)]
    pairs = [(a.target, _uncast(a.value)) for a in assigns if isinstance(a.target.type, PointerType)]
    return [(target, value) for target, value in pairs if isinstance(value, Variable | Field | Deref | Index)]


def _exchanged(old: Expression, new: Expression, expression: Expression) -> Expression:
    return new if expression == old else expression


def _uncast(value: Expression) -> Expression:
    while isinstance(value, Cast):
        value = value.operand
    return value
