"""Calls on products: a callee gets the parts that its arguments and global variables lie in, and no others.

Of these, it gets the nodes that they reach (`domains/shape/local_heaps.py`). So two calls of a function with parts that
look alike share one activation, whatever else the callers hold.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

from kleene.cfa.graph import Edge
from kleene.domains.decomposed.domain import DecomposedDomain, Done
from kleene.domains.decomposed.locality import Plan
from kleene.domains.decomposed.products import Product, require_few
from kleene.domains.shape.calling import CallingShapeDomain
from kleene.domains.shape.editor import Editor
from kleene.semantics.steps.invocations import CallAction
from kleene.semantics.steps.specified import SpecifiedAction
from kleene.semantics.vocabulary.names import FREED, HEAP, OUTER
from kleene.structures.structure import Structure
from kleene.transformers.action import Action


@dataclass
class _Calls(Done):
    """What a call did so far: the structures that entered by each entry, and the pairs with exits that are done."""

    entered: dict[Structure, tuple[Structure, ...]] = field(default_factory=dict)
    joined: set[tuple[Structure, Structure]] = field(default_factory=set)


class CallingDecomposedDomain(DecomposedDomain):
    """The decomposed domain for programs with procedures."""

    inner: CallingShapeDomain

    @cached_property
    def _entries(self) -> dict[Structure, Product]:
        """Products of single structures, at the entries of procedures."""
        return {}

    def plan(self, edge: Edge[Action]) -> Plan:
        """A call touches its arguments, its results, and the global variables that the callee knows."""
        action = edge.label
        if isinstance(action, SpecifiedAction):
            return Plan(None)
        if not isinstance(action, CallAction):
            return super().plan(edge)
        sources = [source for _, source in (*action.given, *action.values)]
        targets = [target for target, _ in (*action.results, *action.result_values)]
        return Plan(frozenset(name for name in (*sources, *targets, *action.shared) if name in self.locality.roots))

    def callee(self, label: Action) -> str | None:
        return self.inner.callee(label)

    def context(self, element: Product) -> Hashable:
        return element.context

    def enter(self, edge: Edge[Action], elements: Sequence[Product]) -> list[list[Product]]:
        return [self._enter(edge, element) for element in elements]

    def _enter(self, edge: Edge[Action], element: Product) -> list[Product]:
        calls, wholes = self._calls(edge, element)
        others = [part for own, parts in element.sets.items() if own not in calls.classes for part in parts]
        outside = OUTER in self.locality.vocabulary and any(map(_may_hold_blocks, (*others, *element.adrift)))
        new = [whole for whole in dict.fromkeys(wholes) if whole not in calls.entered]
        for whole, entries_of_one in zip(new, self.inner.enter(edge, new), strict=True):
            calls.entered[whole] = tuple(entries_of_one)
        entries = dict.fromkeys(e for whole in wholes for e in calls.entered[whole])
        return [self._entry(_with_outer(e) if outside else e) for e in entries]

    def resume(self, edge: Edge[Action], caller: Product, entry: Product, exits: Sequence[Product]) -> list[Product]:
        calls, wholes = self._calls(edge, caller)
        ends = [end for way in exits for end in self._wholes(way)]
        for whole in wholes:
            if any(entry is self._entry(e) or entry is self._entry(_with_outer(e)) for e in calls.entered[whole]):
                new = [end for end in ends if (whole, end) not in calls.joined]
                calls.joined.update((whole, end) for end in new)
                self.generated += calls.add(self.parts, self.inner.resume(edge, whole, whole, new))
        for way in exits:
            calls.adrift.update(dict.fromkeys(way.adrift))
        if not calls.islands:
            return []
        others = self.others(self.course(edge, caller.context), caller, calls.classes)
        assert others is not None
        return [self.product(edge, calls, others)]

    def _calls(self, edge: Edge[Action], element: Product) -> tuple[_Calls, list[Structure]]:
        course = self.course(edge, element.context)
        touched = self.touched_classes(course.plan, element)
        calls = course.done.get(touched)
        if calls is None:
            calls = course.done[touched] = _Calls(touched, [])
        assert isinstance(calls, _Calls)
        sets = [element.sets[own] for own in touched]
        require_few(sets)
        return calls, [self.parts.compose(parts) if parts else self.parts.empty for parts in product(*sets)]

    def _entry(self, structure: Structure) -> Product:
        """The product of one structure; for equal structures the same."""
        known = self._entries.get(structure)
        if known is None:
            product = self.taken_apart([structure])
            key = self.parts.canonicalizer.key
            parts = ((own, part) for own, parts in product.sets.items() for part in parts if _says(part))
            context = frozenset((own, part.size, key(part.values)) for own, part in parts)
            known = self._entries[structure] = replace(product, context=context)
        return known

    def _wholes(self, element: Product) -> list[Structure]:
        """All combinations of the parts of a callee."""
        sets = [element.sets[own] for own in element.partition]
        require_few(sets)
        return [self.parts.compose(parts) for parts in product(*sets)]


def _says(part: Structure) -> bool:
    return bool(part.size or any(part.values))


def _may_hold_blocks(part: Structure) -> bool:
    editor = Editor.of(part)
    return bool(editor.get(HEAP)[1] & ~editor.get(FREED)[0])


def _with_outer(structure: Structure) -> Structure:
    """The structure of a callee whose callers may hold blocks that it does not see."""
    editor = Editor.of(structure)
    if OUTER in structure.vocabulary:
        editor.set(OUTER, (editor.get(OUTER)[0], 1))
    return editor.structure()
