"""`kleene check --contracts` with formulas: what is proved, what is broken, and what is no contract."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kleene.analysis.c.contracts import check_contracts
from kleene.analysis.c.options import check_options
from kleene.analysis.c.shape.analyse import analyse
from kleene.analysis.c.specifications import read_specification
from kleene.c.contracts import read_contracts
from kleene.c.reader import read_program
from kleene.cli import run_main
from kleene.passes.preparation import Prepared
from kleene.results.check import CheckReport
from kleene.semantics.contracts.programs import body_alone, by_contracts, usable_contracts

EXAMPLES = Path(__file__).parents[2] / "examples/c/contracts"
HEADER = """#include <stdlib.h>
struct node { struct node *next; int data; };
struct box { int n; };
"""
MAIN = "int main(void) { return 0; }\n"
PUSH = """
/*@ requires list(l); ensures list(\\result) && A(v) (r[\\result](v) <-> old[r[l]](v) | new(v));
    modifies \\nothing; allocates; */
struct node *push(struct node *l) {
    struct node *n = malloc(sizeof(struct node));
    if (!n) abort();
    n->next = l;
    n->data = 0;
    return n;
}
"""


def checked(tmp_path: Path, text: str, *, timeout: float = 60.0, domain: str = "all") -> CheckReport:
    path = tmp_path / "program.c"
    path.write_text(HEADER + text, encoding="utf-8")
    return check_contracts([str(path)], check_options(timeout=timeout, domain=domain))


def contracts(report: CheckReport) -> str:
    return str(report.properties["contracts"])


def body(clauses: str, text: str) -> str:
    return f"/*@ {clauses} */\nstruct node *f(struct node *l, struct node *m) {{ {text} }}\n{MAIN}"


def test_what_is_proved() -> None:
    report = check_contracts([str(EXAMPLES / "formulas.c")], check_options(timeout=240.0))
    assert {str(v) for v in report.properties.values()} == {"TRUE"}, report.reason


@pytest.mark.parametrize("name", ["keeps_too_little", "already_shared"])
def test_what_is_broken(name: str) -> None:
    path = EXAMPLES / f"{name}.c"
    lines = path.read_text(encoding="utf-8").splitlines()
    marked = {(m[1], n) for n, line in enumerate(lines, 1) if (m := re.search(r"BROKEN: (\w+)", line))}
    report = check_contracts([str(path)], check_options())
    assert contracts(report) == "FALSE"
    assert marked and marked <= {(f.kind, f.line) for f in report.findings if f.confirmed}


LISTS = "requires list(l) && list(m);"


@pytest.mark.parametrize(
    ("clauses", "text"),
    [
        (f"{LISTS} ensures A(v) (\\result(v) <-> l(v)); modifies \\nothing;", "return l;"),
        (f"{LISTS} ensures A(v) same[next](v);", "return m;"),
        ("requires A(v) !c[next](v); ensures A(v) (r[\\result](v) -> r[l](v)); modifies \\nothing;",
         "while (l && l->next) l = l->next; return l;"),
        (f"{LISTS} ensures A(v) !old[l](v) && \\result == NULL; modifies \\nothing; frees l(v);",
         "if (l) free(l); return NULL;"),
        (f"{LISTS} ensures \\result != NULL && A(v) (new(v) -> \\result(v)); modifies \\nothing; allocates;",
         "struct node *n = malloc(sizeof(struct node)); if (!n) abort(); n->next = NULL; n->data = 1; return n;"),
        ("requires l == NULL && m == NULL; ensures A(v) 0;", "return l;"),
        (f"requires E(v) b(v); modifies n; */ void set(struct box *b) {{ b->n = 1; }} /*@ {LISTS} modifies next;",
         "return l;"),
        (f"ensures \\result == NULL && A(v) 0; */ struct box *none(int n) {{ return 0; }} /*@ {LISTS} modifies next;",
         "return l;"),
        (f"{LISTS} ensures A(v) (!l(v) -> same[next](v)); modifies next;",
         "if (l) l->next = NULL; return l;"),
    ],
)  # fmt: skip
def test_bodies_that_keep_their_contracts(tmp_path: Path, clauses: str, text: str) -> None:
    report = checked(tmp_path, body(clauses, text))
    assert contracts(report) == "TRUE", (report.reason, report.findings)


@pytest.mark.parametrize(
    ("clauses", "text", "why"),
    [
        (f"{LISTS} ensures A(v) (\\result(v) <-> l(v));", "return m;", "A(v) (\\result(v) <-> l(v))"),
        (f"{LISTS} ensures A(v) same[next](v);", "if (l) l->next = NULL; return l;", "same[next]"),
        (f"{LISTS} ensures A(v) !c[next](v); modifies \\nothing;", "if (l) l->next = NULL; return l;", "'modifies'"),
        (f"{LISTS} ensures list(l); modifies next;", "if (l) l->data = 1; return l;", "modifies next"),
        (f"{LISTS} ensures list(\\result); frees m(v);", "if (l) free(l); return NULL;", "'frees'"),
        (f"{LISTS} ensures list(\\result); frees m(v);", "if (m) free(m); return m;", "a block is freed"),
        (f"{LISTS} ensures list(\\result); modifies next;",
         "struct node *n = malloc(sizeof(struct node)); if (n) { n->next = l; return n; } return l;", "'allocates'"),
        (f"{LISTS} ensures list(\\result); allocates;",
         "struct node *n = malloc(sizeof(struct node)); return n ? n : l;", "not initialized"),
        ("ensures list(\\result); modifies next;", "return l;", "list(\\result, next)"),
        ("requires list(l); ensures list(l); modifies next;", "if (l) l->next = l; return m;", "list(l, next)"),
    ],
)  # fmt: skip
def test_bodies_that_break_their_contracts(tmp_path: Path, clauses: str, text: str, why: str) -> None:
    """Each is shown by a run from a heap that is required."""
    report = checked(tmp_path, body(clauses, text), timeout=20.0)
    assert contracts(report) == "FALSE", report.reason
    assert any(f.confirmed and why in f.message for f in report.findings), report.findings


def test_a_body_that_loses_a_new_block(tmp_path: Path) -> None:
    text = "malloc(sizeof(struct node)); return l;"
    report = checked(tmp_path, body(f"{LISTS} ensures list(\\result); allocates;", text), timeout=20.0)
    assert contracts(report) == "FALSE"
    assert {f.kind for f in report.findings if f.confirmed} >= {"memory_leak"}


def test_a_caller_may_hold_what_a_body_drops(tmp_path: Path) -> None:
    """The rest of the list is no leak of the body, and one of a caller that does not hold it."""
    cut = "/*@ requires list(l); ensures list(l) && A(v, w) (l(v) -> !next(v, w)) && A(v) (l(v) | same[next](v)); */\n"
    cut += "void cut(struct node *l) { if (l) l->next = NULL; }\n"
    holds = "int main(void) { struct node *x = push(push(NULL)), *y = x->next; cut(x); free(x); free(y); return 0; }"
    drops = "int main(void) { struct node *x = push(push(NULL)); cut(x); free(x); return 0; }"
    kept = checked(tmp_path, PUSH.replace("A(v) (r", "\\result != NULL && A(v) (r") + cut + drops)
    assert contracts(kept) != "FALSE" and str(kept.properties["memsafety"]) == "FALSE"
    assert str(checked(tmp_path, PUSH + cut + holds).properties["memsafety"]) in ("TRUE", "UNKNOWN")


def test_a_caller_knows_the_contract_only(tmp_path: Path) -> None:
    """Both functions return their argument; only one contract says so."""
    text = """
