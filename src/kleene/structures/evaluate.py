"""Evaluating formulas on structures (thesis Def. 7.3), by compiled programs."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from functools import lru_cache

from kleene.logic.formula import Formula
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.layout import Layout, layout_of_width
from kleene.structures.machine import is_native
from kleene.structures.program.build import MAY, MUST, Builder
from kleene.structures.program.python_machine import FunctionText, load
from kleene.structures.structure import AC, Structure


@lru_cache(maxsize=4096)
def _compile(
    vocabulary: Vocabulary, formula: Formula, axes: tuple[str, ...], width: int, all_active: bool
) -> Callable[..., tuple[int, int]]:
    builder = Builder(vocabulary, all_active=all_active)
    text = FunctionText(layout_of_width(width))
    must = text.emit(builder.tensor(formula, MUST, axes))
    may = text.emit(builder.tensor(formula, MAY, axes))
    text.line(f"return {must}, {may}")
    return load([text.source("rails")], layout_of_width(width))["rails"]


def rails(structure: Structure, formula: Formula, axes: Sequence[str]) -> tuple[int, int]:
    """The tensors of both rails over the given variables, which include the free ones."""
    all_active = structure.values[AC] == (1 << structure.size) - 1
    program = _compile(structure.vocabulary, formula, tuple(axes), structure.layout.width, all_active)
    return program(structure.values, structure.size)


def evaluate(structure: Structure, formula: Formula, assignment: Mapping[str, int] | None = None) -> Kleene:
    """The value of a formula under an assignment of its free variables."""
    assignment = assignment or {}
    axes = tuple(formula.free)
    must, may = rails(structure, formula, axes)
    bit = structure.layout.bit(tuple(assignment[v] for v in axes))
    return Kleene.of(bool(must >> bit & 1), bool(may >> bit & 1))


def assignments(structure: Structure, formula: Formula) -> list[tuple[dict[str, int], Kleene]]:
    """All assignments of the free variables at which the formula is not 0, with its value, in order."""
    axes = tuple(formula.free)
    must, may = rails(structure, formula, axes)
    layout: Layout = structure.layout
    result = []
    for nodes in layout.tuples(may, len(axes)):
        value = Kleene.of(bool(must >> layout.bit(nodes) & 1), True)
        result.append((dict(zip(axes, nodes, strict=True)), value))
    return result


def with_definitions(structure: Structure, given: Container[str] = (), *, by_machine: bool = False) -> Structure:
    """The structure with every instrumentation predicate that is not given computed from its definition.

    With `by_machine`, the machine that runs computes them; else the reference, which checks of results want.
    """
    compute = rails
    if by_machine and is_native():
        from kleene.structures.program.native_machine import native_rails  # there may be no native machine

        compute = native_rails
    values = list(structure.values)
    for p in structure.vocabulary.declared:  # a definition uses only earlier declarations
        if p.definition is not None and p.name not in given:
            index = 2 * structure.vocabulary.index(p.name)
            current = Structure(structure.vocabulary, structure.size, tuple(values))
            values[index], values[index + 1] = compute(current, p.definition, p.args)
    return Structure(structure.vocabulary, structure.size, tuple(values), structure.names)
