"""Which contracts callers can rely on: each part of a function that a contract does not describe is a reason not to."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.semantics.contract_runs import program_of

from kleene.c.contracts import Compared, Contract, read_contracts
from kleene.cfa.expressions import Cast, Comparison, Constant
from kleene.cfa.operations import Place, Skip
from kleene.cfa.program import CProgram
from kleene.cfa.types import LONG_LONG, IntegerType
from kleene.semantics.contracts.formulas import changes_more, not_described, records_of
from kleene.semantics.contracts.parts import PartsBuilder
from kleene.semantics.contracts.programs import (
    BODY,
    CALLED,
    contract_at,
    not_covered,
    usable_contracts,
    without_contract,
)

SIGNED_CHAR = IntegerType(8, True)
MAIN = "int main(void) { return 0; }\n"
PURE = "/*@ requires list(a); modifies \\nothing; ensures \\result >= 0; */ int f(struct node *a)"
SAME = "A(v) (b(v) -> b(v))"
LISTS_DATA = (
    f"/*@ requires {SAME}; ensures {SAME}; modifies data; */ void g(struct node *b) {{ if (b) b->data = 1; }}\n"
)
FORMULA = (
    "/*@ requires A(v) (a(v) -> !c[next](v)); ensures A(v) (a(v) -> !c[next](v)); modifies {}; */ {} f(struct node *a)"
)
TAKES = "/*@ requires list(a); */ void f(struct node *a)"
DESCRIBED = {
    "word": f"{TAKES} {{ free(a); }}",
    "what it does to its cells": f"{TAKES} {{ while (a) {{ a->data = 3; a = a->next; }} }}",
    "numbers of each kind": "/*@ ensures \\result == NULL; */ struct node *f(int n, double d, char c) { return NULL; }",
    "exit without a status": f"{TAKES} {{ abort(); }}",
    "pure": f"{PURE} {{ int n = 0; while (a) {{ n = n + 1; a = a->next; }} return n; }}",
    "pure, with a call": f"static int g(int n) {{ return n; }}\n{PURE} {{ int n = g(3); g(4); return n; }}",
    "pure, with any number": f"{PURE} {{ int n = __VERIFIER_nondet_int(); assert(n > 0); return n; }}",
    "pure, and ends": f"{PURE} {{ if (!a) abort(); return 0; }}",
    "formula": FORMULA.format("next, data", "void") + " { if (a) { a->next = NULL; a->data = 3; } }",
    "formula, own numbers": FORMULA.format("next", "void") + " { if (a) a->data = 3; }",
    "formula, own links": FORMULA.format("\\nothing", "void") + " { if (a) a->next = NULL; }",
    "formula, variables": FORMULA.format("\\nothing", "int") + " { int n = 0; n = 3; return n; }",
    "formula, without a list of changes": FORMULA.replace(" modifies {};", "").format("void")
    + " { if (a) a->data = 3; }",
    "formula, a helper changes what is listed": "static void g(struct node *b) { b->data = 1; b->next = NULL; }\n"
    + FORMULA.format("data", "void")
    + " { if (a) g(a); }",
    "words, a pointer to a number": "/*@ requires n == NULL; */ void f(int *n) { }",
    "formula, a helper with a contract in words": "/*@ requires list(b); ensures list(b); */"
    " void g(struct node *b) { if (b) b->data = 1; }\n" + FORMULA.format("data", "void") + " { g(a); }",
    "formula, a helper with a contract that lists as much": LISTS_DATA.replace("modifies data", "modifies data, next")
    + FORMULA.format("data", "void") + " { g(a); }",
    "formula, a helper with a contract": LISTS_DATA + FORMULA.format("data", "void") + " { g(a); }",
}  # fmt: skip
NOT_DESCRIBED = {
    "a text": (
        "struct r { struct r *next; char *s; };\n/*@ requires list(a); */ void f(struct r *a) { }",
        "the field 's' of struct r is not described by list(a, next)",
    ),
    "a result with a text": (
        "struct r { struct r *next; char *s; };\n/*@ ensures list(\\result); */ struct r *f(void) { return NULL; }",
        "the field 's' of struct r is not described",
    ),
    "another link": ("/*@ requires list(a, next); */ void f(struct item *a) { }", "the field 'prev' of struct item"),
    "a struct inside": (
        "struct r { struct r *next; struct node n; };\n/*@ requires list(a); */ void f(struct r *a) { }",
        "the field 'n' of struct r",
    ),
    "fields without a name": (
        "struct r { struct r *next; struct { int n; }; };\n/*@ requires list(a); */ void f(struct r *a) { }",
        "the field '' of struct r",
    ),
    "bits without a name": (
        "struct r { struct r *next; int : 4; int n; };\n/*@ requires list(a); */ void f(struct r *a) { }",
        "the field '' of struct r",
    ),
    "formula, bits without a name": (
        "struct r { struct r *next; int : 4; int n; };\n"
        "/*@ requires A(v) (a(v) -> a(v)); modifies \\nothing; */ void f(struct r *a) { }",
        "the field '' of struct r",
    ),
    "a union": ("union r { union r *next; int n; };\n/*@ requires list(a); */ void f(union r *a) { }", "of union r"),
    "a struct": ("/*@ requires n > 0; */ void f(int n, struct node s) { }", "parameters that are structs"),
    "any number of arguments": ("/*@ requires n > 0; */ void f(int n, ...) { }", "parameters that are structs, or any"),
    "returns a struct": (
        "/*@ requires n > 0; */ struct node f(int n) { struct node s = {0, 0}; return s; }", "it returns a struct",
    ),
    "an exit": (f"{TAKES} {{ if (a) exit(1); }}", "it may end the program"),
    "an exit of a helper": (f"static void g(void) {{ exit(0); }}\n{TAKES} {{ g(); }}", "it may end the program"),
    "a global variable": (f"int g;\n{TAKES} {{ if (g) free(a); }}", "uses the global variable 'g'"),
    "a global variable of a helper": (
        f"int g;\nstatic void h(void) {{ g = 1; }}\n{TAKES} {{ h(); }}", "uses the global variable 'g'",
    ),
    "pure, writes": (f"{PURE} {{ if (a) a->data = 1; return 0; }}", "more than its variables"),
    "pure, any number": (
        f"{PURE} {{ if (a) a->data = __VERIFIER_nondet_int(); return 0; }}", "more than its variables",
    ),
    "pure, a result": (
        f"static int g(void) {{ return 1; }}\n{PURE} {{ if (a) a->data = g(); return 0; }}", "more than its variables",
    ),
    "pure, by a pointer": (
        f"static int g(void) {{ return 1; }}\n{PURE} {{ int (*h)(void) = g; return h(); }}", "more than its variables",
    ),
    "pure, frees": (f"{PURE} {{ free(a); return 0; }}", "more than its variables"),
    "pure, a helper writes": (
        f"static void g(struct node *b) {{ b->data = 1; }}\n{PURE} {{ if (a) g(a); return 0; }}",
        "more than its variables",
    ),
    "formula, by a pointer": (
        FORMULA.format("next", "void") + " { int *p = a ? &a->data : NULL; if (p) *p = 1; }", "it may change *p",
    ),
    "formula, a helper": (
        "static void g(struct node *b) { b->data = 1; }\n" + FORMULA.format("next", "void") + " { if (a) g(a); }",
        "it may change the field 'data', which 'modifies' does not list",
    ),
    "formula, a result in a field behind another": (
        "static int g(void) { return 1; }\n"
        + FORMULA.format("next", "void")
        + " { if (a && a->next) a->next->data = g(); }",
        "it may change",
    ),
    "formula, a struct inside another block": (
        "struct w { struct node n; };\nstatic void g(struct w *w) { w->n.data = 1; }\n"
        + FORMULA.format("data", "void")
        + " { g(NULL); }",
        "it may change w->n.data",
    ),
    "formula, pointers to pointers": (
        "/*@ requires A(v) (a(v) -> a(v)); modifies \\nothing; */ void f(struct node *a, struct node **b) { }",
        "a pointer to struct node *",
    ),
    "formula, whole blocks": (
        FORMULA.format("next", "void") + " { struct node s = {0, 0}; if (a) *a = s; }", "it may change",
    ),
    "formula, bytes": (
        "#include <string.h>\n" + FORMULA.format("next", "void") + " { if (a) memset(a, 0, sizeof *a); }",
        "whole blocks",
    ),
    "formula, copied bytes": (
        "#include <string.h>\n" + FORMULA.format("next", "void") + " { if (a) memcpy(a, a->next, sizeof *a); }",
        "whole blocks",
    ),
    "formula, a helper with a contract that lists more": (
        LISTS_DATA + FORMULA.format("next", "void") + " { g(a); }",
        "it may change what g does",
    ),
    "formula, a helper with a contract that lists nothing": (
        "/*@ requires A(v) (b(v) -> b(v)); ensures A(v) (b(v) -> b(v)); */"
        " void g(struct node *b) { if (b) b->data = 1; }\n" + FORMULA.format("next", "void") + " { g(a); }",
        "it may change what g does",
    ),
    "formula, pointers to characters": (
        "/*@ requires A(v) (a(v) -> a(v)); modifies \\nothing; */ void f(struct node *a, char *n) { }",
        "a pointer to char",
    ),
    "formula, text in a block": (
        "struct r { struct r *next; char *s; };\n"
        "/*@ requires A(v) (a(v) -> a(v)); modifies \\nothing; */ void f(struct r *a) { }",
        "the field 's' of struct r is neither",
    ),
    "formula, a pointer that is returned": (
        "/*@ requires A(v) (a(v) -> a(v)); ensures A(v) (a(v) -> a(v)); modifies \\nothing; */"
        " int *f(struct node *a) { return NULL; }",
        "a pointer to int",
    ),
    "formula, a union": (
        "union r { union r *next; int n; };\n"
        "/*@ requires A(v) (a(v) -> a(v)); modifies \\nothing; */ void f(union r *a) { }",
        "of union r is neither",
    ),
}  # fmt: skip


def read(folder: Path, text: str) -> tuple[CProgram, dict[str, Contract]]:
    program = program_of(folder, text + "\n" + MAIN)
    return program, read_contracts(program)


@pytest.mark.parametrize("name", DESCRIBED)
def test_functions_that_are_described(name: str, tmp_path: Path) -> None:
    program, contracts = read(tmp_path, DESCRIBED[name])
    assert not_covered(program, contracts["f"], contracts) == ""
    assert usable_contracts(program, contracts) == (contracts, dict.fromkeys(contracts, ""))


@pytest.mark.parametrize("name", NOT_DESCRIBED)
def test_functions_that_are_not(name: str, tmp_path: Path) -> None:
    text, reason = NOT_DESCRIBED[name]
    program, contracts = read(tmp_path, text)
    assert reason in not_covered(program, contracts["f"], contracts)
    usable, reasons = usable_contracts(program, contracts)
    assert "f" not in usable
    assert reason in reasons["f"]


def test_a_contract_that_rests_on_an_unusable_one(tmp_path: Path) -> None:
    """g cannot be called by its contract, so what it does counts for f: which then is not covered either."""
    text = (
        "/*@ requires A(v) (b(v) -> b(v)); ensures A(v) (b(v) -> b(v)); modifies \\nothing; */"
        " void g(struct node *b) { int *p = b ? &b->data : NULL; if (p) *p = 1; }\n"
        + FORMULA.format("next", "void")
        + " { g(a); }\n/*@ requires list(a); */ void h(struct node *a) { }"
    )
    program, contracts = read(tmp_path, text)
    assert not_covered(program, contracts["f"], contracts) == ""
    usable, reasons = usable_contracts(program, contracts)
    assert set(usable) == {"h"}
    assert {name for name, reason in reasons.items() if "it may change *p" in reason} == {"f", "g"}


def test_the_blocks_that_a_function_reaches(tmp_path: Path) -> None:
    text = """
