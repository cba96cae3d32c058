"""Refinement on the command line: options, `kleene shapes`, certificates, and mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.refine.helpers import BUILD, EXAMPLES, written
from tests.refine.test_loop import LAST, WRONG

from kleene.analysis.c import strategy
from kleene.analysis.c.certificates import digest_of
from kleene.cli import run_main


def run(capsys, *arguments: object) -> tuple[int, str, str]:
    code = run_main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture(scope="module")
def proof(tmp_path_factory) -> tuple[Path, Path, str]:
    """A program, its certificate, and what was printed."""
    folder = tmp_path_factory.mktemp("proof")
    program, certificate = written(folder, LAST), folder / "proof.json"
    page, data = folder / "page.html", folder / "result.json"
    arguments = ["--property", "assert", "--certificate", certificate, "--html", page, "--json", data]
    assert run_main(["check", str(program), *map(str, arguments), "--trace-refinement"]) == 0
    return program, certificate, page.read_text(encoding="utf-8")


def test_a_proof_says_how_it_was_found(proof):
    program, _, page = proof
    result = json.loads((program.parent / "result.json").read_text(encoding="utf-8"))
    assert result["verdict"] == "TRUE"
    assert result["statistics"]["refinements"]["tracking"] >= 1
    assert result["statistics"]["refinements"]["rounds"] >= 1
    assert "shape refinement" in result["statistics"]["proved_by"]["assert"]
    assert "Refinement" in page
    assert "Sample heaps" in page
    assert "Round 1: " in page


def test_a_certificate_is_valid_until_something_changes(proof, capsys, tmp_path):
    program, certificate, _ = proof
    code, out, _ = run(capsys, "recheck", certificate)
    assert (code, "valid" in out, "proves assert" in out) == (0, True, True)
    document = json.loads(certificate.read_text(encoding="utf-8"))
    location = max(document["locations"], key=lambda name: len(document["locations"][name]))
    less = tmp_path / "less.json"
    body = {k: v for k, v in document.items() if k != "digest"}
    body["locations"] = {**document["locations"], location: []}
    less.write_text(json.dumps({**body, "digest": digest_of(body)}), encoding="utf-8")
    code, out, _ = run(capsys, "recheck", less)
    assert code == 1
    assert "not covered" in out
    text = program.read_text(encoding="utf-8")
    program.write_text(text + "\n", encoding="utf-8")
    try:
        code, _, err = run(capsys, "recheck", certificate)
        assert code == 2
        assert "is not the file that was proved" in err
    finally:
        program.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "content,message",
    [
        ("{", "not JSON"),
        ("[]", "not a certificate"),
        ('{"schema": "kleene.certificate/3"}', "prove the program again"),
        ('{"schema": "kleene.certificate/5", "tool": "0.1.0"}', "not a certificate: 'active' is missing"),
    ],
)
def test_what_is_no_certificate(capsys, tmp_path, content, message):
    path = tmp_path / "bad.json"
    path.write_text(content, encoding="utf-8")
    code, _, err = run(capsys, "recheck", path)
    assert code == 2
    assert message in err
    assert "Traceback" not in err
    assert run(capsys, "recheck", tmp_path / "none.json")[0] == 2


def test_an_error_is_shown_by_a_run(capsys, tmp_path):
    program = written(tmp_path, WRONG)
    code, out, err = run(
        capsys, "check", program, "--property", "assert", "--refine", "--certificate", tmp_path / "no.json"
    )
    assert code == 1
    assert "assertion" in out
    assert "confirmed" in out
    assert "no certificate was written" in err
    assert not (tmp_path / "no.json").exists()


def leave_fesa_out(monkeypatch):
    """FESA proves the program after refinement has given up."""
    monkeypatch.setattr(strategy, "PHASES", tuple(phase for phase in strategy.PHASES if phase.name != "FESA"))


def test_limits_leave_the_last_abstraction(capsys, tmp_path, monkeypatch):
    leave_fesa_out(monkeypatch)
    program = written(tmp_path, LAST)
    code, out, _ = run(
        capsys, "check", program, "--property", "assert", "--trace-refinement", "--max-rounds", 1, "--timeout", 8
    )
    assert code == 3
    assert "no proof in 1 rounds" in out
    assert "last abstraction" in out


def test_the_library_is_listed_and_drawn(capsys, tmp_path):
    code, out, _ = run(capsys, "shapes")
    assert code == 0
    assert "dll: doubly linked list" in out
    assert "refines sll" in out
    code, _, _ = run(capsys, "shapes", "--svg", tmp_path / "svg", "--html", tmp_path / "shapes.html")
    assert code == 0
    assert {p.stem for p in (tmp_path / "svg").iterdir()} >= {
        "sll",
        "dll",
        "tree",
        "treep",
        "clist",
        "nested",
        "sorted",
    }
    assert "<svg" in (tmp_path / "shapes.html").read_text(encoding="utf-8")
    assert run(capsys, "shapes", "dlll")[0] == 2


def test_mistakes_of_the_user(capsys, tmp_path):
    program = EXAMPLES / "sll" / "reverse.c"
    code, _, err = run(capsys, "check", program, "--structure-hint", "tre")
    assert (code, "did you mean 'tree'" in err) == (2, True)
    shapes = tmp_path / "bad.scg"
    shapes.write_text('%shape mine "mine" {\n  %forward seven\n}\n', encoding="utf-8")
    code, _, err = run(capsys, "check", program, "--shapes", shapes)
    assert code == 2
    assert f"{shapes}:2:12: " in err
    assert "^" in err


def test_a_shape_of_one_s_own_is_used(capsys, tmp_path):
    """The hint names an entry of the user's file; its families are what the proof is made of."""
    own = (Path(__file__).parent.parent.parent / "src/kleene/shapes/sll.scg").read_text(encoding="utf-8")
    shapes = tmp_path / "own.scg"
    shapes.write_text(own.replace("%shape sll", "%shape mine"), encoding="utf-8")
    body = (
        "int main(void) { struct node *l = make(); while (l) { struct node *n = l->next; free(l); l = n; } return 0; }"
    )
    program = written(tmp_path, BUILD + body)
    code, out, _ = run(
        capsys, "check", program, "--property", "memsafety", "--shapes", shapes, "--structure-hint", "mine"
    )
    assert code == 0
    assert "shape refinement (mine with" in out


