"""Arguments that no client passes: they show no error, and the report says what is admissible instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.library.inferences import inferred_of, wrong_functions
from tests.slices import in_exam

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.library.readings.operations import Fate, Role
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

_CONSTANT = """
#include <stdlib.h>
struct node { struct node *next; int v; };
struct list { struct node *first; };
struct list *list_new(void) { return calloc(1, sizeof(struct list)); }
int list_add(struct list *l, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n) return 0;
    n->v = v; n->next = l->first; l->first = n;
    return 1;
}
int list_is_finished(const struct list *l) { return !l->first; }
void list_free(const struct list *l) {
    struct node *n = l->first;
    while (n) { struct node *m = n->next; free(n); n = m; }
    FREE
}
"""
_ELEMENTS = """
#include <stdlib.h>
typedef struct { char *items; size_t capacity, item_size; } array_t;
void array_init(array_t *a, size_t item_size) { a->items = NULL; a->capacity = 0; a->item_size = item_size; }
int array_reserve(array_t *a, size_t count) {
    char *items;
    if (count < 16) count = 16;
    if (a->capacity >= count) return 1;
    items = realloc(a->items, count * a->item_size);
    if (!items) return 0;
    a->items = items; a->capacity = COUNT;
    return 1;
}
void array_clear(array_t *a) { if (a->capacity) a->items[a->capacity * a->item_size - 1] = 0; }
void array_release(array_t *a) { free(a->items); a->items = NULL; a->capacity = 0; }
"""
_COPY = """
#include <stdlib.h>
#include <string.h>
char *text_copy(char *s, int l) {
    char *copy;
    if (!s) return NULL;
    copy = calloc(1, 16 + SIZE);
    if (!copy) return NULL;
    strncpy(copy, s, l + 1);
    copy[l] = 0;
    return copy;
}
"""
_NIL = """
#include <stdlib.h>
struct node { struct node *left, *right, *parent; int key; };
struct tree { struct node *root; };
static struct node nil;
struct tree *tree_new(void) { struct tree *t = malloc(sizeof *t); if (t) t->root = &nil; return t; }
int tree_add(struct tree *t, int key) {
    struct node *n = malloc(sizeof *n), *at = t->root, *above = &nil;
    if (!n) return 0;
    while (at != &nil) { above = at; at = key < at->key ? at->left : at->right; }
    n->key = key; n->left = n->right = &nil; n->parent = above;
    if (above == &nil) t->root = n; else if (key < above->key) above->left = n; else above->right = n;
    return 1;
}
struct node *node_next(struct node *n) {
    if (n->right != END) { n = n->right; while (n->left != &nil) n = n->left; return n; }
    while (n->parent != &nil && n->parent->right == n) n = n->parent;
    return n->parent;
}
"""


@pytest.mark.parametrize(("freed", "wrong"), [("free((void *)l);", set()), ("", {"list_free"})])
def test_what_frees_its_constant_object_ends_it(freed: str, wrong: set[str], tmp_path: Path) -> None:
    """A second call was an error: what a function gets by a pointer to `const` was never read as ended."""
    inferred = inferred_of(_CONSTANT.replace("FREE", freed), tmp_path)
    assert wrong_functions(inferred) == wrong
    fates = {o.function.name: o.fate for o in inferred.accepted}
    assert fates["list_is_finished"] is Fate.KEPT
    assert wrong or fates["list_free"] is Fate.ENDED


@pytest.mark.parametrize(("count", "wrong"), [("count", set()), ("count + 1", {"array_clear"})])
def test_elements_have_a_size(count: str, wrong: set[str], tmp_path: Path) -> None:
    """It was a double free: with elements of no bytes `realloc` frees the array."""
    inferred = inferred_of(_ELEMENTS.replace("COUNT", count), tmp_path)
    assert wrong_functions(inferred) == wrong
    assert Role.SIZE in next(o.roles for o in inferred.accepted if o.function.name == "array_init")


def test_a_number_behind_a_text_is_not_negative(tmp_path: Path) -> None:
    """It was out of bounds for `l` -2."""
    inferred = inferred_of(_COPY.replace("SIZE", "l"), tmp_path)
    assert [o.roles for o in inferred.accepted] == [(Role.TEXT, Role.AMOUNT)]


@in_exam
def test_a_copy_without_room_for_its_end_iswrong_functions(tmp_path: Path) -> None:
    """The check of the client shows what a trial does not, for a number that is not negative."""
    file = tmp_path / "library.c"
    file.write_text(_COPY.replace("SIZE", "l - 16"), encoding="utf-8")
    report = check_library(str(file), check_options(timeout=60.0))
    assert [f.verdict for f in report.functions] == [Verdict.FALSE]


@pytest.mark.parametrize(("end", "wrong"), [("&nil", set()), ("NULL", {"node_next"})])
def test_a_node_of_the_file_is_no_element(end: str, wrong: set[str], tmp_path: Path) -> None:
    """It was a null dereference: the walk to any element ended at the node that stands for NULL."""
    assert wrong_functions(inferred_of(_NIL.replace("END", end), tmp_path)) == wrong


_VECTOR = """
#include <stdlib.h>
struct vector { double *a; size_t len, cap; };
struct vector *vector_new(void) { return calloc(1, sizeof(struct vector)); }
void vector_last(struct vector *v, double *out) { *out = v->a[v->len - 1]; }
void vector_free(struct vector *v) { if (v) { free(v->a); free(v); } }
"""


def test_an_element_of_an_array_that_is_null_is_no_datum_of_the_client(tmp_path: Path) -> None:
    """The function was UNKNOWN: it 'follows a pointer of the client', though the client stores none."""
    inferred = inferred_of(_VECTOR, tmp_path)
    assert wrong_functions(inferred) == {"vector_last"} and not inferred.untried
