"""Arrays of eight bytes beside pointers to pointers: the shape analysis, alone, proves the right programs only.

Such an array has the size of a pointer. It is a text unless a pointer is stored in it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved

COMMANDS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; int v; };
static struct node *list;
static void take(int v) {
    struct node **p = &list;
    while (*p && (*p)->v != v) p = &(*p)->next;
    if (*p) { struct node *n = *p; *p = n->next; free(n); }
}
int main(void) {
    char word[8];
    int v;
    while (scanf("%7s %d", word, &v) == 2) {
        if (strcmp(word, "take") == 0) take(v);
        else {
            struct node *n = malloc(sizeof *n);
            if (!n) break;
            n->v = v; n->next = list;
            list = n;
        }
    }
    while (list) { struct node *n = list->next; free(list); list = n; }
    return 0;
}
"""
STORED = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; };
static _Alignas(8) char place[8];
int main(int argc, char **argv) {
    struct node *n = malloc(sizeof *n);
    if (!n) return 1;
    *(struct node **)place = n;
    if (argc > 1) { strncpy(place, argv[1], 8); free(n); return 0; }
    n = *(struct node **)place;
    free(n);
    return 0;
}
"""
WRONG = {
    "a longer word": (COMMANDS, "%7s", "%8s"),
    "a word of no length": (COMMANDS, "%7s", "%s"),
    "the node is not taken": (COMMANDS, "*p = n->next; free(n)", "free(n)"),
    "a pointer in the array is used when it is freed": (STORED, "n = *", "free(n); n = *"),
    "a pointer in the array is overwritten": (STORED, "free(n); return 0; }", "}"),
    "a text as a pointer": (STORED, "free(n); return 0; }", "free(n); free(*(struct node **)place); return 0; }"),
    "eight bytes have no end": (STORED, "free(n); return 0; }", "puts(place); free(n); return 0; }"),
}


def test_an_array_of_eight_bytes_is_a_text(tmp_path: Path) -> None:
    """It counted as a block of pointers, and the program was UNKNOWN."""
    assert is_proved(COMMANDS, tmp_path)


@pytest.mark.parametrize("name", WRONG)
def test_arrays_of_eight_bytes(name: str, tmp_path: Path) -> None:
    text, old, new = WRONG[name]
    assert old in text
    assert not is_proved(text.replace(old, new), tmp_path)
