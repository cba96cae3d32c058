"""The decomposed shape domain: the shape domain's transformers, on the parts of the heap that an action touches.

(Manevich, Lev-Ami, Sagiv, Ramalingam, Berdine. Heap decomposition for concurrent shape analysis, SAS 2008.) The value
of a location is one product. An action composes the classes that it touches (`locality`), each combination once, applies
the ordinary transformer without blur, and takes the results apart along the finest partition that no result at the
target connects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

from kleene.cfa.graph import Edge
from kleene.diagnostics import Limit, LimitReached
from kleene.domains.decomposed.locality import Locality, Plan
from kleene.domains.decomposed.partition import Partition, Roots
from kleene.domains.decomposed.parts import Islands, Parts
from kleene.domains.decomposed.products import TOO_CONNECTED, Product, ProductStore, require_few
from kleene.domains.shape.domain import ShapeDomain
from kleene.domains.shape.stores import store_factory
from kleene.structures.structure import Structure
from kleene.transformers.action import Action


@dataclass
class _Done:
    """What an edge did so far with the parts of some classes: each combination is taken once."""

    classes: tuple[Roots, ...]
    seen: list[dict[Structure, None]]
    islands: dict[Structure, Islands] = field(default_factory=dict)
    """The results, not blurred, with their connected sets of nodes."""
    cuts: dict[Roots, tuple[int, tuple[Structure, ...]]] = field(default_factory=dict)
    """The parts of the first results, and how many results these are."""
    adrift: dict[Structure, None] = field(default_factory=dict)


class DecomposedDomain:
    """Elements are products. `inner` is a shape domain that does not blur: its join is `conc`.

    `join` says how the parts of a class are joined. `together` are roots that are kept together everywhere.
    """

    name = "decomposed"

    def __init__(self, inner: ShapeDomain, locality: Locality, join: str, together: Iterable[Roots] = ()) -> None:
        assert inner.options.join == "conc"
        self.inner = inner
        self.locality = locality
        self.parts = Parts(locality, inner.canonicalizer)
        self._make_store = store_factory(join, inner.canonicalizer)
        self.finest = locality.finest.joined(together)
        self.generated = 0
        """Structures that the transformers made."""
        self._partitions: dict[str, Partition] = {}
        self._done: dict[tuple[Edge[Action], tuple[Roots, ...]], _Done] = {}
        self._elsewhere: dict[tuple[Action, Roots, Structure], tuple[Structure, ...]] = {}
        self._passed: dict[tuple[Edge[Action], Structure], bool] = {}

    # The interface of a domain ----------------------------------------------------------------------------------

    def initial(self, elements: Sequence[Structure]) -> list[Product]:
        return [self.taken_apart([element]) for element in self.inner.initial(elements)]

    def taken_apart(self, structures: Sequence[Structure]) -> Product:
        """The product of some structures of all roots."""
        islands = [self.parts.islands(structure) for structure in structures]
        partition = self.finest.joined([own for found in islands for own in found.nodes])
        sets = {
            own: tuple(dict.fromkeys(self.parts.cut(i.structure, i.nodes_of(own), own) for i in islands))
            for own in partition
        }
        adrift = dict.fromkeys(self.parts.cut(i.structure, n, frozenset()) for i in islands for n in i.adrift)
        return Product(partition, sets, tuple(adrift))

    def store(self) -> ProductStore:
        return ProductStore(self.parts, self._make_store, self.finest)

    def explain_not_covered(self, element: Product, store: object) -> str:
        return f"a product of {len(element)} parts is not covered"

    def plan(self, edge: Edge[Action]) -> Plan:
        return self.locality.plan(edge.label)

    def post(self, edge: Edge[Action], elements: Sequence[Product]) -> list[Product]:
        return [result for element in elements if (result := self._post(edge, element)) is not None]

    # One product ------------------------------------------------------------------------------------------------

    def _post(self, edge: Edge[Action], element: Product) -> Product | None:
        plan = self.plan(edge)
        if plan.in_some_part:
            return element if self._is_possible(edge, plan, element) else None
        if plan.is_global and element.adrift:
            raise LimitReached(f"'{edge.label}' may be about blocks that nothing points to", Limit.PRECISION)
        touched = self._touched(plan, element)
        others = self._others(edge, plan, element, touched)
        if others is None:
            return None
        done = None
        if touched or edge.label.creates:
            done = self._step(edge, touched, element)
            if not done.islands:
                return None
        return self._product(edge, element, done, others)

    def _touched(self, plan: Plan, element: Product) -> tuple[Roots, ...]:
        if plan.touched is None:
            return tuple(element.partition)
        class_of = element.partition.class_of
        return tuple(sorted({class_of[root] for root in plan.touched}, key=sorted))

    def _step(self, edge: Edge[Action], touched: tuple[Roots, ...], element: Product) -> _Done:
        """The results of an action on the touched classes; only new combinations of parts are computed."""
        done = self._done.get((edge, touched))
        if done is None:
            done = self._done[edge, touched] = _Done(touched, [{} for _ in touched])
        sets = [element.sets[own] for own in touched]
        new = [[part for part in parts if part not in seen] for parts, seen in zip(sets, done.seen, strict=True)]
        if touched and not any(new):
            return done
        require_few(sets)
        combinations = _new_combinations(sets, new, done.seen) if touched else [()]
        wholes = [self.parts.composed(parts) if parts else self.parts.empty for parts in combinations]
        for seen, parts in zip(done.seen, new, strict=True):
            seen.update(dict.fromkeys(parts))
        for result in self.inner.post(edge, wholes):
            if result not in done.islands:
                done.islands[result] = found = self.parts.islands(result)
                self.generated += 1
                for nodes in found.adrift:
                    done.adrift[self.parts.cut(result, nodes, frozenset())] = None
        return done

    def _others(
        self, edge: Edge[Action], plan: Plan, element: Product, touched: tuple[Roots, ...]
    ) -> Product | None:
        """The classes that the action does not touch; None if one of them makes it impossible."""
        others = [own for own in element.partition.classes if own not in touched]
        sets: dict[Roots, Sequence[Structure]] = {own: element.sets[own] for own in others}
        adrift = element.adrift
        if plan.elsewhere is not None:
            there = Edge(edge.source, plan.elsewhere, edge.target)
            for own in others:
                results = dict.fromkeys(r for part in sets[own] for r in self._there(there, own, part))
                if not results:
                    return None
                if tuple(results) != tuple(sets[own]):
                    sets[own] = tuple(results)
            adrift = tuple(dict.fromkeys(r for part in adrift for r in self._there(there, frozenset(), part)))
        return Product(element.partition, sets, adrift)

    def _there(self, edge: Edge[Action], own: Roots, part: Structure) -> tuple[Structure, ...]:
        """The effect of an action on a part that it does not touch."""
        key = (edge.label, own, part)
        known = self._elsewhere.get(key)
        if known is None:
            results = self.inner.post(edge, [part])
            cuts = (self.parts.cut(r, (1 << r.size) - 1, own) for r in results)
            known = self._elsewhere[key] = tuple(dict.fromkeys(cuts))
        return known

    def _is_possible(self, edge: Edge[Action], plan: Plan, element: Product) -> bool:
        """Whether a condition on some part may hold; all parts are asked, for their messages."""
        touched = self._touched(plan, element)
        possible = False
        if touched:
            possible = bool(self._step(edge, touched, element).islands)
        asked = [part for own in element.partition.classes if own not in touched for part in element.sets[own]]
        for part in (*asked, *element.adrift):
            key = (edge, part)
            if key not in self._passed:
                self._passed[key] = bool(self.inner.post(edge, [part]))
            possible |= self._passed[key]
        return possible

    # Results ----------------------------------------------------------------------------------------------------

    def _product(self, edge: Edge[Action], element: Product, done: _Done | None, others: Product) -> Product:
        """The results and the other classes, along the partition of the target."""
        before = self._partitions.get(edge.target, self.finest)
        connected = [own for found in done.islands.values() for own in found.nodes] if done is not None else []
        after = before.joined([*connected, *others.sets])
        if after != before:
            self._partitions[edge.target] = after
        touched = frozenset().union(*done.classes) if done is not None else frozenset()
        sets: dict[Roots, Sequence[Structure]] = {}
        for own in after:
            inside = own & touched
            outside = [c for c in others.sets if c <= own]
            if not inside and len(outside) == 1:
                sets[own] = others.sets[outside[0]]
                continue
            factors = [others.sets[c] for c in outside]
            if inside:
                assert done is not None
                factors.append(self._cuts(done, inside))
            sets[own] = factors[0] if len(factors) == 1 else self._united(own, factors)
        adrift = tuple(dict.fromkeys((*others.adrift, *done.adrift))) if done is not None else others.adrift
        return Product(after, sets, adrift)

    def _cuts(self, done: _Done, own: Roots) -> tuple[Structure, ...]:
        """The parts of the results for some of the touched roots."""
        first, cuts = done.cuts.get(own, (0, ()))
        if first < len(done.islands):
            more = [self.parts.cut(i.structure, i.nodes_of(own), own) for i in list(done.islands.values())[first:]]
            if any(part not in cuts for part in more):
                cuts = tuple(dict.fromkeys((*cuts, *more)))
            done.cuts[own] = (len(done.islands), cuts)
        return cuts

    def _united(self, own: Roots, factors: Sequence[Sequence[Structure]]) -> tuple[Structure, ...]:
        require_few(factors)
        wholes = (self.parts.composed(parts) for parts in product(*factors))
        return tuple(dict.fromkeys(self.parts.cut(whole, (1 << whole.size) - 1, own) for whole in wholes))


def _new_combinations(
    sets: Sequence[Sequence[Structure]], new: Sequence[Sequence[Structure]], seen: Sequence[dict[Structure, None]]
) -> list[tuple[Structure, ...]]:
    """The combinations with a part that was not seen before: the first such part is in the class number `place`."""
    found: list[tuple[Structure, ...]] = []
    for place, parts in enumerate(new):
        if parts:
            old = [[p for p in sets[k] if p in seen[k]] for k in range(place)]
            found += product(*old, parts, *sets[place + 1 :])
    return found


__all__ = ["TOO_CONNECTED", "DecomposedDomain"]
