"""Three-valued structures as dictionaries: evaluation, embedding, blur, coerce and joins, written to be read.

Every function follows the text of one definition of the thesis and nothing else; values are the numbers 0,
0.5 and 1, so that 'and' is `min`, 'or' is `max` and 'not' is ``1 - x``. Nothing here knows how Kleene packs
bits: structures are read with `Structure.value` / `entries` / `size` and written with `StructureBuilder`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

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
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.structure import Structure, StructureBuilder
from kleene.transformers.action import Rule

NUMBER = {Kleene.FALSE: 0.0, Kleene.UNKNOWN: 0.5, Kleene.TRUE: 1.0}
KLEENE = {number: value for value, number in NUMBER.items()}
HALF = 0.5

Nodes = tuple[int, ...]
Assignment = Mapping[str, int]


@dataclass(repr=False)
class NaiveStructure:
    """A universe and, for each predicate, the tuples whose value is not 0 (an absent tuple has value 0)."""

    vocabulary: Vocabulary
    universe: list[int]
    values: dict[str, dict[Nodes, float]]

    def value(self, predicate: str, nodes: Nodes = ()) -> float:
        return self.values[predicate].get(nodes, 0.0)

    def set(self, predicate: str, nodes: Nodes, value: float) -> None:
        if value == 0:
            self.values[predicate].pop(nodes, None)
        else:
            self.values[predicate][nodes] = value

    def tuples(self, predicate: str) -> Iterator[Nodes]:
        """Every tuple of nodes of the predicate's arity."""
        return product(self.universe, repeat=self.vocabulary[predicate].arity)

    def copy(self) -> NaiveStructure:
        return NaiveStructure(
            self.vocabulary, list(self.universe), {p: dict(entries) for p, entries in self.values.items()}
        )

    def __repr__(self) -> str:
        entries = {p: dict(sorted(e.items())) for p, e in self.values.items() if e}
        return f"universe {self.universe}: {entries}"

    def fresh(self) -> int:
        """A node that is not in the universe."""
        return max(self.universe, default=-1) + 1

    def remove(self, node: int) -> None:
        self.universe.remove(node)
        for entries in self.values.values():
            for nodes in [nodes for nodes in entries if node in nodes]:
                del entries[nodes]


def empty(vocabulary: Vocabulary, size: int) -> NaiveStructure:
    """`size` active nodes on which every predicate is 0."""
    values: dict[str, dict[Nodes, float]] = {p.name: {} for p in vocabulary}
    values["ac"] = {(node,): 1.0 for node in range(size)}
    return NaiveStructure(vocabulary, list(range(size)), values)


def from_structure(structure: Structure) -> NaiveStructure:
    values = {
        p.name: {nodes: NUMBER[value] for nodes, value in structure.entries(p.name)} for p in structure.vocabulary
    }
    return NaiveStructure(structure.vocabulary, list(range(structure.size)), values)


def to_structure(naive: NaiveStructure) -> Structure:
    """The same structure for the engine; nodes are numbered in the order of the universe."""
    number = {node: i for i, node in enumerate(naive.universe)}
    builder = StructureBuilder(naive.vocabulary, len(naive.universe))
    for predicate in naive.vocabulary:
        for nodes in naive.tuples(predicate.name):
            value = KLEENE[naive.value(predicate.name, nodes)]
            builder.set(predicate.name, tuple(number[node] for node in nodes), value)
    return builder.build()


# Truth values (Def. 2.1) ----------------------------------------------------------------------------------


def join_values(a: float, b: float) -> float:
    """The information join of Def. 2.1."""
    return a if a == b else HALF


def leq_values(a: float, b: float) -> bool:
    """The information order of Def. 2.1."""
    return b in (a, HALF)


def join_all(values: Iterable[float]) -> float:
    """The join of at least one value."""
    found = set(values)
    return found.pop() if len(found) == 1 else HALF


# Formulas (Def. 7.3) --------------------------------------------------------------------------------------


