"""What symbolic operations must return, by enumerating all concrete structures up to a size.

Nothing of the solver or of the encoding is used: validity, truth, embedding and blur are those of tests/oracle.
"""

from __future__ import annotations

from collections.abc import Iterable

from kleene.logic.formula import Formula
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.structure import Structure
from kleene.symbolic.result import SymbolicResult
from tests.oracle.concrete import holds, is_valid
from tests.oracle.generate import Setting
from tests.oracle.naive import NaiveStructure, blur, embeds, from_structure, to_structure


def abstraction_of(s: NaiveStructure) -> Structure:
    """The canonical abstraction; the engine's blur only puts the nodes in order."""
    return canonical_abstraction(to_structure(blur(s)))


def expected_assume(formula: Formula, stores: Iterable[NaiveStructure]) -> set[Structure]:
    """The canonical abstractions of the given stores that satisfy the formula."""
    return {abstraction_of(c) for c in stores if holds(c, formula, {})}


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


def assert_covers(result: SymbolicResult, expected: set[Structure]) -> None:
    """Exact results contain the expected structures; others represent them."""
    if result.most_precise:
        missing = expected - set(result.structures)
        assert not missing, f"missing: {missing}"
    else:
        mine = [from_structure(s) for s in result.structures]
        for structure in expected:
            naive = from_structure(structure)
            assert any(embeds(naive, s) for s in mine), f"{structure} is not represented"
