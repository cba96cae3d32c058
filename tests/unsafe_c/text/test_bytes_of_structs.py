"""Bytes that are written from the start of a struct on, which begins with an array of bytes and has other members.

Such a pointer was one to a text: what was written behind the array was no store to the other members. With
``memset(p, 0, sizeof *p)``, `p->next` kept its value, and the access to a null pointer behind it was proved to be none.
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
