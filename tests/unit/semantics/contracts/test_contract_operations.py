"""Contracts in formulas as operations: runs of calls and bodies, and what the shape analysis is given of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.semantics.contract_runs import HEADER, expected, explored, program_of, seen, whole

from kleene.analysis.c.specifications import read_specification
from kleene.c.contracts import Contract, read_contracts
from kleene.cfa.operations import Assume, DeclareLocal, Operation, Skip, Specified
from kleene.cfa.program import CProgram, Function
from kleene.semantics.contracts.programs import BODY, CALLED, body_alone, by_contracts
from kleene.semantics.contracts.specifications import Specification

MAIN = "\nint main(void) { return 0; }\n"
STATES = 400
LARGER = "open: larger heaps than those that were looked at"
ACYCLIC = "A(v) !c[next](v)"


def read(folder: Path, text: str) -> tuple[CProgram, dict[str, Contract], dict[str, Specification]]:
    program = program_of(folder, text)
    contracts = read_contracts(program)
    return program, contracts, {name: read_specification(program, c) for name, c in contracts.items() if c.formal}


CALLS = f"""
/*@ requires {ACYCLIC} && n > 0; ensures A(v) (old[r[a]](v) -> r[a](v)); modifies data; */
int f(struct node *a, int n) {{ if (a) a->data = n; return n + 1; }}
/*@ requires E(v) (a(v) & b(v)); ensures A(v) !a(v); */
void g(struct node *a, struct node *b) {{ }}
int main(void) {{
    struct node *one = malloc(sizeof *one), *two = malloc(sizeof *two);
    one->next = two->next = NULL; one->data = two->data = 3;
    int k = __VERIFIER_nondet_int(), r = 0;
    if (k == 0) f(NULL, 1); // never: none
    if (k == 1) {{ r = f(one, 4); check(one->data == 4 && r == 5); }} // it is called
    if (k == 2) {{ one->next = two; f(one, 1); check(two->data == 3); }} // two cells
    if (k == 3) {{ one->next = one; f(one, 1); }} // circle
    if (k == 4) {{ one->next = two; two->next = two; f(one, 1); }} // lasso
    if (k == 5) f(NULL, 0); // zero
    if (k == 6) f(one, -1); // negative
    if (k == 7) g(one, one); // never: the same
    if (k == 8) g(one, two); // apart
    if (k == 9) g(NULL, two); // one of them
    abort();
}}
"""


def test_runs_of_calls(tmp_path: Path) -> None:
    """What is required is checked, and then the function itself is called."""
    program, contracts, meant = read(tmp_path, CALLS)
    called = by_contracts(program, contracts, meant, concrete=True)
    assert seen(HEADER + CALLS, explored(called, STATES)) == expected(CALLS)


BODIES = {
    "what is given": f"""
/*@ requires {ACYCLIC} && n > 0 && n < m; ensures A(v) (r[a](v) -> r[a](v)); modifies \\nothing; */
int f(struct node *a, int n, int m) {{
    check(!a); // none
    check(a && !a->next); // one
    check(a && a->next); // two
    check(a && a->next == a); // never: circle
    check(a && a->next && a->next->next == a); // never: long circle
    check(n == 1 && m == 2); // 1 and 2
    check(n <= 0); // never: zero
    check(n >= m); // never: more
    return 0;
}}""",
    "two arguments": """
/*@ requires A(v) (a(v) -> b(v)); ensures A(v) (a(v) -> b(v)); modifies \\nothing; */
void f(struct node *a, struct node *b) {
    check(a && a == b); // the same
    check(!a && b); // one of them
    check(a && a != b); // never: apart
    check(a && a->next == a); // circle
    check(b && b->next && b->next != b); // two
}""",
    "what is returned": f"""
