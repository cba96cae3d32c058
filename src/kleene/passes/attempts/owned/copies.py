"""`memmove` of elements of an array, which are pointers or structs with pointers, as a loop that copies them.

``memmove(a + i, a + i + 1, (n - i - 1) * sizeof *a)`` becomes a loop over two indices. It goes up where the elements
move down, and down where they move up, as what overlaps must be read before it is overwritten. The loop ends where its
index is *equal* to the end: if the count is less than 0, or so large that the size wraps, it leaves the array before,
which is an error. So each error of the call is one of the loop.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kleene.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    PointerOffset,
    Variable,
    has_dereference,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assign, MemCopy, Operation
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType, PointerType, RecordType
from kleene.passes.attempts.owned.shapes import shape_of
from kleene.passes.elements.chains import Chains
from kleene.passes.elements.chosen import bare
from kleene.passes.facts.blocks_of_pointers import factors
from kleene.passes.facts.memory import constant_of
from kleene.passes.rewrite import operations_of

WORD_BITS = 64
"""Bits in which sums are computed: those of narrower numbers are exact in them, modulo the width."""
WORD = IntegerType(WORD_BITS, signed=False, name="unsigned long")


def with_copied_elements(program: CProgram) -> CProgram:
    """The program in which parts of arrays of pointers are moved by loops."""
    if program.pointer_size * 8 != WORD_BITS:
        return program
    functions = {}
    for name, function in program.functions.items():
        loops = _Loops(program, Chains("copy "))
        for edge in function.cfa.edges:
            loops.add(edge)
        changed = replace(function, cfa=Cfa(function.cfa.entry, tuple(loops.chains.edges)))
        functions[name] = replace(changed, locals=(*function.locals, *loops.chains.locals)) if loops.count else function
    return replace(program, functions=functions)


def moves_elements(program: CProgram) -> bool:
    """Whether parts of arrays of pointers are moved."""
    return any(
        isinstance(o, MemCopy) and o.overlapping and _move_of(o, program) is not None for o in operations_of(program)
    )


@dataclass
class _Loops:
    """The edges of one function, with loops in the place of copies."""

    program: CProgram
    chains: Chains
    count: int = 0
    """Loops that were made."""

    def add(self, edge: Edge[Operation]) -> None:
        label = edge.label
        move = _move_of(label, self.program) if isinstance(label, MemCopy) and label.overlapping else None
        if move is None:
            self.chains.edges.append(edge)
            return
        place, chains = label.place, self.chains
        up, down = chains.branch(edge.source, Comparison("<=", _word(move.to), _word(move.source)), place)
        to, source = _word(move.to), _word(move.source)
        behind_to, behind = (_sum(start, _word(move.count)) for start in (to, source))
        for here, starts, operator in ((up, (to, source, behind), "+"), (down, (behind_to, behind, source), "-")):
            self._loop(here, edge, move, starts, operator)

    def _loop(
        self, here: str, edge: Edge[Operation], move: _Move, starts: tuple[Expression, ...], operator: str
    ) -> None:
        """Copy element after element, from the first of both to the end."""
        place, chains = edge.label.place, self.chains
        self.count += 1
        to, source, end = (chains.local(f"${name}{self.count}", WORD) for name in ("to", "from", "end"))
        for variable, start in zip((to, source, end), starts, strict=True):
            here = chains.add(here, Assign(place, variable, start))
        head, (body, done) = here, chains.branch(here, Comparison("!=", source, end), place)
        chains.connect(done, edge.target, place)
        copy = Assign(place, move.at(to), move.at(source))
        steps = [Assign(place, v, Binary(operator, v, Constant(1, WORD), WORD)) for v in (to, source)]
        *first, last = (copy, *steps) if operator == "+" else (*steps, copy)
        for operation in first:
            body = chains.add(body, operation)
        chains.edges.append(Edge(body, last, head))


@dataclass(frozen=True)
class _Move:
    """A number of elements of one array that are copied from one index to another."""

    array: Expression
    element: PointerType | RecordType
    to: Expression
    source: Expression
    count: Expression

    def at(self, index: Expression) -> Deref:
        return Deref(PointerOffset(self.array, index, self.element.size, self.array.type), self.element)


def _move_of(label: MemCopy, program: CProgram) -> _Move | None:
    """What `memmove` does, if it moves elements within one array of pointers, or of structs with pointers."""
    (to, first), (source, second) = _parts(label.destination), _parts(label.source)
    element = to.type.target if isinstance(to.type, PointerType) else None
    size, product = constant_of(label.size), factors(label.size)
    if to != source or not isinstance(element, PointerType | RecordType) or shape_of(element, program) is None:
        return None
    if size is not None and size % element.size == 0:
        count: Expression = Constant(size // element.size, WORD)
    elif product is not None and product[1] == element.size:
        count = product[0]
    else:
        return None
    if any(scale != element.size for _, scale in (first, second)) or any(
        has_dereference(x) for x in (to, first[0], second[0], count)
    ):
        return None
    return _Move(to, element, first[0], second[0], count)


def _parts(pointer: Expression) -> tuple[Expression, tuple[Expression, int]]:
    """A pointer to an element as an array, an index, and the bytes by which the index counts."""
    inner = bare(pointer)
    if isinstance(inner, AddressOf) and isinstance(inner.target, Deref):
        inner = bare(inner.target.pointer)
    if isinstance(inner, PointerOffset):
        array, (first, scale) = _parts(inner.pointer)
        if constant_of(first) == 0:
            return array, (inner.index, inner.scale)
        return (array, (_sum(_word(first), _word(inner.index)), scale)) if scale == inner.scale else (inner, (first, 0))
    size = inner.type.target.size if isinstance(inner.type, PointerType) else 0
    return inner, (Constant(0, WORD), size)


# Sums ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Linear:
    """A sum of variables, each a number of times, and a constant: equal to an expression modulo the word."""

    terms: tuple[tuple[Variable, int], ...]
    constant: int

    def plus(self, other: _Linear, factor: int) -> _Linear:
        terms = dict(self.terms)
        for variable, times in other.terms:
            terms[variable] = terms.get(variable, 0) + factor * times
        kept = tuple((v, n) for v, n in sorted(terms.items(), key=str) if n)
        return _Linear(kept, self.constant + factor * other.constant)


def _linear(value: Expression) -> _Linear | None:
    """A number of 64 bits as a sum; None where it may have wrapped in fewer bits, or was signed."""
    if isinstance(value, Constant):
        return _Linear((), value.value)
    if isinstance(value, Cast) and value.type.size * 8 == WORD_BITS and isinstance(value.operand.type, IntegerType):
        return _linear(value.operand) or (
            _Linear(((value.operand, 1),), 0) if isinstance(value.operand, Variable) else None
        )
    if isinstance(value.type, IntegerType) and value.type.bits == WORD_BITS:
        if isinstance(value, Variable):
            return _Linear(((value, 1),), 0)
        if isinstance(value, Binary) and value.operator in ("+", "-"):
            left, right = _linear(value.left), _linear(value.right)
            if left is not None and right is not None:
                return left.plus(right, 1 if value.operator == "+" else -1)
    return None


def _sum(left: Expression, right: Expression) -> Expression:
    """A sum of two words; one variable and a constant if the others cancel out."""
    one, two = _linear(left), _linear(right)
    total = one.plus(two, 1) if one is not None and two is not None else None
    if total is None or len(total.terms) > 1 or any(times != 1 for _, times in total.terms):
        return Binary("+", left, right, WORD)
    constant = Constant(abs(total.constant), WORD)
    if not total.terms:
        return Constant(WORD.wrap(total.constant), WORD)
    variable = _word(total.terms[0][0])
    return Binary("+" if total.constant > 0 else "-", variable, constant, WORD) if total.constant else variable


def _word(value: Expression) -> Expression:
    return value if value.type == WORD else Cast(value, WORD)
