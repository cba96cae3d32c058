"""Structs on the heap of which there is one: their members as variables.

In ``struct vec *v = malloc(sizeof *v)`` the array and its length are members of a block. If the block is made once, and
its address is only copied from variable to variable, one variable can stand for all of them, and a variable for each
member. One that gets NULL in place of the address (``free(v); return NULL;``) does so where no other one is read any
more. The block stays, without its members: each access to a member is an access to its first byte, so that errors of
the pointer are found as before. Then `with_element_lists` follows the array as that of a struct on the stack.

In the form of the program `by_members`, so it is with structs that have several pointers and no array: a header with
eight lists is one part of the heap, eight variables are eight. One variable of the struct's type stands for all members
there, since addresses of members may be taken; its life ends where the struct is freed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, replace
from itertools import pairwise

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import (
    AddressOf,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    PointerOffset,
    Variable,
    children,
    member_base,
    walk,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    DeclareLocal,
    EndScope,
    Free,
    MemSet,
    Operation,
    Place,
    Skip,
    address_taken,
    expressions,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import INT, IntegerType, PointerType, RecordType, Type
from kleene.passes.elements.chosen import bare
from kleene.passes.facts.liveness import defined_variables, live_before
from kleene.passes.facts.memory import Leaf, Unmodelled, constant_of, leaves
from kleene.passes.rewrite import Choice, expand_edges, rewrite, with_parts

BYTE = IntegerType(8, signed=True, name="char")
LEAST_POINTERS = 2
"""Pointers in a struct from which its members become variables: one alone is followed as well in memory."""
_WHOLE = "(*"
"""How the name of a variable begins that stands for all members of a struct."""


def touched_name(root: Variable) -> str:
    """The name of the variable that gets the first byte of a struct, by the one that stands for all its pointers."""
    return f"{root}->"


def is_struct_of_members(variable: Variable) -> bool:
    """Whether a variable, or the variable that it was a part of, stands for all members of a struct of the heap."""
    return variable.name.startswith(_WHOLE)


def with_owner_members(program: CProgram) -> CProgram:
    """The program with variables for the members of structs of which there is one.

    These structs own an array; with `by_members`, they may have two pointers instead.
    """
    if set(program.functions) != {program.entry} and not program.by_members:
        return program
    cfa, new = program.main.cfa, list(program.main.locals)
    for made in [e for e in cfa.edges if _makes_struct(e.label, program)]:
        owner = _Owner.of(program, cfa, made) if set(program.functions) == {program.entry} else None
        if owner is None and program.by_members:
            owner = _Owner.as_variable(program, cfa, made)
        if owner is not None:
            cfa = _Coder(program, owner).run(cfa)
            new += owner.variables
    if cfa is program.main.cfa:
        return program
    main = replace(program.main, cfa=cfa, locals=tuple(new))
    return replace(program, functions={**program.functions, main.name: main})


def _makes_struct(label: Operation, program: CProgram) -> bool:
    return (
        isinstance(label, Allocate)
        and isinstance(label.target, Variable)
        and isinstance(label.element, RecordType)
        and label.element.name in program.records
        and constant_of(label.size) == label.element.size
        and not label.stack
    )


@dataclass(frozen=True)
class _Owner:
    """A struct: the variables that hold its address, and the one that stands for all of them.

    Its members are variables by their offsets, or those of one variable, `whole`.
    """

    made: Edge[Operation]
    holders: Set[Variable]
    root: Variable
    members: dict[int, Variable]
    whole: Variable | None = None

    @staticmethod
    def of(program: CProgram, cfa: Cfa[Operation], made: Edge[Operation]) -> _Owner | None:
        """A struct that owns an array, with a variable for each member."""
        holders, parts = _copies(cfa, made), _leaves(made, program)
        if parts is None or not _owns_array(cfa, holders):
            return None
        root = _root(cfa, holders, made, lambda x: _reads_members_only(x, holders))
        members = {p.offset: Variable(f"{root}->{p.name}", p.type) for p in parts}
        if root is None or not _uses_only(cfa, holders, members):
            return None
        return _Owner(made, holders, root, members)

    @staticmethod
    def as_variable(program: CProgram, cfa: Cfa[Operation], made: Edge[Operation]) -> _Owner | None:
        """A struct with several pointers, with one variable for all members."""
        holders, parts = _copies(cfa, made), _leaves(made, program)
        if parts is None or sum(isinstance(p.type, PointerType) for p in parts) < LEAST_POINTERS:
            return None
        root = _root(cfa, holders, made, lambda x: _only_follows(x, holders))
        assert isinstance(made.label, Allocate) and made.label.element is not None
        return (
            None if root is None else _Owner(made, holders, root, {}, Variable(f"{_WHOLE}{root})", made.label.element))
        )

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of the members."""
        return tuple(self.members.values()) if self.whole is None else (self.whole,)


