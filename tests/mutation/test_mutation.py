"""The mutation run itself: it makes mutants of all kinds, and tells a test that looks from one that does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.mutation.known import known, stale
from tests.mutation.mutate import mutants
from tests.mutation.table import ROOT, TESTS, module_file

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


def test_texts_for_people_are_left_alone() -> None:
    source = """
def f(n):
    if n > 1:
        raise ValueError(f"{n + 1} is more", 2)
    logger.info("seen", n + 2)
    return n or "none", f"{n + 3}"


class Box:
    def __str__(self):
        return str(self.n + 4)
"""
    changes = {(m.kind, m.was) for m in mutants("some/module", source)}
    assert {kind for kind, was in changes if "raise" in was or "logger" in was} == {"drop"}
    assert not any(was in ("n + 1", "n + 2", "n + 3", 'n or "none"') or "self" in was for _, was in changes)
    assert ("comparison", "n > 1") in changes


def test_rows_fit_mutants() -> None:
    assert stale(known()) == []


def test_a_row_without_mutant_or_reason_is_stale() -> None:
    row = {
        "module": "passes/zero_one_images",
        "function": "with_images",
        "was": "nothing",
        "now": "else",
        "reason": "none",
    }
    assert len(stale([row])) == 1
    assert stale([row | {"was": "*"}]) == []
    assert len(stale([row | {"was": "*", "reason": ""}])) == 1


def test_the_named_tests_exist() -> None:
    assert [test for tests in TESTS.values() for test in tests if not (ROOT / test.partition("::")[0]).exists()] == []
    assert [module for module in TESTS if not module_file(module).exists()] == []


SCRIPT = """
import sys
from pathlib import Path
from tests.mutation.mutate import mutants
from tests.mutation.run import Server, serve
from tests.mutation.table import TESTS, module_file

TESTS.clear()
folder = Path(sys.argv[1])
wanted = [m for m in mutants("cfa/types", module_file("cfa/types").read_text()) if m.kind == "return"]
server = Server(wanted, 2, 60, 60, lambda text: None, folder / "verdicts.jsonl")
assert serve(server, [str(folder)]) == 0
for verdict in server.verdicts:
    print(verdict.mutant.function, verdict.answer)
"""
TRIED = {
    "assert INT.size": ("IntegerType.size", "killed"),
    "DOUBLE.size": ("FloatType.size", "alive"),
    "while INT.minimum is None: pass": ("IntegerType.minimum", "endless"),
    "pass": ("IntegerType.has", "unseen"),
}


def test_a_change_is_seen_by_a_test_that_looks(tmp_path: Path) -> None:
    """Children run the tests with a changed function: one fails, one lets it live, one never ends, none executes it."""
    for number, line in enumerate(TRIED):
        text = f"from kleene.cfa.types import INT, FloatType\n\nDOUBLE = FloatType(64)\n\ndef test_it():\n    {line}\n"
        (tmp_path / f"test_{number}.py").write_text(text)
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert {" ".join(row) for row in TRIED.values()} <= set(done.stdout.splitlines()), done.stdout + done.stderr
    assert len((tmp_path / "verdicts.jsonl").read_text().splitlines()) >= len(TRIED)