/*@ requires {ACYCLIC}; ensures A(v) ($result(v) <-> a(v)) && A(v) (r[a](v) -> !c[next](v)); */
struct node *f(struct node *a) {{
    int k = __VERIFIER_nondet_int();
    if (k == 0) return a; // never: the same
    if (k == 1 && a) return NULL; // none
    if (k == 2 && a) return a->next; // the next one
    if (k == 3 && a && a->next) {{ a->next->next = a; return a; }} // circle
    if (k == 4 && a) {{ struct node *n = a; a = NULL; return n; }} // never: the variable
    if (k == 5) {{ struct node *n = malloc(sizeof *n); n->next = NULL; return a; }} // lost
    if (k == 6 && a) {{ a->data = 1; return a; }} // never: a number
    abort();
}}""".replace("$result", "\\result"),
    "a block that a variable holds at the end": """
/*@ requires A(v) !c[next](v); ensures A(v) !c[next](v); modifies \\nothing; allocates; */
int f(struct node *a) {
    struct node *n = malloc(sizeof *n);
    n->next = NULL;
    if (a) { free(n); return 1; } // never: freed
    return 0; // lost
}""",
    "no pointers": """
/*@ requires n > 0; ensures A(v) (\\result(v) -> new(v)); modifies \\nothing; allocates; */
struct node *f(int n) {
    check(n == 1); // 1
    check(n == 0); // never: 0
    if (n == 2) return NULL; // never: none
    struct node *r = malloc(sizeof *r);
    r->next = NULL;
    return r; // never: new
}""",
    "what may change": """
/*@ requires A(v) !c[next](v); ensures A(v) (same[next](v)); modifies \\nothing; allocates; */
void f(struct node *a) {
    int k = __VERIFIER_nondet_int();
    struct node *n = malloc(sizeof *n);
    n->data = 4; n->next = NULL; // never: new
    free(n);
    if (k == 0) return; // never: fine
    if (k == 1 && a) { a->data = 1; } // number
    if (k == 2 && a) { a->data = __VERIFIER_nondet_int(); } // any number
    if (k == 3 && a) {
        a->next = NULL;
        return; // link
    }
}""",
    "numbers at the end": f"""
/*@ requires {ACYCLIC} && n > 3; ensures A(v) (a(v) -> a(v)) && \\result > n; modifies \\nothing; */
int f(struct node *a, int n) {{
    int k = __VERIFIER_nondet_int();
    if (k == 0) {{ int r = n; n = 0; return r; }} // not more
    if (k == 1 && n < 100) {{ n = n + 1; return n; }} // never: more
    if (k == 2) {{ n = 0; return 1; }} // little
    abort();
}}""",
    "nothing is returned": """
/*@ requires A(v) !c[next](v); ensures E(v) \\result(v); modifies \\nothing; */
struct node *f(struct node *a) {
    if (a) return a; // never: fine
}
// open: no value is returned, but the contract names \\result""",
    "no number is returned": """
/*@ requires A(v) !c[next](v); ensures A(v) (a(v) -> a(v)) && \\result > 0; modifies \\nothing; */
int f(struct node *a) {
    if (a) return 1; // never: fine
}
// open: no value is returned, but the contract names \\result""",
    "a number that the contract does not name": """
/*@ requires A(v) !c[next](v); ensures A(v) (a(v) -> a(v)); modifies \\nothing; */
int f(struct node *a) {
    check(a); // some
    if (a) return 1; // never: fine
}""",
}


@pytest.mark.parametrize("name", BODIES)
def test_runs_of_bodies(name: str, tmp_path: Path) -> None:
    text = BODIES[name] + MAIN
    program, contracts, meant = read(tmp_path, text)
    called = by_contracts(program, {}, meant, concrete=True)
    alone = body_alone(called, contracts["f"], meant["f"], concrete=True)
    assert seen(HEADER + text, explored(alone, STATES)) == {*expected(text), LARGER}


def outline(function: Function) -> list[str]:
    """The operations of a function in the order in which they were made, without declarations."""
    return [told(edge.label) for edge in function.cfa.edges if not isinstance(edge.label, DeclareLocal | Skip)]


def told(operation: Operation) -> str:
    match operation:
        case Specified(_, role, _, arguments, targets):
            return f"{role}: {', '.join(map(str, arguments))} -> {', '.join(map(str, targets))}"
        case Assume(_, condition, truth):
            return f"if {condition}" if truth else f"if not {condition}"
    return str(operation)


