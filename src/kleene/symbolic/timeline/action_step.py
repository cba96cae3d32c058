"""One action of a timeline: its symbols after it, from those before it (YRS04, section 4).

Individuals are chosen, created, updated and removed, in this order; paths after it are related to those before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kleene.logic.formula import (
    FALSE,
    Atom,
    Equal,
    Formula,
    Iff,
    Not,
    conj,
    disj,
    exists,
    forall,
    neg,
    predicates_of,
)
from kleene.logic.kleene import Kleene
from kleene.logic.transform import substitute
from kleene.logic.vocabulary import Vocabulary
from kleene.smt.universe import in_domain
from kleene.structures.evaluate import evaluate
from kleene.symbolic.scene import Moment, SceneNode
from kleene.symbolic.theory import stage
from kleene.symbolic.timeline.abstract_update import derived_updates
from kleene.symbolic.timeline.closure_updates import Change, changed_sources, changes, is_excluded
from kleene.symbolic.timeline.copies import Labels, Originals, add_copies, instance_symbol, paths_are_copied
from kleene.symbolic.timeline.rails import may, must
from kleene.symbolic.timeline.reachability import path_lemmas
from kleene.transformers.action import Action, Update

if TYPE_CHECKING:
    from kleene.symbolic.timeline.timeline import Timeline


class ActionStep:
    """One action: from the symbols `before` to the symbols `after`."""

    def __init__(self, timeline: Timeline, action: Action) -> None:
        self.timeline = timeline
        self.draft = timeline.draft
        self.vocabulary = timeline.vocabulary
        self.action = action
        self.number = len(self.draft.symbols)
        self.earlier = self.draft.moments[-1]
        self.before = self.draft.symbols[-1]
        self.after = dict(self.before)
        self.changed: set[str] = set()
        self.state = timeline.state
        changes = action.changes_universe
        self.moment = replace(self.earlier, label=f"e{self.number}") if changes else self.earlier
        self.wide = self.earlier.label
        self.is_new: str | Formula = FALSE
        self.instance: str | Formula = FALSE
        self.chosen: dict[str, str] = {}

    def choose(self) -> None:
        """The precondition; each of its free variables is an individual, marked by a symbol of its own."""
        condition = self.action.precondition
        if condition is None:
            return
        label = self.earlier.label
        for variable in condition.free:
            mark = f"{variable}!{self.number}"
            self.chosen[variable] = mark
            v, w = in_domain("v", label), in_domain("w", label)
            one = forall([v, w], disj(neg(Atom(mark, (v,))), neg(Atom(mark, (w,))), Equal(v, w)))
            self.draft.base += [exists([v], Atom(mark, (v,))), one]
            self.draft.dimensions.append(mark)
            self.draft.unique.add(mark)
        formula = self._about_chosen(may(condition))
        self.draft.base.append(stage(formula, self.before, label))

    def _about_chosen(self, formula: Formula) -> Formula:
        """The formula about the chosen individuals, without free variables for them."""
        for variable in [v for v in formula.free if v in self.chosen]:
            formula = exists([variable], conj(Atom(self.chosen[variable], (variable,)), formula))
        return formula

    def create(self) -> None:
        """`%new` and `%clone`: new individuals on which every predicate is 0 so far, or as on their originals."""
        action, draft = self.action, self.draft
        if not action.creates and action.clone is None:
            return
        mark = self.is_new = f"isNew!{self.number}"
        draft.nodes = [replace(node, known={**node.known, mark: False}) for node in draft.nodes]
        old = symbols_of(draft.symbols)
        absent = {s: False for s in {*old, *draft.dimensions} if self.timeline.arity(s) == 1}
        absent |= {**dict.fromkeys(draft.required, True), mark: True}
        if action.creates and action.new_formula is None:
            self._create_one(absent)
        for formula, copied in ((action.new_formula, False), (action.clone, True)):
            if formula is not None:
                self.instance = instance_symbol(self.number)
                self.timeline.state = None
                higher = {s: self.timeline.arity(s) for s in sorted(old) if self.timeline.arity(s) > 1}
                originals = self._originals(formula, copied=copied)
                draft.base += add_copies(originals, draft.nodes, draft.facts, absent, higher)
        self.moment = replace(self.moment, born=self.number)
        self.wide = f"x{self.number}"
        draft.moments.insert(-1, Moment(self.wide, self.number, self.earlier.kept))

    def _create_one(self, absent: dict[str, bool]) -> None:
        """`%new` without a formula."""
        place = len(self.draft.nodes)
        self.timeline.add_node(SceneNode(f"new{self.number}", absent, True, False, born=self.number))
        if self.timeline.state is not None:
            self.timeline.state = self.timeline.state.with_new(place)

    def _originals(self, formula: Formula, *, copied: bool) -> Originals:
        (variable,) = (v for v in formula.free if v not in self.chosen)
        state = self.state

        def about(f: Formula, v: str) -> Formula:
            return stage(self._about_chosen(substitute(f, {variable: v})), self.before, self.earlier.label)

        def value(node: int) -> Kleene:
            if state is None or node not in state.places or set(formula.free) & set(self.chosen):
                return Kleene.UNKNOWN
            return evaluate(state.structure, formula, {variable: state.places.index(node)})

        symbols = {self.before[p.name]: p.arity for p in self.vocabulary.declared if p.arity} if copied else {}
        return Originals(
            self.number,
            self.earlier,
            lambda v: about(must(formula), v),
            lambda v: about(may(formula), v),
            value,
            symbols,
        )

    def update(self) -> None:
        """New symbols for everything that can change; core ones are defined by their updates."""
        for update in self.action.updates:
            predicate = self.vocabulary[update.predicate]
            if predicate.definition is None and not _is_identity(update):
                self.changed.add(update.predicate)
        self.changed |= affected_predicates(self.vocabulary, self.changed, everything=self.action.changes_universe)
        for name in self.changed:
            self.after[name] = f"{name}'{self.number}"
            if self.vocabulary[name].has("unique"):
                self.draft.unique.add(self.after[name])
        core = [u for u in self.action.updates if u.predicate in self.changed]
        core = [u for u in core if self.vocabulary[u.predicate].definition is None]
        for update in core:
            self._define(update)
        if not self.action.changes_universe:
            self._relate_closures(core)
        elif self.instance is not FALSE and self.action.retain is None:
            self._relate_copied_paths()
        if self.action.retain is not None:
            self.timeline.state = None  # the definitions range over the remaining individuals
        if self.timeline.state is not None:
            self._facts(core)

    def _relate_closures(self, core: list[Update]) -> None:
        """Closures afterwards by closures before: exactly where the conditions hold, otherwise by lemmas."""
        timeline, split = self.timeline, self.timeline.split
        conditions: list[tuple[str, Formula]] = []
        for change in changes(core, self.vocabulary, self.changed):
            failing = [c for c in change.conditions(self.vocabulary) if not self._is_excluded(c)]
            if change.whole or not failing:
                conditions += [(change.predicate, c) for c in failing]
                if split is None or self.number < split:
                    symbols = self.before[change.predicate], self.after[change.predicate], self.before[change.mark]
                    timeline.closures.add(change, *symbols)
        self._permit(conditions)
        if split is not None and self.number >= split:
            for update in core:
                if len(update.args) == 2:
                    for mark in changed_sources(update, self.vocabulary):
                        ends = self.before[update.predicate], self.after[update.predicate]
                        self.draft.base += path_lemmas(*ends, self.before[mark], self.wide)

    def _relate_copied_paths(self) -> None:
        """Paths among copies are those among originals; without its condition, no fact is added."""
        timeline = self.timeline
        binary = [p.name for p in self.vocabulary.declared if p.arity == 2]
        instance, is_new = f"{self.instance}", f"{self.is_new}"
        labels = Labels(self.earlier.label, self.wide, self.moment.label)
        self.draft.conditions[self.number] = [
            (name, neg(paths_are_copied(self.before[name], self.after[name], instance, is_new, labels)))
            for name in binary
        ]
        if timeline.split is None or self.number < timeline.split:
            symbols = {self.after[name]: self.before[name] for name in binary}
            timeline.closures.copy(self.moment.label, self.earlier.label, instance, symbols)

    def _permit(self, conditions: list[tuple[str, Formula]]) -> None:
        """Note the conditions for rewriting closures of predicates."""
        label = self.earlier.label
        self.draft.conditions[self.number] = [(p, stage(c, self.before, label)) for p, c in conditions]

    def _is_excluded(self, condition: Formula) -> bool:
        return self.state is not None and is_excluded(condition, self.state.structure)

    def _define(self, update: Update) -> None:
        """``p'(args)`` is the update formula; where that is 1/2, anything."""
        args = tuple(in_domain(v, self.wide) for v in update.args)
        formula = substitute(update.formula, dict(zip(update.args, args, strict=True)))
        symbols = {**self.before, "isNew": self.is_new, "instance": self.instance}
        self._between(formula, Atom(self.after[update.predicate], args), args, symbols, self.wide)

    def _between(
        self, f: Formula, atom: Formula, args: tuple[str, ...], symbols: Mapping[str, str | Formula], label: str
    ) -> None:
        """The atom holds where the formula must, and not where it may not."""
        least = stage(self._about_chosen(must(f)), symbols, label)
        most = stage(self._about_chosen(may(f)), symbols, label)
        if least is most:
            self.draft.base.append(forall(args, Iff(atom, least)))
        else:
            self.draft.base += [forall(args, disj(neg(least), atom)), forall(args, disj(most, neg(atom)))]

    def _facts(self, core: Sequence[Update]) -> None:
        """Add the new values that three-valued evaluation decides."""
        state = self.timeline.state
        assert state is not None
        derived = derived_updates(self.action, core, self.vocabulary)
        unknown = self.changed if derived is None else ()
        updates = [*core, *(derived or ())]
        state = state.update(updates, frozenset(self.chosen), unknown, self.timeline.theory)
        self.timeline.state = state
        if state is None:
            self.draft.base.append(FALSE)
            return
        for name in sorted(self.changed):
            for nodes, value in state.definite(name):
                if len(nodes) == 1:
                    node = self.draft.nodes[nodes[0]]
                    known = {**node.known, self.after[name]: value}
                    self.draft.nodes[nodes[0]] = replace(node, known=known)
                else:
                    self.draft.facts[self.after[name], nodes] = value

    def retain(self) -> None:
        """`%retain`: the individuals for which the formula (about the state before) does not hold disappear."""
        formula = self.action.retain
        if formula is None:
            return
        mark = f"kept!{self.number}"
        label = self.earlier.label
        (variable,) = (v for v in formula.free if v not in self.chosen)
        v = in_domain(variable, label)
        draft = self.draft
        self._between(substitute(formula, {variable: v}), Atom(mark, (v,)), (v,), self.before, label)
        for i, node in enumerate(draft.nodes):
            if node.born == self.number:
                draft.nodes[i] = replace(node, known={**node.known, mark: True})
        draft.dimensions.append(mark)
        draft.required.add(mark)
        self.moment = replace(self.moment, kept=(*self.moment.kept, mark))
        self._shorten_paths(formula)

    def _shorten_paths(self, formula: Formula) -> None:
        """If one object disappears and nothing else changes, paths are the old ones that do not lead through it."""
        fields = [p for p in self.vocabulary.declared if p.arity == 2 and p.has("function")]
        core = [u for u in self.action.updates if self.vocabulary[u.predicate].definition is None]
        match formula:
            case Not(Atom(name, (_,))) if self.vocabulary[name].has("unique") and not core and not self.action.creates:
                gone = [Change(p.name, name, whole=True, loses=True, gains=False) for p in fields]
                conditions = [(change.predicate, c) for change in gone for c in change.conditions(self.vocabulary)]
                self._permit([(p, c) for p, c in conditions if not self._is_excluded(c)])
                split = self.timeline.split
                if split is None or self.number < split:
                    symbols = frozenset(self.before[p.name] for p in fields)
                    labels = self.moment.label, self.earlier.label
                    self.timeline.closures.remove(*labels, self.before[name], symbols)


def symbols_of(tables: Sequence[Mapping[str, str]]) -> set[str]:
    """The symbols of all moments."""
    return {s for table in tables for s in table.values()}


def _is_identity(update: Update) -> bool:
    return update.formula is Atom(update.predicate, update.args)


def affected_predicates(vocabulary: Vocabulary, core: set[str], *, everything: bool = False) -> set[str]:
    """The instrumentation predicates that a change of core predicates (or of the universe) can affect."""
    changed = set(core)
    while True:
        more = {
            p.name
            for p in vocabulary.declared
            if p.definition is not None
            and p.name not in changed
            and (everything or predicates_of(p.definition) & changed)
        }
        if not more:
            return changed - core
        changed |= more
