"""Reasons and advice of UNKNOWN: what a user can still do."""

from __future__ import annotations

from pathlib import Path

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.analysis.c.shape.analyse import analyse
from kleene.analysis.c.verdicts import explain
from kleene.c.reader import read_program
from kleene.core.verdict import Verdict
from kleene.domains.explicit.explore import explore
from kleene.passes.preparation import Prepared
from kleene.results.check import CheckReport

LOOP = "#include <assert.h>\nint main(void) { for (unsigned i = 0;; i++) assert(i != 9000000); }\n"
NULL = """#include <stdlib.h>
struct node { struct node *next; int key; };
int main(void) {
    struct node *list = malloc(sizeof *list);
    if (list == NULL) return 0;
    list->next = NULL;
    list->next->key = 1;
    return 0;
}
"""


def report_with(**parts: object) -> CheckReport:
    report = CheckReport(("p.c",), {"memsafety": Verdict.UNKNOWN}, {}, [], "", 0.0, **parts)
    explain(report, timeout=60.0)
    return report


def test_a_check_that_only_prepared_the_program_asks_for_more_time(tmp_path: Path) -> None:
    """It said that there was no time left, and that --trace shows what was reached."""
    path = tmp_path / "null.c"
    path.write_text(NULL)
    shape = analyse(Prepared(read_program([str(path)])), malloc_may_fail=True, seconds=0.0)
    report = report_with(shape=shape)
    assert "prepared" in report.reason and report.advice.startswith("give more time with --timeout")


def test_the_advice_does_not_name_an_option_that_was_given(tmp_path: Path) -> None:
    """It named --refine where refinement had been asked for."""
    path = tmp_path / "null.c"
    path.write_text(NULL)
    shape = analyse(Prepared(read_program([str(path)])), malloc_may_fail=True, seconds=20.0)
    assert "--refine" in report_with(shape=shape).advice
    refined = report_with(shape=shape, fallback="the analysis that tracks everything does not decide it either")
    assert "--refine" not in refined.advice


def test_a_check_without_time_asks_for_more() -> None:
    report = report_with()
    assert report.reason == "the time limit of 60 s was reached before the analysis began"
    assert "--timeout" in report.advice


def test_a_short_time_is_named_as_such(tmp_path: Path) -> None:
    """The reason was 'bound reached: 0.3 seconds', and the advice did not ask for more time."""
    path = tmp_path / "p.c"
    path.write_text(LOOP)
    explored = explore(read_program([str(path)]), seconds=0.05, malloc_may_fail=False)
    report = report_with(exploration=explored)
    assert report.reason.startswith("the time limit of 60 s was reached during exact exploration, after ")
    assert "--timeout" in report.advice


def test_a_finding_names_the_pointer(tmp_path: Path) -> None:
    """The message did not say which pointer was NULL."""
    path = tmp_path / "p.c"
    path.write_text(NULL)
    report = check([str(path)], check_options(timeout=10.0))
    assert [f.message for f in report.findings] == ["dereference of a null pointer: list->next"]
