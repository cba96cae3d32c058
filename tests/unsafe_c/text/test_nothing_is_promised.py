"""An unknown pointer in memory ends all promises: the states that believe none are computed to the end."""

from __future__ import annotations

from pathlib import Path

from tests.unsafe_c.alone import alarms_by
from tests.unsafe_c.compiled import fails_in_a_run, needs_gcc, written

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct person { struct person *next; char name[8]; int length; char *title; };
static char *titles[4];
static int more(void) { int c = getchar(); return c == 'y'; }
int main(void) {
    struct person *list = NULL, *p;
    int k = 0, table[8] = {0};
    char *copy = malloc(3);
    if (!copy) abort();
    memset(copy, 'b', 3);
    titles[0] = copy; /* no terminator */
    titles[1] = (char *)(unsigned long)getchar(); /* no address */
    while (more()) {
        p = malloc(sizeof *p);
        if (!p) abort();
        p->name[7] = 0;
        p->title = titles[1];
        p->length = (int)strlen(p->name);
        p->next = list;
        list = p;
    }
    for (int i = 0; i < 3; i++)
        while (more()) {
            if (more()) { k++; if (k > 100) k = 100; }
            while (more()) { if (k > 4) k -= 2; else k++; }
        }
    table[k] = 1;
    while (list) { p = list->next; free(list); list = p; }
    free(copy);
    return 0;
}
"""


def test_an_index_behind_a_loop_is_not_forgotten(tmp_path: Path) -> None:
    """The states without promises were left early, as if some of them had been broken: a wrong proof."""
    alarms = alarms_by("plain", PROGRAM, tmp_path)
    assert alarms is None or "out_of_bounds" in alarms


@needs_gcc
def test_the_program_fails_in_a_run(tmp_path: Path) -> None:
    assert fails_in_a_run(written(PROGRAM, tmp_path), text="xn" + "yyn" * 9)
