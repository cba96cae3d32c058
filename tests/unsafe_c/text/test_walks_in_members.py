"""Pointers that walk through an array of bytes in a struct: programs in which one leaves the array.

The pass on texts leaves such a pointer at the start of the array (`passes/elements/text`), so that something else that
is accessed by it would be another member than in a run. A constant that leads out of the array was one of these: a
store to `next` by ``(char *)p + 8``, where `p` begins with a text, was no store to `next`, and a lost list was proved.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved
from tests.unsafe_c.compiled import fails_in_a_run, needs_gcc, written

BEGIN = """#include <stdlib.h>
#include <string.h>
struct node { char name[8]; struct node *next; char end[8]; };
static struct node *list;
static size_t total;
int main(int argc, char **argv) {
    for (int i = 0; i < argc + 2; i++) {
        struct node *p = malloc(sizeof *p);
        if (!p) break;
        memset(p->name, 0, 8); memset(p->end, 0, 8);
        p->next = list; list = p;
    }
"""
END = """
    for (struct node *p = list; p; p = p->next) total += strlen(p->name) + strlen(p->end);
    while (list) { struct node *p = list->next; free(list); list = p; }
    return total == 1000;
}
"""
EACH = "for (struct node *p = list; p; p = p->next) { %s }"
BEYOND = {
    "one byte too far": EACH % "for (char *q = p->end; q <= p->end + 8; q++) *q = 'x';",
    "to a terminator that is overwritten": EACH
    % "for (char *q = p->end; ; q++) { if (!*q && q > p->end + 9) break; *q = 'x'; }",
    "backwards from the first byte": EACH % "char *q = p->name; q--; *q = 'x';",
    "by two": EACH % "for (char *q = p->end; q != p->end + 9; q += 3) *q = 'x'; p->end[7] = 0; p->end[8] = 0;",
    "a step behind a loop": EACH % "char *q = p->end; while (q < p->end + 8) q++; *q = 0;",
}
INTO_A_MEMBER = {
    "to the next member": EACH
    % "char *q = p->name; for (int i = 0; i < 8; i++) q++; struct node **r = (struct node **)q; *r = NULL;",
    "to the next member through void": EACH
    % "char *q = p->name; for (int i = 0; i < 8; i++) q++; void *v = q; struct node **r = v; *r = NULL;",
    "to the next member by a constant": EACH % "char *q = p->name + 8; *(struct node **)q = NULL;",
    "to the next member from the struct": EACH % "char *q = (char *)p; q = q + 8; *(struct node **)q = NULL;",
    "to the next member as a parameter": EACH % "char *q = p->name; q += 4; q += 4; cut(q);",
    "a constant as a parameter": EACH % "cut(p->name + 8);",
    "offsetof as a parameter": EACH % "cut((char *)p + __builtin_offsetof(struct node, next));",
    "by an index through void": EACH % "int i = argc > 0 ? 8 : 0; char *q = p->name + i; void *v = q; cut(v);",
    "a struct behind the array": EACH % "struct link { struct node *to; } *l = (void *)(p->name + 8); l->to = NULL;",
    "the address of a member of it": EACH
    % "struct pair { char c[4]; struct node *to[1]; } *l = (void *)&p->name[argc > 0 ? 4 : 0]; cut(l->to);",
    "copied as a struct": EACH % "struct link { struct node *to; } none = {0}; char *q = p->name; q += 8;"
    " memcpy(q, &none, sizeof none);",
    "set to 0": EACH % "char *q = p->name; q += 8; memset(q, 0, sizeof(struct node *));",
    "a copy of the pointer": EACH
    % "char *q = p->name + 8; struct node **r = (struct node **)q; struct node **s = r; *s = NULL;",
    "through a member": EACH
    % "struct hold { void *at; } h; char *q = p->name; q += 8; h.at = q; struct node **r = h.at; *r = NULL;",
    "bytes of the next member": EACH % "char *q = p->name; for (int i = 0; i < 16; i++) *q++ = 0;",
}
RIGHT = {
    "to the terminator": EACH % "for (char *q = p->name; *q; q++) if (*q == 'a') *q = 'b';",
    "to the end": EACH % "for (char *q = p->name; q < p->name + 7; q++) *q = 'x'; p->name[7] = 0;",
    "backwards": EACH % "char *q = p->name + 7; while (q > p->name) { q--; *q = 'y'; } p->name[7] = 0;",
}
CUT = "static void cut(void *v) { struct node **r = v; *r = NULL; }\nint main"


def _text(body: str) -> str:
    return BEGIN.replace("int main", CUT) + body + END


@pytest.mark.parametrize("body", [*BEYOND.values(), *INTO_A_MEMBER.values()], ids=[*BEYOND, *INTO_A_MEMBER])
def test_a_pointer_that_leaves_its_array_is_not_proved(body: str, tmp_path: Path) -> None:
    assert not is_proved(_text(body), tmp_path)


@pytest.mark.parametrize("name", RIGHT)
def test_a_pointer_that_stays_in_its_array_is_proved(name: str, tmp_path: Path) -> None:
    assert is_proved(_text(RIGHT[name]), tmp_path)


@needs_gcc
@pytest.mark.parametrize("body", [*BEYOND.values(), *INTO_A_MEMBER.values()], ids=[*BEYOND, *INTO_A_MEMBER])
def test_the_wrong_programs_fail(body: str, tmp_path: Path) -> None:
    assert fails_in_a_run(written(_text(body), tmp_path), leaks=True)
