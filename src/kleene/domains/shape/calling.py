"""The shape domain for programs with procedures: calls by local heaps (`local_heaps.py`)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from kleene.cfa.graph import Edge
from kleene.diagnostics import Limit, LimitReached
from kleene.domains.shape.derived_updates import DerivingDomain
from kleene.domains.shape.domain import Post
from kleene.domains.shape.machine import EdgeWork
from kleene.domains.shape.stores import NODE_JOINS
from kleene.logic.formula import TRUE
from kleene.semantics.steps.invocations import CallAction, CallVocabulary
from kleene.semantics.steps.specified import SpecifiedAction
from kleene.structures.structure import Structure
from kleene.transformers.action import Action, Rule
from kleene.transformers.differencing.cycles import closed_cycle
from kleene.transformers.draft import Draft
from kleene.transformers.focus import InfiniteFocus
from kleene.transformers.transformer import Outcome, Report, Transformer

if TYPE_CHECKING:
    from kleene.domains.shape.local_heaps import Division, LocalHeaps
    from kleene.domains.shape.native_calls import NativeCalls
    from kleene.domains.shape.specified import Specified


REFUSED, UNFINISHED = -2, -3
"""What the native machine says of structures with too many nodes to mark, and of those that it leaves to Python."""


class CallingShapeDomain(DerivingDomain):
    """Structures are divided at a call; the callee's part is analysed in the context of its names."""

    calls: CallVocabulary | None = None
    given_rules: Sequence[Rule] = ()
    """The rules that the vocabulary does not imply."""

    @cached_property
    def heaps(self) -> LocalHeaps:
        from kleene.domains.shape.local_heaps import LocalHeaps

        assert self.calls is not None
        return LocalHeaps(self.vocabulary, self.calls)

    @cached_property
    def _contexts(self) -> dict[Structure, Hashable]:
        """Contexts of entries: many calls enter by the same."""
        return {}

    @cached_property
    def _calls(self) -> dict[tuple[Action, Structure], tuple[Division, Sequence[Structure]]]:
        """How Python divided structures at calls, and the entries: many activations call with the same."""
        return {}

    @cached_property
    def specified(self) -> Specified:
        from kleene.domains.shape.specified import Specified  # imports the symbolic operations

        return Specified(self.vocabulary, self.given_rules)

    def _post_of(self, action: Action) -> Post:
        return (
            partial(self._post_specified, action) if isinstance(action, SpecifiedAction) else super()._post_of(action)
        )

    def work_at(self, edge: Edge[Action]) -> EdgeWork:
        is_native = not isinstance(edge.label, (SpecifiedAction, CallAction))
        return super().work_at(edge) if is_native else EdgeWork.PYTHON

    def outcome(self, transformer: Transformer, edge: Edge[Action], element: Structure) -> Outcome:
        """The action's outcome; raises LimitReached if focus would not end, as after an open contract."""
        try:
            return transformer.post(element)
        except InfiniteFocus:
            text = f"the analysis lost track of the heap at '{edge.label}'; list(p) or a formula in a contract may help"
            raise LimitReached(text, Limit.PRECISION) from None

    def _post_specified(
        self, action: SpecifiedAction, edge: Edge[Action], elements: Sequence[Structure]
    ) -> list[Structure]:
        """Check a contract in formulas, or assume its postcondition."""
        distinct: dict[Structure, None] = {}
        for element in elements:
            if not all(self.specified.holds(formula, element) for formula, _ in action.wanted):
                self._refuse(edge, element)
            elif action.role == "holds":
                distinct[element] = None
            else:
                for relation in self.specified.cyclic(action):
                    report = Report(closed_cycle(TRUE, relation), element, definite=False)
                    self.log.add(edge, Outcome(reports=[report]))
                results = self.specified.post(action, element)
                if action.role == "given" and not results:  # every statement about the body would be vacuous
                    self._refuse(edge, element)
                for after in results:
                    coerced = self.coercer.coerce(after)
                    if coerced is not None:  # there is such a heap
                        distinct[self.blur(Draft.of(coerced, 0), coerced)] = None
        return list(distinct)

    def callee(self, label: Action) -> str | None:
        return label.function if isinstance(label, CallAction) else None

    def context(self, element: Structure) -> Hashable:
        context = self._contexts.get(element)
        if context is None:
            canonicalizer = self.canonicalizer
            if self.options.join in NODE_JOINS:
                context = canonicalizer.pointed_key(element.values, element.size)
            else:
                context = (element.size, canonicalizer.key(element.values))
            self._contexts[element] = context
        return context

    def enter(self, edge: Edge[Action], elements: Sequence[Structure]) -> list[Sequence[Structure]]:
        call = edge.label
        assert isinstance(call, CallAction)
        if self._native_calls is None:
            return [self._enter(edge, element) for element in elements]
        native = self._native_calls.of(call)
        numbers, contradictory = native.enter(elements)
        if contradictory is not None:
            self.contradictions.setdefault(call, (edge, contradictory))
        entered: list[Sequence[Structure]] = []
        for k, number in enumerate(numbers):
            if number >= 0:
                entered.append(native.entries[number])
            elif number == UNFINISHED:
                entered.append(self._enter(edge, elements[k]))
            else:
                if number == REFUSED:
                    self._refuse(edge, elements[k])
                entered.append(())
        return entered

    def _enter(self, edge: Edge[Action], element: Structure) -> Sequence[Structure]:
        """The entries for one structure, on the Python machine."""
        call = edge.label
        assert isinstance(call, CallAction)
        known = self._calls.get((call, element))
        if known is not None:
            return known[1]
        sharper = self.heaps.sharpen(element)
        sharp = element if self.keeps_rules and sharper is element else self.coercer.coerce(sharper)
        if sharp is None:  # there is no such heap
            return []
        division = self.heaps.divide(sharp, call)
        if division is None:
            self._refuse(edge, element)
            return []
        entries = self._settle(edge, self.heaps.entry(division, call))
        self._calls[call, element] = division, entries
        return entries

    def resume(
        self, edge: Edge[Action], caller: Structure, entry: Structure, exits: Sequence[Structure]
    ) -> Sequence[Structure]:
        call = edge.label
        assert isinstance(call, CallAction)
        if self._native_calls is not None:
            found = self._native_calls.of(call).resume(caller, exits)
            if found is not None:
                after, refused, contradictory = found
                for _ in range(refused):
                    self._refuse(edge, caller)
                if contradictory is not None:
                    self.contradictions.setdefault(call, (edge, contradictory))
                return after
        return self._resume(edge, caller, exits)

    def _resume(self, edge: Edge[Action], caller: Structure, exits: Sequence[Structure]) -> list[Structure]:
        """The same on the Python machine."""
        call = edge.label
        assert isinstance(call, CallAction)
        from kleene.domains.shape.heap_join import join_after_call

        if (call, caller) not in self._calls:  # the native machine divided it
            self._enter(edge, caller)
        division, _ = self._calls[call, caller]
        results: list[Structure] = []
        for end in exits:
            after = join_after_call(self.heaps, division, call, end)
            if after is None:
                self._refuse(edge, caller)
            else:
                results += self._settle(edge, after)
        return results

    def _settle(self, edge: Edge[Action], structure: Structure) -> list[Structure]:
        """The structure coerced and blurred."""
        coerced = self.coercer.coerce(structure)
        if coerced is None:
            self.contradictions.setdefault(edge.label, (edge, structure))
            return []
        return [self.blur(Draft.of(coerced, 0), coerced)]

    @cached_property
    def _native_calls(self) -> NativeCalls | None:
        """Calls on the native machine: what they lead to is coerced and blurred by an action that does nothing."""
        if self.native is None or not self.stages.coerce_before:
            return None
        settling = Transformer(Action("settle"), self.coercer, self.focuser, stages=self.stages, closed_input=False)
        return self.native.calls(self.heaps, settling, closed=self.keeps_rules)

    def _refuse(self, edge: Edge[Action], structure: Structure) -> None:
        reports = [Report(message, structure, definite=False) for message in edge.label.messages]
        self.log.add(edge, Outcome(reports=reports))
