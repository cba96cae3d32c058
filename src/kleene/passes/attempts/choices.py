"""Locations that know which element an index means, and to which variable a pointer points.

``t = a[i]; ...; a[i] = n`` reads and writes one element of an array. Each access is a choice between the elements
(`indices`), and the second choice depends on the first: an analysis that does not remember it mixes up what the
elements point to, and one that does has all combinations of them. Here, the code between them is copied for each value.
A location of the result is one of the program with *facts*: the numbers of indices, and the addresses of variables that
pointers hold. Facts decide later choices, and ``*p`` becomes the variable. A fact ends where its variable is not read
any more, nor pointers that were set while it held: copies that come together too early would mix these up.

Jones, Gomard, Sestoft. Partial evaluation and automatic program generation, 1993, ch. 4: polyvariant specialisation.
Mueller, Whalley. Avoiding conditional branches by code replication, 1995.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace

from kleene.cfa.expressions import (
    AddressOf,
    Comparison,
    Constant,
    Expression,
    Field,
    Index,
    Unary,
    Variable,
    root_variable,
    walk,
    without_casts,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, Assume, DeclareLocal, EndScope, Operation, Skip, address_taken, expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, IntegerType, PointerType
from kleene.passes.facts.integers import COMPARE
from kleene.passes.facts.liveness import defined_variables, live_before, used_variables
from kleene.passes.facts.memory import constant_of
from kleene.passes.indices import MAX_ELEMENTS, has_pointers, variable_indices
from kleene.passes.literals import is_literal
from kleene.passes.promote import Constants, with_addresses, without_unused
from kleene.passes.rewrite import operations_of, rewrite

MOST_LOCATIONS = 4_000
"""Locations of the result of one function: two indices of sixteen elements in code of fifteen steps."""
_COPY, _END = " where ", ";"
"""In the names of copies, before and after the facts."""

Facts = frozenset[tuple[Variable, Expression]]
"""Indices with their numbers, pointers with NULL or with the variable or member whose address they hold."""


def index_names(program: CProgram) -> frozenset[str]:
    """The names of the variables that are indices of arrays with pointers, before accesses become choices."""
    elements = (e for o in operations_of(program) for x in expressions(o) for e, _ in variable_indices(x))
    indices = (e.index for e in elements if has_pointers(e.type, program))
    return frozenset(node.name for index in indices for node in walk(index) if isinstance(node, Variable))


def may_choose(scalars: CProgram, elements: CProgram) -> bool:
    """False only if `with_choices` leaves a program as it is, given as before and after arrays became something else.

    Without a variable index, the elements are the same with choices as without. Arrays without choices may be blocks
    already where elements become variables (`indices.MOST_ELEMENTS`): the indices are looked for before.
    """
    if any(True for o in operations_of(scalars) for x in expressions(o) for _ in variable_indices(x)):
        return True
    automata = [f.cfa for f in elements.functions.values()]
    return any(_pointers(cfa, address_taken(edge.label for edge in cfa.edges)) for cfa in automata)


def with_choices(program: CProgram, indices: Set[str]) -> CProgram:
    """The program with copies of locations for what is known there of some `indices`, by name, and of pointers.

    It is the same program if there is nothing to know, or if there would be too many copies.
    """
    functions = {name: replace(f, cfa=_Specialiser(f.cfa, indices).run()) for name, f in program.functions.items()}
    if all(functions[name].cfa is f.cfa for name, f in program.functions.items()):
        return program
    return replace(program, functions=functions)


def original_location(name: str) -> str:
    """The location of the program whose copy a location is; other locations are their own."""
    return name.partition(_COPY)[0] if name.endswith(_END) else name


def copy_name(location: str, facts: str) -> str:
    """The name of the copy of a location where some facts hold."""
    return location + _COPY + facts + _END


class _Specialiser:
    """One automaton and what may be known in it."""

    def __init__(self, cfa: Cfa[Operation], indices: Set[str]) -> None:
        self.cfa = cfa
        taken = address_taken(edge.label for edge in cfa.edges)
        every = {v for e in cfa.edges for v in (*defined_variables(e.label), *used_variables(e.label))}
        self.indices = frozenset(
            v for v in every if v.name in indices and _is_own(v, taken) and isinstance(v.type, IntegerType)
        )
        self.pointers = _pointers(cfa, taken)
        local = {v for e in cfa.edges for v in defined_variables(e.label) if isinstance(v.type, PointerType)}
        self.live = live_before(cfa, self.indices | self.pointers | local)
        self.kept_for = {v: self._set_while_known(v) | {v} for v in self.indices | self.pointers}
        """The variables for which a fact about a variable is kept."""

    def _set_while_known(self, variable: Variable) -> frozenset[Variable]:
        """The pointers that are set where something may be known of a variable, and not before."""
        before: set[Variable] = set()
        after: set[Variable] = set()
        for edge in self.cfa.edges:
            if variable in defined_variables(edge.label):
                before |= self.live[edge.source] | self.live[edge.target]
            elif variable in self.live[edge.source]:
                after.update(defined_variables(edge.label))
        return frozenset(after - before)

    def run(self) -> Cfa[Operation]:
        """The automaton with copies; the same one if there is nothing to know, or if there would be too many."""
        if not self.indices and not self.pointers:
            return self.cfa
        none: Facts = frozenset()
        seen, waiting = {(self.cfa.entry, none)}, [(self.cfa.entry, none)]
        edges: list[Edge[Operation]] = []
        while waiting:
            location, facts = waiting.pop()
            for edge in self.cfa.leaving(location):
                step = self._step(edge.label, facts)
                if step is None:
                    continue
                operation, after = step
                live = self.live[edge.target]
                target = (edge.target, frozenset(fact for fact in after if self.kept_for[fact[0]] & live))
                edges.append(Edge(_name(location, facts), operation, _name(*target)))
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
            if len(seen) > MOST_LOCATIONS:
                return self.cfa
        known = set().union(*(facts for _, facts in seen))
        if len(known) == len({variable for variable, _ in known}):  # no variable has two values
            return self.cfa
        return self._without_dead_addresses(Cfa(self.cfa.entry, tuple(edges)))

    def _step(self, operation: Operation, facts: Facts) -> tuple[Operation, Facts] | None:
        """The operation as it is where the facts hold, and the facts after it; None if it is not executed there."""
        known = dict(facts)
        variables: Constants = {p: x for p, x in known.items() if not isinstance(x, Constant)}
        if isinstance(operation, Assume):
            truth = _truth(operation.condition, known)
            if truth is not None:
                return (Skip(operation.place), facts) if truth == operation.truth else None
            new = self._tested(operation)
            return with_addresses(operation, variables), facts | {new} if new is not None else facts
        after = frozenset(fact for fact in facts if not _ends(fact, operation))
        if isinstance(operation, Assign) and isinstance(operation.target, Variable):
            value = self._value(operation.target, operation.value, known)
            after |= {(operation.target, value)} if value is not None else set()
        return with_addresses(operation, variables), after

    def _tested(self, test: Assume) -> tuple[Variable, Expression] | None:
        """What is known after a comparison of an index with a number."""
        condition = test.condition
        if not isinstance(condition, Comparison) or condition.operator != ("==" if test.truth else "!="):
            return None
        for side, other in ((condition.left, condition.right), (condition.right, condition.left)):
            number = constant_of(other)
            if side in self.indices and isinstance(side, Variable) and number is not None:
                return side, Constant(number, side.type)
        return None

    def _value(self, target: Variable, value: Expression, known: Mapping[Variable, Expression]) -> Expression | None:
        """What is known of a variable that is set."""
        if target in self.indices:
            number = _number(value, known)
            return Constant(number, target.type) if number is not None and -1 <= number <= MAX_ELEMENTS else None
        if target not in self.pointers:
            return None
        inner = without_casts(value)
        if isinstance(inner, Variable):
            return known.get(inner)
        if isinstance(inner, Constant):
            return Constant(0, target.type) if inner.value == 0 else None
        return inner.target if isinstance(inner, AddressOf) and _is_path(inner.target) else None

    def _without_dead_addresses(self, cfa: Cfa[Operation]) -> Cfa[Operation]:
        """Addresses that only facts have read are not taken."""
        live = live_before(cfa, self.pointers)

        def kept(edge: Edge[Operation]) -> Edge[Operation]:
            label = edge.label
            is_dead = isinstance(label, Assign) and label.target in self.pointers - live[edge.target]
            is_address = isinstance(label, Assign) and isinstance(without_casts(label.value), AddressOf)
            return replace(edge, label=Skip(label.place)) if is_dead and is_address else edge

        return without_unused(Cfa(cfa.entry, tuple(map(kept, cfa.edges))), self.pointers)


def _pointers(cfa: Cfa[Operation], taken: Set[Variable]) -> frozenset[Variable]:
    """The local pointers that get addresses of variables or of members of them, and copies of these pointers."""
    own = [
        (label.target, without_casts(label.value))
        for label in (edge.label for edge in cfa.edges)
        if isinstance(label, Assign)
        and isinstance(label.target, Variable)
        and isinstance(label.target.type, PointerType)
        and _is_own(label.target, taken)
    ]
    pointers = {target for target, value in own if isinstance(value, AddressOf) and _is_path(value.target)}
    while more := {target for target, value in own if value in pointers} - pointers:
        pointers |= more
    return frozenset(pointers)


def _is_own(variable: Variable, taken: Set[Variable]) -> bool:
    return not variable.is_global and variable not in taken


def _is_path(lvalue: Expression) -> bool:
    """A variable, or a member or element of one that does not depend on other values; literals are no choice."""
    while isinstance(lvalue, Field) or (isinstance(lvalue, Index) and _is_inside(lvalue)):
        lvalue = lvalue.base
    return isinstance(lvalue, Variable) and not is_literal(lvalue)


def _is_inside(element: Index) -> bool:
    number, array = constant_of(element.index), element.base.type
    return number is not None and isinstance(array, ArrayType) and 0 <= number < array.count


def _ends(fact: tuple[Variable, Expression], operation: Operation) -> bool:
    """Whether an operation sets the variable of a fact, or ends or begins the one to which it points."""
    variable, value = fact
    changed = defined_variables(operation)
    lives = isinstance(operation, DeclareLocal | EndScope)
    return variable in changed or (lives and root_variable(value) in changed)


def _number(value: Expression, known: Mapping[Variable, Expression]) -> int | None:
    def number(node: Expression) -> Expression:
        own = known.get(node) if isinstance(node, Variable) else None
        return own if isinstance(own, Constant) else node

    return constant_of(rewrite(value, number))


def _truth(condition: Expression, known: Mapping[Variable, Expression]) -> bool | None:
    """Whether a condition holds, if that is known."""
    if isinstance(condition, Unary) and condition.operator == "!":
        inner = _truth(condition.operand, known)
        return None if inner is None else not inner
    if not isinstance(condition, Comparison):
        return None
    sides = [_number(side, known) for side in (condition.left, condition.right)]
    if sides[0] is not None and sides[1] is not None:
        return COMPARE[condition.operator](sides[0], sides[1])
    compared = (without_casts(side) for side in (condition.left, condition.right))
    held = [known.get(side) for side in compared if isinstance(side, Variable)]
    is_address = any(isinstance(own, Field | Index | Variable) for own in held)
    if is_address and 0 in sides and condition.operator in ("==", "!="):
        return condition.operator == "!="
    return None


def _name(location: str, facts: Facts) -> str:
    return copy_name(location, ", ".join(sorted(f"{v}: {value}" for v, value in facts))) if facts else location
