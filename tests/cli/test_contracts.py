"""`kleene check --contracts`: bodies against contracts, calls by contracts, and contracts that are not understood."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from kleene.analysis.c.contracts import check_contracts
from kleene.analysis.c.options import check_options
from kleene.cli import run_main
from kleene.core.verdict import Verdict
from kleene.diagnostics import InputError
from kleene.results.check import CheckReport

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples" / "c" / "contracts"
SCHEMA = EXAMPLES.parent.parent.parent / "docs" / "reference" / "check.schema.json"
HEADER = """#include <stdlib.h>
struct node { struct node *next; int data; };
"""
FREE_ALL = """
/*@ requires list(l); */
void free_all(struct node *l) { while (l) { struct node *n = l->next; free(l); l = n; } }
"""


def checked(tmp_path: Path, text: str, **options: object) -> CheckReport:
    path = tmp_path / "program.c"
    path.write_text(HEADER + text, encoding="utf-8")
    return check_contracts([str(path)], check_options(**{"timeout": 60.0, **options}))  # type: ignore[arg-type]


def verdicts(report: CheckReport) -> dict[str, str]:
    return {name: str(verdict) for name, verdict in report.properties.items()}


@pytest.mark.parametrize("name", ["list", "recursive", "doubly", "tree", "circle"])
def test_what_is_proved(name: str) -> None:
    report = check_contracts([str(EXAMPLES / f"{name}.c")], check_options())
    assert set(verdicts(report).values()) == {"TRUE"}, (verdicts(report), report.reason)


@pytest.mark.parametrize("name", ["shared", "ring", "forgets"])
def test_what_is_broken(name: str) -> None:
    """The errors are where the marks BROKEN are, each with a run."""
    path = EXAMPLES / f"{name}.c"
    lines = path.read_text(encoding="utf-8").splitlines()
    marked = {(m[1], n) for n, line in enumerate(lines, 1) if (m := re.search(r"BROKEN: (\w+)", line))}
    report = check_contracts([str(path)], check_options())
    assert verdicts(report)["contracts"] == "FALSE"
    confirmed = {(f.kind, f.line) for f in report.findings if f.confirmed}
    assert marked and marked <= confirmed
    assert len(report.traces) == sum(f.confirmed for f in report.findings)


def test_a_caller_knows_the_contract_only(tmp_path: Path) -> None:
    """The function returns its argument; the caller may not rely on that, and FALSE would be wrong too."""
    text = """
/*@ requires list(l); ensures list(\\result); */
struct node *same(struct node *l) { return l; }
int main(void) {
    struct node *n = malloc(sizeof(struct node));
    if (!n) return 1;
    n->next = NULL;
    while (nondet()) n->data++;
    same(n);
    n->data = 1;
    free(n);
    return 0;
}"""
    report = checked(tmp_path, "int __VERIFIER_nondet_int(void);\n#define nondet __VERIFIER_nondet_int\n" + text)
    assert verdicts(report)["memsafety"] == "UNKNOWN"
    assert any(f.kind == "dangling_dereference" and not f.confirmed for f in report.findings)


def test_a_call_is_not_the_body(tmp_path: Path) -> None:
    """A body that is safe for this caller only: its contract is broken, the program is not."""
    text = """
/*@ requires list(l); ensures list(l); */
void second(struct node *l) { l->next = NULL; }
int main(void) { struct node *n = malloc(sizeof *n); if (!n) return 1; n->next = NULL; second(n); free(n); return 0; }
"""
    report = checked(tmp_path, text)
    assert verdicts(report)["contracts"] == "FALSE"
    assert verdicts(report)["memsafety"] != "FALSE"
    assert {f.kind for f in report.findings if f.confirmed} >= {"null_dereference"}


def test_comparisons(tmp_path: Path) -> None:
    text = """
/*@ requires list(l) && l != NULL && k > 0; ensures \\result >= 0 && list(l); */
int first(struct node *l, int k) { return l->data < 0 ? 0 : 1; }
int main(void) {
    struct node *n = malloc(sizeof *n);
    if (!n) return 1;
    n->next = NULL;
    int got = first(n, %s);
    free_all(n);
    return got < 0;
}"""
    good, bad = (checked(tmp_path, FREE_ALL + text % k, timeout=9.0) for k in "10")
    assert set(verdicts(good).values()) == {"TRUE"}
    assert [f.kind for f in bad.findings if f.confirmed and "k > 0" in f.message] == ["precondition"]
    null = checked(tmp_path, FREE_ALL + text.replace("first(n, %s)", "first(NULL, 1)"), timeout=9.0)
    assert [f.kind for f in null.findings if f.confirmed and "l != NULL" in f.message] == ["precondition"]


def test_a_comparison_is_checked_at_the_return(tmp_path: Path) -> None:
    text = """