def _leaves(made: Edge[Operation], program: CProgram) -> list[Leaf] | None:
    """The scalars of a struct; None if they are not known, or two of them have a byte in common."""
    assert isinstance(made.label, Allocate) and isinstance(made.label.element, RecordType)
    try:
        parts = leaves(made.label.element, program)
    except Unmodelled:
        return None
    return None if _overlap(parts) else parts


def _root(
    cfa: Cfa[Operation], holders: Set[Variable], made: Edge[Operation], is_harmless: Callable[[Expression], bool]
) -> Variable | None:
    """The holder that can stand for all others; None if the struct is not one, or is used in other ways."""
    target = getattr(made.label, "target", None)
    if made.source in cfa.reachable_from([made.target]) or holders & address_taken(e.label for e in cfa.edges):
        return None
    if any(v.is_global or v.type != getattr(target, "type", None) for v in holders):
        return None
    if not all(_is_harmless(e, holders, made, is_harmless) for e in cfa.edges) or not _are_one(cfa, holders, made):
        return None
    root = next((v for v in sorted(holders, key=str) if _outlives(cfa, v, holders, made)), None)
    if root is not None and not _is_lost_with(cfa, root, frozenset(holders), made):
        return None
    return root if all(_is_set_before_use(cfa, v, made) for v in holders) else None


def _overlap(parts: list[Leaf]) -> bool:
    """Whether two members of a struct have a byte in common, as in a union."""
    ends = sorted((part.offset, part.offset + part.type.size) for part in parts)
    return any(end > start for (_, end), (start, _) in pairwise(ends))


def _copies(cfa: Cfa[Operation], made: Edge[Operation]) -> set[Variable]:
    """The variables that get the address of a struct, by copies."""
    assert isinstance(made.label, Allocate) and isinstance(made.label.target, Variable)
    holders = {made.label.target}
    while True:
        more = {
            e.label.target
            for e in cfa.edges
            if isinstance(e.label, Assign) and isinstance(e.label.target, Variable) and bare(e.label.value) in holders
        }
        if more <= holders:
            return holders
        holders |= more


def _is_harmless(
    edge: Edge[Operation], holders: Set[Variable], made: Edge[Operation], is_harmless: Callable[[Expression], bool]
) -> bool:
    """Whether an operation gives a holder no other value, and its value to nothing else."""
    label = edge.label
    if edge == made or isinstance(label, DeclareLocal | EndScope):
        return True
    target = getattr(label, "target", None)
    if target in holders:
        return isinstance(label, Assign) and (bare(label.value) in holders or _is_null(label))
    if isinstance(label, Free) and bare(label.pointer) in holders:
        return True
    return all(map(is_harmless, expressions(label)))


def _is_null(label: Assign) -> bool:
    return constant_of(bare(label.value)) == 0


def _are_one(cfa: Cfa[Operation], holders: Set[Variable], made: Edge[Operation]) -> bool:
    """Whether all holders that are read later have one value: what one gets, the others get, or are not read."""
    live = live_before(cfa, holders)
    new = [e for e in cfa.edges if e == made or (isinstance(e.label, Assign) and _is_null(e.label))]
    given = [(e, getattr(e.label, "target", None)) for e in new]
    return all(live[e.target] <= {target} for e, target in given if target in holders)


def _reads_members_only(expression: Expression, holders: Set[Variable]) -> bool:
    """Whether the value of a holder is used to reach members, or compared with NULL."""
    match expression:
        case Variable():
            return expression not in holders
        case Field(base=Deref(pointer=pointer)) if pointer in holders:
            return not isinstance(expression.type, RecordType) and expression.bit_width is None
        case Field(base=base, bit_width=None) if isinstance(base, Field):
            return not isinstance(expression.type, RecordType) and _leads_to_member(base, holders)
        case Comparison(left=left, right=right) if bare(left) in holders and constant_of(right) == 0:
            return True
    if isinstance(expression, AddressOf) and any(n in holders for n in walk(expression)):
        return False
    return all(_reads_members_only(c, holders) for c in children(expression))


