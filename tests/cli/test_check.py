"""`kleene check` on the command line: verdicts, outputs, task files, and what it says about bad input."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli_samples import Kleene

from kleene.cli.commands.check import command
from kleene.report.run.json import schema

ROOT = Path(__file__).parent.parent.parent
SAFE = """\
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh) break;
        fresh->next = list;
        list = fresh;
    }
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
"""
BUGGY = """\
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int *p = malloc(sizeof *p);
    if (!p) return 0;
    if (__VERIFIER_nondet_int() == 7) free(p);
    *p = 1;
    free(p);
    return 0;
}
"""
MEMSAFETY = """\
CHECK( init(main()), LTL(G valid-free) )
CHECK( init(main()), LTL(G valid-deref) )
CHECK( init(main()), LTL(G valid-memtrack) )
"""
TASK = """\
format_version: '2.0'
input_files: 'buggy.c'
properties:
  - property_file: properties/valid-memsafety.prp
    expected_verdict: false
    subproperty: valid-deref
  - property_file: properties/unreach-call.prp
    expected_verdict: true
  - property_file: properties/termination.prp
    expected_verdict: true
options:
  language: C
  data_model: LP64
"""


@pytest.fixture(autouse=True)
def c_files(folder: Path) -> None:
    (folder / "safe.c").write_text(SAFE)
    (folder / "buggy.c").write_text(BUGGY)
    (folder / "properties").mkdir()
    (folder / "properties" / "valid-memsafety.prp").write_text(MEMSAFETY)
    (folder / "properties" / "unreach-call.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    (folder / "properties" / "termination.prp").write_text("CHECK( init(main()), LTL(F end) )\n")
    (folder / "task.yml").write_text(TASK)


def test_a_safe_program(kleene: Kleene) -> None:
    done = kleene("check", "safe.c")
    assert done.code == 0
    assert done.out.startswith("safe.c: TRUE\n")
    assert "memsafety  TRUE    shape analysis" in done.out


def test_a_bug_with_its_trace(kleene: Kleene) -> None:
    done = kleene("check", "buggy.c", "--trace")
    assert done.code == 1
    assert "buggy.c:7:5: dangling_dereference" in done.out
    assert "inputs: 1 7" in done.out
    assert "line 6  [__VERIFIER_nondet_int() == 7]    (input 7)" in done.out
    assert "$" not in done.out  # temporaries are put in where they are used
    assert "declare" not in done.out


def test_quiet(kleene: Kleene) -> None:
    done = kleene("check", "buggy.c", "--quiet")
    assert (done.code, done.out) == (1, "")


@pytest.mark.parametrize("arguments", [["safe.c", "--invariants"], ["buggy.c"], ["task.yml"]])
def test_json_follows_its_schema(kleene: Kleene, arguments: list[str]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema("check"))
    document = json.loads(kleene("check", *arguments, "--json", "-").out)
    jsonschema.validate(document, schema("check"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document | {"verdict": "fine"}, schema("check"))


def test_the_shipped_schema_is_the_documented_one() -> None:
    assert json.loads((ROOT / "docs" / "reference" / "check.schema.json").read_text()) == schema("check")


def test_json_of_a_bug(kleene: Kleene) -> None:
    document = json.loads(kleene("check", "buggy.c", "--json", "-").out)
    assert document["verdict"] == document["properties"]["memsafety"] == "FALSE"
    first = document["findings"][0]
    assert (first["kind"], first["line"], first["status"]) == ("dangling_dereference", 7, "confirmed")
    assert first["inputs"] == [1, 7]
    assert first["input_reasons"] == ["malloc succeeds", "__VERIFIER_nondet_int"]


def test_invariants_in_words(kleene: Kleene) -> None:
    out = kleene("check", "safe.c", "--invariants").out
    assert "safe.c:6: loop in main: 3 shapes\n    list: NULL\n    list: acyclic list of 1 node\n" in out
    assert "    list: acyclic list of 2 or more nodes\n" in out


def test_html_of_a_bug(kleene: Kleene, folder: Path) -> None:
    assert kleene("check", "buggy.c", "--html", "bug.html").code == 1
    page = (folder / "bug.html").read_text(encoding="utf-8")
    assert "Dangling dereference" in page
    assert page.count("<svg") >= 3
    assert "freed" in page
    assert "src=" not in page
    assert "http" not in page.replace("http://www.w3.org/", "").replace("http-equiv", "")


def test_html_of_a_proof_draws_the_shapes(kleene: Kleene, folder: Path) -> None:
    assert kleene("check", "safe.c", "--html", "safe.html").code == 0
    page = (folder / "safe.html").read_text(encoding="utf-8")
    assert "Shapes at loops" in page
    assert "acyclic list of 2 or more nodes" in page


def test_property_files(kleene: Kleene) -> None:
    done = kleene("check", "buggy.c", "--property", "properties/valid-memsafety.prp")
    assert done.code == 1
    assert "memsafety" in done.out and "memcleanup" not in done.out
    assert kleene("check", "buggy.c", "--property", "properties/unreach-call.prp").code == 0
    assert kleene("check", "buggy.c", "--property", "unreach", "--property", "assert").code == 0


def test_task_files(kleene: Kleene) -> None:
    done = kleene("check", "task.yml")
    assert done.code == 1
    assert "valid-memsafety.prp: FALSE, expected FALSE: correct" in done.out
    assert "unreach-call.prp: TRUE, expected TRUE: correct" in done.out
    document = json.loads(kleene("check", "task.yml", "--json", "-").out)
    assert [e["status"] for e in document["expected"]] == ["correct", "correct"]
    assert document["file"] == "buggy.c"


def test_the_property_files_of_svcomp_need_not_be_there(kleene: Kleene, folder: Path) -> None:
    (folder / "task.yml").write_text(TASK.replace("properties/", "elsewhere/"))
    done = kleene("check", "task.yml")
    assert done.code == 1
    assert "valid-memsafety.prp: FALSE, expected FALSE: correct" in done.out
    assert "termination" not in done.out


def test_a_wrong_expectation_is_said(kleene: Kleene, folder: Path) -> None:
    (folder / "task.yml").write_text(TASK.replace("verdict: false", "verdict: true"))
    assert "valid-memsafety.prp: FALSE, expected TRUE: wrong" in kleene("check", "task.yml").out


def test_several_files_and_preprocessed_ones(kleene: Kleene, folder: Path) -> None:
    (folder / "main.c").write_text("int f(void);\nint main(void) { return f(); }\n")
    (folder / "f.i").write_text('# 1 "f.c"\nint f(void) { int *p = 0; return *p; }\n')
    done = kleene("check", "main.c", "f.i")
    assert done.code == 1
    assert "main.c, f.i: FALSE" in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.c"], "there is no file 'missing.c'"),
        (["."], "'.' is a folder, not a C file"),
        (["walk.tvp"], "'walk.tvp' is no C file"),
        (["safe.c", "--property", "memsafty"], "there is no property 'memsafty'; did you mean 'memsafety'?"),
        (["safe.c", "--property", "missing.prp"], "there is no file 'missing.prp'"),
        (["safe.c", "--property", "properties/termination.prp"], "termination.prp:1:1: 'F end' is no property"),
        (["safe.c", "--entry", "mian"], "no function 'mian' to start from; did you mean 'main'?"),
        (["safe.c", "--html", "nowhere/x.html"], "there is no folder 'nowhere'"),
        (["task.yml", "safe.c"], "a task file names the files of its program"),
        (["safe.c", "--json", "-", "--html", "-"], "only one output can go to standard output"),
    ],
)
def test_bad_usage(kleene: Kleene, arguments: list[str], said: str) -> None:
    done = kleene("check", *arguments)
    assert done.code == 2
    assert said in done.err
    assert done.out == ""


def test_all_syntax_errors_are_shown_with_carets(kleene: Kleene, folder: Path) -> None:
    (folder / "bad.c").write_text("int main(void) {\n    int x = ;\n    return y;\n}\n")
    done = kleene("check", "bad.c")
    assert done.code == 2
    assert "bad.c:2:13: expected expression\n        int x = ;\n                ^\n" in done.err
    assert "bad.c:3:12: use of undeclared identifier 'y'" in done.err


def test_a_missing_include_is_named(kleene: Kleene, folder: Path) -> None:
    (folder / "inc.c").write_text('#include "list.h"\nint main(void) { return LENGTH; }\n')
    done = kleene("check", "inc.c")
    assert done.code == 2
    assert "list.h" in done.err and "-I" in done.err
    (folder / "inc").mkdir()
    (folder / "inc" / "list.h").write_text("#define LENGTH 0\n")
    assert kleene("check", "inc.c", "-I", "inc").code == 0


def test_no_entry_function(kleene: Kleene, folder: Path) -> None:
    (folder / "lib.c").write_text("int f(void) { return 0; }\n")
    done = kleene("check", "lib.c")
    assert done.code == 2
    assert "no function 'main' to start from" in done.err
    assert kleene("check", "lib.c", "--entry", "f").code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("input_files: [", "task.yml:"),
        ("properties: []\n", "it has no input_files"),
        ("input_files: 3\n", "input_files must be"),
        ("input_files: safe.c\nproperties: [3]\n", "properties must be a list"),
        ("input_files: safe.c\noptions: {data_model: LP128}\n", "data_model 'LP128' is not known"),
        ("input_files: missing.c\n", "there is no file 'missing.c'"),
        ("input_files: safe.c\nproperties: [{property_file: properties/termination.prp}]\n", "'F end' is no property"),
        ("input_files: safe.c\nproperties: [{property_file: x.prp}]\n", "x.prp: there is no such property file"),
    ],
)
def test_bad_task_files(kleene: Kleene, folder: Path, text: str, said: str) -> None:
    (folder / "task.yml").write_text(text)
    done = kleene("check", "task.yml")
    assert done.code == 2
    assert said in done.err


def test_a_shape_class_that_there_is_not(kleene: Kleene) -> None:
    done = kleene("check", "safe.c", "--shape-class", "nope")
    assert done.code == 2 and "there is no shape class 'nope'" in done.err
    assert "shape analysis (circular)" in kleene("check", "safe.c", "--shape-class", "circular").out


def test_every_option_is_documented() -> None:
    visible = {o for p in command.params for o in p.opts if o.startswith("--")}
    rows = re.findall(r"^\| `(--[a-z0-9-]+)[ `]", (ROOT / "docs" / "manual" / "check.md").read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(visible)
