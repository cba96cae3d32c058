"""Consistency rules: from predicate properties (Table 10), from definitions with their closure (5.2), and by hand.

TVLA 3's additions (`acyclic`, `uniquePerCC`, antisymmetry through a closure predicate) are included. The thesis's
closure (Def. 5.2) also covers definitions that are a single literal, ``nn() = E(v) x(v)``; TVLA 3 leaves those rules
out, and so does `all_rules` with ``single_literals=False``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from kleene.logic.formula import (
    FALSE,
    Atom,
    Closure,
    Equal,
    Formula,
    Not,
    Or,
    conj,
    exists,
    neg,
    reflexive_closure,
)
from kleene.logic.normal_forms import Clause, Prenex, TooManyClauses, prenex_dnf
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.transformers.action import Rule


def all_rules(
    vocabulary: Vocabulary,
    user_rules: Sequence[Rule] = (),
    *,
    automatic: bool = True,
    single_literals: bool = True,
) -> tuple[Rule, ...]:
    """Every rule of an analysis, without repetitions, in declaration order."""
    rules: list[Rule] = []
    if automatic:
        for p in vocabulary.declared:
            rules += property_rules(p)
        rules += sort_rules(vocabulary)
    rules += user_rules
    if automatic:
        for p in vocabulary.declared:
            if p.definition is not None:
                rules += definition_rules(p, single_literals=single_literals)
        for p in vocabulary.declared:
            rules += closure_property_rules(p, vocabulary)
    return _distinct(rule for rule in rules if not is_always_satisfied(rule))


def is_always_satisfied(rule: Rule) -> bool:
    """Whether the head is ``v == v``.

    A head ``v1 == v2`` says of one summary node that it is a single node. That says nothing here, since both sides
    stand for the same one of its nodes.
    """
    return isinstance(rule.head, Equal) and rule.head.left == rule.head.right


def _distinct(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple({(rule.body, rule.head): rule for rule in reversed(list(rules))}.values())[::-1]


def property_rules(p: Predicate) -> list[Rule]:
    """The rules of Table 10 for the declared properties of one predicate."""
    return [
        Rule(body, head, f"{p.name} is {prop}")
        for prop, pairs in _PROPERTIES.items()
        if p.has(prop)
        for body, head in pairs(lambda *args: Atom(p.name, args))
    ]


_At = Callable[..., Formula]
_A, _B, _C, _V = "v1", "v2", "v3", "v"
_DIFFERENT = Not(Equal(_A, _B))
_PROPERTIES: Mapping[str, Callable[[_At], list[tuple[Formula, Formula]]]] = {
    "unique": lambda at: [
        (conj(at(_A), at(_B)), Equal(_A, _B)),
        (exists([_A], conj(at(_A), _DIFFERENT)), Not(at(_B))),
    ],
    "function": lambda at: [
        (exists([_V], conj(at(_V, _A), at(_V, _B))), Equal(_A, _B)),
        (exists([_A], conj(at(_V, _A), _DIFFERENT)), Not(at(_V, _B))),
    ],
    "invfunction": lambda at: [
        (exists([_V], conj(at(_A, _V), at(_B, _V))), Equal(_A, _B)),
        (exists([_A], conj(at(_A, _V), _DIFFERENT)), Not(at(_B, _V))),
    ],
    "symmetric": lambda at: [(at(_A, _B), at(_B, _A))],
    "antisymmetric": lambda at: [
        (conj(at(_A, _B), at(_B, _A)), Equal(_A, _B)),
        (conj(at(_A, _B), _DIFFERENT), Not(at(_B, _A))),
    ],
    "reflexive": lambda at: [(Equal(_A, _B), at(_A, _B))],
    "antireflexive": lambda at: [(Equal(_A, _B), Not(at(_A, _B)))],
    "transitive": lambda at: [(exists([_B], conj(at(_A, _B), at(_B, _C))), at(_A, _C))],
    "acyclic": lambda at: [(at(_V, _V), FALSE)],
}
"""What a property says about a predicate, as bodies and heads of rules."""


def sort_rules(vocabulary: Vocabulary) -> list[Rule]:
    """Every node has exactly one of the sorts (thesis section 8.3)."""
    rules = []
    for p in vocabulary.sorts:
        here = Atom(p.name, ("v",))
        others = [Atom(q.name, ("v",)) for q in vocabulary.sorts if q is not p]
        rules += [Rule(here, Not(other), f"{p.name} is a sort") for other in others]
        no_other = conj(*(Not(other) for other in others)) if others else Equal("v", "v")
        rules.append(Rule(no_other, here, f"{p.name} is a sort"))
    return rules


@lru_cache(maxsize=1 << 12)  # a check has several vocabularies with most definitions in common
def definition_rules(p: Predicate, *, single_literals: bool) -> tuple[Rule, ...]:
    """``f ==> p``, ``!f ==> !p`` and their closure (Def. 5.2) for a predicate p defined by f."""
    f = p.definition
    assert f is not None
    head = Atom(p.name, p.args)
    origin = f"definition of {p.name}"
    rules = Rule(f, head, origin), Rule(neg(f), Not(head), origin)
    positive = _normal_form(f)
    if positive is None:  # the closure only makes more precise
        return rules
    return *rules, *_closure_rules(p, positive, origin, single_literals=single_literals)


def _normal_form(f: Formula) -> Prenex | None:
    try:
        return prenex_dnf(f)
    except TooManyClauses:
        return None


def _closure_rules(p: Predicate, positive: Prenex, origin: str, *, single_literals: bool) -> list[Rule]:
    assert p.definition is not None
    head = Atom(p.name, p.args)
    rules: list[Rule] = []
    if single_literals or _is_universal_literal(positive):
        rules += _single_literal_rules(p, positive, origin, single_literals=single_literals)
    if single_literals and len(positive.clauses) > 1 and all(kind == "E" for kind, _ in positive.quantifiers):
        for clause in positive.clauses:  # p is implied by each disjunct, so !p refutes each of them
            if len(clause) == 1 and _can_be_head(clause[0]):
                rules.append(Rule(Not(head), neg(clause[0]), f"closure of {origin}"))
            else:
                rules += _horn_closure(Not(head), clause, p.args, f"closure of {origin}")
    negated = _starts_universal(positive) or len(positive.clauses) > 1
    form = _normal_form(neg(p.definition)) if negated else positive
    if form is None or len(form.clauses) != 1:
        return rules
    if not _starts_universal(form) and all(kind == "E" for kind, _ in form.quantifiers):
        for clause in form.clauses:
            rules += _horn_closure(head if negated else Not(head), clause, p.args, f"closure of {origin}")
    return rules


def _is_universal_literal(form: Prenex) -> bool:
    return (
        bool(form.quantifiers)
        and all(kind == "A" for kind, _ in form.quantifiers)
        and len(form.clauses) == 1
        and len(form.clauses[0]) == 1
    )


def _single_literal_rules(p: Predicate, form: Prenex, origin: str, *, single_literals: bool) -> list[Rule]:
    """Rules for a definition that is one literal under quantifiers of one kind: the literal follows from p or !p."""
    if len(form.clauses) != 1 or len(form.clauses[0]) != 1:
        return []
    literal = form.clauses[0][0]
    kinds = {kind for kind, _ in form.quantifiers}
    if not _can_be_head(literal) or len(kinds) > 1:
        return []
    head = Atom(p.name, p.args)
    rules = []
    if kinds <= {"A"}:
        rules.append(Rule(head, literal, f"closure of {origin}"))
    if kinds <= {"E"} and single_literals:
        rules.append(Rule(Not(head), neg(literal), f"closure of {origin}"))
    return rules


def _starts_universal(form: Prenex) -> bool:
    quantifiers = [kind for kind, _ in form.quantifiers]
    while quantifiers and quantifiers[0] == "E":
        quantifiers.pop(0)
    return bool(quantifiers)


def _can_be_head(literal: Formula) -> bool:
    atom = literal.body if isinstance(literal, Not) else literal
    return isinstance(atom, Atom)


def _horn_closure(premise: Formula, clause: Clause, args: tuple[str, ...], origin: str) -> list[Rule]:
    """From 'premise implies not all of the clause': each literal is refuted by the others (Def. 5.2)."""
    if len(clause) < 2:
        return []
    rules = []
    for literal in clause:
        refutable = _can_be_head(literal) or (isinstance(literal, Not) and isinstance(literal.body, Equal))
        if refutable:
            head = neg(literal)
            body = conj(premise, *(other for other in clause if other is not literal))
            hidden = [v for v in body.free if v not in head.free]
            rules.append(Rule(exists(hidden, body), head, origin))
    return rules


def closure_predicate(name: str, vocabulary: Vocabulary) -> Predicate | None:
    """The predicate that records the reflexive closure of a binary predicate: ``rtc[q]``, or one defined as q*."""
    named = vocabulary.get(f"rtc[{name}]")
    if named is not None and named.arity == 2:
        return named
    defined = (
        p
        for p in vocabulary.declared
        if p.arity == 2 and p.definition is not None and is_reflexive_closure(p.definition, name, p.args)
    )
    return min(defined, key=lambda p: p.name, default=None)


def is_reflexive_closure(f: Formula, name: str, args: tuple[str, ...]) -> bool:
    """True iff the formula is ``q*(args)``, with the equality on either side."""
    a, b = args
    closure = reflexive_closure(name, a, b)
    closed = _alpha_closure(f)
    return closed is not None and closed == (name, (a, b)) and f.free == closure.free


def _alpha_closure(f: Formula) -> tuple[str, tuple[str, str]] | None:
    """``(q, (a, b))`` if the formula is ``a == b | TC(a, b)(x, y) q(x, y)``, in either order."""
    match f:
        case Or(Equal(a, b), Closure(c, d, x, y, Atom(q, (x2, y2)))) | Or(
            Closure(c, d, x, y, Atom(q, (x2, y2))), Equal(a, b)
        ) if {a, b} == {c, d} and (x, y) == (x2, y2):
            return q, (c, d)
    return None


def closure_property_rules(p: Predicate, vocabulary: Vocabulary) -> list[Rule]:
    """Rules of `acyclic` and `uniquePerCC` that go through the closure of a binary predicate."""
    rules = []
    if p.has("acyclic"):
        closure = closure_predicate(p.name, vocabulary)
        origin = f"{p.name} is acyclic"
        if closure is None:
            both = conj(reflexive_closure(p.name, "v1", "v2"), reflexive_closure(p.name, "v2", "v1"))
            rules.append(Rule(both, Equal("v1", "v2"), origin))
        else:
            there, back = Atom(closure.name, ("v1", "v2")), Atom(closure.name, ("v2", "v1"))
            rules.append(Rule(conj(there, back), Equal("v1", "v2"), origin))
            rules.append(Rule(conj(there, Not(Equal("v1", "v2"))), Not(back), origin))
    for q in p.unique_per_component:
        rules += _unique_per_component_rules(p.name, q, vocabulary)
    return rules


def _unique_per_component_rules(name: str, q: str, vocabulary: Vocabulary) -> list[Rule]:
    """At most one node with the predicate in each connected component of q."""
    a, b = "v1", "v2"
    origin = f"{name} is unique in each component of {q}"
    here, there = Atom(name, (a,)), Atom(name, (b,))
    rules = [Rule(conj(here, Atom(q, (a, b)), there), Equal(a, b), origin)]
    closure = closure_predicate(q, vocabulary)
    linked = Atom(closure.name, (a, b)) if closure else reflexive_closure(q, a, b)
    different = Not(Equal(a, b))
    rules.append(Rule(conj(here, linked, there), Equal(a, b), origin))
    rules.append(Rule(exists([a], conj(here, linked, different)), Not(there), origin))
    rules.append(Rule(exists([b], conj(there, linked, different)), Not(here), origin))
    if closure:
        rules.append(Rule(conj(here, there, different), Not(linked), origin))
    return rules
