"""The concrete, two-valued side: truth by `any` / `all`, validity, one step of an Action, concretisation.

Concrete structures are `NaiveStructure`s whose values are 0 and 1 only, but nothing here uses the
three-valued evaluation of `naive.py`: the two are written separately so that they can check each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import permutations, product

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
)
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.transformers.action import Action, Rule

from .naive import HALF, Assignment, NaiveStructure, Nodes, assignments, empty, is_embedding

Relation = frozenset[Nodes]


def holds(s: NaiveStructure, f: Formula, z: Assignment) -> bool:
    """Whether a formula is true in a concrete structure (Def. 2.7 read as ordinary two-valued logic)."""
    match f:
        case Const(Kleene.UNKNOWN):
            raise ValueError("1/2 has no concrete meaning")
        case Const(value):
            return value is Kleene.TRUE
        case Atom(predicate, args):
            return tuple(z[v] for v in args) in s.values[predicate]
        case Equal(left, right):
            return z[left] == z[right]
        case Not(body):
            return not holds(s, body, z)
        case And(left, right):
            return holds(s, left, z) and holds(s, right, z)
        case Or(left, right):
            return holds(s, left, z) or holds(s, right, z)
        case Iff(left, right):
            return holds(s, left, z) is holds(s, right, z)
        case IfThenElse(condition, then, otherwise):
            return holds(s, then if holds(s, condition, z) else otherwise, z)
        case Exists(v, body):
            return any(holds(s, body, {**z, v: u}) for u in s.universe)
        case Forall(v, body):
            return all(holds(s, body, {**z, v: u}) for u in s.universe)
        case Closure(left, right, a, b, body):
            return z[right] in _reached(s, z[left], a, b, body, z)
    raise TypeError(f)


def _reached(s: NaiveStructure, start: int, a: str, b: str, body: Formula, z: Assignment) -> set[int]:
    """The nodes that one or more steps of `body` lead to."""
    reached: set[int] = set()
    waiting = [start]
    while waiting:
        here = waiting.pop()
        for there in s.universe:
            if there not in reached and holds(s, body, {**z, a: here, b: there}):
                reached.add(there)
                waiting.append(there)
    return reached


# Which concrete structures are legal ----------------------------------------------------------------------


def has_property(prop: str, relation: Relation, universe: list[int]) -> bool:
    """Whether a relation has a property of Table 10 (docs/manual/tvp.md)."""
    match prop:
        case "unique":
            return len(relation) <= 1
        case "function":
            return len({a for a, _ in relation}) == len(relation)
        case "invfunction":
            return len({b for _, b in relation}) == len(relation)
        case "symmetric":
            return all((b, a) in relation for a, b in relation)
        case "antisymmetric":
            return all(a == b or (b, a) not in relation for a, b in relation)
        case "reflexive":
            return all((u, u) in relation for u in universe)
        case "antireflexive":
            return all(a != b for a, b in relation)
        case "transitive":
            return all((a, d) in relation for a, b in relation for c, d in relation if b == c)
        case "acyclic":
            remaining = set(universe)
            while True:  # take away nodes without a successor, until none is left
                last = {u for u in remaining if not any((u, w) in relation for w in remaining)}
                if not last:
                    return not remaining
                remaining -= last
    raise ValueError(prop)


def satisfies_rule(s: NaiveStructure, rule: Rule) -> bool:
    """Whether ``body -> head`` holds for all assignments."""
    variables = dict.fromkeys(rule.body.free + rule.head.free)
    return all(not holds(s, rule.body, z) or holds(s, rule.head, z) for z in assignments(s, variables))


def satisfies_definitions(s: NaiveStructure) -> bool:
    return all(
        (nodes in s.values[p.name]) == holds(s, p.definition, dict(zip(p.args, nodes, strict=True)))
        for p in s.vocabulary
        if p.definition is not None
        for nodes in s.tuples(p.name)
    )


def is_valid(s: NaiveStructure, rules: Iterable[Rule] = ()) -> bool:
    """Whether all properties, definitions and user rules hold."""
    return (
        all(has_property(prop, frozenset(s.values[p.name]), s.universe) for p in s.vocabulary for prop in p.properties)
        and satisfies_definitions(s)
        and all(satisfies_rule(s, rule) for rule in rules)
    )


def with_definitions(s: NaiveStructure) -> NaiveStructure:
    """The structure with every instrumentation predicate recomputed, in order of declaration."""
    result = s.copy()
    for p in s.vocabulary:
        if p.definition is not None:
            result.values[p.name] = {
                nodes: 1.0
                for nodes in s.tuples(p.name)
                if holds(result, p.definition, dict(zip(p.args, nodes, strict=True)))
            }
    return result


# All concrete structures of a vocabulary ------------------------------------------------------------------


def relations(predicate: Predicate, size: int) -> list[Relation]:
    """Every relation over `size` nodes that has the predicate's properties."""
    universe = list(range(size))
    tuples = list(product(universe, repeat=predicate.arity))
    found = []
    for bits in range(1 << len(tuples)):
        relation = frozenset(t for i, t in enumerate(tuples) if bits >> i & 1)
        if all(has_property(prop, relation, universe) for prop in predicate.properties):
            found.append(relation)
    return found


