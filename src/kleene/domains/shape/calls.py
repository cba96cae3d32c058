"""The shape domain for programs with procedures: calls by local heaps (`local_heaps.py`)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from kleene.cfa.graph import Edge
from kleene.domains.shape.domain import ShapeDomain, ShapeOptions
from kleene.domains.shape.heap_join import joined
from kleene.domains.shape.local_heaps import Division, LocalHeaps
from kleene.logic.vocabulary import Vocabulary
from kleene.semantics.calls import CallAction, CallVocabulary
from kleene.structures.structure import Structure
from kleene.transformers.action import Action, Rule
from kleene.transformers.draft import Draft
from kleene.transformers.transformer import Outcome, Report


class CallingShapeDomain(ShapeDomain):
    """Structures are divided at a call; the callee's part is analysed in the context of its names."""

    def __init__(
        self, vocabulary: Vocabulary, rules: Sequence[Rule], options: ShapeOptions, calls: CallVocabulary | None
    ) -> None:
        super().__init__(vocabulary, rules, options)
        self.heaps = None if calls is None else LocalHeaps(vocabulary, calls)
        self._divided: dict[tuple[Action, Structure], Division] = {}

    def callee(self, label: Action) -> str | None:
        return label.function if isinstance(label, CallAction) else None

    def context(self, element: Structure) -> Hashable:
        key: Hashable = self.canonicalizer.key(element.values)
        return (element.size, key)

    def enter(self, edge: Edge[Action], element: Structure) -> list[Structure]:
        call = edge.label
        assert isinstance(call, CallAction) and self.heaps is not None
        sharp = self.coercer.coerce(self.heaps.sharpened(element))
        if sharp is None:  # there is no such heap
            return []
        division = self.heaps.divide(sharp, call)
        if division is None:
            self._refuse(edge, element)
            return []
        self._divided[call, element] = division
        return self._settled(edge, self.heaps.entry(division, call))

    def resume(self, edge: Edge[Action], caller: Structure, exits: Sequence[Structure]) -> list[Structure]:
        call = edge.label
        assert isinstance(call, CallAction) and self.heaps is not None
        division = self._divided[call, caller]
        found = []
        for end in exits:
            after = joined(self.heaps, division, call, end)
            if after is None:
                self._refuse(edge, caller)
            else:
                found += self._settled(edge, after)
        return found

    def _settled(self, edge: Edge[Action], structure: Structure) -> list[Structure]:
        coerced = self.coercer.coerce(structure)
        if coerced is None:
            self.contradictions.setdefault(edge.label, (edge, structure))
            return []
        return [self.blurred(Draft.of(coerced, 0), coerced)]

    def _refuse(self, edge: Edge[Action], structure: Structure) -> None:
        reports = [Report(message, structure, definite=False) for message in edge.label.messages]
        self.log.add(edge, Outcome(reports=reports))
