"""Each statement alone on memories of up to two blocks, spread over all of them (`test_enumeration.py` takes all).

A memory whose blocks have nodes of their own is followed exactly: nothing is reported that does not happen, and the
state afterwards has no memory that differs in one place.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
from tests.fesa.checking import Bench, Item
from tests.fesa.concrete import ACCESS, NUMBERS, UNSET, Concrete, Outcome, Value, outcomes
from tests.fesa.statements import VOCABULARIES, Statement
from tests.fesa.test_enumeration import SETTINGS

SIZES = ((0, 2, 0), (1, 1, 0), (2, 0, 0), (1, 1, 1))
"""Blocks, places without a value, lost blocks."""
ALONE, TOGETHER = 16, 24
"""Memories of each size that are looked at one by one, and in one state."""
CASES = [
    pytest.param(name, code, id=f"{name}: {code}")
    for name in ("objects", "numbers", "lists", "links")
    for code in VOCABULARIES[name].statements
]
VAGUE = {
    "i = i + 1;",
    "x->n = x->n + 1;",
    "i = i & 1;",
    "i = -i;",
    "i = (_Bool) i;",
    "i = x->n == i;",
    "memset(x, 1, 4);",
}
"""Statements after which a number is not known exactly: the table of a number has few."""
IN_ORDER = {"if (i < 1) ;", "if (x->n >= i) ;", "if (x->n + 1 == i) ;", "if (x->n == i) ;"}
"""Conditions that may go either way for a number that no table has."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("statements")


@cache
def bench(vocabulary: str, folder: Path) -> Bench:
    return Bench(VOCABULARIES[vocabulary], folder, SETTINGS["default"])


@cache
def spread(vocabulary: str, folder: Path, count: int) -> list[list[Item]]:
    """So many memories of each size, at equal distances."""
    all_items = (list(bench(vocabulary, folder).items(*size)) for size in SIZES)
    return [items[:: max(1, len(items) // count)] for items in all_items]


def the_statement(vocabulary: str, code: str, folder: Path) -> tuple[Bench, Statement]:
    own = bench(vocabulary, folder)
    return own, next(s for s in own.statements if s.code == code)


@pytest.mark.parametrize(("vocabulary", "code"), CASES)
def test_what_a_statement_does(folder: Path, vocabulary: str, code: str) -> None:
    own, statement = the_statement(vocabulary, code, folder)
    for item in chain(*spread(vocabulary, folder, ALONE)):
        if statement.possible(item.heap):
            own.check_statement(statement, own.state([item]), [item])
    for items in spread(vocabulary, folder, TOGETHER):
        able = [item for item in items if statement.possible(item.heap)]
        own.check_statement(statement, own.state(able, remembers=True), able)


@pytest.mark.parametrize(("vocabulary", "code"), CASES)
def test_a_statement_is_exact(folder: Path, vocabulary: str, code: str) -> None:
    own, statement = the_statement(vocabulary, code, folder)
    for item in chain(*spread(vocabulary, folder, ALONE)[:3]):
        apart = len(set(item.placing.values())) == len(item.placing)
        if apart and statement.possible(item.heap):
            check_exact(own, statement, item)


def check_exact(own: Bench, statement: Statement, item: Item) -> None:
    after, raised = own.apply(statement, own.state([item]))
    ways = outcomes(statement.run, item.heap)
    told = f"{statement.code} from {item}"
    fails_early = "realloc" in statement.code  # it may fail before it looks at the pointer
    assert fails_early or set(raised) <= errors(ways), f"{told} reports {raised}"
    taken = {None if None in after else bool(way.truth) for way in ways if not way.wrong}
    if not fails_early and statement.code not in IN_ORDER:
        assert {truth for truth, state in after.items() if state is not None} == taken, told
    right = [way.after for way in ways if not way.wrong]
    reached = [plain(memory) for memory in right]
    for memory in right if statement.code not in VAGUE else ():
        for other in neighbours(memory):
            if plain(other) not in reached:
                for state in after.values():
                    assert state is None or not own.meaning.represents(state, other, item.placing), f"{told}: {other}"


def errors(ways: list[Outcome]) -> set[str]:
    """What may be reported: of a wrong access each kind."""
    kinds = {"memory_leak" for way in ways if not way.wrong and way.after.leaked()}
    for way in ways:
        kinds |= set(ACCESS) if way.wrong in ACCESS else {way.wrong} if way.wrong else set()
    return kinds


def plain(memory: Concrete) -> tuple[object, ...]:
    return sorted(memory.values.items(), key=str), sorted(memory.alive, key=str)


def neighbours(memory: Concrete) -> Iterator[Concrete]:
    """The memories without leaks that differ in one place."""
    for place, value in memory.values.items():
        others: tuple[Value, ...] = NUMBERS if isinstance(value, int) else (None, UNSET)
        for other in others:
            if other != value:
                changed = memory.copy()
                changed.values[place] = other
                if not changed.leaked():
                    yield changed
