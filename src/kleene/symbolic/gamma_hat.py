"""The characteristic formula of a bounded structure (YRS04, section 2.4; G. Yorsh's thesis [15] there).

``gamma_hat(S)`` is satisfied by a concrete structure iff that structure is in gamma(S): every individual is
represented by exactly one node (totality), every node represents an individual (onto-ness, unless it is maybe active),
nodes that are not summary nodes represent one, definite values hold for all individuals, indefinite ones are
unconstrained, and the integrity rules hold. The queries of `assume` do not use this formula but an equivalent encoding
(`scene`).
"""

from __future__ import annotations

from itertools import product

from kleene.diagnostics import UsageError
from kleene.logic.formula import Atom, Equal, Formula, conj, disj, exists, forall, neg
from kleene.logic.kleene import Kleene
from kleene.structures.structure import Structure
from kleene.symbolic.theory import BUILTIN_NAMES, Theory, stage


def is_bounded(structure: Structure) -> bool:
    """True iff an abstraction predicate has different definite values on any two nodes (section 2.1)."""
    return unbounded_pair(structure) is None


def unbounded_pair(structure: Structure) -> tuple[int, int] | None:
    """Two nodes that no abstraction predicate distinguishes."""
    names = [p.name for p in structure.vocabulary.unary_abstraction]
    definite = (Kleene.TRUE, Kleene.FALSE)
    for u in structure.nodes:
        for w in range(u):
            pairs = ((structure.value(p, u), structure.value(p, w)) for p in names)
            if not any(a is not b and a in definite and b in definite for a, b in pairs):
                return w, u
    return None


def check_bounded(structure: Structure, what: str = "the structure") -> None:
    pair = unbounded_pair(structure)
    if pair is not None:
        one, other = (structure.name(u) for u in pair)
        raise UsageError(
            f"{what} is not bounded: no abstraction predicate has different definite values on the nodes "
            f"{one} and {other}"
        )


def node_formula(structure: Structure, node: int, variable: str) -> Formula:
    """``node_u(v)``: the individual v agrees with the node u on all abstraction predicates."""
    parts = []
    for p in structure.vocabulary.unary_abstraction:
        value = structure.value(p.name, node)
        if value is not Kleene.UNKNOWN:
            atom = Atom(p.name, (variable,))
            parts.append(atom if value is Kleene.TRUE else neg(atom))
    return conj(*parts) if parts else Equal(variable, variable)


def gamma_hat(structure: Structure, theory: Theory, *, integrity: bool = True) -> Formula:
    """The characteristic formula of a bounded structure."""
    check_bounded(structure)
    parts = [forall(["v"], disj(*(node_formula(structure, u, "v") for u in structure.nodes)))]
    if not structure.size:
        parts = [neg(exists(["v"], Equal("v", "v")))]
    for u in structure.nodes:
        parts += _node(structure, u)
    for p in structure.vocabulary:
        if p.name not in ("sm", "ac"):
            parts += _values(structure, p.name, p.arity)
    if integrity:
        parts += [rule.formula for rule in theory.integrity]
    return stage(conj(*parts), {})


def _node(structure: Structure, u: int) -> list[Formula]:
    """Onto-ness, and how many individuals a node stands for."""
    here, there = node_formula(structure, u, "v1"), node_formula(structure, u, "v2")
    same = Equal("v1", "v2")
    parts = []
    if not structure.is_maybe_active(u):
        parts.append(exists(["v"], node_formula(structure, u, "v")))
    if not structure.is_summary(u):
        parts.append(forall(["v1", "v2"], disj(neg(here), neg(there), same)))
    elif structure.value("sm", u) is Kleene.TRUE:
        parts.append(exists(["v1", "v2"], conj(here, there, neg(same))))
    return parts


def _values(structure: Structure, name: str, arity: int) -> list[Formula]:
    """Definite values hold for every individual; abstraction predicates are in `node_u` already."""
    if arity == 1 and structure.vocabulary[name].abstraction and name not in BUILTIN_NAMES:
        return []
    variables = tuple(f"v{i + 1}" for i in range(arity))
    parts = []
    for nodes in product(structure.nodes, repeat=arity):
        value = structure.value(name, *nodes)
        if value is Kleene.UNKNOWN or (value is Kleene.FALSE and name in BUILTIN_NAMES):
            continue
        premise = [neg(node_formula(structure, u, v)) for u, v in zip(nodes, variables, strict=True)]
        atom = Atom(name, variables)
        parts.append(forall(variables, disj(*premise, atom if value is Kleene.TRUE else neg(atom))))
    return parts
