"""A loop-free sequence of actions as one scene over several copies of the vocabulary (seed 000, section 4).

The paper has two copies, unprimed and primed. Here every action adds one: symbols only for predicates that the action
can change, and a domain of quantifiers for each moment, because actions create and remove individuals. The facts that
the three-valued update already decides are given to the solver as constants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from kleene.diagnostics import UsageError
from kleene.logic.formula import (
    FALSE,
    And,
    Atom,
    Closure,
    Const,
    Equal,
    Exists,
    Forall,
    Formula,
    Iff,
    Not,
    Or,
    conj,
    disj,
    exists,
    forall,
    neg,
    predicates_of,
    subformulas,
)
from kleene.logic.kleene import Kleene
from kleene.logic.transform import substitute
from kleene.logic.vocabulary import Vocabulary
from kleene.smt.universe import in_domain
from kleene.structures.evaluate import evaluate
from kleene.structures.structure import Structure
from kleene.symbolic.abstract_update import AbstractState, derived_updates
from kleene.symbolic.assume import facts_of, scene_nodes
from kleene.symbolic.closure_updates import Change, ClosureUpdates, changed_sources, changes, is_excluded, unshared
from kleene.symbolic.contracts import NEW, Call, is_field, old, written_out
from kleene.symbolic.copies import Labels, Originals, add_copies, instance_symbol, paths_are_copied
from kleene.symbolic.rails import may, must
from kleene.symbolic.reachability import frame_lemmas, path_lemmas, reach_lemma
from kleene.symbolic.scene import Moment, Scene, SceneNode
from kleene.symbolic.theory import Theory, staged
from kleene.transformers.action import Action, Update


class UnsupportedAction(UsageError):
    """A step whose best transformer is not computed."""


@dataclass
class _Draft:
    nodes: list[SceneNode]
    facts: dict[tuple[str, tuple[int, ...]], bool]
    base: list[Formula]
    symbols: list[dict[str, str]]
    moments: list[Moment]
    dimensions: list[str] = field(default_factory=list)
    required: set[str] = field(default_factory=set)
    unique: set[str] = field(default_factory=set)
    unshared: set[str] = field(default_factory=set)
    conditions: dict[int, list[tuple[str, Formula]]] = field(default_factory=dict)
    """What must not hold at a step so that closures of a predicate can be rewritten."""


class Timeline:
    """Builds the scene of a sequence of actions on one structure.

    Closures after an action are rewritten (`closure_updates`) where a condition permits that. `split` of None assumes
    these conditions, and `conditional` lists the steps that have one; with the number of such a step, the scene has the
    stores that fail there first. The scenes together have all stores: see `scenes`.
    """

    def __init__(self, theory: Theory, structure: Structure, split: int | None = None) -> None:
        self.theory = theory
        self.vocabulary = theory.vocabulary
        first = Moment("e0", 0)
        names = {p.name: p.name for p in self.vocabulary.declared}
        self.draft = _Draft(list(scene_nodes(structure)), dict(facts_of(structure)), [], [names], [first])
        self.draft.unique |= {p.name for p in self.vocabulary if p.has("unique")}
        self.state: AbstractState | None = AbstractState.of(structure)
        self.split = split
        self.conditional: list[int] = []
        self.closures = ClosureUpdates()
        self._note_unshared()
        self._integrity(names, first, None)

    def assume(self, formula: Formula) -> None:
        """Only the stores that satisfy a closed formula now."""
        draft = self.draft
        draft.base.append(staged(may(formula), draft.symbols[-1], draft.moments[-1].label))

    def assume_since_start(self, formula: Formula) -> None:
        """The same for a formula that speaks of ``old[q]`` too: q before the first action."""
        draft = self.draft
        symbols = {**draft.symbols[-1], **{old(name): symbol for name, symbol in draft.symbols[0].items()}}
        formula = written_out(formula, self.vocabulary)
        draft.base.append(staged(may(formula), symbols, draft.moments[-1].label))

    def apply(self, action: Action) -> None:
        """Add one action."""
        step = _Step(self, action)
        step.choose()
        step.create()
        step.update()
        step.retain()
        created = action.creates or action.clone is not None
        self._integrity(step.after, step.moment, step.changed, created=created, removed=action.retain is not None)
        self.draft.symbols.append(step.after)
        self._note_unshared()
        if step.moment is not self.draft.moments[-1]:
            self.draft.moments.append(step.moment)

    def _note_unshared(self) -> None:
        if self.state is not None:
            self.draft.unshared |= {self.draft.symbols[-1][name] for name in unshared(self.state.structure)}

    def call(self, call: Call) -> None:
        """A procedure by its specification: what it may modify is anything that the postcondition allows.

        So is how many individuals it creates, and which of those that it may free are gone.
        """
        draft, before = self.draft, self.draft.symbols[-1]
        number = len(draft.symbols)
        relations = {p.name for p in self.vocabulary.declared if is_field(p) and not p.has("function")}
        extended = relations - call.modifies if call.allocates else set()
        changed = set(call.modifies) | extended
        changed |= affected(self.vocabulary, changed, everything=call.changes_universe)
        after = {**before, **{name: f"{name}'{number}" for name in changed}}
        draft.unique |= {after[name] for name in changed if self.vocabulary[name].has("unique")}
        moment = draft.moments[-1]
        if call.changes_universe:
            moment = replace(moment, label=f"e{number}")
        new = f"isNew!{number}"
        if call.allocates:
            draft.nodes = [replace(node, known={**node.known, new: False}) for node in draft.nodes]
            absent = {s: False for s in {*symbols_of(draft.symbols), *draft.dimensions} if self.arity(s) == 1}
            absent |= {**dict.fromkeys(draft.required, True), new: True}
            self.add_node(SceneNode(f"new{number}", absent, single=False, optional=True, born=number))
            moment = replace(moment, born=number)
        if call.frees is not FALSE:
            moment = self._freed(call, changed, after, moment)
        then = {**after, **{old(name): symbol for name, symbol in before.items()}, NEW: new}
        ensures = written_out(call.ensures, self.vocabulary, creates=call.allocates)
        draft.base.append(staged(ensures, then, moment.label))
        for name in sorted(extended):
            a, b = (in_domain(v, moment.label) for v in ("a", "b"))
            same = Iff(Atom(after[name], (a, b)), Atom(before[name], (a, b)))
            draft.base.append(forall([a, b], disj(Atom(new, (a,)), Atom(new, (b,)), same)))
        for name in sorted(changed):
            whole = self.vocabulary[name].arity == 2 and self.vocabulary[name].has("function")
            if whole and not call.changes_universe:
                self._frame(name, changed, after, f"changed!{name}!{number}")
        self._integrity(after, moment, changed, created=call.allocates, removed=call.frees is not FALSE)
        draft.symbols.append(after)
        if moment is not draft.moments[-1]:
            draft.moments.append(moment)
        self.state = None

    def _freed(self, call: Call, changed: set[str], after: Mapping[str, str], moment: Moment) -> Moment:
        """Individuals that the call may free are there afterwards or not; what is gone has no name."""
        draft, earlier = self.draft, self.draft.moments[-1]
        mark = f"kept!{len(draft.symbols)}"
        v = in_domain("v", earlier.label)
        may_go = staged(substitute(call.frees, {"v": v}), draft.symbols[-1], earlier.label)
        draft.base.append(forall([v], disj(Atom(mark, (v,)), may_go)))
        for name in sorted(changed):
            if self.vocabulary[name].arity == 1:
                draft.base.append(forall(["v"], disj(Atom(mark, ("v",)), neg(Atom(after[name], ("v",))))))
        for i, node in enumerate(draft.nodes):
            if node.born == len(draft.symbols):
                draft.nodes[i] = replace(node, known={**node.known, mark: True})
        draft.dimensions.append(mark)
        draft.required.add(mark)
        return replace(moment, kept=(*moment.kept, mark))

    def add_node(self, node: SceneNode) -> None:
        """A node on which everything of arity two or more was 0 so far."""
        draft, place = self.draft, len(self.draft.nodes)
        draft.nodes.append(node)
        for symbol in sorted(symbols_of(draft.symbols)):
            arity = self.arity(symbol)
            if arity > 1:
                for nodes in product(range(place + 1), repeat=arity):
                    if place in nodes:
                        draft.facts[symbol, nodes] = False

    def arity(self, symbol: str) -> int:
        """The number of arguments of a symbol; marks have one."""
        predicate = self.vocabulary.get(symbol.partition("'")[0])
        return 1 if predicate is None else predicate.arity

    def _frame(self, field: str, changed: set[str], after: Mapping[str, str], mark: str) -> None:
        """What a call's changes of a field leave of the paths."""
        before, label = self.draft.symbols[-1], self.draft.moments[-1].label
        self.draft.base += frame_lemmas(before[field], after[field], mark, label)
        for p in self.vocabulary.declared:
            if p.definition is not None and predicates_of(p.definition) & changed == {field}:
                self.draft.base += reach_lemma(p, field, (before[p.name], after[p.name]), mark, label)

    def _integrity(
        self,
        symbols: Mapping[str, str],
        moment: Moment,
        changed: set[str] | None,
        *,
        created: bool = False,
        removed: bool = False,
    ) -> None:
        """The integrity rules at a moment; those about unchanged predicates hold already, if no individual that is
        created or removed can break them.
        """
        for rule in self.theory.integrity:
            again = created or (removed and not holds_in_parts(rule.formula))
            if changed is None or again or predicates_of(rule.formula) & changed:
                self.draft.base.append(staged(rule.formula, symbols, moment.label))

    def scene(self) -> Scene:
        draft, last = self.draft, self.draft.moments[-1]
        symbols = draft.symbols[-1]
        observed = [symbols[p.name] for p in self.vocabulary.unary_abstraction]
        base = [*draft.base, *(f for mark in sorted(draft.required) for f in self._forgotten(mark, observed))]
        base += self._permitted(base)
        base = [self.closures.apply(f) for f in base]
        return Scene(
            nodes=tuple(draft.nodes),
            dimensions=tuple(dict.fromkeys([*draft.dimensions, *observed])),
            unique=frozenset(draft.unique),
            facts=draft.facts,
            base=tuple(base),
            fields=self.theory.fields(draft.symbols).with_inverse(draft.unshared),
            output=self.vocabulary,
            symbols=symbols,
            moments=tuple(draft.moments),
            last=last,
            required=frozenset(draft.required),
        )

    def _permitted(self, base: Sequence[Formula]) -> list[Formula]:
        """That the conditions for rewriting closures hold, or, in the case for that, that one fails first.

        Only closures that occur matter.
        """
        closures = {g for f in base for g in subformulas(f) if isinstance(g, Closure)}
        closed = {name.partition("'")[0] for g in closures for name in predicates_of(g)}
        found = []
        self.conditional = []
        for number, conditions in self.draft.conditions.items():
            relevant = [f for predicate, f in conditions if predicate in closed]
            if relevant and (self.split is None or number <= self.split):
                self.conditional.append(number)
                fails = disj(*relevant)
                found.append(fails if number == self.split else neg(fails))
        return found

    def _forgotten(self, mark: str, observed: Sequence[str]) -> list[Formula]:
        """What has disappeared has no later name: without this it would be called by every one of them."""
        moment = int(mark.rpartition("!")[2])
        later = []
        for symbol in observed:
            name, _, number = symbol.partition("'")
            derived = self.vocabulary[name].definition is not None
            if number and (int(number) > moment or (derived and int(number) == moment)):
                later.append(forall(["v"], disj(Atom(mark, ("v",)), neg(Atom(symbol, ("v",))))))
        return later


