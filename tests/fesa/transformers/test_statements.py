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
from tests.fesa.transformers.test_enumeration import SETTINGS

from kleene.cfa.expressions import Constant
from kleene.cfa.operations import Exit, Place, Return
from kleene.cfa.types import INT

PLACE = Place("all.c", 1, 1, "main")
SIZES = ((0, 2, 0), (1, 1, 0), (2, 0, 0), (1, 1, 1))
"""Blocks, places without a value, lost blocks."""
ALONE, TOGETHER = 16, 24
"""Memories of each size that are looked at one by one, and in one state."""
RARE = {"parts": "links", "expressions": "numbers"}
"""Vocabularies whose statements come after those of others."""
CASES = [
    pytest.param(name, code, id=f"{name}: {code}")
    for name in ("objects", "numbers", "lists", "links", *RARE)
    for code in VOCABULARIES[name].statements
    if name not in RARE or code not in VOCABULARIES[RARE[name]].statements
]
VAGUE = {
    *("i = i + 1;", "x->n = x->n + 1;", "i = i & 1;", "i = -i;", "i = (_Bool) i;", "i = x->n == i;"),
    *("memset(x, 1, 4);", "i = i / 2;", "i = 1 - i;", "i = 4 + x->n;", "i = i + x->n;", "i = x->n - x->a->n;"),
    *("i = x->a->n / 5;", "i = (i == 1) == (x->n == 1);", "x->n = -x->n;"),
    *("memset(x, 0, 12);", "memset(x, 0, 15);"),
}
"""Statements after which a value is not known exactly: few numbers in a table, zeros over a part of a pointer."""
IN_ORDER = {
    *("if (i < 1) ;", "if (x->n >= i) ;", "if (x->n + 1 == i) ;", "if (x->n == i) ;", "if (i != x->n) ;"),
    *("if (i == x->a->n) ;", "if (i / 5) ;", "if ((i == 5) != (x->n == 5)) ;"),
}
"""Conditions that may go either way for a number that no table has."""
ACROSS = {"memcpy(&x->a, &y->b, 8);", "memcpy(&x->b, &y->a, 8);"}
"""Copies that the domain refuses within one block."""


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


def possible(statement: Statement, item: Item) -> bool:
    values = item.heap.values
    within = statement.code in ACROSS and values["x", 0] == values["y", 0]
    return not within and statement.possible(item.heap)


@pytest.mark.parametrize(("vocabulary", "code"), CASES)
def test_what_a_statement_does(folder: Path, vocabulary: str, code: str) -> None:
    own, statement = the_statement(vocabulary, code, folder)
    for item in chain(*spread(vocabulary, folder, ALONE)):
        if possible(statement, item):
            own.check_statement(statement, own.state([item]), [item])
    for items in spread(vocabulary, folder, TOGETHER):
        able = [item for item in items if possible(statement, item)]
        own.check_statement(statement, own.state(able, remembers=True), able)


@pytest.mark.parametrize(("vocabulary", "code"), CASES)
def test_a_statement_is_exact(folder: Path, vocabulary: str, code: str) -> None:
    own, statement = the_statement(vocabulary, code, folder)
    for item in chain(*spread(vocabulary, folder, ALONE)[:3]):
        apart = len(set(item.placing.values())) == len(item.placing)
        if apart and possible(statement, item):
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
                    assert state is None or not own.meaning.represents(state.vectors, other, item.placing), (
                        f"{told}: {other}"
                    )


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


ENDS = {
    "return": Return(PLACE, None),
    "return a number": Return(PLACE, Constant(3, INT)),
    "exit": Exit(PLACE, Constant(3, INT)),
    "abort": Exit(PLACE, None),
}


@pytest.mark.parametrize("vocabulary", ["objects", "links"])
@pytest.mark.parametrize("end", ENDS)
def test_the_end_of_a_program(folder: Path, vocabulary: str, end: str) -> None:
    """What is not freed is reported, unless the program aborts; a return also loses what only variables held."""
    own = bench(vocabulary, folder)
    for item in chain(*spread(vocabulary, folder, TOGETHER)):
        told: list[str] = []
        own.transfer.report = lambda kind, text, told=told: told.append(kind)
        assert list(own.transfer.apply(own.state([item]), ENDS[end])) == []
        left = any(isinstance(thing, int) for thing in item.heap.alive)
        assert ("memory_cleanup" in told) == (left and end != "abort"), item
        held = left and not item.heap.lost
        assert not held or ("memory_leak" in told) == end.startswith("return"), item
        assert set(told) <= {"memory_cleanup", "memory_leak"}