extern int __VERIFIER_nondet_int(void);
/*@ requires list(l); ensures {0}; modifies \\nothing; */
struct node *same(struct node *l) {{ return l; }}
int main(void) {{
    struct node *n = push(NULL);
    while (__VERIFIER_nondet_int()) n = push(n);
    struct node *k = same(n);
    while (k) {{ struct node *t = k->next; free(k); k = t; }}
    return 0;
}}"""
    says = checked(tmp_path, PUSH + text.format("A(v) (\\result(v) <-> l(v))"))
    silent = checked(tmp_path, PUSH + text.format("A(v) (\\result(v) -> l(v))"))
    assert {str(v) for v in says.properties.values()} == {"TRUE"}
    assert contracts(silent) != "FALSE" and silent.shape is not None and silent.shape.alarms


def test_a_recursive_function_that_runs_inside_its_own_body(tmp_path: Path) -> None:
    """Exact exploration calls the function itself: its locations are not those of the body that is checked."""
    text = """
/*@ requires list(l); ensures A(v) !old[r[l]](v); frees r[l](v); */
static void destroy(struct node *l) { if (l) { destroy(l->next); free(l); } }
"""
    assert contracts(checked(tmp_path, text + MAIN)) == "TRUE"
    assert contracts(checked(tmp_path, text.replace("free(l);", "") + MAIN)) == "FALSE"


def test_a_recursive_function_by_its_own_contract(tmp_path: Path) -> None:
    text = """
