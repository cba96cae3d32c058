"""Liveness of numbers: values that nothing reads are forgotten, also those of global variables."""

from __future__ import annotations

from pathlib import Path

from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.passes.facts.liveness import lifetimes
from kleene.passes.preparation import Prepared

LISTS = """
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
static int mode, used;
int main(void) {
    struct node *l = NULL;
    int local = 0;
    if (__VERIFIER_nondet_int()) mode = 1; else mode = 2;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) abort();
        if (mode == 1) used = 1;
        if (local == 3) local = 0;
        n->next = l; l = n;
    }
    if (used) assert(l);
    if (l && mode == 2) assert(!used);
    while (l) { struct node *t = l; l = l->next; free(t); local++; LAST }
    return 0;
}
"""


def prepared(tmp_path: Path, last: str) -> Prepared:
    path = tmp_path / "program.c"
    path.write_text(LISTS.replace("LAST", last))
    return Prepared(read_program([str(path)]))


def live_in_the_last_loop(tmp_path: Path, last: str) -> set[str]:
    program = prepared(tmp_path, last)
    memory = program.memory
    found = lifetimes(program.cfa, {*memory.pointers, *memory.integers})
    freeing = next(e for e in program.cfa.edges if type(e.label).__name__ == "Free")
    return {variable.name for variable in found.live[freeing.source]}


def test_a_number_that_only_counts_itself_is_dead(tmp_path: Path) -> None:
    """`local++` was a reading, so the number was told apart in the last loop."""
    assert not {"local", "mode", "used"} & live_in_the_last_loop(tmp_path, "")


def test_a_number_that_is_tested_is_live(tmp_path: Path) -> None:
    assert "local" in live_in_the_last_loop(tmp_path, "if (local == 3) break;")
    assert "mode" in live_in_the_last_loop(tmp_path, "if (mode == 1) l = l;")
    assert "local" in live_in_the_last_loop(tmp_path, "used = local; if (used) l = l;")


def test_dead_numbers_do_not_multiply_structures(tmp_path: Path) -> None:
    """Three times as many structures were made with the values of the global numbers kept to the end."""
    result = analyse(prepared(tmp_path, ""), malloc_may_fail=True, seconds=20)
    assert result.complete and not result.alarms
    assert result.structures < 1000
