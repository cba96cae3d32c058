"""`--sarif`, `--baseline` and comments that suppress a finding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.formats.sarif_schema import problems

from kleene.cli import run_main
from kleene.core.verdict import Finding
from kleene.report.findings.view import fingerprint
from kleene.report.formats.sarif import artifact

FREED = """\
#include <stdlib.h>
struct n { struct n *next; int v; };
int main(void) {
    struct n *p = malloc(sizeof *p);
    if (!p) return 0;
    p->next = 0;
    struct n *q = p;
    free(p);
    q->v = 3;
    return 0;
}
"""
LOOP = """\
#include <stdlib.h>
extern int input(void);
int main(void) {
    int *p = 0;
    unsigned i = input();
    for (unsigned n = 0; i != 1 && n < 100000; n++) i = i % 2 ? 3 * i + 1 : i / 2;
    if (i == 2) return *p;
    return 0;
}
"""


def check(folder: Path, text: str, *options: str, name: str = "a.c") -> tuple[int, dict[str, Any]]:
    (folder / name).write_text(text)
    code = run_main(["check", str(folder / name), "--quiet", "--sarif", str(folder / "out.sarif"), *options])
    return code, json.loads((folder / "out.sarif").read_text())


def test_the_run_with_the_heap_at_each_step(tmp_path: Path) -> None:
    code, document = check(tmp_path, FREED)
    assert code == 1
    assert problems(document) == []
    (result,) = document["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("dangling_dereference", "error")
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    lines = [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps]
    assert lines == [4, 5, 6, 7, 8, 9]
    assert "(freed)" in steps[4]["state"]["heap"]["text"] and "(freed)" not in steps[3]["state"]["heap"]["text"]
    related = [
        (place["physicalLocation"]["region"]["startLine"], place["message"]["text"])
        for place in result["relatedLocations"]
    ]
    assert related == [(4, "the block is allocated here"), (8, "it is freed here")]
    rules = document["runs"][0]["tool"]["driver"]["rules"]
    assert all(rule["help"]["text"] for rule in rules)


def test_a_damaged_document_is_found(tmp_path: Path) -> None:
    _, document = check(tmp_path, FREED)
    result = document["runs"][0]["results"][0]
    result["level"] = "fatal"
    assert problems(document)
    result["level"] = "error"
    result["codeFlows"][0]["threadFlows"][0]["bogus"] = 1
    assert problems(document)
    del result["codeFlows"][0]["threadFlows"][0]["bogus"]
    assert problems(document) == []
    del result["codeFlows"][0]["threadFlows"]
    assert problems(document)


def test_unknown_is_a_notification(tmp_path: Path) -> None:
    _, document = check(tmp_path, LOOP, "--timeout", "1", "--domain", "explicit")
    assert problems(document) == []
    run = document["runs"][0]
    assert any("UNKNOWN" in n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"])
    assert "memsafety" in run["properties"]["openProperties"][str(tmp_path / "a.c")]


def test_a_proof_has_no_results(tmp_path: Path) -> None:
    code, document = check(tmp_path, "int main(void) { return 0; }\n")
    assert code == 0 and document["runs"][0]["results"] == [] and problems(document) == []


def test_fingerprints_survive_changes_elsewhere(tmp_path: Path) -> None:
    def mark(text: str) -> str:
        _, document = check(tmp_path, text)
        return str(document["runs"][0]["results"][0]["partialFingerprints"]["kleeneFinding/v1"])

    first = mark(FREED)
    assert mark("// a comment\n\n" + FREED) == first
    assert mark(FREED.replace("q->v = 3", "q->v = 4")) != first


def test_only_what_is_new_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check(tmp_path, FREED)
    base = tmp_path / "base.sarif"
    base.write_text((tmp_path / "out.sarif").read_text())
    code, document = check(tmp_path, "\n" + FREED, "--baseline", str(base))
    assert code == 0
    assert problems(document) == []
    assert [r["baselineState"] for r in document["runs"][0]["results"]] == ["unchanged"]
    other = FREED.replace("free(p);\n    q->v", "free(p);\n    free(p);\n    q->v")
    code, document = check(tmp_path, other, "--baseline", str(base), name="b.c")
    assert code == 1
    assert [r["baselineState"] for r in document["runs"][0]["results"]] == ["new"]
    bad = tmp_path / "bad.sarif"
    for text in ("{", "[]", '{"runs": 3}', '{"runs": [{"results": [{}]}]}'):
        bad.write_text(text)
        assert run_main(["check", str(tmp_path / "a.c"), "--baseline", str(bad)]) == 2
        assert "this is no baseline" in capsys.readouterr().err


def test_a_comment_with_a_reason_suppresses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def with_comment(comment: str) -> str:
        return FREED.replace("    q->v", f"    {comment}\n    q->v")

    only = ("--property", "memsafety")
    code, document = check(tmp_path, with_comment("// kleene: ignore[dangling_dereference] q is checked below"), *only)
    assert code == 0
    assert problems(document) == []
    suppression = {"kind": "inSource", "justification": "q is checked below"}
    assert document["runs"][0]["results"][0]["suppressions"] == [suppression]
    code, document = check(tmp_path, with_comment("/* kleene: ignore[memory_leak] another kind */"), *only, name="b.c")
    assert code == 1
    code, document = check(tmp_path, with_comment("/* kleene: ignore[dangling_dereference] */"), *only, name="c.c")
    assert code == 1
    notes = document["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert any("does nothing without a reason" in note["message"]["text"] for note in notes)


def test_comments_without_a_reason_are_warnings_of_the_other_reports(tmp_path: Path) -> None:
    """The field `warnings` of JSON and of the page was always empty."""
    source, document, page = tmp_path / "a.c", tmp_path / "a.json", tmp_path / "a.html"
    source.write_text(FREED.replace("    q->v", "    /* kleene: ignore[dangling_dereference] */\n    q->v"))
    outputs = ("--json", str(document), "--html", str(page), "--quiet")
    assert run_main(["check", str(source), "--property", "memsafety", *outputs]) == 1
    (warning,) = json.loads(document.read_text())["warnings"]
    assert "does nothing without a reason" in warning
    assert "does nothing without a reason" in page.read_text()


def test_hostile_names_are_escaped() -> None:
    assert artifact("a b/<script>#?.c")["uri"] == "a%20b/%3Cscript%3E%23%3F.c"
    assert artifact("/x/\udcff.c")["uri"] == "file:///x/%FF.c"


def test_a_fingerprint_without_a_source_file() -> None:
    finding = Finding("memory_leak", "gone.c", 3, 1, "main", "confirmed", "block from line 3 is lost")
    assert len(fingerprint(finding)) == 32
