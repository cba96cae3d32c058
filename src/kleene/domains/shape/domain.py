"""The shape domain: actions on sets of three-valued structures, blurred and joined (thesis section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from kleene.cfa.graph import Edge
from kleene.diagnostics import InputError
from kleene.domains.shape.machine import EdgeWork, NativePart, NativeParts, NativeShapeMachine, native_machine
from kleene.domains.shape.messages import MessageLog
from kleene.domains.shape.stores import NODE_JOINS, store_factory
from kleene.domains.shape.wrong_updates import wrong_update
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.canonical import Canonicalizer
from kleene.structures.structure import Structure
from kleene.transformers.action import Action, Rule
from kleene.transformers.coerce import Coercer
from kleene.transformers.draft import Draft
from kleene.transformers.focus import Focuser, FocusOptions, InfiniteFocus
from kleene.transformers.transformer import Outcome, Stages, Transformer

if TYPE_CHECKING:
    from kleene import _native
    from kleene.core.domain import Store
    from kleene.domains.shape.native_edges import NativeEdges

Post = Callable[[Edge[Action], Sequence[Structure]], Sequence[Structure]]
"""What an edge with a certain action leads to from structures."""

MOST_STRUCTURES = 200_000
"""Structures of one analysis of a C program by default (`--max-structures`)."""


@dataclass(frozen=True, slots=True)
class ShapeOptions:
    """Options that change the result of the shape domain.

    With `blame_updates`, contradictions after an update are examined (`wrong_updates`).
    """

    join: str = "part"
    stages: str = "fcpucb"
    definite_names: bool = False
    half_is_zero: bool = False
    freeze: bool = False
    keep_names: bool = False
    coerce_during_focus: bool = True
    filter_during_focus: bool = False
    early_precondition: bool = False
    blame_updates: bool = False
    focus: FocusOptions = field(default_factory=FocusOptions)


class ShapeDomain:
    """Elements are canonical structures (any structures, with join `conc`). Messages are collected in `log`."""

    name = "shape"

    def __init__(
        self, vocabulary: Vocabulary, rules: Sequence[Rule], options: ShapeOptions, *, coercer: Coercer | None = None
    ) -> None:
        self.vocabulary = vocabulary
        self.options = options
        self.coercer = coercer or Coercer(vocabulary, rules)
        self.canonicalizer = Canonicalizer(
            vocabulary, definite_names=options.definite_names, half_is_zero=options.half_is_zero
        )
        self.stages = Stages.parse(options.stages)
        # Coerce turns the nodes that focus splits off into single nodes; if focus skips undecidable formulas, that
        # would never end.
        plain = options.focus.overlapping or options.focus.skip_infinite
        coerced = self.stages.coerce_before and options.coerce_during_focus and not plain
        self.focuser = Focuser(vocabulary, self.coercer, replace(options.focus, coerce_cases=coerced))
        self.log = MessageLog()
        self.discarded = 0
        self.contradictions: dict[Action, tuple[Edge[Action], Structure]] = {}
        self.wrong_updates: dict[Action, tuple[Edge[Action], Structure]] = {}
        self._transformers: dict[Action, Transformer] = {}
        self._edges: dict[int, tuple[Sequence[Edge[Action]], NativeEdges | None]] = {}
        """The edges that leave locations, by identity."""
        self._by_label: dict[int, tuple[Action, Post]] = {}  # by identity: equal actions are compared in full
        self._make_store: Callable[[], Store[Structure]] = store_factory(options.join, self.canonicalizer)
        if options.keep_names:
            self.native: NativeShapeMachine | None = None  # names are for people; the native machine has none
        else:
            self.native = native_machine(self.vocabulary, self.coercer, self.canonicalizer, options.join)

    def initial(self, elements: Sequence[Structure]) -> list[Structure]:
        """Input structures, coerced and blurred; contradictory ones are left out."""
        coerced = [c for s in elements if (c := self.coercer.coerce(s)) is not None]
        return [self.blur(Draft.of(c, 0, keep_names=self.options.keep_names), c) for c in coerced]

    def store(self) -> Store[Structure]:
        return self._make_store() if self.native is None else self.native.store()

    @property
    def keeps_rules(self) -> bool:
        """Whether coerce changes nothing in structures that steps and joins lead to."""
        return self.stages.coerce_after and self.options.join not in NODE_JOINS

    def transformer(self, action: Action) -> Transformer:
        transformer = self._transformers.get(action)
        if transformer is None:
            transformer = self._transformers[action] = self._make_transformer(action)
        return transformer

    def _make_transformer(self, action: Action) -> Transformer:
        return Transformer(
            action,
            self.coercer,
            self.focuser,
            stages=self.stages,
            closed_input=self.keeps_rules,
            freeze=self.options.freeze,
            keep_names=self.options.keep_names,
            coerce_during_focus=self.options.coerce_during_focus,
            filter_during_focus=self.options.filter_during_focus,
            early_precondition=self.options.early_precondition,
        )

    def post(self, edge: Edge[Action], elements: Sequence[Structure]) -> Sequence[Structure]:
        label = edge.label
        known = self._by_label.get(id(label))
        if known is None:
            known = self._by_label[id(label)] = label, self._post_of(label)
        return known[1](edge, elements)

    @classmethod
    def _posts_as(cls) -> Callable[..., Sequence[Structure]]:
        """The `post` that `work_at` describes: a domain with another one is asked edge by edge."""
        return ShapeDomain.post

    def advance(
        self,
        edges: Sequence[Edge[Action]],
        first: int,
        batch: Sequence[Structure],
        stores: Sequence[Store[Structure]],
    ) -> Sequence[Sequence[Structure] | None]:
        if self.native is None:
            return ()
        known = self._edges.get(id(edges))
        if known is None:
            is_known = type(self).post is self._posts_as()
            known = self._edges[id(edges)] = edges, self.native.edges(self, edges) if is_known else None
        return () if known[1] is None else known[1].advance(first, batch, stores)

    def work_at(self, edge: Edge[Action]) -> EdgeWork:
        """What the native machine does at an edge by itself."""
        is_known = edge.label in self.contradictions and not self.options.blame_updates
        return EdgeWork.CONTRADICTORY if is_known else EdgeWork.WHOLE

    def native_action(self, action: Action) -> _native.Action | None:
        return None if self.native is None else self.native.native_action(self.transformer(action))

    def count_discarded(self, discarded: int, in_focus: int) -> None:
        self.discarded += discarded
        self.focuser.discarded += in_focus

    def _post_of(self, action: Action) -> Post:
        """How the domain applies an action: chosen when the action is first used."""
        transformer = self.transformer(action)
        if self.native is not None:
            return partial(self._post_natively, self.native, transformer)
        return partial(self._post_one_by_one, transformer)

    def _post_one_by_one(
        self, transformer: Transformer, edge: Edge[Action], elements: Sequence[Structure]
    ) -> list[Structure]:
        return [result for element in elements for result in self._post_one(transformer, edge, element)]

    def _post_one(self, transformer: Transformer, edge: Edge[Action], element: Structure) -> list[Structure]:
        outcome = self.outcome(transformer, edge, element)
        self.discarded += outcome.discarded
        if outcome.contradictory is not None:
            self._look_into(edge, element, outcome.contradictory.structure(element))
        self.note(edge, outcome)
        return [self.blur(draft, element) for draft in outcome.drafts]

    def _post_natively(
        self,
        native: NativeShapeMachine,
        transformer: Transformer,
        edge: Edge[Action],
        elements: Sequence[Structure],
    ) -> Sequence[Structure]:
        """The whole batch at once; what the native machine leaves to the Python machine is done in its turn."""
        outcome = native.post(transformer, elements)
        if not isinstance(outcome, NativeParts):
            return outcome
        results: list[Structure] = []
        for part in outcome.parts:
            if isinstance(part, Structure):
                results += self._post_one(transformer, edge, part)
                continue
            self.count_discarded(part.discarded, part.discarded_in_focus)
            if part.contradictory is not None:
                self._look_at_all(transformer, edge, elements, part.contradictory)
            if part.outcome is not None:
                self.note(edge, part.outcome)
            if len(outcome.parts) == 1:
                return part.results
            results += part.results
        return results

    def leads_on(self, action: Action, structure: Structure) -> bool:
        """Whether an action leads to anything from a structure; messages are not kept."""
        transformer = self.transformer(action)
        if self.native is not None:
            outcome = self.native.post(transformer, [structure])
            if not isinstance(outcome, NativeParts):
                return len(outcome) > 0
            if not any(isinstance(part, Structure) for part in outcome.parts):
                return any(isinstance(part, NativePart) and part.results for part in outcome.parts)
        return bool(transformer.post(structure).drafts)

    def may_contradict(self, action: Action, structures: Sequence[Structure]) -> bool:
        """False if the native machine shows that no result on structures that satisfy the rules contradicts them."""
        if self.native is None or not self.stages.coerce_after or self.options.freeze:
            return True
        outcome = self.native.post(self.transformer(action), structures)
        return isinstance(outcome, NativeParts) and not all(
            isinstance(part, NativePart) and part.contradictory is None for part in outcome.parts
        )

    def note(self, edge: Edge[Action], outcome: Outcome) -> None:
        """Keep the messages of a step (or of several, from one edge)."""
        if outcome.reports or outcome.unmet:
            self.log.add(edge, outcome)

    def _look_at_all(
        self, transformer: Transformer, edge: Edge[Action], elements: Sequence[Structure], result: Structure
    ) -> None:
        """Look into a contradiction of a batch: the Python machine finds the elements that lead to one."""
        self.contradictions.setdefault(edge.label, (edge, result))
        if not self.options.blame_updates or edge.label in self.wrong_updates:
            return
        before = self.focuser.discarded
        for element in elements:
            outcome = self.outcome(transformer, edge, element)
            if outcome.contradictory is not None:
                self._look_into(edge, element, outcome.contradictory.structure(element))
        self.focuser.discarded = before

    def _look_into(self, edge: Edge[Action], element: Structure, result: Structure) -> None:
        """Keep a result that contradicts the rules, and whether only the update can be the reason."""
        action = edge.label
        self.contradictions.setdefault(action, (edge, result))
        if self.options.blame_updates and action not in self.wrong_updates:
            blamed = wrong_update(self.transformer(action), element)
            if blamed is not None:
                self.wrong_updates[action] = (edge, blamed)

    def outcome(self, transformer: Transformer, edge: Edge[Action], element: Structure) -> Outcome:
        """The action's outcome; a focus that is refused is an error in the program text."""
        try:
            return transformer.post(element)
        except InfiniteFocus as refused:
            action = edge.label
            text = f"{refused} (action '{action.name}' on the edge {edge.source} -> {edge.target})"
            raise InputError(text, action.position) from None

    def blur(self, draft: Draft, like: Structure) -> Structure:
        if self.options.join == "conc":
            return draft.structure(like)
        values, size, names = self.canonicalizer.blur(draft.values, draft.size, draft.names)
        return Structure(like.vocabulary, size, tuple(values), None if names is None else tuple(names))

    def explain_not_covered(self, element: Structure, store: Store[Structure]) -> str:
        return f"not covered by the {len(store)} structures there: {element!r}"
