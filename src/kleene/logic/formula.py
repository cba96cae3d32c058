"""First-order formulas with equality and transitive closure (thesis section 2.3).

Nodes are immutable and interned: two formulas are equal iff they are the same object, and the hash is the
creation number, so that nothing depends on addresses or on the hash seed. The classes are for `match`; the
lower-case functions build formulas and simplify constants on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Self, TypeVar

from kleene.logic.kleene import Kleene


class Formula:
    """A formula; `free` are its free variables, in order of first occurrence, `children` its direct subformulas.

    `binders` is the number of binders below one another in it; a closure counts twice.
    """

    __slots__ = ("binders", "children", "free", "number")
    __match_args__: ClassVar[tuple[str, ...]] = ()
    _draft: ClassVar[type[Any]]
    """The same class with attributes that can be set: a formula is made as its draft."""
    _binds: ClassVar[int] = 0
    """How many variables such a formula binds."""

    free: tuple[str, ...]
    children: tuple[Formula, ...]
    binders: int
    number: int

    def __init_subclass__(cls) -> None:
        if "_draft" not in cls.__dict__:
            own = {"__slots__": (), "__setattr__": object.__setattr__, "_draft": cls}
            cls._draft = type(f"{cls.__name__}Draft", (cls,), own)

    def __hash__(self) -> int:
        return self.number

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("formulas are immutable")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        from kleene.logic.formula_text import formula_text

        return formula_text(self)


_INTERNED: dict[tuple[Any, ...], Any] = {}


F = TypeVar("F", bound=Formula)


def _intern(
    draft: Any, cls: type[F], key: tuple[Any, ...], free: tuple[str, ...], children: tuple[Formula, ...] = ()
) -> F:
    """A formula that is not there yet, from a draft with its fields.

    `key` has the numbers of formulas in their place: it is compared faster.
    """
    binders = 0
    for child in children:
        if child.binders > binders:
            binders = child.binders
    draft.free = free
    draft.children = children
    draft.binders = binders + cls._binds
    draft.number = len(_INTERNED)
    draft.__class__ = cls
    _INTERNED[key] = draft
    formula: F = draft
    return formula


def _union(first: tuple[str, ...], *others: tuple[str, ...]) -> tuple[str, ...]:
    for other in others:
        if not first:
            first = other
        elif other and other != first:
            added = [name for name in other if name not in first]
            if added:
                first = (*first, *added)
    return first


def _without(names: tuple[str, ...], *bound: str) -> tuple[str, ...]:
    return tuple([name for name in names if name not in bound])


class Const(Formula):
    """A truth value: 0, 1/2 or 1."""

    __slots__ = ("value",)
    __match_args__ = ("value",)
    value: Kleene

    def __new__(cls, value: Kleene) -> Const:
        key = (cls, value)
        known: Const | None = _INTERNED.get(key)
        if known is None:
            draft = object.__new__(cls._draft)
            draft.value = value
            return _intern(draft, cls, key, ())
        return known


class Atom(Formula):
    """A predicate applied to variables: ``p(v1, ..., vk)``."""

    __slots__ = ("args", "predicate")
    __match_args__ = ("predicate", "args")
    predicate: str
    args: tuple[str, ...]

    def __new__(cls, predicate: str, args: tuple[str, ...]) -> Atom:
        key = (cls, predicate, args)
        known: Atom | None = _INTERNED.get(key)
        if known is None:
            draft = object.__new__(cls._draft)
            draft.predicate, draft.args = predicate, args
            return _intern(draft, cls, key, tuple(dict.fromkeys(args)))
        return known


class Equal(Formula):
    """``left == right``."""

    __slots__ = ("left", "right")
    __match_args__ = ("left", "right")
    left: str
    right: str

    def __new__(cls, left: str, right: str) -> Equal:
        key = (cls, left, right)
        known: Equal | None = _INTERNED.get(key)
        if known is None:
            draft = object.__new__(cls._draft)
            draft.left, draft.right = left, right
            return _intern(draft, cls, key, _union((left,), (right,)))
        return known


class Not(Formula):
    """``!body``."""

    __slots__ = ("body",)
    __match_args__ = ("body",)
    body: Formula

    def __new__(cls, body: Formula) -> Not:
        key = (cls, body.number)
        known: Not | None = _INTERNED.get(key)
        if known is None:
            draft = object.__new__(cls._draft)
            draft.body = body
            return _intern(draft, cls, key, body.free, (body,))
        return known


class _Binary(Formula):
    __slots__ = ("left", "right")
    __match_args__ = ("left", "right")
    left: Formula
    right: Formula

    def __new__(cls, left: Formula, right: Formula) -> Self:
        key = (cls, left.number, right.number)
        known: Self | None = _INTERNED.get(key)
        if known is None:
            draft = object.__new__(cls._draft)
            draft.left, draft.right = left, right
            free = left.free
            if right.free != free:
                free = _union(free, right.free)
            return _intern(draft, cls, key, free, (left, right))
        return known


class And(_Binary):
    """``left & right``."""

    __slots__ = ()


class Or(_Binary):
    """``left | right``."""

    __slots__ = ()


class Iff(_Binary):
    """``left <-> right``."""

    __slots__ = ()


class IfThenElse(Formula):
    """``(condition ? then : otherwise)``; an unknown condition gives the information join of both."""

    __slots__ = ("condition", "otherwise", "then")
    __match_args__ = ("condition", "then", "otherwise")
    condition: Formula
    then: Formula
    otherwise: Formula

    def __new__(cls, condition: Formula, then: Formula, otherwise: Formula) -> IfThenElse:
        key = (cls, condition.number, then.number, otherwise.number)
        known: IfThenElse | None = _INTERNED.get(key)
        if known is None:
            draft = object.__new__(cls._draft)
            draft.condition, draft.then, draft.otherwise = condition, then, otherwise
            free = _union(condition.free, then.free, otherwise.free)
            return _intern(draft, cls, key, free, (condition, then, otherwise))
        return known


class _Quantified(Formula):
    __slots__ = ("body", "variable")
    __match_args__ = ("variable", "body")
    _binds = 1
    variable: str
    body: Formula

    def __new__(cls, variable: str, body: Formula) -> Self:
        key = (cls, variable, body.number)
        known: Self | None = _INTERNED.get(key)
        if known is None:
            draft = object.__new__(cls._draft)
            draft.variable, draft.body = variable, body
            return _intern(draft, cls, key, _without(body.free, variable), (body,))
        return known


class Exists(_Quantified):
    """``E(variable) body``."""

    __slots__ = ()


class Forall(_Quantified):
    """``A(variable) body``."""

    __slots__ = ()


class Closure(Formula):
    """``TC(left, right)(sub_left, sub_right) body``: one or more steps of `body` lead from left to right."""

    __slots__ = ("body", "left", "right", "sub_left", "sub_right")
    __match_args__ = ("left", "right", "sub_left", "sub_right", "body")
    _binds = 2
    left: str
    right: str
    sub_left: str
    sub_right: str
    body: Formula

    def __new__(cls, left: str, right: str, sub_left: str, sub_right: str, body: Formula) -> Closure:
        key = (cls, left, right, sub_left, sub_right, body.number)
        known: Closure | None = _INTERNED.get(key)
        if known is None:
            draft = object.__new__(cls._draft)
            draft.left, draft.right, draft.sub_left, draft.sub_right, draft.body = (
                left,
                right,
                sub_left,
                sub_right,
                body,
            )
            free = _union(_union((left,), (right,)), _without(body.free, sub_left, sub_right))
            return _intern(draft, cls, key, free, (body,))
        return known


FALSE = Const(Kleene.FALSE)
UNKNOWN = Const(Kleene.UNKNOWN)
TRUE = Const(Kleene.TRUE)


def neg(f: Formula) -> Formula:
    """The negation; double negations and constants vanish."""
    if isinstance(f, Not):
        return f.body
    if isinstance(f, Const):
        return Const(~f.value)
    return Not(f)


def conj(*formulas: Formula) -> Formula:
    """The conjunction, left associative; constants and repetitions vanish."""
    result: Formula = TRUE
    for f in formulas:
        if f is FALSE or result is FALSE:
            return FALSE
        if result is TRUE or f is result:
            result = f
        elif f is not TRUE:
            result = And(result, f)
    return result


def disj(*formulas: Formula) -> Formula:
    """The disjunction, left associative; constants and repetitions vanish."""
    result: Formula = FALSE
    for f in formulas:
        if f is TRUE or result is TRUE:
            return TRUE
        if result is FALSE or f is result:
            result = f
        elif f is not FALSE:
            result = Or(result, f)
    return result


def implies(premise: Formula, conclusion: Formula) -> Formula:
    """``premise -> conclusion``, built as ``conclusion | !premise`` (as TVLA does)."""
    return Or(conclusion, Not(premise))


def exists(variables: Iterable[str], body: Formula) -> Formula:
    """Existential quantification over the variables that occur free in the body."""
    for variable in reversed(list(variables)):
        if variable in body.free:
            body = Exists(variable, body)
    return body


def forall(variables: Iterable[str], body: Formula) -> Formula:
    """Universal quantification over the variables that occur free in the body."""
    for variable in reversed(list(variables)):
        if variable in body.free:
            body = Forall(variable, body)
    return body


def reflexive_closure(predicate: str, left: str, right: str) -> Formula:
    """``p*(left, right)``, which is exactly ``left == right | TC(left, right)(__v1, __v2) p(__v1, __v2)``."""
    return Or(Equal(left, right), transitive_closure(predicate, left, right))


def transitive_closure(predicate: str, left: str, right: str) -> Closure:
    """``p+(left, right)``."""
    return Closure(left, right, "__v1", "__v2", Atom(predicate, ("__v1", "__v2")))


def subformulas(f: Formula) -> Iterator[Formula]:
    """Every distinct subformula, the formula itself first."""
    seen = {f.number}
    stack = [f]
    while stack:
        current = stack.pop()
        yield current
        for child in reversed(current.children):
            if child.number not in seen:
                seen.add(child.number)
                stack.append(child)


_PREDICATES: dict[int, frozenset[str]] = {}


def predicates_of(f: Formula) -> frozenset[str]:
    """The names of all predicates that occur in the formula."""
    known = _PREDICATES.get(f.number)
    if known is None:
        known = frozenset([g.predicate for g in subformulas(f) if isinstance(g, Atom)])
        _PREDICATES[f.number] = known
    return known
