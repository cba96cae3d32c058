"""Structures as TVS text, in the form that TVLA 3 writes (`%location` blocks are TVLA 3's own).

The text is canonical: predicates by arity and written name, tuples in node order, zeros left out, every other
value written. As TVLA 3 does by default, `ac` is written under its old name `inac`, where 1 means active.
Deviation: nodes and structures come in sorted order, so that equal results are equal texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kleene.logic.kleene import Kleene
from kleene.structures.structure import Structure

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$.]*\Z")
_NODE_TOKEN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$.]*|\.[01]|[\[\],]")
_WRITTEN_NAME = {"ac": "inac"}


@dataclass(frozen=True)
class TvsLocation:
    """The content of one `%location` block: structures, and messages, each with the structure on which it fired."""

    name: str
    structures: tuple[Structure, ...] = ()
    messages: tuple[tuple[str, Structure], ...] = ()


def structure_tvs(structure: Structure, *, significant: bool = False, indent: str = "") -> str:
    """One structure as TVS text. With `significant`, node names are kept if they can be read back."""
    names = _node_names(structure, significant)
    lines = [f"%n = {{{', '.join(names)}}}", "%p = {"]
    lines += [f"  {line}" for line in _predicate_lines(structure, names)]
    lines.append("}")
    return "".join(f"{indent}{line}\n" for line in lines)


def structures_tvs(structures: Iterable[Structure], *, significant: bool = False) -> str:
    """Structures in the given order, as an input file of an analysis."""
    return "\n".join(structure_tvs(s, significant=significant) for s in structures)


def location_tvs(location: TvsLocation, *, significant: bool = False) -> str:
    """One `%location` block: messages sorted by text and structure, then the structures, sorted."""
    messages = sorted(
        ((_string(text), structure) for text, structure in location.messages),
        key=lambda pair: (pair[0], structure_order(pair[1])),
    )
    blocks = [
        f"  %message {text}\n" + structure_tvs(structure, significant=significant, indent="  ")
        for text, structure in messages
    ]
    blocks += [
        structure_tvs(structure, significant=significant, indent="  ")
        for structure in sorted(location.structures, key=structure_order)
    ]
    name = location.name if _IDENTIFIER.match(location.name) else _string(location.name)
    return f"%location {name} = {{\n" + "\n".join(blocks) + "}\n"


def locations_tvs(locations: Iterable[TvsLocation], *, significant: bool = False) -> str:
    """A whole result: one block for each location, in the given order; empty locations are empty blocks."""
    return "\n".join(location_tvs(location, significant=significant) for location in locations)


def structure_order(structure: Structure) -> tuple[int, tuple[int, ...]]:
    """A sort key: small structures first, then by value. It does not depend on hashes."""
    return structure.size, structure.values


def _predicate_lines(structure: Structure, names: Sequence[str]) -> list[str]:
    written = sorted((p.arity, _WRITTEN_NAME.get(p.name, p.name), p.name) for p in structure.vocabulary)
    lines = []
    for arity, shown, predicate in written:
        entries = [_entry(nodes, value, names) for nodes, value in structure.entries(predicate)]
        if entries:
            lines.append(f"{shown} = {{{', '.join(entries)}}}" if arity else f"{shown} = {entries[0]}")
    return lines


def _entry(nodes: tuple[int, ...], value: Kleene, names: Sequence[str]) -> str:
    match [names[node] for node in nodes]:
        case []:
            return str(value)
        case [node]:
            return f"{node}:{value}"
        case [left, right]:
            return f"{left}->{right}:{value}"
        case several:
            return f"({','.join(several)}):{value}"


def _node_names(structure: Structure, significant: bool) -> tuple[str, ...]:
    names = structure.names
    if significant and names and len(set(names)) == len(names) and all(map(_is_node_name, names)):
        return names
    return tuple(f"_{node}" for node in structure.nodes)


def _is_node_name(text: str) -> bool:
    """True iff TVS reads the text as one node: ``ID``, ``node.0``, ``node.1`` or ``[node,..]``."""
    tokens = _NODE_TOKEN.findall(text)
    if "".join(tokens) != text:
        return False
    return _after_node(tokens, 0) == len(tokens)


def _after_node(tokens: list[str], start: int) -> int:
    """The position after the node that begins at `start`, or -1 if none does."""
    if start >= len(tokens):
        return -1
    place = start + 1
    if tokens[start] == "[":
        place = _after_node(tokens, place)
        while 0 <= place < len(tokens) and tokens[place] == ",":
            place = _after_node(tokens, place + 1)
        if not 0 <= place < len(tokens) or tokens[place] != "]":
            return -1
        place += 1
    elif not _IDENTIFIER.match(tokens[start]):
        return -1
    while place < len(tokens) and tokens[place] in (".0", ".1"):
        place += 1
    return place


def _string(text: str) -> str:
    """A TVS string. TVS knows no escapes: quotes become apostrophes, line breaks (also ``\\n``) a blank."""
    flat = re.sub(r"\\n|[\r\n]+", " ", text)
    return '"' + flat.replace('"', "'") + '"'
