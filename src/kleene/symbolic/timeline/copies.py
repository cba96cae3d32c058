"""`%new` with a formula and `%clone` in a scene: a new node for every node whose individuals may get copies.

``instance!k`` relates each new individual to its original, one to one. On new individuals every predicate is 0 so far;
with `%clone` it has, among copies, the values that it has among their originals (`transformers.transformer` does the
same to three-valued structures).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product

from kleene.logic.formula import Atom, Equal, Formula, Iff, conj, disj, exists, forall, neg
from kleene.logic.kleene import Kleene
from kleene.smt.universe import in_domain
from kleene.symbolic.scene import Moment, SceneNode

Facts = dict[tuple[str, tuple[int, ...]], bool]


@dataclass(frozen=True)
class Originals:
    """The nodes to copy: those that satisfy a formula between `least` (which implies it) and `most` (implied by it).

    `value` is the three-valued value of the formula on a node; `copied` are the symbols whose values copies inherit.
    """

    number: int
    moment: Moment
    least: Callable[[str], Formula]
    most: Callable[[str], Formula]
    value: Callable[[int], Kleene]
    copied: Mapping[str, int]


def instance_symbol(number: int) -> str:
    return f"instance!{number}"


def add_copies(
    originals: Originals, nodes: list[SceneNode], facts: Facts, absent: Mapping[str, bool], higher: Mapping[str, int]
) -> list[Formula]:
    """Add the copies of nodes and the facts about them; the result are the axioms.

    `absent` has the values of unary symbols on new nodes, `higher` the symbols of higher arity with their arity.
    """
    instance = instance_symbol(originals.number)
    old = [i for i, node in enumerate(nodes) if node.born <= originals.moment.born]
    related = {pair for symbol, pair in facts if symbol == instance}
    first = len(nodes)
    copy_of: dict[int, int] = {}
    for i in old:
        value = originals.value(i)
        if value is not Kleene.FALSE:
            copy_of[i] = len(nodes)
            nodes.append(_copy(nodes[i], originals, absent, certain=value is Kleene.TRUE))
    for pair in product(range(len(nodes)), repeat=2):
        if copy_of.get(pair[1]) != pair[0] and (max(pair) >= first or not related):
            facts[instance, pair] = False
    original = {copy: i for i, copy in copy_of.items()}
    for symbol, arity in higher.items():
        _set_facts(symbol, arity, len(nodes), original, facts, copied=symbol in originals.copied)
    axioms = [f for i, copy in copy_of.items() for f in _one_to_one(originals, i, copy)]
    for symbol, arity in originals.copied.items():
        for places in product(copy_of, repeat=arity):
            axioms += _same_values(symbol, places, instance, copy_of, nodes, facts)
    return axioms


def _copy(node: SceneNode, originals: Originals, absent: Mapping[str, bool], *, certain: bool) -> SceneNode:
    copied = {s for s, arity in originals.copied.items() if arity == 1}
    known = {s: v for s, v in absent.items() if s not in copied}
    known |= {s: v for s, v in node.known.items() if s in copied}
    return replace(
        node,
        label=f"{node.label}'{originals.number}",
        known=known,
        optional=node.optional or not certain,
        plural=node.plural and certain,
        born=originals.number,
    )


def _set_facts(symbol: str, arity: int, count: int, original: dict[int, int], facts: Facts, *, copied: bool) -> None:
    """Tuples with a new node are 0, or as those of the originals if all of them are copies."""
    for places in product(range(count), repeat=arity):
        if not any(u in original for u in places):
            continue
        if not copied or not all(u in original for u in places):
            facts[symbol, places] = False
        else:
            value = facts.get((symbol, tuple(original[u] for u in places)))
            if value is not None:
                facts[symbol, places] = value


def _one_to_one(originals: Originals, node: int, copy: int) -> list[Formula]:
    """Every individual that the formula holds for has one copy, and every copy is one of such an individual."""
    instance = instance_symbol(originals.number)
    a, b = in_domain("a", f"n{copy}"), in_domain("b", f"n{copy}")
    v, w = in_domain("v", f"n{node}"), in_domain("w", f"n{node}")
    there = conj(*(Atom(mark, (v,)) for mark in originals.moment.kept))
    return [
        forall([a], exists([v], Atom(instance, (a, v)))),
        forall([a, v, w], disj(neg(Atom(instance, (a, v))), neg(Atom(instance, (a, w))), Equal(v, w))),
        forall([a, b, v], disj(neg(Atom(instance, (a, v))), neg(Atom(instance, (b, v))), Equal(a, b))),
        forall([a, v], disj(neg(Atom(instance, (a, v))), conj(there, originals.most(v)))),
        forall([v], disj(neg(there), neg(originals.least(v)), exists([a], Atom(instance, (a, v))))),
    ]


def _same_values(
    symbol: str, places: tuple[int, ...], instance: str, copy_of: dict[int, int], nodes: list[SceneNode], facts: Facts
) -> list[Formula]:
    if (symbol, places) in facts or (len(places) == 1 and symbol in nodes[places[0]].known):
        return []
    olds = tuple(in_domain(f"v{k}", f"n{i}") for k, i in enumerate(places))
    news = tuple(in_domain(f"a{k}", f"n{copy_of[i]}") for k, i in enumerate(places))
    linked = [neg(Atom(instance, pair)) for pair in zip(news, olds, strict=True)]
    return [forall([*news, *olds], disj(*linked, Iff(Atom(symbol, news), Atom(symbol, olds))))]


@dataclass(frozen=True)
class Labels:
    """The domains of quantifiers before, with the new individuals, and after."""

    earlier: str
    wide: str
    later: str


def paths_are_copied(before: str, after: str, instance: str, is_new: str, labels: Labels) -> Formula:
    """Paths of a relation among copies are then those among originals, and paths among old individuals as before:

    no step leads from old to new individuals or back, steps among old ones are as before, steps among copies are those
    of their originals, and where a step leads from an individual with a copy there is a copy too.
    """
    v, w = in_domain("v", labels.earlier), in_domain("w", labels.earlier)
    a, b = in_domain("a", labels.wide), in_domain("b", labels.wide)
    copies = conj(Atom(instance, (a, v)), Atom(instance, (b, w)))
    there, here = exists([b], Atom(instance, (b, w))), exists([a], Atom(instance, (a, v)))
    return conj(
        forall([v, w], Iff(Atom(after, (v, w)), Atom(before, (v, w)))),
        forall([a, b, v, w], disj(neg(copies), Iff(Atom(after, (a, b)), Atom(before, (v, w))))),
        forall([a, b], disj(neg(Atom(after, (a, b))), Iff(Atom(is_new, (a,)), Atom(is_new, (b,))))),
        forall([v, w], disj(neg(Atom(before, (v, w))), neg(here), there)),
    )
