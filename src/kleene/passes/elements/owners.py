"""Structs on the heap that own an array and of which there is one: their members as variables.

In ``struct vec *v = malloc(sizeof *v)`` the array and its length are members of a block. If the block is made once, and
its address is only copied from variable to variable, one variable can stand for all of them, and a variable for each
member. The block stays, without its members: each access to a member is an access to its first byte, so that errors of
the pointer are found as before. Then `with_element_lists` follows the array as that of a struct on the stack.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from itertools import pairwise

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
    Operation,
    Place,
    Skip,
    address_taken,
    expressions,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType, PointerType, RecordType, Type
from kleene.passes.elements.chosen import bare
from kleene.passes.facts.memory import Leaf, Unmodelled, constant_of, leaves
from kleene.passes.rewrite import Choice, expand_edges, rewrite, with_parts

BYTE = IntegerType(8, signed=True, name="char")


def touched_name(root: Variable) -> str:
    """The name of the variable that gets the first byte of a struct, by the one that stands for all its pointers."""
    return f"{root}->"


def with_owner_members(program: CProgram) -> CProgram:
    """The program with variables for the members of structs of which there is one, and which own an array."""
    if set(program.functions) != {program.entry}:
        return program
    cfa, new = program.main.cfa, list(program.main.locals)
    for made in [e for e in cfa.edges if _makes_struct(e.label, program)]:
        owner = _Owner.of(program, cfa, made)
        if owner is not None:
            cfa = _Coder(program, owner).run(cfa)
            new += owner.members.values()
    if cfa is program.main.cfa:
        return program
    main = replace(program.main, cfa=cfa, locals=tuple(new))
    return replace(program, functions={main.name: main})


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
    """A struct: the variables that hold its address, the one that stands for all, and the variables of its members."""

    made: Edge[Operation]
    holders: Set[Variable]
    root: Variable
    members: dict[int, Variable]

    @staticmethod
    def of(program: CProgram, cfa: Cfa[Operation], made: Edge[Operation]) -> _Owner | None:
        label = made.label
        assert isinstance(label, Allocate) and isinstance(label.target, Variable)
        assert isinstance(label.element, RecordType)
        holders = _copies(cfa, label.target)
        if any(made.source in loop for loop in cfa.loops.values()) or holders & address_taken(
            e.label for e in cfa.edges
        ):
            return None
        if any(v.is_global or v.type != label.target.type for v in holders):
            return None
        if not all(_is_harmless(e, holders, made) for e in cfa.edges) or not _owns_array(cfa, holders):
            return None
        root = next((v for v in sorted(holders, key=str) if _outlives(cfa, v, holders, made)), None)
        if root is None or not all(_is_set_before_use(cfa, v, made) for v in holders):
            return None
        try:
            parts = leaves(label.element, program)
        except Unmodelled:
            return None
        members = {p.offset: Variable(f"{root}->{p.name}", p.type) for p in parts}
        if _overlap(parts) or not _uses_only(cfa, holders, members):
            return None
        return _Owner(made, holders, root, members)


def _overlap(parts: list[Leaf]) -> bool:
    """Whether two members of a struct have a byte in common, as in a union."""
    ends = sorted((part.offset, part.offset + part.type.size) for part in parts)
    return any(end > start for (_, end), (start, _) in pairwise(ends))


def _copies(cfa: Cfa[Operation], start: Variable) -> set[Variable]:
    """The variables that get the value of a variable, by copies."""
    holders = {start}
    while True:
        more = {
            e.label.target
            for e in cfa.edges
            if isinstance(e.label, Assign) and isinstance(e.label.target, Variable) and bare(e.label.value) in holders
        }
        if more <= holders:
            return holders
        holders |= more


def _is_harmless(edge: Edge[Operation], holders: Set[Variable], made: Edge[Operation]) -> bool:
    """Whether an operation gives a holder no other value, and its value to nothing else."""
    label = edge.label
    if edge == made or isinstance(label, DeclareLocal | EndScope):
        return True
    target = getattr(label, "target", None)
    if target in holders:
        return isinstance(label, Assign) and bare(label.value) in holders
    if isinstance(label, Free) and bare(label.pointer) in holders:
        return True
    return all(_reads_members_only(x, holders) for x in expressions(label))


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
                ended = (*kept, *owner.members.values()) if owner.root in kept else kept
                yield replace(label, variables=ended) if ended else Skip(place)
                return
            case Assign(target=Variable() as target) if target in owner.holders:
                yield Skip(place)
                return
        if any(_holder(n, owner.holders) is not None for x in expressions(label) for n in walk(x)):
            yield Assign(place, self.touched, Deref(Cast(owner.root, _to(BYTE, owner.root)), BYTE))
        if edge == owner.made:
            assert isinstance(label, Allocate)
            yield replace(label, target=owner.root, element=None)
            yield from self._first_values(place, zeroed=label.zeroed)
            return
        yield self._rewritten(label)
        if isinstance(label, Free) and bare(label.pointer) in owner.holders:
            yield from (Assign(place, v, Constant(0, v.type)) for v in self._pointers())

    def _first_values(self, place: Place, *, zeroed: bool) -> Iterator[Operation]:
        for variable in self.owner.members.values():
            yield Assign(place, variable, Constant(0, variable.type)) if zeroed else DeclareLocal(place, variable)

    def _pointers(self) -> list[Variable]:
        return [v for v in self.owner.members.values() if isinstance(v.type, PointerType)]

    def _rewritten(self, label: Operation) -> Operation:
        return with_parts(label, lambda x: rewrite(self._with_members(x), self._with_root))

    def _with_members(self, expression: Expression) -> Expression:
        if isinstance(expression, Field) and _holder(expression, self.owner.holders) is not None:
            return self.owner.members[member_base(expression)[1]]
        return with_parts(expression, self._with_members)

    def _with_root(self, node: Expression) -> Expression:
        return self.owner.root if isinstance(node, Variable) and node in self.owner.holders else node


def _to(target: Type, like: Variable) -> PointerType:
    assert isinstance(like.type, PointerType)
    return replace(like.type, target=target)
