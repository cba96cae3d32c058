"""Libraries whose bug could hide behind a reading: hooks that may be NULL, `errno`, numbers, functions that end all.

Each wrong library has a right twin, which is proved, so that a reading which admits nothing is no way out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict
from kleene.results.library import LibraryReport

_SECONDS = 60.0
_LIST = """\
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
void out_of_memory(void);
void report_no_memory(void);
unsigned round_up(unsigned size);
struct n { struct n *next; void *data; };
struct l { struct n *head, *tail; void (*drop)(void *); };
struct l *l_new(void (*drop)(void *)) {
    struct l *x = calloc(1, sizeof *x); HOOK
    if (x) x->drop = drop;
    return x;
}
int l_add(struct l *x, void *d) {
    struct n *n = malloc(sizeof *n); MEMORY
    if (!n) { errno = ENOMEM; return -1; }
    n->next = NULL; n->data = d;
    if (x->tail) x->tail->next = n; else x->head = n;
    x->tail = n;
    return 0;
}
int l_shift(struct l *x) {
    struct n *n = x->head;
    if (!n) return EMPTY;
    SHIFT
    TAIL
    CALL
    free(n);
    return 0;
}
void l_clear(struct l *x, void (*drop)(void *)) {
    for (struct n *n = x->head, *next; n; n = next) { next = n->next; if (drop) drop(n->data); free(n); }
    x->head = x->tail = NULL;
}
void l_free(struct l *x, void (*drop)(void *)) { while (x->head) l_shift(x); CLEAR free(x); }
"""
_RIGHT = {
    "HOOK": "",
    "MEMORY": "",
    "EMPTY": "-1",
    "SHIFT": "x->head = n->next;",
    "TAIL": "if (!x->head) x->tail = NULL;",
    "CALL": "if (x->drop) x->drop(n->data);",
    "CLEAR": "if (drop) drop(x);",
}
_ITERATED = """\
#include <stdlib.h>
struct n { struct n *next; int v; };
struct l { struct n *head; };
struct it { struct l *l; struct n *at; int begun; };
struct l *l_new(void) { return calloc(1, sizeof(struct l)); }
int l_add(struct l *x, int v) {
    struct n *n = malloc(sizeof *n);
    if (!n) return -1;
    n->v = v; n->next = x->head; x->head = n;
    return 0;
}
void it_init(struct it *it, struct l *x) { it->l = x; it->at = NULL; it->begun = 0; }
int it_next(struct it *it, int *v) {
    it->at = it->begun ? it->at->next : it->l->head;
    it->begun = 1; END
    *v = it->at->v;
    return 1;
}
void l_free(struct l *x) { struct n *n; while ((n = x->head)) { x->head = n->next; free(n); } free(x); }
"""
_QUEUE = """\
#include <stddef.h>
struct job { struct job *next, *prev; int id; };
struct q { struct job *first, *last; };
void q_init(struct q *q) { q->first = q->last = NULL; }
void q_add(struct q *q, struct job *j) {
    j->next = NULL; j->prev = q->last;
    if (q->last) q->last->next = j; else q->first = j;
    q->last = j;
}
void q_del(struct q *q, struct job *j) {
    if (j->prev) j->prev->next = j->next; else q->first = j->next;
    if (j->next) j->next->prev = j->prev; LAST
}
"""
_INIT = """\
#include <stdlib.h>
struct buf { int *data; int n; };
int buf_init(struct buf *b, int n) {
    if (n < 0) return -1;
    if (n == 0) return 0;
    b->data = malloc(sizeof(int)); FAILED
    *b->data = n; b->n = n;
    return 1;
}
int buf_first(struct buf *b) { return *b->data; }
void buf_fini(struct buf *b) { free(b->data); }
"""


def _list(**parts: str) -> str:
    text = _LIST
    for name, part in {**_RIGHT, **parts}.items():
        text = text.replace(name, part)
    return text


RIGHT = {
    "hooks are tested": _list(),
    "a hook must not be NULL": _list(HOOK="assert(drop);", CALL="x->drop(n->data);"),
    "no memory ends the program": _list(MEMORY="if (!n) out_of_memory();"),
    "an iterator has an end": _ITERATED.replace("END", "if (!it->at) return 0;"),
    "blocks of the caller": _QUEUE.replace("LAST", "else q->last = j->prev;"),
    "a positive number": _INIT.replace("FAILED", "if (!b->data) return -1;"),
}
WRONG = {
    "one call of a hook has no test": (_list(CALL="x->drop(n->data);"), "l_shift"),
    "a hook is tested in a function alike": (_list(CLEAR="drop(x);"), "l_free"),
    "errno is read": (_list(EMPTY="errno == ENOMEM ? n->next != NULL : -1"), "l_shift"),
    "no memory is reported only": (_list(MEMORY="if (!n) { report_no_memory(); n->next = NULL; }"), "l_add"),
    "no memory ends the program, an error stays": (_list(MEMORY="if (!n) out_of_memory();", TAIL=""), "l_shift"),
    "a number of unknown code is no excuse": (
        _list(SHIFT="if (round_up(4) > 8) free(n); x->head = n->next;"),
        "l_shift",
    ),
    "an iterator without an end": (_ITERATED.replace("END", ""), "it_next"),
    "an element stays linked": (_QUEUE.replace("LAST", ""), "q_del"),
    "nodes of the library are forgotten": (
        _QUEUE.replace("LAST", "else q->last = j->prev;").replace("<stddef.h>", "<stdlib.h>")
        + "int q_put(struct q *q) { struct job *j = malloc(sizeof *j); if (!j) return -1; q_add(q, j); return 0; }\n",
        "q_del",
    ),
    "a positive number without an object": (_INIT.replace("FAILED", "if (!b->data) return 2;"), ""),
    "a negative number that keeps a block": (
        _INIT.replace("FAILED", "if (!b->data) return -1; if (n == 7) return -2;"),
        "buf_init",
    ),
}


def _checked(text: str, folder: Path) -> LibraryReport:
    file = folder / "library.c"
    file.write_text(text, encoding="utf-8")
    return check_library(str(file), check_options(timeout=_SECONDS))


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_library_is_proved(name: str, tmp_path: Path) -> None:
    report = _checked(RIGHT[name], tmp_path)
    assert {f.name for f in report.functions if f.verdict is not Verdict.TRUE} == set()


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_function_is_not_proved(name: str, tmp_path: Path) -> None:
    text, wrong = WRONG[name]
    report = _checked(text, tmp_path)
    verdicts = {f.name: f.verdict for f in report.functions}
    assert verdicts[wrong] is not Verdict.TRUE if wrong else Verdict.FALSE in verdicts.values()
