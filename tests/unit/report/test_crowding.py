"""Where structures multiply: in the table of --profile, in the reason of an UNKNOWN, and in the progress."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kleene.analysis.c import strategy
from kleene.analysis.c.shape import telling
from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.cli import run_main
from kleene.passes.preparation import Prepared
from kleene.report.check.crowding import _list, crowding_sentence, crowds
from kleene.report.findings.written_names import WrittenNames

TWO_LISTS = """#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
static struct node *push(struct node *l) {
    struct node *n = malloc(sizeof *n);
    if (!n) abort();
    n->next = l;
    return n;
}
int main(void) {
    struct node *a = NULL, *b = NULL;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) a = push(a); else b = push(b);
    }
    if (a == b) abort();
    abort();
}
"""
LOOP = 12
"""The line of the loop, where the product of two lists is."""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "two.c"
    path.write_text(TWO_LISTS)
    return path


def test_the_loop_and_what_tells_its_structures_apart(program: Path) -> None:
    result = analyse(Prepared(read_program([str(program)])), malloc_may_fail=True, seconds=20)
    loop = next(crowd for crowd in crowds(result) if crowd.place.line == LOOP)
    assert loop.is_loop and loop.structures == 9
    assert loop.facts[:2] == ("a", "b") and not any("r[" in fact for fact in loop.facts)
    assert "told apart by" in crowding_sentence(result)


def test_slots_are_elements_in_words() -> None:
    facts = ["$slot t->buckets[(h % 8u)]->element", "$slot t->buckets[i]", "what other blocks hold"]
    assert _list(facts, WrittenNames(())) == "t->buckets[(h % 8u)], t->buckets[i], what other blocks hold"
    facts = ["$rest of struct entry *->element", "$some struct entry *", "t->size"]
    assert _list(facts, WrittenNames(())) == "elements of type struct entry *, t->size"


def test_profile_and_reason(program: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without FESA, which proves the program where it has the time."""
    monkeypatch.setattr(strategy, "PHASES", tuple(phase for phase in strategy.PHASES if phase.name != "FESA"))
    assert run_main(["check", str(program), "--profile", "--max-structures", "60", "--timeout", "5"]) == 3
    printed = capsys.readouterr().out
    assert "told apart by" in printed.partition("unknown because")[0]
    assert "more than 60 structures; most structures" in printed


def test_progress_names_function_line_and_structures(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "TELLING_SECONDS", 0.0)
    told: list[str] = []
    analyse(Prepared(read_program([str(program)])), malloc_may_fail=True, seconds=20, tell=told.append)
    line = next(text for text in told if text.startswith(f"loop in main, line {LOOP}: "))
    assert re.search(r": \d+ new, \d+ structures \(acyclic", line)
