"""What a finding says: names as in the source, the operations of the client, where blocks begin and end, with files."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.report.check.text_and_json import check_text

HEADER = """\
#include <stdlib.h>
#include <string.h>
#include <assert.h>
struct node { struct node *next; int value; };
struct stack { struct node *top; int count; };
struct stack *stack_new(void);
int push(struct stack *s, int v);
int pop(struct stack *s);
void stack_free(struct stack *s);
#define FIRST(s) ((s)->top->value)
#define DROP(s) do { struct node *n_ = (s)->top; (s)->top = n_->next; free(n_); } while (0)
#define INIT(this, ...) ((this) = malloc(sizeof *(this)), *(this) = (typeof(*(this))){ __VA_ARGS__ })
#define PILE(name) struct name { struct node *top; }; \\
    static void name##_push(struct name *p) { struct node *n = malloc(sizeof *n); if (n) n->next = 0; p->top = n; } \\
    static void name##_drop(struct name *p) { free(p->top); p->top = p->top->next; }
"""
LIBRARY = """\
#include "list.h"
struct stack *stack_new(void) { struct stack *s = malloc(sizeof *s); if (s) { s->top = NULL; s->count = 0; } return s; }
int push(struct stack *s, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n) return -1;
    n->next = s->top;
    n->value = v;
    s->top = n;
    s->count++;
    return 0;
}
int pop(struct stack *s) {
    struct node *n = s->top;
    int v = n->value;
    s->top = n->next;
    s->count--;
    free(n);
    return v;
}
void stack_free(struct stack *s) { while (s->count > 0) pop(s); free(s); }
"""
BEFORE = """\
#include "list.h"
extern int __VERIFIER_nondet_int(void);
static void each(struct stack *s, void (*f)(struct node *)) {
    for (struct node *n = s->top; n; n = n->next) f(n);
}
static void visit(struct node *n) { free(n); }
static int last(struct stack *s) { struct node *n; for (int i = 0; i < s->count; i++) n = s->top; return n->value; }
static int *where(void) { int local = 3; int *p = &local; return p; }
PILE(pile) struct ops { int (*add)(struct stack *, int); int (*take)(struct stack *); };
static const struct ops table = { push, pop };
static void *get(unsigned long size) { return malloc(size); }
static struct node *make_node(void) { return get(sizeof(struct node)); }
static void give(void *block) { free(block); }
static void drop_node(struct node *node) { give(node); }
int main(void) {
    struct stack *s = stack_new();
    if (!s) return 0;
"""
NEW, FREED = "list.c:4:22: note: the block is allocated here", "note: it is freed here"
MESSAGES = {
    "null in another file": (
        "while (__VERIFIER_nondet_int()) if (__VERIFIER_nondet_int()) push(s, 1); else pop(s);",
        ["list.c:14:16: null_dereference: dereference of a null pointer: n (confirmed)", "    calls: stack_new pop"],
    ),
    "use after free": (
        "if (push(s, 1) || push(s, 2)) return 0; struct node *kept = s->top; pop(s); return kept->value;",
        [
            "dangling_dereference: block from list.c:4 is freed: kept (confirmed)",
            NEW,
            f"list.c:17:5: {FREED}",
            "    calls: stack_new push push pop",
        ],
    ),
    "blocks from an allocator": (
        "struct node *n = make_node(); if (!n) return 0; drop_node(n); n->next = NULL; free(s);",
        [
            "dangling_dereference: block from line 11 is freed: n (confirmed)",
            "main.c:12:46: note: get is called here",
            "main.c:14:44: note: give is called here",
            "    calls: stack_new make_node drop_node",
        ],
    ),
    "double free": (
        "struct node *n = malloc(sizeof *n); free(n); free(n); free(s);",
        ["double_free: block from line 18 is freed already (confirmed)", f"main.c:18:41: {FREED}"],
    ),
    "invalid free": (
        "if (push(s, 1)) return 0; free(&s->top->value);",
        ["invalid_free: free of offset 8 of block from list.c:4 (confirmed)", NEW, "    calls: stack_new push"],
    ),
    "leak": (
        "push(s, 1); push(s, 2); s->top = NULL; s->count = 0; stack_free(s);",
        ["memory_leak: block from list.c:4 is lost (confirmed)", NEW, "    calls: stack_new push push"],
    ),
    "out of bounds": (
        "int *t = malloc(4 * sizeof *t); if (t) for (int i = 0; i <= 4; i++) t[i] = i; free(t);",
        ["out_of_bounds: offset 16 of block from line 18 with 16 bytes (confirmed)", "main.c:18:14: note: the block"],
    ),
    "uninitialized": ("return last(s);", ["dereference of an uninitialized pointer: n (confirmed)", "stack_new last"]),
    "assertion": (
        "push(s, 1); push(s, 2); assert(s->count == 2); stack_free(s);",
        ["assertion: assertion failed: s->count == 2 (confirmed)", "    calls: stack_new push push"],
    ),
    "a macro": (
        "int v = FIRST(s); stack_free(s); return v;",
        ["dereference of a null pointer: s->top (confirmed)", "    statement: v = s->top->value"],
    ),
    "a macro with a variable": (
        "if (push(s, 1)) return 0; DROP(s); DROP(s);",
        ["dereference of a null pointer: n_ (confirmed)", "    statement: s->top = n_->next", "calls: stack_new push"],
    ),
    "a macro whose argument fails": (
        "struct node *n; INIT(n, .value = 3); free(n); stack_free(s);",
        ["dereference of a null pointer: n (confirmed)", "    statement: *n = {...}"],
    ),
    "functions that a macro defines": (
        "struct pile p; pile_push(&p); if (p.top) pile_drop(&p);",
        [
            "block from line 9 is freed: p->top (confirmed)",
            "note: the block is allocated here: n = malloc(16u) (in pile_push)",
            "note: it is freed here: free(p->top) (in pile_drop)",
            "    statement: p->top = p->top->next (in pile_drop)",
        ],
    ),
    "a callback": (
        "push(s, 1); each(s, visit); free(s);",
        ["block from list.c:4 is freed: n (confirmed)", f"main.c:6:37: {FREED}", "    calls: stack_new push each"],
    ),
    "operations through pointers": (
        "const struct ops *o = &table; o->add(s, 1); o->take(s); o->take(s);",
        ["list.c:14:16: null_dereference: dereference of a null pointer: n (confirmed)", "calls: stack_new push pop"],
    ),
    "an argument of the library": (
        'struct { char *name; } e = { strdup("key") }; int same = strcmp("key", e.name); free(e.name); return same;',
        ["null_dereference: dereference of a null pointer: e.name (confirmed)"],
    ),
    "a variable that has ended": (
        "free(s); int *p = where(); return *p;",
        ["dangling_dereference: local is out of scope: p (confirmed)", "main.c:8:31: note: 'local' is declared here"],
    ),
    "an allocation that fails": (
        "struct node *n = make_node(); n->value = 1; free(n); free(s);",
        [
            "null_dereference: dereference of a null pointer: n (confirmed)",
            "main.c:11:47: note: this allocation fails in the run",
        ],
    ),
    "a text that is read": (
        "extern int getchar(void); if (getchar() == 'x') s = NULL; stack_free(s);",
        ["dereference of a null pointer: s (confirmed)", 'main.c:18:35: note: the run reads "x"'],
    ),
    "a block that is lost at a brace": (
        "while (__VERIFIER_nondet_int()) { int *block = get(4); if (block) *block = 1; } free(s);",
        ["memory_leak: block from line 11 is lost (confirmed)", "    statement: the scope of block ends"],
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_finding_in_words(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of other files had lines without their files, calls through pointers and pointers had no names."""
    body, expected = MESSAGES[name]
    monkeypatch.chdir(tmp_path)
    Path("list.h").write_text(HEADER)
    Path("list.c").write_text(LIBRARY)
    Path("main.c").write_text(f"{BEFORE}    {body}\n    return 0;\n}}\n")
    report = check(["main.c", "list.c"], check_options(domain="explicit", timeout=20.0))
    text = check_text(report)
    assert [words for words in expected if words not in text] == [], text


POSSIBLE = """\
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
static int read(struct node *list, const char *text, int n) {
    int *q;
    unsigned u = n;
    if (u * u % 4 != 2) q = &list->value;
    return strlen(text) > 2 ? *q : 0;
}
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) break;
        n->next = list;
        n->value = __VERIFIER_nondet_int();
        list = n;
        read(list, "text", n->value);
    }
    while (list) { struct node *next = list->next; free(list); list = next; }
    return 0;
}
"""


def test_a_possible_finding_has_the_names_of_the_source(tmp_path: Path) -> None:
    """Variables were shown as those of the copy of a function, `read$1.q`, and temporaries as `$t1`."""
    path = tmp_path / "p.c"
    path.write_text(POSSIBLE)
    report = check([str(path)], check_options(timeout=20.0))
    possible = [f for f in report.findings if not f.confirmed]
    shown = [report.reason, *(f.message for f in possible), *(step.text for f in possible for step in f.trace)]
    assert "q may not be initialized" in shown
    assert not [text for text in shown if "$" in text]


OUTSIDE = """
#include <stdlib.h>
extern void note(int level, const char *text);
struct node { struct node *next; };
int main(void) {
    struct node *p = malloc(sizeof *p);
    char local[8];
    if (!p) note(3, "no memory");
    p->next = NULL;
    if (unlikely(local)) free(p);
    free(local);
    return 0;
}
"""


def test_a_run_through_code_that_is_not_there_says_so(tmp_path: Path) -> None:
    path = tmp_path / "outside.c"
    path.write_text(OUTSIDE)
    text = check_text(check([str(path)], check_options(timeout=20.0)))
    assert (
        "8:13: note: note has no body: in this run it returns and changes no pointer; if this is wrong, give its file, "
        "--extern note=noreturn or --models FILE.c" in text
    )
    assert "unlikely() has no body and no declaration (is a header or a macro missing?)" in text
    assert "invalid_free: free of local, which is no heap block (confirmed)" in text
