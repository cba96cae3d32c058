"""Literals and arguments of the program in memory: each may have any length, also where one object stands for all.

A pointer to them that is read from memory must not have the length of that object, one byte: then the first character
would be the terminator, and all that depends on another one would be proved. The shape analysis is asked alone.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved

FAIL = "{ int *null = 0; *null = 1; }"
LIST = """
#include <stdlib.h>
#include <string.h>
struct node { const char *text; struct node *next; };
WALK
int main(int argc, char **argv) {
    struct node *head = 0;
    for (int i = 1; i < argc; i++) {
        struct node *new = malloc(sizeof *new);
        if (!new) break;
        new->text = TEXT;
        new->next = head;
        head = new;
    }
    int n = walk(head);
    while (head) { struct node *next = head->next; free(head); head = next; }
    return n;
}
"""
LOOP = """static int walk(struct node *at) {
    int n = 0;
    for (; at; at = at->next) { const char *t = at->text; if (TEST) BODY n++; }
    return n;
}"""
CALLS = """static int walk(struct node *at) {
    if (!at) return 0;
    const char *t = at->text;
    if (TEST) BODY
    return walk(at->next) + 1;
}"""
TREE = """
#include <stdlib.h>
struct cell { struct cell *inner; };
static struct cell *parse(const char **at) {
    struct cell *new = calloc(1, sizeof *new);
    if (new && **at == '(') { BODY (*at)++; new->inner = parse(at); }
    return new;
}
int main(int argc, char **argv) {
    if (argc > 1) {
        const char *text = argv[1];
        struct cell *cell = parse(&text);
        while (cell) { struct cell *inner = cell->inner; free(cell); cell = inner; }
    }
    return 0;
}
"""
TEXTS = {"arguments": "argv[i]", "literals": 'i > 3 ? "qqq" : "(("'}
TESTS = {
    "the first character": "t[0] == 'q'",
    "the second": "t[0] && t[1] == 'q'",
    "its length": "strlen(t) > 2",
    "a character": "strchr(t, 'q')",
}
WALKS = {"loop": LOOP, "calls": CALLS}


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("walk", WALKS)
def test_no_text_in_a_list_ends_at_once(walk: str, text: str, test: str, tmp_path: Path) -> None:
    wrong = LIST.replace("WALK", WALKS[walk]).replace("TEXT", TEXTS[text]).replace("TEST", TESTS[test])
    assert not is_proved(wrong.replace("BODY", FAIL), tmp_path)


def test_no_text_by_its_address_ends_at_once(tmp_path: Path) -> None:
    assert not is_proved(TREE.replace("BODY", FAIL), tmp_path)


@pytest.mark.parametrize(("text", "test"), [("argv[i]", "the second"), ('"qqq"', "the first character")])
def test_right_lists_of_texts_are_proved(text: str, test: str, tmp_path: Path) -> None:
    right = LIST.replace("WALK", LOOP).replace("TEXT", text).replace("TEST", TESTS[test])
    assert is_proved(right.replace("BODY", "{ }"), tmp_path)


def test_a_right_parser_is_proved(tmp_path: Path) -> None:
    assert is_proved(TREE.replace("BODY", ""), tmp_path)
