"""Lists whose functions return ``(void *)-1``, also with marks in pointers: proved, and no wrong use of it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved

LIST = """
#include <stdlib.h>
#include <stdint.h>
#define FAILED ((void *)-1)
extern int nondet(void);
struct node { struct node *next; int value; };
static void *push(struct node *head) {
    struct node *new = malloc(sizeof *new);
    if (!new) return FAILED;
    new->next = head;
    return new;
}
int main(void) {
    struct node *head = NULL;
    while (nondet()) {
        struct node *p = push(head);
        if (p == FAILED) break;
        head = p;
        p->value = 1;
    }
    while (head) { struct node *next = head->next; free(head); head = next; }
    return 0;
}
"""
MARKED = (
    LIST.replace("struct node *next; int value;", "uintptr_t next; int value;")
    .replace("new->next = head;", "new->next = (uintptr_t)head | (nondet() != 0);")
    .replace("= head->next;", "= (struct node *)(head->next & ~(uintptr_t)1);")
)
FIRST_PAGE = LIST.replace("((void *)-1)", "((void *)0x100)")
NOT_CANONICAL = LIST.replace("((void *)-1)", "((void *)0xdead000000000100UL)")
CHANGED = {
    "not tested": ("if (p == FAILED) break;", ""),
    "another number": ("if (p == FAILED) break;", "if (p == (void *)-2) break;"),
    "tested for NULL": ("if (p == FAILED) break;", "if (!p) break;"),
    "freed": ("if (p == FAILED) break;", "if (p == FAILED) { free(p); break; }"),
    "read": ("if (p == FAILED) break;", "if (p == FAILED) { p->value = 2; break; }"),
    "kept as a list": ("if (p == FAILED) break;", "if (p == FAILED) { head = p; break; }"),
    "a leak": ("if (p == FAILED) break;", "if (p == FAILED) { head = NULL; break; }"),
}


@pytest.mark.parametrize("text", [LIST, MARKED, FIRST_PAGE, NOT_CANONICAL])
def test_it_is_proved(text: str, tmp_path: Path) -> None:
    assert is_proved(text, tmp_path)


@pytest.mark.parametrize("text", [LIST, MARKED])
@pytest.mark.parametrize("name", CHANGED)
def test_no_change_is_proved(name: str, text: str, tmp_path: Path) -> None:
    assert CHANGED[name][0] in text
    assert not is_proved(text.replace(*CHANGED[name]), tmp_path)


def test_an_address_that_an_object_may_have_is_not_told_apart(tmp_path: Path) -> None:
    assert not is_proved(LIST.replace("((void *)-1)", "((void *)0x7000000)"), tmp_path)
