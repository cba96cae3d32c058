"""Integer members in the operations of a program: what is known of their values, and who writes them.

A condition on members can be followed only if every write to them is seen as one (`Members.follows`): an assignment to
a member of the struct, a copy of the whole struct, or zeros over all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import (
    NEGATED,
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Unary,
    Variable,
    children,
    walk,
    without_casts,
)
from kleene.cfa.graph import Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Error,
    Exit,
    Free,
    HandOut,
    Havoc,
    MemCopy,
    MemSet,
    Operation,
    Print,
    Realloc,
    Return,
    Skip,
    expressions,
)
from kleene.cfa.types import IntegerType, RecordField, RecordType
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.facts.memory import Memory, Place, Unmodelled, constant_of
from kleene.passes.rewrite import rewrite
from kleene.refine.conditions.cells import CellCondition, member_variable, own_member, own_members
from kleene.refine.conditions.linear import Condition, before_assignment, normal, renamed

Facts = frozenset[Comparison]
"""Comparisons of members, variables and constants that hold."""
MOST_FACTS = 24
"""Facts at one location: those of the last conditions are the useful ones, and a solver gets all that are related."""
MOST_OUTER = 1
"""Variables of a condition that a store adds to it: with more, each store of a loop would add another one."""
_HARMLESS = Skip | Assume | Print | HandOut | Error | Exit | Return | Free | DeclareLocal | EndScope
"""Operations that write to no member."""


@dataclass
class Members:
    """The integer members that the operations of one program read and write."""

    memory: Memory
    _bases: dict[RecordType, set[Place]] = field(default_factory=dict)

    # Lvalues ------------------------------------------------------------------------------------------------------

    def member(self, lvalue: Expression) -> Field | None:
        """The lvalue, if it is an integer member of an object that variables alone determine."""
        if not isinstance(lvalue, Field) or lvalue.bit_width is not None or not isinstance(lvalue.type, IntegerType):
            return None
        plain = isinstance(lvalue.base.type, RecordType) and not lvalue.type.function
        return lvalue if plain and self.is_object(lvalue.base) else None

    def is_object(self, lvalue: Expression) -> bool:
        """Whether variables alone determine the object: a variable, what a variable points to, or a part of these."""
        while isinstance(lvalue, Field):
            lvalue = lvalue.base
        pointer = lvalue.pointer if isinstance(lvalue, Deref) else None
        if pointer is not None:
            return isinstance(pointer, Variable) and self.memory.kind(pointer) == "pointer"
        return isinstance(lvalue, Variable) and self.memory.kind(lvalue) == "object"

    def members_in(self, expression: Expression) -> list[Field]:
        """The members that an expression reads."""
        return [m for node in walk(expression) if (m := self.member(node)) is not None]

    def over_variables(self, expression: Expression) -> Expression:
        """The expression with a variable in the place of each member."""

        def change(node: Expression) -> Expression:
            member = self.member(node)
            return member_variable(member) if member is not None else node

        return rewrite(expression, change)

    def bases(self, record: RecordType) -> set[Place]:
        """The places of the objects of a type. Raises Unmodelled."""
        if record not in self._bases:
            places: set[Place] = set()
            for operation in self._operations:
                for expression in expressions(operation):
                    for node in walk(expression):
                        if isinstance(node, Field) and node.base.type == record:
                            places |= self.memory.address_places(node.base)
            self._bases[record] = places
        return self._bases[record]

    @cached_property
    def _operations(self) -> list[Operation]:
        initial: list[Operation] = [a for item in self.memory.program.globals for a in item.initial]
        return initial + [edge.label for edge in self.memory.cfa.edges]

    @cached_property
    def compared_records(self) -> frozenset[RecordType]:
        """The types of objects of which the program compares members of two, or of variables that hold them."""
        compared: set[RecordType] = set()
        for edge in self.memory.cfa.edges:
            if isinstance(edge.label, Assume):
                held = {v: m for m, v in self.equalities_at(edge.source)}
                nodes = list(walk(edge.label.condition))
                read = [*self.members_in(edge.label.condition), *(held[node] for node in nodes if node in held)]
                types = {m.base: m.base.type for m in read}
                compared |= {t for t in types.values() if len(types) > 1 and isinstance(t, RecordType)}
        return frozenset(compared)

    # Writes ---------------------------------------------------------------------------------------------------------

    def follows(self, condition: CellCondition) -> bool:
        """Whether all writes to the members of a condition are seen, and to its variables."""
        if not all(self.is_number(v) for v in condition.outer):
            return False
        try:
            bases = self.bases(condition.record)
            if self._have_overlaps(condition.record):
                return False
            spans = [(0, m, v.type.size) for v, m in condition.members.items()]
            if any(_overlap({a}, {b}) for a, b in combinations(spans, 2)):
                return False  # members of a union
            cells = {(s, o + m, v.type.size) for s, o in bases for v, m in condition.members.items()}
            initial = [a for item in self.memory.program.globals for a in item.initial]
            if any(_overlap(self._written(a), cells) for a in initial):
                return False
            labels = [edge.label for edge in self.memory.cfa.edges]
            return all(self._is_seen(label, condition) or not _overlap(self._written(label), cells) for label in labels)
        except Unmodelled:
            return False

    def _have_overlaps(self, record: RecordType) -> bool:
        """Whether two objects of a type may have some bytes in common. Raises Unmodelled."""
        bases = self.bases(record)
        return any(s == t and 0 < abs(o - p) < record.size for s, o in bases for t, p in bases)

    def _is_seen(self, operation: Operation, condition: CellCondition) -> bool:
        """Whether the ghosts of the condition follow the operation."""
        match operation:
            case Assign(target=target) | Havoc(target=target) if (member := self.member(target)) is not None:
                return member.base.type == condition.record and _is_whole(member, condition)
            case Assign(target=target, value=value) if isinstance(target.type, RecordType):
                return self.is_copy(operation) and target.type == value.type == condition.record
            case MemSet():
                return self.zeroed_object(operation, condition.record) is not None
        return False

    def is_copy(self, operation: Operation) -> bool:
        """Whether an operation copies a whole struct between objects that variables determine."""
        if not isinstance(operation, Assign) or not isinstance(operation.target.type, RecordType):
            return False
        return self.is_object(operation.target) and self.is_object(operation.value)

    def zeroed_object(self, operation: MemSet, record: RecordType) -> Expression | None:
        """The object of which `memset` makes all bytes zero, and no others; None if that is not certain."""
        pointer, size = without_casts(operation.pointer), constant_of(operation.size)
        if constant_of(operation.value) != 0 or size != record.size:
            return None
        target = Deref(pointer, record)
        whole = self.is_object(target) and self.memory.value_places(pointer) <= self.bases(record)
        return target if whole else None

    def _written(self, operation: Operation) -> set[tuple[int, int, int]]:
        """The bytes that an operation may write: kinds of objects, offsets and lengths. Raises Unmodelled."""
        match operation:
            case Assign(target=target) | Havoc(target=target) | Allocate(target=target) | Realloc(target=target):
                if isinstance(target, Variable) and self.memory.kind(target) != "object":
                    return set()
                return {(s, o, target.type.size) for s, o in self.memory.address_places(target)}
            case MemSet(pointer=pointer, size=size) | MemCopy(destination=pointer, size=size):
                length = constant_of(size)
                if length is None:
                    raise Unmodelled("a number of bytes that is not a constant")
                return {(s, o, length) for s, o in self.memory.value_places(pointer)}
            case _ if isinstance(operation, _HARMLESS):
                return set()
        raise Unmodelled(f"the writes of {operation}")

    # Facts ----------------------------------------------------------------------------------------------------------

    @cached_property
    def facts(self) -> dict[str, Facts]:
        """At each location what assignments and conditions on all paths say of members, and of numbers beside them."""

        def agree(_: str, known: Facts, new: Facts) -> Facts | None:
            return known & new if not known <= new else None

        nothing: Facts = frozenset()
        return solve_forward(self.memory.cfa, {self.memory.cfa.entry: nothing}, self._after, agree)

    def facts_at(self, location: str) -> Facts:
        return self.facts.get(location, frozenset())

    def equalities_at(self, location: str) -> list[tuple[Field, Expression]]:
        """The members with the value of a variable or constant, maybe converted, always in the same order."""
        equal = [f for f in self.facts_at(location) if f.operator == "==" and self._is_plain(without_casts(f.right))]
        pairs = [(m, f.right) for f in equal if (m := self.member(f.left)) is not None]
        return sorted(pairs, key=str)

    def _after(self, edge: Edge[Operation], before: Facts) -> Facts:
        operation = edge.label
        if isinstance(operation, Free | Realloc):
            return frozenset()
        try:
            written = self._written(operation)
        except Unmodelled:
            return frozenset()
        changed = set(defined_variables(operation))

        def stays(fact: Comparison) -> bool:
            return changed.isdisjoint(walk(fact)) and not (written and self._is_hit(fact, written))

        kept = {f for f in before if stays(f)}
        renamed = {g for f in before - kept if stays(g := self._renamed(f, before, stays))}
        new = set(self._new_facts(operation, before))
        whole = kept | renamed | new
        return frozenset(whole if len(whole) <= MOST_FACTS else new)

    def _renamed(self, fact: Comparison, before: Facts, stays: Callable[[Comparison], bool]) -> Comparison:
        """A fact with other names for the values that an operation changes, as far as there are any."""
        names: dict[Expression, Expression] = {}
        for other in sorted((f for f in before if f.operator == "==" and f != fact), key=str):
            for old, new in ((other.left, other.right), (other.right, other.left)):
                if not stays(Comparison("==", old, old)) and stays(Comparison("==", new, new)):
                    names.setdefault(old, new)
        result = rewrite(fact, lambda node: names.get(node, node))
        assert isinstance(result, Comparison)
        return result

    def _may_overlap(self, a: Field, b: Field) -> bool:
        """Whether a store to one member may change what was read from another one.

        The same member of two objects is another one, or the same: then it keeps its value.
        """
        try:
            record = a.base.type
            same = record == b.base.type and (a.name, a.offset, a.type) == (b.name, b.offset, b.type)
            if same and isinstance(record, RecordType) and not self._have_overlaps(record):
                return False
            return self._is_hit(Comparison("==", b, b), {(s, o, a.type.size) for s, o in self.memory.address_places(a)})
        except Unmodelled:
            return True

    def _is_hit(self, fact: Comparison, written: set[tuple[int, int, int]]) -> bool:
        try:
            members = self.members_in(fact)
            cells = {(s, o, m.type.size) for m in members for s, o in self.memory.address_places(m)}
        except Unmodelled:
            return True
        return _overlap(written, cells)

    def _new_facts(self, operation: Operation, before: Facts) -> Iterator[Comparison]:
        match operation:
            case Assign(target=target, value=value) if target.type == value.type:
                yield from self._equal_after(target, value, before)
            case Assume(condition=condition, truth=truth):
                while isinstance(condition, Unary) and condition.operator == "!":
                    condition, truth = condition.operand, not truth
                if isinstance(condition, Comparison) and all(map(self._is_term, (condition.left, condition.right))):
                    yield condition if truth else replace(condition, operator=NEGATED[condition.operator])
            case Allocate(target=Variable() as target, zeroed=True, element=RecordType() as element):
                if self.memory.kind(target) == "pointer":
                    members = self._members_of(Deref(target, element)).values()
                    yield from (Comparison("==", m, Constant(0, m.type)) for m in members)

    def _equal_after(self, target: Expression, value: Expression, before: Facts) -> Iterator[Comparison]:
        """The members and variables that an assignment makes equal."""
        equal = [f for f in before if f.operator == "==" and self._is_plain(f.right)]
        source = self.member(value)
        if (member := self.member(target)) is not None:
            if self._is_plain(without_casts(value)):
                yield Comparison("==", member, value)
            if source is not None and not self._may_overlap(member, source):
                yield Comparison("==", member, source)
            yield from (Comparison("==", member, f.right) for f in equal if source is not None and f.left == source)
        elif self._is_plain(target) and target not in walk(value):
            if source is not None:
                yield Comparison("==", source, target)
            elif self.member(without_casts(value)) is not None:
                yield Comparison("==", value, target)
            kept = (f.left for f in equal if f.right == value and target not in walk(f.left))
            yield from (Comparison("==", left, target) for left in kept)

    def _is_plain(self, value: Expression) -> bool:
        if isinstance(value, Variable):
            return self.is_number(value)
        return isinstance(value, Constant) and isinstance(value.type, IntegerType)

    def _is_term(self, value: Expression) -> bool:
        """Whether a value is computed from variables outside memory and members alone."""
        if self._is_plain(value) or self.member(value) is not None:
            return True
        inner = children(value) if isinstance(value, Binary | Unary | Cast) else ()
        return bool(inner) and all(map(self._is_term, inner))

    # Weakest preconditions --------------------------------------------------------------------------------------------

    def stores(self, condition: CellCondition) -> Iterator[tuple[Edge[Operation], Field]]:
        """The assignments to members of a condition."""
        for edge in self.memory.cfa.edges:
            target = self.member(edge.label.target) if isinstance(edge.label, Assign) else None
            if target is not None and self.is_part(target, condition):
                yield edge, target

    def is_part(self, member: Field, condition: CellCondition) -> bool:
        """Whether a condition is about this member of its object."""
        return member.base.type == condition.record and _is_whole(member, condition)

    def before_store(
        self, condition: CellCondition, edge: Edge[Operation], target: Field
    ) -> CellCondition | Condition | None:
        """What makes the condition hold after an assignment to a member: a condition on members, or on variables."""
        assert isinstance(edge.label, Assign)
        held, value = self.equalities_at(edge.source), self.over_variables(edge.label.value)
        own = {v: member_variable(m) for m, v in held if m.base == target.base and isinstance(v, Variable)}
        whole = condition.at(target.base)
        resolved = rewrite(value, lambda node: own.get(node, node) if isinstance(node, Variable) else node)
        before = before_assignment(whole, member_variable(target), resolved)
        result = self.on_members(before, target.base) if before is not None else None
        if result is not None and result.outer <= condition.outer:  # new variables at each store would not end
            return result
        before = before_assignment(whole, member_variable(target), value)
        plain = self._on_variables(before, held) if before is not None else None
        if plain is None and result is not None and len(result.outer) <= MOST_OUTER:
            return result  # a variable that holds what a member was, as in an exchange
        return plain

    def before_copies(self, condition: CellCondition) -> Iterator[CellCondition]:
        """What makes a condition hold after a variable of it became a copy: a parameter of a call, a member's value."""
        for edge in self.memory.cfa.edges:
            label = edge.label
            if isinstance(label, Assign) and isinstance(label.target, Variable) and label.target in condition.outer:
                before = self.before_copy(condition, label.target, label.value)
                if before is not None:
                    yield before

    def before_copy(self, condition: CellCondition, variable: Variable, value: Expression) -> CellCondition | None:
        """What makes a condition hold after a variable of it became a copy of another one, or of a member.

        A member counts as one of the object that the condition is about. Copies may be of another type. None for
        another value.
        """
        source = without_casts(value)
        member = self.member(source)
        own = member is not None and member.base.type == condition.record
        if member is not None and own:
            value = rewrite(value, lambda node: own_member(member.name, member.type) if node == member else node)
        if not isinstance(source.type, IntegerType) or not (own or isinstance(source, Variable)):
            return None
        plain = before_assignment(condition.condition, variable, value)
        earlier = self.cell_condition(condition.record, plain) if plain is not None else None
        return earlier if earlier is not None and self.follows(earlier) else None

    def before_load(self, condition: Condition, variable: Variable, value: Expression) -> CellCondition | None:
        """What makes a condition on variables hold after one of them became a copy of a member: one on the member."""
        member = self.member(without_casts(value))
        plain = before_assignment(condition, variable, self.over_variables(value)) if member is not None else None
        earlier = self.on_members(plain, member.base) if plain is not None and member is not None else None
        if earlier is None or len(earlier.outer) > MOST_OUTER or not self.follows(earlier):
            return None
        return earlier

    def stored_variables(self, member: Field) -> Iterator[CellCondition]:
        """For each variable that the program assigns to a member of the objects of one type: both are equal."""
        own = own_member(member.name, member.type)
        record = member.base.type
        assert isinstance(record, RecordType)
        for edge in self.memory.cfa.edges:
            target = self.member(edge.label.target) if isinstance(edge.label, Assign) else None
            if target is None or target.base.type != record or target.offset != member.offset:
                continue
            assert isinstance(edge.label, Assign)
            value = edge.label.value
            if isinstance(value, Variable) and self.is_number(value) and value.type == member.type:
                plain = normal({own: 1, value: -1}, 0, equal=True)
                condition = self.cell_condition(record, plain) if plain is not None else None
                if condition is not None:
                    yield condition

    def on_members(self, condition: Condition, base: Expression) -> CellCondition | None:
        """A condition on members of one object, and on variables, as one on all objects of its type.

        None if it is about other objects too, or about variables alone.
        """
        members = self._members_of(base)
        others = condition.variables - members.keys()
        if not isinstance(base.type, RecordType) or not all(self.is_number(v) for v in others):
            return None
        names = {v: own_member(members[v].name, v.type) if v in members else v for v in condition.variables}
        if len(set(names.values())) < len(names):
            return None
        own = renamed(condition, names)
        plain = normal(dict(own.terms), own.constant, equal=own.equal)
        return self.cell_condition(base.type, plain) if plain is not None else None

    def cell_condition(self, record: RecordType, condition: Condition) -> CellCondition | None:
        """The condition on members of a struct and on variables; None if it is about no member."""
        fields = self.fields_of(record.name)
        offsets = {own_member(f.name, f.type): f.offset for f in fields.values()}
        own = own_members(condition)
        return CellCondition(record, condition, tuple(offsets[v] for v in own)) if own else None

    def is_number(self, variable: Variable) -> bool:
        """Whether a variable is an integer outside memory."""
        return self.memory.kind(variable) == "integer"

    def fields_of(self, record: str) -> dict[str, RecordField]:
        """The integer members of a struct, by name."""
        layout = self.memory.program.records.get(record)
        return {
            f.name: f
            for f in (layout.fields if layout is not None else ())
            if isinstance(f.type, IntegerType) and not f.type.function and f.bit_width is None
        }

    def _members_of(self, base: Expression) -> dict[Variable, Field]:
        """All integer members of an object."""
        own = self.fields_of(base.type.name) if isinstance(base.type, RecordType) else {}
        fields = [Field(base, f.name, f.type, f.offset) for f in own.values()]
        return {member_variable(m): m for m in fields}

    def _on_variables(self, condition: Condition, held: Sequence[tuple[Field, Expression]]) -> Condition | None:
        """A condition with the variables that hold the values of members; None if a member is left."""
        known = {member_variable(m): v for m, v in held}
        for variable in condition.variables & known.keys():
            changed = before_assignment(condition, variable, known[variable])
            if changed is None:
                return None
            condition = changed
        return condition if all(map(self.is_number, condition.variables)) else None


def _is_whole(member: Field, condition: CellCondition) -> bool:
    """Whether a member is one of the condition, with its type and offset."""
    return condition.members.get(own_member(member.name, member.type)) == member.offset


def _overlap(written: set[tuple[int, int, int]], cells: set[tuple[int, int, int]]) -> bool:
    return any(s == t and o < p + n and p < o + m for s, o, m in written for t, p, n in cells)
