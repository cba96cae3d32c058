"""A search over the lengths of texts: runs on long arguments, long lines, many of them, and many repetitions.

Exploration and path formulas choose the characters of short texts; an overflow of a buffer needs a long one, and any
characters will do. So a run here has texts of one length n, of a few styles. How far a write gets in its block is a
function of n, mostly a linear one: two runs give it, and with it the n at which the write leaves the block. The sizes
that the program names are tried as well. An error counts if `run` shows it on the same inputs.
"""

from __future__ import annotations

import heapq
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from kleene.cfa.expressions import Deref, Field, Index
from kleene.cfa.operations import Assign
from kleene.cfa.program import CProgram
from kleene.domains.explicit.evaluate import Locate, bit_width
from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.interpreter import run
from kleene.domains.explicit.machine import Ended, Machine
from kleene.domains.explicit.outside.keys import key_world
from kleene.domains.explicit.outside.short_texts import short_worlds
from kleene.domains.explicit.outside.vocabulary import MOST_LENGTH, Vocabulary, candidate_lengths, vocabulary_of
from kleene.domains.explicit.outside.world import World, WorldInputs
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import NotModelled, Violation

_STEPS_OF_RUN, _STEPS_OF_CHARACTER = 10_000, 100
"""Steps of one run, and more of them for each character of its texts: it passes over each a few times."""
_STEPS_BETWEEN_LOOKS = 200
"""Steps between two looks at the clock."""
_SECONDS_AFTER_ERROR = 0.3
"""Seconds to continue after the first error."""
_LINES = 3
"""Long lines of one run."""
_SOLUTIONS = 3
"""Times that a length is solved for, of one write in one style: more where it is not linear."""
_STEADINESS = (0.0, 0.5, 0.95)
"""Of runs whose numbers are drawn, one for each length: the probability that a number is the one before."""
_SPREAD, _NUMBERS_OF_LENGTH = 10_000, 16
"""The bound of the numbers that are drawn, many more than a table has entries; how many numbers a length has."""
_MOST_DIFFERENT = 200
"""Texts of one run that are all different: tables grow with fewer, and each run over them takes long."""
_MIXED = 3
"""Runs of each length whose arguments and lines are mixed of what the program names."""
_NUMBERS_OF_ARGUMENTS = (2, 1, 0, 4)
"""Numbers of long arguments: many programs want an exact number of them."""
_MOST_PAIRS = 4
"""Characters between two words, each of which makes a kind of many lines: a queue of `name:text` gets full."""
_DIGIT = b"7"
"""A text that is a number for programs that push numbers; they need not name a digit."""
_LONG, _MANY = "long", "many"
"""Words in the names of styles."""
_LONG_FIRST = 8
"""Lengths of which a few long texts are tried before many texts of one: a buffer is longer than a table, and a run on
one long line takes less than one on as many short ones."""
_SHORT = "short"
"""The name of the styles whose texts have no length that varies."""
_SHORT_TEXTS_FIRST, _SHORT_TEXTS_BETWEEN = 24, 8
"""Short inputs before all lengths, and number of them between two lengths: one takes a few milliseconds."""

_KEYS = "keys"
"""The name of the styles with many operations on few keys, which have no such length either."""
_KEY_RUNS, _KEY_RUNS_BETWEEN = 1000, 8
"""Runs on few keys, and number of them between two lengths: one takes some ten milliseconds."""
_COMMAND_RUNS, _COMMAND_RUNS_BETWEEN = 240, 3
"""The same for runs on commands of a program whose shapes do not branch: lengths may matter as much."""
_STEPS_OF_COMMANDS = 400
"""Steps of a run on many lines for each character of them: a line is compared with all commands."""


class Style(NamedTuple):
    """A way to make a world of a length."""

    name: str
    world: Callable[[int], World]


@dataclass
class LengthOutcome:
    """The errors with the runs that show them. `exhausted`: nothing is left to try."""

    findings: list[Confirmed] = field(default_factory=list)
    by_keys: list[bool] = field(default_factory=list)
    """Of each finding, whether a run of many operations shows it, and not one on long texts."""
    runs: int = 0
    exhausted: bool = False
    seconds: float = 0.0


