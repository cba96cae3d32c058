"""Contracts in words: what a call leaves and refuses, what a body is given and must return, on a few cells."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.semantics.contract_runs import bodies, calls, expected, explored, program_of, whole

from kleene.c.contracts import read_contracts
from kleene.cfa.operations import Return
from kleene.semantics.contracts.programs import BODY, CALLED, by_contracts
from kleene.semantics.contracts.words import WordsBuilder

AFTER_A_CALL, IN_A_BODY = 200, 600
"""States to explore: some times as many as it takes until runs have shown what they can."""


def main(*cases: str, before: str = "") -> str:
    """A program that takes one of the cases."""
    chosen = "\n".join(f"    if (k == {number}) {{\n{case}\n    abort(); }}" for number, case in enumerate(cases))
    return f"{before}\nint main(void) {{\n    int k = __VERIFIER_nondet_int();\n{chosen}\n    abort();\n}}\n"


RESULTS = {
    "list": (
        "/*@ ensures list(\\result); */ struct node *f(void) { return NULL; }",
        """struct node *r = f();
        check(!r); // none
        check(r && !r->next); // one
        check(r && r->next && !r->next->next); // two
        check(r && r->data == 7); // data
        check(r && r->next && r->next->data == 7); // its data
        check(r && (r->next == r || (r->next && r->next->next == r))); // never: no list""",
    ),
    "doubly linked": (
        "/*@ ensures dlist(\\result, next, prev); */ struct item *f(void) { return NULL; }",
        """struct item *r = f();
        check(!r); // none
        check(r && !r->next); // one
        check(r && r->next && !r->next->next); // two
        check(r && r->data == 7); // data
        check(r && r->prev); // never: before the first
        check(r && r->next && r->next->prev != r); // never: astray""",
    ),
    "ring": (
        "/*@ ensures ring(\\result); */ struct node *f(void) { return NULL; }",
        """struct node *r = f();
        check(!r); // none
        check(r && r->next == r); // one
        check(r && r->next != r && r->next->next == r); // two
        check(r && r->next->next != r && r->next->next->next == r); // three
        check(r && !r->next); // never: ends
        check(r && r->next->data == 7); // data
        check(r && r->next != r && r->next->next == r->next); // never: lasso""",
    ),
    "tree": (
        "/*@ ensures tree(\\result); */ struct tree *f(void) { return NULL; }",
        """struct tree *r = f();
        check(!r); // none
        check(r && !r->left && !r->right); // leaf
        check(r && r->left && !r->right); // left
        check(r && !r->left && r->right); // right
        check(r && r->left && r->right); // both
        check(r && r->left && r->left->right); // deep
        check(r && r->right && r->right->left); // also deep
        check(r && r->data == 7); // data
        check(r && r->left && r->left == r->right); // never: shared
        check(r && (r->left == r || (r->left && r->left->left == r))); // never: cycle""",
    ),
    "kept list": (
        "/*@ requires list(a); ensures list(a); */ void f(struct node *a) { }",
        """struct node c, *a = malloc(sizeof *a);
        a->next = NULL; a->data = 3;
        f(a);
        check(!a->next); // one
        check(a->next && !a->next->next); // two
        check(a->data == 7); // data
        check(a->data == 3); // same data
        check(a->next == a); // never: cycle
        check(a->next && a->next->next == a); // never: long cycle""",
    ),
    "kept list that is NULL": (
        "/*@ requires list(a); ensures list(a); */ void f(struct node *a) { }",
        """f(NULL);
        check(1); // came back""",
    ),
    "kept doubly linked": (
        "/*@ requires dlist(a, next, prev); ensures dlist(a, next, prev); */ void f(struct item *a) { }",
        """struct item *a = malloc(sizeof *a);
        a->next = a->prev = NULL; a->data = 3;
        f(a);
        check(!a->next); // one
        check(a->next && !a->next->next); // two
        check(a->prev); // never: before the first
        check(a->next && a->next->prev != a); // never: astray""",
    ),
    "kept ring": (
        "/*@ requires ring(a); ensures ring(a); */ void f(struct node *a) { }",
        """struct node *a = malloc(sizeof *a);
        a->next = a; a->data = 3;
        f(a);
        check(a->next == a); // one
        check(a->next != a && a->next->next == a); // two
        check(a->next->next != a && a->next->next->next == a); // three
        check(!a->next); // never: ends
        check(a->data == 7); // data
        check(a->next != a && a->next->next == a->next); // never: lasso""",
    ),
    "kept tree": (
        "/*@ requires tree(a); ensures tree(a); */ void f(struct tree *a) { }",
        """struct tree *a = malloc(sizeof *a);
        a->left = a->right = NULL; a->data = 3;
        f(a);
        check(!a->left && !a->right); // leaf
        check(a->left && !a->right); // left
        check(!a->left && a->right); // right
        check(a->left && a->left == a->right); // never: shared
        check(a->data == 7); // data""",
    ),
    "list that is gone": (
        "/*@ requires list(a); */ void f(struct node *a) { }",
        """struct node *a = malloc(sizeof *a);
        a->next = NULL; a->data = 3;
        f(a);
        check(1); // came back
        a->data = 4; // gone""",
    ),
    "no result": (
        "/*@ ensures \\result == NULL; */ struct node *f(void) { return NULL; }",
        """struct node *r = f();
        check(!r); // none
        check(r); // never: one""",
    ),
    "some result": (
        "/*@ ensures list(\\result) && \\result != NULL; */ struct node *f(void) { return NULL; }",
        """struct node *r = f();
        check(!r); // never: none
        check(r); // one""",
    ),
    "number": (
        "/*@ ensures \\result >= 0 && \\result < n; */ int f(int n) { return 0; }",
        """int r = f(2);
        check(r == 0); // 0
        check(r == 1); // 1
        check(r == 2); // never: 2
        check(r < 0); // never: below""",
    ),
    "narrow numbers": (
        "/*@ requires c < 1000; ensures \\result > c && \\result != -1; */ int f(signed char c) { return 0; }",
        """int r = f(100);
        check(r == 101); // 101
        check(r == 300); // 300
        check(r == 100); // never: 100
        check(r == -1); // never: -1
        check(r < 0); // never: below""",
    ),
    "changes nothing": (
        "/*@ requires list(a); modifies \\nothing; ensures \\result > 0; */ int f(struct node *a) { return 1; }",
        """struct node *a = malloc(sizeof *a);
        a->next = NULL; a->data = 3;
        int r = f(a);
        check(a->next || a->data != 3); // never: changed
        check(r == 1); // 1
        check(r == 9); // 9
        check(r <= 0); // never: below
        free(a);""",
    ),
}


