"""`--witness` and `kleene validate`: what is written has the form, is confirmed, and wrong witnesses are not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from kleene.analysis.witnesses.files import Location, LoopInvariant
from kleene.analysis.witnesses.instrument import is_plain_expression, with_assertions
from kleene.analysis.witnesses.validate import holds
from kleene.cli import run_main
from kleene.domains.explicit.heap import Heap
from kleene.report.formats.c_invariants import simplify_cases
from kleene.report.run.json import schema

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "c"
INPUTS = """\
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct n { struct n *next; };
int main(void) {
    struct n *l = 0;
    int a =
        __VERIFIER_nondet_int( );
    if (a == 17) {
        struct n *x = malloc(sizeof *x);
        if (!x) abort();
        x->next = l;
        if (__VERIFIER_nondet_int() + a == 40)
            return x->next->next == 0;
        free(x);
    }
    return 0;
}
"""
NULL = """\
#include <stdlib.h>
int main(void) {
    int *p = malloc(4);
    *p = 1;
    free(p);
    return 0;
}
"""


def witness(folder: Path, program: str, *options: str) -> list[Any]:
    """The entries of the witness of a check; the file is `w.yml`."""
    file = folder / "w.yml"
    run_main(["check", program, "--quiet", "--witness", str(file), *options])
    entries: list[Any] = yaml.safe_load(file.read_text())
    jsonschema.validate(entries, schema("witness"))
    return entries


PUBLISHED = os.environ.get("KLEENE_WITNESS_SCHEMA")
"""A copy of the schema that SV-COMP publishes for format 2.0 (YAML or JSON): it is not part of this repository."""


@pytest.mark.skipif(not PUBLISHED, reason="KLEENE_WITNESS_SCHEMA names no copy of the published schema")
@pytest.mark.parametrize("program", ["sll/reverse.c", "sll/delete_all.c"])
def test_the_published_schema(program: str, tmp_path: Path) -> None:
    published = yaml.safe_load(Path(str(PUBLISHED)).read_text(encoding="utf-8"))
    jsonschema.validate(witness(tmp_path, str(EXAMPLES / program)), published)


def changed(folder: Path, entries: list[Any]) -> str:
    (folder / "changed.yml").write_text(yaml.safe_dump(entries))
    return str(folder / "changed.yml")


def write(folder: Path, text: str) -> str:
    (folder / "a.c").write_text(text)
    return str(folder / "a.c")


def test_the_inputs_of_a_run(tmp_path: Path) -> None:
    entries = witness(tmp_path, write(tmp_path, INPUTS), "--property", "memsafety")
    points = [segment["segment"][0]["waypoint"] for segment in entries[0]["content"]]
    assert [point["type"] for point in points] == ["function_return", "function_return", "target"]
    assert [point["constraint"]["value"] for point in points[:2]] == ["\\result == 17", "\\result == 23"]
    places = [(point["location"]["line"], point["location"]["column"]) for point in points]
    assert places[:2] == [(7, 32), (12, 35)]  # the closing parentheses
    assert places[2][0] == 13
    assert run_main(["validate", str(tmp_path / "w.yml")]) == 0


def test_an_allocation_that_fails(tmp_path: Path) -> None:
    entries = witness(tmp_path, write(tmp_path, NULL), "--property", "memsafety")
    point = entries[0]["content"][0]["segment"][0]["waypoint"]
    assert point["type"] == "function_return" and point["constraint"]["value"] == "\\result == 0"
    assert run_main(["validate", str(tmp_path / "w.yml")]) == 0


def test_a_wrong_violation_is_not_confirmed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entries = witness(tmp_path, write(tmp_path, INPUTS), "--property", "memsafety")
    entries[0]["content"][-1]["segment"][0]["waypoint"]["location"]["line"] = 14
    assert run_main(["validate", changed(tmp_path, entries), "--timeout", "4"]) == 3
    assert "line 13, not at the target" in capsys.readouterr().out
    entries = witness(tmp_path, write(tmp_path, INPUTS), "--property", "memsafety")
    entries[0]["content"][0]["segment"][0]["waypoint"]["constraint"]["value"] = "\\result == 16"
    assert run_main(["validate", changed(tmp_path, entries), "--timeout", "4"]) == 3
    assert "does not pass the function_return at line 7" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("point", "code"),
    [
        ({"type": "branching", "location": {"line": 8}, "constraint": {"value": "true"}}, 0),
        ({"type": "branching", "location": {"line": 8}, "constraint": {"value": "false"}}, 3),
        ({"type": "assumption", "location": {"line": 12}, "constraint": {"value": "a == 17 && l == 0"}}, 0),
        ({"type": "assumption", "location": {"line": 12}, "constraint": {"value": "a > 17"}}, 3),
        ({"type": "assumption", "location": {"line": 12}, "constraint": {"value": "__import__('os')"}}, 3),
    ],
)
def test_waypoints_of_other_tools(tmp_path: Path, point: dict[str, Any], code: int) -> None:
    """The witness says nothing of the inputs: an exploration has to find them."""
    entries = witness(tmp_path, write(tmp_path, INPUTS), "--property", "memsafety")
    target = entries[0]["content"][-1]
    point["location"]["file_name"] = str(tmp_path / "a.c")
    entries[0]["content"] = [{"segment": [{"waypoint": {"action": "follow", **point}}]}, target]
    assert run_main(["validate", changed(tmp_path, entries), "--timeout", "6"]) == code


@pytest.mark.parametrize("name", ["sll/append.c", "sll/insert.c", "dll/insert_after.c"])
def test_invariants_are_proved_again(tmp_path: Path, name: str) -> None:
    """In `insert`, one predicate stands for two variables of the source: its invariant was wrong."""
    entries = witness(tmp_path, str(EXAMPLES / name))
    assert entries[0]["entry_type"] == "invariant_set"
    assert run_main(["validate", str(tmp_path / "w.yml")]) == 0


def test_a_file_that_begins_with_an_include_has_invariants(tmp_path: Path) -> None:
    """A declaration was put in front of its first line: the file with assertions could not be read."""
    text = "".join(line for line in (EXAMPLES / "sll" / "append.c").open() if not line.startswith("//"))
    assert text.startswith("#include")
    entries = witness(tmp_path, write(tmp_path, text))
    assert len(entries[0]["content"]) == 1
    assert run_main(["validate", str(tmp_path / "w.yml")]) == 0


def test_a_wrong_invariant_is_refuted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entries = witness(tmp_path, str(EXAMPLES / "sll" / "append.c"))
    invariant = entries[0]["content"][0]["invariant"]
    invariant["value"] = "head != 0"
    assert run_main(["validate", changed(tmp_path, entries)]) == 1
    assert "an invariant does not hold" in capsys.readouterr().out
    invariant["value"] = "1), (void)(1"
    assert run_main(["validate", changed(tmp_path, entries)]) == 3
    assert "is no plain expression" in capsys.readouterr().out


NOT_CHECKED = """\
#define STEP (n = 0)
#define UNUSED while (1)
int main(void) {
    int n = 3, k = 0;
    /* while (n) is what follows */
    while (k < 3) { k++; }
#if 0
    while (n) { }
#endif
    return n ? RESULT : 0;
}
"""


def _proof(folder: Path, formula: str, line: int, column: int, value: str, result: str = "1") -> str:
    """A witness that says that the program above keeps a property, with one invariant."""
    entries = witness(folder, write(folder, NOT_CHECKED.replace("RESULT", result)), "--property", "unreach")
    task = entries[0]["metadata"]["task"]
    task["specification"] = f"CHECK( init(main()), LTL(G {formula}) )"
    location = {"file_name": str(folder / "a.c"), "line": line, "column": column, "function": "main"}
    invariant = {"type": "loop_invariant", "location": location, "value": value, "format": "c_expression"}
    entries[0]["content"] = [{"invariant": invariant}]
    return changed(folder, entries)


@pytest.mark.parametrize(("line", "column"), [(5, 8), (8, 5), (2, 16)])
def test_an_invariant_that_the_program_does_not_check_is_not_confirmed(tmp_path: Path, line: int, column: int) -> None:
    """One in a comment, behind `#if 0`, or in a macro that nothing uses was confirmed, whatever it said."""
    file = _proof(tmp_path, "! call(reach_error())", line, column, "n == 77")
    assert run_main(["validate", file, "--timeout", "6"]) == 3
    there = _proof(tmp_path, "! call(reach_error())", 6, 5, "n == 3 && (k <= 3) == 1")
    assert run_main(["validate", there, "--timeout", "6"]) == 0


def test_a_macro_with_an_effect_is_not_put_into_a_program(tmp_path: Path) -> None:
    """A macro of the program that assigns made another program of it, which was proved: a wrong confirmation."""
    file = _proof(tmp_path, "valid-deref", 6, 5, "STEP == 0", result="*(int *)0")
    assert run_main(["validate", file, "--timeout", "6"]) == 1
    file = _proof(tmp_path, "! call(reach_error())", 6, 5, "STEP == 0")
    assert run_main(["validate", file, "--timeout", "6"]) == 3


def test_a_target_in_another_file_is_not_reached(tmp_path: Path) -> None:
    """Places of violations were compared by line alone."""
    entries = witness(tmp_path, write(tmp_path, INPUTS), "--property", "memsafety")
    entries[0]["content"][-1]["segment"][0]["waypoint"]["location"]["file_name"] = "other.c"
    assert run_main(["validate", changed(tmp_path, entries), "--timeout", "4"]) == 3


def test_another_program_or_a_damaged_file_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entries = witness(tmp_path, write(tmp_path, NULL), "--property", "memsafety")
    write(tmp_path, NULL + "\n")
    assert run_main(["validate", str(tmp_path / "w.yml")]) == 2
    assert "it has changed" in capsys.readouterr().err
    write(tmp_path, NULL)
    for damage in ("metadata", "content", "entry_type"):
        assert run_main(["validate", changed(tmp_path, [{k: v for k, v in entries[0].items() if k != damage}])]) == 2
    for text in ("", "[", "a: 1", "- 3", "!!python/name:os.system", "- &a [*a]"):
        (tmp_path / "bad.yml").write_text(text)
        assert run_main(["validate", str(tmp_path / "bad.yml")]) == 2
    entries[0]["content"] = entries[0]["content"][:-1]
    assert run_main(["validate", changed(tmp_path, entries)]) == 2
    assert "must be the target" in capsys.readouterr().err


def test_only_expressions_without_effects_are_put_into_a_program() -> None:
    for good in ("a == 0", "(a->b != 0 && x[3] <= 4u) || !c", "-1 < a % 2", "*p == q"):
        assert is_plain_expression(good), good
    for bad in (
        "",
        "f(1)",
        "a = 1",
        "a++",
        "1), (2",
        "a; b",
        "{1}",
        '"x"',
        "a, b",
        "(int)(x) (y)",
        "sizeof a",
        "a ? b : c",
    ):
        assert not is_plain_expression(bad), bad


def test_assertions_at_loops() -> None:
    def put(text: str, line: int, column: int | None) -> tuple[str, int]:
        made, _, left = with_assertions(text, [LoopInvariant(Location("a.c", line, column), "x == 0")])
        return made, len(left)

    made, left = put("int main() {\n  while (x < f(3)) x++;\n}", 2, 3)
    assert left == 0 and made.count("\n") == 2 and '"loop"); })), (x < f(3)))) x++;' in made
    made, left = put("for (int i = 0; ; i++) {}", 1, 1)
    assert left == 0 and ", 1) ; i++)" in made
    made, left = put("do { x++; } while (x);", 1, 1)
    assert left == 0 and made.index('__assert_fail("') < made.index("x++")
    assert put("x = 1;", 1, 1)[1] == 1
    assert put("x = 1;", 9, 1)[1] == 1


def test_expressions_are_evaluated_on_a_heap() -> None:
    heap = Heap((("main", "a", "17"), ("main", "p", "#3"), ("main", "q", "0"), ("main", "u", "undefined")), ())
    for text, value in {
        "a == 17": True,
        "a + 1 < 2 * 9": False,
        "p != 0 && !q": True,
        "!a == 1": False,
        "!(a == 1)": True,
        "not a": None,
        "~a == 1": None,
        "p == q || a > 3u": True,
        "u == 0": None,
        "u == 0 && a == 1": False,
        "p->x == 0": None,
        "q == NULL": True,
        "f(a)": None,
    }.items():
        assert holds(text, heap) is value, text


def test_cases_that_differ_in_one_pointer_become_one() -> None:
    null, some = ("x", "==", "0"), ("x", "!=", "0")
    y = ("y", "!=", "0")
    assert simplify_cases({frozenset((null, y)), frozenset((some, y))}) == {frozenset((y,))}
    assert simplify_cases({frozenset((null,)), frozenset((some,))}) == {frozenset()}
    assert simplify_cases({frozenset((null, y)), frozenset((null,))}) == {frozenset((null,))}
