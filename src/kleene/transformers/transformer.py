"""What an Action does to a structure: focus, coerce, precondition, messages, new, update, retain, coerce (thesis 3.2).

There is one implementation, for actions from TVP text and from C alike. Blur and join are left to the domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from kleene.diagnostics import UsageError
from kleene.structures.canonical import Canonicalizer
from kleene.structures.edit import Arities, with_new_nodes, without_nodes
from kleene.structures.layout import layout_for
from kleene.structures.structure import (
    AC,
    AC_MAY,
    INSTANCE,
    INSTANCE_MAY,
    IS_NEW,
    IS_NEW_MAY,
    SM,
    SM_MUST,
    Structure,
)
from kleene.transformers.action import Action, Message
from kleene.transformers.action_programs import ActionPrograms, compile_action
from kleene.transformers.coerce import Coercer
from kleene.transformers.draft import Draft, bits
from kleene.transformers.focus import Focuser


@dataclass(frozen=True, slots=True)
class Stages:
    """Which stages an action has, from a string such as ``fcpucb`` (Appendix C.7)."""

    focus: bool = True
    coerce_before: bool = True
    coerce_after: bool = True

    @staticmethod
    def parse(order: str) -> Stages:
        """The stages of ``[f][c]pu[c][b]``."""
        rest = order
        focus = rest.startswith("f")
        rest = rest.removeprefix("f")
        before = rest.startswith("c")
        rest = rest.removeprefix("c")
        after = rest.removesuffix("b") == "puc"
        if rest.removesuffix("b") not in ("pu", "puc"):
            raise UsageError(f"the order of an action is [f][c]pu[c][b], not '{order}'")
        return Stages(focus, before, after)


@dataclass(frozen=True, slots=True)
class Report:
    """A message that an action reported, on the structure where its condition may hold."""

    message: Message
    structure: Structure
    definite: bool


@dataclass(slots=True)
class Outcome:
    """The result of an action on one structure, before blur; `discarded` counts contradictory structures.

    `contradictory` is one that its update made so, if there is one: a sign of a wrong update or rule.
    """

    drafts: list[Draft] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    unmet: list[Message] = field(default_factory=list)
    discarded: int = 0
    contradictory: Draft | None = None
    like: Structure | None = None

    @property
    def structures(self) -> list[Structure]:
        assert self.like is not None
        return [draft.structure(self.like) for draft in self.drafts]

    @property
    def messages(self) -> set[str]:
        return {report.message.text for report in self.reports}


class Transformer:
    """One action, compiled. `closed_input` says that structures given to it satisfy all rules already."""

    def __init__(
        self,
        action: Action,
        coercer: Coercer,
        focuser: Focuser | None = None,
        *,
        stages: Stages | None = None,
        closed_input: bool = False,
        freeze: bool = False,
        keep_names: bool = False,
        coerce_during_focus: bool = True,
        filter_during_focus: bool = False,
        early_precondition: bool = False,
    ) -> None:
        self.action = action
        self.coercer = coercer
        self.vocabulary = coercer.vocabulary
        self.focuser = focuser or Focuser(self.vocabulary, coercer)
        self.stages = stages or Stages()
        self._initially_dirty = 0 if closed_input else coercer.all
        self._freeze = freeze
        self._keep_names = keep_names
        self._coerce_during_focus = coerce_during_focus
        self._filter_during_focus = filter_during_focus
        self._early = early_precondition and action.precondition is not None and not action.precondition.free
        self._programs: dict[tuple[int, bool], ActionPrograms] = {}
        self._new_names = 0

    @cached_property
    def arities(self) -> Arities:
        return tuple(p.arity for p in self.vocabulary)

    @cached_property
    def _canonicalizer(self) -> Canonicalizer:
        return Canonicalizer(self.vocabulary)

    def step_options(self) -> dict[str, bool]:
        """How a step is made, for the native machine."""
        stages, focus = self.stages, self.focuser.options
        return {
            "focus": stages.focus,
            "coerce_before": stages.coerce_before,
            "coerce_after": stages.coerce_after,
            "closed_input": not self._initially_dirty,
            "freeze": self._freeze,
            "coerce_during_focus": self._coerce_during_focus,
            "filter_during_focus": self._filter_during_focus,
            "early_precondition": self._early,
            "overlapping": focus.overlapping,
            "split_active": focus.split_active,
            "skip_infinite": focus.skip_infinite,
            "coerce_cases": focus.coerce_cases,
        }

    def programs(self, draft: Draft) -> ActionPrograms:
        key = (layout_for(draft.size).width, draft.values[AC] == (1 << draft.size) - 1)
        programs = self._programs.get(key)
        if programs is None:
            width, all_active = key
            programs = compile_action(self.action, self.vocabulary, self.coercer, width, all_active=all_active)
            self._programs[key] = programs
        return programs

    def post(self, structure: Structure) -> Outcome:
        """All structures that the action can lead to, and the messages it reports."""
        outcome = Outcome(like=structure)
        given = Draft.of(structure, self._initially_dirty, keep_names=self._keep_names)
        if self._early and not any(True for _ in self.assignments(given)):
            return outcome  # a condition that is 0 here is 0 on all results of focus
        for draft in self.focus(given):
            if self.stages.coerce_before and not self.coerce(draft):
                outcome.discarded += 1
                continue
            for assignment in self.assignments(draft):
                before = len(outcome.reports)
                self._report(self.action.messages, self.programs(draft).messages, draft, assignment, outcome)
                if self._freeze and len(outcome.reports) > before:
                    continue
                result = self.update(draft, assignment)
                if self.stages.coerce_after and not self.coerce(result):
                    outcome.discarded += 1
                    outcome.contradictory = outcome.contradictory or self.update(draft, assignment)
                    continue
                if self.action.post_messages:
                    self._report_after(result, outcome)
                outcome.drafts.append(result)
        return outcome

    # Stages ---------------------------------------------------------------------------------------------------

    def focus(self, draft: Draft) -> list[Draft]:
        """The structures on which all focus formulas are definite."""
        drafts = [draft]
        if self.stages.focus:
            for k, formula in enumerate(self.action.focus):
                if self._coerce_during_focus and self.stages.coerce_before and k:
                    drafts = [d for d in drafts if self.coerce(d)]
                if self._filter_during_focus:
                    drafts = [d for d in drafts if any(True for _ in self.assignments(d))]
                drafts = [result for d in drafts for result in self.focuser.focus_draft(d, formula)]
        return drafts

    def coerce(self, draft: Draft) -> bool:
        """Sharpen in place; false if the structure is contradictory."""
        dirty, draft.dirty = draft.dirty, 0
        return self.coercer.sharpen(draft.values, draft.size, dirty) if dirty else True

    def assignments(self, draft: Draft) -> Iterator[tuple[int, ...]]:
        """The nodes for the precondition's free variables at which it is not 0; one empty tuple if it has none."""
        steps = self.programs(draft).precondition
        if steps is None:
            yield ()
        elif self.action.precondition is not None and not self.action.precondition.free:
            if steps[0](draft.values, draft.size):
                yield ()
        else:
            yield from _assignments(steps, draft.values, draft.size, ())

    def update(self, draft: Draft, assignment: tuple[int, ...]) -> Draft:
        """New nodes, updates, removed nodes; the given draft is not changed."""
        programs = self.programs(draft)
        kept = programs.retain(draft.values, draft.size, assignment) if programs.retain else None
        given = draft
        if self.action.changes_universe:
            draft = self._with_new(given, assignment)
            programs = self.programs(draft)
        values, size, dirty = draft.values, draft.size, draft.dirty
        if programs.update is not None:
            values, changed = programs.update(values, size, assignment)
            dirty |= changed
        elif values is draft.values:
            values = list(values)
        result = Draft(values, size, dirty, draft.names)
        if self.action.changes_universe:
            for rail in (IS_NEW, IS_NEW_MAY, INSTANCE, INSTANCE_MAY):
                values[rail] = 0
            if kept is not None and self._retain(result, given.size, *kept):
                result.dirty |= self.coercer.after_removal
            result.dirty |= self._breached_by_new(given, result)
        return result

    def _breached_by_new(self, given: Draft, result: Draft) -> int:
        """A node on which every predicate was 0 before the update breaches few rules.

        Copies, and nodes that may not be there, may breach any.
        """
        action = self.action
        plain = action.clone is None and not (action.creates and action.new_formula is not None)
        if not plain or not given.all_active or not result.all_active:
            return self.coercer.all
        return self.coercer.after_new if action.creates else 0

    def _with_new(self, draft: Draft, assignment: tuple[int, ...]) -> Draft:
        programs = self.programs(draft)
        result = draft.copy()
        if self.action.creates:
            if programs.new is None:
                self._add(result, [(None, True)])
            else:
                must, may = programs.new(draft.values, draft.size, assignment)
                self._add(result, [(u, bool(must >> u & 1)) for u in bits(may)])
        if programs.clone is not None:
            must, may = programs.clone(draft.values, draft.size, assignment)
            originals = list(bits(may))
            first = result.size
            self._add(result, [(u, bool(must >> u & 1)) for u in originals])
            self._copy_tuples(result, originals, first)
        return result

    def _add(self, draft: Draft, originals: Sequence[tuple[int | None, bool]]) -> None:
        """Add a new node for each original (or one without): `sm` and `ac` are copied, `instance` links them."""
        first = draft.size
        draft.values = with_new_nodes(draft.values, draft.size, self.arities, len(originals))
        draft.size += len(originals)
        values, layout = draft.values, layout_for(draft.size)
        for k, (original, certain) in enumerate(originals):
            new = first + k
            values[AC_MAY] |= 1 << new
            values[IS_NEW] |= 1 << new
            values[IS_NEW_MAY] |= 1 << new
            if certain and (original is None or values[AC] >> original & 1):
                values[AC] |= 1 << new
            if original is not None:
                values[SM] |= (values[SM] >> original & 1) << new
                values[SM_MUST] |= (values[SM_MUST] >> original & 1) << new
                values[INSTANCE] |= 1 << layout.bit((new, original))
                values[INSTANCE_MAY] |= 1 << layout.bit((new, original))
            if draft.names is not None:
                self._new_names += 1
                draft.names = [*draft.names, f"m{self._new_names}"]

    def _copy_tuples(self, draft: Draft, originals: list[int], first: int) -> None:
        """Copies have their originals' values of all predicates, among themselves; none between copy and original."""
        layout = layout_for(draft.size)
        copy = {u: first + k for k, u in enumerate(originals)}
        for p, predicate in enumerate(self.vocabulary):
            if predicate.name in ("sm", "ac", "isNew", "instance") or not predicate.arity:
                continue
            for rail in (2 * p, 2 * p + 1):
                for nodes in layout.tuples(draft.values[rail], predicate.arity):
                    if all(u in copy for u in nodes):
                        draft.values[rail] |= 1 << layout.bit(tuple(copy[u] for u in nodes))

    def _retain(self, draft: Draft, old_size: int, must: int, may: int) -> bool:
        """``ac = ac & f`` for the nodes that existed before (section 7.5.2); nodes with 0 disappear.

        The result is whether there are any.
        """
        old = (1 << old_size) - 1
        draft.values[AC] &= must | ~old
        removed = old & ~may
        if removed:
            draft.values, draft.size = without_nodes(draft.values, draft.size, self.arities, removed)
            if draft.names is not None:
                draft.names = [name for u, name in enumerate(draft.names) if not removed >> u & 1]
        return bool(removed)

    # Messages -------------------------------------------------------------------------------------------------

    def _report(
        self,
        messages: Sequence[Message],
        program: Callable[..., Any] | None,
        draft: Draft,
        assignment: tuple[int, ...],
        outcome: Outcome,
    ) -> None:
        if program is None:
            return
        rails = program(draft.values, draft.size, assignment)
        for message, (must, may) in zip(messages, rails, strict=True):
            if message.only_if is None:
                fires = may
            else:
                fires = must if message.only_if == "1" else not may
                if not fires:
                    outcome.unmet.append(message)
            if fires:
                assert outcome.like is not None
                definite = bool(must) if message.only_if != "0" else True
                outcome.reports.append(Report(message, draft.structure(outcome.like), definite))

    def _report_after(self, draft: Draft, outcome: Outcome) -> None:
        values, size, names = self._canonicalizer.blur(list(draft.values), draft.size, draft.names)
        blurred = Draft(values, size, 0, names)
        self._report(self.action.post_messages, self.programs(blurred).post_messages, blurred, (), outcome)


def _assignments(
    steps: Sequence[Callable[..., int]], values: list[int], size: int, chosen: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    """Assignments, variable by variable: each step gives the candidates for the next variable."""
    if len(chosen) == len(steps):
        yield chosen
        return
    for u in bits(steps[len(chosen)](values, size, chosen)):
        yield from _assignments(steps, values, size, (*chosen, u))
