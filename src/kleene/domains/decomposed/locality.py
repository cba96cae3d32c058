"""What of a program is local to parts of the heap: its predicates, its rules, and the parts that an action touches.

Roots are what a part is known by: the core predicates of pointers (`unique`), and the facts without nodes. A state
falls into parts along the core predicates of two nodes. The argument for soundness has three steps.

1. Definitions are local: the value of an instrumentation predicate on nodes of a part depends on this part alone. It is
   0 between parts. A fact with a definition belongs to the roots of its definition. So a union of parts is a state
   itself, and its predicates have the values that they have in the whole state.
2. Rules that hold in a state hold in unions of its parts. Those of properties and definitions do, by step 1; the others
   are checked (`is_kept`), where the roots of one rule are never taken apart.
3. An action is local to a set of roots if its precondition and messages depend on the parts of these roots, and its
   core updates change these parts only. Its effect on a state is then its effect on these parts; the others stay as
   they are. The updates of predicates with a definition need no check: a right one computes what the definition says in
   every state, and by step 1 a union of parts is one.

What cannot be shown to be local is not: such an action composes all parts, such a vocabulary is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from kleene.domains.decomposed.partition import Partition
from kleene.domains.decomposed.relativize import (
    OTHER,
    THIRD,
    TOUCHED,
    NotLocal,
    Relativizer,
    holds_in_all_parts,
    holds_in_some_part,
    is_false_alone,
    is_kept,
    lies_in,
)
from kleene.logic.formula import FALSE, TRUE, Atom, Formula, predicates_of
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.transformers.action import Action, Message, Rule, Update

_NO_FACTS: frozenset[str] = frozenset()


class Refused(Exception):
    """Why structures over a vocabulary cannot be taken apart."""


@dataclass(frozen=True)
class Plan:
    """How an action acts on the parts of a state.

    It is applied to the parts with `touched` roots together; None means to all parts. `elsewhere` is its effect on each
    other part, None if they stay as they are. With `in_some_part` it changes nothing, and is possible if it is possible
    in some part alone. Its messages may then be about other parts than its condition: `said` are the messages without
    the condition, on the touched parts together, and `said_elsewhere` on each other part.
    """

    touched: frozenset[str] | None
    elsewhere: Action | None = None
    in_some_part: bool = False
    said: Action | None = None
    said_elsewhere: Action | None = None

    @property
    def is_global(self) -> bool:
        return self.touched is None


class Locality:
    """Facts about one vocabulary with its rules; raises Refused if its structures cannot be taken apart."""

    def __init__(self, vocabulary: Vocabulary, given_rules: Sequence[Rule]) -> None:
        self.vocabulary = vocabulary
        self.rooted: dict[str, frozenset[str]] = {}
        self.facts = frozenset(p.name for p in vocabulary if p.arity == 0)
        self.edges = tuple(p.name for p in vocabulary.declared if p.arity == 2 and p.definition is None)
        pointers = [p for p in vocabulary.declared if p.arity == 1 and p.definition is None and p.has("unique")]
        self.pointers = tuple(p.name for p in pointers)
        for name in self.pointers:
            self.rooted[name] = frozenset((name,))
        self.roots = frozenset((*self.pointers, *self.facts))
        self.ties: list[frozenset[str]] = []
        for p in vocabulary.declared:
            if p.arity > 2:
                raise Refused(f"the predicate {p.name} has {p.arity} arguments")
            if p.definition is not None:
                self._define(p, p.definition)
        for rule in given_rules:
            self._keep(rule)
        self._tie_values()
        self.finest = Partition.finest(self.roots, self.ties)
        self._plans: dict[Action, Plan] = {}
        self._relativizers: dict[frozenset[str], Relativizer] = {}

    # Definitions and rules --------------------------------------------------------------------------------------

    def roots_of(self, *formulas: Formula | None) -> frozenset[str]:
        """The roots that formulas are about."""
        roots_of: set[str] = set()
        for f in formulas:
            for name in predicates_of(f) if f is not None else ():
                roots_of |= self.rooted.get(name, _NO_FACTS)
                if name in self.facts:
                    roots_of.add(name)
        return frozenset(roots_of)

    def _define(self, p: Predicate, definition: Formula) -> None:
        roots = self.roots_of(definition)
        try:
            if not self._is_local(p, definition, roots):
                raise Refused(f"the definition of {p.name} is about several parts of the heap")
        except NotLocal:
            raise Refused(f"the definition of {p.name} leads from one part of the heap to another") from None

    def _is_local(self, p: Predicate, definition: Formula, roots: frozenset[str]) -> bool:
        anywhere = Relativizer(self.rooted)
        if p.arity == 0:
            self.ties.append(roots | {p.name})
            inside = Relativizer(self.rooted, roots).reduce(definition, {})
            outside = Relativizer(self.rooted, absent=roots).reduce(definition, {})
            return bool(roots) and lies_in(inside, TOUCHED, roots) and is_false_alone(outside, roots)
        here = anywhere.reduce(definition, dict.fromkeys(p.args, OTHER))
        if not lies_in(here, OTHER, _NO_FACTS):
            return False
        if p.arity == 1:
            (v,) = p.args
            if roots and Relativizer(self.rooted, roots).reduce(definition, {v: OTHER}) is FALSE:
                self.rooted[p.name] = roots
            return True
        return anywhere.reduce(definition, dict(zip(p.args, (OTHER, THIRD), strict=True))) is FALSE

    def _keep(self, rule: Rule) -> None:
        roots = self.roots_of(rule.body, rule.head)
        if len(roots) > 1:
            self.ties.append(roots)
        where = dict.fromkeys((*rule.body.free, *rule.head.free), TOUCHED)
        try:
            for touched, absent in ((roots, _NO_FACTS), (_NO_FACTS, roots)):
                parts = Relativizer(self.rooted, touched, absent)
                body, head = parts.reduce(rule.body, where), parts.reduce(rule.head, where)
                if body is FALSE or head is TRUE:
                    continue
                kept = is_kept(body, touched, absent, stronger=True) and is_kept(head, touched, absent, stronger=False)
                if not kept:
                    raise Refused(f"the rule {rule} is about several parts of the heap")
        except NotLocal:
            raise Refused(f"the rule {rule} leads from one part of the heap to another") from None

    def _tie_values(self) -> None:
        """Facts about one variable of a C program stay together: where it points, or which value it has."""
        by_variable: dict[str, set[str]] = {}
        for p in self.vocabulary.declared:
            if p.name in self.roots and p.definition is None and p.role is not None and p.role.of:
                by_variable.setdefault(p.role.of, set()).add(p.name)
        self.ties += [frozenset(names) for names in by_variable.values()]

    # Actions ----------------------------------------------------------------------------------------------------

    def relativizer(self, touched: frozenset[str]) -> Relativizer:
        """One for all actions, since many have the same conditions."""
        if touched not in self._relativizers:
            self._relativizers[touched] = Relativizer(self.rooted, touched)
        return self._relativizers[touched]

    def plan(self, action: Action) -> Plan:
        """The parts that an action, before its updates are derived, touches."""
        if action not in self._plans:
            try:
                self._plans[action] = _Planner(self, action).plan()
            except (NotLocal, _Everything):
                self._plans[action] = Plan(None)
        return self._plans[action]


class _Everything(Exception):
    """An action touches all parts."""


class _Planner:
    """Finds the roots that one action touches: what cannot be local with those at hand adds its own."""

    def __init__(self, locality: Locality, action: Action) -> None:
        self.locality = locality
        self.action = action
        self.touched: frozenset[str] = frozenset()
        self.bound = dict.fromkeys(action.precondition.free if action.precondition is not None else (), TOUCHED)
        """The variables that the precondition binds: their nodes are in touched parts."""
        self.in_some_part = False
        self.in_all_parts = False
        self.spreads = False
        self.messages: list[Message] = []
        """The messages that other parts may report as well."""

    def plan(self) -> Plan:
        action = self.action
        self._precondition()
        for formula in (action.new_formula, action.clone):
            if formula is not None:
                self._inside(formula)
        for update in action.updates:
            if self.locality.vocabulary[update.predicate].definition is None:
                self._update(update)
        for message in (*action.messages, *action.post_messages):
            self._message(message)
        if action.retain is not None:
            self._retain(action.retain)
        if self.in_some_part:
            if self.spreads or action.changes_universe or action.changes:
                raise _Everything
            return Plan(self.touched, None, True, self._saying(elsewhere=False), self._saying(elsewhere=True))
        return Plan(self.touched, self._elsewhere())

    def _saying(self, *, elsewhere: bool) -> Action | None:
        """The messages of a condition that holds in some part, without it; None if none of them is about other parts.

        A message that is always given, or whose condition is that of the action, is given by the part that allows the
        action.
        """
        action = self.action
        given = (TRUE, action.precondition)

        def chosen(messages: Sequence[Message]) -> tuple[Message, ...]:
            own = (m for m in messages if m.condition not in given)
            return tuple(m for m in own if not elsewhere or m in self.messages)

        before, after = chosen(action.messages), chosen(action.post_messages)
        if not before and not after:
            return None
        return replace(action, precondition=None, messages=before, post_messages=after)

    def _elsewhere(self) -> Action | None:
        action = self.action
        filters = self.in_all_parts and not self.touched and not self.bound
        if not self.spreads and not self.messages and not filters:
            return None
        return replace(
            action,
            focus=(),
            precondition=action.precondition if filters else None,
            messages=tuple(m for m in action.messages if m in self.messages),
            post_messages=tuple(m for m in action.post_messages if m in self.messages),
            creates=False,
            new_formula=None,
            clone=None,
            updates=action.updates if self.spreads else (),
            retain=action.retain if self.spreads else None,
        )

    def _parts(self, touched: frozenset[str]) -> Relativizer:
        return self.locality.relativizer(touched)

    def _precondition(self) -> None:
        condition = self.action.precondition
        if condition is None:
            return
        if self.bound:
            self._inside(condition)
            return
        kind = self._dependence(condition)
        self.in_some_part, self.in_all_parts = kind == "some", kind == "all"

    def _dependence(self, f: Formula) -> str:
        """How a condition depends on the parts: 'inside' the touched ones, on 'some' part, or on 'all' of them."""
        more = self.touched | self.locality.roots_of(f)
        where = dict(self.bound)
        for touched in (self.touched, more):
            if lies_in(self._parts(touched).reduce(f, where), TOUCHED, touched):
                self.touched = touched
                return "inside"
        for touched in (self.touched, more):
            reduced = self._parts(touched).reduce(f, where)
            for kind, holds in (("some", holds_in_some_part), ("all", holds_in_all_parts)):
                if holds(reduced, touched):
                    self.touched = touched
                    return kind
        raise _Everything

    def _message(self, message: Message) -> None:
        kind = self._dependence(message.condition)
        if kind == "some" and message.only_if is None:
            self.messages.append(message)
        elif kind != "inside":
            raise _Everything

    def _inside(self, f: Formula) -> None:
        """The formula holds for nodes of the touched parts alone."""
        for touched in (self.touched, self.touched | self.locality.roots_of(f)):
            parts = self._parts(touched)
            free = [v for v in f.free if v not in self.bound or f is self.action.precondition]
            places = product((TOUCHED, OTHER), repeat=len(free))
            elsewhere = [dict(zip(free, labels, strict=True)) for labels in places if OTHER in labels]
            if all(parts.reduce(f, {**self.bound, **where}) is FALSE for where in elsewhere) and lies_in(
                parts.reduce(f, {**self.bound, **dict.fromkeys(free, TOUCHED)}), TOUCHED, touched
            ):
                self.touched = touched
                return
        raise _Everything

    def _update(self, update: Update) -> None:
        if update.is_identity:
            return
        roots = self.locality.roots_of(update.formula)
        if update.predicate in self.locality.roots:
            self.touched |= {update.predicate}
        for touched in dict.fromkeys((self.touched, self.touched | roots)):
            if self._keeps_others(update, touched, spreads=False):
                self.touched = touched
                return
        is_root = update.predicate in self.locality.roots  # a pointer may come to point into another part
        if not is_root and self._keeps_others(update, self.touched, spreads=True):
            self.spreads = True
            return
        raise _Everything

    def _keeps_others(self, update: Update, touched: frozenset[str], *, spreads: bool) -> bool:
        """Whether an update computes each part from itself, and leaves others than the touched as they are."""
        parts, args, f = self._parts(touched), update.args, update.formula
        if not lies_in(parts.reduce(f, {**self.bound, **dict.fromkeys(args, TOUCHED)}), TOUCHED, touched):
            return False
        if not args:
            return update.predicate in touched
        there = dict.fromkeys(args, OTHER)
        after, before = parts.reduce(f, {**self.bound, **there}), parts.reduce(Atom(update.predicate, args), there)
        if after is not before and not (spreads and lies_in(after, OTHER, _NO_FACTS)):
            return False
        mixed = product((TOUCHED, OTHER, THIRD), repeat=len(args))
        return all(
            parts.reduce(f, {**self.bound, **dict(zip(args, labels, strict=True))}) is FALSE
            for labels in mixed
            if len(set(labels)) > 1
        )

    def _retain(self, f: Formula) -> None:
        (v,) = f.free or ("v",)
        parts = self._parts(self.touched)
        if not lies_in(parts.reduce(f, {**self.bound, v: TOUCHED}), TOUCHED, self.touched):
            raise _Everything
        there = parts.reduce(f, {**self.bound, v: OTHER})
        if there is not TRUE:
            if not lies_in(there, OTHER, _NO_FACTS):
                raise _Everything
            self.spreads = True