struct leaf { int n; };
struct a { struct a *next; struct leaf *l; };
struct b { struct a *first; };
struct unknown;
struct c { struct unknown *u; };
void f(struct b *b, int n) { }
struct leaf *g(void) { return NULL; }
void h(struct c *c, struct unknown *u) { }
void i(int *n) { }
void j(char *s) { }
"""
    program, _ = read(tmp_path, text)
    reached = {n: {str(r) for r in records_of(program, program.functions[n])} for n in "fghi"}
    assert reached["f"] == {"struct b", "struct a", "struct leaf"}
    assert reached["g"] == {"struct leaf"}
    assert reached["h"] == {"struct c"}
    assert reached["i"] == set()
    reasons = {n: not_described(program, program.functions[n]) for n in "fghij"}
    assert reasons["f"] == reasons["g"] == reasons["i"] == ""
    assert "struct unknown" in reasons["h"] and "char" in reasons["j"]


def test_what_changes_nothing_is_no_reason() -> None:
    assert changes_more(Skip(Place("f.c", 1, 1, "f")), (), (), own=True) == ""


def test_names_of_places() -> None:
    assert contract_at(f"{CALLED}push") == (CALLED, "push")
    assert contract_at(f"{BODY}push") == (BODY, "push")
    assert contract_at("push") == ("", "")
    assert without_contract("in push$contract.12 and pop$body:") == "in push and pop:"


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        ("100", (None, Constant(100, SIGNED_CHAR))),
        ("127", (None, Constant(127, SIGNED_CHAR))),
        ("-128", (None, Constant(-128, SIGNED_CHAR))),
        ("128", (LONG_LONG, Constant(128, LONG_LONG))),
        ("-129", (LONG_LONG, Constant(-129, LONG_LONG))),
    ],
)
def test_numbers_that_do_not_fit(tmp_path: Path, right: str, expected: tuple[object, Constant]) -> None:
    """A number is compared in the type of the parameter, or else both in the widest type."""
    program, contracts = read(tmp_path, "/*@ requires c < 0; */ void f(signed char c, long long m) { }")
    contract = contracts["f"]
    made = PartsBuilder(program, contract, contract.place, "f", CALLED)
    c, m = program.functions["f"].parameters
    made.values = {"c": c, "m": m}
    wide, number = expected
    left = c if wide is None else Cast(c, LONG_LONG)
    assert made._condition(Compared("<", "c", right)) == Comparison("<", left, number)
    assert made._condition(Compared("<", "c", "m")) == Comparison("<", Cast(c, LONG_LONG), m)
    assert made._condition(Compared("<", "m", "c")) == Comparison("<", m, Cast(c, LONG_LONG))
    assert made._condition(Compared("<", "m", "m")) == Comparison("<", m, m)