def evaluate(s: NaiveStructure, f: Formula, z: Assignment) -> float:
    """The meaning of a formula under an assignment, Def. 7.3 (with maybe-active nodes).

    Deviation, as in the engine: ``v == v`` is 1 even where v is a summary node.
    """
    match f:
        case Const(value):
            return NUMBER[value]
        case Atom(predicate, args):
            return s.value(predicate, tuple(z[v] for v in args))
        case Equal(left, right):
            if left == right:
                return 1.0
            if z[left] != z[right]:
                return 0.0
            return 1.0 if s.value("sm", (z[left],)) == 0 else HALF
        case Not(body):
            return 1 - evaluate(s, body, z)
        case And(left, right):
            return min(evaluate(s, left, z), evaluate(s, right, z))
        case Or(left, right):
            return max(evaluate(s, left, z), evaluate(s, right, z))
        case Iff(left, right):
            a, b = evaluate(s, left, z), evaluate(s, right, z)
            return max(min(a, b), min(1 - a, 1 - b))
        case IfThenElse(condition, then, otherwise):
            c, a, b = (evaluate(s, g, z) for g in (condition, then, otherwise))
            return join_values(a, b) if c == HALF else a if c == 1 else b
        case Exists(v, body):
            return max((min(_ac(s, u), evaluate(s, body, {**z, v: u})) for u in s.universe), default=0.0)
        case Forall(v, body):
            return min((max(1 - _ac(s, u), evaluate(s, body, {**z, v: u})) for u in s.universe), default=1.0)
        case Closure(left, right, a, b, body):
            step = {(u, w): evaluate(s, body, {**z, a: u, b: w}) for u in s.universe for w in s.universe}
            return _closure(s, step, z[left], z[right])
    raise TypeError(f)


def _ac(s: NaiveStructure, node: int) -> float:
    return s.value("ac", (node,))


def _closure(s: NaiveStructure, step: dict[tuple[int, int], float], start: int, end: int) -> float:
    """max over paths of min over the steps and over `ac` of the inner nodes: one more step in each round."""
    best = {w: step[start, w] for w in s.universe}
    while True:
        longer = {w: max([best[w], *(min(best[u], _ac(s, u), step[u, w]) for u in s.universe)]) for w in s.universe}
        if longer == best:
            return best[end]
        best = longer


def assignments(s: NaiveStructure, variables: Iterable[str]) -> Iterator[dict[str, int]]:
    names = list(variables)
    for nodes in product(s.universe, repeat=len(names)):
        yield dict(zip(names, nodes, strict=True))


# Embedding (Def. 7.1) -------------------------------------------------------------------------------------


def is_embedding(a: NaiveStructure, b: NaiveStructure, f: Mapping[int, int]) -> bool:
    """Whether `f` embeds a in b, by the three conditions of Def. 7.1."""
    for p in a.vocabulary:
        for nodes in a.tuples(p.name):
            if not leq_values(a.value(p.name, nodes), b.value(p.name, tuple(f[u] for u in nodes))):
                return False
    for target in b.universe:
        sources = [u for u in a.universe if f[u] == target]
        if not leq_values(float(len(sources) > 1), b.value("sm", (target,))):
            return False
        if _ac(b, target) == 1 and not sources:
            return False
    return True


def embeds_by_enumeration(a: NaiveStructure, b: NaiveStructure) -> bool:
    """Def. 7.1 with nothing spared: every function is tried."""
    return any(
        is_embedding(a, b, dict(zip(a.universe, images, strict=True)))
        for images in product(b.universe, repeat=len(a.universe))
    )


