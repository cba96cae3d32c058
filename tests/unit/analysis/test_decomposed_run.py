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


def lists(k: int, *, last: str) -> str:
    """k lists are filled in one loop, and freed; `last` is done to the element that a list loses."""
    text = f'%s PVar {{{", ".join(f"l{i}" for i in range(k))}, t}}\n#include "sll_pred.tvp"\n%%\n'
    text += '#include "ptr_cond.tvp"\n#include "sll_stat.tvp"\n%%\n'
    for i in range(k):
        text += (
            f"n Malloc_L(t) a{i}\na{i} Set_Next_L(t, l{i}) b{i}\nb{i} Copy_Var_L(l{i}, t) c{i}\nc{i} Set_Null_L(t) n\n"
        )
        text += f"f{i} Is_Null_Var(l{i}) f{i + 1}\nf{i} Is_Not_Null_Var(l{i}) g{i}\ng{i} Copy_Var_L(t, l{i}) h{i}\n"
        text += f"h{i} Get_Next_L(l{i}, t) i{i}\ni{i} Set_Next_Null_L(t) j{i}\nj{i} {last} f{i}\n"
    return text + f"n Skip() f0\nf{k} Skip() exit\n"


def test_messages_about_all_variables_concern_few_parts(tmp_path: Path) -> None:
    """That no other variable reaches what is lost composed all parts: 1,782 structures for four lists, not 100."""
    generated = []
    for k in (2, 4):
        path = tmp_path / f"lists{k}.tvp"
        path.write_text(lists(k, last="Free_L(t)"))
        report = report_of(load_program(path, include=[str(SLL)]), "empty", decompose=True, self_check=True)
        assert report.verdict == "verified"
        generated.append(report.statistics.generated)
    assert generated[1] <= 2 * generated[0]


def test_such_messages_are_still_found(tmp_path: Path) -> None:
    path = tmp_path / "lists.tvp"
    path.write_text(lists(2, last="Set_Null_L(t)"))
    program = load_program(path, include=[str(SLL)])
    whole, apart = (report_of(program, "empty", decompose=decompose) for decompose in (False, True))
    texts = [{(m.location, m.text) for place in r.locations for m in place.messages} for r in (whole, apart)]
    assert texts[0] and texts[0] <= texts[1]


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
    monkeypatch.setattr("kleene.analysis.tvp.decomposed.NEAREST", ())
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
