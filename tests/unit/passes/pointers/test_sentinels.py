"""The node in which structures end changes places with NULL: which node that is, and that runs end as before."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.unit.passes.executed import answer

from kleene.c.reader import read_program
from kleene.cfa.program import CProgram
from kleene.passes.calls.inline import inline
from kleene.passes.pointers.sentinels.finding import sentinel_of
from kleene.passes.pointers.sentinels.rewriting import with_sentinel_as_null

EXAMPLE = (Path(__file__).resolve().parents[4] / "examples" / "c" / "trees" / "sentinel.c").read_text()
LIST = """
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct node { int key; struct node *next; };
struct list { struct node *first; struct node end; int count; };
static struct list list = { &list.end, { 0, &list.end }, 0 };
static void push(int key) {
    struct node **last = &list.first, *n = calloc(1, sizeof *n);
    if (!n || n->next) exit(2);
    list.end.key = key;
    while ((*last)->key != key) last = &(*last)->next;
    n->key = key;
    n->next = *last;
    *last = n;
}
static int length(struct node *n) { return n == &list.end ? 0 : 1 + length(n->next); }
int main(void) {
    int k, found;
    for (k = 0; k < 4; k++) push(__VERIFIER_nondet_int());
    list.first->next->key = 9;
    /* here */
    found = length(list.first);
    return found;
}
"""
TREAP = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { int key, order; struct node *left, *right; };
static struct node none = { 0, 9, &none, &none }, *root = &none;
static struct node *insert(struct node *n, int key) {
    struct node *up;
    if (n == &none) {
        n = malloc(sizeof *n);
        if (!n) return NULL;
        n->key = key;
        n->order = __VERIFIER_nondet_int();
        n->left = n->right = &none;
    } else if (key < n->key) {
        n->left = insert(n->left, key);
        if (n->left->order < n->order) { up = n->left; n->left = up->right; up->right = n; n = up; }
    } else if (key > n->key) {
        n->right = insert(n->right, key);
        if (n->right->order < n->order) { up = n->right; n->right = up->left; up->left = n; n = up; }
    }
    return n;
}
static int sum(struct node *n) { return n == &none ? 0 : n->key + 3 * sum(n->left) + 7 * sum(n->right); }
int main(void) {
    int k;
    for (k = 0; k < 5; k++) root = insert(root, __VERIFIER_nondet_int());
    if (root->left != &none) {
        root->left->left = insert(root->left->left, 1);
        root->left->left->left->left->left->left->order = 4;
    }
    return sum(root) + none.order;
}
"""
ERRORS = {
    "NULL is read": "struct node *p = NULL; if (list.first->key) return p->key;",
    "NULL in the list": "list.first->next = NULL;",
    "a link of the end is NULL": "list.end.next = 0; if (list.first->next->next->next->next->next->key) return 7;",
    "the end is freed": "free(&list.end);",
    "the end of the list is freed": "free(list.first->next->next->next->next);",
    "NULL is freed": "free(k ? NULL : list.first);",
    "a node is set to zero": "memset(list.first, 0, sizeof *list.first); if (!list.first->next) return 8;",
    "the end is no pointer to nothing": "if (!list.first->next->next->next->next) return 9;",
    "the first member of NULL": "struct node *p = NULL; int *key = &p->key; if (!key) return 5;",
    "the first member of a node": "int *key = &list.first->key; if (!key) return 5;",
    "the first member of the end": "struct node *p = &list.end; int *key = &p->key; if (!key) return 5;",
    "a node is copied": "struct node copy = *list.first->next; list.first->next = copy.next;",
    "links of the end": "list.first->next->next->next->next->next->next->key = 3; if (list.end.key == 3) return 4;",
}
BEGIN = """
#include <stdlib.h>
#include <string.h>
struct node { char *text; struct node *next; }; struct list { struct node *first; long n; };
static struct node end = { 0, &end }, *first = &end, **place = &first;
static int is_empty(struct node *p) { while (p != &end) p = p->next; return p == first; }
"""
MORE = {
    "a member is freed through NULL": "struct node *p = NULL; free(p->text); return is_empty(first);",
    "a member of the end is freed": "first->text = malloc(1); free(first->text); return is_empty(first);",
    "another member than the first of NULL is freed": "struct node *p = NULL; free(&p->next); return is_empty(first);",
    "the end is freed where a global variable leads to the pointer": """
        first = malloc(sizeof *first); *place = &end; free(first); return is_empty(first);""",
    "the end as a pointer to anything": """
        void *any = first; if (any != (void *)&end) return 3; any = (void *)&end; return is_empty(any);""",
}
REFUSED = {
    "the head of a ring": """
        struct node { struct node *next; }; static struct node head = { &head };
        int main(void) { struct node *p = head.next; while (p != &head) p = p->next; return 0; }""",
    "a number": """
        struct node { struct node *next; }; static struct node end = { &end }, *first = &end;
        int main(void) { struct node *p = first; while (p != &end) p = p->next; return (long)p == 0; }""",
    "moved": """
        struct node { struct node *next; }; static struct node end = { &end }, *first = &end;
        int main(void) { struct node *p = first; while (p != &end) p = p->next + 1; return 0; }""",
    "ordered": """
        struct node { struct node *next; }; static struct node end = { &end }, *first = &end;
        int main(void) { struct node *p = first; while (p != &end && p < p->next) p = p->next; return 0; }""",
    "bytes": """
        struct node { struct node *next; }; static struct node end = { &end }, *first = &end;
        int main(void) { struct node *p = first; while (p != &end) p = p->next; return *(char *)&p == 0; }""",
    "a union": """
        union word { struct node *node; long number; };
        struct node { union word next; }; static struct node end, *first = &end;
        int main(void) { struct node *p = first; while (p != &end) p = p->next.node; return end.next.number == 0; }""",
    "as another struct": """
        struct node { struct node *next; }; static struct node end = { &end }, *first = &end;
        struct number { long value; };
        int main(void) {
            struct node *p = first; while (p != &end) p = p->next; return ((struct number *)&p)->value == 0; }""",
    "zeros through a pointer to anything": """
        #include <string.h>
        struct node { struct node *next; }; static struct node end = { &end }, *first = &end;
        static void wipe(void *at, unsigned long size) { memset(at, 0, size); }
        int main(void) {
            struct node *p = first, one; while (p != &end) p = p->next;
            wipe(&one, sizeof one); return one.next == 0; }""",
    "zeros behind a member": """
        #include <string.h>
        struct node { int key, value; struct node *next; }; static struct node end = { 0, 0, &end }, *first = &end;
        int main(void) {
            struct node *p = first, one; while (p != &end) p = p->next;
            memset(&one.value, 0, sizeof one - sizeof one.key); return one.next == 0; }""",
    "zeros behind a member of what a pointer leads to": """
        #include <string.h>
        struct node { int key, value; struct node *next; }; static struct node end = { 0, 0, &end }, *first = &end;
        int main(void) {
            struct node *p = first, one, *q = &one; while (p != &end) p = p->next;
            int *at = &q->value; memset(at, 0, sizeof one - sizeof one.key); return one.next == 0; }""",
    "zeros in a struct of numbers": BEGIN
    + """
        struct numbers { long one, two; };
        int main(void) {
            struct numbers *n = calloc(1, sizeof *n); struct list *list = (struct list *)n;
            return is_empty(first) && list->first->text; }""",
    "bytes of a struct of numbers": BEGIN
    + """
        struct numbers { long one, two; };
        int main(void) {
            struct numbers zeros = { 0, 0 }; struct list list; memcpy(&list, &zeros, sizeof list);
            return is_empty(first) && list.first->text; }""",
    "bytes of an array of numbers": BEGIN
    + """
        static long zeros[2]; static struct node *nodes[2];
        int main(void) { memcpy(&nodes, &zeros, sizeof nodes); return is_empty(first) && nodes[1]->text; }""",
    "bytes behind a member": BEGIN
    + """
        struct two { struct node *one, *two; }; struct other { struct node *one; void *two; };
        int main(void) {
            struct two two; struct other other = { &end, NULL }; memcpy(&two.one, &other.one, sizeof two);
            return is_empty(first) && two.two->text; }""",
    "a local variable": """
        struct node { struct node *next; };
        int main(void) { struct node end = { &end }, *p = &end; while (p != &end) p = p->next; return 0; }""",
    "from outside": """
        struct node { struct node *next; }; static struct node end = { &end }; extern struct node *first;
        int main(void) { struct node *p = first; while (p != &end) p = p->next; return 0; }""",
    "from a function outside": """
        struct node { struct node *next; }; static struct node end = { &end }; extern struct node *get(void);
        int main(void) { struct node *p = get(); while (p != &end) p = p->next; return 0; }""",
    "a part of what is passed on": """
        struct node { struct node *next; }; struct list { int n; struct node end; }; static struct list list;
        static struct node *first = &list.end; static struct node *end_of(struct list *l) { return &l->end; }
        int main(void) { struct node *p = first; while (p != &list.end) p = p->next; return p != end_of(&list); }""",
}


