"""Vocabularies and actions for the differencing tests, and all their small structures."""

from __future__ import annotations

import random
import re
from itertools import product

from kleene.logic.formula import Formula
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.transformers.action import Action, Update

from .model import Batch, Nodes, Rails, define
from .notation import formula

_HEAD = re.compile(r"^([\w\[\],]+?)\(([^()]*)\)$")


def head(text: str) -> tuple[str, tuple[str, ...]]:
    match = _HEAD.match(text.strip())
    assert match, text
    return match[1], tuple(v.strip() for v in match[2].split(",") if v.strip())


def core(text: str, *properties: str) -> Predicate:
    name, args = head(text)
    return Predicate(name, len(args), args, frozenset(properties))


def defined(text: str, *properties: str) -> Predicate:
    left, _, right = text.partition(" = ")
    name, args = head(left)
    return Predicate(name, len(args), args, frozenset(properties), formula(right))


def action(
    name: str,
    *updates: str,
    new: str | None = None,
    clone: str | None = None,
    retain: str | None = None,
    pre: str | None = None,
) -> Action:
    """An action from text; `new` is "" for a bare `%new`."""
    parsed = []
    for text in updates:
        left, _, right = text.partition(" = ")
        parsed.append(Update(*head(left), formula(right)))

    def read(text: str | None) -> Formula | None:
        return formula(text) if text else None

    return Action(
        name,
        creates=new is not None,
        new_formula=read(new),
        clone=read(clone),
        retain=read(retain),
        precondition=read(pre),
        updates=tuple(parsed),
    )


POINTERS = tuple(core(f"{z}(v)", "unique") for z in "xyt")


def reachability(field: str, pointers: str) -> list[Predicate]:
    return [
        defined(f"r[{field},{z}](v) = E(v_1) (z(v_1) & t[{field}](v_1, v))".replace("z(v_1)", f"{z}(v_1)"))
        for z in pointers
    ]


REVERSE = Vocabulary(
    (
        *POINTERS,
        core("n(v_1, v_2)", "function", "acyclic"),
        defined("is[n](v) = E(v_1, v_2) (v_1 != v_2 & n(v_1, v) & n(v_2, v))"),
        defined("t[n](v_1, v_2) = n*(v_1, v_2)", "transitive", "reflexive"),
        *reachability("n", "xyt"),
    )
)
LIST = Vocabulary(
    (
        *POINTERS[:2],
        core("n(v_1, v_2)", "function", "acyclic"),
        core("dle(v_1, v_2)"),
        defined("nn[x]() = E(v) x(v)"),
        defined("only[x]() = A(v) x(v)"),
        defined("is[n](v) = E(v_1, v_2) (v_1 != v_2 & n(v_1, v) & n(v_2, v))"),
        defined("t[n](v_1, v_2) = n*(v_1, v_2)"),
        defined("plus[n](v_1, v_2) = n+(v_1, v_2)"),
        defined("back[n](v_1, v_2) = n*(v_2, v_1)"),
        *reachability("n", "xy"),
        defined("inOrder(v) = A(v_1) (n(v, v_1) -> dle(v, v_1))"),
        defined("last(v) = !(E(v_1) n(v, v_1))"),
        defined("alias() = E(v) x(v) & y(v)"),
        defined("agree(v) = (x(v) <-> y(v))"),
        defined("choice(v) = (x(v) ? inOrder(v) : last(v))"),
        defined("far(v_1, v_2) = t[n](v_1, v_2) & !n(v_1, v_2) & v_1 != v_2"),
        defined("between() = E(v_1, v_2) (x(v_1) & y(v_2) & n+(v_1, v_2))"),
    )
)
CYCLIC = Vocabulary(
    (
        *POINTERS[:2],
        core("n(v_1, v_2)", "function"),
        defined("t[n](v_1, v_2) = n*(v_1, v_2)"),
        defined("plus[n](v_1, v_2) = n+(v_1, v_2)"),
        defined("c[n](v) = n+(v, v)"),
        defined("oncycle(v) = E(v_1) (n(v, v_1) & n*(v_1, v))"),
        *reachability("n", "x"),
    )
)
TREE = Vocabulary(
    (
        *POINTERS[:2],
        core("left(v_1, v_2)", "function"),
        core("right(v_1, v_2)", "function"),
        defined("down(v_1, v_2) = left(v_1, v_2) | right(v_1, v_2)", "acyclic"),
        defined("t[down](v_1, v_2) = down*(v_1, v_2)"),
        *reachability("down", "x"),
        defined("shared(v) = E(v_1, v_2) (v_1 != v_2 & down(v_1, v) & down(v_2, v))"),
        defined("same(v) = E(v_1) left(v, v_1) & right(v, v_1)"),
        defined("reach2(v_1, v_2) = TC(v_1, v_2)(a, b)(left(a, b) | right(a, b))"),
    )
)
DOUBLY = Vocabulary(
    (
        *POINTERS[:2],
        core("f(v_1, v_2)", "function"),
        core("b(v_1, v_2)", "function"),
        defined("c[f,b](v) = A(v1) (f(v, v1) -> b(v1, v))"),
        defined("c[b,f](v) = A(v1) (b(v, v1) -> f(v1, v))"),
        defined("t[f](v_1, v_2) = f*(v_1, v_2)"),
        defined("r[f,x](v) = E(v_1) x(v_1) & t[f](v_1, v)"),
        defined("ok() = A(v) c[f,b](v) & c[b,f](v)"),
    )
)


