"""Findings of libraries are about the library: its file, and the sequence of exported operations that leads there."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.library.client.text import CLIENT
from kleene.analysis.c.library.inference import selection
from kleene.analysis.c.library.readings.operations import Fate, Outcome, Role
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict
from kleene.report.library_report import library_document, library_text

LIST = """\
#include <stdlib.h>
struct node { struct node *next; int v; };
struct list { struct node *head; };
struct list *list_new(void) { struct list *l = malloc(sizeof *l); if (l) l->head = NULL; return l; }
int list_add(struct list *l, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n) return -1;
    n->v = v; n->next = l->head; l->head = n;
    return 0;
}
SHIFT
void list_free(struct list *l) {
    while (l->head) { struct node *n = l->head; l->head = n->next; free(n); }
    free(l);
}
"""
GONE = """\
struct node *list_shift(struct list *l) {
    struct node *n = l->head;
    if (n) { l->head = n->next; free(n); }
    return n;
}"""
ARGUMENT = "int list_tell(struct list *l, const char *text) { free((char *)text); return l->head != NULL; }"


@pytest.mark.parametrize(
    ("shift", "function", "kind"),
    [(GONE, "list_shift", "dangling_dereference"), (ARGUMENT, "list_tell", "double_free")],
    ids=["a result that was freed", "a block of the caller"],
)
def test_an_error_that_the_caller_sees_is_at_the_operation(
    shift: str, function: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such findings named the generated client, a file that does not exist, and lines of it."""
    monkeypatch.chdir(tmp_path)
    text = LIST.replace("SHIFT", shift)
    Path("list.c").write_text(text, encoding="utf-8")
    report = check_library("list.c", check_options(timeout=60.0))
    wrong = next(f for f in report.functions if f.name == function)
    assert wrong.verdict is Verdict.FALSE and wrong.finding is not None and wrong.finding.kind == kind
    line = next(i for i, line in enumerate(text.splitlines(), start=1) if f"{function}(" in line)
    assert (wrong.finding.file, wrong.finding.line, wrong.finding.function) == ("list.c", line, function)
    assert wrong.sequence[0] == "list_new" and wrong.sequence[-1] == function
    assert CLIENT not in library_text(report) and str(tmp_path) not in library_text(report)
    document = library_document(report)
    assert CLIENT not in str(document["functions"])


def test_a_suspicion_in_the_client_names_the_operations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A suspected leak was 'client.c:15:13'; now it is at the operation that the path executes last."""
    monkeypatch.chdir(tmp_path)
    counted = (  # nothing tells the analysis that the sum of the values is not 0 where there are nodes
        "int list_drop(struct list *l) { int s = 0; struct node *n;\n"
        "    for (n = l->head; n; n = n->next) s += n->v * n->v;\n"
        "    if (s == 3) { l->head = NULL; return 1; } return 0; }"
    )
    Path("list.c").write_text(LIST.replace("SHIFT", counted), encoding="utf-8")
    monkeypatch.setattr(selection, "TRIAL_STATES", 60)
    monkeypatch.setattr(selection, "QUICK_STATES", 60)
    report = check_library("list.c", check_options(timeout=24.0))
    verdict = next(f for f in report.functions if f.name == "list_drop")
    assert verdict.verdict is not Verdict.TRUE
    assert CLIENT not in verdict.reason and "list.c:" in verdict.reason + str(verdict.finding)


@pytest.mark.parametrize("enum", [Role, Fate, Outcome])
def test_the_page_of_the_json_explains_every_reading(enum: type[Role | Fate | Outcome]) -> None:
    """The outcome `seen` was missing, so that nobody could know what an edited reading may say."""
    page = (Path(__file__).parent.parent.parent.parent / "docs" / "reference" / "library-json.md").read_text(
        encoding="utf-8"
    )
    assert [m.name for m in enum if f"| `{m.name.lower()}` | {m.value} |" not in page] == []
