"""Values that the three-valued update decides without the solver: constants for the best transformer.

By the embedding theorem a definite value of a formula on a structure is its value in every store that the structure
represents. The state after an action is the state before with the updates evaluated in it, sharpened by the rules. The
updates of instrumentation predicates are derived by finite differencing, not taken from the program.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from kleene.diagnostics import InputError
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.evaluate import evaluate
from kleene.structures.structure import Structure, StructureBuilder
from kleene.symbolic.theory import Theory
from kleene.transformers.action import Action, Update
from kleene.transformers.differencing import derive


@dataclass(frozen=True)
class AbstractState:
    """A structure that represents the stores at a moment; `places[u]` is the node of the scene that u is."""

    structure: Structure
    places: tuple[int, ...]

    @staticmethod
    def of(structure: Structure) -> AbstractState:
        return AbstractState(structure, tuple(structure.nodes))

    def with_new(self, place: int) -> AbstractState:
        """One more node, with `isNew` and nothing else."""
        old = self.structure
        builder = StructureBuilder(old.vocabulary, old.size + 1)
        for p in old.vocabulary:
            for nodes, value in old.entries(p.name):
                builder.set(p.name, nodes, value)
        for u in old.nodes:
            builder.set("ac", (u,), old.value("ac", u))
        builder.set("isNew", (old.size,), Kleene.TRUE)
        return AbstractState(builder.build(), (*self.places, place))

    def update(
        self, updates: Sequence[Update], chosen: frozenset[str], unknown: Collection[str], theory: Theory
    ) -> AbstractState | None:
        """The state after the updates; None if no store is left. Predicates about chosen individuals become 1/2."""
        old = self.structure
        values = {u.predicate: self._values(u, chosen) for u in updates}
        builder = StructureBuilder(old.vocabulary, old.size)
        for u in old.nodes:
            builder.set("ac", (u,), old.value("ac", u))
        for p in old.vocabulary:
            if p.name in values:
                for nodes, value in values[p.name].items():
                    builder.set(p.name, nodes, value)
            elif p.name in unknown:
                builder.fill(p.name, Kleene.UNKNOWN)
            elif p.name not in ("ac", "isNew", "instance"):
                for nodes, value in old.entries(p.name):
                    builder.set(p.name, nodes, value)
        sharper = theory.coercer.coerce(builder.build())
        return None if sharper is None else AbstractState(sharper, self.places)

    def _values(self, update: Update, chosen: frozenset[str]) -> dict[tuple[int, ...], Kleene]:
        tuples = product(self.structure.nodes, repeat=len(update.args))
        if chosen & set(update.formula.free):
            return dict.fromkeys(tuples, Kleene.UNKNOWN)
        return {
            nodes: evaluate(self.structure, update.formula, dict(zip(update.args, nodes, strict=True)))
            for nodes in tuples
        }

    def definite(self, predicate: str) -> Iterator[tuple[tuple[int, ...], bool]]:
        """The definite values of a predicate, on nodes of the scene."""
        arity = self.structure.vocabulary[predicate].arity
        for nodes in product(self.structure.nodes, repeat=arity):
            value = self.structure.value(predicate, *nodes)
            if value.definite:
                yield tuple(self.places[u] for u in nodes), value is Kleene.TRUE


def derived_updates(action: Action, core: Sequence[Update], vocabulary: Vocabulary) -> list[Update] | None:
    """The updates of the instrumentation predicates that the core updates change; None if they cannot be derived."""
    try:
        derivation = derive(replace(action, updates=tuple(core)), vocabulary)
    except InputError:
        return None
    return [u for u in derivation.action.updates if vocabulary[u.predicate].definition is not None]
