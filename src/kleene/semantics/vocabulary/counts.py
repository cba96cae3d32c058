"""Counted lists: predicates that a counter is the number of nodes of a list plus k, for small k.

The predicates are claims: a claim that holds in a state is true of it, and no claim says nothing. A number is compared
with the number of nodes modulo the counter's width, so ``len--`` on 0 needs no case of its own. The number of nodes of
a finite list that ends in NULL is known as far as the shape analysis knows its first nodes.

(Compare Magill, Berdine, Clarke, Cook: Arithmetic strengthening for shape analysis, SAS 2007, where a program over the
lengths of list segments is made instead.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kleene.cfa.expressions import Expression, Variable, member_base
from kleene.cfa.types import IntegerType
from kleene.logic.formula import FALSE, Formula, Not, conj, disj, exists, neg
from kleene.logic.roles import Role, RoleKind
from kleene.passes.facts.counters import Count, MemberCount, VariableCount, counts_of, owner_of
from kleene.passes.facts.memory import Place
from kleene.semantics.vocabulary.groups import ACYCLIC
from kleene.semantics.vocabulary.names import FREED, at
from kleene.semantics.vocabulary.predicates import Pointer, Symbols

SHIFTS = (-1, 0, 1)
"""The differences of a counter and the number of nodes that claims are made of: one operation changes either by one."""
LONGEST = 2
"""Lists of up to so many nodes are told apart."""
OWNER = "h"
"""The variable of the object that has the counter as a member."""


@dataclass(frozen=True)
class Source:
    """A pointer value: a formula for its target, with the free variable v, and one for whether it is NULL."""

    target: Formula
    null: Formula

    def some(self, holds: Callable[[str], Formula]) -> Formula:
        """Its target exists and satisfies a formula."""
        return exists(["v"], conj(self.target, holds("v")))


@dataclass(frozen=True)
class Anchor:
    """The pointer to the first node of a list."""

    at: Callable[[str], Formula]
    null: Formula

    @property
    def source(self) -> Source:
        return Source(self.at("v"), self.null)


class Chain:
    """The lists along one cell."""

    def __init__(self, symbols: Symbols, place: Place) -> None:
        cell = symbols.memory.cell_of[place]
        self.kind, self.cell, self.edge = place[0], cell, symbols.cell(cell, 0)
        self.undefined = symbols.cell_undefined(cell)
        self.group = symbols.group_of(self.edge)

    def is_exact(self, symbols: Symbols) -> bool:
        """Whether the closure leads from one node of a list to another only along the cell."""
        if self.group.kind != ACYCLIC or self.group.closure in symbols.absent:
            return False
        return not self._leads_to_nodes(symbols, self.kind, self.cell)

    def is_entered_by(self, symbols: Symbols, head: Place) -> bool:
        """Whether the closure leads from an object to a node only along one cell, and then along the list."""
        cell = symbols.memory.cell_of[head]
        return cell in self.group.cells and not self._leads_to_nodes(symbols, head[0], cell)

    def _leads_to_nodes(self, symbols: Symbols, kind: int, but: str) -> bool:
        """Whether the group leads from a kind of objects to nodes other than along one of its cells."""
        memory = symbols.memory
        inside = [p for p, c in memory.cell_of.items() if c in self.group.cells]
        waiting = [to for p in inside if p[0] == kind and memory.cell_of[p] != but for to, _ in memory.cell_places([p])]
        reached: set[int] = set()
        while waiting:
            to = waiting.pop()
            if to not in reached:
                reached.add(to)
                waiting += [t for p in inside if p[0] == to for t, _ in memory.cell_places([p])]
        return self.kind in reached

    def ends(self, v: str) -> Formula:
        """The node is the last one."""
        return conj(neg(exists(["n1"], at(self.edge, v, "n1"))), Not(at(self.undefined, v)))

    def length(self, of: Source, number: int) -> Formula:
        """The list has just that many nodes."""
        if number == 0:
            return of.null

        def nodes(v: str, left: int) -> Formula:
            if left == 1:
                return conj(Not(at(FREED, v)), self.ends(v))
            return exists([f"n{left}"], conj(at(self.edge, v, f"n{left}"), nodes(f"n{left}", left - 1)))

        return of.some(lambda v: nodes(v, number))

    def longer(self, of: Source) -> Formula:
        """The list has more nodes than are told apart; only of finite lists."""
        return neg(disj(*(self.length(of, m) for m in range(LONGEST + 1))))

    def has(self, first: Anchor, node: Callable[[str], Formula]) -> Formula:
        """A node is on a list."""
        return exists(["n1", "n2"], conj(first.at("n1"), at(self.group.closure, "n1", "n2"), node("n2")))

    def difference(self, of: Source, counted: Anchor, more: int) -> Formula:
        """The list has so many nodes more than a counted one: by -1, 0 or 1."""
        if more == 0:
            return disj(of.some(counted.at), conj(of.null, counted.null))
        if more == 1:

            def before(v: str) -> Formula:
                leads = exists(["n1"], conj(at(self.edge, v, "n1"), counted.at("n1")))
                return conj(Not(at(FREED, v)), disj(leads, conj(self.ends(v), counted.null)))

            return of.some(before)
        last = exists(["n2"], conj(counted.at("n2"), Not(at(FREED, "n2")), self.ends("n2")))
        behind = of.some(lambda v: exists(["n1"], conj(counted.at("n1"), at(self.edge, "n1", v))))
        return disj(behind, conj(of.null, last))


class Claims:
    """The claims about one counter and one list."""

    def __init__(self, symbols: Symbols, count: Count) -> None:
        self.symbols, self.count = symbols, count
        self.chain = Chain(symbols, count.following)
        self.names = {k: self._name(k) for k in SHIFTS}

    def _name(self, shift: int) -> str:
        count, sign = self.count, "" if not shift else f"{shift:+}"
        following = self.symbols.memory.cell_of[count.following]
        if isinstance(count, MemberCount):
            head = self.symbols.memory.cell_of[count.head]
            name = f"@{count.counter[1]}=#{head}.{following}{sign}"
            return self.symbols.unary(name, Role(RoleKind.COUNT, value=shift))
        less = f"-{count.less}" if count.less is not None else ""
        name = f"{count.counter}{less}=#{count.head}.{following}{sign}"
        return self.symbols.nullary(name, Role(RoleKind.COUNT, value=shift))

    @property
    def is_difference(self) -> bool:
        """Whether the number is a difference; then it is what it is, and not modulo a width."""
        return isinstance(self.count, VariableCount) and self.count.less is not None

    @property
    def is_by_member(self) -> bool:
        """Whether the pointer to the first node is a member of what a variable points to."""
        return isinstance(self.count, VariableCount) and not isinstance(self.count.head, Variable)

    def value(self, number: int) -> int:
        """The value of the counter where it is a number, modulo its width."""
        return number if self.is_difference else self.type.wrap(number)

    @property
    def parameters(self) -> tuple[str, ...]:
        return (OWNER,) if isinstance(self.count, MemberCount) else ()

    def at(self, shift: int, owner: str = OWNER) -> Formula:
        """The claim with that difference."""
        if shift not in self.names:
            return FALSE
        return at(self.names[shift], owner) if isinstance(self.count, MemberCount) else at(self.names[shift])

    def any(self, owner: str = OWNER) -> Formula:
        return disj(*(self.at(k, owner) for k in SHIFTS))

    def has(self, node: Callable[[str], Formula]) -> Formula:
        """A node is on the list."""
        count, chain = self.count, self.chain
        if isinstance(count, MemberCount) and chain.is_entered_by(self.symbols, count.head):
            return exists(["n2"], conj(at(chain.group.closure, OWNER, "n2"), node("n2")))
        return chain.has(self.anchor(), node)

    def anchor(self, owner: str = OWNER) -> Anchor:
        """The pointer to the first node."""
        if isinstance(self.count, MemberCount):
            return self._member(self.count.head, owner)
        if isinstance(self.count.head, Variable):
            return anchor_of(self.symbols.pointer(self.count.head), self.symbols)
        inner, own = self._member(self.head_place, "n8"), self.owns
        return Anchor(
            lambda v: exists(["n8"], conj(own("n8"), inner.at(v))), exists(["n8"], conj(own("n8"), inner.null))
        )

    def _member(self, place: Place, owner: str) -> Anchor:
        cell = self.symbols.memory.cell_of[place]
        edge, undefined = self.symbols.cell(cell, 0), self.symbols.cell_undefined(cell)
        null = conj(neg(exists(["n9"], at(edge, owner, "n9"))), Not(at(undefined, owner)))
        return Anchor(lambda v: at(edge, owner, v), null)

    @property
    def head_place(self) -> Place:
        """The place of the pointer to the first node, if it is a member."""
        assert isinstance(self.count, VariableCount)
        return next(iter(self.symbols.memory.address_places(self.count.head)))

    def owns(self, v: str) -> Formula:
        """The object is the one whose member the pointer, or else the counter, of a count by variables is."""
        assert isinstance(self.count, VariableCount)
        for lvalue in (self.count.head, self.count.counter):
            owner = owner_of(lvalue)
            if owner is not None:
                return self.symbols.pointer(owner).at(_start(lvalue, self.symbols), v)
        return FALSE

    @property
    def owners(self) -> list[Variable]:
        """The variables that lead to the pointer and to the counter."""
        count = self.count
        if isinstance(count, MemberCount):
            return []
        return [v for v in (owner_of(count.head), owner_of(count.counter)) if v is not None]

    @property
    def type(self) -> IntegerType:
        """The type of the counter."""
        if isinstance(self.count, VariableCount):
            assert isinstance(self.count.counter.type, IntegerType)
            return self.count.counter.type
        kept = self.symbols.memory.integer_type(self.count.counter)
        assert kept is not None
        return kept


def anchor_of(pointer: Pointer, symbols: Symbols) -> Anchor:
    undefined = Not(at(symbols.undefined_predicate(pointer)))
    if 0 not in pointer.offsets:  # always NULL, or not initialized
        return Anchor(lambda v: FALSE, undefined)
    return Anchor(lambda v: pointer.at(0, v), conj(neg(exists(["n9"], pointer.at(0, "n9"))), undefined))


def _start(lvalue: Expression, symbols: Symbols) -> int:
    """The offset to which the variable points that leads to a member."""
    place = next(iter(symbols.memory.address_places(lvalue)))
    return place[1] - member_base(lvalue)[1]


def _is_followed(count: VariableCount, symbols: Symbols) -> bool:
    """Whether its members are at one place, at which the variables that lead to them point to the start.

    And its numbers are tracked: else changes of them would not be seen.
    """
    memory = symbols.memory
    numbers = [n for n in (count.counter, count.less) if isinstance(n, Variable)]
    if not all(map(symbols.precision.tracks_integer, numbers)):
        return False
    for lvalue in (count.head, count.counter):
        owner = owner_of(lvalue)
        if owner is None:
            continue
        pointer, places = symbols.pointer(owner), memory.address_places(lvalue)
        if not pointer.tracked or len(places) != 1 or pointer.offsets != (_start(lvalue, symbols),):
            return False
        cell = memory.cell_of.get(next(iter(places)))
        if lvalue == count.head and (cell is None or symbols.target_offsets(cell) != [0]):
            return False
    owners = {owner_of(count.head), owner_of(count.counter)} - {None}
    if isinstance(count.head, Variable):
        return symbols.pointer(count.head).offsets == (0,)
    return len(owners) == 1


def claims_of(symbols: Symbols) -> list[Claims]:
    """The claims that can be followed with the shape class."""
    result: list[Claims] = []
    for count in counts_of(symbols.memory):
        place = count.following
        cell = symbols.memory.cell_of[place]
        if not symbols.precision.tracks_cell(cell) or symbols.target_offsets(cell) != [0]:
            continue
        if isinstance(count, MemberCount):
            head = symbols.memory.cell_of[count.head]
            kept = symbols.memory.integer_type(count.counter)
            if not symbols.precision.tracks_cell(head) or symbols.target_offsets(head) != [0] or kept is None:
                continue
        elif not _is_followed(count, symbols):
            continue
        if Chain(symbols, place).is_exact(symbols):
            result.append(Claims(symbols, count))
    return result
