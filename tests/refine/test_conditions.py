"""Nullary predicates: conditions on integers, followed by Boolean ghosts."""

from __future__ import annotations

import json

import pytest
from tests.refine.helpers import EXAMPLES, refined, written

from kleene.cli import run_main
from kleene.refine.conditions import ghosts
from kleene.refine.loop import SAFE, UNSAFE, RefineOptions
from kleene.report.check.refinement_text import refinement_lines

COUNTERS = """
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    START
    while (__VERIFIER_nondet_int()) { x++; y++; }
    assert(x == y);
    return 0;
}
"""
TOGETHER = COUNTERS.replace("START", "int x = 0, y = 0;")
LIMIT = """
#include <assert.h>
int main(void) {
    int i = 0;
    while (i < 1000) i++;
    assert(i == 1000);
    return 0;
}
"""


@pytest.mark.parametrize("start", ["int x = 0, y = 0;", "int x = __VERIFIER_nondet_int(); int y = x;"])
def test_counters_that_advance_together(tmp_path, start):
    """Exact values give up after a few rounds of the loop; x == y and x == y + 1 in between are enough."""
    result = refined(written(tmp_path, COUNTERS.replace("START", start)))
    assert result.outcome == SAFE
    assert {str(condition) for condition in result.task.conditions} >= {"x == y", "x == y + 1"}
    text = "\n".join(refinement_lines(result))
    assert "conditions:" in text
    assert "[x == y + 1], [x == y]" in text
    assert "$next" not in text


@pytest.mark.parametrize(
    ("body", "claim"), [("x++; y++; z = x - y;", "z == 0"), ("x++; y++; int d = y - x, e = d; z = e;", "z == 0")]
)
def test_a_difference_of_counters(tmp_path, body, claim):
    """``z == 0`` alone is one of few values; before ``z = x - y`` it is ``x == y``."""
    text = COUNTERS.replace("START", "int x = 5, y = 5, z = 0;").replace("x++; y++;", body)
    result = refined(written(tmp_path, text.replace("assert(x == y)", f"assert({claim})")))
    assert result.outcome == SAFE
    assert {str(condition) for condition in result.task.conditions} >= {"x == y", "z == 0"}


def test_globals_begin_with_their_numbers(tmp_path):
    text = TOGETHER.replace("int x = 0, y = 0;", "").replace("int main", "static int x = 3, y = 3;\nint main")
    assert refined(written(tmp_path, text)).outcome == SAFE


def test_a_limit_that_no_count_reaches(tmp_path):
    assert refined(written(tmp_path, LIMIT)).outcome == SAFE
    other = written(tmp_path, LIMIT.replace("i == 1000", "i == 1001"))
    assert refined(other, options=RefineOptions(max_rounds=4)).outcome != SAFE


def test_the_lock_with_a_list():
    result = refined(EXAMPLES / "refine" / "lock.c")
    assert result.outcome == SAFE
    assert result.abstraction.generator.name == "sll"


def test_other_counters_are_unsafe(tmp_path):
    result = refined(written(tmp_path, TOGETHER.replace("y++;", "y += 2;")))
    assert result.outcome == UNSAFE
    assert result.rounds[-1].reason.inputs


def test_the_certificate_has_the_conditions(capsys, tmp_path):
    """How the ghosts change is computed again; another condition makes the certificate refused or not valid."""
    program, proof = written(tmp_path, TOGETHER), tmp_path / "proof.json"
    arguments = ["check", str(program), "--property", "assert", "--refine", "--certificate", str(proof)]
    assert run_main(arguments) == 0
    assert run_main(["recheck", str(proof)]) == 0
    document = json.loads(proof.read_text(encoding="utf-8"))
    first = document["conditions"][0]
    first["constant"] += 1
    del document["digest"]
    proof.write_text(json.dumps(document), encoding="utf-8")
    capsys.readouterr()
    assert run_main(["recheck", str(proof)]) != 0


def test_real_runs_refute_wrong_ghosts(capsys, monkeypatch, tmp_path):
    """A rewriting that makes every condition hold proves what it likes: states of runs are not covered."""
    monkeypatch.setattr(ghosts._Rewriting, "_decide", lambda self, operation, condition: ([frozenset()], []))
    together = COUNTERS.replace("START", "int x = __VERIFIER_nondet_int(); int y = x;")
    program = written(tmp_path, together.replace("x++; y++; }", "x++; }\n    if (x != y) x = y;"))
    code = run_main(["check", str(program), "--property", "assert", "--refine", "--self-check", "2"])
    assert code == 4
    assert "cover" in capsys.readouterr().err
