"""Results that relate the store before the actions to the store after them (YRS04, section 4).

The paper's best transformer returns structures over two copies of the vocabulary. Here ``old[q]`` is q before the first
action, as in contracts, and q is q after the last one. Nodes are named by the abstraction predicates of both moments.
"""

from __future__ import annotations

from dataclasses import replace

from kleene.logic.earlier import old
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.structure import Structure, StructureBuilder
from kleene.symbolic.scene import Scene


def two_store_vocabulary(vocabulary: Vocabulary) -> Vocabulary:
    """The vocabulary with ``old[q]`` for each of its predicates; these are not defined, they are remembered."""
    before = [
        replace(p, name=old(p.name), definition=None, unique_per_component=(), role=None) for p in vocabulary.declared
    ]
    return vocabulary.extend(before)


def with_both_stores(scene: Scene, vocabulary: Vocabulary) -> Scene:
    """The same stores, observed before the first action too; created individuals had no properties then."""
    both = two_store_vocabulary(vocabulary)
    names = [p.name for p in vocabulary.unary_abstraction]
    return replace(
        scene,
        output=both,
        symbols={**scene.symbols, **{old(p.name): p.name for p in vocabulary.declared}},
        dimensions=tuple(dict.fromkeys([*scene.dimensions, *names])),
    )


def with_unknown_past(structure: Structure) -> Structure:
    """A result of which the store before is not known: all of its values are 1/2."""
    both = two_store_vocabulary(structure.vocabulary)
    builder = StructureBuilder(both, structure.size)
    for p in structure.vocabulary:
        for nodes, value in structure.entries(p.name):
            builder.set(p.name, nodes, value)
    for p in structure.vocabulary.declared:
        builder.fill(old(p.name), Kleene.UNKNOWN)
    return builder.build()
