"""Results that a client may read: a function that returns a pointer to a block it has freed is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import EXAM, in_exam

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

TEXT = """
#include <stdlib.h>
struct rec { char *name; };
struct rec *rec_new(void) { return calloc(1, sizeof(struct rec)); }
int rec_set(struct rec *r) { free(r->name); r->name = calloc(1, 8); return r->name ? 0 : -1; }
char *rec_clear(struct rec *r) { char *p = r->name; FREE r->name = NULL; return p; }
void rec_free(struct rec *r) { free(r->name); free(r); }
"""
NODE = """
#include <stdlib.h>
struct n { struct n *next; int k; };
struct l { struct n *head; };
struct l *l_new(void) { return calloc(1, sizeof(struct l)); }
int l_add(struct l *x) { struct n *n = malloc(sizeof *n); if (!n) return -1; n->next = x->head; x->head = n; return 0; }
struct n *l_shift(struct l *x) { struct n *n = x->head; if (!n) return NULL; x->head = n->next; free(n); return n; }
void l_free(struct l *x) { while (x->head) l_shift(x); free(x); }
"""
END = """
#include <stdlib.h>
struct v { int d[4]; };
struct v *v_new(void) { return calloc(1, sizeof(struct v)); }
int *v_end(struct v *x) { return x->d + 4; }
void v_free(struct v *x) { free(x); }
"""


@pytest.mark.parametrize(
    ("text", "wrong"), [(TEXT.replace("FREE", "free(p);"), "rec_clear"), (NODE, "l_shift")], ids=["text", "node"]
)
def test_a_result_that_is_freed_is_an_error(tmp_path: Path, text: str, wrong: str) -> None:
    """The client ignored results, so functions that return what they have freed were reported as proved."""
    file = tmp_path / "library.c"
    file.write_text(text)
    verdicts = {f.name: f for f in check_library(str(file), check_options(timeout=30.0)).functions}
    assert verdicts[wrong].verdict is Verdict.FALSE
    assert verdicts[wrong].finding is not None and verdicts[wrong].finding.kind == "dangling_dereference"


@pytest.mark.parametrize("text", [END, TEXT.replace("FREE", "")], ids=["end of an array", "block for the caller"])
def test_a_result_that_cannot_be_read_or_is_owned_is_no_error(tmp_path: Path, text: str) -> None:
    """A pointer behind an array is a proper result, though nothing may be read there; so is a block for the caller."""
    file = tmp_path / "library.c"
    file.write_text(text)
    assert check_library(str(file), check_options(timeout=30.0)).verdict is Verdict.TRUE


COPY = (
    NODE.replace("free(n); return n;", "x->head = n; return n;")
    + """
struct l *l_copy(struct l *x) { struct l *y = l_new(); if (y) y->head = x->head; return y; }
void l_free(struct l *x) { while (x->head) { struct n *n = x->head; x->head = n->next; free(n); } free(x); }
"""
)


@pytest.mark.parametrize("name", ["l_copy", "l_take"])
def test_a_result_that_has_an_end_is_not_just_freed(tmp_path: Path, name: str) -> None:
    """A copy that shares its nodes was proved with a client that only frees it; `l_free` ends such objects."""
    file = tmp_path / "library.c"
    text = COPY.replace("void l_free(struct l *x) { while (x->head) l_shift(x); free(x); }\n", "", 1)
    file.write_text(text.replace("l_copy", name))
    verdicts = {f.name: f for f in check_library(str(file), check_options(timeout=30.0)).functions}
    assert verdicts[name].verdict is not Verdict.TRUE


CALLS = """
#include <stdlib.h>
struct n { struct n *next; int k; };
struct l { struct n *head; };
struct l *l_new(void) { return calloc(1, sizeof(struct l)); }
int l_add(struct l *x) { struct n *n = malloc(sizeof *n); if (!n) return -1; n->next = x->head; x->head = n; return 0; }
void l_free(struct l *x) { while (x->head) { struct n *n = x->head; x->head = n->next; free(n); } free(x); }
"""
CLEAR = "while (x->head) { struct n *n = x->head; int *k = &n->k; x->head = n->next; "


@pytest.mark.parametrize(("kind", "argument"), [("struct n *", "n"), ("const int *", "k")])
def test_what_a_function_of_the_client_gets_is_read(tmp_path: Path, kind: str, argument: str) -> None:
    """The functions of the client read nothing, so a library that hands freed blocks to them was reported as proved."""
    file = tmp_path / "library.c"
    file.write_text(f"{CALLS}void l_clear(struct l *x, void (*f)({kind})) {{ {CLEAR} free(n); f({argument}); }} }}\n")
    verdicts = {f.name: f for f in check_library(str(file), check_options(timeout=30.0)).functions}
    wrong = verdicts.pop("l_clear")
    assert wrong.verdict is Verdict.FALSE and {f.verdict for f in verdicts.values()} == {Verdict.TRUE}
    assert wrong.finding is not None and wrong.finding.kind == "dangling_dereference"
    assert "hands it to a function of the client" in wrong.finding.message


def test_what_a_function_of_the_client_cannot_read_is_no_error(tmp_path: Path) -> None:
    """A block before it is freed, a variable for a result, no bytes, the end of an array, NULL."""
    file = tmp_path / "library.c"
    file.write_text(f"""{CALLS}
