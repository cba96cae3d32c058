"""Short inputs of what the program names: lines ``key=value``, commands, repeated keys, and an allocation that fails.

A program that takes its lines apart does something only where they have the characters that it looks for. Formulas over
the characters of whole lines are large, so a few lines are made of its characters and texts, the shortest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from kleene.domains.explicit.outside.vocabulary import Vocabulary
from kleene.domains.explicit.outside.world import World

_MOST_NAMES = 4
"""Characters, and texts, of the program that lines are made of: each is tried with all others of the line."""
_MOST_LINES = 3
"""Lines of one input: the third operation on a key meets what the second has left."""
_MIXED_FORMS = 5
"""Forms of lines that are tried in pairs."""
_FAILING_FORMS = 4
"""Forms of lines that are tried with allocations that fail."""
_FAILING_ALLOCATIONS = 6
"""Allocations, from the first, each of which fails once: a container, a node and its texts."""


def short_worlds(vocabulary: Vocabulary, *, malloc_may_fail: bool) -> list[World]:
    """The worlds to try, the shortest first."""
    forms = list(dict.fromkeys(_forms(vocabulary)))
    worlds = [_world(vocabulary, [form] * count) for count in range(1, _MOST_LINES + 1) for form in forms]
    worlds += [_world(vocabulary, pair) for pair in permutations(forms[:_MIXED_FORMS], 2)]
    if not malloc_may_fail:
        return worlds
    failing = [
        _world(vocabulary, [form] * count, fails)
        for fails in range(1, _FAILING_ALLOCATIONS + 1)
        for count in (1, 2)
        for form in forms[:_FAILING_FORMS]
    ]
    failing += [
        _world(vocabulary, pair, fails)
        for fails in range(2, _FAILING_ALLOCATIONS + 1)
        for pair in permutations(forms[:_FAILING_FORMS], 2)
    ]
    return [world for pair in zip(failing, worlds, strict=False) for world in pair] + [
        *worlds[len(failing) :],
        *failing[len(worlds) :],
    ]


def _forms(vocabulary: Vocabulary) -> Iterator[bytes]:
    marks = [bytes((c,)) for c in vocabulary.characters][:_MOST_NAMES]
    names = [text for text in vocabulary.literals if text.isascii() and b"\n" not in text][:_MOST_NAMES]
    for one, two in vocabulary.brackets.items():
        yield one + b"a" + two
    for mark in marks:
        yield b"a" + mark + b"b"
    yield b"a"
    for name in names:
        yield name
        yield name + b" 1"
        for mark in marks[:1]:
            yield name + mark + b"b"
    for mark in marks:
        yield mark
        yield b"a" + mark
    yield b""


def _world(vocabulary: Vocabulary, lines: Sequence[bytes], fails: int = 0) -> World:
    text = b"".join(line + b"\n" for line in lines)
    arguments = tuple(lines) if vocabulary.arguments else ()
    return World(arguments, text, repeats=len(lines) + 1, fails=fails)
