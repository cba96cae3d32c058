"""Pointers that always hold the address of one variable are replaced by that variable.

After inlining, a parameter such as ``struct node **l`` that was passed ``&list`` has exactly one assignment,
``l = &list``. Then ``*l`` is `list`, and if all uses of ``&list`` vanish that way, `list` need not be a memory object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import replace

from kleene.cfa.dataflow import solve_forward
from kleene.cfa.expressions import (
    AddressOf,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    PointerOffset,
    Variable,
    has_dereference,
    root_variable,
    without_casts,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Call,
    DeclareLocal,
    EndScope,
    Enter,
    Havoc,
    Invoke,
    MemCopy,
    MemSet,
    Operation,
    Realloc,
    Skip,
    Specified,
    address_taken,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import INT, ArrayType, PointerType
from kleene.passes.facts.liveness import defined_variables, starts, used_variables
from kleene.passes.rewrite import operations_of, rewrite_operation


def promote_addresses(cfa: Cfa[Operation]) -> Cfa[Operation]:
    """The automaton with dereferences of constant addresses replaced, until nothing more can be."""
    while True:
        constants = _constant_addresses(cfa)
        if not constants:
            return cfa
        changed = _replace(cfa, constants)
        if changed.edges == cfa.edges:
            return cfa
        cfa = changed


def exposed_globals(program: CProgram) -> frozenset[Variable]:
    """The global variables whose address is taken: by an initializer, or in any function."""
    return frozenset(v for v in address_taken(operations_of(program)) if v.is_global)


Constants = dict[Variable, Expression]
"""Pointers that have one value: the address of a variable, or of a member of one."""


def _constant_addresses(cfa: Cfa[Operation]) -> Constants:
    """Pointer variables with one assignment in the whole program, of the address of a variable or member."""
    assigned: Counter[Variable] = Counter()
    value: Constants = {}
    taken = address_taken(edge.label for edge in cfa.edges)
    for edge in cfa.edges:
        operation = edge.label
        target = (
            getattr(operation, "target", None) if isinstance(operation, Assign | Allocate | Realloc | Havoc) else None
        )
        if isinstance(operation, Assign) and isinstance(target, Variable):
            assigned[target] += 1
            pointed = address_of(operation.value)
            if pointed is not None:
                value[target] = pointed
        elif isinstance(target, Variable):
            assigned[target] += 1
        elif isinstance(operation, Call | Enter | Invoke | Specified):
            assigned.update(defined_variables(operation))
    candidates = {p: x for p, x in value.items() if assigned[p] == 1 and p not in taken and not p.is_global and p != x}
    doubtful = _doubtful(cfa, candidates)
    return {p: x for p, x in candidates.items() if p not in doubtful}


def _doubtful(cfa: Cfa[Operation], candidates: Constants) -> set[Variable]:
    """Candidates that some path reads before their assignment, or after the life of the variable they point to."""
    start = frozenset((p, "unset") for p in candidates)
    reached = solve_forward(
        cfa,
        dict.fromkeys(starts(cfa), start),
        lambda edge, facts: frozenset(_facts_after(edge.label, set(facts), candidates)),
        lambda _, known, new: None if new <= known else known | new,
    )
    doubtful: set[Variable] = set()
    for edge in cfa.edges:
        facts = reached.get(edge.source)
        if facts:
            doubtful |= {p for p, _ in facts} & used_variables(edge.label)
    return doubtful


def _facts_after(
    operation: Operation, facts: set[tuple[Variable, str]], candidates: Constants
) -> set[tuple[Variable, str]]:
    """The reasons against a candidate after an operation: it is 'unset', or its variable has 'ended'."""
    if isinstance(operation, Assign) and operation.target in candidates:
        return {fact for fact in facts if fact[0] != operation.target}
    if isinstance(operation, DeclareLocal):
        if operation.variable in candidates:
            facts = facts | {(operation.variable, "unset")}
        return facts
    if isinstance(operation, EndScope):
        return facts | {(p, "ended") for p, x in candidates.items() if root_variable(x) in operation.variables}
    return facts


def address_of(value: Expression) -> Expression | None:
    """The lvalue whose address a value is: a variable, or a member of one."""
    value = without_casts(value)
    if not isinstance(value, AddressOf):
        return None
    inner = value.target
    while isinstance(inner, Field):
        inner = inner.base
    return value.target if isinstance(inner, Variable) else None


def _replace(cfa: Cfa[Operation], constants: Constants) -> Cfa[Operation]:
    edges = [replace(e, label=with_addresses(e.label, constants)) for e in cfa.edges]
    return without_unused(Cfa(cfa.entry, tuple(edges)), constants.keys())


def with_addresses(operation: Operation, constants: Constants) -> Operation:
    """The operation with the variables to which pointers point in place of dereferences of these."""

    def simplify(node: Expression) -> Expression:
        if isinstance(node, Comparison) and node.operator in ("==", "!="):
            return _compare(node, constants)
        if not isinstance(node, Deref):
            return node
        pointer = node.pointer
        index: Expression | None = None
        if isinstance(pointer, PointerOffset) and pointer.scale == node.type.size:
            index, pointer = pointer.index, pointer.pointer
        if not isinstance(pointer, Variable) or pointer not in constants:
            return node
        target = constants[pointer]
        if isinstance(target.type, ArrayType) and target.type.element == node.type:
            return Index(target, index or Constant(0, INT), node.type)
        return target if index is None and target.type == node.type else node

    return _copy(rewrite_operation(operation, simplify), constants) if constants else operation


def without_unused(cfa: Cfa[Operation], pointers: Set[Variable]) -> Cfa[Operation]:
    """The automaton without those of some pointers that nothing reads: else they had no value to the analysis.

    A pointer that is read from memory somewhere stays: the read may be the error.
    """
    unused = pointers - {v for edge in cfa.edges for v in used_variables(edge.label)} - _read_from_memory(cfa)
    return Cfa(cfa.entry, tuple(_without(e, unused) for e in cfa.edges)) if unused else cfa


def _read_from_memory(cfa: Cfa[Operation]) -> set[Variable]:
    """The variables whose values are read through pointers or indices somewhere; addresses of members are not read."""
    return {
        edge.label.target
        for edge in cfa.edges
        if isinstance(edge.label, Assign)
        and isinstance(edge.label.target, Variable)
        and has_dereference(_without_address(edge.label.value))
    }


def _without_address(value: Expression) -> Expression:
    """What is evaluated for a value: of the address of a member, the pointer to its struct."""
    value = without_casts(value)
    if not isinstance(value, AddressOf):
        return value
    lvalue = value.target
    while isinstance(lvalue, Field):
        lvalue = lvalue.base
    return lvalue.pointer if isinstance(lvalue, Deref) else lvalue


def _compare(node: Comparison, constants: Constants) -> Expression:
    """A constant address is not null."""
    sides = [without_casts(node.left), without_casts(node.right)]
    known = any(side in constants for side in sides)
    null = any(isinstance(side, Constant) and side.value == 0 for side in sides)
    return Constant(int(node.operator == "!="), node.type) if known and null else node


def _copy(operation: Operation, constants: Constants) -> Operation:
    """The operation with constant addresses in place of pointers that hold them, in copies and in bulk writes."""

    def replacement(value: Expression) -> Expression:
        pointer = without_casts(value)
        if isinstance(pointer, Variable) and pointer in constants and isinstance(value.type, PointerType):
            return AddressOf(constants[pointer], value.type)
        return value

    match operation:
        case Assign(target=Variable(), value=value):
            return replace(operation, value=replacement(value))
        case MemSet(pointer=pointer):
            return replace(operation, pointer=replacement(pointer))
        case MemCopy(destination=destination, source=source):
            return replace(operation, destination=replacement(destination), source=replacement(source))
    return operation


def _without(edge: Edge[Operation], unused: Set[Variable]) -> Edge[Operation]:
    operation = edge.label
    match operation:
        case Assign(target=Variable() as variable) | DeclareLocal(variable=variable) if variable in unused:
            return replace(edge, label=Skip(operation.place))
        case EndScope(variables=variables) if not unused.isdisjoint(variables):
            rest = tuple(v for v in variables if v not in unused)
            return replace(edge, label=EndScope(operation.place, rest) if rest else Skip(operation.place))
    return edge
