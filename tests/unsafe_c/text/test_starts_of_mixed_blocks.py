"""Blocks of texts and other blocks behind one pointer: one that was moved into a text is not freed as its start.

The shape analysis and FESA are asked alone: such programs were proved, and only runs showed the error.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.coverage.helpers import is_proof, proof

PROGRAM = """
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct item { struct item *next; void *data; };
struct pair { void *one; int two; };
static char *inside(char *p) { return p + 1; }
static void *last;
int main(void) {
    struct item *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct item *n = malloc(sizeof *n);
        if (!n) break;
        n->data = NULL;
        if (__VERIFIER_nondet_int()) {
            char *text = malloc(8);
            if (text) {
                text[0] = 0;
                if (strlen(text) < 3) text[1] = 0;
                STORE
            }
        } else {
            struct item *other = malloc(sizeof *other);
            if (other) { other->next = NULL; other->data = NULL; }
            n->data = other;
        }
        n->next = list;
        list = n;
    }
    while (list) {
        struct item *rest = list->next;
        free(list->data);
        free(list);
        list = rest;
    }
    return 0;
}
"""
RIGHT = {
    "the start": "n->data = text;",
    "a pointer that moves beside it": "char *q = text; while (*q) q++; n->data = text;",
}
WRONG = {
    "the next byte": "n->data = text + 1;",
    "the address of a byte": "n->data = &text[1];",
    "a pointer that was moved": "char *q = text; q++; n->data = q;",
    "the result of a function": "n->data = inside(text);",
    "the end": "n->data = text + strlen(text) + 1;",
    "by a global variable": "last = text + 1; n->data = last;",
    "by a struct that is copied": "struct pair a, b; a.one = text + 1; a.two = 1; b = a; n->data = b.one;",
    "by the address of a variable": "char *q; char **at = &q; *at = text + 1; n->data = q;",
    "by a number": "unsigned long u = (unsigned long)text + 1; n->data = (void *)u;",
}


def proves(tmp_path: Path, store: str, domain: str) -> bool:
    path = tmp_path / "program.c"
    path.write_text(PROGRAM.replace("STORE", store))
    _, result = proof(path, domain)
    return is_proof(result)


@pytest.mark.parametrize("name", RIGHT)
def test_starts_are_freed(tmp_path: Path, name: str) -> None:
    assert proves(tmp_path, RIGHT[name], "shape")


@pytest.mark.parametrize("domain", ["shape", "fesa"])
@pytest.mark.parametrize("name", WRONG)
def test_other_places_are_not(tmp_path: Path, name: str, domain: str) -> None:
    assert not proves(tmp_path, WRONG[name], domain)
