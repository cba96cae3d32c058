"""Pointers to texts in blocks that nothing else leads to yet: what was not initialized there, or is no text, is used.

The shape analysis is asked alone, since exploration would show the error and hide a wrong proof.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import EXAM, in_exam

from kleene.analysis.c.shape import analyse as shape_analysis
from kleene.analysis.c.shape.analyse import analyse
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared

KINDS = kinds_of(["memsafety", "memcleanup"])
SECONDS = 60.0
QUICK = ("plain", "zeros")
"""The attempts that prove the correct programs; the exam makes all of them."""
STACK = """
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
struct stack { char *v[16]; unsigned n; };
static int push(struct stack *s, const char *text) {
    char *t;
    if (s->n >= 16) return 0;
    t = malloc(strlen(text) + 1);
    if (!t) return 0;
    strcpy(t, text);
    s->v[s->n++] = t;
    return 1;
}
static char *pop(struct stack *s) { return s->n ? s->v[--s->n] : NULL; }
int main(int argc, char **argv) {
    struct stack s;
    s.n = 0;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') {
            char *t = pop(&s);
            if (t) { puts(t); free(t); }
        } else if (!push(&s, argv[i])) break;
    }
    while (s.n) free(pop(&s));
    return 0;
}
"""
CHANGED = {
    "an element that was not set": ("s->v[--s->n]", "s->v[s->n--]"),
    "a stack that is never empty": ("return s->n ?", "return s->n < 16 ?"),
    "no terminator": ("strcpy(t, text)", "memcpy(t, text, strlen(text))"),
    "a pointer behind the start": ("= t;\n    return 1", "= t + 1;\n    return 1"),
    "one element too many": ("s->n >= 16", "s->n > 16"),
    "no first length": ("s.n = 0;", "s.n = 1;"),
    "a text of the caller": ("    strcpy(t, text);\n", "    free(t); t = (char *)text;\n"),
}
HOLDERS = """
#include <stdlib.h>
#include <string.h>
struct holder { char *p; struct holder *next; };
int main(void) {
    struct holder *x = malloc(sizeof *x), *y = malloc(sizeof *y);
    char *t = malloc(4);
    size_t n = 0;
    if (!x || !y || !t) { free(x); free(y); free(t); return 1; }
    memset(t, 'a', 4);
    USE
    free(t); free(x); free(y);
    return n == 3;
}
"""
USES = {
    "a member that was not set": "n = strlen(x->p);",
    "a member without a terminator": "x->p = t; n = strlen(x->p);",
    "a struct that is copied": "x->p = t; x->next = NULL; *y = *x; n = strlen(y->p);",
    "a struct whose bytes are copied": "x->p = t; x->next = NULL; memcpy(y, x, sizeof *y); n = strlen(y->p);",
    "a struct that another one leads to": "x->p = t; y->next = x; n = strlen(y->next->p);",
    "a struct that is lengthened": """x->p = t;
        { struct holder *z = realloc(x, 2 * sizeof *x); if (z) { x = z; n = strlen(z->p); } }""",
    "a member of a local struct": "{ struct holder l; l.p = t; n = strlen(l.p); }",
    "an element of a local array": "{ char *a[8]; for (int i = 0; i < 8; i++) a[i] = t; n = strlen(a[x != y]); }",
    "an element that was not set": "{ char *a[8]; for (int i = 0; i < 7; i++) a[i] = NULL; n = strlen(a[7]); }",
}  # fmt: skip


@pytest.fixture(autouse=True)
def few_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    if not EXAM:
        monkeypatch.setattr(shape_analysis, "ATTEMPTS", tuple(a for a in ATTEMPTS if a.name in QUICK))


def _has_alarms(text: str, folder: Path) -> bool:
    path = folder / "program.c"
    path.write_text(text, encoding="utf-8")
    result = analyse(Prepared(read_program([str(path)])), malloc_may_fail=True, seconds=SECONDS, kinds=KINDS)
    return not result.complete or bool(result.alarms)


def test_a_stack_of_texts_is_proved(tmp_path: Path) -> None:
    """It was not, as the elements that are not set yet could be anything: that they are used is an error by itself."""
    assert not _has_alarms(STACK, tmp_path)


@in_exam
@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_stack_is_not_proved(name: str, tmp_path: Path) -> None:
    old, new = CHANGED[name]
    assert STACK.count(old) == 1
    assert _has_alarms(STACK.replace(old, new), tmp_path)


@pytest.mark.parametrize("name", USES)
def test_a_text_that_is_none_is_not_proved(name: str, tmp_path: Path) -> None:
    assert _has_alarms(HOLDERS.replace("USE", USES[name]), tmp_path)
