"""Deriving the updates of instrumentation predicates, action by action.

Reps, Sagiv, Loginov. Finite differencing of logical formulas for static analysis (ESOP 2003, TOPLAS 32(6),
2010), as TVLA 3 does it (docs/concepts/differencing.md): for every instrumentation predicate p ``= f`` without an
update in the action, the update is ``p ? !D-[f] : D+[f]``; if both deltas vanish, p keeps its value and no
update is made, which is more precise than any recomputation. Deviations: see `universe` (new, copied and
removed nodes) and `closures` (non-unit changes).

*Precision.* Where the delta gives 1/2 and the definition, re-evaluated on the updated structure, is definite,
Coerce repairs the value with the rules ``f ==> p`` and ``!f ==> !p`` that every definition brings. No single
formula can do that: all connectives are monotone in the information order, and "the one that is definite" is
not (it would have to be 0 and 1 at once where the two differ). So the update stays what TVLA computes, and
with `refine` the derivation also carries the re-evaluation as a second update (`Derivation.refinements`): a
transformer that does not coerce takes its value where the first one is 1/2. Both are sound, so they never
contradict each other on a structure that represents something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from kleene.diagnostics import InputError
from kleene.logic.formula import FALSE, Atom, Formula, IfThenElse, conj, disj, neg, predicates_of
from kleene.logic.patterns import with_predicates
from kleene.logic.transform import canonical, match_instance
from kleene.logic.vocabulary import BUILTIN, Predicate, Vocabulary
from kleene.transformers.action import Action, Message, Update
from kleene.transformers.differencing.cycles import cycle_messages
from kleene.transformers.differencing.deltas import NONE, Change, Defined, Delta, Differencer, update_delta
from kleene.transformers.differencing.recall import Key, Recall
from kleene.transformers.differencing.simplify import if_then_else
from kleene.transformers.differencing.universe import Universe

IDENTITY = "identity"
RE_EVALUATION = "re-evaluation"


@dataclass(frozen=True)
class DifferencingOptions:
    """Named after TVLA's ``tvla.differencing.*``; the defaults are those of the shipped property file.

    `difference` is the master switch; `difference_given` derives even where the action gives an update
    (differenceNonIdForms); `tight` restricts the deltas of predicates to real changes; `substitute_deltas`
    uses a predicate for a delta that is its definition; `cycle_message` adds the messages of acyclic predicates
    (messageForCloseCycle). Ours: `universe_changes` accounts for new, copied and removed nodes (off: as TVLA,
    which is unsound); `chains` looks for the predicate in all operands of ``p & a & b`` (off: as TVLA, which
    sees ``(p & a) & b``); `unit_cyclic` uses the exact rule for one added edge also where the predicate is not
    `acyclic`; `refine` adds the re-evaluated definitions (see the module docstring).
    """

    difference: bool = True
    difference_given: bool = False
    tight: bool = True
    substitute_deltas: bool = True
    cycle_message: bool = True
    universe_changes: bool = True
    chains: bool = False
    unit_cyclic: bool = False
    refine: bool = False


@dataclass(frozen=True)
class DerivedUpdate:
    """The derived update of one predicate over `args`, the rule used, the deltas of its definition.

    Most deltas are never looked at: those of an update that was derived for another predicate are renamed on demand.
    """

    predicate: str
    args: tuple[str, ...]
    formula: Formula
    method: str
    deltas: Callable[[], Delta] = field(compare=False)

    @property
    def plus(self) -> Formula:
        return self.deltas()[0]

    @property
    def minus(self) -> Formula:
        return self.deltas()[1]


@dataclass(frozen=True)
class Derivation:
    """An action with all its updates and cycle messages, and how they came about.

    `refinements` is empty unless asked for; its formulas are evaluated on the same snapshot as the updates.
    """

    action: Action
    updates: tuple[DerivedUpdate, ...] = ()
    warnings: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    refinements: tuple[Update, ...] = ()


def derive(action: Action, vocabulary: Vocabulary, options: DifferencingOptions | None = None) -> Derivation:
    """The action with an update for every instrumentation predicate that it changes and does not update."""
    options = options or DifferencingOptions()
    order = definition_order(vocabulary)
    if not options.difference or not (action.updates or action.changes_universe):
        return Derivation(action)
    return _Deriver(action, vocabulary, options).run(order)


@lru_cache(maxsize=16)
def _definitions_over(vocabulary: Vocabulary) -> dict[frozenset[str], list[Predicate]]:
    """The instrumentation predicates by the predicates that their definitions use."""
    by_predicates: dict[frozenset[str], list[Predicate]] = {}
    for p in vocabulary:
        if p.definition is not None:
            by_predicates.setdefault(predicates_of(p.definition), []).append(p)
    return by_predicates


@lru_cache(maxsize=16)
def definition_order(vocabulary: Vocabulary) -> tuple[Predicate, ...]:
    """The instrumentation predicates, each after those that its definition uses; declaration order otherwise.

    Raises InputError naming the predicates of a cycle.
    """
    done: dict[str, Predicate] = {}
    path: dict[str, None] = {}

    def visit(p: Predicate) -> None:
        if p.name in done or p.definition is None:
            return
        if p.name in path:
            names = list(path)
            cycle = " -> ".join([*names[names.index(p.name) :], p.name])
            raise InputError(f"the definitions of instrumentation predicates depend on each other: {cycle}")
        path[p.name] = None
        used = predicates_of(p.definition)
        for q in vocabulary:
            if q.name in used:
                visit(q)
        del path[p.name]
        done[p.name] = p

    for p in vocabulary:
        visit(p)
    return tuple(done.values())


@lru_cache(maxsize=16)
def _used_by_others(vocabulary: Vocabulary) -> frozenset[str]:
    """The predicates whose changes others may ask for: those in definitions, and the binary ones (`cycles`)."""
    used = {name for p in vocabulary if p.definition is not None for name in predicates_of(p.definition)}
    return frozenset(used.union(p.name for p in vocabulary if p.arity > 1))


@lru_cache(maxsize=16)
def _argument_names(vocabulary: Vocabulary) -> frozenset[str]:
    return frozenset(name for p in vocabulary for name in p.args)


@lru_cache(maxsize=16)
def _identities(vocabulary: Vocabulary) -> dict[str, DerivedUpdate]:
    """For each instrumentation predicate, that it keeps its value."""
    return {
        p.name: DerivedUpdate(p.name, p.args, Atom(p.name, p.args), IDENTITY, lambda: NONE)
        for p in vocabulary
        if p.definition is not None
    }


_Result = tuple[DerivedUpdate, Callable[[], Formula], str | None]
"""A derived update, the value on new nodes, and the predicate whose change is not a unit change."""

_DERIVED: dict[Key, _Result] = {}
"""What was derived, by all that it depends on (see `recall`)."""
_BUILT_IN = frozenset(p.name for p in BUILTIN)
_Asked = tuple[frozenset[str], tuple[Predicate, ...]]
"""The predicates in a delta, and those defined over them: one of these may stand for the delta."""
_DERIVED_ONCE: dict[Key, tuple[tuple[str, ...], _Result, tuple[_Asked, ...]]] = {}
"""What was derived first for predicates that are alike, with their names, and with what could have stood for deltas."""


class _Deriver:
    def __init__(self, action: Action, vocabulary: Vocabulary, options: DifferencingOptions) -> None:
        self._action = action
        self._vocabulary = vocabulary
        self._options = options
        self._outer = action.precondition.free if action.precondition is not None else ()
        self._universe = Universe(action, enabled=options.universe_changes)
        self._universe_changes = self._universe.changes
        reserved = {*self._outer, *_argument_names(vocabulary)}
        for u in action.updates:
            reserved.update((*u.args, *u.formula.free))
        self._reserved = frozenset(reserved)
        self._differencer = Differencer(
            vocabulary, self._universe, self._reserved, tight=options.tight, unit_cyclic=options.unit_cyclic
        )
        self._recall = Recall(vocabulary, action, self._reserved, options)
        self._identities = _identities(vocabulary)
        self._defined_over = _definitions_over(vocabulary)
        self._asked: list[_Asked] = []
        self._warnings: list[str] = []

    def run(self, order: Iterable[Predicate]) -> Derivation:
        given = tuple(u for u in self._action.updates if not self._derives(u))
        for u in given:
            atom = Atom(u.predicate, u.args)
            if u.formula is not atom:
                plus, minus = update_delta(atom, u.formula, flat=self._options.chains)
                self._differencer.changes[u.predicate] = Change(u.args, u.formula, plus, minus)
        fixed = {u.predicate for u in given}
        derived = [self._update(p) for p in order if p.name not in fixed]
        changed = [u for u in derived if u.method != IDENTITY]
        messages = self._messages()
        action = replace(
            self._action,
            updates=(*given, *(Update(u.predicate, u.args, u.formula) for u in changed)),
            messages=(*self._action.messages, *messages),
        )
        refinements = self._refinements(changed) if self._options.refine else ()
        return Derivation(action, tuple(derived), tuple(self._warnings), messages, refinements)

    def _derives(self, update: Update) -> bool:
        p = self._vocabulary.get(update.predicate)
        return p is not None and p.instrumentation and (update.auto or self._options.difference_given)

    def _update(self, p: Predicate) -> DerivedUpdate:
        assert p.definition is not None
        differencer = self._differencer
        if not self._universe_changes and differencer.changes.keys().isdisjoint(predicates_of(p.definition)):
            return self._identities[p.name]
        key = self._recall.key(p, differencer.changes)
        known = _DERIVED.get(key) if key is not None else None
        if known is None:
            pattern = self._recall.pattern(p, differencer.changes)
            known = self._derive_like(p, pattern) if pattern is not None else self._derive_anew(p)
            if key is not None:
                _DERIVED[key] = known
        result, new_value, non_unit = known
        if non_unit is not None:
            self._warnings.append(
                f"action {self._action.name}: the change of '{non_unit}' is not a unit change; "
                f"its closure '{p.name}' is updated by the general rule, which may be less precise"
            )
        if result.method != IDENTITY and p.name in _used_by_others(self._vocabulary):
            self._remember(p, new_value(), result)
        return result

    def _derive_like(self, p: Predicate, pattern: tuple[Key, tuple[str, ...]]) -> _Result:
        """What was derived for a predicate alike, with other names; derived now if there is none."""
        key, names = pattern
        first = _DERIVED_ONCE.get(key)
        if first is None:
            known = self._derive_anew(p)
            _DERIVED_ONCE[key] = names, known, tuple(self._asked)
            return known
        others, (result, new_value, non_unit), asked = first
        renaming = dict(zip(others, names, strict=True))
        memo: dict[int, Formula] = {}
        if not all(self._asks_alike(own, renaming, memo) for own in asked):
            return self._derive_anew(p)

        def renamed(f: Formula) -> Formula:
            return with_predicates(f, renaming, memo)

        def deltas() -> Delta:
            plus, minus = result.deltas()
            return renamed(plus), renamed(minus)

        own = DerivedUpdate(p.name, p.args, renamed(result.formula), result.method, deltas)
        return own, lambda: renamed(new_value()), None if non_unit is None else renaming[non_unit]

    def _asks_alike(self, asked: _Asked, renaming: dict[str, str], memo: dict[int, Formula]) -> bool:
        """Whether the predicates that could have stood for a delta are, with other names, those that could here.

        Their names are added to the renaming, where different names stay different.
        """
        used, defined = asked
        if not all(name in renaming or name in _BUILT_IN for name in used):
            return False
        here = self._defined_over.get(frozenset([renaming.get(name, name) for name in used]), ())
        if len(here) != len(defined):
            return False
        for there, own in zip(defined, here, strict=True):
            if there.name not in renaming and own.name not in renaming.values():
                renaming[there.name] = own.name
            if there.args != own.args or renaming.get(there.name) != own.name:
                return False
            assert there.definition is not None
            if with_predicates(there.definition, renaming, memo) is not own.definition:
                return False
        return True

    def _derive_anew(self, p: Predicate) -> _Result:
        assert p.definition is not None
        result, new_value = self._derive(p, p.definition)
        return result, lambda: new_value, self._differencer.non_unit

    def _derive(self, p: Predicate, given: Formula) -> tuple[DerivedUpdate, Formula]:
        """The update of a predicate, and its value on tuples with a new node."""
        differencer, universe = self._differencer, self._universe
        self._asked = []
        stored = Atom(p.name, p.args)
        definition = canonical(given, avoid=self._reserved)
        relativised = universe.relativise(definition)
        new_value = universe.new_value(relativised, p.args)
        value = universe.before_value(stored, new_value, p.args)
        delta = differencer.definition_delta(relativised, Defined(p.name, p.args, value))
        plus, minus = self._substitute(delta)
        if plus is FALSE and minus is FALSE and value is stored:
            return self._identities[p.name], new_value
        update = differencer.simplify(if_then_else(value, neg(minus), plus))
        if universe.copies and p.args:
            anew = universe.updated_definition(definition, differencer.future_atom)
            update = IfThenElse(universe.some_new(p.args), anew, update)
        method = differencer.method if (plus, minus) != (FALSE, FALSE) else RE_EVALUATION
        update, plus, minus = (canonical(f, avoid=self._reserved) for f in (update, plus, minus))
        return DerivedUpdate(p.name, p.args, update, method, lambda: (plus, minus)), new_value

    def _substitute(self, delta: Delta) -> Delta:
        """Each delta replaced by an instrumentation predicate that it defines (substituteDeltas)."""
        if not self._options.substitute_deltas or self._universe.changes:
            return delta
        plus, minus = (self._as_predicate(f) for f in delta)
        return plus, minus

    def _as_predicate(self, f: Formula) -> Formula:
        used = predicates_of(f)
        if not used or isinstance(f, Atom):
            return f
        defined = self._defined_over.get(used, ())
        self._asked.append((used, tuple(defined)))
        for p in defined:
            assert p.definition is not None
            pattern = self._differencer.simplify(canonical(p.definition, avoid=self._reserved))
            binding = match_instance(pattern, f)
            if binding is not None and set(binding) == set(p.args):
                return Atom(p.name, tuple(binding[v] for v in p.args))
        return f

    def _remember(self, p: Predicate, new_value: Formula, derived: DerivedUpdate) -> None:
        """Record the change, relative to the stored value on all tuples, for predicates that use this one."""
        (plus, minus), update = derived.deltas(), derived.formula
        # Definitions reach copies only behind `live`, whose own delta covers them: nothing to add for `%clone`.
        if new_value is not FALSE and not self._universe.copies:
            plus = disj(plus, conj(new_value, neg(minus)))
        change = Change(p.args, update, plus, minus, given=False)
        self._differencer.changes[p.name] = change

    def _messages(self) -> tuple[Message, ...]:
        if not self._options.cycle_message:
            return ()
        messages, warnings = cycle_messages(self._differencer, self._universe)
        self._warnings.extend(f"action {self._action.name}: {w}" for w in warnings)
        return tuple(replace(m, condition=canonical(m.condition, avoid=self._reserved)) for m in messages)

    def _refinements(self, derived: Iterable[DerivedUpdate]) -> tuple[Update, ...]:
        result = []
        for u in derived:
            definition = self._vocabulary[u.predicate].definition
            assert definition is not None
            f = canonical(definition, avoid=self._reserved)
            anew = self._universe.updated_definition(f, self._differencer.future_atom)
            result.append(Update(u.predicate, u.args, canonical(anew, avoid=self._reserved)))
        return tuple(result)