class LengthSearch:
    """A search that goes on with each call of `run`."""

    def __init__(self, program: CProgram, *, malloc_may_fail: bool, vocabulary: Vocabulary | None = None) -> None:
        self.program = program
        self.malloc_may_fail = malloc_may_fail
        self.machine = Machine(program, malloc_may_fail=malloc_may_fail)
        self.vocabulary = vocabulary or vocabulary_of(program)
        self.outcome = LengthOutcome()
        keys_alone = self.vocabulary.depends_on_keys and not self.vocabulary.depends_on_lengths
        self._styles = [] if keys_alone else styles_of(self.vocabulary)
        lengths = candidate_lengths(self.vocabulary)
        self._waiting = [(self._turn(n, s), n, s) for n in lengths for s in range(len(self._styles))]
        """What to try: its turn, its length and its style."""
        self._asked = {(n, s) for _, n, s in self._waiting}
        self._add_keys()
        self._add_short_texts()
        heapq.heapify(self._waiting)
        self._reach: dict[int, tuple[int, dict[str, int]]] = {}
        self._solved: Counter[tuple[int, str]] = Counter()
        self._writes: dict[str, tuple[Locate, int] | None] = {}
        self._deadline = 0.0

    def _turn(self, length: int, style: int) -> int:
        """When a length is tried: a few long texts cost less than many short ones."""
        return length // _LONG_FIRST if self._styles[style].name.endswith(_LONG) else length

    def _add_keys(self) -> None:
        """Runs on few keys do not depend on the length: some come between two lengths, those of commands alone less."""
        runs, between = 0, 1
        if self.vocabulary.depends_on_keys:
            runs, between = _KEY_RUNS, _KEY_RUNS_BETWEEN
        elif self.vocabulary.has_commands:
            runs, between = _COMMAND_RUNS, _COMMAND_RUNS_BETWEEN
        for seed in range(runs):
            world = key_world(seed, self.vocabulary, malloc_may_fail=self.malloc_may_fail)
            self._waiting.append((seed // between, 0, len(self._styles)))
            self._styles.append(Style(_KEYS, _always(world)))

    def _add_short_texts(self) -> None:
        """Short texts do not depend on the length: some come before all lengths, the others between them."""
        if not (self.vocabulary.arguments or self.vocabulary.reads):
            return
        for number, world in enumerate(short_worlds(self.vocabulary, malloc_may_fail=self.malloc_may_fail)):
            first = -1 if number < _SHORT_TEXTS_FIRST else number // _SHORT_TEXTS_BETWEEN
            self._waiting.append((first, 0, len(self._styles)))
            self._styles.append(Style(_SHORT, _always(world)))

    def run(self, seconds: float) -> LengthOutcome:
        """Go on for some seconds, and not much longer after an error."""
        start = time.monotonic()
        self._deadline = start + seconds
        while self._waiting and time.monotonic() < self._deadline:
            _, length, style = heapq.heappop(self._waiting)
            known = len(self.outcome.findings)
            reach = self._try(self._styles[style], length)
            self.outcome.by_keys += [self._styles[style].name == _KEYS] * (len(self.outcome.findings) - known)
            self.outcome.runs += 1
            if len(self.outcome.findings) > known == 0:
                self._deadline = min(self._deadline, time.monotonic() + _SECONDS_AFTER_ERROR)
            for solution in self._solve(style, length, reach):
                if (solution, style) not in self._asked:
                    self._asked.add((solution, style))
                    heapq.heappush(self._waiting, (self._turn(solution, style), solution, style))
        self.outcome.exhausted = not self._waiting
        self.outcome.seconds += time.monotonic() - start
        return self.outcome

    def _solve(self, style: int, length: int, reach: dict[str, int]) -> Iterator[int]:
        """The lengths at which some write leaves its block, if how far it gets is linear in the length."""
        if self._styles[style].name in (_SHORT, _KEYS):
            return
        before, earlier = self._reach.get(style, (length, {}))
        self._reach[style] = (length, reach)
        distance = length - before
        for location, beyond in reach.items():
            gained = beyond - earlier.get(location, beyond)
            if gained * distance <= 0 or beyond > 0 or self._solved[style, location] >= _SOLUTIONS:
                continue
            self._solved[style, location] += 1
            wanted = length - beyond * distance // gained
            yield from (n for n in (wanted, wanted + 1) if 0 < n <= MOST_LENGTH)

    def _try(self, style: Style, length: int) -> dict[str, int]:
        """One run; by how many bytes each write got beyond its block at most: a negative number if it stayed inside."""
        source = WorldInputs(style.world(length))
        state = self.machine.start(source)
        reach: dict[str, int] = {}
        of_lines = style.name == _KEYS or style.name.startswith(_MANY)
        more = _STEPS_OF_COMMANDS * len(source.world.input) if of_lines else _STEPS_OF_CHARACTER * length
        for steps in range(1, _STEPS_OF_RUN + max(more, 0)):
            if steps % _STEPS_BETWEEN_LOOKS == 0 and time.monotonic() > self._deadline:
                break
            self._measure(state, reach)
            try:
                if self.machine.step(state) is None:
                    break
            except Violation:
                self._confirm(source, steps)
                break
            except Ended as end:
                if end.status is not None and any(b.kind == "heap" and b.alive for b in state.blocks.values()):
                    self._confirm(source, steps)
                break
            except NotModelled:
                break
        return reach

    def _measure(self, state: State, reach: dict[str, int]) -> None:
        """Note how far the write at the place of a state gets, if it has one."""
        frame = state.frames[-1]
        if frame.location not in self._writes:
            self._writes[frame.location] = self._write_at(frame.location, frame.function)
        write = self._writes[frame.location]
        if write is None:
            return
        locate, width = write
        try:
            number, bit = locate(state)
        except (Violation, NotModelled):
            return
        block = state.blocks.get(number)
        if block is not None:
            beyond = (bit + width) // 8 - block.size
            reach[frame.location] = max(reach.get(frame.location, beyond), beyond)

    def _write_at(self, location: str, function: str) -> tuple[Locate, int] | None:
        """The address of an assignment through a pointer or an index."""
        step = self.machine.step_at(location, function)
        target = step.operation.target if step is not None and isinstance(step.operation, Assign) else None
        while isinstance(target, Field):
            target = target.base
        if not isinstance(target, Deref | Index):
            return None
        return self.machine.compiler.address(target), bit_width(target)

    def _confirm(self, source: WorldInputs, steps: int) -> None:
        """Keep the errors of the run on the same inputs, each kind at each place once."""
        trace = run(
            self.program,
            [value for value, _ in source.used],
            steps + 1,
            malloc_may_fail=self.malloc_may_fail,
            machine=self.machine,
        )
        known = {(c.fault.kind, c.fault.place, c.fault.detail) for c in self.outcome.findings}
        for fault in trace.faults:
            site = (fault.kind, fault.place, fault.detail)
            if site not in known and not trace.tainted:
                known.add(site)
                self.outcome.findings.append(Confirmed(fault, trace))


def _always(world: World) -> Callable[[int], World]:
    return lambda _: world


def styles_of(vocabulary: Vocabulary) -> list[Style]:
    """The styles that may make a difference to a program."""
    styles = [_long(count) for count in (_NUMBERS_OF_ARGUMENTS if vocabulary.arguments else (0,))]
    if vocabulary.arguments or vocabulary.reads:
        commands = dict.fromkeys((_DIGIT, *(bytes((c,)) for c in vocabulary.characters if chr(c).isalnum())))
        pairs = (b"a" + bytes((c,)) + b"b" for c in vocabulary.characters[:_MOST_PAIRS])
        styles += [_many(), *map(_many, commands), *map(_many, pairs)]
        styles += [_split(chr(c)) for c in vocabulary.characters]
        styles += [_mixed(seed, vocabulary) for seed in range(1, _MIXED + 1)]
        styles += [Style("different", _different), Style("numbers", _numbers)]
        styles.append(Style("long name", lambda n: World((b"a",), b"b\n", n, name=b"p" * n)))
    if vocabulary.asks:
        styles += [_drawn(steadiness) for steadiness in _STEADINESS]
    styles.append(Style("failing", lambda n: World((), b"", _NUMBERS_OF_LENGTH * (n + 1), fails=n)))
    return styles


def _long(count: int) -> Style:
    return Style(
        f"{count} {_LONG}", lambda n: World((b"a" * n,) * count, (b"b" * n + b"\n") * _LINES, n, environment=n)
    )


def _many(command: bytes = b"") -> Style:
    """Many short texts, which may be commands: a stack overflows only if each of them pushes something."""
    return Style(f"{_MANY} {command!r}", lambda n: World((command or b"a",) * n, ((command or b"b") + b"\n") * n, n))


def _different(n: int) -> World:
    """Many short texts, no two of them equal: a table grows only if its keys differ."""
    texts = tuple(f"k{number}".encode() for number in range(min(n, _MOST_DIFFERENT)))
    return World(texts, b"".join(text + b"\n" for text in texts), n)


def _numbers(n: int) -> World:
    """Many numbers that are drawn, as texts: a search through a table goes past its end only where keys collide."""
    chance = random.Random(n)
    texts = tuple(str(chance.randrange(_SPREAD)).encode() for _ in range(min(n, _MOST_DIFFERENT)))
    return World(texts, b"".join(text + b"\n" for text in texts), n, seed=n + 1, spread=_SPREAD)


def _drawn(steadiness: float) -> Style:
    """Numbers that are drawn: some select an operation, others are keys and values."""

    def world(n: int) -> World:
        return World((), b"", _NUMBERS_OF_LENGTH * (n + 1), seed=n + 1, spread=_SPREAD, steadiness=steadiness)

    return Style(f"drawn {steadiness}", world)


def _split(separator: str) -> Style:
    """Texts of many parts, and texts with a separator behind a long first part."""

    def world(n: int) -> World:
        parts = f"a{separator}".encode() * n
        tail = b"b" * n + separator.encode() + b"b" * n
        return World((tail, parts), parts + b"\n" + tail + b"\n", n)

    return Style(f"split at {separator!r}", world)


def _mixed(seed: int, vocabulary: Vocabulary) -> Style:
    """Texts of the program, alone and with long ones behind them."""
    literals = vocabulary.literals or (b"-x",)
    separators = [bytes((c,)) for c in vocabulary.characters] or [b" "]

    def text(chance: random.Random, n: int) -> bytes:
        choice = chance.randrange(4)
        long = b"a" * n
        if choice == 0:
            return chance.choice(literals)
        if choice == 1:
            return chance.choice(literals) + chance.choice(separators) + long
        if choice == 2:
            return b"".join(chance.choice((b"a", _DIGIT, *separators)) for _ in range(n))
        return long

    def world(n: int) -> World:
        chance = random.Random(f"{seed} {n}")
        arguments = tuple(text(chance, n) for _ in range(chance.randint(1, 4)))
        lines = b"".join(text(chance, n) + b"\n" for _ in range(chance.randint(1, 4)))
        return World(arguments, lines, n, seed)

    return Style(f"mixed {seed}", world)
