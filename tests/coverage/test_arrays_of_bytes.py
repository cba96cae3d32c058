"""Coverage where the analysis has an array of bytes as an object without content."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.coverage.helpers import attacked, is_proof, proof

FLAGS = """
#include <stdio.h>
static int keys[128], used;
static char full[128];
int main(void) {
    int k;
    while (scanf("%d", &k) == 1) {
        unsigned i = (unsigned)k % 128;
        if (used == 127) break;
        while (full[i]) { if (keys[i] == k) break; if (++i == 128) i = 0; }
        full[i] = 1;
        keys[i] = k;
        used++;
    }
    return 0;
}
"""


BLOCK = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { int number; struct node *next; };
int main(void) {
    struct node *list = 0;
    int n = __VERIFIER_nondet_int();
    if (n <= 0 || n > 100) return 0;
    while (__VERIFIER_nondet_int()) {
        struct node *new = malloc(sizeof *new);
        if (!new) break;
        new->number = __VERIFIER_nondet_int();
        new->next = list;
        list = new;
    }
    char *seen = calloc(n, 1);
    for (int k = 0; seen && k < n; k++) if (list && list->number == 0) seen[k] = 1;
    free(seen);
    while (list) { struct node *next = list->next; free(list); list = next; }
    return 0;
}
"""


@pytest.mark.parametrize("text", [FLAGS, BLOCK], ids=["array", "block"])
def test_a_flag_that_is_set_refutes_no_proof(text: str, tmp_path: Path) -> None:
    """This ended in 'internal check failed': the first of the flags was 0 in all states of the analysis."""
    file = tmp_path / "flags.c"
    file.write_text(text, encoding="utf-8")
    program, result = proof(file)
    assert is_proof(result)
    coverage = attacked(program, result, max_runs=300)
    assert coverage.states and not coverage.refuted


LITERAL = """
int main(int argc, char **argv) {
    const char *letters = "avx";
    int n = letters[0];
    for (int i = 1; i < argc; i++) if (argv[i][0] == 'a') n++;
    return n;
}
"""


def test_a_character_of_a_literal_refutes_no_proof(tmp_path: Path) -> None:
    """This ended in 'internal check failed': the literal was an object of the runs, and none of the analysis."""
    file = tmp_path / "letters.c"
    file.write_text(LITERAL, encoding="utf-8")
    program, result = proof(file)
    assert is_proof(result)
    coverage = attacked(program, result, max_runs=20)
    assert coverage.states and not coverage.refuted
