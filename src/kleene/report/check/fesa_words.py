"""The Boolean function of a FESA state in words, for each node: equalities, exclusions, implications.

Only relations between two flags are shown, and none that follows from others: the function itself has all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kleene.cfa.operations import Place
from kleene.domains.fesa.calls.local_heaps import MARKER
from kleene.domains.fesa.flags import (
    COUNT_HIGH,
    COUNT_LOW,
    EDGE,
    EXISTS,
    GHOST,
    LOST,
    NOT_NULL,
    PARENT,
    ROOTED,
    UNDEFINED,
    VALUE,
    VARIABLE,
    Flag,
    Node,
)
from kleene.domains.fesa.heap import State, flags_of
from kleene.domains.fesa.vectors import Vectors
from kleene.results.fesa import FesaResult

_INLINED = re.compile(r"^[^.]+\$\d+\.")
_MOST_RELATIONS = 24
Cells = Mapping[tuple[int, int], str]


@dataclass(frozen=True)
class FesaInvariant:
    """The state at a loop head or at the entry of a recursive function, with facts about each heap node."""

    place: Place
    state: State
    words: list[str]
    cells: Cells
    where: str = "loop"


def fesa_invariants(result: FesaResult) -> list[FesaInvariant]:
    """The loop heads of a FESA analysis, and where recursive functions begin, in source order."""
    if result.reached is None or result.cfa is None or result.domain is None:
        return []
    cells: Cells = result.domain.transfer.memory.cell_of
    where = dict.fromkeys(result.domain.loop_heads, "loop")
    where |= {procedure.cfa.entry: "call" for procedure in result.domain.procedures.values()}
    results = []
    for location, what in where.items():
        places = [edge.label.place for edge in result.cfa.leaving(location)]
        store = result.reached.stores.get(location)
        for state in store.elements() if store is not None else ():
            if places:
                results.append(FesaInvariant(places[0], state, state_words(state.vectors, cells), cells, what))
    return sorted(results, key=lambda i: (i.place.file, i.place.line, i.place.column))


def fesa_lines(invariants: Sequence[FesaInvariant]) -> list[str]:
    """For the terminal: the relations at each loop head, and where recursive functions begin."""
    lines = []
    for invariant in invariants:
        place, title = invariant.place, {"loop": "loop in", "call": "calls of"}[invariant.where]
        lines.append(f"{place.file}:{place.line}: {title} {place.function}:")
        lines += [f"    {text}" for text in invariant.words]
    return lines or ["no states: exact exploration was enough, or the FESA analysis did not run"]


def short(node: Node) -> str:
    """The name of a node for people."""
    if node.name.startswith(MARKER):
        return f"caller's pointer {node.name.removeprefix(MARKER)}"
    return _INLINED.sub("", node.name) if node.kind == VARIABLE else str(node)


def member(node: Node, slot: int, cells: Cells) -> str:
    """The name of a pointer slot."""
    return cells.get((node.size, slot), "" if slot == 0 else f"@{slot}")


def flag_words(flag: Flag, about: Node, cells: Cells) -> str:
    """A flag as a statement about a node."""
    if flag.kind in (EDGE, PARENT) and flag.target is not None:
        source = "it" if flag.source == about else "another" if flag.source == about.other else short(flag.source)
        target = "it" if flag.target == about else "another" if flag.target == about.other else short(flag.target)
        slot = member(flag.source, flag.slot, cells)
        where = source if flag.source.kind == VARIABLE and flag.slot == 0 else f"{source}.{slot}"
        verb = "points to" if flag.kind == EDGE else "owns, being parent of,"
        inside = f"+{flag.offset}" if flag.offset else ""
        return f"{where} is not initialized" if flag.target == UNDEFINED else f"{where} {verb} {target}{inside}"
    owner = "it" if flag.source == about else short(flag.source)
    if flag.kind == NOT_NULL:
        plain = flag.source.kind == VARIABLE and flag.slot == 0
        return f"{owner if plain else f'{owner}.{member(flag.source, flag.slot, cells)}'} is not NULL"
    if flag.kind == VALUE:
        return f"{owner}@{flag.slot} == {flag.offset}" if flag.slot else f"{owner} == {flag.offset}"
    texts = {EXISTS: "is allocated", GHOST: "is one of several", ROOTED: "is held by a variable"}
    return f"{owner} {texts.get(flag.kind, flag.kind)}"


def state_words(vectors: Vectors, cells: Cells) -> list[str]:
    """The facts about every heap node, one line each."""
    nodes = sorted({f.source for f in flags_of(vectors) if f.kind == EXISTS and f.source.is_heap})
    lines = []
    for node in nodes:
        shown = relations(vectors, node, cells)
        lines += [f"{node}: {text}" for text in shown[:_MOST_RELATIONS]]
        if len(shown) > _MOST_RELATIONS:
            lines.append(f"{node}: ... and {len(shown) - _MOST_RELATIONS} more relations")
    return lines or ["no block is allocated"]


def own_flags(vectors: Vectors, node: Node) -> list[Flag]:
    """The flags of a node, without those of parents and counters."""
    flags: list[Flag] = sorted(flags_of(vectors))
    hidden = (PARENT, COUNT_LOW, COUNT_HIGH, ROOTED)
    return [f for f in flags if f.mentions(node) and f.kind not in hidden and f.source != LOST]


def relations(vectors: Vectors, node: Node, cells: Cells) -> list[str]:
    """Constants, equalities, complements, exclusions and implications between the flags of a node."""
    space, b = vectors.space, vectors.function
    flags = own_flags(vectors, node)
    always = [f for f in flags if not space.satisfiable(b & ~space.var(f))]
    rest = [f for f in flags if f not in always and space.satisfiable(b & space.var(f))]
    say = {f: flag_words(f, node, cells) for f in flags}
    lines = [f"always: {say[f]}" for f in always]
    lines += _count_words(vectors, node)
    kept: list[Flag] = []
    for flag in rest:
        for other in kept:
            same = not space.satisfiable(b & (space.var(flag) ^ space.var(other)))
            if same or not space.satisfiable(b & ~(space.var(flag) ^ space.var(other))):
                lines.append(f"{say[other]} exactly if {say[flag]}" if same else f"one of: {say[other]}; {say[flag]}")
                break
        else:
            kept.append(flag)
    implied = {(p, q) for p in kept for q in kept if p != q and not space.satisfiable(b & space.var(p) & ~space.var(q))}
    for p, q in sorted(implied):
        if not any((p, r) in implied and (r, q) in implied for r in kept):
            lines.append(f"if {say[p]}, then {say[q]}")
    for number, p in enumerate(kept):
        for q in kept[number + 1 :]:
            apart = not space.satisfiable(b & space.var(p) & space.var(q))
            weaker = any(
                (p, r) in implied and not space.satisfiable(b & space.var(r) & space.var(q)) for r in kept if r != q
            ) or any(
                (q, r) in implied and not space.satisfiable(b & space.var(r) & space.var(p)) for r in kept if r != p
            )
            if apart and not weaker:
                lines.append(f"never both: {say[p]}; {say[q]}")
    return lines


def _count_words(vectors: Vectors, node: Node) -> list[str]:
    """The number of pointers from blocks to a node, in words."""
    low, high = vectors.flag(Flag(COUNT_LOW, node)), vectors.flag(Flag(COUNT_HIGH, node))
    counts = []
    for number in range(4):
        condition = (low if number & 1 else ~low) & (high if number & 2 else ~high)
        if vectors.space.satisfiable(vectors.function & condition):
            counts.append("3 or more" if number == 3 else str(number))
    return [f"pointers to it from blocks: {' or '.join(counts)}"] if counts and counts != ["0"] else []