def concrete_structures(
    vocabulary: Vocabulary, sizes: Iterable[int], rules: Iterable[Rule] = ()
) -> Iterator[NaiveStructure]:
    """Every valid concrete structure of the given sizes, one for each isomorphism class."""
    core = [p for p in vocabulary.declared if p.definition is None]
    rules = list(rules)
    for size in sizes:
        renamings = list(permutations(range(size)))
        seen: set[tuple[Relation, ...]] = set()
        for choice in product(*(relations(p, size) for p in core)):
            if choice in seen:
                continue
            for renaming in renamings:
                seen.add(tuple(frozenset(tuple(renaming[u] for u in t) for t in relation) for relation in choice))
            s = empty(vocabulary, size)
            for p, relation in zip(core, choice, strict=True):
                s.values[p.name] = dict.fromkeys(relation, 1.0)
            s = with_definitions(s)
            if is_valid(s, rules):
                yield s


def concretisations(
    s: NaiveStructure, most: int, rules: Iterable[Rule] = (), limit: int = 5000
) -> Iterator[NaiveStructure]:
    """The valid concrete structures with at most `most` nodes that are embedded in s (Def. 7.1).

    For each way to share out the nodes, each 1/2 of a core predicate is tried as 0 and as 1. At most `limit`
    candidates are looked at for each way, so the answer is complete only when there are few 1/2 values.
    """
    core = [p for p in s.vocabulary.declared if p.definition is None]
    rules = list(rules)
    for counts in _node_counts(s, most):
        sources = [u for u, count in zip(s.universe, counts, strict=True) for _ in range(count)]
        f = dict(enumerate(sources))
        base = empty(s.vocabulary, len(sources))
        open_choices: list[tuple[str, Nodes]] = []
        for p in core:
            for nodes in base.tuples(p.name):
                value = s.value(p.name, tuple(f[u] for u in nodes))
                if value == HALF:
                    open_choices.append((p.name, nodes))
                else:
                    base.set(p.name, nodes, value)
        for _, bits in zip(range(limit), product((0.0, 1.0), repeat=len(open_choices)), strict=False):
            candidate = base.copy()
            for (name, nodes), bit in zip(open_choices, bits, strict=True):
                candidate.set(name, nodes, bit)
            candidate = with_definitions(candidate)
            if is_embedding(candidate, s, f) and is_valid(candidate, rules):
                yield candidate


def _node_counts(s: NaiveStructure, most: int) -> Iterator[tuple[int, ...]]:
    """How many concrete nodes each node may stand for: sm and ac say how few and how many."""
    ranges = [
        range(1 if s.value("ac", (u,)) == 1 else 0, 2 if s.value("sm", (u,)) == 0 else most + 1) for u in s.universe
    ]
    return (counts for counts in product(*ranges) if sum(counts) <= most)


# One step (docs/concepts/actions.md, docs/manual/tvp.md) ----------------------------------------


@dataclass
class Step:
    """What an action does to a concrete structure under one assignment of its precondition."""

    after: NaiveStructure
    messages: frozenset[str]
    post_messages: frozenset[str]


def step(s: NaiveStructure, action: Action) -> Iterator[Step]:
    """The results of an action on a concrete structure, one for each assignment of its precondition.

    Instrumentation predicates are recomputed from their definitions, whatever the action's updates say.
    """
    precondition = action.precondition
    for z in assignments(s, precondition.free if precondition is not None else ()):
        if precondition is not None and not holds(s, precondition, z):
            continue
        messages = frozenset(m.text for m in action.messages if holds(s, m.condition, z))
        extended = _created(s, action, z)
        after = extended.copy()
        for update in action.updates:
            if s.vocabulary[update.predicate].definition is None:
                after.values[update.predicate] = {
                    nodes: 1.0
                    for nodes in extended.tuples(update.predicate)
                    if holds(extended, update.formula, {**z, **dict(zip(update.args, nodes, strict=True))})
                }
        if action.retain is not None:
            (v,) = (name for name in action.retain.free if name not in z)
            for u in s.universe:
                if not holds(s, action.retain, {**z, v: u}):
                    after.remove(u)
        after.values["isNew"] = {}
        after.values["instance"] = {}
        after = with_definitions(after)
        post = frozenset(m.text for m in action.post_messages if holds(after, m.condition, {}))
        yield Step(after, messages, post)


def _created(s: NaiveStructure, action: Action, z: Assignment) -> NaiveStructure:
    """The structure after `%new` and `%clone`; `instance(new, old)` links a copy to its origin."""
    result = s.copy()
    if action.creates and action.new_formula is None:
        _add_node(result)
    for formula, copies in ((action.new_formula if action.creates else None, False), (action.clone, True)):
        if formula is None:
            continue
        (v,) = (name for name in formula.free if name not in z)
        chosen = [u for u in s.universe if holds(s, formula, {**z, v: u})]
        copy_of = {u: _add_node(result) for u in chosen}
        for old, new in copy_of.items():
            result.values["instance"][new, old] = 1.0
        if copies:
            for p in s.vocabulary.declared:
                for nodes in [t for t in s.values[p.name] if t and all(u in copy_of for u in t)]:
                    result.values[p.name][tuple(copy_of[u] for u in nodes)] = 1.0
    return result


def _add_node(s: NaiveStructure) -> int:
    node = s.fresh()
    s.universe.append(node)
    s.values["ac"][(node,)] = 1.0
    s.values["isNew"][(node,)] = 1.0
    return node