def inlined(text: str, folder: Path) -> CProgram:
    file = folder / "program.c"
    file.write_text(text)
    return inline(read_program([str(file)]))


def agree(text: str, folder: Path, runs: int, values: int) -> None:
    """Runs with and without the exchange end alike."""
    program = inlined(text, folder)
    changed = with_sentinel_as_null(program)
    assert changed.sentinel is not None
    draw = random.Random(8)
    seen = set()
    for _ in range(runs):
        inputs = [draw.randrange(values) for _ in range(60)]
        before = answer(program, inputs)
        assert answer(changed, inputs)[:2] == before[:2]
        seen.add(before)
    assert seen - {("blocked", None, "")}


def test_runs_of_a_tree_end_as_before(tmp_path: Path) -> None:
    agree(EXAMPLE, tmp_path, runs=40, values=5)


def test_runs_of_a_tree_that_is_made_by_recursion_end_as_before(tmp_path: Path) -> None:
    """A result that went to a member of what a pointer leads to was rewritten without an end."""
    agree(TREAP, tmp_path, runs=40, values=8)


@pytest.mark.parametrize("part", ["", *ERRORS.values()], ids=["right", *ERRORS])
def test_runs_of_a_list_end_as_before(tmp_path: Path, part: str) -> None:
    agree(LIST.replace("/* here */", part), tmp_path, runs=6, values=4)


@pytest.mark.parametrize("body", MORE.values(), ids=MORE)
def test_runs_of_other_programs_end_as_before(tmp_path: Path, body: str) -> None:
    agree(BEGIN + "int main(void) {" + body + "}", tmp_path, runs=1, values=1)


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_where_they_cannot_change_places_nothing_does(tmp_path: Path, text: str) -> None:
    program = inlined(text, tmp_path)
    assert sentinel_of(program) is None
    assert with_sentinel_as_null(program) is program
