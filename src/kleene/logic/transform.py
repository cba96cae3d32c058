"""Renaming on formulas: substitution of variables and atoms without capture, canonical bound names, matching.

Formulas are interned DAGs whose printed form can be exponentially larger, so every pass keeps a memo by node.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from kleene.logic.formula import (
    And,
    Atom,
    Closure,
    Const,
    Equal,
    Exists,
    Forall,
    Formula,
    Iff,
    IfThenElse,
    Not,
    Or,
    subformulas,
)


def postorder(f: Formula) -> Iterator[Formula]:
    """Every distinct subformula once, children before parents."""
    done: set[int] = set()
    stack = [(f, False)]
    while stack:
        current, expanded = stack.pop()
        if current.number in done:
            continue
        if expanded:
            done.add(current.number)
            yield current
        else:
            stack.append((current, True))
            stack.extend((child, False) for child in reversed(current.children))


_CONNECTIVES = frozenset((And, Or, Not, Iff, IfThenElse))
"""The classes of formulas that consist of their children only."""


def rebuild(f: Formula, children: tuple[Formula, ...]) -> Formula:
    """The same node over other children (as many as `f.children`); nothing is simplified."""
    if children == f.children:
        return f
    kind = type(f)
    if kind in _CONNECTIVES:  # most formulas are: matching would try all other classes first
        return kind(*children)
    match f:
        case Exists(variable, _) | Forall(variable, _):
            return _bind(f, variable, children[0])
        case Closure(left, right, sub_left, sub_right, _):
            return Closure(left, right, sub_left, sub_right, children[0])
    return kind(*children)


def _bind(f: Formula, variable: str, body: Formula) -> Formula:
    """The same quantifier as `f` over another variable and body."""
    quantified: Formula = (Exists if isinstance(f, Exists) else Forall)(variable, body)
    return quantified


def bound_variables(f: Formula) -> frozenset[str]:
    """Every variable that some quantifier or closure of the formula binds."""
    names: set[str] = set()
    for g in subformulas(f):
        match g:
            case Exists(variable, _) | Forall(variable, _):
                names.add(variable)
            case Closure(_, _, sub_left, sub_right, _):
                names.update((sub_left, sub_right))
    return frozenset(names)


def fresh_name(base: str, avoid: Iterable[str]) -> str:
    """`base`, or `base_1`, `base_2`, ...: the first that is not among the names to avoid."""
    taken = frozenset(avoid)
    if base not in taken:
        return base
    return next(name for i in itertools.count(1) if (name := f"{base}_{i}") not in taken)


def unused_prefix(base: str, names: Iterable[str]) -> str:
    """`base`, with as many underscores as needed so that no name is the prefix followed by digits."""
    taken = tuple(names)
    prefix = base
    while any(n.startswith(prefix) and n[len(prefix) :].isdigit() for n in taken):
        prefix += "_"
    return prefix


_unused_prefix = lru_cache(maxsize=256)(unused_prefix)
"""Derivations avoid the same names again and again."""


def substitute(f: Formula, mapping: Mapping[str, str]) -> Formula:
    """The formula with free variables renamed; bound variables are renamed where they would capture."""
    return _substitute(f, dict(mapping), {})


_Memo = dict[tuple[Any, ...], Formula]
"""By the number of a formula, and the renaming of its free variables."""


def _substitute(f: Formula, mapping: dict[str, str], memo: _Memo) -> Formula:
    relevant = {v: mapping[v] for v in f.free if mapping.get(v, v) != v}
    if not relevant:
        return f
    key = (f.number, *relevant.items())
    result = memo.get(key)
    if result is None:
        result = memo[key] = _substitute_node(f, relevant, memo)
    return result


def _substitute_node(f: Formula, mapping: dict[str, str], memo: _Memo) -> Formula:
    if type(f) in _CONNECTIVES:
        return rebuild(f, tuple([_substitute(c, mapping, memo) for c in f.children]))

    def name(v: str) -> str:
        return mapping.get(v, v)

    match f:
        case Atom(predicate, args):
            return Atom(predicate, tuple(name(v) for v in args))
        case Equal(left, right):
            return Equal(name(left), name(right))
        case Exists(variable, body) | Forall(variable, body):
            (bound,), inner = _enter(f, (variable,), body, mapping)
            return _bind(f, bound, _substitute(body, inner, memo))
        case Closure(left, right, sub_left, sub_right, body):
            (a, b), inner = _enter(f, (sub_left, sub_right), body, mapping)
            return Closure(name(left), name(right), a, b, _substitute(body, inner, memo))
    return rebuild(f, tuple(_substitute(c, mapping, memo) for c in f.children))


def _enter(
    f: Formula, bound: tuple[str, ...], body: Formula, mapping: dict[str, str]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """New names of the variables bound at `f`, and the mapping that applies below."""
    inner = {v: w for v, w in mapping.items() if v not in bound}
    targets = {inner[v] for v in body.free if v in inner}
    names: list[str] = []
    for v in bound:
        new = fresh_name(v, targets | set(body.free) - {v} | set(names)) if v in targets else v
        if new != v:
            inner[v] = new
        names.append(new)
    return tuple(names), inner


def replace_atoms(f: Formula, replacement: Callable[[Atom], Formula]) -> Formula:
    """The formula with every atom replaced. Bound variables never capture the variables of a replacement, except
    for the arguments of the atom that it replaces."""
    table = {g: replacement(g) for g in subformulas(f) if isinstance(g, Atom)}
    added = {v for atom, new in table.items() for v in new.free if v not in atom.args}
    if added & bound_variables(f):
        return replace_atoms(canonical(f, avoid=added), replacement)
    result: dict[Formula, Formula] = {}
    for g in postorder(f):
        result[g] = table[g] if isinstance(g, Atom) else rebuild(g, tuple(result[c] for c in g.children))
    return result[f]


def canonical(f: Formula, *, prefix: str = "w", avoid: Iterable[str] = ()) -> Formula:
    """The formula with bound variables called `w0`, `w1`, ... by the number of binders below them.

    Two formulas are equal up to the names of bound variables iff their canonical forms are the same object (with
    the same `avoid`). No variable occurs both free and bound, which TVP does not allow.
    """
    names = frozenset(avoid)
    chosen = _unused_prefix(prefix, names)
    if any(v.startswith(chosen) for v in f.free):
        chosen = unused_prefix(prefix, (*f.free, *names))
    return _rename(f, {}, chosen, _RENAMED.setdefault(chosen, {}))


_RENAMED: dict[str, _Memo] = {}
"""Formulas are kept for ever, and so are facts about them: derived updates share most of their parts."""


def _rename(f: Formula, names: dict[str, str], prefix: str, memo: _Memo) -> Formula:
    """The formula with free variables renamed, and bound ones called by the number of binders below them."""
    relevant = {v: names[v] for v in f.free if v in names} if names else names
    if not relevant and not f.binders:
        return f
    key = (f.number, *relevant.items())
    renamed = memo.get(key)
    if renamed is not None:
        return renamed

    if type(f) in _CONNECTIVES:
        renamed = memo[key] = rebuild(f, tuple([_rename(c, relevant, prefix, memo) for c in f.children]))
        return renamed

    def name(v: str) -> str:
        return relevant.get(v, v)

    match f:
        case Atom(predicate, args):
            renamed = Atom(predicate, tuple([relevant.get(v, v) for v in args]))
        case Equal(left, right):
            renamed = Equal(name(left), name(right))
        case Exists(variable, body) | Forall(variable, body):
            bound = f"{prefix}{body.binders}"
            renamed = _bind(f, bound, _rename(body, relevant | {variable: bound}, prefix, memo))
        case Closure(left, right, sub_left, sub_right, body):
            a, b = f"{prefix}{body.binders}", f"{prefix}{body.binders + 1}"
            inner = _rename(body, relevant | {sub_left: a, sub_right: b}, prefix, memo)
            renamed = Closure(name(left), name(right), a, b, inner)
        case _:
            renamed = rebuild(f, tuple(_rename(c, relevant, prefix, memo) for c in f.children))
    memo[key] = renamed
    return renamed


def alpha_equal(f: Formula, g: Formula) -> bool:
    """True iff the formulas differ only in the names of bound variables."""
    if f is g:
        return True
    if set(f.free) != set(g.free):
        return False
    return canonical(f) is canonical(g)


def up_to_order(f: Formula) -> Hashable:
    """Equal for formulas that differ only in bound names, and in the order and number of what `&` and `|` join."""
    return _unordered_key(f, {})


def _unordered_key(f: Formula, depth: Mapping[str, int]) -> Hashable:
    def name(variable: str) -> Hashable:
        return depth.get(variable, variable)

    match f:
        case Const(value):
            return value
        case Atom(predicate, args):
            return (predicate, *map(name, args))
        case Equal(left, right):
            return Equal, frozenset((name(left), name(right)))
        case And() | Or():
            return type(f), frozenset(_unordered_key(g, depth) for g in _operands(type(f), f))
        case Exists(variable, body) | Forall(variable, body):
            return type(f), _unordered_key(body, {**depth, variable: len(depth)})
        case Closure(left, right, sub_left, sub_right, body):
            inner = {**depth, sub_left: len(depth), sub_right: len(depth) + 1}
            return Closure, name(left), name(right), _unordered_key(body, inner)
        case _:
            return (type(f), *(_unordered_key(g, depth) for g in f.children))


def _operands(kind: type[Formula], f: Formula) -> Iterator[Formula]:
    """The operands of nested conjunctions, or disjunctions."""
    for g in f.children:
        if type(g) is kind:
            yield from _operands(kind, g)
        else:
            yield g


def match_instance(pattern: Formula, f: Formula) -> dict[str, str] | None:
    """A renaming of the pattern's free variables that makes it `f` up to bound names, or None."""
    names = {*pattern.free, *f.free}
    binding: dict[str, str] = {}
    seen: set[tuple[Formula, Formula]] = set()
    stack = [(canonical(pattern, avoid=names), canonical(f, avoid=names))]
    while stack:
        pair = stack.pop()
        if pair in seen:
            continue
        seen.add(pair)
        g, h = pair
        if type(g) is not type(h) or not _match_variables(g, h, set(pattern.free), binding):
            return None
        stack.extend(zip(g.children, h.children, strict=True))
    return binding if set(binding.values()) <= set(f.free) else None


def _match_variables(g: Formula, h: Formula, free: set[str], binding: dict[str, str]) -> bool:
    """Match the variables and symbols written at one node; records new bindings."""
    match g, h:
        case Const(), Const():
            return g is h
        case Atom(p, left), Atom(q, right):
            if p != q or len(left) != len(right):
                return False
        case Equal(a, b), Equal(c, d):
            left, right = (a, b), (c, d)
        case (Exists(a, _), Exists(c, _)) | (Forall(a, _), Forall(c, _)):
            return a == c
        case Closure(a, b, sa, sb, _), Closure(c, d, sc, sd, _):
            if (sa, sb) != (sc, sd):
                return False
            left, right = (a, b), (c, d)
        case _:
            return True
    for v, w in zip(left, right, strict=True):
        if v not in free:
            if v != w:
                return False
        elif binding.setdefault(v, w) != w:
            return False
    return True
