"""The contents of a drawing of a structure, independent of its form: the same for DOT, SVG and the terminal.

Thesis Appendix C.1: nodes with their unary predicates, `pointer` predicates as boxes, binary predicates as
edges (one bidirected edge where a predicate has the same value both ways), nullary predicates apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate
from kleene.structures.structure import Structure

_DRAWN_AS_STYLE = ("sm", "ac")


@dataclass(frozen=True)
class DrawingOptions:
    """What to draw: `only` these predicates (None: all), without those of `hide`; `rotate`: left to right.

    `names` writes node names into the nodes. `reflexive` also draws the self loops that a `reflexive`
    predicate has anyway (1 on a node, 1/2 on a summary node); leaving them out loses nothing.
    """

    only: frozenset[str] | None = None
    hide: frozenset[str] = frozenset()
    rotate: bool = False
    names: bool = True
    reflexive: bool = False

    def draws(self, predicate: str) -> bool:
        return predicate not in self.hide and (self.only is None or predicate in self.only)


@dataclass(frozen=True)
class NodePicture:
    """A node with the unary predicates that are written inside it."""

    name: str
    summary: bool
    maybe_active: bool
    labels: tuple[tuple[str, Kleene], ...]


@dataclass(frozen=True)
class PointerPicture:
    """A `pointer` predicate that points to a node."""

    predicate: str
    node: int
    value: Kleene


@dataclass(frozen=True)
class EdgePicture:
    """The binary predicates with one value on one pair of nodes; `both`: in both directions.

    `derived`: all of them are instrumentation predicates.
    """

    source: int
    target: int
    value: Kleene
    both: bool
    predicates: tuple[str, ...]
    derived: bool


@dataclass(frozen=True)
class Picture:
    """All that is drawn of one structure; `tuples` are the entries of predicates of arity 3 and more."""

    nodes: tuple[NodePicture, ...]
    pointers: tuple[PointerPicture, ...]
    edges: tuple[EdgePicture, ...]
    nullary: tuple[tuple[str, Kleene], ...]
    tuples: tuple[tuple[str, tuple[int, ...], Kleene], ...]


def picture_of(structure: Structure, options: DrawingOptions | None = None) -> Picture:
    """The picture of a structure. Order: nodes as in the structure, predicates as declared."""
    options = options or DrawingOptions()
    drawn = [p for p in structure.vocabulary if p.name not in _DRAWN_AS_STYLE and options.draws(p.name)]
    labels: list[list[tuple[str, Kleene]]] = [[] for _ in structure.nodes]
    pointers = []
    for p in drawn:
        if p.arity == 1:
            for (node,), value in _shown_entries(structure, p):
                if p.pointer:
                    pointers.append(PointerPicture(p.name, node, value))
                else:
                    labels[node].append((p.name, value))
    nodes = tuple(
        NodePicture(structure.name(n), structure.is_summary(n), structure.is_maybe_active(n), tuple(labels[n]))
        for n in structure.nodes
    )
    return Picture(
        nodes,
        tuple(pointers),
        _edges(structure, (p for p in drawn if p.arity == 2), options.reflexive),
        tuple((p.name, value) for p in drawn if p.arity == 0 for _, value in _shown_entries(structure, p)),
        tuple((p.name, nodes, v) for p in drawn if p.arity > 2 for nodes, v in _shown_entries(structure, p)),
    )


def predicates_in(picture: Picture) -> frozenset[str]:
    """The predicates that occur in the picture."""
    names = {name for node in picture.nodes for name, _ in node.labels}
    names.update(pointer.predicate for pointer in picture.pointers)
    names.update(name for edge in picture.edges for name in edge.predicates)
    names.update(name for name, _ in picture.nullary)
    names.update(name for name, _, _ in picture.tuples)
    return frozenset(names)


def value_label(text: str, value: Kleene) -> str:
    """``p``, ``p = 1/2`` or ``p = 0``."""
    return text if value is Kleene.TRUE else f"{text} = {value}"


def _shown_entries(structure: Structure, p: Predicate) -> Iterator[tuple[tuple[int, ...], Kleene]]:
    """The tuples with values that the predicate's declaration asks to draw."""
    entries = dict(structure.entries(p.name))
    if Kleene.FALSE not in p.shown:
        yield from ((nodes, value) for nodes, value in entries.items() if value in p.shown)
        return
    for nodes in product(structure.nodes, repeat=p.arity):
        value = entries.get(nodes, Kleene.FALSE)
        if value in p.shown:
            yield nodes, value


def _edges(structure: Structure, predicates: Iterable[Predicate], reflexive: bool) -> tuple[EdgePicture, ...]:
    """Edges between the same nodes with the same value and direction are merged into one."""
    merged: dict[tuple[int, int, int, bool], list[Predicate]] = {}
    for p in predicates:
        values = dict(_shown_entries(structure, p))
        for (source, target), value in values.items():
            if source == target and not reflexive and _implied_loop(structure, p, source, value):
                continue
            both = source != target and values.get((target, source)) is value
            if both and source > target:
                continue
            merged.setdefault((source, target, -value.value, both), []).append(p)
    return tuple(
        EdgePicture(
            source,
            target,
            Kleene(-rank),
            both,
            tuple(p.name for p in group),
            all(p.instrumentation for p in group),
        )
        for (source, target, rank, both), group in sorted(merged.items(), key=lambda item: item[0])
    )


def _implied_loop(structure: Structure, p: Predicate, node: int, value: Kleene) -> bool:
    """True iff reflexivity alone gives this value (a node equals itself; a summary node perhaps)."""
    expected = Kleene.UNKNOWN if structure.is_summary(node) else Kleene.TRUE
    return p.has("reflexive") and value is expected
