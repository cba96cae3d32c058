"""Contracts in formulas of functions that get addresses of numbers: programs that break them, or rely on too much."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.contracts import check_contracts
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict
from kleene.results.check import CheckReport

_LIST = """\
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct node { int v; struct node *next; };
/*@ requires A(v) !c[next](v);
    ensures A(v) !c[next](v); */
int last(struct node *l, int *out, long *count) {
    *out = 0; *count = 0;
    for (; l; l = l->next) { BODY }
    return 0;
}
int main(void) {
    struct node *l = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) break;
        n->v = __VERIFIER_nondet_int(); n->next = l; l = n;
    }
    int x = 5; long m = 2;
    CALL
    while (l) { struct node *n = l->next; free(l); l = n; }
    return 0;
}
"""
_BODY = "*out = l->v; ++*count;"
_CALL = "last(l, &x, &m);"
_WRONG = "*(volatile int *)0 = 1;"


def _checked(folder: Path, body: str = _BODY, call: str = _CALL) -> CheckReport:
    path = folder / "program.c"
    path.write_text(_LIST.replace("BODY", body).replace("CALL", call), encoding="utf-8")
    return check_contracts([str(path)], check_options(timeout=60.0))


@pytest.mark.parametrize("clause", ["", "&& out != NULL"])
def test_a_body_with_addresses_of_numbers_is_proved(clause: str, tmp_path: Path) -> None:
    path = tmp_path / "library.c"
    text = _LIST.partition("int main")[0].replace("BODY", _BODY)
    path.write_text(text.replace("(v);", f"(v) {clause};", 1), encoding="utf-8")
    report = check_contracts([str(path)], check_options(timeout=60.0))
    assert report.verdict is Verdict.TRUE and report.properties["contracts"] is Verdict.TRUE


@in_exam
@pytest.mark.parametrize(
    "call",
    [
        f"{_CALL} if (x == 7) {_WRONG}",
        f"{_CALL} if (m != 2) {_WRONG}",
        f"last(l, &x, &m); if (x != 5) {_WRONG}",
        "last(l, &x, (long *)&x);",
        "last(l, NULL, &m);",
        "if (l) last(l, &l->v, (long *)&l->next);",
    ],
    ids=["any number", "the old number", "not the old number", "one variable", "NULL", "a part of the list"],
)
def test_no_wrong_call_is_proved(call: str, tmp_path: Path) -> None:
    assert _checked(tmp_path, call=call).properties["memsafety"] is not Verdict.TRUE


@pytest.mark.parametrize(
    "body", ["out[1] = l->v;", f"if (*out == 5) {_WRONG}", "out = NULL; *out = 1;", "*count = 1; count[*out] = 2;"]
)
def test_no_wrong_body_is_proved(body: str, tmp_path: Path) -> None:
    assert _checked(tmp_path, body=body).properties["contracts"] is not Verdict.TRUE


@in_exam
@pytest.mark.parametrize(
    "call",
    [
        "long y; last(l, (int *)&y, &y);",
        "int *p = &x; last(l, p, &m);",
        "int (*f)(struct node *, int *, long *) = last; f(l, &x, &m);",
    ],
    ids=["one variable twice", "a pointer", "through a pointer"],
)
def test_other_addresses_are_not_covered(call: str, tmp_path: Path) -> None:
    """The body is checked on variables of its own: what else a pointer may lead to, a contract does not cover."""
    assert _checked(tmp_path, call=call).properties["contracts"] is Verdict.UNKNOWN


def test_a_library_without_main_is_checked_body_by_body(tmp_path: Path) -> None:
    text = _LIST.partition("int main")[0].replace("BODY", _BODY)
    path = tmp_path / "library.c"
    path.write_text(f"int other(int a) {{ return a; }}\n{text}", encoding="utf-8")
    assert check_contracts([str(path)], check_options(timeout=60.0)).properties["contracts"] is Verdict.TRUE
    path.write_text(text.replace("*count = 0;", "count[1] = 0;"), encoding="utf-8")
    assert check_contracts([str(path)], check_options(timeout=60.0)).properties["contracts"] is Verdict.FALSE