/*@ requires list(l); ensures list(\\result) && \\result != NULL; */
struct node *last(struct node *l) {
    return l;
}
int main(void) { return 0; }
"""
    report = checked(tmp_path, text)
    assert verdicts(report)["contracts"] == "FALSE"
    broken = [f for f in report.findings if f.confirmed]
    assert [(f.kind, f.line, f.function) for f in broken] == [("postcondition", 6, "last")]
    assert "\\result != NULL" in broken[0].message


def test_json_and_html(tmp_path: Path) -> None:
    """The JSON is as its schema says, and the page draws the heap that breaks the contract."""
    found, page = tmp_path / "found.json", tmp_path / "found.html"
    arguments = ["--json", str(found), "--html", str(page), "--quiet", "--invariants"]
    assert run_main(["check", "--contracts", str(EXAMPLES / "shared.c"), *arguments]) == 1
    document = json.loads(found.read_text(encoding="utf-8"))
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert document["properties"]["contracts"] == "FALSE"
    text = page.read_text(encoding="utf-8")
    assert "precondition" in text
    drawn = text.partition("The heap on which the condition was checked")[2]
    assert "append: a" in drawn[: drawn.index("</svg>")], "the arguments of the call, and what they point to"
    assert "$contract" not in text


def test_what_is_left_behind(tmp_path: Path) -> None:
    text = """
