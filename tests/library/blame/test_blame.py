"""Who is blamed for an error: the function that breaks what the others keep, or does not test what it allocates."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict
from kleene.results.library import LibraryReport

_SECONDS = 60.0
_RING = """\
#include <stdlib.h>
struct node { struct node *next, *prev; };
struct ring { struct node *cursor; };
struct ring *ring_new(void) { return calloc(1, sizeof(struct ring)); }
struct node *ring_add(struct ring *r) {
    struct node *n = malloc(sizeof *n);
    if (!n) return NULL;
    if (!r->cursor) { n->next = n->prev = n; r->cursor = n; return n; }
    n->prev = r->cursor; n->next = r->cursor->next; BACK
    r->cursor->next = n;
    return n;
}
void ring_drop(struct ring *r) {
    struct node *n = r->cursor;
    if (!n) return;
    if (n->next == n) r->cursor = NULL;
    else { n->prev->next = n->next; n->next->prev = n->prev; r->cursor = n->next; }
    free(n);
}
void ring_free(struct ring *r) { while (r->cursor) ring_drop(r); free(r); }
"""
_LIST = """\
#include <stdlib.h>
struct item { struct item *next; int *value; };
struct list { struct item *head, *tail; };
struct list *list_new(void) { return calloc(1, sizeof(struct list)); }
static struct item *item_new(int value) {
    struct item *n = malloc(sizeof *n);
    ITEM
    n->next = NULL; n->value = malloc(sizeof *n->value); VALUE
    *n->value = value;
    return n;
}
int list_append(struct list *l, int value) {
    struct item *n = item_new(value); APPEND
    if (l->tail) l->tail->next = n; else l->head = n;
    l->tail = n;
    return 1;
}
int list_prepend(struct list *l, int value) {
    struct item *n = item_new(value); PREPEND
    n->next = l->head; l->head = n; TAIL
    return 1;
}
int list_has(struct list *l, int value) {
    for (struct item *n = l->head; n; n = n->next) if (*n->value == value) return 1;
    return 0;
}
void list_free(struct list *l) {
    for (struct item *n = l->head, *next; n; n = next) { next = n->next; free(n->value); free(n); }
    free(l);
}
"""
_RIGHT = {
    "ITEM": "if (!n) return NULL;",
    "VALUE": "if (!n->value) { free(n); return NULL; }",
    "APPEND": "if (!n) return 0;",
    "PREPEND": "if (!n) return 0;",
    "TAIL": "if (!l->tail) l->tail = n;",
    "BACK": "n->next->prev = n;",
}


def _with(text: str, **parts: str) -> str:
    for name, part in {**_RIGHT, **parts}.items():
        text = text.replace(name, part)
    return text


def _checked(text: str, folder: Path) -> LibraryReport:
    file = folder / "library.c"
    file.write_text(text, encoding="utf-8")
    return check_library(str(file), check_options(timeout=_SECONDS))


def _named(report: LibraryReport, verdict: Verdict) -> set[str]:
    return {f.name for f in report.functions if f.verdict is verdict}


@in_exam
def test_the_right_libraries_are_proved(tmp_path: Path) -> None:
    for text in (_RING, _LIST):
        report = _checked(_with(text), tmp_path)
        assert _named(report, Verdict.TRUE) == {f.name for f in report.functions}


def test_the_function_that_loses_the_way_back_is_wrong(tmp_path: Path) -> None:
    """The functions that use `prev` were wrong, and the one that forgets to set it was proved."""
    report = _checked(_with(_RING, BACK=""), tmp_path)
    assert _named(report, Verdict.FALSE) == {"ring_add"}
    wrong = next(f for f in report.functions if f.name == "ring_add")
    assert wrong.finding is not None
    assert "; ring_add leaves an object in which " in wrong.finding.message


@in_exam
def test_the_function_that_leaves_a_member_unset_is_wrong(tmp_path: Path) -> None:
    """A list that ends with garbage fails in the function that follows it."""
    text = _with(_LIST).replace("n->next = NULL; ", "")
    assert _named(_checked(text, tmp_path), Verdict.FALSE) == {"list_append"}


@in_exam
def test_the_function_that_forgets_the_tail_is_wrong(tmp_path: Path) -> None:
    """The list that it leaves is broken where another function adds to its end: a block is lost there."""
    report = _checked(_with(_LIST, TAIL=""), tmp_path)
    assert _named(report, Verdict.FALSE) == {"list_prepend"}
    assert "list_append" in _named(report, Verdict.TRUE)


def test_the_function_with_the_error_itself_stays_wrong(tmp_path: Path) -> None:
    """All others keep the lists as they are: the one that fails is wrong."""
    text = _with(_LIST).replace("for (struct item *n = l->head; n; n = n->next) if", "struct item *n = l->head; if")
    report = _checked(text, tmp_path)
    assert _named(report, Verdict.FALSE) == {"list_has"}
    assert _named(report, Verdict.TRUE) == {"list_new", "list_append", "list_prepend", "list_free"}


def test_a_function_that_does_not_test_what_it_allocates_is_wrong_and_what_it_makes_is_checked(tmp_path: Path) -> None:
    report = _checked(_with(_LIST, PREPEND=""), tmp_path)
    assert _named(report, Verdict.FALSE) == {"list_prepend"}
    assert _named(report, Verdict.TRUE) == {"list_new", "list_append", "list_has", "list_free"}
    has = next(f for f in report.functions if f.name == "list_has")
    assert "objects are made where list_prepend has no error" in has.precondition


@pytest.mark.parametrize("part", ["ITEM", pytest.param("VALUE", marks=in_exam)])
def test_functions_that_share_an_allocation_without_a_test_are_all_wrong(part: str, tmp_path: Path) -> None:
    """What the first one executes must not be proved of the second one where there is memory only."""
    report = _checked(_with(_LIST, **{part: ""}), tmp_path)
    wrong, proved = _named(report, Verdict.FALSE), _named(report, Verdict.TRUE)
    assert wrong & {"list_append", "list_prepend"}
    assert not proved & {"list_append", "list_prepend"}
    assert "list_has" not in wrong


@in_exam
def test_a_second_error_of_a_function_is_not_hidden(tmp_path: Path) -> None:
    """Where there is memory, the other functions are still checked on all that it makes."""
    text = _with(_LIST, PREPEND="").replace(
        "next = n->next; free(n->value); free(n);", "free(n->value); free(n); next = n->next;"
    )
    assert _named(_checked(text, tmp_path), Verdict.FALSE) == {"list_prepend", "list_free"}


_CACHE = """\
#include <stdlib.h>
struct item { struct item *newer, *older; int key; };
struct cache { struct item *newest, *oldest; int used, most; };
struct cache *cache_new(int most) {
    struct cache *c = calloc(1, sizeof *c);
    if (c) c->most = most;
    return c;
}
static void take(struct cache *c, struct item *i) {
    if (i->newer) i->newer->older = i->older; else c->newest = i->older;
    if (i->older) i->older->newer = i->newer; else c->oldest = i->newer;
}
int cache_put(struct cache *c, int key) {
    struct item *i;
    if (c->used >= c->most && c->oldest) { i = c->oldest; TAKE }
    else { i = malloc(sizeof *i); if (!i) return -1; c->used++; }
    i->key = key; i->newer = NULL; i->older = c->newest;
    if (c->newest) c->newest->newer = i; else c->oldest = i;
    c->newest = i;
    return 0;
}
void cache_drop(struct cache *c) { struct item *i = c->oldest; if (i) { take(c, i); free(i); c->used--; } }
void cache_free(struct cache *c) { while (c->oldest) cache_drop(c); free(c); }
"""


def test_the_only_function_that_fills_is_wrong_if_it_closes_a_cycle(tmp_path: Path) -> None:
    """Without it nothing has elements, so that the others keep no fact: the run itself shows what held before."""
    report = _checked(_CACHE.replace("TAKE", ""), tmp_path)
    assert _named(report, Verdict.FALSE) == {"cache_put"}


def test_what_fills_without_a_cycle_is_proved(tmp_path: Path) -> None:
    report = _checked(_CACHE.replace("TAKE", "take(c, i);"), tmp_path)
    assert _named(report, Verdict.TRUE) == {f.name for f in report.functions}


def test_a_fact_that_another_function_sets_right_is_seen(tmp_path: Path) -> None:
    """`list_append` sets the tail that `list_prepend` has forgotten, but not to the end of the list."""
    text = _with(_LIST, TAIL="")
    report = _checked(text, tmp_path)
    assert _named(report, Verdict.FALSE) == {"list_prepend"}
    text = text.replace("if (l->tail) l->tail->next = n; else l->head = n;", "if (l->tail) l->tail->next = n;")
    text = text.replace("    l->tail = n;\n", "    l->tail = n; if (!l->head) l->head = n;\n")
    assert _named(_checked(text, tmp_path), Verdict.FALSE) == {"list_prepend"}


_QUEUES = """
#include <stdlib.h>
struct item { struct item *next; int v; };
struct queue { struct item *head, *tail; };
struct queue *queue_new(void) { return calloc(1, sizeof(struct queue)); }
int queue_put(struct queue *q, int v) {
    struct item *i = malloc(sizeof *i);
    if (!i) return 0;
    i->v = v; i->next = NULL;
    if (q->tail) q->tail->next = i; else q->head = i;
    q->tail = i;
    return 1;
}
void queue_append(struct queue *to, struct queue *from) {
    if (!from->head) return;
    if (to->tail) to->tail->next = from->head; else to->head = from->head;
    to->tail = from->tail;
    from->head = NULL;
}
void queue_free(struct queue *q) {
    while (q->head) { struct item *i = q->head; q->head = i->next; free(i); }
    free(q);
}
"""


@in_exam
def test_who_breaks_the_second_object_is_blamed(tmp_path: Path) -> None:
    """The tail of the queue that was emptied dangles: the function that used it next was blamed."""
    assert _named(_checked(_QUEUES, tmp_path), Verdict.FALSE) == {"queue_append"}


_WEIGHTS = """
#include <stdlib.h>
struct link { struct link *next, *prev; double weight; };
struct ring { struct link head; };
void ring_init(struct ring *r) { r->head.next = r->head.prev = &r->head; }
int ring_add(struct ring *r, double weight) {
    struct link *l = malloc(sizeof *l);
    if (!l) return 0;
    l->weight = weight; l->prev = r->head.prev; l->next = &r->head;
    l->prev->next = l; r->head.prev = l;
    return 1;
}
void ring_drop(struct ring *r, double limit) {
    struct link *l = r->head.next;
    while (l != &r->head) {
        struct link *next = l->next;
        if (l->weight < limit) { l->prev->next = next; free(l); }
        l = next;
    }
}
void ring_clear(struct ring *r) {
    struct link *l = r->head.next;
    while (l != &r->head) { struct link *next = l->next; free(l); l = next; }
    ring_init(r);
}
"""


@in_exam
def test_the_function_that_others_fail_after_is_wrong(tmp_path: Path) -> None:
    """The one that fails was taken back, and was wrong in the end. All weights were equal: nothing was dropped."""
    assert _named(_checked(_WEIGHTS, tmp_path), Verdict.FALSE) == {"ring_drop"}


_DECK = """
#include <stdlib.h>
struct card { struct card *next; int rank; };
struct deck { struct card *top, *bottom; };
struct deck *deck_new(void) { return calloc(1, sizeof(struct deck)); }
int deck_append(struct deck *d, int rank) {
    struct card *c = malloc(sizeof *c);
    if (!c) return 0;
    c->rank = rank; c->next = NULL;
    if (d->bottom) d->bottom->next = c; else d->top = c;
    d->bottom = c;
    return 1;
}
void deck_pop(struct deck *d) {
    struct card *c = d->top;
    if (!c) return;
    d->top = c->next;
    free(c);
}
void deck_clear(struct deck *d) { while (d->top) deck_pop(d); }
void deck_free(struct deck *d) { deck_clear(d); free(d); }
"""


def test_a_function_that_calls_the_one_that_breaks_the_object_is_open(tmp_path: Path) -> None:
    """The error of deck_pop was reported of deck_clear, too: both leave a deck whose last card is freed."""
    file = tmp_path / "deck.c"
    file.write_text(_DECK, encoding="utf-8")
    report = check_library(str(file), check_options(timeout=_SECONDS))
    verdicts = {f.name: f.verdict for f in report.functions}
    assert [name for name, verdict in verdicts.items() if verdict is Verdict.FALSE] == ["deck_pop"]
    assert verdicts["deck_clear"] is Verdict.UNKNOWN


_TAIL = """\
#include <stdlib.h>
struct item { struct item *next; };
struct queue { struct item *head, **tail; };
struct queue *queue_new(void) {
    struct queue *q = malloc(sizeof *q);
    if (q) { q->head = NULL; q->tail = &q->head; }
    return q;
}
int queue_add(struct queue *q) {
    struct item *n = malloc(sizeof *n);
    if (!n) return -1;
    n->next = NULL; *q->tail = n; q->tail = &n->next;
    return 0;
}
int queue_add_first(struct queue *q) {
    struct item *n = malloc(sizeof *n);
    if (!n) return -1;
    n->next = q->head; FIRST q->head = n;
    return 0;
}
void queue_drop(struct queue *q) {
    struct item *n = q->head;
    if (!n) return;
    q->head = n->next;
    if (!q->head) q->tail = &q->head;
    free(n);
}
void queue_free(struct queue *q) { while (q->head) queue_drop(q); free(q); }
"""


def test_the_function_that_forgets_the_address_of_the_end_is_wrong(tmp_path: Path) -> None:
    """The function that writes there next lost a block, and was reported."""
    assert _named(_checked(_TAIL.replace("FIRST", ""), tmp_path), Verdict.FALSE) == {"queue_add_first"}


_TREE = """\
#include <stdlib.h>
struct node { struct node *left, *right; int key; };
struct tree { struct node *root; };
struct tree *tree_new(void) { return calloc(1, sizeof(struct tree)); }
int tree_put(struct tree *t, int key) {
    struct node **p = &t->root;
    while (*p && (*p)->key != key) p = key < (*p)->key ? &(*p)->left : &(*p)->right;
    if (*p) return 0;
    *p = calloc(1, sizeof **p);
    if (!*p) return -1;
    (*p)->key = key;
    return 1;
}
void tree_drop(struct tree *t, int key) {
    struct node **p = &t->root, **q, *n, *s;
    while (*p && (*p)->key != key) p = key < (*p)->key ? &(*p)->left : &(*p)->right;
    n = *p;
    if (!n) return;
    if (!n->left) *p = n->right;
    else if (!n->right) *p = n->left;
    else {
        for (q = &n->right; (*q)->left; q = &(*q)->left) ;
        s = *q; *q = s->right; s->left = n->left; RIGHT
        *p = s;
    }
    free(n);
}
static void end(struct node *n) { if (n) { end(n->left); end(n->right); free(n); } }
void tree_free(struct tree *t) { end(t->root); free(t); }
"""


@in_exam
def test_a_child_alone_breaks_nothing(tmp_path: Path) -> None:
    """The function that inserts was reported: without it there are no nodes, and so none with one child."""
    report = _checked(_TREE.replace("RIGHT", ""), tmp_path)
    assert "tree_put" not in _named(report, Verdict.FALSE)
    assert "tree_drop" in _named(report, Verdict.FALSE)
