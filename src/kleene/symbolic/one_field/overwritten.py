"""Predicates of the store before a block of actions that nothing depends on: they are left out of the problem.

In ``y = malloc(); y->n = x`` it does not matter where `y` was. A store in which it was somewhere has the results of
the one in which it was nowhere, if that is a store of the structure too. So the problem is about these stores
alone: there are fewer kinds of individuals, and the results are the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from kleene.logic.formula import And, Atom, Closure, Const, Exists, Forall, Formula, Iff, Not, Or, predicates_of
from kleene.logic.kleene import Kleene
from kleene.structures.structure import Structure, StructureBuilder
from kleene.symbolic.one_field.outlines import Outline
from kleene.symbolic.theory import Theory


def without_overwritten(structure: Structure, outlines: Sequence[Outline], theory: Theory) -> Structure:
    """The structure in which pointers are nowhere that the actions set and never read.

    What is defined by such a pointer has to be false without it, and no rule may ask for one.
    """
    gone: set[str] = set()
    for p in theory.vocabulary.declared:
        if p.arity == 1 and p.has("unique") and p.definition is None:
            also = {p.name, *_defined_by(p.name, theory)}
            if _is_set_unread(p.name, also, outlines) and _is_possible(gone | also, structure, theory):
                gone |= also
    return _with_false(structure, gone) if gone else structure


def _is_set_unread(pointer: str, names: Collection[str], outlines: Sequence[Outline]) -> bool:
    """Whether an action sets a pointer, and neither it nor one before reads one of the names, which depend on it."""
    for outline in outlines:
        if any(predicates_of(f) & set(names) for f in _read_by(outline)):
            return False
        if pointer in outline.updates:
            return True
    return False


def _read_by(outline: Outline) -> Iterator[Formula]:
    yield from (formula for _, formula in outline.updates.values())
    if outline.precondition is not None:
        yield outline.precondition
    if outline.removed is not None:
        yield Atom(outline.removed, ("v",))
    if outline.change is not None:
        yield from (outline.change.target, Atom(outline.change.cell, ("v",)))


def _defined_by(name: str, theory: Theory) -> set[str]:
    """The instrumentation predicates whose definitions depend on a predicate."""
    result = {name}
    for p in theory.vocabulary.declared:  # definitions use predicates that are declared before
        if p.definition is not None and predicates_of(p.definition) & result:
            result.add(p.name)
    return result


def _is_possible(gone: Collection[str], structure: Structure, theory: Theory) -> bool:
    """Whether every store of the structure is one without these predicates, too."""
    if any(value is Kleene.TRUE for name in gone for _, value in structure.entries(name)):
        return False
    rules = [i.formula for i in theory.integrity if predicates_of(i.formula) & set(gone)]
    return all(_holds(rule, gone, truth=True) for rule in rules)


def _holds(f: Formula, gone: Collection[str], *, truth: bool) -> bool:
    """Whether a formula is true (or false) in all stores where the predicates are false. False if that is not clear."""
    match f:
        case Atom(name):
            return not truth and name in gone
        case Const(value):
            return value is (Kleene.TRUE if truth else Kleene.FALSE)
        case Not(body):
            return _holds(body, gone, truth=not truth)
        case And(a, b) | Or(a, b):
            choose = all if isinstance(f, And) is truth else any
            return choose(_holds(g, gone, truth=truth) for g in (a, b))
        case Exists(_, body) | Forall(_, body):
            return isinstance(f, Forall) is truth and _holds(body, gone, truth=truth)
        case Closure(body=body):
            return not truth and _holds(body, gone, truth=False)
        case Iff(a, b) if truth:
            return any(all(_holds(g, gone, truth=value) for g in (a, b)) for value in (True, False))
    return False


def _with_false(structure: Structure, gone: Collection[str]) -> Structure:
    builder = StructureBuilder(structure.vocabulary, structure.size)
    for p in structure.vocabulary:
        for nodes, value in structure.entries(p.name):
            if p.name not in gone:
                builder.set(p.name, nodes, value)
    return builder.build()
