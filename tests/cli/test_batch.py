"""`kleene batch`: which programs are found, and what is said of them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli_samples import Kleene
from tests.batch.programs import HARD, LEAK, SAFE, write
from tests.formats.sarif_schema import problems

from kleene.batch.jobs import find_jobs
from kleene.diagnostics import UsageError
from kleene.report.run.json import schema

FAST = ("--jobs", "1")


def paths(folder: Path, *options: str) -> list[str]:
    return [job.path.name for job in find_jobs([str(folder)], options)]


def test_which_files_are_programs(tmp_path: Path) -> None:
    task = "format_version: '2.0'\ninput_files: 'named.c'\nproperties: []\n"
    both = "// RUN: kleene check --malloc-never-fails part.c\n" + SAFE
    write(tmp_path, named_c=SAFE, task_yml=task, config_yml="a: 1\n", alone_c=SAFE, both_c=both, part_c="int x;\n")
    write(tmp_path / "deep", twice_c=SAFE, twice_i=SAFE, only_i=SAFE)
    assert paths(tmp_path) == ["alone.c", "both.c", "only.i", "twice.c", "task.yml"]
    job = find_jobs([str(tmp_path / "both.c")], ["--32"])[0]
    assert [file.name for file in job.files] == ["both.c", "part.c"]
    assert job.options == ("--32", "--malloc-never-fails")
    with pytest.raises(UsageError, match="no file or folder"):
        find_jobs([str(tmp_path / "none")], [])


def test_a_result_is_kept_only_while_nothing_changes(tmp_path: Path) -> None:
    write(tmp_path, main_c='#include "a.h"\n' + SAFE, a_h="int a;\n")
    write(tmp_path / "inc", b_h="int b;\n")

    def key(*options: str) -> str:
        return find_jobs([str(tmp_path / "main.c")], options)[0].key

    first = key()
    assert key() == first and key("--32") != first
    (tmp_path / "a.h").write_text('#include "b.h"\n')
    second = key("-I", str(tmp_path / "inc"))
    assert key() != first
    (tmp_path / "inc" / "b.h").write_text("int c;\n")
    assert key("-I", str(tmp_path / "inc")) != second


def test_verdicts_expectations_and_json(kleene: Kleene, folder: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    source = folder / "programs"
    write(source, a_c="// EXPECT: memsafety=TRUE\n" + SAFE, b_c="// EXPECT: memsafety=TRUE\n" + LEAK, c_c="int main( {")
    outcome = kleene("batch", "programs", *FAST, "--json", "out.json", "--html", "out.html")
    assert outcome.code == 1
    assert "wrong: programs/b.c: FALSE, expected TRUE" in outcome.out
    document = json.loads((folder / "out.json").read_text())
    jsonschema.validate(document, schema("batch"))
    assert [r["status"] for r in document["results"]] == ["correct", "wrong", "error"]
    assert "programs/c.c:1:" in document["results"][2]["reason"]
    assert document["totals"]["ERROR"] == 1
    assert "programs/b.c" in (folder / "out.html").read_text()


@pytest.mark.parametrize(
    ("text", "code"), [(SAFE, 0), (LEAK, 1), ("// EXPECT: memsafety=FALSE\n" + LEAK, 0), ("int", 2)]
)
def test_exit_codes(kleene: Kleene, folder: Path, text: str, code: int) -> None:
    write(folder / "programs", a_c=text)
    assert kleene("batch", "programs", *FAST, "--quiet").code == code


def test_time_and_bad_options(kleene: Kleene, folder: Path) -> None:
    write(folder / "programs", a_c=HARD)
    outcome = kleene("batch", "programs", *FAST, "--timeout", "0.5", "--check", "--property memsafety")
    assert outcome.code == 3 and outcome.out.startswith("UNKNOWN")
    assert kleene("batch", "programs", "--check", "--json x").code == 2
    assert kleene("batch", "programs", "--check", "'").code == 2
    outcome = kleene("batch", "programs", *FAST, "--check", "--no-such-option")
    assert outcome.code == 2 and "--no-such-option" in outcome.out


def test_tvp_programs_and_formats(kleene: Kleene, folder: Path) -> None:
    """`walk` and `deref` are TVP programs with an input of the same name; `look` has one too."""
    write(folder / "c", a_c=LEAK, b_c="int main( {")
    outputs = ("--sarif", "out.sarif", "--junit", "out.xml", "--html", "out.html")
    outcome = kleene("batch", "c", "walk.tvp", "deref.tvp", *FAST, *outputs)
    assert outcome.code == 1
    assert "4 programs: 1 TRUE, 2 FALSE, 1 ERROR" in outcome.out
    document = json.loads((folder / "out.sarif").read_text())
    assert problems(document) == []
    run = document["runs"][0]
    assert [r["ruleId"] for r in run["results"]] == ["memory_leak", "tvp_message"]
    assert run["results"][0]["codeFlows"]
    assert [n["level"] for n in run["invocations"][0]["toolExecutionNotifications"]] == ["error"]
    (suite,) = ElementTree.parse(folder / "out.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "2", "1")
    (error,) = suite.iter("error")
    assert "c/b.c:1:" in error.get("message", "")


def test_a_tvp_program_that_states_what_is_expected(kleene: Kleene, folder: Path) -> None:
    text = (folder / "walk.tvp").read_text()
    (folder / "walk.tvp").write_text("// EXPECT: verified=TRUE\n" + text)
    outcome = kleene("batch", "walk.tvp", *FAST)
    assert outcome.code == 0 and "expected TRUE: correct" in outcome.out


def test_a_program_may_name_itself_in_its_line_run(tmp_path: Path) -> None:
    """Such a program was taken for a further file of another one, and not checked."""
    write(tmp_path, a_c="// RUN: kleene check --32 a.c\n" + SAFE)
    (job,) = find_jobs([str(tmp_path)], [])
    assert job.files == [tmp_path / "a.c"]
