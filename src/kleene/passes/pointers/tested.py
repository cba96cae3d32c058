"""Pointers that are copied and then only tested: numbers that tell whether they are NULL.

In ``if (!add(list, item)) free(item);`` a function says by a pointer to its list whether it succeeded. As one more
pointer to the list this would be a variable of its own in all structures, and keep a struct from having its members as
variables (`passes/elements/owners.py`). What the pointer points to is not asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from kleene.cfa.expressions import Cast, Comparison, Constant, Expression, Variable, children, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, DeclareLocal, EndScope, Operation, address_taken, expressions
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import INT, PointerType, RecordType
from kleene.passes.rewrite import rewrite_operation


def with_tested_pointers(program: CProgram) -> CProgram:
    """The program with numbers for the pointers that are only tested."""
    functions = {name: _function(f) for name, f in program.functions.items()}
    return program if functions == program.functions else replace(program, functions=functions)


def _function(function: Function) -> Function:
    own = set(function.locals) - set(function.parameters)
    tested = _only_tested([e.label for e in function.cfa.edges], own)
    if not tested:
        return function
    numbers = {v: replace(v, name=f"$tested {v.name}", type=INT) for v in sorted(tested, key=str)}

    def changed(edge: Edge[Operation]) -> Edge[Operation]:
        return replace(edge, label=_with_numbers(edge.label, numbers))

    cfa = Cfa(function.cfa.entry, tuple(map(changed, function.cfa.edges)))
    return replace(function, cfa=cfa, locals=tuple(numbers.get(v, v) for v in function.locals))


def _only_tested(operations: list[Operation], own: set[Variable]) -> set[Variable]:
    """The variables that get NULL or copies of pointers, and of which only comparisons with NULL are asked."""
    used = address_taken(operations)
    tested = {v for v in own if _is_candidate(v) and v not in used}
    tested &= {v for o in operations for x in expressions(o) for n in walk(x) for v in _tests(n)}
    while True:
        other = {v for operation in operations for v in _otherwise_used(operation, tested)}
        if not tested & other:
            return tested if any(_copied(o, tested) for o in operations) else set()
        tested -= other


def _is_candidate(variable: Variable) -> bool:
    """Whether a variable holds a result until it is tested.

    Variables of the source stay pointers, as pictures show them, and so do pointers to bytes: a test of a copy tells
    what is known of the text (`passes/facts/relations/texts.py`).
    """
    is_own = variable.is_temporary and not variable.is_global
    return is_own and isinstance(variable.type, PointerType) and isinstance(variable.type.target, RecordType)


def _copied(operation: Operation, tested: set[Variable]) -> bool:
    return isinstance(operation, Assign) and operation.target in tested and isinstance(_bare(operation.value), Variable)


def _otherwise_used(operation: Operation, tested: set[Variable]) -> Iterator[Variable]:
    """The variables that an operation uses, but not in a comparison with NULL or a copy to one of those tested."""
    if isinstance(operation, DeclareLocal | EndScope):
        return
    if isinstance(operation, Assign) and operation.target in tested:
        value = _bare(operation.value)
        if (isinstance(value, Variable) and isinstance(value.type, PointerType)) or _is_null(value):
            return
    for expression in expressions(operation):
        yield from _outside_tests(expression)


def _outside_tests(expression: Expression) -> Iterator[Variable]:
    if isinstance(expression, Variable):
        yield expression
    elif not _tests(expression):
        for child in children(expression):
            yield from _outside_tests(child)


def _tests(expression: Expression) -> tuple[Variable, ...]:
    """The variable that an expression compares with NULL."""
    if isinstance(expression, Comparison) and expression.operator in ("==", "!="):
        for side, other in ((expression.left, expression.right), (expression.right, expression.left)):
            variable = _bare(side)
            if isinstance(variable, Variable) and isinstance(variable.type, PointerType) and _is_null(_bare(other)):
                return (variable,)
    return ()


def _bare(expression: Expression) -> Expression:
    """A pointer before its conversions to other pointers."""
    while isinstance(expression, Cast) and isinstance(expression.type, PointerType):
        expression = expression.operand
    return expression


def _is_null(expression: Expression) -> bool:
    return isinstance(expression, Constant) and expression.value == 0


def _with_numbers(operation: Operation, numbers: Mapping[Variable, Variable]) -> Operation:
    if isinstance(operation, Assign) and operation.target in numbers:
        assert isinstance(operation.target, Variable)
        return replace(operation, target=numbers[operation.target], value=_truth(operation.value, numbers))

    def change(node: Expression) -> Expression:
        tested = [numbers[v] for v in _tests(node) if v in numbers]
        return (
            replace(node, left=tested[0], right=Constant(0, INT)) if isinstance(node, Comparison) and tested else node
        )

    if isinstance(operation, DeclareLocal | EndScope):
        return rewrite_operation(
            operation, lambda node: numbers.get(node, node) if isinstance(node, Variable) else node
        )
    return rewrite_operation(operation, change)


def _truth(value: Expression, numbers: Mapping[Variable, Variable]) -> Expression:
    """Whether a pointer is not NULL, as a number."""
    bare = _bare(value)
    if isinstance(bare, Variable):
        return numbers[bare] if bare in numbers else Comparison("!=", bare, Constant(0, bare.type))
    return Constant(0, INT)
