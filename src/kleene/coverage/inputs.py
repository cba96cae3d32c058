"""Inputs for runs that may refute proofs: many iterations, extreme numbers, and the constants of the program.

A plan fixes how many numbers a place reads before it gets 0 (which ends a loop on this number), which numbers it gets,
and which allocation fails. The order of plans is fixed: the same program always gets the same inputs.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from kleene.cfa.expressions import Cast, Constant, walk
from kleene.cfa.operations import expressions
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType
from kleene.domains.explicit.outside.world import MALLOC, World, WorldInputs
from kleene.domains.explicit.state import InputSource, State
from kleene.domains.explicit.values import Value
from kleene.passes.rewrite import operations_of

ROUNDS = (2, 0, 1, 3, 13, 5, 20)
"""Numbers of iterations: none, a few, and more than the length of any special list."""
KINDS = ("ones", "named", "rising", "random", "falling", "extreme")
"""Ways to choose the numbers of a run."""
_FAILING_ALLOCATIONS = 6
"""Number of first allocations, one of which fails in every second run."""
_RANDOM_DISTANCE = 40
"""Random numbers are at most so far from zero, or from a number of the program."""
_PRINTABLE, _LETTER = range(32, 127), ord("a")
"""Characters of texts, and the one that all texts have."""
_LONGEST_TEXT = 300
"""Characters of a text at most: longer ones take too much of the time of a run."""
_MOST_TEXTS = 5
"""Arguments, and lines of the input, at most."""


@dataclass(frozen=True)
class Plan:
    """How the inputs of a run are chosen; `fails` is the number of the allocation that fails, -1 for none."""

    rounds: int
    kind: str
    fails: int
    seed: int


def plans(*, malloc_may_fail: bool) -> Iterator[Plan]:
    """Plans without end: all rounds with each way to choose numbers, again and again with other random numbers."""
    for seed in count():
        chance = random.Random(seed)
        turn, place = divmod(seed, len(ROUNDS))
        rounds, kind = ROUNDS[place], KINDS[(turn + place) % len(KINDS)]
        fails = chance.randrange(_FAILING_ALLOCATIONS) if malloc_may_fail and seed % 2 else -1
        yield Plan(rounds, kind, fails, seed)


def named_numbers(program: CProgram) -> list[int]:
    """The numbers that a program names, their neighbours, and what a conversion of the program makes one of them."""
    numbers, widths = {0, 1}, {0}
    for operation in operations_of(program):
        for node in (n for expression in expressions(operation) for n in walk(expression)):
            if isinstance(node, Constant) and isinstance(node.type, IntegerType):
                numbers.add(node.value)
            elif isinstance(node, Cast) and isinstance(node.type, IntegerType) and not node.type.boolean:
                widths |= {node.type.bits} if node.operand.type.size > node.type.size else set()
    near = {n + d for n in numbers for d in (-1, 0, 1)}
    return sorted({n + (1 << bits if bits else 0) for n in near for bits in widths})


def _world(plan: Plan, named: list[int]) -> World:
    """Texts as long as the plan has rounds, or as a number of the program says, of characters that it names."""
    chance = random.Random(plan.seed)
    letters = [n for n in named if n in _PRINTABLE] or [_LETTER]
    sizes = [plan.rounds, *(n for n in named if 0 < n <= _LONGEST_TEXT)]

    def text() -> bytes:
        length = plan.rounds if plan.kind in ("ones", "rising") else chance.choice(sizes)
        return bytes(chance.choice((_LETTER, *letters)) for _ in range(length))

    arguments = tuple(text() for _ in range(min(plan.rounds, _MOST_TEXTS)))
    return World(arguments, b"".join(text() + b"\n" for _ in range(min(plan.rounds, _MOST_TEXTS))))


class PlannedInputs(InputSource):
    """The inputs of one run. Records them, so that the run can be repeated.

    Arguments and what is read from streams are those of a world (`outside/world.py`) whose lengths the plan chooses.
    """

    whole_arguments = True

    def __init__(self, plan: Plan, named: list[int]) -> None:
        self.plan = plan
        self.named = named
        self.outside = WorldInputs(_world(plan, named))
        self.random = random.Random(plan.seed)
        self.asked: Counter[str] = Counter()
        self.used: list[int] = []

    def draw(self, state: State, low: int, high: int, why: str) -> Value:
        read = self.outside.text_input(why, low, high)
        if why == MALLOC:
            value = self._allocation()
        else:
            value = self._number(state.frames[-1].location, low, high) if read is None else read
        value = min(max(value, low), high)
        self.used.append(value)
        return value

    def _allocation(self) -> int:
        number = self.asked[MALLOC]
        self.asked[MALLOC] += 1
        return int(number != self.plan.fails)

    def _number(self, site: str, low: int, high: int) -> int:
        self.asked[site] += 1
        turn = self.asked[site]
        if (low, high) == (0, 1):
            return self.random.randrange(2)
        if turn > self.plan.rounds and self.plan.kind in ("ones", "rising", "falling"):
            return 0
        match self.plan.kind:
            case "ones":
                return 1
            case "rising":
                return turn
            case "falling":
                return self.plan.rounds + 1 - turn
            case "named":
                first = self.named[self.plan.seed // len(KINDS) % len(self.named)]  # each in its turn
                value = first if turn == 1 else self.random.choice(self.named)
            case "extreme":
                value = self.random.choice((low, high, low + 1, high - 1, -1, 0, 1))
            case _:
                value = self.random.choice(self.named) + self.random.randint(-_RANDOM_DISTANCE, _RANDOM_DISTANCE)
        stays = self.random.randrange(self.plan.rounds + 1) if turn <= self.plan.rounds else 0
        return value if stays or turn <= self.plan.rounds // 2 else self.random.choice((value, 0))