def embeds(a: NaiveStructure, b: NaiveStructure) -> bool:
    """Whether some function embeds a in b (Def. 7.1); hopeless partial functions are dropped."""
    unary = [p.name for p in a.vocabulary if p.arity == 1]
    higher = [p.name for p in a.vocabulary if p.arity > 1]
    if any(not leq_values(a.value(p.name), b.value(p.name)) for p in a.vocabulary if p.arity == 0):
        return False
    choices = {
        u: [t for t in b.universe if all(leq_values(a.value(p, (u,)), b.value(p, (t,))) for p in unary)]
        for u in a.universe
    }

    def fits(f: dict[int, int], new: int) -> bool:
        return all(
            leq_values(a.value(p, nodes), b.value(p, tuple(f[u] for u in nodes)))
            for p in higher
            for nodes in product(f, repeat=a.vocabulary[p].arity)
            if new in nodes
        )

    def extend(f: dict[int, int]) -> bool:
        if len(f) == len(a.universe):
            return is_embedding(a, b, f)
        node = a.universe[len(f)]
        for target in choices[node]:
            if target in f.values() and b.value("sm", (target,)) == 0:
                continue
            g = {**f, node: target}
            if fits(g, node) and extend(g):
                return True
        return False

    return extend({})


def isomorphic(a: NaiveStructure, b: NaiveStructure) -> bool:
    """Whether a bijection keeps every value (including sm and ac)."""
    if len(a.universe) != len(b.universe):
        return False
    unary = [p.name for p in a.vocabulary if p.arity == 1]
    higher = [p.name for p in a.vocabulary if p.arity != 1]

    def extend(f: dict[int, int]) -> bool:
        if len(f) == len(a.universe):
            return all(
                a.value(p, nodes) == b.value(p, tuple(f[u] for u in nodes)) for p in higher for nodes in a.tuples(p)
            )
        node = a.universe[len(f)]
        return any(
            extend({**f, node: t})
            for t in b.universe
            if t not in f.values() and all(a.value(p, (node,)) == b.value(p, (t,)) for p in unary)
        )

    return extend({})


# Blur (Def. 2.4, section 3.2.5) ---------------------------------------------------------------------------


def node_name(s: NaiveStructure, node: int) -> tuple[float, ...]:
    """The values of the unary abstraction predicates."""
    return tuple(s.value(p.name, (node,)) for p in s.vocabulary.unary_abstraction)