class _Step:
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
        self.draft.base.append(staged(formula, self.before, label))

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
            return staged(self._about_chosen(substitute(f, {variable: v})), self.before, self.earlier.label)

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
        self.changed |= affected(self.vocabulary, self.changed, everything=self.action.changes_universe)
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
            self.timeline.state = None  # the definitions speak of the individuals that are left
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
        """Paths among copies are those among originals, unless the condition for that fails: then nothing is said."""
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
        self.draft.conditions[self.number] = [(p, staged(c, self.before, label)) for p, c in conditions]

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
        least = staged(self._about_chosen(must(f)), symbols, label)
        most = staged(self._about_chosen(may(f)), symbols, label)
        if least is most:
            self.draft.base.append(forall(args, Iff(atom, least)))
        else:
            self.draft.base += [forall(args, disj(neg(least), atom)), forall(args, disj(most, neg(atom)))]

    def _facts(self, core: Sequence[Update]) -> None:
        """What three-valued evaluation knows of the new values."""
        state = self.timeline.state
        assert state is not None
        derived = derived_updates(self.action, core, self.vocabulary)
        unknown = self.changed if derived is None else ()
        updates = [*core, *(derived or ())]
        state = state.updated(updates, frozenset(self.chosen), unknown, self.timeline.theory)
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


