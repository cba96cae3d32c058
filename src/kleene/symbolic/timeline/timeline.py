"""A loop-free sequence of actions as one scene over several copies of the vocabulary (YRS04, section 4).

The paper has two copies, unprimed and primed. Here every action adds one: symbols only for predicates that the action
can change, and a domain of quantifiers for each moment, because actions create and remove individuals. The facts that
the three-valued update already decides are given to the solver as constants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from kleene.diagnostics import UsageError
from kleene.logic.earlier import NEW, old
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
    disj,
    forall,
    neg,
    predicates_of,
    subformulas,
)
from kleene.logic.transform import substitute
from kleene.smt.universe import in_domain
from kleene.structures.structure import Structure
from kleene.symbolic.assume import facts_of, scene_nodes
from kleene.symbolic.contracts.specifications import Call, is_field, written_out
from kleene.symbolic.scene import Moment, Scene, SceneNode
from kleene.symbolic.theory import Theory, stage
from kleene.symbolic.timeline.abstract_update import AbstractState
from kleene.symbolic.timeline.action_step import ActionStep, affected_predicates, symbols_of
from kleene.symbolic.timeline.closure_updates import ClosureUpdates, unshared_predicates
from kleene.symbolic.timeline.rails import may
from kleene.symbolic.timeline.reachability import frame_lemmas, reach_lemma
from kleene.transformers.action import Action


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
    """Conditions that must be false at a step, so that closures of a predicate can be rewritten."""


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
        draft.base.append(stage(may(formula), draft.symbols[-1], draft.moments[-1].label))

    def assume_since_start(self, formula: Formula) -> None:
        """The same for a formula with ``old[q]``: q before the first action."""
        draft = self.draft
        symbols = {**draft.symbols[-1], **{old(name): symbol for name, symbol in draft.symbols[0].items()}}
        formula = written_out(formula, self.vocabulary)
        draft.base.append(stage(may(formula), symbols, draft.moments[-1].label))

    def apply(self, action: Action) -> None:
        """Add one action."""
        step = ActionStep(self, action)
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
            self.draft.unshared |= {self.draft.symbols[-1][name] for name in unshared_predicates(self.state.structure)}

    def call(self, call: Call) -> None:
        """A procedure by its specification: modified predicates get any values that the postcondition allows.

        The number of created individuals and the set of freed ones are arbitrary in the same way.
        """
        draft, before = self.draft, self.draft.symbols[-1]
        number = len(draft.symbols)
        relations = {p.name for p in self.vocabulary.declared if is_field(p) and not p.has("function")}
        extended = relations - call.modifies if call.allocates else set()
        changed = set(call.modifies) | extended
        changed |= affected_predicates(self.vocabulary, changed, everything=call.changes_universe)
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
            moment = self._free(call, changed, after, moment)
        then = {**after, **{old(name): symbol for name, symbol in before.items()}, NEW: new}
        ensures = written_out(call.ensures, self.vocabulary, creates=call.allocates)
        draft.base.append(stage(ensures, then, moment.label))
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

    def _free(self, call: Call, changed: set[str], after: Mapping[str, str], moment: Moment) -> Moment:
        """Individuals that the call may free exist afterwards or not; a freed one has no name."""
        draft, earlier = self.draft, self.draft.moments[-1]
        mark = f"kept!{len(draft.symbols)}"
        v = in_domain("v", earlier.label)
        may_go = stage(substitute(call.frees, {"v": v}), draft.symbols[-1], earlier.label)
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
        """Add the lemmas on paths that survive a call's changes of a field."""
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
                self.draft.base.append(stage(rule.formula, symbols, moment.label))

    def scene(self) -> Scene:
        draft, last = self.draft, self.draft.moments[-1]
        symbols = draft.symbols[-1]
        observed = [symbols[p.name] for p in self.vocabulary.unary_abstraction]
        base = [*draft.base, *(f for mark in sorted(draft.required) for f in self._forget_freed(mark, observed))]
        base += self._permissions(base)
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

    def _permissions(self, base: Sequence[Formula]) -> list[Formula]:
        """That the conditions for rewriting closures hold, or, in the case for that, that one fails first.

        Only closures that occur matter.
        """
        closures = {g for f in base for g in subformulas(f) if isinstance(g, Closure)}
        closed = {name.partition("'")[0] for g in closures for name in predicates_of(g)}
        permitted = []
        self.conditional = []
        for number, conditions in self.draft.conditions.items():
            relevant = [f for predicate, f in conditions if predicate in closed]
            if relevant and (self.split is None or number <= self.split):
                self.conditional.append(number)
                fails = disj(*relevant)
                permitted.append(fails if number == self.split else neg(fails))
        return permitted

    def _forget_freed(self, mark: str, observed: Sequence[str]) -> list[Formula]:
        """Freed individuals have no later name: without this axiom they could have every later name."""
        moment = int(mark.rpartition("!")[2])
        later = []
        for symbol in observed:
            name, _, number = symbol.partition("'")
            derived = self.vocabulary[name].definition is not None
            if number and (int(number) > moment or (derived and int(number) == moment)):
                later.append(forall(["v"], disj(Atom(mark, ("v",)), neg(Atom(symbol, ("v",))))))
        return later


def scenes(theory: Theory, structure: Structure, build: Callable[[Timeline], None]) -> list[Scene]:
    """The scenes of a sequence of steps, which together have all of its stores."""
    timeline = Timeline(theory, structure)
    build(timeline)
    result = [timeline.scene()]
    for number in timeline.conditional:
        other = Timeline(theory, structure, number)
        build(other)
        result.append(other.scene())
    return result


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