def test_a_call_in_the_shape_analysis(tmp_path: Path) -> None:
    """Checks of numbers and of the heap come first; then all that the contract allows."""
    text = f"""
/*@ requires {ACYCLIC} && n > 0; modifies next;
    ensures A(v) (r[a](v) -> old[r[a]](v)) && \\result > n && \\result != 7; */
int f(struct node *a, int n) {{ return n + 1; }}
/*@ requires {ACYCLIC} && b == NULL; ensures A(v) (\\result(v) -> a(v)); */
struct node *g(struct node *a, struct node *b) {{ return a; }}
/*@ requires {ACYCLIC}; ensures {ACYCLIC}; */
void h(struct node *a) {{ }}
int main(void) {{ f(NULL, 1); g(NULL, NULL); h(NULL); return 0; }}
"""
    program, contracts, meant = read(tmp_path, text)
    called = by_contracts(program, contracts, meant)
    made = {name.partition("$")[0]: f for name, f in called.functions.items() if "$contract" in name}
    f, g, h = (outline(made[name]) for name in "fgh")
    assert f[:2] == ["if n > 0", "if not n > 0"] and "n > 0" in f[2]
    result = made["f"].locals[0]
    assert f[3:] == [
        "requires: a -> ",
        "changes: a -> ",
        f"{result} = nondet()",
        f"if {result} > n",
        f"if not {result} > n",
        f"if {result} != 7",
        f"if not {result} != 7",
        f"return {result}",
    ]
    result = made["g"].locals[0]
    assert g == ["requires: a, b -> ", f"changes: a, b -> {result}", f"return {result}"]
    assert h == ["requires: a -> ", "changes: a -> ", "return"]
    for name in "fgh":
        whole(made[name], f"{CALLED}{name}")
        edges = [edge.label for edge in made[name].cfa.edges]
        assert {s.content for s in edges if isinstance(s, Specified)} == {meant[name]}
        assert {str(r) for s in edges if isinstance(s, Specified) for r in s.records} == {"struct node"}


def test_a_body_in_the_shape_analysis(tmp_path: Path) -> None:
    """A number that `modifies` does not list may change in new blocks only, wherever the analysis cannot see it."""
    text = f"""
/*@ requires {ACYCLIC} && n > 0; ensures A(v) (\\result(v) -> a(v)) && m == 2; modifies \\nothing; allocates; */
struct node *f(struct node *a, int n, int m) {{
    if (n == 1) a->next = NULL;
    if (n == 2) a->data = 1;
    if (n == 3) a->data = __VERIFIER_nondet_int();
    return a;
}}
{MAIN}"""
    program, contracts, meant = read(tmp_path, text)
    body = body_alone(program, contracts["f"], meant["f"])
    made = body.functions[body.entry]
    olds = {v.name.partition("_")[2].partition("#")[0]: v for v in made.locals if v.name.startswith("$old_")}
    whole(made, f"{BODY}f")
    lines = outline(made)
    assert lines[:4] == [
        f"given:  -> {olds['a']}",
        f"{olds['n']} = nondet()",
        f"{olds['m']} = nondet()",
        f"if {olds['n']} > 0",
    ]
    assert [line for line in lines if line in {f"{p} = {own}" for p, own in olds.items()}] == [
        f"{p} = {olds[p]}" for p in "anm"
    ]
    assert lines.count("fresh: a -> ") == 2
    for number, line in enumerate(lines):
        if line == "fresh: a -> ":
            assert lines[number + 1] in ("a->data = 1", "a->data = __VERIFIER_nondet_int()")
    result = next(v for v in made.locals if v.name.startswith("$result"))
    ensures = lines.index(f"ensures: {olds['a']}, {result} -> ")
    assert f"if {olds['m']} == 2" in lines[:ensures]
    assert lines[ensures + 1] == "abort()"
    named = {v.name for v in made.locals}
    assert {"a", "n", "m"} <= named and {v.name for v in program.functions["f"].locals} <= named
    locations = {place for edge in made.cfa.edges for place in (edge.source, edge.target)}
    assert not locations & {place for e in program.functions["f"].cfa.edges for place in (e.source, e.target)}