def scenes(theory: Theory, structure: Structure, build: Callable[[Timeline], None]) -> list[Scene]:
    """The scenes of a sequence of steps, which together have all of its stores."""
    timeline = Timeline(theory, structure)
    build(timeline)
    found = [timeline.scene()]
    for number in timeline.conditional:
        other = Timeline(theory, structure, number)
        build(other)
        found.append(other.scene())
    return found


def symbols_of(tables: Sequence[Mapping[str, str]]) -> set[str]:
    """The symbols of all moments."""
    return {s for table in tables for s in table.values()}


def holds_in_parts(f: Formula, *, positive: bool = True) -> bool:
    """Whether a formula that holds of all individuals holds of some of them too: it is universal."""
    match f:
        case Not(body):
            return holds_in_parts(body, positive=not positive)
        case And(a, b) | Or(a, b):
            return holds_in_parts(a, positive=positive) and holds_in_parts(b, positive=positive)
        case Exists(_, body) | Forall(_, body):
            return isinstance(f, Forall) == positive and holds_in_parts(body, positive=positive)
        case Closure(body=body):
            return not positive and isinstance(body, Atom)  # there are fewer paths
    return isinstance(f, (Atom, Equal, Const))


def _is_identity(update: Update) -> bool:
    return update.formula is Atom(update.predicate, update.args)


def affected(vocabulary: Vocabulary, core: set[str], *, everything: bool = False) -> set[str]:
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