void l_clear(struct l *x, void (*f)(struct n *)) {{ {CLEAR} f(n); free(n); }} f(NULL); }}
void l_ask(struct l *x, void (*f)(int, int *)) {{ int out; if (x->head) f(x->head->k, &out); }}
void l_write(struct l *x, void (*f)(const char *, int)) {{ char *b = calloc(4, 1); if (b) f(b + 4, 0); free(b); }}
void l_range(struct l *x, void (*f)(const char *, const char *)) {{ char b[4] = {{0}}; f(b, b + 4); }}
""")
    assert check_library(str(file), check_options(timeout=30.0)).verdict is Verdict.TRUE


@pytest.mark.parametrize(
    "pop",
    [
        pytest.param(
            "int **l_pop(struct l *x) { int **d = NULL; POP d = &n->at; END return d; }",
            marks=in_exam,
        ),
        "double *l_pop(struct l *x) { double *d = NULL; POP d = &n->d; END return d; }",
        "void l_pop(struct l *x, int **out) { *out = NULL; POP *out = &n->k; END }",
    ],
    ids=["pointer to a pointer", "number with a fraction", "by an address"],
)
def test_pointers_to_all_numbers_and_pointers_are_read(tmp_path: Path, pop: str) -> None:
    """Only results that lead to records and whole numbers were read, and of pointers that are stored only texts."""
    text = CALLS.replace("int k;", "int k; int *at; double d;")
    pop = pop.replace("POP", "struct n *n = x->head; if (n) { x->head = n->next;").replace("END", "free(n); }")
    file = tmp_path / "library.c"
    file.write_text(f"{text}{pop}\n")
    verdicts = {f.name: f for f in check_library(str(file), check_options(timeout=30.0)).functions}
    assert verdicts["l_pop"].verdict is Verdict.FALSE
    file.write_text(f"{text}{pop.replace('free(n);', 'n->next = x->head; x->head = n;')}\n")
    assert check_library(str(file), check_options(timeout=30.0)).verdict is Verdict.TRUE


HANDS = """
#include <stdlib.h>
struct n { struct n *next; void *data; int k; };
struct l { struct n *head; };
struct r { struct n *p; int ok; };
struct n *last;
struct l *l_new(void) { return calloc(1, sizeof(struct l)); }
int l_push(struct l *x, void *d) {
    struct n *n = malloc(sizeof *n);
    if (!n) return -1;
    n->next = x->head; n->data = d; x->head = n;
    return 0;
}
void l_free(struct l *x) { while (x->head) { struct n *n = x->head; x->head = n->next; free(n); } free(x); }
static struct n *first(struct l *x) { return x->head; }
static struct n *freed(struct l *x) { struct n *n = x->head; if (n) { x->head = n->next; free(n); } return n; }
void *l_data(struct l *x) { return x->head ? x->head->data : NULL; }
void *l_end(struct l *x) { return x->head ? x->head + 1 : NULL; }
"""
HANDED = {
    "l_plain": "void *l_plain(struct l *x) { return TAKE(x); }",
    "l_struct": "struct r l_struct(struct l *x) { struct r r; r.ok = 0; r.p = TAKE(x); return r; }",
    "l_some": "struct r l_some(struct l *x) { struct r r; r.ok = x->head != 0; if (r.ok) r.p = TAKE(x); return r; }",
    "l_stored": "int l_stored(struct l *x, void **out) { if (!x->head) return 1; *out = TAKE(x); return 0; }",
    "l_element": "int l_element(struct l *x, struct n **out) { if (!x->head) return 1; *out = TAKE(x); return 0; }",
    "l_filled": "void l_filled(struct l *x, struct r *out) { out->ok = 1; out->p = TAKE(x); }",
    "l_exported": "void l_exported(struct l *x) { last = TAKE(x); last = CLEAR; }",
}


@pytest.mark.parametrize("name", sorted(HANDED) if EXAM else ["l_exported", "l_some", "l_stored"])
def test_what_a_client_gets_must_exist(tmp_path: Path, name: str) -> None:
    """A freed block as `void *`, in a struct, by an address, or in an exported variable was proved: nothing looked."""
    file = tmp_path / "library.c"
    file.write_text(HANDS + HANDED[name].replace("TAKE", "freed").replace("CLEAR", "last"))
    verdicts = {f.name: f for f in check_library(str(file), check_options(timeout=30.0)).functions}
    wrong = verdicts.pop(name)
    assert wrong.verdict is Verdict.FALSE and {f.verdict for f in verdicts.values()} == {Verdict.TRUE}
    assert wrong.finding is not None and wrong.finding.kind == "dangling_dereference"


def test_what_a_client_gets_may_be_null_or_data_or_not_set(tmp_path: Path) -> None:
    """The right twins: live blocks, the end of one, stored data, NULL, members and variables that are not set."""
    file = tmp_path / "library.c"
    file.write_text(HANDS + "\n".join(HANDED.values()).replace("TAKE", "first").replace("CLEAR", "NULL"))
    assert check_library(str(file), check_options(timeout=30.0)).verdict is Verdict.TRUE
