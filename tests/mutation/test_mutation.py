"""The mutation run itself: it makes mutants of all kinds, and tells a test that looks from one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.mutation import run
from tests.mutation.mutate import mutants
from tests.mutation.table import TESTS

SOURCE = '''\
"""A module."""
LIMIT = 3


class Box:
    """A box."""

    def fits(self, n: int, other: bool) -> bool:
        """Whether it fits."""
        if n < LIMIT and not other:
            return True
        self.n = n + 1
        for i in [k for k in range(n) if k]:
            if i == 2:
                break
        return False
'''


def test_mutants_change_one_place_of_a_function() -> None:
    made = mutants("some/module", SOURCE)
    changes = {(m.kind, m.was, m.now) for m in made}
    assert {m.function for m in made} == {"Box.fits"}
    assert ("comparison", "n < LIMIT", "n <= LIMIT") in changes
    assert ("boolean part", "n < LIMIT and not other", "((n < LIMIT))") in changes
    assert ("not", "not other", "bool(other)") in changes
    assert ("constant", "True", "False") in changes
    assert ("operator", "n + 1", "(n - 1)") in changes
    assert ("drop", "self.n = n + 1", "pass") in changes
    assert ("filter", "k", "True") in changes
    assert ("drop", "break", "pass") in changes
    assert ("return", "return False", "return None") in changes
    assert all(m.source != SOURCE for m in made)
    assert len({m.source for m in made}) == len(made)


def test_rows_fit_mutants_and_have_reasons() -> None:
    assert run.stale(run.known()) == []
    row = {
        "module": "passes/zero_one_images",
        "function": "with_images",
        "was": "nothing",
        "now": "else",
        "reason": "none",
    }
    assert len(run.stale([row])) == 1


def test_the_named_tests_exist() -> None:
    assert [
        test for tests in TESTS.values() for test in tests if not (run.ROOT / test.partition("::")[0]).exists()
    ] == []
    assert [module for module in TESTS if not run.module_file(module).exists()] == []


@pytest.mark.parametrize(("condition", "answer"), [("True", run.ALIVE), ("WIDTHS[0] == 0", run.KILLED)])
def test_a_change_is_seen_by_a_test_that_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, condition: str, answer: str
) -> None:
    """A child process runs the tests with the changed module; the parent keeps its own."""
    test = tmp_path / "test_it.py"
    test.write_text(f"from kleene.logic.earlier import WIDTHS\n\ndef test_it():\n    assert {condition}\n")
    monkeypatch.setitem(TESTS, "logic/earlier", (str(test),))
    text = run.module_file("logic/earlier").read_text() + "\nWIDTHS = [1]\n"
    assert run.run_tests("logic/earlier", text, 20)[0] == answer
