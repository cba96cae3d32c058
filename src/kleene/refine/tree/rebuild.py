"""The part of a reachability tree that survives a refinement: lazy subtree removal.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, Algorithm 3: nodes
with a location whose abstraction was changed are removed, with all below them. The abstraction of a location consists
of its active live variables, and of the shape class if it has objects. All locations share one vocabulary; an inactive
predicate has a fixed value at a location. So a structure is kept iff the values of the new predicates are known there,
and the others have the same meaning as before (decision 014).
"""

from __future__ import annotations

from functools import cached_property

from kleene.cfa.expressions import Variable
from kleene.logic.formula import predicates_of
from kleene.logic.roles import RoleKind
from kleene.refine.classes.shape_types import shape_class_of
from kleene.refine.model import Model
from kleene.refine.tree.reachability_tree import Node, Tree
from kleene.semantics.vocabulary.names import FREED
from kleene.structures.evaluate import rails
from kleene.structures.structure import Structure
from kleene.transformers.draft import Draft


class Carrier:
    """Carries structures at locations of the program from the vocabulary of one model to that of another."""

    def __init__(self, old: Model, new: Model) -> None:
        self.old, self.new = old, new
        before, after = old.abstraction, new.abstraction
        old_symbols, new_symbols = old.translator.symbols, new.translator.symbols
        self._same_class = (
            shape_class_of(before.generators, before.definition) == shape_class_of(after.generators, after.definition)
            and old_symbols.groups == new_symbols.groups
        )

    def carry(self, structure: Structure, location: str) -> Structure | None:
        """The structure in the new vocabulary; None if the new abstraction could know more, or other things, there."""
        if structure.size and not self._same_class:
            return None
        if _collects(self.old, location) != _collects(self.new, location) and any(structure.entries(FREED)):
            return None
        if (self.old.translator.live[location] ^ self.new.translator.live[location]) & self._shared_variables:
            return None
        size, vocabulary = structure.size, self.new.translation.vocabulary
        values: list[int] = []
        for predicate in vocabulary:
            if predicate.name in self._kept_predicates:
                index = 2 * structure.vocabulary.index(predicate.name)
                values += structure.values[index : index + 2]
            elif predicate.arity and not size:
                values += (0, 0)
            elif predicate.definition is None:
                if not self._inactive(predicate.name, location):
                    return None
                values += (0, 0)
            else:  # a definition uses only earlier declarations
                rest = (0,) * (2 * len(vocabulary) - len(values))
                must, may = rails(Structure(vocabulary, size, (*values, *rest)), predicate.definition, predicate.args)
                if must != may:
                    return None
                values += (must, may)
        return self._canonical(Structure(vocabulary, size, tuple(values)))

    def _canonical(self, structure: Structure) -> Structure:
        return self.new.domain.blur(Draft.of(structure, 0, keep_names=False), structure)

    @cached_property
    def _kept_predicates(self) -> frozenset[str]:
        """The predicates that are the same in both models, with all that they are defined by."""
        old, new = self.old.translation.vocabulary, self.new.translation.vocabulary
        owners, others = owners_of(self.new), owners_of(self.old)
        kept: set[str] = set()
        for p in new:  # a definition uses only earlier declarations
            used = predicates_of(p.definition) if p.definition is not None else frozenset()
            if old.get(p.name) == p and owners.get(p.name) == others.get(p.name) and used <= kept:
                kept.add(p.name)
        return frozenset(kept)

    @cached_property
    def _shared_variables(self) -> frozenset[Variable]:
        """The variables that both models track, somewhere."""
        return frozenset(self._owners.values()) & frozenset(owners_of(self.old).values())

    @cached_property
    def _owners(self) -> dict[str, Variable]:
        return owners_of(self.new)

    def _inactive(self, name: str, location: str) -> bool:
        """Whether a predicate is false at the location: it is about a variable that is not tracked there."""
        if self.new.translation.vocabulary[name].is_a(RoleKind.TEMPORARY, RoleKind.UNDEFINED_TEMPORARY):
            return True
        owner = self._owners.get(name)
        return owner is not None and not owner.is_global and owner not in self.new.translator.live[location]


def _collects(model: Model, location: str) -> bool:
    """Whether all pointers are known at a location, so that freed blocks to which none points are dropped there."""
    return model.translator.symbols.all_pointers_tracked and model.translator.complete_at(location)


def owners_of(model: Model) -> dict[str, Variable]:
    """The variables that the predicates of pointers and integers are about."""
    translator = model.translator
    symbols, memory = translator.symbols, translator.memory
    result: dict[str, Variable] = {}
    for variable in memory.pointers:
        pointer = symbols.pointer(variable)
        if pointer.tracked:
            result |= dict.fromkeys([*map(pointer.predicate, pointer.offsets), pointer.undefined], variable)
    for variable in memory.integers:
        result |= {f"{symbols.name(variable)}={constant}": variable for constant in translator.constants.of(variable)}
    return result


def rebuilt(old: Tree, model: Model) -> Tree:
    """The tree to continue with under a refined abstraction.

    A location has changed if a structure there cannot be kept; nodes reachable from it are removed, too.
    """
    new = Tree(model)
    carrier = Carrier(old.model, model)
    program = model.task.cfa
    nodes: dict[str, list[Node]] = {}
    changed: set[str] = set()
    for location in program.reachable & set(old.stores):
        for shape in old.stores[location].elements():
            carried = carrier.carry(shape, location)
            if carried is None:
                changed.add(location)
                break
            before = old.nodes[location][shape]
            nodes.setdefault(location, []).append(Node(location, carried, before.parent, before.step))
    removed = program.reachable_from(changed)
    again = _unfinished_locations(old) | {edge.source for edge in program.edges if edge.target in removed}
    for location in program.locations:
        for node in nodes.get(location, ()) if location not in removed else ():
            new.keep(node, waits=location in again)
    new.contradictions |= {place: text for place, text in old.contradictions.items() if place not in removed}
    return new


def _unfinished_locations(tree: Tree) -> set[str]:
    """The locations of the program with a waiting node, or with a step that has reported an error."""
    waiting = {location for location, nodes in tree.pending.items() if nodes}
    return {tree.model.program_location(location) for location in waiting | tree.erroneous}
