"""The interface of an abstract domain to the engine.

A domain's abstract value at a location is a set of elements (one element for a domain that joins everything). The
abstract transformers are distributive over the set, so the engine passes on only the elements that are new: `post` and
`Store.add` work on whole batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar, cast

from kleene.cfa.graph import Edge

Label = TypeVar("Label")
Element = TypeVar("Element")


class Store(Protocol[Element]):
    """The elements reached at one location. The set of represented states only grows."""

    def add(self, elements: Sequence[Element]) -> Sequence[Element]:
        """Join elements in; the result are the elements, new or grown, that have to be propagated."""

    def covers(self, element: Element) -> bool:
        """True only if everything that the element represents is represented here."""

    def current(self, element: Element) -> bool:
        """False if a join has replaced the element by a larger one since it was added."""

    def elements(self) -> Sequence[Element]:
        """The elements stored, in a canonical order."""

    def clear(self) -> None:
        """Forget all elements (for locations that do not keep them)."""

    def __len__(self) -> int: ...


class BatchingStore(Protocol[Element]):
    """A store that takes batches apart and together without looking at their elements."""

    def unite(self, batches: Sequence[Sequence[Element]], *, only_current: bool) -> Sequence[Element]:
        """The elements of batches that the store gave back, in order; on request only those that are current."""


def unite(store: Store[Element], batches: Sequence[Sequence[Element]], *, only_current: bool) -> Sequence[Element]:
    """The elements of batches that `Store.add` gave back, in order; on request only those that are current."""
    if hasattr(store, "unite"):
        return cast("BatchingStore[Element]", store).unite(batches, only_current=only_current)
    return [element for batch in batches for element in batch if not only_current or store.current(element)]


class AdvancingDomain(Protocol[Label, Element]):
    """A domain that does several edges at once, with the stores of their targets."""

    def advance(
        self,
        edges: Sequence[Edge[Label]],
        first: int,
        batch: Sequence[Element],
        stores: Sequence[Store[Element]],
    ) -> Sequence[Sequence[Element] | None]:
        """For each of the edges that leave a location, from the first one on, what is new at its target.

        There may be fewer than edges: the next one has to be done by `post` and `Store.add`, and the same results.
        """


def advance(
    domain: AbstractDomain[Label, Element],
    edges: Sequence[Edge[Label]],
    first: int,
    batch: Sequence[Element],
    stores: Sequence[Store[Element]],
) -> Sequence[Sequence[Element] | None]:
    """What edges, from the first one on, bring to their targets; as far as the domain does several at once."""
    if hasattr(domain, "advance"):
        return cast("AdvancingDomain[Label, Element]", domain).advance(edges, first, batch, stores)
    return ()


class AbstractDomain(Protocol[Label, Element]):
    """A domain over edges labelled with Label. Elements are plain immutable values."""

    name: str

    def initial(self, elements: Sequence[Element]) -> Sequence[Element]:
        """Input elements as the domain represents them; contradictory ones are left out."""

    def store(self) -> Store[Element]:
        """An empty store for one location."""

    def post(self, edge: Edge[Label], elements: Sequence[Element]) -> Sequence[Element]:
        """Everything that the edge can lead to from the elements."""

    def explain_not_covered(self, element: Element, store: Store[Element]) -> str:
        """One line with the reason why the store does not cover the element, for reports of failed checks."""
