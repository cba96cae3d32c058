"""Bodies of TVP procedures against their contracts: the examples are proved, and what is wrong in them is reported."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from kleene.analysis.tvp.procedures import verify_contracts
from kleene.cli import run_main
from kleene.diagnostics import InputError
from kleene.report.contracts_report import BodyResult
from kleene.symbolic.contracts.reader import parse_contracts
from kleene.tvp.program import load_program, parse_program

FOLDER = Path(__file__).parents[3] / "examples" / "contracts"
LIST = load_program(FOLDER / "list.tvp")
SORT = (FOLDER / "sort.contracts").read_text()
HEAP = (FOLDER / "heap.contracts").read_text()
SCHEMA = Path(__file__).parents[3] / "src" / "kleene" / "report" / "schemas" / "contracts.schema.json"


def checked(text: str, name: str) -> BodyResult:
    (result,) = verify_contracts(LIST, parse_contracts(text), timeout=60, only=[name])
    return result


@pytest.mark.parametrize(
    ("text", "name"),
    [(SORT, "split"), (SORT, "merge"), (SORT, "sort"), (HEAP, "push"), (HEAP, "clear_all"), (HEAP, "main")],
    ids=lambda value: value if len(value) < 20 else "",
)
def test_examples_keep_their_contracts(text: str, name: str) -> None:
    result = checked(text, name)
    assert result.verdict == "verified", result.reason


WRONG = [
    # text, procedure, what is replaced, by what, what the report says
    (SORT, "split", "c1 clear(slow) c2", "c1 skip() c2", "ensures"),
    (SORT, "split", "modifies n, q", "modifies q", "modifies does not list n"),
    (SORT, "split", "(E(v) p(v)) & !(E(v) q(v)) &", "", "NULL"),
    (SORT, "merge", "d2 greater(p, q) f1", "d2 skip() f1", "ensures"),
    (SORT, "merge", "g2 link(t, q) done", "g2 skip() done", "ensures"),
    (SORT, "merge", "h1 null(q) h2", "h1 skip() h2", "ensures"),
    (SORT, "merge", "inOrder(v) & !shared(v))) & (A(v) !(from[p](v) & from[q](v)))",
     "inOrder(v) & !shared(v)))", "Closed cycle"),
    (SORT, "sort", "a6 sort(t) a7", "a6 skip() a7", "merge(p,t): requires"),
    (SORT, "sort", "a3 null(t) a4", "a3 skip() a4", "split(p,t): requires"),
    (SORT, "sort", "a2 is_null(t) exit", "a2 skip() exit", "ensures"),
    (HEAP, "push", "  allocates\n", "", "no 'allocates'"),
    (HEAP, "push", "l1 link(t, p) l2", "l1 skip() l2", "ensures"),
    (HEAP, "push", "modifies n, p", "modifies n", "modifies does not list p"),
    (HEAP, "clear_all", "frees    from[p](v)", "frees    p(v)", "does not permit"),
    (HEAP, "clear_all", "  frees    from[p](v)\n", "", "does not permit"),
    (HEAP, "clear_all", "start is_null(p) exit", "start skip() exit", "ensures"),
    (HEAP, "main", "ensures  !(E(v) x(v))", "ensures  (E(v) x(v))", "ensures"),
    (HEAP, "main", "l3 clear_all(x) exit", "l3 clear_all(y) exit", "ensures"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "name", "old", "new", "says"), WRONG, ids=[f"{w[1]}: {w[3]}" for w in WRONG])
def test_what_is_wrong_is_reported(text: str, name: str, old: str, new: str, says: str) -> None:
    start = text.index(f"procedure {name}(")
    end = text.find("procedure ", start + 1)
    part = text[start:] if end < 0 else text[start:end]
    assert old in part
    result = checked(text[:start] + part.replace(old, new) + ("" if end < 0 else text[end:]), name)
    assert result.verdict == "violated"
    assert any(says.replace(", ", ",") in v.what.replace(", ", ",") for v in result.violations), result.violations
    assert all(v.structures for v in result.violations)


WEAK = """
procedure tail(p)
  %s Pointers {p}
  modifies p
  requires E(v) p(v)
  ensures  A(v) (from[p](v) -> old[from[p]](v))
  body start next(p, p) exit
