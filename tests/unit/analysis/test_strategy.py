"""The strategy of a check as data: names, order, and what the command prints."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from kleene.analysis.c import fesa, strategy
from kleene.analysis.c.check import check
from kleene.analysis.c.fesa import FESA_ATTEMPTS
from kleene.analysis.c.options import check_options
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.analysis.c.strategy import PHASES, strategy_lines
from kleene.cli import run_main
from kleene.core.verdict import Verdict
from kleene.diagnostics import Limit, LimitReached
from kleene.refine.tactics import TACTICS
from kleene.report.check.crowding import crowding_sentence


@pytest.mark.parametrize("rows", [PHASES, ATTEMPTS, FESA_ATTEMPTS, TACTICS], ids=["phases", "shape", "fesa", "tactics"])
def test_every_row_has_a_name_of_its_own(rows):
    names = [row.name for row in rows]
    assert len(set(names)) == len(names)
    assert all(names)


def test_shares_are_parts_of_the_time():
    assert all(0 < phase.share <= 1 for phase in PHASES)
    assert all(0 < attempt.share <= 1 for attempt in ATTEMPTS)
    assert all(0 < attempt.share <= 1 for attempt in FESA_ATTEMPTS)


def test_the_command_prints_every_row(capsys):
    assert run_main(["check", "--explain-strategy"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed == strategy_lines()
    for row in (*PHASES, *ATTEMPTS, *FESA_ATTEMPTS, *TACTICS):
        assert any(line.startswith(f"  {row.name}") for line in printed), row.name


def test_the_picture_shows_the_rows():
    """`docs/images/draw.py` makes it; a changed row or share needs a new one."""
    images = Path(__file__).resolve().parents[3] / "docs" / "images"
    spec = importlib.util.spec_from_file_location("draw", images / "draw.py")
    draw = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(draw)
    assert (images / "strategy.dot").read_text(encoding="utf-8") == draw.strategy_dot()
    drawn = (images / "strategy.svg").read_text(encoding="utf-8")
    names = [row.name for row in (*PHASES, *ATTEMPTS, *FESA_ATTEMPTS, *TACTICS)]
    assert [name for name in names if not all(part in drawn for part in name.split(", "))] == []


LIST = """#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (fresh == NULL) break;
        fresh->next = list;
        list = fresh;
    }
    while (list != NULL) { struct node *next = list->next; free(list); list = next; }
    return END; }"""


def checked(folder, end="0", **options):
    path = folder / "list.c"
    path.write_text(LIST.replace("END", end))
    return check([str(path)], check_options(**options))


def test_a_short_proof_takes_a_glance_only(tmp_path):
    report = checked(tmp_path)
    assert report.verdict is Verdict.TRUE
    assert report.exploration.reason == f"bound reached: {strategy.GLANCE_STEPS} steps"


def test_a_long_proof_waits_for_the_look(tmp_path, monkeypatch):
    monkeypatch.setattr(strategy, "HEAD_START_SECONDS", 0.0)
    report = checked(tmp_path)
    assert report.verdict is Verdict.TRUE and report.shape.complete
    assert report.exploration.steps > strategy.GLANCE_STEPS


def test_a_look_that_tells_all_ends_the_analysis(tmp_path, monkeypatch):
    """The error is beyond the glance: it needs a list of several elements."""
    monkeypatch.setattr(strategy, "HEAD_START_SECONDS", 0.0)
    monkeypatch.setattr(strategy, "GLANCE_STEPS", 10)
    report = checked(tmp_path, end="*(int *)list", properties=("memsafety",))
    assert report.verdict is Verdict.FALSE
    assert report.shape is None


def test_after_alarms_the_look_comes_before_path_formulas(tmp_path, monkeypatch):
    monkeypatch.setattr(strategy, "GLANCE_STEPS", 10)
    monkeypatch.setattr(strategy, "HEAD_START_SECONDS", 1000.0)
    report = checked(tmp_path, end="*(int *)list", properties=("memsafety",))
    assert report.verdict is Verdict.FALSE
    assert report.shape.alarms and report.confirmation is None


def test_an_interrupted_analysis_says_where_its_structures_are(tmp_path, monkeypatch):
    """The limit of the check may end the analysis between two runs: what the largest run has reached is kept."""

    def interrupted(*program, max_structures, **options):
        real(*program, max_structures=20, **options)
        return ended()

    def ended(*program, **options):
        raise LimitReached("the time limit of 1 s was reached", Limit.TIME)

    real = strategy.analyse
    monkeypatch.setattr(strategy, "analyse", interrupted)
    monkeypatch.setattr(fesa, "analyse_fesa", ended)
    report = checked(tmp_path, properties=("memsafety",), timeout=0.7)
    assert report.shape.structures > 20 and not report.shape.complete
    assert report.shape.reason == "the time limit of 1 s was reached"
    assert "in main" in crowding_sentence(report.shape)


def test_an_analysis_goes_on_without_what_a_run_has_decided(tmp_path, monkeypatch):
    """The facts that only the violated property needs cost 47 s instead of 3 s in a program that counts words."""
    asked = []

    def analyse(*program, kinds, **options):
        asked.append(kinds)
        return real(*program, kinds=kinds, **options)

    real = strategy.analyse
    monkeypatch.setattr(strategy, "analyse", analyse)
    monkeypatch.setattr(strategy, "HEAD_START_SECONDS", 0.0)
    monkeypatch.setattr(strategy, "GLANCE_STEPS", 1)
    path = tmp_path / "list.c"
    path.write_text(LIST.replace("break", "exit(1)").replace("END", "0"))
    report = check([str(path)], check_options())
    assert report.properties["memcleanup"] is Verdict.FALSE
    assert report.properties["memsafety"] is Verdict.TRUE
    assert ["memory_cleanup" in kinds for kinds in asked] == [True, False]
