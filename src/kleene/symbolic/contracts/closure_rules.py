"""Consistency rules about paths that Def. 5.2 of the thesis does not derive, for structures that a contract describes.

Structures of a run are definite through focus and update. A structure made from a formula (a precondition or a
postcondition) becomes definite only by rules, so these describe closures more fully: the nodes reachable from a
variable are closed under the field; each of them except the first has a predecessor among them; a path between
different nodes leads through the successor. Each rule is valid in every concrete structure; the tests check all small
ones.
"""

from __future__ import annotations

from dataclasses import dataclass

from kleene.logic.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Closure,
    Equal,
    Exists,
    Formula,
    Not,
    Or,
    conj,
    disj,
    exists,
    forall,
    implies,
    neg,
)
from kleene.logic.transform import substitute, up_to_order
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.transformers.action import Rule
from kleene.transformers.rules import closure_predicate, is_reflexive_closure


@dataclass(frozen=True)
class Reach:
    """``r(v)`` is 'reachable from z along f'; `path` is the predicate that records f*, if the definition uses one."""

    name: str
    variable: str
    field: str
    path: str | None


def reach_of(p: Predicate, vocabulary: Vocabulary) -> Reach | None:
    """The variable and field of a predicate ``r(v) = E(w) z(w) & f*(w, v)``; f* may be a separate predicate."""
    match p.definition:
        case Exists(w, And(Atom(z, (source,)), steps)) if source == w and len(p.args) == 1:
            (v,) = p.args
            match steps:
                case Or(Equal(), Closure(_, _, _, _, Atom(f, _))) if is_reflexive_closure(steps, f, (w, v)):
                    return Reach(p.name, z, f, None)
                case Atom(path, (a, b)) if (a, b) == (w, v):
                    field = closure_of(path, vocabulary)
                    return None if field is None else Reach(p.name, z, field, path)
    return None


def closure_of(path: str, vocabulary: Vocabulary) -> str | None:
    """The field whose reflexive closure a predicate is defined to be."""
    definition, args = vocabulary[path].definition, vocabulary[path].args
    if definition is None or len(args) != 2:
        return None
    for p in vocabulary.declared:
        if p.arity == 2 and is_reflexive_closure(definition, p.name, args):
            return p.name
    return None


def closure_rules(vocabulary: Vocabulary) -> list[Rule]:
    """The rules for all fields and all predicates about reachability of a vocabulary."""
    rules = []
    for p in vocabulary.declared:
        reach = reach_of(p, vocabulary)
        if reach is not None:
            rules += reach_rules(reach, vocabulary)
        if p.arity == 2 and p.has("acyclic"):
            rules.append(Rule(Equal("v1", "v2"), Not(Atom(p.name, ("v1", "v2"))), f"{p.name} is acyclic"))
        if p.arity == 2 and p.definition is None:
            rules += _path_rules(p, vocabulary)
    return rules + _inverse_rules(vocabulary)


def _inverse_rules(vocabulary: Vocabulary) -> list[Rule]:
    """If g is a function and leads back along every edge of f, no node has two predecessors by f."""
    fields = [p for p in vocabulary.declared if p.arity == 2 and p.definition is None and p.has("function")]
    rules = []
    for f in fields:
        shared = _defined_predicate(vocabulary, _two_predecessors(f.name))
        for g in fields if shared is not None else ():
            back = forall(["a"], implies(Atom(f.name, ("v", "a")), Atom(g.name, ("a", "v"))))
            inverse = _defined_predicate(vocabulary, back) if f != g else None
            if inverse is not None and shared is not None:
                intact = forall(["w"], disj(neg(Atom(f.name, ("w", "v"))), Atom(inverse, ("w",))))
                rules.append(Rule(intact, neg(Atom(shared, ("v",))), f"{inverse} says where {f.name} comes from"))
    return rules