HEADER = "static inline struct node *next_of(struct node *n) { return n->next; }\n"
WITH_HEADER = (
    BUILD
    + """#include "next.h"
int main(void) {
    struct node *list = make();
    while (list != NULL) {
        struct node *rest = next_of(list);
        free(list);
        list = rest;
    }
    return 0;
}
"""
)


def test_a_header_that_changes_makes_a_certificate_invalid(capsys, tmp_path):
    """The certificate used to name the C files only, so that a changed header went unnoticed."""
    program, certificate, header = written(tmp_path, WITH_HEADER), tmp_path / "c.json", tmp_path / "next.h"
    header.write_text(HEADER, encoding="utf-8")
    code, _, _ = run(capsys, "check", program, "--property", "memsafety", "--certificate", certificate)
    assert code == 0
    names = [entry["path"] for entry in json.loads(certificate.read_text(encoding="utf-8"))["headers"]]
    assert names == [str(header)]
    assert run(capsys, "recheck", certificate)[0] == 0
    header.write_text(HEADER + "// changed\n", encoding="utf-8")
    code, _, err = run(capsys, "recheck", certificate)
    assert (code, "next.h is not the file that was proved" in err) == (2, True)
    header.write_text(HEADER, encoding="utf-8")
    document = json.loads(certificate.read_text(encoding="utf-8"))
    body = {**{k: v for k, v in document.items() if k != "digest"}, "headers": []}
    certificate.write_text(json.dumps({**body, "digest": digest_of(body)}), encoding="utf-8")
    code, _, err = run(capsys, "recheck", certificate)
    assert (code, "next.h is included now" in err) == (2, True)


def test_invariants_are_those_of_the_last_tree(capsys):
    program = EXAMPLES / "sll" / "create.c"
    code, out, _ = run(capsys, "check", program, "--refine", "--invariants")
    assert code == 0
    assert "loop in create" in out
    assert "list: acyclic list of 2 or more nodes" in out
    assert "checked again" in out
    assert "no pointer reaches" not in out


def test_what_is_not_refined_is_not_lost(capsys):
    """Recursive functions are analysed as without --refine, and the trace says so."""
    code, out, _ = run(capsys, "check", EXAMPLES / "recursion" / "reverse.c", "--trace-refinement")
    assert code == 0
    assert "no refinement: recursive functions" in out
    assert "the analysis that tracks everything (shape analysis" in out


def test_a_real_error_leaves_the_other_properties(capsys, tmp_path):
    program = written(
        tmp_path,
        WRONG.replace("return n;", "while (list) { struct node *r = list->next; free(list); list = r; } return n;"),
    )
    code, out, _ = run(
        capsys, "check", program, "--refine", "--property", "assert", "--property", "memsafety", "--malloc-never-fails"
    )
    assert code == 1
    assert "assert     FALSE" in out
    assert "memsafety  TRUE" in out


@pytest.mark.parametrize(
    "option,value,words", [("--memory", 1, "memory limit"), ("--max-structures", 20, "more than 20")]
)
def test_every_limit_leaves_the_last_abstraction(capsys, tmp_path, monkeypatch, option, value, words):
    leave_fesa_out(monkeypatch)
    words_of_limits = (option, value, "--timeout", 5)
    code, out, _ = run(capsys, "check", written(tmp_path, LAST), "--property", "assert", "--refine", *words_of_limits)
    assert code == 3
    assert f"unknown because: {'the ' if option == '--memory' else ''}{words}" in out
    assert "last abstraction" in out
    assert f"raise {option}" in out


def test_a_variable_that_is_only_declared_has_any_value(capsys, tmp_path):
    """The path to the variable is empty: refinement ended in an internal error."""
    text = "struct node { struct node *next; };\nextern struct node *head;\nint main(void) { return head != 0; }\n"
    program = tmp_path / "external.c"
    program.write_text(text, encoding="utf-8")
    code, out, _ = run(capsys, "check", program, "--refine")
    assert code == 0
    assert "assumes: the variable head is declared and not defined" in out
