"""Parameters of the entry, and what follows undefined behaviour, in every analysis alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.exact_phases import without_exact_phases

from kleene.analysis.c import strategy
from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.analysis.c.refinement import RefineSettings
from kleene.core.verdict import Verdict
from kleene.diagnostics import InputError
from kleene.results.check import CheckReport

HEAD = """\
#include <stdlib.h>
struct n { struct n *next; int d; };
extern int __VERIFIER_nondet_int(void);
void wrong(void) { struct n *q = 0; q->d = 1; }
"""
ALONE = ("shape", "fesa", "refine")


def alone(monkeypatch: pytest.MonkeyPatch, name: str, path: Path, entry: str = "main") -> CheckReport:
    """The result of one analysis, without exploration and path formulas."""
    monkeypatch.setattr(strategy, "PHASES", without_exact_phases())
    domain = "fesa" if name == "fesa" else "all"
    refined = RefineSettings() if name == "refine" else None
    return check([str(path)], check_options(entry=entry, domain=domain, refine=refined, timeout=20))


def verdicts(report: CheckReport) -> dict[str, str]:
    return {name: str(verdict) for name, verdict in report.properties.items()}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return tmp_path / "p.c"


UNKNOWN = [
    ("main", "int main(int argc, char **argv) { if (argv) wrong(); return 0; }"),
    ("main", "int main(int argc, char *argv[]) { if (argv[0]) wrong(); return 0; }"),
    ("main", "int main(int argc, char **argv, char **envp) { if (envp && *envp) wrong(); return 0; }"),
    ("main", "int main(int argc, char **argv) { if (argc == 5) wrong(); return 0; }"),
    ("f", "int f(struct n *p) { while (p) { p->d = 1; p = p->next; wrong(); } return 0; }"),
    ("f", "int f(struct n *p) { if (!p) wrong(); return 0; }"),
    ("f", "int f(struct n *p) { free(p); return 0; }"),
    ("f", "int f(struct n *p, struct n *q) { if (p == q) wrong(); return 0; }"),
    ("f", "int f(int x) { if (x < -3) wrong(); return 0; }"),
    ("f", "int f(struct n s) { if (s.next) wrong(); return 0; }"),
    ("f", "int f(int (*g)(void)) { if (g) wrong(); return 0; }"),
    ("f", "int g(struct n *p) { return p->d; } int f(struct n *p) { struct n *q = p; return g(q); }"),
    ("f", "int f(struct n *p) { struct n **q = &p; return (*q)->d; }"),
]


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize(("entry", "text"), UNKNOWN)
def test_nothing_is_proved_of_what_parameters_reach(
    name: str, entry: str, text: str, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pointer parameters of the entry were NULL to the shape analysis: all of these were TRUE."""
    source.write_text(HEAD + text)
    report = alone(monkeypatch, name, source, entry)
    assert verdicts(report)["memsafety"] == "UNKNOWN" or name == "refine", report.proved_by
    assert verdicts(report)["memsafety"] != "TRUE", report.proved_by


@pytest.mark.parametrize(("entry", "text"), UNKNOWN)
def test_exploration_and_paths_do_not_err(entry: str, text: str, source: Path) -> None:
    """`free` of a parameter was a confirmed error; an argument below 1 was never tried."""
    source.write_text(HEAD + text)
    report = check([str(source)], check_options(entry=entry, timeout=10))
    certain = ("argv) wrong" in text, "argv[0])" in text, "argc == 5" in text, "x < -3" in text)
    assert verdicts(report)["memsafety"] == ("FALSE" if any(certain) else "UNKNOWN"), report.findings