def _unary_options(p: Predicate, size: int) -> list[tuple[Nodes, ...]]:
    if p.has("unique"):
        return [(), *(((u,),) for u in range(size))]
    return [tuple((u,) for u in range(size) if bits >> u & 1) for bits in range(1 << size)]


def _binary_options(p: Predicate, size: int) -> list[tuple[Nodes, ...]]:
    nodes = range(size)
    if not p.has("function"):
        pairs = list(product(nodes, repeat=2))
        return [tuple(q for i, q in enumerate(pairs) if bits >> i & 1) for bits in range(1 << len(pairs))]
    maps = product([None, *nodes], repeat=size)
    options = [tuple((u, w) for u, w in enumerate(m) if w is not None) for m in maps]
    return [edges for edges in options if not p.has("acyclic") or acyclic(edges)]


def acyclic(edges: tuple[Nodes, ...]) -> bool:
    left = set(edges)
    while left:
        ends = {w for _, w in left}
        kept = {(u, w) for u, w in left if u in ends}
        if kept == left:
            return False
        left = kept
    return True


def structures(vocabulary: Vocabulary, size: int, limit: int = 20_000, seed: int = 0) -> Batch:
    """All concrete structures with `size` nodes and the declared properties (a sample if too many)."""
    cores = [p for p in vocabulary.declared if p.definition is None]
    options = [
        [((),), ()] if p.arity == 0 else _unary_options(p, size) if p.arity == 1 else _binary_options(p, size)
        for p in cores
    ]
    total = 1
    for choices in options:
        total *= len(choices)
    if total <= limit:
        chosen = list(product(*options))
    else:
        rng = random.Random(seed)
        chosen = [tuple(rng.choice(choices) for choices in options) for _ in range(limit)]
    chosen = [c for c in chosen if _has_derived_properties(vocabulary, cores, c)]
    bits: dict[tuple[str, Nodes], list[int]] = {}
    for number, one in enumerate(chosen):
        for p, held in zip(cores, one, strict=True):
            for nodes in held:
                bits.setdefault((p.name, nodes), []).append(number)
    values: dict[tuple[str, Nodes], Rails] = {}
    for key, numbers in bits.items():
        row = bytearray(len(chosen) // 8 + 1)
        for number in numbers:
            row[number >> 3] |= 1 << (number & 7)
        values[key] = (int.from_bytes(row, "little"),) * 2
    batch = Batch(len(chosen), list(range(size)), values)
    define(batch, vocabulary)
    return batch


def _has_derived_properties(
    vocabulary: Vocabulary, cores: list[Predicate], chosen: tuple[tuple[Nodes, ...], ...]
) -> bool:
    """`down = left | right` is acyclic in the tree vocabulary."""
    if "down" not in vocabulary:
        return True
    held = {p.name: edges for p, edges in zip(cores, chosen, strict=True)}
    return acyclic(tuple({*held["left"], *held["right"]}))
