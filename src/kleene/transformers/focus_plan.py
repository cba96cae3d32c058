"""Focus formulas brought into normal form: conjunctions of literals in the order they are focused (thesis 6.1, 6.4).

Quantifiers are dropped and closures replaced by their bodies: if every assignment of what remains is definite, so is
the original formula. Within a conjunction, literals that can turn summary nodes into single ones come first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, product

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
    IfThenElse,
    Not,
    Or,
    conj,
    disj,
    neg,
)
from kleene.logic.kleene import Kleene
from kleene.logic.normal_forms import clauses_of, conjuncts, nnf
from kleene.logic.transform import canonical, rebuild, substitute
from kleene.logic.vocabulary import Predicate, Vocabulary


@dataclass(frozen=True, slots=True)
class Literal:
    """A predicate or an equality (`predicate` and `rails` are None) at variables, or its negation."""

    formula: Formula
    predicate: Predicate | None
    args: tuple[str, ...]
    rails: tuple[int, int] | None

    @property
    def positive(self) -> bool:
        return not isinstance(self.formula, Not)


Conjunction = tuple[Literal, ...]


def focus_plan(f: Formula, vocabulary: Vocabulary) -> tuple[Conjunction, ...]:
    """The conjunctions to focus on, one after another; a formula with the value 1/2 in it is refused."""
    matrix = _quantifier_free(nnf(f), set(f.free), count())
    plan = []
    for clause in clauses_of(matrix):
        literals = [_literal(g, vocabulary) for g in clause if not _trivial(g)]
        plan.append(tuple(_in_order(literals)))
    return tuple(dict.fromkeys(plan))


def with_closure_predicates(f: Formula, vocabulary: Vocabulary) -> Formula:
    """The formula with stored closures: ``n*(v, w)`` becomes ``t(v, w)`` where t is defined as ``n*``.

    In the same way ``E(u) x(u) & n*(u, v)`` becomes ``r(v)`` where r is defined by this formula, and so does
    ``n*(u, v)`` beside ``x(u)``, if x is unique: there is no other u. Beside it, ``n+(u, v)`` is ``n*(u, v)`` where v
    is not u, which ``!x(v)`` says, and ``n+(v, v)`` where it is; paths that end at a pointer likewise.

    To focus on the predicate needs finitely many structures where to focus on the edges would need infinitely many.
    """
    stored = [p for p in vocabulary if p.definition is not None and _has_closure(p.definition)]
    from_pointers = [found for p in stored for found in _from_pointers(p, vocabulary)]

    def replaced(g: Formula, beside: frozenset[Formula]) -> Formula:
        """`beside` are pointers that the formula is in a conjunction with."""
        if not _has_closure(g):
            return g
        found = lookup(g, beside)
        if found is None and isinstance(g, Closure) and g.left != g.right:
            found = next(filter(None, (strict(g, a, beside) for a in sorted(beside, key=str))), None)
        if found is not None:
            return found
        if isinstance(g, And):
            beside = beside.union(h for h in conjuncts(g) if isinstance(h, Atom) and len(h.args) == 1)
        if isinstance(g, Exists | Forall | Closure):
            bound = {*g.children[0].free} - {*g.free}
            beside = frozenset(h for h in beside if bound.isdisjoint(h.free))
        return rebuild(g, tuple(replaced(child, beside) for child in g.children))

    def lookup(g: Formula, beside: frozenset[Formula]) -> Formula | None:
        """The predicate that stores a formula."""
        for predicate in stored:
            for args in product(g.free, repeat=predicate.arity):
                instance = substitute(_definition(predicate), dict(zip(predicate.args, args, strict=True)))
                if canonical(instance) is canonical(g):
                    return Atom(predicate.name, args)
        for predicate, pointer, start, rest in from_pointers:
            for a, b in product(g.free, repeat=2):
                path = substitute(rest, {start: a, predicate.args[0]: b})
                if Atom(pointer, (a,)) in beside and canonical(path) is canonical(g):
                    return Atom(predicate.name, (b,))
        return None

    def strict(g: Closure, pointer: Formula, beside: frozenset[Formula]) -> Formula | None:
        """A path of one step or more that begins or ends where a pointer is; None if no predicate stores it."""
        if not isinstance(pointer, Atom) or not vocabulary[pointer.predicate].has("unique"):
            return None
        others: dict[tuple[str, ...], str] = {(g.left,): g.right, (g.right,): g.left}
        other = others.get(pointer.args)
        path = lookup(Or(Equal(g.left, g.right), g), beside)
        if other is None or path is None:
            return None
        cycle = substitute(g, {pointer.args[0]: other})
        around = FALSE if _is_acyclic(g, vocabulary) else lookup(cycle, frozenset())
        there = Atom(pointer.predicate, (other,))
        return None if around is None else disj(conj(path, neg(there)), conj(there, around))

    return replaced(f, frozenset())


def _is_acyclic(path: Closure, vocabulary: Vocabulary) -> bool:
    match path.body:
        case Atom(name, args):
            return {*args} == {path.sub_left, path.sub_right} and vocabulary[name].has("acyclic")
    return False


def _from_pointers(predicate: Predicate, vocabulary: Vocabulary) -> Iterator[tuple[Predicate, str, str, Formula]]:
    """For a definition ``E(u) x(u) & path`` with a unique x: the predicate, x, u and the path."""
    match predicate.definition:
        case Exists(u, body) if predicate.arity == 1:
            parts = conjuncts(body)
            for part in parts:
                if isinstance(part, Atom) and part.args == (u,) and vocabulary[part.predicate].has("unique"):
                    yield predicate, part.predicate, u, conj(*(other for other in parts if other is not part))


def _definition(predicate: Predicate) -> Formula:
    assert predicate.definition is not None
    return predicate.definition


def _has_closure(f: Formula) -> bool:
    return isinstance(f, Closure) or any(map(_has_closure, f.children))


def _quantifier_free(f: Formula, taken: set[str], numbers: count[int]) -> Formula:
    def fresh(v: str) -> str:
        name = v
        while name in taken:
            name = f"{v}_{next(numbers)}"
        taken.add(name)
        return name

    match f:
        case Exists(v, body) | Forall(v, body):
            return _quantifier_free(substitute(body, {v: fresh(v)}), taken, numbers)
        case Closure(_, _, a, b, body) | Not(Closure(_, _, a, b, body)):
            inner = nnf(substitute(body, {a: fresh(a), b: fresh(b)}))
            return _quantifier_free(inner, taken, numbers)
        case And(a, b) | Or(a, b):
            left, right = _quantifier_free(a, taken, numbers), _quantifier_free(b, taken, numbers)
            return And(left, right) if isinstance(f, And) else Or(left, right)
        case Iff() | IfThenElse():
            raise AssertionError("nnf expands these")
    return f


def _trivial(f: Formula) -> bool:
    match f:
        case Const(value):
            return value is not Kleene.UNKNOWN
        case Equal(a, b) | Not(Equal(a, b)):
            return a == b
    return False


def _literal(f: Formula, vocabulary: Vocabulary) -> Literal:
    match f.body if isinstance(f, Not) else f:
        case Atom(name, args):
            must = 2 * vocabulary.index(name)
            return Literal(f, vocabulary[name], args, (must, must + 1))
        case Equal(a, b):
            return Literal(f, None, (a, b), None)
    raise ValueError("focus on the constant 1/2 is not possible")


def _in_order(literals: list[Literal]) -> list[Literal]:
    """Nullary, unary unique, other unary, then binary ones reached from bound variables, then the rest."""

    def rank(literal: Literal) -> int:
        p = literal.predicate
        if p is None:
            return 4
        return 0 if p.arity == 0 else 3 if p.arity > 1 else 1 if p.has("unique") else 2

    ordered = sorted((x for x in literals if rank(x) < 3), key=rank)
    bound = {v for x in ordered if x.positive and x.predicate and x.predicate.has("unique") for v in x.args}
    waiting = [x for x in literals if rank(x) == 3]
    while waiting:
        chosen = next((x for x in waiting if bound & set(x.args)), waiting[0])
        waiting.remove(chosen)
        ordered.append(chosen)
        bound |= _newly_bound(chosen, bound)
    return ordered + [x for x in literals if rank(x) == 4]


def _newly_bound(literal: Literal, bound: set[str]) -> set[str]:
    p = literal.predicate
    if p is None or p.arity != 2 or not literal.positive:
        return set()
    left, right = literal.args
    newly_bound = set()
    if p.has("function") and left in bound:
        newly_bound.add(right)
    if p.has("invfunction") and right in bound:
        newly_bound.add(left)
    return newly_bound
