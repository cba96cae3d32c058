"""Formulas up to the names of their predicates: what holds for a formula by its shape holds for all of its pattern."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kleene.logic.formula import And, Atom, Closure, Const, Equal, Exists, Forall, Formula, Or
from kleene.logic.transform import rebuild

Pattern = tuple[int, tuple[str, ...]]
"""The number of a pattern, and the predicates at its places: in the order of their first occurrence."""

_NUMBERS: dict[tuple[Any, ...], int] = {}
_PATTERNS: dict[int, Pattern] = {}
"""By the number of a formula. Formulas are kept for ever, and so are their patterns."""


def pattern_of(f: Formula) -> Pattern:
    """Two formulas have patterns of one number iff they are one with other predicates, different where those are."""
    known = _PATTERNS.get(f.number)
    if known is None:
        known = _PATTERNS[f.number] = _pattern(f)
    return known


def _pattern(f: Formula) -> Pattern:
    names: tuple[str, ...] = ()
    key: list[Any] = [type(f)]
    match f:
        case Atom(predicate, args):
            names = (predicate,)
            key.append(args)
        case Const(value):
            key.append(value)
        case Equal(left, right):
            key += (left, right)
        case Exists(variable, _) | Forall(variable, _):
            key.append(variable)
        case Closure(left, right, sub_left, sub_right, _):
            key += (left, right, sub_left, sub_right)
    for child in f.children:
        number, own = pattern_of(child)
        if not names:
            names = own
        elif own != names:
            names += tuple([name for name in own if name not in names])
        key += (number, *[names.index(name) for name in own])
    return _NUMBERS.setdefault(tuple(key), len(_NUMBERS)), names


class PatternKey:
    """What several formulas have in common with others, up to the names of their predicates."""

    def __init__(self, *predicates: str) -> None:
        self._places = {name: place for place, name in enumerate(predicates)}
        self._parts: list[Any] = []

    @property
    def predicates(self) -> tuple[str, ...]:
        """The predicates at the places of the key."""
        return tuple(self._places)

    @property
    def parts(self) -> tuple[Any, ...]:
        return tuple(self._parts)

    def add(self, part: Any) -> None:
        """Something that does not depend on the names of predicates."""
        self._parts.append(part)

    def place(self, predicate: str) -> int:
        """The place of a predicate; a new one, if it has none yet."""
        return self._places.setdefault(predicate, len(self._places))

    def mention(self, f: Formula | None) -> None:
        if f is None:
            self._parts.append(None)
            return
        number, names = pattern_of(f)
        places = self._places
        self._parts.append(number)
        self._parts.extend([places.setdefault(name, len(places)) for name in names])


def with_predicates(f: Formula, names: Mapping[str, str], memo: dict[int, Formula]) -> Formula:
    """The formula with other predicates, different where those are; its pattern stays. `memo` serves one mapping."""
    if isinstance(f, Const):
        return f
    made = _rename(f, names, memo)
    number, own = pattern_of(f)
    _PATTERNS.setdefault(made.number, (number, tuple([names.get(name, name) for name in own])))
    return made


def _rename(f: Formula, names: Mapping[str, str], memo: dict[int, Formula]) -> Formula:
    known = memo.get(f.number)
    if known is None:
        if isinstance(f, Atom):
            known = Atom(names.get(f.predicate, f.predicate), f.args)
        elif isinstance(f, And | Or):  # most formulas are
            known = type(f)(_rename(f.left, names, memo), _rename(f.right, names, memo))
        else:
            known = rebuild(f, tuple([_rename(child, names, memo) for child in f.children]))
        memo[f.number] = known
    return known