def test_an_unknown_parameter_says_what_to_do(source: Path) -> None:
    source.write_text(HEAD + "int f(struct n *list) { return list->d; }")
    report = check([str(source)], check_options(entry="f", timeout=10))
    assert "nothing is known of what the parameter 'list' of f points to" in report.reason
    assert "write a main that builds the argument" in report.reason


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ("main", "int main(int argc, char **argv) { BODY return 0; }"),
        ("main", "int main(int argc, char **argv) { if (argc > 1) { BODY } return 0; }"),
        ("main", "int main(int argc, char **argv) { if (argv == NULL) wrong(); BODY return 0; }"),
        ("f", "int f(struct n *p) { struct n *q = p; BODY return q != NULL; }"),
    ],
)
def test_the_rest_is_still_proved(
    name: str, entry: str, text: str, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = """struct n *l = 0;
    while (__VERIFIER_nondet_int()) { struct n *x = malloc(sizeof *x); if (!x) break; x->next = l; l = x; }
    while (l) { struct n *x = l->next; free(l); l = x; }"""
    source.write_text(HEAD + text.replace("BODY", body))
    report = alone(monkeypatch, name, source, entry)
    assert set(verdicts(report).values()) == {"TRUE"}, report.reason


ARGUMENTS = [
    ("argc > 1 && argv[1][0] == 'x'", "FALSE"),
    ("argv[argc] != NULL", "TRUE"),
    ("argc == 2 && argv[1][0] && argv[1][0] == argv[1][1] + 1", "FALSE"),
    ("argv[argc + 1] == NULL", "FALSE"),
]


@pytest.mark.parametrize(("condition", "expected"), ARGUMENTS)
def test_runs_know_the_command_line(condition: str, expected: str, source: Path) -> None:
    """argv is an array of argc texts that ends with NULL; runs try it within bounds, and relations know its end."""
    source.write_text(HEAD + f"int main(int argc, char **argv) {{ if ({condition}) wrong(); return 0; }}")
    report = check([str(source)], check_options(timeout=10))
    assert verdicts(report)["memsafety"] == expected, report.findings


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize(
    "text",
    [
        "int main(void) { struct n *p = malloc(sizeof *p); p->d = 1; free(p); return 0; }",
        "int first(struct n p[2]) { return p[0].d; } int main(void) { return first(NULL); }",
        "int main(void) { wrong(); struct n *p = malloc(sizeof *p); return 0; }",
    ],
)
def test_nothing_is_proved_behind_a_null_dereference(
    name: str, text: str, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """memcleanup and unreach were TRUE where a null dereference was possible."""
    source.write_text(
        HEAD + "void reach_error(void);\nvoid end(void) { if (__VERIFIER_nondet_int()) return; }\n" + text
    )
    report = alone(monkeypatch, name, source)
    assert "TRUE" not in (verdicts(report)["memsafety"], verdicts(report)["memcleanup"]), report.proved_by


def test_a_confirmed_null_dereference_leaves_the_others_open(source: Path) -> None:
    source.write_text(HEAD + "int main(void) { wrong(); return 0; }")
    report = check([str(source)], check_options(timeout=10))
    assert verdicts(report) == {"memsafety": "FALSE", "memcleanup": "UNKNOWN", "unreach": "TRUE", "assert": "TRUE"}
    assert "is undefined" in report.reason


@pytest.mark.parametrize("name", [*ALONE, "explicit"])
def test_an_error_function_that_is_not_asked_about_is_ordinary(
    name: str, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "void reach_error(void) { }\nint main(void) { reach_error(); struct n *p = malloc(8); return 0; }"
    source.write_text(HEAD + text)
    if name == "explicit":
        report = check([str(source)], check_options(properties=("memsafety",), timeout=5))
        assert verdicts(report) == {"memsafety": "FALSE"}
        return
    monkeypatch.setattr(strategy, "PHASES", without_exact_phases())
    refined = RefineSettings() if name == "refine" else None
    domain = "fesa" if name == "fesa" else "all"
    options = check_options(properties=("memsafety",), domain=domain, refine=refined, timeout=10)
    assert verdicts(check([str(source)], options))["memsafety"] != "TRUE"


RETURNED = """
#include <stdlib.h>
struct node { struct node *next; };
struct node *made(int n) {
    struct node *list = NULL;
    while (n-- > 0) {
        struct node *x = malloc(sizeof *x);
        if (!x) LATER;
        x->next = list;
        list = x;
    }
    return list;
}
"""


@pytest.mark.parametrize(("later", "verdict"), [("break", Verdict.TRUE), ("return NULL", Verdict.FALSE)])
def test_the_caller_has_what_the_entry_returns(later: str, verdict: Verdict, tmp_path: Path) -> None:
    """A block that the entry returns counted as lost; the others of the list are lost where it returns NULL."""
    path = tmp_path / "made.c"
    path.write_text(RETURNED.replace("LATER", later))
    report = check([str(path)], check_options(entry="made", timeout=20))
    assert report.properties["memsafety"] is verdict
    assert report.properties["memcleanup"] is Verdict.FALSE


def test_a_file_without_main_is_told_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "made.c"
    path.write_text(RETURNED.replace("LATER", "break"))
    with pytest.raises(InputError, match="is checked with --library, or from one function with --entry NAME"):
        check([str(path)], check_options(timeout=20))
