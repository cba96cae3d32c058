"""Shape types: one generator for each structure type, and the shape class that they make together.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 2.3: a shape
type is a structure type with a generator and a tracking definition, and different shape classes track different data
structures at the same time. Deviation: one vocabulary has the predicates of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kleene.logic.formula import Atom
from kleene.logic.transform import replace_atoms
from kleene.refine.classes.generators import Generator
from kleene.refine.tracking.definition import TrackingDefinition
from kleene.semantics.vocabulary.groups import Group, ShapeClass
from kleene.semantics.vocabulary.precision import Instrumentation, Precision, Roots

Generators = tuple[Generator, ...]
"""One generator for each structure type of a program."""


def fields_of(generators: Generators, definition: TrackingDefinition) -> frozenset[str]:
    """The pointer fields that are tracked."""
    return frozenset().union(*(generator.fields(definition) for generator in generators))


def shape_class_of(generators: Generators, definition: TrackingDefinition) -> ShapeClass:
    """The shape class of all structure types: each has its own fields, and its own assumption about cycles."""
    classes = [generator.shape_class(definition) for generator in generators]
    if len(classes) == 1:
        return classes[0]
    cyclic = [g.fields(definition) for g, own in zip(generators, classes, strict=True) if not own.acyclic]
    return ShapeClass(
        ", ".join(own.name for own in classes),
        True,
        frozenset().union(*(own.back for own in classes)),
        frozenset().union(*(own.circular for own in classes)),
        local=frozenset().union(*(own.local for own in classes)),
        cyclic=frozenset().union(*cyclic),
    )


def precision_of(generators: Generators, definition: TrackingDefinition) -> Precision:
    """``m(D)``: the shape class, as the translation of a C program takes it."""
    return Precision(
        definition.tracked,
        definition.separating,
        fields_of(generators, definition),
        definition.integers,
        definition.data,
        instrument=_Instruments(generators),
    )


@dataclass(frozen=True)
class _Instruments:
    """The instrumentation of all structure types."""

    generators: Generators

    def __call__(self, groups: Sequence[Group], roots: Roots) -> Instrumentation:
        whole = Instrumentation(())
        for generator in self.generators:
            own = _apart(generator.instrument(groups, roots), whole, str(generator.structure))
            whole = Instrumentation((*whole.predicates, *own.predicates), (*whole.rules, *own.rules))
        return whole


def _apart(own: Instrumentation, others: Instrumentation, suffix: str) -> Instrumentation:
    """The same with other names for the predicates whose names are taken: an entry may be used for two types."""
    taken = {predicate.name for predicate in others.predicates}
    new = {p.name: f"{p.name}@{suffix}" for p in own.predicates if p.name in taken}
    if not new:
        return own

    def rename_atom(atom: Atom) -> Atom:
        return type(atom)(new.get(atom.predicate, atom.predicate), atom.args)

    predicates = [
        replace(
            p,
            name=new.get(p.name, p.name),
            definition=None if p.definition is None else replace_atoms(p.definition, rename_atom),
        )
        for p in own.predicates
    ]
    rules = [
        replace(r, body=replace_atoms(r.body, rename_atom), head=replace_atoms(r.head, rename_atom)) for r in own.rules
    ]
    return Instrumentation(tuple(predicates), tuple(rules))


def words_of(generators: Generators) -> str:
    """The generators as text; with several structure types, each with its name."""
    if len(generators) == 1:
        return str(generators[0])
    return "; ".join(f"{generator.structure}: {generator}" for generator in generators)
