"""Without correlations nothing is lost: heaps taken apart have the structures of the relational analysis (issue 16).

For each location, the parts of all whole heaps are the parts of the product there. So the product stands for no other
parts; where every part of one class occurs with every part of another, it stands for the same heaps.
"""

from __future__ import annotations

from math import prod
from pathlib import Path

import pytest
from tests.coverage.helpers import read
from tests.unit.analysis.test_apart import HEAD, PARTS

from kleene.analysis.c.shape.analyse import analyse_by_attempt
from kleene.analysis.c.shape.apart import JOIN, locality_of
from kleene.analysis.c.shape.run import domain_of, solve_translated
from kleene.domains.decomposed.parts import Parts
from kleene.domains.decomposed.products import Product
from kleene.domains.shape.stores import store_factory
from kleene.passes.preparation import Prepared
from kleene.structures.canonical import Canonicalizer
from kleene.structures.structure import Structure

UNRELATED = {
    "built in turn": "struct node *a = fill(), *b = fill(); drop(a); drop(b);",
    "built in one loop": "struct node *a = NULL, *b = NULL; while (__VERIFIER_nondet_int()) "
    "{ if (__VERIFIER_nondet_int()) a = push(a); else b = push(b); } drop(a); drop(b);",
    "walked": "struct node *a = fill(), *b = fill(); for (struct node *p = b; p; p = p->next) ; drop(b); drop(a);",
}
RELATED = (
    "struct node *a = NULL, *b = NULL; while (__VERIFIER_nondet_int()) { a = push(a); b = push(b); } drop(a); drop(b);"
)


def locations(tmp_path: Path, body: str) -> list[tuple[list[Structure], Product, Parts]]:
    """For each location: the whole heaps of the relational analysis, and the product."""
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    result = analyse_by_attempt(Prepared(read(path)), PARTS, malloc_may_fail=True, seconds=60)
    assert result is not None and result.complete and result.translation is not None and result.reached is not None
    translation = result.translation
    domain, initial = domain_of(translation, join=JOIN)
    whole = solve_translated(translation, domain, [initial], lambda reached: None)
    parts = Parts(locality_of(translation), Canonicalizer(translation.vocabulary))
    return [
        (list(whole.stores[name].elements()), product, parts)
        for name in translation.cfa.locations
        for product in result.reached.stores[name].elements()
        if isinstance(product, Product)
    ]


def taken_apart(heaps: list[Structure], product: Product, parts: Parts) -> list[bool]:
    """For each class of a product: whether its parts are those of the whole heaps."""
    islands = [parts.islands(heap) for heap in heaps]
    equal = []
    for own in product.partition:
        store = store_factory(JOIN, parts.canonicalizer)()
        store.add([parts.cut(i.structure, i.nodes_of(own), own) for i in islands])
        equal.append(set(store.elements()) == set(product.sets[own]))
    return equal


@pytest.mark.parametrize("name", UNRELATED)
def test_parts_are_those_of_whole_heaps(name: str, tmp_path: Path) -> None:
    found = locations(tmp_path, UNRELATED[name])
    assert sum(len(heaps) for heaps, _, _ in found) > 100
    for heaps, product, parts in found:
        assert all(taken_apart(heaps, product, parts)), product.partition
        assert len(heaps) == prod(len(product.sets[own]) for own in product.partition)


def test_a_correlation_is_lost(tmp_path: Path) -> None:
    """The last assertion above can fail: lists of equal lengths have products with lists of others."""
    found = locations(tmp_path, RELATED)
    assert any(len(heaps) < prod(map(len, product.sets.values())) for heaps, product, _ in found)
