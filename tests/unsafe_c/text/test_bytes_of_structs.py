"""Bytes that are written from the start of a struct on, which begins with an array of bytes and has other members.

Such a pointer was one to a text: what was written behind the array was no store to the other members. With
``memset(p, 0, sizeof *p)``, `p->next` kept its value, and the access to a null pointer behind it was proved to be none.

Where a block is seen as structs of two types, an array of the one is at the place of another member of the other one;
and what was known of a text from the start of a struct was kept when a member of it was written.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved
from tests.unsafe_c.compiled import fails_in_a_run, needs_gcc, written

BEGIN = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { char name[8]; struct node *next; };
static void zero(void *p, size_t n) { unsigned char *c = p; for (size_t i = 0; i < n; i++) c[i] = 0; }
int main(int argc, char **argv) {
    char text[16] = {0};
    int some = argc > 0 ? 16 : 4;
    struct node *p = malloc(sizeof *p);
    if (!p) return 0;
    p->next = p;
    strcpy(p->name, "a");
    p->name[argc & 7] = 0;
"""
END = """
    p->next->name[0] = 'x';
    free(p);
    return 0;
}
"""
LOST = {
    "set as a whole": "memset(p, 0, sizeof *p);",
    "set by a variable": "memset(p, 0, some);",
    "copied as a whole": "struct node none = {0}; none.name[argc & 3] = 0; memcpy(p, &none, sizeof none);",
    "copied by a variable": "memcpy((char *)p, text, some);",
    "copied from a text": "memcpy(p, text, sizeof *p);",
    "a longer text": 'strcpy((char *)p, "abcdefghijklmn");',
    "printed": 'snprintf((char *)p, 16, "%s", "abcdefghijklmn");',
    "filled up": 'strncpy((char *)p, "ab", 16);',
    "byte by byte": "char *q = (char *)p; for (int i = 8; i < 16; i++) q[i] = 0;",
    "as an array": "char (*q)[16] = (char (*)[16])p; for (int i = 8; i < 16; i++) (*q)[i] = 0;",
    "by a function": "zero(p, sizeof *p);",
    "by a pointer in memory": "char **q = malloc(sizeof *q); if (!q) return 0; *q = (char *)p;"
    " for (int i = 0; i < 16; i++) (*q)[i] = 0; free(q);",
}
KEPT = {
    "set as a whole": "memset(p, 0, sizeof *p); p->next = p;",
    "copied as a whole": "struct node other = *p; other.name[argc & 3] = 0; memcpy(p, &other, sizeof other);",
    "a text": 'strcpy((char *)p, "abc");',
    "printed": 'snprintf((char *)p, 8, "%d", some);',
    "only read": "char *q = (char *)p; for (size_t i = 0; i < sizeof *p; i++) some += q[i];",
}


TWO_TYPES = """#include <stdlib.h>
#include <string.h>
struct text { char name[8]; struct text *next; };
struct pair { struct pair *a, *b; };
struct flags { char one, two; struct flags *next; };
struct ends { int none; char end[4]; struct ends *next; };
struct two { char first[2], last[6]; struct two *next; };
int main(int argc, char **argv) {
    char small[4], *q;
    int *nothing = NULL;
    void *block = malloc(16);
    if (!block) return 0;
    struct text *t = block;
    t->next = block;
    BODY
    free(block);
    return small[0];
}
"""
SEEN_AS_TWO = {
    "a pointer": 'struct pair *p = block, *a; p->a = p; p->b = p; strcpy(t->name, "abc"); a = p->a; a->b = NULL;',
    "a pointer by bytes": "struct pair *p = block; p->a = p; p->b = p;"
    " for (int i = 0; i < 8; i++) t->name[i] = 0; p->a->b = NULL;",
    "a struct": 'struct pair *p = block, s; s.a = p; s.b = p; *p = s; strcpy(t->name, "abc"); s = *p; s.a->b = NULL;',
    "a byte": 'struct flags *f = block; f->two = 1; strcpy(t->name, "abc"); if (f->two != 1) *nothing = 1;',
    "another array": "struct ends *e = block; strcpy(e->end, \"abc\"); memset(t->name, 'x', 8); strcpy(small, e->end);",
    "half an array": 'struct two *w = block; strcpy(w->last, "a"); strcpy(t->name, "ab"); memset(w->last, \'x\', 6);'
    " w->first[0] = w->first[1] = 'x'; strcpy(small, t->name);",
    "the struct as a text": "q = block; strcpy(q, \"abc\"); memset(t->name, 'x', 8); strcpy(small, q);",
    "the struct as bytes": "q = block; q[3] = 0; q[0] = q[1] = q[2] = 'a';"
    " for (int i = 3; i < 8; i++) t->name[i] = 'x'; strcpy(small, q);",
    "a byte of the struct": "q = block; q[0] = 1; t->name[0] = 50; if (q[0] != 1) *nothing = 1;",
}


@pytest.mark.parametrize("name", LOST)
def test_what_is_behind_the_array_is_written_too(name: str, tmp_path: Path) -> None:
    assert not is_proved(BEGIN + LOST[name] + END, tmp_path)


@pytest.mark.parametrize("name", KEPT)
def test_what_is_right_is_proved(name: str, tmp_path: Path) -> None:
    assert is_proved(BEGIN + KEPT[name] + END, tmp_path)


@needs_gcc
@pytest.mark.parametrize("name", LOST)
def test_the_wrong_programs_fail(name: str, tmp_path: Path) -> None:
    assert fails_in_a_run(written(BEGIN + LOST[name] + END, tmp_path))


@pytest.mark.parametrize("name", SEEN_AS_TWO)
def test_a_text_that_is_something_else_too(name: str, tmp_path: Path) -> None:
    assert not is_proved(TWO_TYPES.replace("BODY", SEEN_AS_TWO[name]), tmp_path)


@needs_gcc
@pytest.mark.parametrize("name", SEEN_AS_TWO)
def test_what_is_something_else_is_changed_in_a_run(name: str, tmp_path: Path) -> None:
    assert fails_in_a_run(written(TWO_TYPES.replace("BODY", SEEN_AS_TWO[name]), tmp_path))
