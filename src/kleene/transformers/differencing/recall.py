"""What a derived update depends on, so that it is derived once for all vocabularies, and once for all predicates alike.

A check analyses one program with several vocabularies (shape classes, attempts), and most derivations repeat. An update
depends on: the predicate; how the action changes the predicates of its definition, and the universe; the properties of
the predicates in these formulas; the definitions over such predicates, which may stand for a delta
(`substitute_deltas`); the reserved names that look like those of bound variables; and the options. It does not depend
on the names of predicates: what is derived for `x` is, with another name, what would be derived for `y`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from kleene.logic.formula import predicates_of
from kleene.logic.patterns import PatternKey, pattern_of
from kleene.logic.vocabulary import BUILTIN, Predicate, Vocabulary
from kleene.transformers.action import Action
from kleene.transformers.differencing.deltas import Change

Key = tuple[Any, ...]

_BOUND_NAME = re.compile(r"[wz]_*[0-9]+")
"""Names that `canonical` and `Differencer` may choose for bound variables."""

_NUMBERS: dict[Key, int] = {}
"""A number for each predicate of any vocabulary; predicates that differ only in how they abstract have the same."""

_CONTEXTS: dict[Key, int] = {}
"""A number for each set of reserved names that look like those of bound variables, with the options."""

_BUILT_IN = frozenset(p.name for p in BUILTIN)
_IN_TERMS = re.compile(r"['~(]")
"""What `uniqueness` writes between names in its terms: a name with such a character may be read as a term."""


@dataclass(frozen=True)
class _Facts:
    """The predicates of a vocabulary as numbers, and the predicates over which there are definitions."""

    numbers: Mapping[str, int]
    kinds: Mapping[str, Any]
    """What else than its name a predicate has to say; the name of one that no other can stand for."""
    definitions: tuple[tuple[frozenset[str], int], ...]
    _about: dict[frozenset[str], Key] = field(default_factory=dict)

    def about(self, mentioned: frozenset[str]) -> Key:
        """The numbers of predicates, and of the definitions over them."""
        known = self._about.get(mentioned)
        if known is None:
            own = tuple(sorted([self.numbers[name] for name in mentioned if name in self.numbers]))
            known = self._about[mentioned] = own, tuple([n for over, n in self.definitions if over <= mentioned])
        return known


@lru_cache(maxsize=16)
def _facts(vocabulary: Vocabulary) -> _Facts | None:
    """None if the vocabulary has predicates that are unique in each component: updates depend on all of them."""
    if any(p.unique_per_component for p in vocabulary):
        return None
    numbers = {
        p.name: _NUMBERS.setdefault((p.name, p.args, p.properties, p.definition), len(_NUMBERS)) for p in vocabulary
    }
    kinds = {p.name: p.name if p.name in _BUILT_IN or _IN_TERMS.search(p.name) else p.properties for p in vocabulary}
    defined = [(predicates_of(p.definition), numbers[p.name]) for p in vocabulary if p.definition is not None]
    return _Facts(numbers, kinds, tuple(defined))


@lru_cache(maxsize=256)
def _like_bound_names(reserved: frozenset[str]) -> frozenset[str]:
    return frozenset(name for name in reserved if _BOUND_NAME.fullmatch(name))


class Recall:
    """The keys of what is derived for one action."""

    def __init__(self, vocabulary: Vocabulary, action: Action, reserved: frozenset[str], options: Hashable) -> None:
        self._facts = _facts(vocabulary)
        self._universe: Key | None = None
        self._given = [f for f in (action.new_formula, action.clone, action.retain) if f is not None]
        self._action = action
        if action.changes_universe:  # what `Universe` takes from an action
            outer = action.precondition.free if action.precondition is not None else ()
            self._universe = action.creates, action.new_formula, action.clone, action.retain, outer
        self._context = _CONTEXTS.setdefault((_like_bound_names(reserved), options), len(_CONTEXTS))

    def key(self, p: Predicate, changes: Mapping[str, Change]) -> Key | None:
        """Equal only where the derived update of a predicate is the same; None if that is not known.

        `changes` are the changes of predicates so far.
        """
        facts = self._facts
        if facts is None or p.definition is None:
            return None
        used = predicates_of(p.definition)
        relevant = [(name, changes[name]) for name in sorted(used) if name in changes]
        formulas = [f for _, c in relevant for f in (c.future, c.plus, c.minus)]
        mentioned = used.union((p.name,), *[predicates_of(f) for f in (*self._given, *formulas)])
        return (
            self._universe,
            facts.numbers[p.name],
            tuple([(name, c.args, c.future.number, c.plus.number, c.minus.number, c.given) for name, c in relevant]),
            facts.about(mentioned),
            self._context,
        )

    def pattern(self, p: Predicate, changes: Mapping[str, Change]) -> tuple[Key, tuple[str, ...]] | None:
        """A key without names, and the predicates at its places; None as for `key`.

        Equal keys mean that a derived update is the other one with the predicates at the same places, if no definition
        stands for a delta of them.
        """
        facts, action = self._facts, self._action
        if facts is None or p.definition is None:
            return None
        key = PatternKey(p.name)
        key.add(p.args)
        key.mention(p.definition)
        for name in pattern_of(p.definition)[1]:
            change = changes.get(name)
            if change is None:
                key.add(None)
                continue
            key.add((change.args, change.given))
            for f in (change.future, change.plus, change.minus):
                key.mention(f)
        if self._universe is not None:
            key.add((action.creates, self._universe[-1]))
            for g in (action.new_formula, action.clone, action.retain):
                key.mention(g)
        names = key.predicates
        return (key.parts, tuple([facts.kinds.get(name, name) for name in names]), self._context), names
