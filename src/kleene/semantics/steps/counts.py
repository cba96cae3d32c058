"""Counted lists: how operations change the claims about counters.

A claim is that a counter is the number of nodes of a list plus k (`semantics/vocabulary/counts.py`). It changes with
the counter (``len++``), with the pointer to the first node (``head = n``), and with the cells of the nodes
(``tail->next = n``). An operation whose effect on a number of nodes is not seen ends the claims about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import partial

from kleene.cfa.expressions import Deref, Expression, Variable, member_base
from kleene.cfa.types import IntegerType, Type
from kleene.logic.formula import FALSE, TRUE, Formula, IfThenElse, Not, conj, disj, exists, neg, predicates_of
from kleene.passes.facts.counters import Count, MemberCount, VariableCount, least_bits, linear, members_of, owner_of
from kleene.passes.facts.integers import Constants, Key
from kleene.passes.facts.memory import Memory, Place, Unmodelled, constant_of
from kleene.passes.facts.relations.questions import relations_of
from kleene.semantics.steps.count_facts import Fact, owned_by, plain_fact
from kleene.semantics.vocabulary.counts import LONGEST, OWNER, SHIFTS, Anchor, Claims, Source, claims_of
from kleene.semantics.vocabulary.names import at
from kleene.semantics.vocabulary.predicates import Pointer, Symbols
from kleene.transformers.action import Rule, Update

OTHER = "g"
"""The variable of another object with a counter."""
VALUES = (0, 1)
"""Numbers of counters that are always told apart."""
NEW_NODE = "isNew"

Formulas = Callable[[str], Formula]


class CountSteps:
    """The claims of a translation: all updates of them."""

    def __init__(self, memory: Memory, symbols: Symbols, constants: Constants) -> None:
        self.memory, self.symbols, self.constants = memory, symbols, constants
        self.relations = relations_of(memory)
        self.location = memory.cfa.entry
        """Where the operation begins that is being translated."""
        self.known: Set[Variable] = frozenset()
        """The variables whose values are known before it: a number that no proof needs is forgotten."""
        self.live: Set[Variable] = frozenset()
        """The variables that are read after it."""
        self.claims = claims_of(symbols)
        places = {c.count.counter for c in self.claims if isinstance(c.count, MemberCount)}
        self.members = [m for m in members_of(memory.cfa) if self._is_one_of(m, places)]
        """The counters that are members of what a variable points to."""
        for claims in self.claims:
            for key in self._keys(claims.count):
                constants.require(key, VALUES)

    def _keys(self, count: Count) -> list[Key]:
        """The numbers on which a count depends; the changes of each are seen, as it has predicates."""
        if isinstance(count, MemberCount):
            return [count.counter[1]]
        lvalues = [count.counter] if count.less is None else [count.counter, count.less]
        return [key for lvalue in lvalues for key in self.constants.keys(lvalue)]

    def _is_one_of(self, member: Expression, places: Set[Place]) -> bool:
        try:
            return bool(self.memory.address_places(member) & places)
        except Unmodelled:
            return False

    def rules(self) -> list[Rule]:
        """A counter has one difference from the number of nodes."""
        return [
            Rule(claims.at(k), Not(claims.at(other)), "claims about a counter")
            for claims in self.claims
            for k in SHIFTS
            for other in SHIFTS
            if k != other
        ]

    # What changes a claim -------------------------------------------------------------------------------------

    def drop(self, changed: Iterable[str], given: Iterable[str]) -> list[Update]:
        """The ends of claims about what a step changes, except those that the step gives new values."""
        names, own = set(changed), set(given)
        return [
            Update(name, claims.parameters, FALSE)
            for claims in self.claims
            if not own & set(claims.names.values()) and names & self._sources(claims)
            for name in claims.names.values()
        ]

    def _sources(self, claims: Claims) -> set[str]:
        """The predicates on which claims depend."""
        count, symbols = claims.count, self.symbols
        watched = {claims.chain.edge, claims.chain.undefined}
        if isinstance(count, MemberCount):
            head = self.memory.cell_of[count.head]
            watched |= {symbols.cell(head, 0), symbols.cell_undefined(head)}
            return watched | self._numbers(count.counter[1])
        pointers = [count.head] if isinstance(count.head, Variable) else []
        for pointer in map(symbols.pointer, [*pointers, *claims.owners]):
            watched |= {pointer.predicate(0), symbols.undefined_predicate(pointer)}
        if not isinstance(count.head, Variable):
            head = self.memory.cell_of[claims.head_place]
            watched |= {symbols.cell(head, 0), symbols.cell_undefined(head)}
        for number in (count.counter, count.less):
            if isinstance(number, Variable):
                watched |= self._numbers(number)
            elif number is not None:
                watched |= {name for _, offset in self.memory.address_places(number) for name in self._numbers(offset)}
        return watched

    def _numbers(self, key: Variable | int) -> set[str]:
        symbols = self.symbols
        if isinstance(key, int):
            return {symbols.integer_cell(key, c) for c in self.constants.of(key)}
        return {symbols.integer(key, c) for c in self.constants.of(key)}

    def create(self, size: int, *, zeroed: bool, given: Iterable[Update]) -> list[Update]:
        """A new object: a block of zeros has an empty list and the number 0."""
        updates, own = [], {update.predicate for update in given}
        for claims in self.claims:
            for k, name in claims.names.items():
                if isinstance(claims.count, MemberCount):
                    new = TRUE if zeroed and not k and claims.count.counter[0] == size else FALSE
                    updates.append(Update(name, (OWNER,), IfThenElse(at(NEW_NODE, OWNER), new, at(name, OWNER))))
                elif name not in own:
                    updates.append(Update(name, (), at(name)))
        return updates

    def initial_claims(self, objects: Sequence[Variable]) -> Iterator[tuple[str, tuple[int, ...]]]:
        """The claims before the program begins, each with its node: of the global variables, which are zero."""
        for claims in self.claims:
            count = claims.count
            if isinstance(count, MemberCount):
                sizes = [self.memory.size_of(variable) for variable in objects]
                yield from ((claims.names[0], (n,)) for n, size in enumerate(sizes) if size == count.counter[0])
            elif count.less is None and _is_global(count.head) and _is_global(count.counter):
                yield claims.names[0], ()

    def forget(self, variable: Variable) -> list[Update]:
        """The ends of the claims about a variable that is not read any more.

        A counter keeps them: after ``t = len`` it is not read, but ``len = t - 1`` changes it. A pointer that is NULL
        keeps them too: they are about a list of no nodes.
        """
        updates = []
        for claims in self.claims:
            count = claims.count
            if isinstance(count, VariableCount) and variable in (count.head, count.less, *claims.owners):
                stays = claims.anchor().null if variable == count.head else FALSE
                updates += [Update(name, (), conj(claims.at(k), stays)) for k, name in claims.names.items()]
        return updates

    # The first node -------------------------------------------------------------------------------------------

    def point(self, pointer: Pointer, target: Formula, undefined: Formula) -> list[Update]:
        """A pointer variable gets a value."""
        updates: list[Update] = []
        for claims in self.claims:
            count = claims.count
            if not isinstance(count, VariableCount):
                continue
            leads = any(self.symbols.name(v) == pointer.name for v in claims.owners)
            if not leads and not (isinstance(count.head, Variable) and self.symbols.name(count.head) == pointer.name):
                continue
            if leads or NEW_NODE in predicates_of(target):  # the cells of a new node have no values yet
                updates += [Update(name, (), FALSE) for name in claims.names.values()]
                continue
            value = Source(target, conj(neg(exists(["v"], target)), neg(undefined)))
            known = [plain_fact(other) for other in self.claims if _same_counter(other, claims)]
            known += self._facts_elsewhere(count)
            for k, name in claims.names.items():
                updates.append(Update(name, (), self._count(claims, value, known, k)))
        return updates

    def _count(self, claims: Claims, value: Source, known: Sequence[Fact], k: int) -> Formula:
        """The claim after a new first node: by the lists whose lengths are known, or else by numbers.

        Where a structure is of no state, the two could say different things.
        """
        if claims.is_difference:
            return self._by_lists(claims, value, known, k)
        numbers = (conj(self._is(claims, m + k), claims.chain.length(value, m)) for m in range(LONGEST + 1))
        others = (self._by_lists(claims, value, known, other) for other in SHIFTS if other != k)
        return disj(self._by_lists(claims, value, known, k), conj(disj(*numbers), neg(disj(*others))))

    def _by_lists(self, claims: Claims, value: Source, known: Sequence[Fact], k: int) -> Formula:
        """The claim after a new first node, by the lists whose lengths are known."""
        return disj(
            *(
                own.bind(conj(claims.chain.difference(value, own.anchor, more), own.carry(k + more, claims)))
                for own in known
                if own.chain.edge == claims.chain.edge
                for more in SHIFTS
                if k + more in SHIFTS
            )
        )

    def _is(self, claims: Claims, number: int) -> Formula:
        """The counter has that value."""
        count, number = claims.count, claims.type.wrap(number)
        if isinstance(count, MemberCount):
            offset = count.counter[1]
            known = number in self.constants.of(offset)
            return at(self.symbols.integer_cell(offset, number), OWNER) if known else FALSE
        if not isinstance(count.counter, Variable) or number not in self.constants.of(count.counter):
            return FALSE
        return at(self.symbols.integer(count.counter, number))

    def first_nodes(self, bases: Sequence[tuple[Place, Formulas]]) -> list[Formula]:
        """The first nodes of the lists that a change of cells may concern."""
        result: list[Formula] = []
        for claims in self.claims:
            count = claims.count
            if not isinstance(count, MemberCount) or all(place != count.following for place, _ in bases):
                continue
            if not claims.chain.is_entered_by(self.symbols, count.head):
                result.append(exists([OWNER], conj(claims.any(), claims.anchor().at("v"))))
        return result

    def store(self, bases: Sequence[tuple[Place, Formulas]], value: Source) -> list[Update]:
        """Pointer cells get a value: first nodes of lists, or cells of their nodes."""
        updates = []
        for claims in self.claims:
            heads: list[Formula] = []
            cells: list[Formulas] = []
            for place, owner in bases:
                if isinstance(claims.count, MemberCount):
                    if place == claims.count.head:
                        heads.append(owner(OWNER))
                elif not isinstance(claims.count.head, Variable) and place == claims.head_place:
                    heads.append(exists(["n6"], conj(claims.owns("n6"), owner("n6"))))
                if place == claims.count.following:
                    cells.append(owner)
            if not heads and not cells:
                continue
            beside = self._facts_of_owner(claims)
            for k, name in claims.names.items():
                new = claims.at(k)
                for node in cells:
                    new = self._relink(claims, node, value, k, new)
                for formula in heads:
                    rest = {more: self._by_lists(claims, value, beside, more) for more in SHIFTS}
                    counted = self._count(claims, value, [plain_fact(claims)], k)
                    new = IfThenElse(formula, IfThenElse(disj(*rest.values()), rest[k], counted), new)
                updates.append(Update(name, claims.parameters, new))
        return updates

    def _facts_of_owner(self, claims: Claims) -> list[Fact]:
        """What is known of the counter of an object and the lists of variables: ``next = l->head->next``."""
        if not isinstance(claims.count, MemberCount):
            return []
        places, found = {claims.count.counter}, []
        for other in self.claims:
            count = other.count
            if not isinstance(count, VariableCount) or count.less is not None or not isinstance(count.head, Variable):
                continue
            if other.owners and self._is_one_of(count.counter, places):
                found.append(replace(plain_fact(other), bind=partial(owned_by, other)))
        return found

    def _relink(self, claims: Claims, node: Formulas, value: Source, k: int, otherwise: Formula) -> Formula:
        """The claim after the cell of a node gets a value, if the node is on the list."""
        chain = claims.chain
        old = Anchor(
            lambda v: exists(["n7"], conj(node("n7"), at(chain.edge, "n7", v))),
            exists(["n7"], conj(node("n7"), chain.ends("n7"))),
        )
        cases = []
        for more in SHIFTS:
            other = neg(value.some(node)) if more == 1 else TRUE  # else the node would lead to itself
            if k + more in SHIFTS:
                cases.append(conj(chain.difference(value, old, more), other, claims.at(k + more)))
        first = exists(["n2"], conj(node("n2"), claims.anchor().at("n2")))
        for own in self._beside(claims):  # the list is the node and another list whose length is known
            for more in (m for m in SHIFTS if k + 1 + m in SHIFTS):
                behind = conj(chain.difference(value, own.anchor, more), neg(value.some(node)))
                cases.append(conj(first, own.bind(conj(behind, own.carry(k + 1 + more, claims)))))
        for m in (0, 1) if not claims.is_difference else ():
            other = neg(value.some(node)) if m else TRUE
            cases.append(conj(first, self._is(claims, m + 1 + k), chain.length(value, m), other))
        return IfThenElse(claims.has(node), disj(*cases), otherwise)

    def _beside(self, claims: Claims) -> list[Fact]:
        """What is known of the same counter and other lists."""
        others = [c for c in self.claims if c is not claims and _same_counter(c, claims)]
        return [plain_fact(other) for other in others if other.chain.edge == claims.chain.edge]

    def end(self, sizes: Sequence[int], node: Formulas) -> list[Update]:
        """A block ends: what is known about lists with it, and about its own counter, ends."""
        updates = []
        for claims in self.claims:
            gone: list[Formula] = []
            if claims.count.following[0] in sizes:
                gone.append(claims.has(node))
            if isinstance(claims.count, MemberCount):
                if claims.count.counter[0] in sizes:
                    gone.append(node(OWNER))
            elif claims.owners:
                gone.append(exists(["n6"], conj(claims.owns("n6"), node("n6"))))
            for k, name in claims.names.items() if gone else ():
                updates.append(Update(name, claims.parameters, conj(claims.at(k), neg(disj(*gone)))))
        return updates

    # The counter ----------------------------------------------------------------------------------------------

    def assign(
        self, target: Expression, bases: Sequence[tuple[Place, Formulas]], value: Expression | None
    ) -> list[Update]:
        """A number gets the value of an expression, or any value; `bases` are objects that it may be a member of."""
        updates = []
        for claims in self.claims:
            count = claims.count
            if isinstance(count, VariableCount):
                if not self._is_used(count):
                    updates += [Update(name, (), FALSE) for name in claims.names.values()]
                elif target in (count.counter, count.less):
                    updates += [Update(n, (), self._after(claims, target, value, k)) for k, n in claims.names.items()]
                elif bases and owner_of(count.counter) is not None:
                    places = self.memory.address_places(count.counter)
                    same = [exists(["n6"], conj(claims.owns("n6"), f("n6"))) for place, f in bases if place in places]
                    for k, name in claims.names.items() if same else ():
                        new = IfThenElse(disj(*same), self._after(claims, target, value, k), at(name))
                        updates.append(Update(name, (), new))
                continue
            mine = [formula for place, formula in bases if place == count.counter]
            for k, name in claims.names.items() if mine else ():
                written = disj(*(formula(OWNER) for formula in mine))
                new = IfThenElse(written, self._after(claims, target, value, k), at(name, OWNER))
                updates.append(Update(name, (OWNER,), new))
        return updates

    def _is_used(self, count: VariableCount) -> bool:
        """Whether the pointer is read again after the operation."""
        head = count.head
        return count.less is not None or not isinstance(head, Variable) or head.is_global or head in self.live

    def _after(self, claims: Claims, target: Expression, value: Expression | None, k: int) -> Formula:
        """The claim after its counter, or what is subtracted from it, gets a value."""
        if value is None:
            return FALSE
        count, number, sum_ = claims.count, constant_of(value), self._sum(value, target)
        subtracted = isinstance(count, VariableCount) and target == count.less
        if sum_ is not None and sum_[0] == target and self._keeps(claims, target, value, sum_[1]):
            return claims.at(k + sum_[1] if subtracted else k - sum_[1])
        if sum_ == (target, 1) and subtracted and _holds(target.type, claims.type) and _is_copy(value, target, target):
            return conj(claims.at(k + 1), self._has_more(claims, k + 1))
        if claims.is_difference:
            assert isinstance(count, VariableCount)
            if subtracted and number is not None:  # the other number alone may be known
                return self._copy(claims, count.counter, -number, k)
            if subtracted and sum_ is not None and not sum_[1] and _is_copy(value, sum_[0], target):
                twins = [
                    c for c in self.claims if _with_less(c.count, sum_[0]) == _with_less(count, sum_[0]) == c.count
                ]
                return disj(*(twin.at(k) for twin in twins))
            return FALSE
        if number is not None:
            source = claims.anchor().source
            lengths = [m for m in range(LONGEST + 1) if claims.type.wrap(m + k) == claims.type.wrap(number)]
            return disj(*(claims.chain.length(source, m) for m in lengths))
        if sum_ is not None and (least_bits(value) >= claims.type.bits or _is_copy(value, sum_[0], target)):
            return self._copy(claims, sum_[0], sum_[1], k)
        return FALSE

    def _has_more(self, claims: Claims, k: int) -> Formula:
        """There are nodes left, so that a number of nodes before them does not exceed the counter."""
        source = claims.anchor().source
        return neg(disj(*(claims.chain.length(source, m) for m in range(1 - min(k, 0)))))

    def _keeps(self, claims: Claims, target: Expression, value: Expression, more: int) -> bool:
        """Whether a number that grows does not wrap, or wraps as claims about it do."""
        if not claims.is_difference:
            return least_bits(value) >= claims.type.bits
        low, high = self.relations.of(target, self.location)
        type_ = target.type
        assert isinstance(type_, IntegerType)
        return type_.has(low + more) and type_.has(high + more) and least_bits(value) >= type_.bits

    def _sum(self, value: Expression, target: Expression) -> tuple[Expression, int] | None:
        """An lvalue and a number whose sum a value is: the target itself, if it is known to be equal to the lvalue."""
        sum_ = linear(value)
        if sum_ is not None and sum_[0] != target and sum_[0].type == target.type:
            distance = self.relations.distance(sum_[0], target, self.location)
            return sum_ if distance is None else (target, sum_[1] + distance)
        return sum_

    def _copy(self, claims: Claims, lvalue: Expression, more: int, k: int) -> Formula:
        """The claim about a number that is an lvalue plus a constant, by what is known about the lvalue."""
        source = claims.anchor().source
        cases = [
            own.bind(conj(claims.chain.difference(source, own.anchor, nodes), own.carry(k + nodes - more, claims)))
            for own in self.facts_about(lvalue)
            if own.chain.edge == claims.chain.edge
            for nodes in SHIFTS
            if k + nodes - more in SHIFTS
        ]
        same = [
            own.bind(conj(claims.owns(OTHER), own.carry(k - more, claims)))
            for own in self.facts_about(lvalue)
            if own.head is not None and claims.is_by_member and own.head == claims.head_place
        ]
        return IfThenElse(disj(*same), TRUE, disj(*cases)) if same else disj(*cases)

    def _facts_elsewhere(self, count: VariableCount) -> Iterator[Fact]:
        """What is known about a count's number by counters that differ from it by a known number."""
        more = 0
        if count.less is not None:
            low, high = self.relations.of(count.less, self.location)
            if low != high:
                return
            more = -low
        if count.less is not None or not isinstance(count.counter, Variable):
            yield from (own.plus(more) for own in self._own_facts(count.counter))
        yield from (own.plus(more) for own in self._facts_by_distance(count.counter))

    def _facts_by_distance(self, lvalue: Expression) -> Iterator[Fact]:
        """Claims about members that differ from an lvalue by a known number."""
        for member in self.members:
            distance = self.relations.distance(lvalue, member, self.location) if member != lvalue else None
            if distance is not None:
                yield from (own.plus(distance) for own in self._own_facts(member))

    def facts_about(self, lvalue: Expression) -> Iterator[Fact]:
        """The claims about the number in an lvalue, or in one that differs from it by a known number."""
        yield from self._own_facts(lvalue)
        yield from self._facts_by_distance(lvalue)

    def _own_facts(self, lvalue: Expression) -> Iterator[Fact]:
        """The claims about the number in an lvalue."""
        for claims in self.claims:
            count = claims.count
            if isinstance(count, VariableCount):
                if count.less is None and count.counter == lvalue:
                    yield plain_fact(claims)
                continue
            formula = self._owner(lvalue, count)
            if formula is not None:
                yield Fact(
                    claims.chain,
                    claims.anchor(OTHER),
                    lambda k, own=claims: own.at(k, OTHER),  # type: ignore[misc]
                    lambda body, owner=formula: exists([OTHER], conj(owner(OTHER), body)),  # type: ignore[misc]
                    claims.type,
                    head=count.head,
                )

    def owners(self, count: MemberCount) -> Iterator[tuple[Expression, Formulas]]:
        """The lvalues that are the counter of an object, each with the formula for this object."""
        for member in self.members:
            if (owner := self._owner(member, count)) is not None:
                yield member, owner

    def _owner(self, lvalue: Expression, count: MemberCount) -> Formulas | None:
        """The object whose member an lvalue is, if it is one that a variable points to and the counter of a list."""
        if not self._is_one_of(lvalue, {count.counter}):
            return None
        base, inside = member_base(lvalue)
        if isinstance(base, Variable):
            if self.memory.kind(base) != "object":
                return None
            name = self.symbols.object(base)
            return lambda v: at(name, v)
        if not isinstance(base, Deref) or not isinstance(base.pointer, Variable):
            return None
        pointer, offset = self.symbols.pointer(base.pointer), count.counter[1] - inside
        if not pointer.tracked or offset not in pointer.offsets:
            return None
        size = self.symbols.size(count.counter[0])
        return lambda v: conj(pointer.at(offset, v), at(size, v) if size else TRUE)


def _same_counter(one: Claims, other: Claims) -> bool:
    a, b = one.count, other.count
    return (
        isinstance(a, VariableCount)
        and isinstance(b, VariableCount)
        and (a.counter, a.less, a.following) == (b.counter, b.less, b.following)
    )


def _is_copy(value: Expression, lvalue: Expression, target: Expression) -> bool:
    """Whether a value is that of an lvalue in the type of the target, but for a number that is added."""
    types = [t for t in (lvalue.type, target.type) if isinstance(t, IntegerType)]
    return least_bits(value) >= min(t.bits for t in types)


def _holds(type_: Type, counter: IntegerType) -> bool:
    """Whether a number can be as large as a counter."""
    return isinstance(type_, IntegerType) and type_.maximum >= counter.maximum


def _with_less(count: Count, less: Expression) -> Count | None:
    return replace(count, less=less) if isinstance(count, VariableCount) and isinstance(less, Variable) else None


def _is_global(lvalue: Expression) -> bool:
    return isinstance(lvalue, Variable) and lvalue.is_global
