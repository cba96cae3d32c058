"""The vocabulary that a TVS file itself suggests, for looking at structures without their program.

Names and arities are those that the file uses. A unary predicate with a plain name that never holds on two nodes of one
structure is drawn as a pointer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kleene.diagnostics import InputError
from kleene.logic.vocabulary import RESERVED, Predicate, Vocabulary
from kleene.source.preprocess import preprocess
from kleene.source.tokens import TVS, Kind, Token


@dataclass
class _Use:
    arity: int = 0
    known: bool = False
    most: int = 0


def vocabulary_of(
    path: str | Path, *, include: Sequence[str] = (), macros: Mapping[str, str] | None = None
) -> Vocabulary:
    """The predicates that a TVS file mentions."""
    source = preprocess(path, TVS, include=include, macros=macros)
    if source.errors:
        raise InputError(source.errors)
    uses: dict[str, _Use] = {}
    tokens = source.tokens
    i = 0
    while i < len(tokens):
        if tokens[i].text == "%p" and [t.text for t in tokens[i + 1 : i + 3]] == ["=", "{"]:
            i = _block(tokens, i + 3, uses)
        else:
            i += 1
    return Vocabulary(tuple(_predicate(name, use) for name, use in uses.items() if name not in RESERVED))


def _predicate(name: str, use: _Use) -> Predicate:
    arity = use.arity if use.known else 1
    pointer = arity == 1 and use.most <= 1 and "[" not in name
    args = tuple(f"v{k + 1}" for k in range(arity))
    return Predicate(name, arity, args, abstraction=arity < 2, pointer=pointer)


def _block(tokens: Sequence[Token], i: int, uses: dict[str, _Use]) -> int:
    """Read ``name = value`` and ``name = { ... }`` up to the closing brace; the result is the place after it."""
    while i < len(tokens) and tokens[i].text != "}" and tokens[i].kind is not Kind.END:
        name = ""
        while i < len(tokens) and tokens[i].text != "=" and tokens[i].kind is not Kind.END:
            name += tokens[i].text
            i += 1
        i += 1
        use = uses.setdefault(name.lstrip(","), _Use())
        if i < len(tokens) and tokens[i].text == "{":
            i = _entries(tokens, i + 1, use)
        else:
            use.known = True
            i += 1
    return i + 1


def _entries(tokens: Sequence[Token], i: int, use: _Use) -> int:
    count, arity, depth, commas = 0, 1, 0, 0
    seen = False
    while i < len(tokens) and tokens[i].kind is not Kind.END and (depth or tokens[i].text != "}"):
        text = tokens[i].text
        seen = True
        if text == "->":
            arity = 2
        elif text in "([":
            depth += 1
        elif text in ")]":
            depth -= 1
            if text == ")":
                arity = max(arity, commas + 1)
            commas = 0
        elif text == ",":
            count += not depth
            commas += bool(depth)
        i += 1
    if seen:
        use.arity, use.known = max(arity, use.arity), True
        use.most = max(use.most, count + 1)
    return i + 1