@pytest.mark.parametrize("name", RESULTS)
def test_what_a_call_leaves(name: str, tmp_path: Path) -> None:
    function, after = RESULTS[name]
    text = f"{function}\nint main(void) {{\n        {after}\n    abort();\n}}\n"
    assert calls(tmp_path, text, AFTER_A_CALL) == expected(text)


NODES = """struct node *one = malloc(sizeof *one), *two = malloc(sizeof *two), local;
        one->data = two->data = local.data = 0; one->next = two->next = local.next = NULL;
        """
ITEMS = """struct item *one = malloc(sizeof *one), *two = malloc(sizeof *two), local = {0, 0, 0};
        one->data = two->data = 0; one->next = one->prev = two->next = two->prev = NULL;
        """
TREES = """struct tree *one = malloc(sizeof *one), *two = malloc(sizeof *two), *three = malloc(sizeof *three);
        one->data = two->data = three->data = 0; one->left = one->right = two->left = two->right = NULL;
        three->left = three->right = NULL;
        """
LISTS = (
    "f(NULL, NULL); // never: none",
    "f(one, two); // never: two lists",
    "one->next = two; f(one, NULL); // never: two cells",
    "one->next = two; f(NULL, one); // never: the other",
    "one->next = one; f(one, NULL); // circle",
    "one->next = two; two->next = two; f(one, NULL); // lasso",
    "one->next = two; f(one, two); // shared",
    "f(one, one); // the same",
    "f(&local, NULL); // on the stack",
    "one->next = &local; f(one, NULL); // ends on the stack",
    "free(two); one->next = two; f(one, NULL); // freed",
    "free(one); f(one, NULL); // all is freed",
    "struct node *s = malloc(sizeof(void *)); s->next = NULL; f(s, NULL); // small",
    "struct node *s = malloc(sizeof(void *)); s->next = NULL; one->next = s; f(one, NULL); // a small one behind it",
)
DOUBLY = (
    "f(NULL); // never: none",
    "f(one); // never: one",
    "one->next = two; two->prev = one; f(one); // never: two cells",
    "one->prev = two; f(one); // something before it",
    "one->prev = one; f(one); // before itself",
    "one->next = two; f(one); // no way back",
    "one->next = two; two->prev = two; f(one); // back to itself",
    "one->next = two; two->prev = one; two->next = one; f(one); // circle",
    "f(&local); // on the stack",
)
RINGS = (
    "f(NULL, NULL); // never: none",
    "one->next = one; f(one, NULL); // never: one",
    "one->next = one; two->next = two; f(one, two); // never: two rings",
    "one->next = two; two->next = one; f(one, NULL); // never: two cells",
    "one->next = two; two->next = one; f(one, two); // shared",
    "one->next = one; f(one, one); // the same",
    "f(one, NULL); // ends",
    "one->next = two; f(NULL, one); // ends later",
    "one->next = two; two->next = two; f(one, NULL); // lasso",
    "local.next = &local; f(&local, NULL); // on the stack",
    "one->next = &local; local.next = one; f(one, NULL); // partly on the stack",
    "struct node *s = malloc(sizeof(void *)); s->next = s; f(s, NULL); // small",
    "struct node *s = malloc(sizeof(void *)); s->next = one; one->next = s; f(one, NULL); // partly small",
)
TREE_CASES = (
    "f(NULL); // never: none",
    "f(one); // never: leaf",
    "one->left = two; one->right = three; f(one); // never: three cells",
    "one->left = two; two->right = three; f(one); // never: deep",
    "one->left = one->right = two; f(one); // shared",
    "one->left = one; f(one); // circle",
    "one->right = one; f(one); // another circle",
    "one->right = two; two->left = one; f(one); // long circle",
    "one->left = two; one->right = three; two->left = three; f(one); // shared below",
    "free(two); one->left = two; f(one); // freed",
    "struct tree local = {0, 0, 0}; f(&local); // on the stack",
    "struct tree *s = malloc(2 * sizeof(void *)); s->left = s->right = NULL; f(s); // small",
)
TWO_LISTS = "void f(struct node *a, struct node *b) { }"
CLAUSES = {
    "list, taken": ("requires list(a) && list(b);", TWO_LISTS, NODES, LISTS),
    "list, kept": ("requires list(a) && list(b); ensures list(a) && list(b);", TWO_LISTS, NODES, LISTS),
    "list, one kept": ("requires list(a) && list(b); ensures list(a);", TWO_LISTS, NODES, LISTS),
    "list, the other kept": ("requires list(a) && list(b); ensures list(b);", TWO_LISTS, NODES, LISTS),
    "list, only read": ("requires list(a) && list(b); modifies \\nothing;", TWO_LISTS, NODES, LISTS),
    "dlist, taken": ("requires dlist(a, next, prev);", "void f(struct item *a) { }", ITEMS, DOUBLY),
    "dlist, kept": (
        "requires dlist(a, next, prev); ensures dlist(a, next, prev);", "void f(struct item *a) { }", ITEMS, DOUBLY,
    ),
    "ring, taken": ("requires ring(a) && ring(b);", TWO_LISTS, NODES, RINGS),
    "ring, kept": ("requires ring(a) && ring(b); ensures ring(a) && ring(b);", TWO_LISTS, NODES, RINGS),
    "ring, one kept": ("requires ring(a) && ring(b); ensures ring(b);", TWO_LISTS, NODES, RINGS),
    "tree, taken": ("requires tree(a);", "void f(struct tree *a) { }", TREES, TREE_CASES),
    "tree, kept": ("requires tree(a); ensures tree(a);", "void f(struct tree *a) { }", TREES, TREE_CASES),
    "tree, only read": ("requires tree(a); modifies \\nothing;", "void f(struct tree *a) { }", TREES, TREE_CASES),
    "numbers": (
        "requires n > 0 && n <= m && c != 300;", "void f(int n, long m, unsigned char c) { }", "",
        (
            "f(1, 1, 44); // never: least",
            "f(2, 1, 0); // more",
            "f(0, 1, 0); // zero",
            "f(-1, 0, 0); // negative",
            "f(5, -1, 0); // signs",
        ),
    ),
    "numbers, only read": (
        "requires n > 0; modifies \\nothing;", "void f(int n) { }", "", ("f(1); // never: one", "f(0); // zero"),
    ),
    "pointers": (
        "requires list(a) && a != NULL && b == NULL;", TWO_LISTS, NODES,
        (
            "f(one, NULL); // never: as it should be",
            "f(NULL, NULL); // none",
            "f(one, two); // too many",
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CLAUSES)
def test_what_a_call_refuses(name: str, tmp_path: Path) -> None:
    clauses, function, setup, cases = CLAUSES[name]
    text = main(*(f"        {setup}\n        {case}" for case in cases), before=f"/*@ {clauses} */ {function}")
    assert calls(tmp_path, text, AFTER_A_CALL) == expected(text)


BODIES = {
    "lists are given": """
/*@ requires list(a) && list(b); ensures list(a) && list(b); */
void f(struct node *a, struct node *b) {
    check(!a); // none
    check(a && !a->next); // one
    check(a && a->next && !a->next->next); // two
    check(a && b); // both
    check(a && a == b); // never: the same
    check(a && a->next == a); // never: circle
    check(a && a->data == 7); // data
}""",
    "doubly linked lists are given": """
/*@ requires dlist(a, next, prev); ensures dlist(a, next, prev); */
void f(struct item *a) {
    check(a && !a->next); // one
    check(a && a->next && a->next->prev == a); // two
    check(a && a->prev); // never: before the first
    check(a && a->next && a->next->prev != a); // never: astray
}""",
    "rings are given": """
/*@ requires ring(a); ensures ring(a); */
void f(struct node *a) {
    check(!a); // none
    check(a && a->next == a); // one
    check(a && a->next != a && a->next->next == a); // two
    check(a && !a->next); // never: ends
}""",
    "trees are given": """
/*@ requires tree(a); ensures tree(a); */
void f(struct tree *a) {
    check(a && !a->left && !a->right); // leaf
    check(a && a->left && a->right); // both
    check(a && a->left && a->left == a->right); // never: shared
}""",
    "what is required holds": """
/*@ requires list(a) && a != NULL && b == NULL && n > 0 && n < m; ensures list(a); */
void f(struct node *a, struct node *b, int n, int m) {
    check(!a); // never: none
    check(b); // never: any
    check(n == 1); // 1
    check(n <= 0); // never: 0
    check(m == 2); // 2
    check(m <= n); // never: less
}""",
    "what is returned is looked at": """
/*@ requires list(a); ensures list(\\result); */
struct node *f(struct node *a) {
    int k = __VERIFIER_nondet_int();
    if (k == 0) return a; // never: the list
    if (k == 1 && a) { a->next = a; return a; } // circle
    if (k == 2 && a && a->next) return a->next; // a part
    if (k == 3) { struct node *n = malloc(sizeof *n); n->next = a; return n; } // never: one more
    if (k == 4 && a && !a->next) { free(a); return NULL; } // never: nothing
    if (k == 5 && a) { free(a); return a; } // freed
    struct node local = {0, 0};
    if (k == 6 && !a) return &local; // on the stack
    if (k == 7 && !a) { struct node *s = malloc(sizeof(void *)); s->next = NULL; return s; } // small
    return a;
}""",
    "what stays is looked at": """
/*@ requires list(a) && list(b); ensures list(b) && \\result == NULL; */
struct node *f(struct node *a, struct node *b) {
    int k = __VERIFIER_nondet_int();
    if (k == 0 && !a) return NULL; // never: all
    if (k == 1 && a && !a->next) { free(a); return NULL; } // never: taken
    if (k == 2 && !a) { b = NULL; return NULL; } // never: another variable
    if (k == 3 && !a && b) { b->next = b; return NULL; } // circle
    if (k == 4 && !a && b) { free(b); return NULL; } // gone
    if (k == 5 && !a && b) return b; // not NULL
    if (k == 6 && a) return NULL; // left behind
    if (k == 7 && a && b && !b->next) { b->next = a; return NULL; } // never: appended
    abort();
}""",
    "numbers are compared with those at the beginning": """
/*@ requires n > 3; ensures \\result > n && \\result >= \\old(m) && \\result != 9; */
int f(int n, int m) {
    int k = __VERIFIER_nondet_int();
    if (m > 0 || n > 100) abort();
    if (k == 0) { n = 0; m = 0; return 200; } // never: more
    if (k == 1) { n = 0; m = 0; return 4; } // not more
    if (k == 2) return n; // the same
    if (k == 3 && n == 8) return 9; // 9
    abort();
}""",
    "a result is converted": """
/*@ ensures \\result < 100; */
signed char f(void) {
    int k = __VERIFIER_nondet_int();
    if (k == 0) return 256; // never: zero
    if (k == 1) return 100; // 100
    return 300; // never: 44
}""",
    "a result that is not there": """
/*@ ensures \\result > 0; */
int f(int n) {
    if (n > 5) return 1; // never: fine
    check(n == 7); // never: 7
    if (n == 3) return 0; // zero
}
// open: no value is returned, but the contract names \\result""",
    "a list that is not there": """
/*@ ensures list(\\result); */
struct node *f(int n) {
    if (n > 5) return NULL; // never: fine
}
// open: no value is returned, but the contract names \\result""",
    "a number that the contract does not name is not there": """
/*@ requires n > 3; ensures n > 2; */
int f(int n) {
    check(n == 7); // 7
}""",
    "a parameter whose address is taken": """
/*@ requires n > 3; ensures \\result > n; */
int f(int n) {
    int *p = &n;
    check(*p == 4); // 4
    check(*p == 3); // never: 3
    *p = 3;
    check(n == 3); // changed
    return 4; // not more
}""",
    "what is only read stays": """
/*@ requires list(a); modifies \\nothing; ensures \\result >= 0; */
int f(struct node *a) {
    int k = __VERIFIER_nondet_int();
    if (k == 0) return 0; // never: fine
    if (k == 1) return -1; // negative
    if (k == 2 && a) { a->next = a; return 1; } // circle
    if (k == 3 && a && !a->next) { free(a); return 1; } // gone
    struct node *b = malloc(sizeof *b); b->next = NULL;
    if (k == 4) return 1; // new
    abort();
}""",
}


@pytest.mark.parametrize("name", BODIES)
def test_what_a_body_is_given_and_returns(name: str, tmp_path: Path) -> None:
    text = f"{BODIES[name]}\nint main(void) {{ return 0; }}\n"
    assert bodies(tmp_path, text, IN_A_BODY) == expected(text)


@pytest.mark.parametrize("name", RESULTS)
def test_automata_are_whole(name: str, tmp_path: Path) -> None:
    program = program_of(tmp_path, f"{RESULTS[name][0]}\nint main(void) {{ return 0; }}\n")
    contract = read_contracts(program)["f"]
    stand_in = WordsBuilder(program, contract, contract.place, "f$1", CALLED)
    whole(stand_in.pure_stand_in() if contract.pure else stand_in.stand_in(), f"{CALLED}f")
    body = WordsBuilder(program, contract, contract.place, "f$body", BODY)
    whole(body.body(), f"{BODY}f")
    for helper in (*stand_in.helpers.values(), *body.helpers.values()):
        assert {edge.target for edge in helper.cfa.edges if isinstance(edge.label, Return)} == {helper.exit}


def test_gives_do_not_fail(tmp_path: Path) -> None:
    """Where malloc may fail, the cells of contracts are there nevertheless."""
    text = "/*@ ensures list(\\result); */ struct node *f(void) { return NULL; }\nint main(void) { f(); abort(); }\n"
    program = program_of(tmp_path, text)
    runs = explored(by_contracts(program, read_contracts(program)), AFTER_A_CALL, malloc_may_fail=True)
    assert {finding.fault.kind for finding in runs.findings} <= {"memory_leak"}
