"""`kleene run --decompose`: TVP programs with heaps taken apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.run import prepare, run
from kleene.cli import run_main
from kleene.diagnostics import UsageError
from kleene.logic.formula import Atom, disj
from kleene.report.run.result import RunReport
from kleene.structures.tvs_reader import read_tvs
from kleene.tvp.program import Program, load_program

SLL = Path(__file__).resolve().parents[3] / "examples" / "tvp" / "sll"


def report_of(program: Program, name: str, **options: object) -> RunReport:
    given = read_tvs(SLL / f"{name}.tvs", program.vocabulary, include=[str(SLL)])
    return run(prepare(program, RunOptions(**options)), given.structures)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["create", "reverse", "del_all", "search", "swap"])
def test_the_result_is_a_fixpoint_with_the_same_messages_or_more(name: str) -> None:
    program = load_program(SLL / f"{name}.tvp", include=[str(SLL)])
    whole = report_of(program, name)
    apart = report_of(program, name, decompose=True, self_check=True)
    assert {(m.location, m.text) for place in whole.locations for m in place.messages} <= {
        (m.location, m.text) for place in apart.locations for m in place.messages
    }
    assert apart.options["heap"].startswith("taken apart")


def test_what_is_tested_before_a_message_is_kept_together() -> None:
    """Merging two lists needs to know which of them is empty: without rounds, there were messages."""
    program = load_program(SLL / "merge.tvp", include=[str(SLL)])
    report = report_of(program, "merge", decompose=True, self_check=True)
    assert report.verdict == "verified"
    assert report.options["heap"].startswith("taken apart; kept together because of messages: ")


def test_messages_that_whole_heaps_have_too_remain() -> None:
    """Rounds lose no message: the input may be a list whose nodes are shared or missing."""
    program = load_program(SLL / "merge.tvp", include=[str(SLL)])
    wrong = replace(program, rules=())
    whole, apart = (report_of(wrong, "merge", decompose=decompose) for decompose in (False, True))
    assert {(m.location, m.text) for place in whole.locations for m in place.messages} <= {
        (m.location, m.text) for place in apart.locations for m in place.messages
    }


def test_pointers_of_a_decomposition_name_stay_together(monkeypatch: pytest.MonkeyPatch) -> None:
    program = load_program(SLL / "merge.tvp", include=[str(SLL)])
    pointers = [p.name for p in program.vocabulary if p.pointer]
    monkeypatch.setattr("kleene.analysis.tvp.run.NEAREST", ())
    assert report_of(program, "merge", decompose=True).verdict == "messages"
    together = replace(program, together=(disj(*(Atom(name, ("v",)) for name in pointers)),))
    assert report_of(together, "merge", decompose=True, self_check=True).verdict == "verified"


def test_options_that_need_whole_structures_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    program = load_program(SLL / "create.tvp", include=[str(SLL)])
    for options in ({"join": "ind"}, {"order": "tvla"}, {"best": ("all",)}, {"explain": ("n1",)}):
        with pytest.raises(UsageError, match="cannot be used with"):
            prepare(program, RunOptions(decompose=True, **options))  # type: ignore[arg-type]
    assert run_main(["run", str(SLL / "create"), "--decompose", "--join", "conc"]) == 2
    assert "cannot be used with --join conc" in capsys.readouterr().err