def _only_follows(expression: Expression, holders: Set[Variable]) -> bool:
    """Whether the value of a holder is used to reach the struct or a part of it, or compared with NULL."""
    match expression:
        case Variable():
            return expression not in holders
        case Deref(pointer=Variable() as pointer) if pointer in holders:
            return isinstance(pointer.type, PointerType) and pointer.type.target == expression.type
        case Comparison(left=left, right=right) if bare(left) in holders and constant_of(right) == 0:
            return True
    return all(_only_follows(c, holders) for c in children(expression))


def _leads_to_member(base: Expression, holders: Set[Variable]) -> bool:
    inner, _ = member_base(base)
    if isinstance(inner, Deref) and inner.pointer in holders:
        return True
    return _reads_members_only(inner, holders)


def _owns_array(cfa: Cfa[Operation], holders: Set[Variable]) -> bool:
    """Whether a member is indexed with a variable."""
    nodes = (n for e in cfa.edges for x in expressions(e.label) for n in walk(x))
    moved = [bare(n.pointer) for n in nodes if isinstance(n, PointerOffset) and constant_of(n.index) is None]
    return any(_holder(p, holders) is not None for p in moved)


def _holder(lvalue: Expression, holders: Set[Variable]) -> Variable | None:
    """The variable that points to the struct of which an lvalue is a member."""
    base, _ = member_base(lvalue)
    if base is not lvalue and isinstance(base, Deref) and base.pointer in holders:
        assert isinstance(base.pointer, Variable)
        return base.pointer
    return None


def _reads(label: Operation, variable: Variable) -> bool:
    if isinstance(label, DeclareLocal | EndScope):
        return False
    target = getattr(label, "target", None)
    return any(n == variable for x in expressions(label) if x is not target or x != variable for n in walk(x))


def _outlives(cfa: Cfa[Operation], root: Variable, holders: Set[Variable], made: Edge[Operation]) -> bool:
    """Whether a variable lives as long as any holder is used after the struct is made."""
    after = cfa.reachable_from([made.target])
    late = cfa.reachable_from(e.target for e in cfa.edges if e.source in after and _ends(e.label, root))
    return not any(e.source in late and any(_reads(e.label, v) for v in holders) for e in cfa.edges)


def _is_lost_with(cfa: Cfa[Operation], root: Variable, holders: frozenset[Variable], made: Edge[Operation]) -> bool:
    """Whether the struct is lost only where one variable ends: where another one ends, some holder has the address.

    The holders that have it on all paths are followed. All of them are named where there is nothing to lose: before the
    struct is made, where it was freed, and where the result loses it as the root ends or gets NULL.
    """

    def after(edge: Edge[Operation], before: frozenset[Variable]) -> frozenset[Variable]:
        label = edge.label
        target = getattr(label, "target", None)
        if edge == made:
            return frozenset(defined_variables(label))
        if (isinstance(label, Free) and bare(label.pointer) in holders) or _ends(label, root):
            return holders
        if isinstance(label, Assign) and target in holders:
            if _is_null(label):
                return holders
            return before | {target} if bare(label.value) in before else before - {target}
        return frozenset(v for v in before if not _ends(label, v))

    start: dict[str, frozenset[Variable]] = {cfa.entry: holders}
    known = solve_forward(cfa, start, after, lambda _, old, new: None if old <= new else old & new)
    ends = [e for e in cfa.edges if e.source in known and any(_ends(e.label, v) for v in holders)]
    return all(after(e, known[e.source]) for e in ends)


def _is_set_before_use(cfa: Cfa[Operation], variable: Variable, made: Edge[Operation]) -> bool:
    """Whether a holder has the address of the struct, or NULL in its place, on every path to where it is read."""
    ended = [e.target for e in cfa.edges if _ends(e.label, variable)]
    unset = {cfa.entry, *ended}
    waiting = list(unset)
    while waiting:
        for edge in cfa.leaving(waiting.pop()):
            gets = edge == made or isinstance(edge.label, Assign)
            if (gets and getattr(edge.label, "target", None) == variable) or edge.target in unset:
                continue
            unset.add(edge.target)
            waiting.append(edge.target)
    return not any(e.source in unset and _reads(e.label, variable) for e in cfa.edges)


