"""Structures as TVS text, in the form that TVLA 3 writes (`%location` blocks are TVLA 3's own).

The text is canonical: predicates by arity and written name, tuples in node order, zeros left out, every other
value written. As TVLA 3 does by default, `ac` is written under its old name `inac`, where 1 means active.
Deviation: nodes and structures come in sorted order, so that equal results are equal texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from kleene.logic.vocabulary import Vocabulary
from kleene.structures.layout import Layout
from kleene.structures.structure import Structure

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$.]*\Z")
_NODE_TOKEN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$.]*|\.[01]|[\[\],]")
_WRITTEN_NAME = {"ac": "inac"}
_VOCABULARIES = 8
"""Vocabularies whose order of predicates is remembered: a result has one."""
_TEXTS = 1 << 16
"""Values whose text is remembered: some 20 MiB."""


@dataclass(frozen=True)
class TvsLocation:
    """The content of one `%location` block: structures, and messages, each with the structure on which it fired."""

    name: str
    structures: tuple[Structure, ...] = ()
    messages: tuple[tuple[str, Structure], ...] = ()


def structure_tvs(structure: Structure, *, significant: bool = False, indent: str = "") -> str:
    """One structure as TVS text. With `significant`, node names are kept if they can be read back."""
    text = structure.text("tvs", _columns, indent)
    if text is not None:
        return text
    lines = [f"{indent}%n = {{{', '.join(_node_names(structure, significant))}}}", f"{indent}%p = {{"]
    lines += [f"{indent}  {line}" for line in _predicate_lines(structure, significant)]
    return "\n".join(lines) + f"\n{indent}}}\n"


def structures_tvs(structures: Iterable[Structure], *, significant: bool = False) -> str:
    """Structures in the given order, as an input file of an analysis."""
    return "\n".join(structure_tvs(s, significant=significant) for s in structures)


def location_tvs(location: TvsLocation, *, significant: bool = False) -> str:
    """One `%location` block: messages sorted by text and structure, then the structures, sorted."""
    return "".join(_location_parts(location, significant))


def locations_tvs(locations: Iterable[TvsLocation], *, significant: bool = False) -> str:
    """A whole result: one block for each location, in the given order; empty locations are empty blocks."""
    return "".join(tvs_parts(locations, significant=significant))


def tvs_parts(locations: Iterable[TvsLocation], *, significant: bool = False) -> Iterator[str]:
    """The same text piece by piece, for writing while it is made."""
    between = ""
    for location in locations:
        yield between
        yield from _location_parts(location, significant)
        between = "\n"


def _location_parts(location: TvsLocation, significant: bool) -> Iterator[str]:
    messages = sorted(
        ((_string(text), structure) for text, structure in location.messages),
        key=lambda pair: (pair[0], structure_order(pair[1])),
    )
    name = location.name if _IDENTIFIER.match(location.name) else _string(location.name)
    yield f"%location {name} = {{\n"
    between = ""
    for text, structure in messages:
        yield f"{between}  %message {text}\n" + structure_tvs(structure, significant=significant, indent="  ")
        between = "\n"
    for structure in _in_order(location.structures):
        yield between + structure_tvs(structure, significant=significant, indent="  ")
        between = "\n"
    yield "}\n"


def _in_order(structures: Sequence[Structure]) -> Sequence[Structure]:
    """Stores give structures in this order already."""
    if all(first.precedes(second) for first, second in pairwise(structures)):
        return structures
    return sorted(structures, key=structure_order)


def structure_order(structure: Structure) -> tuple[int, tuple[int, ...]]:
    """A sort key: small structures first, then by value. It does not depend on hashes."""
    return structure.size, structure.values


def _predicate_lines(structure: Structure, significant: bool) -> list[str]:
    names = _node_names(structure, significant) if significant and structure.names else None
    values, layout = structure.values, structure.layout
    lines = []
    for place, arity, start in _columns(structure.vocabulary):
        must, may = values[2 * place], values[2 * place + 1]
        if may:
            lines.append(
                start
                + (_value_text(layout, arity, must, may) if names is None else _text(layout, arity, must, may, names))
            )
    return lines


@lru_cache(maxsize=_VOCABULARIES)
def _columns(vocabulary: Vocabulary) -> tuple[tuple[int, int, str], ...]:
    """The predicates in the order in which they are written: place, arity, and the text before the value."""
    written = sorted((p.arity, _WRITTEN_NAME.get(p.name, p.name), place) for place, p in enumerate(vocabulary))
    return tuple((place, arity, f"{shown} = ") for arity, shown, place in written)


@lru_cache(maxsize=_TEXTS)
def _value_text(layout: Layout, arity: int, must: int, may: int) -> str:
    """The text of one predicate's value. The structures of a result share most of them."""
    return _text(layout, arity, must, may, [f"_{node}" for node in range(layout.width)])


def _text(layout: Layout, arity: int, must: int, may: int, names: Sequence[str]) -> str:
    entries = []
    for nodes in layout.tuples(may, arity):
        value = "1" if must >> layout.bit(nodes) & 1 else "1/2"
        match [names[node] for node in nodes]:
            case []:
                return value
            case [node]:
                entries.append(f"{node}:{value}")
            case [left, right]:
                entries.append(f"{left}->{right}:{value}")
            case several:
                entries.append(f"({','.join(several)}):{value}")
    return f"{{{', '.join(entries)}}}"


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
