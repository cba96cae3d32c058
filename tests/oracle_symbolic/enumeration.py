"""What symbolic operations must return, by enumerating all concrete structures up to a size.

Nothing of the solver or of the encoding is used: validity, truth, embedding and blur are those of tests/oracle.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.oracle.concrete import holds, is_valid
from tests.oracle.generate import Setting
from tests.oracle.naive import NaiveStructure, blur, embeds, from_structure, to_structure

from kleene.logic.formula import Formula
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.structure import Structure
from kleene.symbolic.result import SymbolicResult


def abstraction_of(s: NaiveStructure) -> Structure:
    """The canonical abstraction; the engine's blur only puts the nodes in order."""
    return canonical_abstraction(to_structure(blur(s)))


def assert_stores(result: SymbolicResult, setting: Setting, inputs: list[NaiveStructure], formula: Formula) -> None:
    """Every structure of an exact result comes with a legal store of the input that has it as its abstraction."""
    for structure, store in zip(result.structures, result.stores, strict=True):
        if store is None:
            assert not result.most_precise
            continue
        concrete = from_structure(store)
        assert is_valid(concrete, setting.rules), f"{concrete} is not legal"
        assert holds(concrete, formula, {}), f"{concrete} does not satisfy {formula}"
        assert any(embeds(concrete, s) for s in inputs), f"{concrete} is not in {inputs}"
        assert abstraction_of(concrete) == structure


def assert_covers(result: SymbolicResult, stores: Iterable[NaiveStructure]) -> None:
    """Exact results contain the abstractions of the stores; others represent the stores.

    Structures that were not decided may have indefinite names, so it is stores that are embedded in them.
    """
    if result.most_precise:
        missing = {abstraction_of(c) for c in stores} - set(result.structures)
        assert not missing, f"missing: {missing}"
    else:
        mine = [from_structure(s) for s in result.structures]
        for store in stores:
            assert any(embeds(store, s) for s in mine), f"{store} is not represented by {mine}"