def _ends(label: Operation, variable: Variable) -> bool:
    """Whether a variable loses its value."""
    return (isinstance(label, EndScope) and variable in label.variables) or (
        isinstance(label, DeclareLocal) and label.variable == variable
    )


def _uses_only(cfa: Cfa[Operation], holders: Set[Variable], members: dict[int, Variable]) -> bool:
    """Whether all accesses are to scalars of the struct, with their own types."""
    for edge in cfa.edges:
        for node in (n for x in expressions(edge.label) for n in walk(x)):
            if isinstance(node, Field) and _holder(node, holders) is not None and not isinstance(node.type, RecordType):
                member = members.get(member_base(node)[1])
                if member is None or member.type != node.type:
                    return False
    return True


class _Coder:
    """Rewrites one automaton for one struct."""

    def __init__(self, program: CProgram, owner: _Owner) -> None:
        self.program, self.owner = program, owner
        self.touched = Variable(touched_name(owner.root), BYTE)

    def run(self, cfa: Cfa[Operation]) -> Cfa[Operation]:
        return expand_edges(cfa, self._expand, " member ")

    def _expand(self, edge: Edge[Operation]) -> list[Choice] | None:
        label = edge.label
        operations = tuple(self._operations(edge, label))
        return None if operations == (label,) else [Choice(None, operations)]

    def _operations(self, edge: Edge[Operation], label: Operation) -> Iterator[Operation]:
        owner, place = self.owner, label.place
        match label:
            case DeclareLocal(variable=variable) if variable in owner.holders and variable != owner.root:
                yield Skip(place)
                return
            case EndScope(variables=variables):
                kept = tuple(v for v in variables if v not in owner.holders or v == owner.root)
                ended = (*kept, *owner.variables) if owner.root in kept else kept
                yield replace(label, variables=ended) if ended else Skip(place)
                return
            case Assign(target=Variable() as target) if target in owner.holders:
                yield Skip(place)
                if _is_null(label):
                    yield Assign(place, owner.root, Constant(0, owner.root.type))
                    yield from self._last_values(place)
                return
        if any(self._is_access(n) for x in expressions(label) for n in walk(x)):
            yield Assign(place, self.touched, Deref(Cast(owner.root, _to(BYTE, owner.root)), BYTE))
        if edge == owner.made:
            assert isinstance(label, Allocate)
            yield replace(label, target=owner.root, element=None)
            yield from self._first_values(place, zeroed=label.zeroed)
            return
        yield self._rewritten(label)
        if isinstance(label, Free) and bare(label.pointer) in owner.holders:
            yield from self._last_values(place)

    def _is_access(self, node: Expression) -> bool:
        holders = self.owner.holders
        if self.owner.whole is not None:
            return isinstance(node, Deref) and node.pointer in holders
        return _holder(node, holders) is not None

    def _first_values(self, place: Place, *, zeroed: bool) -> Iterator[Operation]:
        whole = self.owner.whole
        if whole is not None:
            yield DeclareLocal(place, whole)
            if zeroed:
                size = IntegerType(self.program.pointer_size * 8, signed=False, name="unsigned long")
                address = AddressOf(whole, self.owner.root.type)
                yield MemSet(place, address, Constant(0, INT), Constant(whole.type.size, size))
        for variable in self.owner.members.values():
            yield Assign(place, variable, Constant(0, variable.type)) if zeroed else DeclareLocal(place, variable)

    def _last_values(self, place: Place) -> Iterator[Operation]:
        """The members lead to nothing any more."""
        if self.owner.whole is not None:
            yield EndScope(place, (self.owner.whole,))
        for variable in self.owner.members.values():
            if isinstance(variable.type, PointerType):
                yield Assign(place, variable, Constant(0, variable.type))

    def _rewritten(self, label: Operation) -> Operation:
        return with_parts(label, lambda x: rewrite(self._with_members(x), self._with_root))

    def _with_members(self, expression: Expression) -> Expression:
        if self.owner.whole is not None and self._is_access(expression):
            return self.owner.whole
        if self.owner.members and isinstance(expression, Field) and self._is_access(expression):
            return self.owner.members[member_base(expression)[1]]
        return with_parts(expression, self._with_members)

    def _with_root(self, node: Expression) -> Expression:
        return self.owner.root if isinstance(node, Variable) and node in self.owner.holders else node


def _to(target: Type, like: Variable) -> PointerType:
    assert isinstance(like.type, PointerType)
    return replace(like.type, target=target)
