"""The world of one run: the arguments of `main`, the bytes that it reads, and the other numbers that it asks for.

Library functions that read ask for the length of the next line or word and for its bytes
(`c/headers/kleene_library.c`); all of them read one stream here. So a run on a world is one that a shell can start, and
`standard_input` gives back the bytes of a run.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass

from kleene.cfa.operations import (
    BYTES_LEFT,
    LINE_LENGTH,
    NATURAL_SOURCES,
    OUTSIDE_LENGTH,
    READ_BYTE,
    READ_COUNT,
    READ_NUMBER,
    READ_OR_END,
    WORD_LENGTH,
)
from kleene.cfa.types import CHAR
from kleene.domains.explicit.entry import UNWRITTEN
from kleene.domains.explicit.state import InputSource, State
from kleene.domains.explicit.values import Value
from kleene.passes.entry_parameters import LEAST_ARGUMENTS, MOST_ARGUMENTS

_LENGTH_OF_ARGUMENT = re.compile(r"length of argument (\d+)")
_CHARACTER_OF_ARGUMENT = re.compile(r"character (\d+) of argument (\d+)")
_MALLOC = "malloc succeeds"
_FILLER = ord("a")
"""The value of numbers that are read before they are written: as a byte, no terminator."""
_MANY = 1 << 20
"""More conversions than a call of `scanf` has."""
_DRAWN_NUMBERS = (0, 1, 2, 3, 4, 5, -1)
"""Numbers that select an operation, or say whether to go on."""
_ODDS = (3, 100)
"""Where numbers are keys, a place gets 0 once in so many times: it chooses an operation, or ends a loop."""
_SPREAD_SHARE = 0.5
"""Share of the numbers of a run that are keys or values, where numbers are spread."""
_WORD = re.compile(rb"\s*(\S+)")
_INTEGER = re.compile(rb"-?\d+")
_SPACES = b" \t\n\v\f\r"


@dataclass(frozen=True)
class World:
    """`arguments` are those behind the name of the program. A number that the program asks for is 1 (with a `seed`: is
    drawn) until it has asked `repeats` times, and 0 after that, so that loops on it end."""

    arguments: tuple[bytes, ...] = ()
    input: bytes = b""
    repeats: int = 0
    seed: int = 0
    name: bytes = b"p"
    """The first argument: the name of the program."""
    environment: int = 0
    """The length of the texts of the system: variables of the environment, messages."""
    fails: int = 0
    """The number of the allocation that fails, from 1; 0: none does."""
    spread: int = 0
    """Half of the numbers that are drawn are less than this: keys of a table must differ; 0: none is."""
    steadiness: float = 0.0
    """The probability that a number is the one before: an array is full only if few operations take from it."""
    keys: int = 0
    """Numbers are 0, as often as the place that asks for one says, or one of so many keys; 0: they are others."""


class WorldInputs(InputSource):
    """The inputs of a run in a world; records them with their purposes."""

    whole_arguments = True

    def __init__(self, world: World) -> None:
        self.world = world
        self.arguments = (world.name, *world.arguments)
        self.used: list[tuple[int, str]] = []
        self._at = 0
        self._asked = 0
        self._allocations = 0
        self._random = random.Random(world.seed)
        self._last = 1
        self._odds: dict[str, int] = {}
        """At each place how seldom it gets 0, where numbers are keys."""

    def draw(self, state: State, low: int, high: int, why: str) -> Value:
        value = min(max(self._value(why, low, high, state.frames[-1].location), low), high)
        self.used.append((value, why))
        return value

    def _value(self, why: str, low: int, high: int, place: str) -> int:
        read = self.text_input(why, low, high)
        if read is not None:
            return read
        if why == UNWRITTEN:
            return _FILLER
        if why == _MALLOC:
            self._allocations += 1
            return int(self._allocations != self.world.fails)
        if self.world.keys:
            return self._key(place)
        return abs(self._number()) if why in NATURAL_SOURCES else self._number()

    def text_input(self, why: str, low: int, high: int) -> int | None:
        """An input that belongs to the arguments or to the stream; None for any other one."""
        if match := _CHARACTER_OF_ARGUMENT.fullmatch(why):
            return CHAR.wrap(self.arguments[int(match[2])][int(match[1]) - 1])
        if match := _LENGTH_OF_ARGUMENT.fullmatch(why):
            return len(self.arguments[int(match[1])])
        if why.startswith("parameter ") and (low, high) == (LEAST_ARGUMENTS, MOST_ARGUMENTS):
            return len(self.arguments)
        return self.world.environment if why == OUTSIDE_LENGTH else self._read(why)

    def _read(self, why: str) -> int | None:
        """What a library function reads from the stream; None if it asks for something else."""
        text = self.world.input
        if why == LINE_LENGTH:
            end = text.find(b"\n", self._at)
            return len(text) - self._at if end < 0 else end + 1 - self._at
        if why == BYTES_LEFT:
            return len(text) - self._at
        if why in (READ_BYTE, READ_OR_END):
            if self._at >= len(text):
                return -1 if why == READ_OR_END else 0
            self._at += 1
            byte = text[self._at - 1]
            return byte if why == READ_OR_END else CHAR.wrap(byte)
        word = _WORD.match(text, self._at)
        if why == READ_COUNT:
            return -1 if word is None else _MANY
        if why == WORD_LENGTH:
            self._at = word.start(1) if word is not None else len(text)
            return len(word[1]) if word is not None else 0
        if why == READ_NUMBER:
            self._at = word.end() if word is not None else len(text)
            if self.world.keys and word is not None and _INTEGER.fullmatch(word[1]):
                return int(word[1])
            return self._number()
        return None

    def _number(self) -> int:
        self._asked += 1
        if self._asked > self.world.repeats:
            return 0
        if not (self.world.steadiness and self._random.random() < self.world.steadiness):
            self._last = self._drawn()
        return self._last

    def _key(self, place: str) -> int:
        self._asked += 1
        odds = self._odds.setdefault(place, self._random.choice(_ODDS))
        zero = self._asked > self.world.repeats or self._random.randrange(odds) == 0
        return 0 if zero else self._random.randrange(1, self.world.keys + 1)

    def _drawn(self) -> int:
        if self.world.spread and self._random.random() < _SPREAD_SHARE:
            return self._random.randrange(self.world.spread)
        return self._random.choice(_DRAWN_NUMBERS) if self.world.seed else 1


def standard_input(inputs: Iterable[tuple[int, str]]) -> bytes:
    """The bytes that a run has read, of its inputs with their purposes."""
    text = bytearray()
    for value, why in inputs:
        if why in (WORD_LENGTH, READ_NUMBER) and text and text[-1] not in _SPACES:
            text += b" "
        if why == READ_NUMBER:
            text += f"{value}\n".encode()
        elif why == READ_BYTE or (why == READ_OR_END and value >= 0):
            text.append(value & 255)
    return bytes(text)
