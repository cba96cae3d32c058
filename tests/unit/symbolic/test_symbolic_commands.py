"""kleene assume, alpha, meet and transform: outputs, exit codes, errors."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import jsonschema
import pytest
from tests.slices import in_exam

from kleene.cli import run_main
from kleene.logic.formula import TRUE
from kleene.report.run.json import schema
from kleene.smt import Limits
from kleene.structures.embedding import embeds
from kleene.structures.tvs_reader import read_tvs
from kleene.symbolic import SymbolicOptions, Theory, assume
from kleene.symbolic.paper import computation
from kleene.tvp.program import parse_formula

from .samples import EXAMPLES, INPUT, PRECONDITION, RUNNING

RUN = [str(EXAMPLES / "running"), str(EXAMPLES / "running")]


def test_assume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tvs, html, svg, dump = tmp_path / "out.tvs", tmp_path / "out.html", tmp_path / "svg", tmp_path / "smt"
    outputs = ["--tvs", str(tvs), "--html", str(html), "--svg", str(svg), "--dump-smt", str(dump)]
    assert run_main(["assume", *RUN, "--formula", PRECONDITION, *outputs]) == 0
    assert "assume: 8 structures, most precise" in capsys.readouterr().out
    assert len(read_tvs(tvs, RUNNING.vocabulary).structures) == 8
    assert len(list(svg.iterdir())) == 8
    assert "<html" in html.read_text().lower()
    assert list(dump.glob("*.smt2"))


def test_json_follows_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_main(["assume", *RUN, "--formula", PRECONDITION, "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("symbolic"))
    assert document["schema"] == "kleene.symbolic/1"
    assert document["most_precise"] is True
    assert document["reason"] is None
    assert len(document["structures"]) == len(document["stores"]) == 8
    assert document["solver_calls"] < 40


def test_time_out_is_inconclusive(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_main(["assume", *RUN, "--formula", PRECONDITION, "--json", "-", "--timeout", "0.000001"]) == 3
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("symbolic"))
    assert document["reason"] == "time limit reached"


def test_alpha_and_meet(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_main(["alpha", str(EXAMPLES / "running"), "--formula", "A(v) 0"]) == 0
    assert "alpha: 1 structure, most precise" in capsys.readouterr().out
    files = [str(EXAMPLES / name) for name in ("marks", "marks_first", "marks_none")]
    assert run_main(["meet", *files, "--minimal"]) == 0
    assert "meet: 1 structure, most precise" in capsys.readouterr().out


def test_transform_with_contracts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = "%n = {u, w}\n%p = { x = {u} y = {w} r[x] = {u} r[y] = {w} ordered = {u, w} }"
    bad = good.replace("ordered = {u, w}", "ordered = {u}")
    arguments = ["--contracts", str(EXAMPLES / "sort.contracts"), "--action", "merge(x, y)"]
    for text, code in ((good, 0), (bad, 1)):
        (tmp_path / "in.tvs").write_text(text)
        result = run_main(["transform", str(EXAMPLES / "sort"), str(tmp_path / "in.tvs"), *arguments])
        assert result == code
        assert ("requires may fail" in capsys.readouterr().out) is (code == 1)


def test_bodies_against_contracts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``y = x`` is no body of a procedure that empties x; the store that shows it is in the report."""
    contract = (
        "procedure move(a, b)\n  requires !(E(v) b(v))\n  ensures !(E(v) a(v)) & (A(v) (old[r[a]](v) <-> r[b](v)))\n"
    )
    (tmp_path / "move.contracts").write_text(contract)
    (tmp_path / "one.tvs").write_text("%n = {u}\n%p = { x = {u} r[x] = {u} }")
    files = [str(EXAMPLES / "lists"), str(tmp_path / "one.tvs"), "--contracts", str(tmp_path / "move.contracts")]
    body = ["--action", "Copy(y, x)", "--action", "Set_Null(x)"]
    assert run_main(["transform", *files, *body, "--ensures", "move(x, y)"]) == 0
    assert "the body of move(x, y) keeps its specification" in capsys.readouterr().out
    assert run_main(["transform", *files, *body[:2], "--ensures", "move(x, y)", "--json", "-"]) == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("symbolic"))
    (violation,) = document["violations"]
    assert violation["ensures"]
    assert violation["structures"]
    assert run_main(["transform", *files, *body, "--ensures", "mvoe(x, y)"]) == 2
    assert "no procedure 'mvoe' is specified; did you mean 'move'" in capsys.readouterr().err