def definitely_differ(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    """The second rule of Appendix C.7: a predicate is 0 for one and 1 for the other."""
    return any({x, y} == {0.0, 1.0} for x, y in zip(a, b, strict=True))


def tight_embedding(s: NaiveStructure, f: Mapping[int, int]) -> NaiveStructure:
    """The image of s under a surjective function (Def. 2.4, equations 3 and 4)."""
    result = NaiveStructure(s.vocabulary, sorted(set(f.values())), {p.name: {} for p in s.vocabulary})
    groups = {t: [u for u in s.universe if f[u] == t] for t in result.universe}
    for p in s.vocabulary:
        for images in result.tuples(p.name):
            values = [s.value(p.name, nodes) for nodes in product(*(groups[t] for t in images))]
            if p.name == "sm":
                values.append(float(len(groups[images[0]]) > 1))
            result.set(p.name, images, join_all(values))
    return result


def blur_function(s: NaiveStructure, *, definite_names: bool = False) -> dict[int, int]:
    """Nodes of the same name to the same number; with definite names (`-b2`) all that do not differ definitely."""
    if definite_names:
        return _definite_function(s)
    number: dict[tuple[float, ...], int] = {}
    names = {u: node_name(s, u) for u in s.universe}
    return {u: number.setdefault(name, len(number)) for u, name in names.items()}


def _definite_function(s: NaiveStructure) -> dict[int, int]:
    """Merge two images that do not differ definitely, until there are none."""
    f = {u: u for u in s.universe}
    while True:
        image = tight_embedding(s, f)
        pairs = ((a, b) for a in image.universe for b in image.universe if a < b)
        merged = next((p for p in pairs if not definitely_differ(*(node_name(image, u) for u in p))), None)
        if merged is None:
            return f
        f = {u: merged[0] if t == merged[1] else t for u, t in f.items()}


def blur(s: NaiveStructure, *, definite_names: bool = False) -> NaiveStructure:
    """Canonical abstraction: nodes of one name become one node."""
    return tight_embedding(s, blur_function(s, definite_names=definite_names))


# Coerce (Def. 5.1, docs/concepts/coerce.md) --------------------------------------------------------------


def coerce(s: NaiveStructure, rules: Iterable[Rule]) -> NaiveStructure | None:
    """The greatest structure below s over the same universe that breaches no rule; None if there is none.

    Rules are applied one after another, one assignment after another, until nothing changes.
    """
    rules = list(rules)
    result = s.copy()
    changed = True
    while changed:
        changed = False
        for rule in rules:
            variables = dict.fromkeys(rule.body.free + rule.head.free)
            for z in list(assignments(result, variables)):
                if any(_ac(result, node) != 1 for node in z.values()):
                    continue
                if evaluate(result, rule.body, z) != 1:
                    continue
                repaired = _repair(result, rule.head, z)
                if repaired is None:
                    return None
                changed |= repaired
    return result


def _repair(s: NaiveStructure, head: Formula, z: Assignment) -> bool | None:
    """Make a head true in place: whether something changed, None if that is impossible."""
    match head:
        case Const(value):
            return False if value is Kleene.TRUE else None
        case Atom(predicate, args):
            return _force(s, predicate, args, z, 1.0)
        case Not(Atom(predicate, args)):
            return _force(s, predicate, args, z, 0.0)
        case Equal(left, right):
            return _set(s, "sm", (z[left],), 0.0) if z[left] == z[right] else None
        case Not(Equal(left, right)):
            return None if z[left] == z[right] else False
    raise TypeError(head)


def _force(s: NaiveStructure, predicate: str, args: tuple[str, ...], z: Assignment, wanted: float) -> bool | None:
    """``p(v, v)`` at a summary node is about its single individuals, of which the value for all pairs says nothing."""
    nodes = tuple(z[v] for v in args)
    if any(args.count(v) > 1 and s.value("sm", (z[v],)) != 0 for v in args):
        return None if s.value(predicate, nodes) == 1 - wanted else False
    return _set(s, predicate, nodes, wanted)


def _set(s: NaiveStructure, predicate: str, nodes: Nodes, wanted: float) -> bool | None:
    old = s.value(predicate, nodes)
    if old == wanted:
        return False
    if old != HALF:
        return None
    s.set(predicate, nodes, wanted)
    return True


# Joins (section 7.6, Fig. 41) -----------------------------------------------------------------------------


def join_same_names(a: NaiveStructure, b: NaiveStructure) -> NaiveStructure:
    """The partial join of two canonical structures with the same node names: every value is joined."""
    partner = {node_name(b, u): u for u in b.universe}
    match_of = {u: partner[node_name(a, u)] for u in a.universe}
    result = a.copy()
    for p in a.vocabulary:
        for nodes in a.tuples(p.name):
            other = b.value(p.name, tuple(match_of[u] for u in nodes))
            result.set(p.name, nodes, join_values(a.value(p.name, nodes), other))
    return result


def join_fig_41(a: NaiveStructure, b: NaiveStructure) -> NaiveStructure:
    """Fig. 41, nodes identified by name: a node that one side lacks becomes maybe active.

    The figure says nothing of tuples that exist on neither side; they are 0 here.
    """
    in_a = {node_name(a, u): u for u in a.universe}
    in_b = {node_name(b, u): u for u in b.universe}
    names = list(dict.fromkeys([*in_a, *in_b]))
    result = empty(a.vocabulary, len(names))
    for p in a.vocabulary:
        for nodes in result.tuples(p.name):
            keys = [names[u] for u in nodes]
            values = [
                side.value(p.name, tuple(known[k] for k in keys))
                for side, known in ((a, in_a), (b, in_b))
                if all(k in known for k in keys)
            ]
            value = join_all(values) if values else 0.0
            if p.name == "ac" and len(values) < 2:
                value = HALF
            result.set(p.name, nodes, value)
    return result
