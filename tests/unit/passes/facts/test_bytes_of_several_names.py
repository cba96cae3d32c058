"""Bytes of an array with several names: another pointer to a new block, a member of a union, a struct that is cast."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.passes.facts.test_rounded_sizes import left_errors_of
from tests.unsafe_c.compiled import fails_in_a_run, needs_gcc, written

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct text {{ char data[8]; }};
struct word {{ union {{ char data[8]; size_t number; }}; }};
struct words {{ size_t first; union {{ char data[8]; size_t number; }} x; char room[64]; }};
struct named {{ char name[8]; size_t number; char room[8]; }};
struct bytes {{ char data[16]; }};
static char many[64], room[64];
static struct text *head;
static void set(struct named *n, struct bytes *b, size_t size) {{
    n->number = 3;
    memcpy(b->data, many, size);
    n->room[n->number] = 1;
}}
int main(void) {{
    int n, m;
    if (scanf("%d %d", &n, &m) != 2)
        return 1;
    memset(many, 0x7f, sizeof many);
    {body}
    return 0;
}}
"""
TWO = """struct {type} *c = calloc(1, sizeof *c), *d = calloc(1, sizeof *d); if (!c || !d) return 1;
    struct {type} *e = n & 1 ? c : d; """
TEXTS, WORDS, NAMED = TWO.format(type="text"), TWO.format(type="word"), TWO.format(type="named")
ONE = "struct words *c = malloc(sizeof *c); if (!c) return 1; c->first = 0; c->x.number = 3; "
MANY = "0x7f7f7f7f7f7f7f7f"
RIGHT = (
    TEXTS + "memcpy(e->data, many, 7); e->data[7] = 0; return strlen(e->data) > 3;",
    TEXTS + "memcpy(e->data, many, 8); c->data[3] = 0; return strlen(c->data) > 3;",
    NAMED + "c->number = d->number = 3; memcpy(e->name, many, 8); c->room[c->number] = 1;",
    ONE + "memcpy(c->room, many, 8); c->room[c->x.number] = 1;",
)
WRONG = {
    "a new block has two names, bytes": TEXTS + "memcpy(e->data, many, 8); return strlen(c->data) > 3;",
    "a new block has two names, a number": TEXTS + f"*(size_t *)e = {MANY}; return strlen(c->data) > 3;",
    "a new block has two names, plain bytes": """char *c = calloc(1, 8), *d = calloc(1, 8); if (!c || !d) return 1;
        char *e = n & 1 ? c : d; memset(e, 1, 8); return strlen(c) > 3;""",
    "a new block has two names, one is stored": TEXTS
    + f"head = c; *(size_t *)e = {MANY}; struct text *p = head; return strlen(p->data) > 3;",
    "a number in a union": WORDS + f"e->number = {MANY}; return strlen(c->data) > 3;",
    "bytes in a union": ONE + "memcpy(c->x.data, many, 8); c->room[c->x.number] = 1;",
    "some bytes in a union": ONE + "if (m >= 0 && m <= 8) memcpy(c->x.data, many, m); c->room[c->x.number] = 1;",
    "a text in a union": ONE + 'snprintf(c->x.data, 8, "%d99", m); c->room[c->x.number] = 1;',
    "another struct": NAMED.replace("calloc(1, ", "malloc(")
    + "set(n & 1 ? c : d, (struct bytes *)(m & 8 ? c : d), 16);",
}
RUNS = ["1 8\n", "2 7\n"]


@pytest.mark.parametrize("body", RIGHT)
def test_the_bytes_are_inside(body: str, tmp_path: Path) -> None:
    assert not left_errors_of(PROGRAM.format(body=body), tmp_path)


@pytest.mark.parametrize("case", WRONG)
def test_the_bytes_may_be_outside(case: str, tmp_path: Path) -> None:
    """What was known of the bytes by one name was kept when they were written by another name."""
    assert left_errors_of(PROGRAM.format(body=WRONG[case]), tmp_path)


@needs_gcc
@pytest.mark.parametrize("case", WRONG)
def test_the_wrong_programs_fail_in_a_run(case: str, tmp_path: Path) -> None:
    program = written(PROGRAM.format(body=WRONG[case]), tmp_path)
    assert any(fails_in_a_run(program, text=text) for text in RUNS)