def test_calls_that_create_and_free(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the first call creates, the second one frees."""
    (tmp_path / "empty.tvs").write_text("%n = {}\n%p = {}")
    folder = EXAMPLES.parent / "contracts"
    files = [str(folder / "list"), str(tmp_path / "empty.tvs"), "--contracts", str(folder / "heap")]
    assert run_main(["transform", *files, "--action", "push(x)", "--action", "clear_all(x)"]) == 0
    shown = capsys.readouterr().out
    assert "transform: 1 structure, most precise" in shown
    assert "(no nodes)" in shown


def test_missing_prover_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "cvc5", None)
    arguments = ["assume", *RUN, "--formula", PRECONDITION, "--quiet"]
    assert run_main([*arguments, "--backend", "cvc5"]) == 2
    assert "pip install cvc5" in capsys.readouterr().err
    assert run_main([*arguments, "--backend", "z3"]) == 0
    assert run_main(arguments) == 0, "the default does without it"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["assume", *RUN, "--formula", "E(v) z(v)"], "undeclared predicate 'z'"),
        (["assume", *RUN, "--formula", "x(v)"], "unexpected free variables: v"),
        (["assume", *RUN, "--formula", "1/2"], "1/2 has no meaning"),
        (["assume", *RUN, "--formula", "E(v"], "--formula:1:"),
        (["assume", *RUN], "missing option '--formula'"),
        (["assume", *RUN, "--formula", "1", "--backend", "zz"], "'zz' is not one of"),
        (["alpha", "nowhere", "--formula", "1"], "no file 'nowhere'"),
        (["transform", *RUN, "--action", "jump()"], "undeclared action 'jump'"),
    ],
)
def test_errors_are_one_clear_message(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_main(arguments) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert "Traceback" not in shown


def test_unbounded_input_and_no_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "twins.tvs").write_text("%n = {u, w}\n%p = { n = {u->w} }")
    assert run_main(["assume", RUN[0], str(tmp_path / "twins.tvs"), "--formula", "1"]) == 2
    assert "not bounded" in capsys.readouterr().err
    (tmp_path / "plain.tvp").write_text('%p p(v)\n%%\n%action skip() { %t "" }\n%%\na skip() b\n')
    plain = ["alpha", str(tmp_path / "plain.tvp"), "--formula", "E(v) p(v)"]
    assert run_main(plain) == 2
    assert "no integrity rules" in capsys.readouterr().err
    assert run_main([*plain, "--allow-no-rules"]) == 0


def test_the_tree_of_figure_6(capsys: pytest.CaptureFixture[str]) -> None:
    """The first splits of the running example: y on u1 cannot be 1, and on u2 it must be."""
    assert run_main(["assume", *RUN, "--formula", PRECONDITION, "--trace"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "split by y(u1)"
    assert "├─ 0 and 1: no store" in lines
    assert "├─ 0: split by y(u2)" in lines
    assert "└─ 1: no store" in lines
    assert "assume: 8 structures, most precise" in lines[-1]


LASSO = """
%p x(v) unique
%p n(v1, v2) function
%i r[x](v) = E(w) (x(w) & n*(w, v))
%i is(v) = E(a, b) (n(a, v) & n(b, v) & a != b)
%i c(v) = n+(v, v)
%%
%action skip() {}
%%
n1 skip() n2
"""
ANY_LASSO = """
%n = {a, b}
%p = { x = {a}  n = {a->b:1/2, b->b:1/2, a->a:1/2, b->a:1/2}  sm = {b:1/2}  r[x] = {a, b}
       is = {a:1/2, b:1/2}  c = {a:1/2, b:1/2} }
"""


def test_the_tree_of_a_lasso(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each choice was a query that provers do not decide: the tree took minutes and had structures without stores."""
    program, stores = tmp_path / "lasso.tvp", tmp_path / "lasso.tvs"
    program.write_text(LASSO, encoding="utf-8")
    stores.write_text(ANY_LASSO, encoding="utf-8")
    assert run_main(["assume", str(program), str(stores), "--formula", "E(v) (c(v) & !x(v))", "--trace"]) == 0
    output = capsys.readouterr().out
    assert "assume: 11 structures, most precise; 0 solver calls" in output.splitlines()[-1]
    assert len(re.findall(r"(: |^)kept$", output, re.MULTILINE)) == 11
    assert "not refined further" not in output


@pytest.mark.parametrize(
    "condition",
    [
        f"{PRECONDITION} & A(v) (x(v) | y(v))",
        pytest.param(PRECONDITION, marks=in_exam),
        pytest.param("1", marks=in_exam),
    ],
)
def test_the_tree_is_the_same_with_and_without_queries(condition: str) -> None:
    """What is known of the stores answers each question of Figs. 4 and 5 as the provers do."""
    question = parse_formula(condition, RUNNING.vocabulary, file="test", free=())
    theory = Theory(RUNNING.vocabulary, RUNNING.rules)
    _, asked = computation(question, [INPUT], theory)
    _, known = computation(question, [INPUT], theory, best=assume(question, [INPUT], theory))
    assert known == asked
    assert any(branch.children for branch in known)


def test_the_tree_ends_with_the_time() -> None:
    """Behind the time limit all branches were kept, and refined for ten minutes and more."""
    options = SymbolicOptions(limits=Limits(total_seconds=0.0))
    _, (root,) = computation(TRUE, [INPUT], Theory(RUNNING.vocabulary, RUNNING.rules), options)
    assert root.fate == "kept: not refined further"
    assert not root.children


@pytest.mark.parametrize("seconds", ["0.000001", "0.05"])
def test_a_short_time_gives_structures_below_the_input(seconds: str, tmp_path: Path) -> None:
    """The result of a very short time limit was near top."""
    out = tmp_path / "out.tvs"
    run_main(["assume", *RUN, "--formula", PRECONDITION, "--timeout", seconds, "--backend", "z3", "--tvs", str(out)])
    results = read_tvs(out, RUNNING.vocabulary).structures
    assert results
    assert all(embeds(s.structure, INPUT) for s in results)


def test_two_stores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, stores = EXAMPLES / "move.tvp", EXAMPLES / "move.tvs"
    arguments = [str(program), str(stores), "--action", "Copy(t, x)", "--two-store"]
    assert run_main(["transform", *arguments]) == 0
    text = capsys.readouterr().out
    assert "old[x]" in text
    assert "t, x, old[x] ->" in text or "x, t, old[x] ->" in text
    assert run_main(["transform", *arguments, "--ensures", "f()"]) == 2


def test_a_vocabulary_alone_is_a_specification(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Operations on structures need no actions and no edges; mistakes in the vocabulary still have places."""
    spec = tmp_path / "list.tvp"
    text = "%p x(v) unique\n%p n(a, b) function\n%i r(v) = E(u) x(u) & n*(u, v)\n"
    for end in ("", "%%\n", "%%\n%%\n"):
        spec.write_text(text + end)
        assert run_main(["alpha", str(spec), "--formula", "A(v) r(v)"]) == 0
        assert "most precise" in capsys.readouterr().out
    spec.write_text(text + "n1 a() n2\n")
    assert run_main(["alpha", str(spec), "--formula", "A(v) r(v)"]) == 2
    assert "list.tvp:4:6: expected" in capsys.readouterr().err
