"""Libraries as they stand in their projects: allocators of other files, nodes of clients, makers that test nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.library.client.allocators import allocator_texts
from kleene.analysis.c.library.interface.exports import read_interface
from kleene.analysis.c.options import check_options
from kleene.c.options import DEFAULT
from kleene.core.verdict import Verdict
from kleene.results.library import LibraryReport

_SECONDS = 60.0
_STACK = """\
#include <stdlib.h>
ALLOCATORS
struct node { struct node *next; int v; };
struct stack { struct node *top; };
struct stack *stack_new(void) { struct stack *s = MALLOC(sizeof *s); NEW s->top = NULL; return s; }
int stack_push(struct stack *s, int v) {
    struct node *n = MALLOC(sizeof *n); PUSH
    n->v = v; n->next = s->top; s->top = n;
    return 0;
}
int stack_pop(struct stack *s) {
    struct node *n = s->top; int v;
    if (!n) return -1;
    v = n->v; s->top = n->next; FREE(n); POP
    return v;
}
void stack_free(struct stack *s) { while (s->top) stack_pop(s); FREE(s); }
"""


def _stack(**parts: str) -> str:
    text = _STACK
    known = {"ALLOCATORS": "", "MALLOC": "malloc", "FREE": "free", "NEW": "if (!s) return NULL;"}
    for name, part in {**known, "PUSH": "if (!n) return -1;", "POP": "", **parts}.items():
        text = text.replace(name, part)
    return text


def _checked(text: str, folder: Path, name: str = "library.c") -> LibraryReport:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return check_library(str(file), check_options(timeout=_SECONDS))


def _verdicts(report: LibraryReport) -> dict[str, Verdict]:
    return {f.name: f.verdict for f in report.functions}


_OTHERS = "void *my_malloc(size_t size); void my_free(void *block);"


@pytest.mark.parametrize(
    ("new", "push", "words"),
    [
        ("", "", "ends the program if there is no memory, as calls do not test its result"),
        ("if (s == NULL) return NULL;", "if (!n) return -1;", "returns a block, as malloc does"),
    ],
    ids=["no call tests it", "every call tests it"],
)
def test_allocators_of_other_files_are_assumed_and_stated(new: str, push: str, words: str, tmp_path: Path) -> None:
    report = _checked(_stack(ALLOCATORS=_OTHERS, MALLOC="my_malloc", FREE="my_free", NEW=new, PUSH=push), tmp_path)
    assert report.verdict is Verdict.TRUE
    assert any("my_malloc" in a and a.endswith(words) for a in report.assumptions)
    assert any("my_free" in a for a in report.assumptions)


def test_an_allocator_that_some_call_tests_may_fail_at_the_others(tmp_path: Path) -> None:
    report = _checked(_stack(ALLOCATORS=_OTHERS, MALLOC="my_malloc", FREE="my_free", PUSH=""), tmp_path)
    assert _verdicts(report)["stack_push"] is Verdict.FALSE


def test_allocators_are_told_by_name_and_type(tmp_path: Path) -> None:
    """What gets a pointer to a record is no allocator, whatever its name is; nor is one of the standard library."""
    file = tmp_path / "library.c"
    file.write_text(
        "#include <stdlib.h>\nstruct n { int v; };\nvoid *xzalloc(size_t); void *xrealloc(void *, size_t);\n"
        "char *xstrdup(const char *); void n_free(struct n *); void free(void *); void *find_new(struct n *);\n"
        "void f(struct n *n) { char *s = xstrdup(xzalloc(4)); s = xrealloc(s, 8); free(s); n_free(find_new(n)); }\n",
        encoding="utf-8",
    )
    texts = allocator_texts(read_interface(str(file), DEFAULT))
    called = [re.sub(r"\(.*", "", text.partition("= ")[2]) for text in texts]
    assert called == ["strdup", "calloc", "realloc"]


def test_a_maker_that_tests_nothing_is_wrong_and_its_objects_are_checked(tmp_path: Path) -> None:
    """One missing test left all other functions without a verdict."""
    report = _checked(_stack(NEW=""), tmp_path)
    verdicts = _verdicts(report)
    assert verdicts.pop("stack_new") is Verdict.FALSE and set(verdicts.values()) == {Verdict.TRUE}
    push = next(f for f in report.functions if f.name == "stack_push")
    assert "objects are made where stack_new has no error" in push.precondition


@pytest.mark.parametrize("part", [{"PUSH": ""}, {"POP": "v = n->v;"}], ids=["not tested", "read after free"])
def test_the_objects_of_a_wrong_maker_hide_no_other_error(part: dict[str, str], tmp_path: Path) -> None:
    verdicts = _verdicts(_checked(_stack(NEW="", **part), tmp_path))
    assert verdicts["stack_new"] is Verdict.FALSE
    assert verdicts["stack_push" if "PUSH" in part else "stack_pop"] is Verdict.FALSE


def test_a_function_that_frees_its_object_is_wrong_if_another_one_should(tmp_path: Path) -> None:
    """Where a name says which function ends objects, no other one does."""
    assert _verdicts(_checked(_stack(POP="free(s);"), tmp_path))["stack_pop"] is not Verdict.TRUE


_RING = """\
#include <assert.h>
#include <stddef.h>
struct ring { struct ring *n, *p; };
void ring_init(struct ring *head) { head->n = head->p = head; }
void ring_add(struct ring *head, struct ring *e) {
    assert(head->n);
    e->n = head; e->p = head->p; head->p->n = e; LAST
}
void ring_del(struct ring *e) { e->n->p = e->p; e->p->n = e->n; }
int ring_empty(const struct ring *head) { return head->n == head; }
void ring_move_all(struct ring *head, struct ring *other) {
    if (ring_empty(other)) return;
    other->n->p = head; other->p->n = head->n; head->n->p = other->p; head->n = other->n;
}
"""


@in_exam
def test_rings_of_nodes_of_the_client_are_proved(tmp_path: Path) -> None:
    """An assertion that reads the head made any block of the client a head; only the first list was left in the end."""
    report = _checked(_RING.replace("LAST", "head->p = e;"), tmp_path)
    assert set(_verdicts(report).values()) == {Verdict.TRUE}
    moved = next(f for f in report.functions if f.name == "ring_move_all")
    assert moved.reading is not None and moved.reading.fate == "moved"


@in_exam
def test_a_ring_that_forgets_its_last_node_is_wrong(tmp_path: Path) -> None:
    assert Verdict.FALSE in _verdicts(_checked(_RING.replace("LAST", ""), tmp_path)).values()


def test_nodes_that_the_client_links_itself_are_no_error(tmp_path: Path) -> None:
    """A block that nothing had set was passed as a node, and its loss was an error of the library."""
    text = (
        "#include <stddef.h>\nstruct node { struct node *left, *right; };\nstruct root { struct node *top; };\n"
        "void tree_erase(struct node *n, struct root *r) {\n"
        "    if (!n->left) { if (r->top == n) r->top = n->right; }\n"
        "    else if (!n->right) { if (r->top == n) r->top = n->left; }\n}\n"
    )
    assert _verdicts(_checked(text, tmp_path))["tree_erase"] is not Verdict.FALSE


def test_a_function_that_frees_what_clients_store_is_no_error(tmp_path: Path) -> None:
    text = _stack().replace("int v; };", "void *v; };").replace("int v)", "void *v)").replace("int v;", "void *v;")
    text = text.replace("int stack_pop", "void *stack_pop").replace("return -1;\n    v =", "return NULL;\n    v =")
    text += "void stack_free_all(struct stack *s) { while (s->top) free(stack_pop(s)); free(s); }\n"
    verdicts = _verdicts(_checked(text, tmp_path))
    assert Verdict.FALSE not in verdicts.values() and verdicts["stack_push"] is Verdict.TRUE


@in_exam
def test_the_others_are_proved_without_what_is_not_supported(tmp_path: Path) -> None:
    text = (
        _stack() + 'int stack_flag(struct stack *s) { int r; __asm__("nop" : "=r"(r)); return r + (s->top != NULL); }\n'
    )
    verdicts = _verdicts(_checked(text, tmp_path))
    assert verdicts.pop("stack_flag") is Verdict.UNKNOWN and set(verdicts.values()) == {Verdict.TRUE}


def test_no_variable_of_the_client_tells_heaps_apart_by_the_operation(tmp_path: Path) -> None:
    """With one, every heap was there once for each operation: two rings were more than 200,000 structures."""
    report = _checked(_stack(), tmp_path)
    assert "switch (__VERIFIER_nondet_int())" in report.client and "int operation" not in report.client


_POOL = """\
#include <stdlib.h>
struct node { struct node *next; int v; };
struct pool { struct node *spare; };
struct pool *pool_new(void) { return calloc(1, sizeof(struct pool)); }
struct node *pool_alloc(struct pool *p) {
    struct node *n = p->spare;
    if (n) p->spare = n->next; else n = malloc(sizeof *n);
    if (n) n->next = NULL;
    return n;
}
void pool_release(struct pool *p, struct node *n) { n->next = p->spare; p->spare = n; }
void pool_free(struct pool *p) { FREES free(p); }
"""


def test_a_pool_hands_out_any_number_of_elements(tmp_path: Path) -> None:
    text = _POOL.replace("FREES", "while (p->spare) { struct node *n = p->spare; p->spare = n->next; free(n); }")
    report = _checked(text, tmp_path)
    assert set(_verdicts(report).values()) == {Verdict.TRUE}
    assert not any("spare->next is NULL" in fact for facts in report.invariants.values() for fact in facts)


@in_exam
def test_a_pool_that_ends_its_first_two_elements_only_is_wrong(tmp_path: Path) -> None:
    """A client with one element at a time never has two in the pool."""
    two = "struct node *n = p->spare; if (n) { struct node *m = n->next; if (m) free(m); free(n); }"
    verdicts = _verdicts(_checked(_POOL.replace("FREES", two), tmp_path))
    assert verdicts["pool_free"] is not Verdict.TRUE


_VECTOR = """\
#include <stdlib.h>
struct vec { int *v; size_t n, cap; };
struct vec *vec_new(size_t cap) {
    struct vec *v = malloc(sizeof *v);
    if (!v) return NULL;
    v->v = malloc(cap * sizeof(int));
    if (!v->v) { free(v); return NULL; }
    v->n = 0; v->cap = cap;
    return v;
}
int vec_push(struct vec *v, int x) { if (v->n TEST v->cap) return -1; v->v[v->n++] = x; return 0; }
void vec_free(struct vec *v) { free(v->v); free(v); }
"""


@pytest.mark.parametrize(("test", "verdict"), [(">=", Verdict.TRUE), (">", Verdict.FALSE)])
def test_a_number_of_elements_is_one_for_which_there_is_memory(test: str, verdict: Verdict, tmp_path: Path) -> None:
    """A product that overflows made an empty block, and all that wrote to it was an error."""
    report = _checked(_VECTOR.replace("TEST", test), tmp_path)
    assert _verdicts(report)["vec_push"] is verdict


_WORDS = """\
#include <stdlib.h>
#include <string.h>
struct word { struct word *next; char *text; };
struct word *words_add(struct word *l, const char *s) {
    struct word *w = malloc(sizeof *w);
    if (!w) return l;
    w->text = strdup(s);
    if (!w->text) { free(w); return l; }
    w->next = l;
    return w;
}
struct word *words_pop(struct word *l, char **s) {
    struct word *next;
    if (!l) { *s = NULL; return NULL; }
    next = l->next;
    *s = l->text; MORE
    free(l);
    return next;
}
void words_free(struct word *l) { while (l) { struct word *next = l->next; free(l->text); free(l); l = next; } }
"""


@pytest.mark.parametrize(("more", "verdict"), [("", Verdict.TRUE), ("free(l->text);", Verdict.FALSE)])
def test_what_a_function_stores_for_its_caller_may_be_his(more: str, verdict: Verdict, tmp_path: Path) -> None:
    """A block that a function hands out through a pointer was lost: an error of a correct function."""
    report = _checked(_WORDS.replace("MORE", more), tmp_path)
    assert _verdicts(report)["words_pop"] is verdict


def test_a_pointer_that_an_operation_leaves_to_a_freed_block_is_its_error(tmp_path: Path) -> None:
    """The error was one of the function that used the pointer next."""
    text = (
        "#include <stdlib.h>\nstruct n { struct n *next; };\nstruct q { struct n *head, *tail; };\n"
        "struct q *q_new(void) { return calloc(1, sizeof(struct q)); }\n"
        "int q_push(struct q *q) {\n    struct n *n = calloc(1, sizeof *n);\n    if (!n) return -1;\n"
        "    if (q->tail) q->tail->next = n; else q->head = n;\n    q->tail = n;\n    return 0;\n}\n"
        "void q_pop(struct q *q) {\n    struct n *n = q->head;\n    if (n) { q->head = n->next; free(n); }\n}\n"
        "void q_free(struct q *q) { while (q->head) q_pop(q); free(q); }\n"
    )
    report = _checked(text, tmp_path)
    wrong = next(f for f in report.functions if f.verdict is Verdict.FALSE)
    assert wrong.name == "q_pop" and wrong.sequence[-2:] == ("q_pop", "q_push")
    assert _verdicts(report)["q_push"] is not Verdict.FALSE


def test_members_of_one_name_in_two_records_have_no_facts(tmp_path: Path) -> None:
    """That the first of several lists has no next one was a fact about the member `next` of other records."""
    text = (
        "#include <stdlib.h>\nstruct n { struct n *next; };\nstruct l { struct l *next; struct n *first; };\n"
        "struct t { struct l *lists; };\nstruct t *t_new(void) { return calloc(1, sizeof(struct t)); }\n"
        "void t_add(struct t *t) { struct l *l = calloc(1, sizeof *l); if (l) { l->next = t->lists; t->lists = l; } }\n"
        "void t_put(struct t *t) {\n    struct n *n = t->lists ? malloc(sizeof *n) : NULL;\n"
        "    if (n) { n->next = t->lists->first; t->lists->first = n; }\n}\n"
    )
    facts = [fact for facts in _checked(text, tmp_path).invariants.values() for fact in facts]
    assert not any("lists->next" in fact for fact in facts)