/*@ requires list(l); ensures \\result == NULL; */
struct node *nothing(struct node *l) { return NULL; }
int main(void) { return 0; }
"""
    report = checked(tmp_path, text)
    assert verdicts(report)["contracts"] == "FALSE"
    assert {f.kind for f in report.findings if f.confirmed} <= {"postcondition", "memory_leak"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("static int n; /*@ requires list(l); ensures list(l); */ void f(struct node *l) { n++; }", "global variable"),
        ("/*@ requires list(l); ensures list(l); */ void f(struct node *l) { if (!l) exit(1); }", "end the program"),
        ("struct r { struct r *next; char *s; }; /*@ requires list(l); */ void f(struct r *l) { }", "the field 's'"),
    ],
)
def test_contracts_that_say_too_little(tmp_path: Path, text: str, reason: str) -> None:
    report = checked(tmp_path, f"{text}\nint main(void) {{ f(NULL); return 0; }}\n")
    assert verdicts(report)["contracts"] == "UNKNOWN"
    assert reason in report.reason


PURE = "/*@ requires list(l); modifies \\nothing; ensures \\result >= 0; */ int f(struct node *l)"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("if (l) l->data = 1; return 0;", "more than its variables"),
        ("if (l) { struct node c = {0, 0}; *l = c; } return 0;", "more than its variables"),
        ("int *p = l ? &l->data : 0; if (p) (*p)++; return 0;", "more than its variables"),
        ("free(malloc(3)); return 0;", "more than its variables"),
        ("static int n; n++; return 0;", "global variable"),
    ],
)
def test_functions_that_do_modify_something(tmp_path: Path, body: str, reason: str) -> None:
    report = checked(tmp_path, f"{PURE} {{ {body} }}\nint main(void) {{ f(NULL); return 0; }}\n")
    assert verdicts(report)["contracts"] == "UNKNOWN"
    assert reason in report.reason


CALLER = """
int main(void) {{
    struct node *x = malloc(sizeof(struct node));
    if (!x) abort();
    x->next = {next}; x->data = 4;
    int r = f(x);
    if (r < 0 || x->data != 4) free(NULL + 1);
    x->next = NULL;
    free_all(x);
    return 0;
}}
"""


@pytest.mark.parametrize(
    ("body", "following", "expected"),
    [
        ("int r = 0; while (l) { r = 1; l = l->next; } return r;", "NULL", "TRUE"),
        ("int r = 0; while (l) { r = 1; l = l->next; } return r;", "x", "FALSE"),
        ("return l ? -1 : 0;", "NULL", "FALSE"),
        ("return l->data * 0;", "NULL", "FALSE"),
    ],
)
def test_functions_that_modify_nothing(tmp_path: Path, body: str, following: str, expected: str) -> None:
    """The caller knows its list afterwards; a ring is refused although the body would only read it."""
    text = f"{FREE_ALL}{PURE} {{ {body} }}\n{CALLER.format(next=following)}".replace("NULL + 1", "x")
    report = checked(tmp_path, text)
    assert verdicts(report)["contracts"] == expected
    if expected == "TRUE":
        assert set(verdicts(report).values()) == {"TRUE"}, (verdicts(report), report.reason)


TREE = "struct tree { struct tree *l, *r; };\n"


@pytest.mark.parametrize(
    "text",
    [
        "/*@ requires tree(a); ensures tree(\\result); */ struct tree *f(struct tree *a)"
        " { if (a && a->l && !a->r) a->r = a->l; return a; }",
        "/*@ requires tree(a); ensures tree(\\result); */ struct tree *f(struct tree *a)"
        " { if (a) a->l = NULL; return a; }",
        "/*@ requires tree(a); ensures tree(a); */ void f(struct tree *a) { if (a && a->l) a->l->l = a; }",
        "/*@ requires tree(a); ensures tree(a); */ void f(struct tree *a) { free(a); }",
    ],
)
def test_bodies_that_return_no_trees(tmp_path: Path, text: str) -> None:
    """Shared parts, parts that are lost, links back to the root, a root that is gone."""
    report = checked(tmp_path, f"{TREE}{text}\nint main(void) {{ return 0; }}\n", timeout=16.0)
    assert verdicts(report)["contracts"] == "FALSE"


def test_functions_without_a_program(tmp_path: Path) -> None:
    report = checked(tmp_path, FREE_ALL, entry="free_all")
    assert set(verdicts(report).values()) == {"TRUE"}


@pytest.mark.parametrize(
    ("contract", "column", "message"),
    [
        ("requires lst(l);", 14, "did you mean 'list'"),
        ("requires list(x);", 19, "'x' is no parameter"),
        ("requires list(l) & l;", 22, "';' is expected"),
        ("requires list(l) # l;", 22, "no word of a contract"),
        ("requires list(l) &&", 25, "a shape or a comparison is expected"),
        ("assigns l;", 5, "'requires', 'ensures', 'modifies', 'allocates' or 'frees' is expected"),
        ("requires list(l); modifies l;", 32, "'l' is no field"),
        ("requires list(l) && \\old(l) == NULL;", 25, "nothing old before the call"),
        ("requires list(l); ensures \\old(\\result) == NULL;", 36, "no result before the call"),
        ("requires tree(l);", 14, "name the fields: tree(l, left, right)"),
        ("requires \\result == NULL;", 14, "no result before the call"),
        ("requires l < 3;", 16, "compared with NULL only"),
        ("requires list(l, data);", 22, "'data' is no pointer"),
        ("requires list(l) && list(l);", 25, "given twice"),
        ("requires dlist(l);", 14, "name the fields"),
        ("ensures list(l);", 4, "neither a shape for 'l'"),
        ("requires l != NULL;", 4, "neither a shape for 'l'"),
    ],
)
def test_bad_contracts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], contract: str, column: int, message: str
) -> None:
    path = tmp_path / "bad.c"
    path.write_text(f"{HEADER}/*@ {contract} */\nvoid f(struct node *l) {{}}\nint main(void) {{ return 0; }}\n")
    assert run_main(["check", "--contracts", str(path)]) == 2
    shown = capsys.readouterr().err.splitlines()
    assert shown[0].startswith(f"{path}:3:{column}: ") and message in shown[0]
    assert shown[2].index("^") == 4 + column - 1


def test_a_pointer_that_is_returned_is_described(tmp_path: Path) -> None:
    """Otherwise it might be any pointer of the caller."""
    text = "/*@ requires list(l); ensures list(l); */ struct node *f(struct node *l) { return l; }"
    with pytest.raises(InputError, match="neither a shape for"):
        checked(tmp_path, f"{text}\nint main(void) {{ return 0; }}\n")


def test_a_contract_above_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.c"
    path.write_text("/*@ requires list(l); */\nint x;\nint main(void) { return 0; }\n")
    assert run_main(["check", "--contracts", str(path)]) == 2
    assert "no function definition directly below" in capsys.readouterr().err


def test_a_parameter_may_have_the_name_of_a_word(tmp_path: Path) -> None:
    """`list(list)` was read as the parameter applied to a logical variable, and refused."""
    text = FREE_ALL.replace("*l)", "*list)").replace("list(l)", "list(list)").replace("(l)", "(list)")
    text = text.replace("= l->", "= list->").replace("l = n", "list = n")
    main = "int main(void) { struct node *l = malloc(sizeof *l); if (l) l->next = NULL; free_all(l); return 0; }"
    assert set(verdicts(checked(tmp_path, text + main)).values()) == {"TRUE"}
    pure = "/*@ requires list(list, next); modifies \\nothing; ensures \\result >= 0; */ "
    body = "int f(struct node *list) { int n = 0; while (list && n < 5) { n = n + 1; list = list->next; } return n; }"
    assert verdicts(checked(tmp_path, pure + body + "int main(void) { return f(NULL); }"))["contracts"] == "TRUE"
    formula = "/*@ requires list(list) && A(v) list(v) -> !E(w) next(v, w); modifies next; */ "
    body = "void g(struct node *list) { if (list) list->next = NULL; }"
    checked(tmp_path, formula + body + "int main(void) { g(NULL); return 0; }", timeout=5.0)


RETURNS = """
void reach_error(void) { }
int main(void) { reach_error(); struct node *p = NULL; p->data = 1; free_all(p); return 0; }
"""
ABORTS = """
int main(void) {
    struct node *p = malloc(sizeof *p);
    p->next = NULL;
    if (p->data) abort();
    free_all(p);
    return 0;
}
"""
NAMES_MACRO = """
int main(void) {
#ifdef BAD
    free_all((struct node *)BAD);
    struct node *p = NULL; p->data = 1;
#endif
    return 0;
}
"""


def test_contracts_read_the_program_as_without_them(tmp_path: Path) -> None:
    """What follows an error call that is not asked about, and abort as an exit, were read by defaults."""
    report = checked(tmp_path, FREE_ALL + RETURNS, properties=("memsafety",))
    assert verdicts(report)["memsafety"] == "FALSE"
    options = {"properties": ("memsafety", "memcleanup"), "malloc_may_fail": False}
    report = checked(tmp_path, FREE_ALL + ABORTS, cleanup_at_abort=True, **options)
    assert verdicts(report)["memcleanup"] == "FALSE"
    report = checked(tmp_path, FREE_ALL + ABORTS, **options)
    assert verdicts(report)["memcleanup"] == "TRUE"
    report = checked(tmp_path, FREE_ALL + NAMES_MACRO, defines=("BAD=0",))
    assert verdicts(report)["memsafety"] == "FALSE"


@pytest.mark.parametrize(
    "function",
    [
        "/*@ requires list(l); ensures list(l); */ void f(struct node *l) { if (l) l->next = l; }",
        "/*@ requires list(l); ensures list(l); */ void f(struct node *l) { if (l && l->next) free(l->next); }",
        "/*@ requires list(l) && l != NULL; ensures list(l); */ void f(struct node *l) { l->next = NULL; }",
    ],
)
def test_a_broken_contract_is_no_internal_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, function: str
) -> None:
    """Runs of the functions were held against the proof of a caller, which rests on a contract that is not kept."""
    path = tmp_path / "broken.c"
    path.write_text(
        "#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nstruct node { struct node *next; };\n"
        f"{function}\nint main(void) {{\n  struct node *l = NULL;\n  while (__VERIFIER_nondet_int()) {{\n"
        "    struct node *n = malloc(sizeof *n);\n    n->next = l;\n    l = n;\n  }\n  f(l);\n"
        "  while (l) { struct node *r = l->next; free(l); l = r; }\n  return 0;\n}\n",
        encoding="utf-8",
    )
    arguments = ["check", str(path), "--contracts", "--malloc-never-fails", "--self-check", "2", "--timeout", "10"]
    assert run_main(arguments) in (1, 3)
    assert "contracts  TRUE" not in capsys.readouterr().out


def test_an_unknown_says_what_to_do() -> None:
    """With contracts, only the reason was said."""
    example = Path(__file__).parents[2] / "examples" / "c" / "contracts" / "already_shared.c"
    report = check_contracts([str(example)], check_options(timeout=20.0))
    assert report.reason == "a contract is not kept"
    assert report.advice == "repair the function or its contract, and check again"


def test_a_maker_without_a_program(tmp_path: Path) -> None:
    """The result of the first function of a file without `main` was kept in a variable that no contract names."""
    file = tmp_path / "stack.c"
    file.write_text(
        "#include <stdlib.h>\nstruct frame { struct frame *below; };\nstruct stack { struct frame *top; };\n"
        "/*@ ensures A(v) !c[below](v) && A(v) !is[below](v);\n    allocates; */\n"
        "struct stack *stack_new(void) { return calloc(1, sizeof(struct stack)); }\n",
        encoding="utf-8",
    )
    report = check_contracts([str(file)], check_options(timeout=40.0))
    assert report.verdict is Verdict.TRUE
