"""Runs of many operations on few keys: trees are rotated, and nodes removed, only where many keys meet again.

Breadth-first exploration executes three or four operations. A rotation at an inner node needs seven keys or more, in
some order; removal needs a key that was inserted before. Here each number is one of a few keys, or 0; how often a place
gets 0 differs from run to run, so that some runs fill a structure before they empty it. Each line is a command of the
program with a few keys behind it; a run knows some of the commands only (Groce, Zhang, Eide, Chen, Regehr. Swarm
testing. ISSTA 2012). In every second run an allocation fails, early or late. (Random testing of operations with small
scopes: Claessen, Hughes. QuickCheck. ICFP 2000; Jackson. Software Abstractions. 2006.)
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from kleene.domains.explicit.outside.vocabulary import Vocabulary
from kleene.domains.explicit.outside.world import World

KEYS = 12
"""Numbers that a run gets: so few that keys are found again, and enough for trees of four levels."""
REPEATS = (24, 48, 96)
"""Numbers that a run asks for before it gets 0 only: some a key and some a choice."""
LINES = (6, 12, 24)
"""Lines of a run: a third operation meets what the second has left; a queue of 16 places is full after 17."""
_MOST_ALLOCATIONS = 40
"""Allocations, one of which fails in every second run."""
_LETTERS = b"abcdefghijkl"
"""Keys of lines."""
_FEW_KEYS = (1, 2, 3, KEYS)
"""Keys of one run whose lines are commands: few are found again, many fill a table."""
_NUMBERS = (b"1", b"2", b"3", b"0", b"-1", b"7")
"""Numbers in lines."""
_COMMANDS = (1, 3, 3, 100)
"""Commands of one run: an error often needs several of one kind in turn, which all together would seldom give."""
_FORMS = 4
"""Ways to write a line with a character that means something."""
_ARITIES = (0, 1, 1, 2, 2)
"""Words behind a command: a name, and a value."""
_OTHERS_ODDS = 4
"""One word of so many is a number or a text of the program, and not a key."""


def key_world(seed: int, vocabulary: Vocabulary | None = None, *, malloc_may_fail: bool = False) -> World:
    """The world of a run on keys; its lines are commands of the program with keys."""
    chance = random.Random(seed)
    repeats = chance.choice(REPEATS)
    fails = chance.randrange(1, _MOST_ALLOCATIONS + 1) if malloc_may_fail and seed % 2 else 0
    lines = _lines(chance, vocabulary) if vocabulary is not None and vocabulary.reads else []
    arguments = (b"a",) if vocabulary is not None and vocabulary.arguments else ()
    return World(arguments, b"".join(line + b"\n" for line in lines), repeats, seed, fails=fails, keys=KEYS)


def _lines(chance: random.Random, vocabulary: Vocabulary) -> list[bytes]:
    """The lines of a run, by some of the commands; each command has a number of keys behind it."""
    marks = [bytes((c,)) for c in vocabulary.characters if c != ord(" ")]
    commands = [b"", *marks, *vocabulary.commands]
    known = chance.sample(commands, min(chance.choice(_COMMANDS), len(commands)))
    arities = {command: chance.choice(_ARITIES) for command in known}
    keys = [bytes((c,)) for c in _LETTERS[: chance.choice(_FEW_KEYS)]]
    end = chance.choice((b"", *marks))
    forms = chance.sample(range(_FORMS), chance.randint(1, _FORMS))
    others = (*keys, *_NUMBERS, *vocabulary.commands)

    def line() -> bytes:
        command, form = chance.choice(known), chance.choice(forms)
        words = [chance.choice(others if chance.randrange(_OTHERS_ODDS) == 0 else keys) for _ in range(max(_ARITIES))]
        if command in marks:
            return _with_mark(form, command, words, vocabulary.brackets.get(command, end))
        return b" ".join([command, *words[: arities[command]]]).strip()

    return [line() for _ in range(chance.choice(LINES))]


def _with_mark(form: int, mark: bytes, words: Sequence[bytes], end: bytes) -> bytes:
    """A line with a character that means something: alone, or `a=b`, `+ a 1`, `[a]`."""
    match form:
        case 0:
            return mark
        case 1:
            return words[0] + mark + words[-1]
        case 2:
            return mark + b" " + b" ".join(words)
    return mark + words[0] + end