def reach_rules(reach: Reach, vocabulary: Vocabulary) -> list[Rule]:
    origin = f"what is reachable by {reach.name}"

    def r(v: str) -> Formula:
        return Atom(reach.name, (v,))

    def z(v: str) -> Formula:
        return Atom(reach.variable, (v,))

    step = Atom(reach.field, ("v", "w"))
    inside = exists(["w"], conj(r("w"), Atom(reach.field, ("w", "v"))))
    rules = [
        *_clause([neg(r("v")), neg(step), r("w")], origin),
        *_clause([neg(z("v")), r("v")], origin),
        Rule(conj(r("v"), neg(inside)), z("v"), origin),
        Rule(conj(r("v"), neg(z("v")), neg(inside)), FALSE, origin),
        Rule(conj(r("v"), forall(["w"], neg(z("w")))), FALSE, origin),
        Rule(forall(["w"], neg(z("w"))), neg(r("v")), origin),
    ]
    rules += _sharing_rules(reach, vocabulary, origin)
    if reach.path is not None:
        path = Atom(reach.path, ("w", "v"))
        rules += _clause([neg(r("w")), neg(path), r("v")], origin)
        if vocabulary[reach.variable].has("unique"):
            rules += _clause([neg(r("v")), neg(z("w")), path], origin)
    return rules


def _sharing_rules(reach: Reach, vocabulary: Vocabulary, origin: str) -> list[Rule]:
    """The nodes that a variable reaches along a function are a line: outside a cycle, each has one predecessor."""
    field = vocabulary[reach.field]
    shared = _defined_predicate(vocabulary, _two_predecessors(reach.field))
    if shared is None or not field.has("function") or not vocabulary[reach.variable].has("unique"):
        return []
    off: Formula = TRUE
    if not field.has("acyclic"):
        on_cycle = _defined_predicate(vocabulary, _on_cycle(reach)) if reach.path is not None else None
        if on_cycle is None:
            return []
        off = neg(Atom(on_cycle, ("v",)))
    r = Atom(reach.name, ("v",))
    inside = forall(["w"], disj(neg(Atom(reach.field, ("w", "v"))), Atom(reach.name, ("w",))))
    return [Rule(conj(r, off, inside), neg(Atom(shared, ("v",))), origin)]


def _defined_predicate(vocabulary: Vocabulary, definition: Formula) -> str | None:
    """The predicate of v that a formula defines."""
    wanted = up_to_order(definition)
    for p in vocabulary.declared:
        if p.arity == 1 and p.definition is not None:
            own = p.definition if p.args == ("v",) else substitute(p.definition, {p.args[0]: "v"})
            if up_to_order(own) == wanted:
                return p.name
    return None


def _two_predecessors(field: str) -> Formula:
    return exists(["a", "b"], conj(Not(Equal("a", "b")), Atom(field, ("a", "v")), Atom(field, ("b", "v"))))


def _on_cycle(reach: Reach) -> Formula:
    assert reach.path is not None
    return exists(["a"], conj(Atom(reach.field, ("v", "a")), Atom(reach.path, ("a", "v"))))


def _path_rules(field: Predicate, vocabulary: Vocabulary) -> list[Rule]:
    """Rules between f and the predicate that records f*."""
    closure = closure_predicate(field.name, vocabulary)
    if closure is None or closure.definition is None:
        return []
    origin = f"paths of {field.name}"

    def path(v: str, w: str) -> Formula:
        return Atom(closure.name, (v, w))

    def step(v: str, w: str) -> Formula:
        return Atom(field.name, (v, w))

    rules = [
        *_clause([neg(step("v", "w")), path("v", "w")], origin),
        *_clause([neg(step("v", "w")), neg(path("w", "u")), path("v", "u")], origin),
        *_clause([neg(path("v", "w")), neg(step("w", "u")), path("v", "u")], origin),
        Rule(Equal("v", "w"), path("v", "w"), origin),
        Rule(conj(path("v", "w"), forall(["u"], neg(step("v", "u")))), Equal("v", "w"), origin),
        Rule(conj(path("v", "w"), forall(["u"], neg(step("u", "w")))), Equal("v", "w"), origin),
    ]
    if field.has("function"):
        onward = [neg(path("v", "w")), Equal("v", "w"), neg(step("v", "u")), path("u", "w")]
        fork = [neg(path("u", "v")), neg(path("u", "w")), path("v", "w"), path("w", "v")]
        rules += [*_clause(onward, origin), *_clause(fork, origin)]
    return rules


def _clause(literals: list[Formula], origin: str) -> list[Rule]:
    """A disjunction of literals as rules: each literal follows where no other holds."""
    rules = []
    for literal in literals:
        body = conj(*(neg(other) for other in literals if other is not literal))
        hidden = [v for v in body.free if v not in literal.free]
        rules.append(Rule(exists(hidden, body), literal, origin))
    return rules