struct tree { struct tree *left, *right; int key; };
/*@ requires tree(t, left, right); ensures A(v) !old[r[t]](v); frees r[t](v); */
void destroy(struct tree *t) { if (!t) return; destroy(t->left); destroy(t->right); free(t); }
int main(void) {
    struct tree *t = malloc(sizeof *t);
    if (!t) return 0;
    t->left = t->right = NULL;
    t->key = 0;
    destroy(t);
    return 0;
}"""
    report = checked(tmp_path, text)
    assert {str(v) for v in report.properties.values()} == {"TRUE"}, report.reason


NESTED = """
/*@ requires list(l) && l != NULL;
    ensures list(\\result) && A(v) (r[\\result](v) <-> old[r[l]](v)) && A(v) !old[l](v);
    modifies \\nothing; frees l(v); */
struct node *pop(struct node *l) { struct node *n = l->next; free(l); return n; }
/*@ requires list(l); ensures list(l) && A(v) (l(v) | same[next](v)); modifies next; */
void cut(struct node *l) { if (l) l->next = NULL; }
"""


@pytest.mark.parametrize(
    ("clauses", "text", "proved"),
    [
        ("requires list(l) && l != NULL; modifies \\nothing; allocates; frees l(v);"
         "ensures list(\\result) && A(v) (r[\\result](v) <-> old[r[l]](v) | new(v)) && A(v) !old[l](v);",
         "return push(pop(l));", True),
        ("requires list(l); ensures A(v) !old[r[l]](v); frees r[l](v);", "while (l) l = pop(l); return 0;", True),
        ("requires list(l); ensures list(\\result) && A(v) (new(v) | same[next](v)); modifies \\nothing; allocates;",
         "while (__VERIFIER_nondet_int()) l = push(l); return l;", True),
        ("requires list(l); ensures A(v) same[next](v); modifies \\nothing;", "cut(l); return l;", False),
        ("requires list(l); ensures A(v) (l(v) | same[next](v));", "if (l) cut(l->next); return l;", False),
        ("requires list(l); ensures A(v) same[next](v); modifies next;",
         "struct node *k = l ? l->next : 0; cut(k); return l;", False),
        ("requires list(l); ensures A(v) !old[r[l]](v); frees l(v);", "while (l) l = pop(l); return 0;", False),
        ("requires list(l); ensures A(v) !c[next](v); modifies \\nothing;", "return push(l);", False),
        ("requires A(v) !c[next](v); ensures list(\\result);", "return pop(l);", False),
        ("requires list(l); ensures A(v) !new(v) && list(\\result); allocates; frees r[l](v);",
         "l = push(l); return pop(l);", False),  # push does not say that it returns something
    ],
)  # fmt: skip
def test_bodies_that_call_by_contract(tmp_path: Path, clauses: str, text: str, proved: bool) -> None:
    """The abstract analysis of a body alone: what is not kept is never proved."""
    path = tmp_path / "program.c"
    nondet = "extern int __VERIFIER_nondet_int(void);\n"
    function = f"/*@ {clauses} */\nstruct node *f(struct node *l) {{ {text} }}\n"
    path.write_text(HEADER + nondet + PUSH + NESTED + function + MAIN, encoding="utf-8")
    program = read_program([str(path)])
    known = read_contracts(program)
    meant = {name: read_specification(program, contract) for name, contract in known.items()}
    called, reasons = usable_contracts(program, known)
    assert not any(reasons.values())
    alone = body_alone(by_contracts(program, called, meant), known["f"], meant["f"])
    result = analyse(Prepared(alone), malloc_may_fail=True, seconds=30.0)
    raised = [a for a in result.alarms if a.kind != "memory_cleanup"]
    assert (result.complete and not raised) == proved, (result.reason, raised)


def test_what_nothing_satisfies_proves_nothing(tmp_path: Path) -> None:
    report = checked(tmp_path, body("requires A(v) !l(v) && E(v) l(v); ensures A(v) 0;", "return m;"), timeout=10.0)
    assert contracts(report) == "UNKNOWN" and "no heap is as it requires" in report.reason


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("struct node *g; /*@ requires A(v) l(v); */ void f(struct node *l) { g = l; }", "global variable"),
        ("/*@ requires E(v) l(v); */ void f(struct node *l, char *p) { *p = 1; }", "a pointer to char"),
        ("struct odd { struct odd *next; char name[4]; };"
         "/*@ requires A(v) l(v); */ void f(struct odd *l) { }", "the field 'name'"),
        ("void set(struct node *l) { l->data = 1; }"
         "/*@ requires E(v) l(v); modifies next; */ void f(struct node *l) { set(l); }", "the field 'data'"),
    ],
)  # fmt: skip
def test_what_formulas_do_not_cover(tmp_path: Path, text: str, why: str) -> None:
    report = checked(tmp_path, f"{text}\n{MAIN}", timeout=10.0)
    assert contracts(report) == "UNKNOWN" and why in report.reason


@pytest.mark.parametrize(
    ("contract", "column", "message"),
    [
        ("requires A(v) nxt(v, v);", 19, "nxt"),
        ("requires A(v) next(v, w);", 14, "free variables: w"),
        ("requires A(v) next(v);", 19, "next"),
        ("requires A(v (next(v, v));", 18, "')'"),
        ("requires A(v) !\\result(v);", 20, "\\result"),
        ("requires A(v) !old[l](v);", 20, "old[l]"),
        ("requires A(v) sm(v);", 14, "about structures"),
        ("requires A(v) 1/2;", 14, "no truth value"),
        ("requires E(v) l(v); frees l(w);", 31, "free variables: w"),
        ("requires E(v) l(v); frees;", 30, "a formula over v is expected"),
        ("requires E(v) l(v); modifies nxt;", 34, "did you mean 'next'"),
        ("requires E(v) l(v); modifies next; modifies data;", 40, "given twice"),
        ("requires E(v) l(v); ensures A(v) (l(v) -> same[data](v));", 47, "same[data]"),
    ],
)
def test_bad_formulas(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], contract: str, column: int, message: str
) -> None:
    path = tmp_path / "bad.c"
    path.write_text(f"{HEADER}/*@ {contract} */\nvoid f(struct node *l) {{}}\n{MAIN}")
    assert run_main(["check", "--contracts", str(path)]) == 2
    shown = capsys.readouterr().err.splitlines()
    assert shown[0].startswith(f"{path}:4:{column}: ") and message in shown[0], shown
    assert shown[1].strip() == f"/*@ {contract} */" and shown[2].index("^") == 4 + column - 1


def test_a_name_of_a_parameter_and_a_field_is_the_field(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.c"
    path.write_text(f"{HEADER}/*@ requires E(v) next(v); */\nvoid f(struct node *next) {{}}\n{MAIN}")
    assert run_main(["check", "--contracts", str(path)]) == 2
    assert "has 2 arguments, used with 1; \\next is the parameter" in capsys.readouterr().err
    path.write_text(f"{HEADER}/*@ requires E(v) \\next(v); */\nvoid f(struct node *next) {{}}\n{MAIN}")
    assert run_main(["check", "--contracts", str(path)]) == 0


def test_json_and_html(tmp_path: Path) -> None:
    """A violated precondition is reported at the call, and the heaps of the run are drawn."""
    out, page = tmp_path / "out.json", tmp_path / "out.html"
    arguments = ["check", "--contracts", str(EXAMPLES / "already_shared.c"), "--json", str(out), "--html", str(page)]
    assert run_main(arguments) == 1
    (finding,) = (f for f in json.loads(out.read_text())["findings"] if f["kind"] == "precondition")
    assert finding["line"] == 42 and finding["status"] == "confirmed" and finding["trace"]
    assert "<svg" in page.read_text() and "precondition" in page.read_text()


def test_the_other_domain_does_not_follow_formulas(tmp_path: Path) -> None:
    report = checked(tmp_path, PUSH + MAIN, domain="fesa", timeout=10.0)
    assert contracts(report) == "UNKNOWN"
