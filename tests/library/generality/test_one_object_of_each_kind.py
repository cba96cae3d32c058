"""What a client of a library does not try is not proved: more objects, other numbers, other pointers, another order.

Each of these libraries fails in a compiled run of some client that keeps to the readings, and was once proved.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.library.inference.bounded import MOST_BLOCKS
from kleene.analysis.c.library.models.clients import check_client
from kleene.analysis.c.options import check_options
from kleene.c.reader import read_program
from kleene.cli import run_main
from kleene.core.verdict import Verdict
from kleene.domains.explicit.explore import explore

_SECONDS = 10.0
_OBJECT = """
#include <stdlib.h>
struct q { int *p; int n; void *data; };
struct q *q_new(void) { return calloc(1, sizeof(struct q)); }
void q_free(struct q *q) { free(q); }
"""
_COUNTED = """
#include <stdlib.h>
struct q { int *p; };
static int live;
struct q *q_new(void) { struct q *q = calloc(1, sizeof *q); if (q) live++; return q; }
void q_free(struct q *q) { live--; free(q); }
int q_get(struct q *q) { return LIVE ? *q->p : 0; }
"""
_SINGLE = """
struct q { int open; };
static struct q the;
struct q *q_open(void) { the.open = 1; return &the; }
int q_get(struct q *q) { if (!q->open) *(volatile int *)0 = 1; return 0; }
void q_close(struct q *q) { q->open = 0; }
"""
WRONG = {
    "a count of objects": _COUNTED.replace("LIVE", "live > 1"),
    "a count of objects as an index": _COUNTED.replace(
        "return LIVE ? *q->p : 0;", "static const int next[] = {0, 1}; live = next[live]; return 0;"
    ),
    "a count of objects behind a pointer": _COUNTED.replace("LIVE", "live > 1")
    .replace("live++", "++*count")
    .replace("live--", "--*count")
    .replace("static int live;", "static int live; static int *const count = &live;"),
    "one object in a static variable": _SINGLE,
    "a floating-point number": _OBJECT + "int q_get(struct q *q, double w) { return w > 2.0 ? *q->p : 0; }",
    "a record": _OBJECT + "struct pt { int x; };\nint q_get(struct q *q, struct pt p) { return p.x ? *q->p : 0; }",
    "two stored pointers": _OBJECT
    + "int q_get(struct q *q, void *d) { int r = q->n && q->data != d ? *q->p : 0; q->n = 1; q->data = d; return r; }",
    "a stored pointer that is NULL": _OBJECT + "int q_get(struct q *q, void *d) { return d ? 0 : *q->p; }",
    "what a callback returns": _OBJECT
    + "int q_get(struct q *q, void *(*f)(void *)) { return f(q->data) ? *q->p : 0; }",
    "a block of a callback": _OBJECT
    + "int q_get(struct q *q, int *(*f)(int)) { int *b = f(7); return b ? *q->p : 0; }",
    "a number of a callback": _OBJECT + "int q_get(struct q *q, double (*f)(int)) { return f(1) > 5.0 ? *q->p : 0; }",
    "a wide number": _OBJECT + "int q_get(struct q *q, __int128 v) { return v >> 70 == 5 ? *q->p : 0; }",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_client_of_one_kind_does_not_try_is_not_proved(name: str, tmp_path: Path) -> None:
    """The client had one object, one number, one pointer; a wide number stopped the check with a KeyError."""
    file = tmp_path / "library.c"
    file.write_text(WRONG[name], encoding="utf-8")
    verdicts = {f.name: f.verdict for f in check_library(str(file), check_options(timeout=_SECONDS)).functions}
    assert verdicts["q_get"] is not Verdict.TRUE


def test_a_variable_that_affects_nothing_is_allowed(tmp_path: Path) -> None:
    """A count of objects that only counts, and a table that no function changes, make no difference."""
    file = tmp_path / "library.c"
    table = "static int table[] = {1, 2};\nint q_name(struct q *q) { return table[0]; }\n"
    file.write_text(_COUNTED.replace("LIVE ?", "q->p ?") + table, encoding="utf-8")
    report = check_library(str(file), check_options(timeout=_SECONDS))
    assert report.verdict is Verdict.TRUE, [(f.name, f.reason) for f in report.functions]


def test_a_variable_that_clients_may_set_is_an_assumption(tmp_path: Path) -> None:
    """`q_get` fails in clients that set `debug`; it was proved for those that do not, and nothing said so."""
    file = tmp_path / "library.c"
    file.write_text(_OBJECT + "int debug;\nint q_get(struct q *q) { return debug ? *q->p : 0; }\n", encoding="utf-8")
    report = check_library(str(file), check_options(timeout=_SECONDS))
    assert report.assumptions == ["no client sets debug, a variable of the file that is not static"]


_TABLE = """
#include <stdlib.h>
static int *table;
void lib_init(void) { table = calloc(8, sizeof *table); if (!table) abort(); }
void lib_done(void) { free(table); table = NULL; }
int lib_get(int i) { return table[i & 7]; }
"""
_KEPT = """
#include <stdlib.h>
static int *kept;
void keep(void) { if (!kept) kept = malloc(sizeof *kept); }
void free_all(void) { free(kept); kept = NULL; }
"""
_LIST = """
#include <stdlib.h>
struct n { struct n *next; };
struct n *push_back(struct n *l) {
    struct n *n = calloc(1, sizeof *n), *p = l;
    if (!n) abort();
    if (!l) return n;
    while (p->next) p = p->next;
    p->next = n;
    return l;
}
void n_free(struct n *l) { while (l) { struct n *n = l->next; free(l); l = n; } }
"""
_TWO = _OBJECT + "int q_two(struct q *q, int *a, int *b) { *a = 0; *b = 1; return *a ? *q->p : 0; }"
CLIENTS = {
    "not initialised": (_TABLE, "int lib_get(int);\nint main(void) { return lib_get(3); }", "memsafety"),
    "never cleaned up": (_KEPT, "void keep(void);\nint main(void) { keep(); return 0; }", "memcleanup"),
    "the object that is replaced by itself": (
        _LIST,
        "struct n;\nstruct n *push_back(struct n *);\nvoid n_free(struct n *);\n"
        "int main(void) { struct n *a = push_back(0), *b = push_back(a);\n"
        "    if (b && a == b) *(volatile int *)0 = 1;\n    n_free(b); return 0; }",
        "memsafety",
    ),
    "one variable for two results": (
        _TWO,
        "struct q;\nstruct q *q_new(void);\nvoid q_free(struct q *);\nint q_two(struct q *, int *, int *);\n"
        "int main(void) { int x; struct q *q = q_new(); if (q) { q_two(q, &x, &x); q_free(q); } return 0; }",
        "memsafety",
    ),
}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_wrong_client_of_a_proved_library_is_not_proved(name: str, tmp_path: Path) -> None:
    """The model of the library allowed more than the library was proved for."""
    library, client, property_ = CLIENTS[name]
    (tmp_path / "library.c").write_text(library, encoding="utf-8")
    (tmp_path / "client.c").write_text(client, encoding="utf-8")
    proof = str(tmp_path / "library.json")
    assert run_main(["check", "--library", str(tmp_path / "library.c"), "--json", proof, "--quiet"]) == 0
    report = check_client([str(tmp_path / "client.c")], check_options(timeout=_SECONDS), [proof])
    assert report.properties[property_] is Verdict.FALSE


_NUMBERS = """
#include <stdlib.h>
struct q { struct q *next; int n; };
static int live, last_error;
struct q *q_new(void) {
    struct q *q;
    if (live >= 1000) { last_error = 3; return NULL; }
    q = calloc(1, sizeof *q);
    if (q) live++; else last_error = 1;
    return q;
}
int q_error(struct q *q) { return q->n ? last_error : 0; }
void q_free(struct q *q) { free(q); if (live > 0) live--; }
"""


def test_numbers_that_all_objects_share_may_have_any_value(tmp_path: Path) -> None:
    """A count of objects with a limit, and the last error: the library was UNKNOWN."""
    file = tmp_path / "library.c"
    file.write_text(_NUMBERS, encoding="utf-8")
    report = check_library(str(file), check_options(timeout=_SECONDS))
    assert report.verdict is Verdict.TRUE, [(f.name, f.reason) for f in report.functions]


def test_a_callback_may_change_the_numbers(tmp_path: Path) -> None:
    """In a callback the client may use other objects, which changes the count during the call."""
    file = tmp_path / "library.c"
    each = (
        "void q_each(struct q *q, void (*f)(int)) { int *p = live > 1 ? NULL : &q->n; f(1); if (live < 2) *p = 1; }\n"
    )
    file.write_text(_NUMBERS + each, encoding="utf-8")
    verdicts = {f.name: f.verdict for f in check_library(str(file), check_options(timeout=_SECONDS)).functions}
    assert verdicts["q_each"] is not Verdict.TRUE


def test_only_blocks_of_the_heap_count_as_large(tmp_path: Path) -> None:
    """Functions counted as objects of a trial: in a file with forty of them no operation was tried."""
    many = "".join(f"static int f{i}(int n) {{ return n + {i}; }}\n" for i in range(40))
    calls = "".join(f"n = f{i}(n); " for i in range(40))
    file = tmp_path / "program.c"
    file.write_text(f"{many}int main(void) {{ int n = 0; {calls}return n > 0; }}\n", encoding="utf-8")
    program = read_program([str(file)])
    explored = explore(program, max_states=500, malloc_may_fail=False, most_blocks=MOST_BLOCKS)
    assert explored.exhausted, explored.reason


_TEXTS = """
#include <stdlib.h>
struct q { char *line; };
struct q *q_new(void) { return calloc(1, sizeof(struct q)); }
void q_free(struct q *q) { free(q->line); free(q); }
int q_put(struct q *q) { if (q->line) return 0; q->line = malloc(1); if (q->line) q->line[0] = 0; return 1; }
CONST char *q_get(struct q *q) { char *line = q->line; q->line = NULL; return line; }
"""


@pytest.mark.parametrize(("const", "verdict"), [("", Verdict.TRUE), ("const", Verdict.FALSE)])
def test_a_caller_frees_a_text_that_it_may_change(tmp_path: Path, const: str, verdict: Verdict) -> None:
    """A function that hands out a text was wrong, unless its name said that the caller owns it."""
    file = tmp_path / "library.c"
    file.write_text(_TEXTS.replace("CONST", const), encoding="utf-8")
    functions = {f.name: f.verdict for f in check_library(str(file), check_options(timeout=_SECONDS)).functions}
    assert functions["q_get"] is verdict


_REMEMBERED = """
#include <stdlib.h>
struct node { int v; struct node *next; };
struct list { struct node *head; };
static struct node *last;
struct list *list_new(void) { return calloc(1, sizeof(struct list)); }
int list_push(struct list *l, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n) return -1;
    n->v = v; n->next = l->head; l->head = n;
    return 0;
}
void list_free(struct list *l) {
    RESET
    while (l->head) { struct node *n = l->head->next; free(l->head); l->head = n; }
    free(l);
}
int list_find(struct list *l, int v) {
    if (last && last->v == v) return 1;
    for (struct node *n = l->head; n; n = n->next) if (n->v == v) { last = n; return 1; }
    return 0;
}
"""


@pytest.mark.parametrize(("reset", "verdict"), [("last = NULL;", Verdict.UNKNOWN), ("", Verdict.FALSE)])
def test_a_variable_that_leads_into_objects_is_not_the_fault_of_their_maker(
    reset: str, verdict: Verdict, tmp_path: Path
) -> None:
    """The result of `list_new` was taken for a part of the library, and its block for a leak that was confirmed."""
    file = tmp_path / "library.c"
    file.write_text(_REMEMBERED.replace("RESET", reset), encoding="utf-8")
    verdicts = {f.name: f.verdict for f in check_library(str(file), check_options(timeout=_SECONDS)).functions}
    assert verdicts["list_new"] is not Verdict.FALSE and verdicts["list_find"] is verdict