procedure use(p)
  %s Pointers {p, t}
  modifies p
  requires E(v) p(v)
  ensures  A(v) (from[p](v) -> !old[p](v))
  body start tail(p) exit
"""


def test_a_caller_knows_the_contract_only() -> None:
    """The body of tail does more than its contract says, and its caller may not rely on that."""
    assert checked(WEAK, "tail").verdict == "verified"
    assert checked(WEAK, "use").verdict == "violated"
    stronger = WEAK.replace("-> old[from[p]](v))", "-> old[from[p]](v) & !old[p](v))")
    assert checked(stronger, "tail").verdict == checked(stronger, "use").verdict == "verified"
    changes = WEAK.replace("body start tail(p) exit", "body start copy(t, p) l1  l1 tail(t) l2  l2 clear(p) exit")
    assert any("modifies does not list n" in v.what for v in checked(changes, "use").violations)


REFUSED = [
    ("procedure f(p, q)\n %s Pointers {p, q}\n body s merge(p, p) e", "is passed to 'merge' twice"),
    ("procedure f(p)\n body s copy(p, p) e", "'p' is not declared: make it a member"),
    ("procedure f(p)\n %s Pointer {p}\n body s skip() e", "no set 'Pointer'; did you mean 'Pointers'"),
    ("procedure f(p)\n %s Pointers {p}\n body s copi(p, p) e", "'copi' is neither an action nor a procedure; did you"),
    ("procedure f(p)\n %s Pointers {p}\n body s copy(p) e", "needs 2 arguments"),
    ("procedure f(p)\n %s Pointers {p}\n ensures A(v) q(v)\n body s skip() e", ":3:15: undeclared predicate 'q'"),
    ("procedure f(p)\n %s Pointers {p}\n ensures &/{ z(v) : z in Pointers }\n body s skip() e", "undeclared set"),
    ("procedure f(p)\n frees n(v, w)\n", ":2:8: unexpected free variables: w"),
    ("procedure f(p)\n body s skip e", ":2:7: expected an edge"),
    ("procedure f(p)\n modifies from[p]\n %s Pointers {p}\n body s skip() e", "'modifies' lists core predicates"),
    ("procedure f(p)\n allocates n\n", "'allocates' stands alone"),
    ("procedure f(p, p)\n", "cannot be a parameter"),
    ("procedure f(p)\n requires 1\n requires 1", "'requires' is given twice"),
    ("procedure f(p)\n %s Pointers {p}\n ensures A(v) q(v)", ":3:15: undeclared predicate 'q'"),
    ("procedure f(p)\n %s Pointers {p, t}\n ensures !(E(v) t(v))\n body s skip() e", "'t', a variable of the body"),
    ("procedure f(p)\n %s Pointers {p, t}\n ensures A(v) old[from[t]](v)\n body s skip() e", "'t', a variable of"),
    ("procedure f(p)\n %s Pointers {p, t}\n modifies t\n body s skip() e", "'t', a variable of the body"),
    ("procedure f(p)\n ensures A(v) !sm(v)", ":2:10: 'sm' is about structures"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_bad_contracts_are_refused(text: str, message: str) -> None:
    others = SORT if "merge" in text else ""
    with pytest.raises(InputError if "Pointer {" not in text else Exception) as refused:
        contracts = parse_contracts(text + "\n" + others)
        verify_contracts(LIST, contracts, only=["f"])
        contracts.procedures["f"].call(["x"], LIST)
    assert message in str(refused.value)


HIDDEN = """
%s Pointers {x, y}
foreach (z in Pointers) { %p z(v) unique pointer }
%p n(a, b) function
%%
%action collect()  { %retain |/{ z(v) : z in Pointers } }
%action forget()   { { foreach (z in Pointers) { z(v) = 0 } } }
%action null(a)    { { a(v) = 0 } }
%%
s null(x) e
"""


@pytest.mark.parametrize("action", ["collect", "forget"])
def test_actions_about_variables_of_callers_are_refused(action: str) -> None:
    """A collector would remove what only the caller points to, and no contract of the procedure says so."""
    program = parse_program(HIDDEN)
    text = f"procedure f(p)\n %s Pointers {{p}}\n modifies p\n frees 1\n body s {action}() e"
    with pytest.raises(InputError, match="variables of its callers"):
        verify_contracts(program, parse_contracts(text.replace("frees 1", "frees p(v) | !p(v)")))


def test_copies_are_refused() -> None:
    """A copy would have the values at entry of its original, and a new individual has none."""
    program = parse_program(HIDDEN.replace("%action null", "%action copy(a) { %clone a(v) }\n%action null"))
    with pytest.raises(InputError, match="copies individuals"):
        verify_contracts(program, parse_contracts("procedure f(p)\n %s Pointers {p}\n allocates\n body s copy(p) e"))


def test_arguments_must_be_declared_alike() -> None:
    """A body that was checked for a variable proves nothing of a predicate that may hold of many."""
    program = parse_program(HIDDEN.replace("%p n(a, b)", "%p many(v)\n%p n(a, b)"))
    callee = (
        "procedure f(p)\n %s Pointers {p}\n modifies p\n ensures A(v, w) (p(v) & p(w) -> v == w)\n body s null(p) e\n"
    )
    caller = "procedure g()\n modifies many\n body s f(many) e"
    with pytest.raises(InputError, match="whose body knows it already"):
        verify_contracts(program, parse_contracts(callee + caller))
    both = "foreach (z in Pointers - {x}) { %p z(v) unique pointer }\nforeach (z in Pointers & {x}) { %p z(v) }"
    other = parse_program(HIDDEN.replace("foreach (z in Pointers) { %p z(v) unique pointer }", both))
    with pytest.raises(InputError, match="'x' is not declared as 'p' is"):
        verify_contracts(other, parse_contracts(callee + "procedure g()\n modifies x\n body s f(x) e"))


def test_a_procedure_that_never_returns_may_ensure_anything() -> None:
    """Contracts say nothing of termination: a circular call is sound for that reason only."""
    text = "procedure f(p)\n %s Pointers {p}\n modifies p\n ensures 0 & (E(v) p(v))\n body s f(p) e"
    assert checked(text, "f").verdict == "verified"
    other = text.replace("body s f(p) e", "body s f(p) e\n s null(p) e")
    assert checked(other, "f").verdict == "violated"


@pytest.mark.parametrize("steps", ["l0 null(p) l1\n l1 push(p) l2", "l0 push(t) l1\n l1 clear(p) l2\n l2 push(t) l3"])
def test_what_calls_create_is_not_lost(steps: str) -> None:
    """Of a new element it was concluded that its field is as it was, and not as it was: such calls led nowhere."""
    text = f"procedure f(p)\n %s Pointers {{p, t}}\n modifies n, p\n ensures A(v) same[n](v)\n body\n {steps}"
    result = checked(HEAP + text, "f")
    assert result.verdict == "violated"
    assert any("no 'allocates'" in v.what for v in result.violations)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(FOLDER / "list"), str(FOLDER / "heap")]
    assert run_main(["contracts", *files, "--procedure", "clear_all", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    (tmp_path / "bad.contracts").write_text(HEAP.replace("  allocates\n", "", 1))
    page, drawings = tmp_path / "page.html", tmp_path / "svg"
    arguments = [files[0], str(tmp_path / "bad"), "--procedure", "push", "--html", str(page), "--svg", str(drawings)]
    assert run_main(["contracts", *arguments]) == 1
    assert "push(p) may break a specification" in capsys.readouterr().out
    assert "<svg" in page.read_text()
    assert any(drawings.iterdir())
    assert run_main(["contracts", *files, "--procedure", "puhs"]) == 2
    assert "no procedure 'puhs' is specified; did you mean 'push'" in capsys.readouterr().err
    assert run_main(["contracts", *files, "--timeout", "0.001"]) == 3
