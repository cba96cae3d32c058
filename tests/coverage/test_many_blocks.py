"""How many blocks a state may have to be searched in a proof: what is not in the heap does not count."""

from __future__ import annotations

from pathlib import Path

from tests.coverage.helpers import attacked, is_proof, proof

from kleene.coverage.invariants import MOST_NODES

LIST = """
#include <stdio.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
FUNCTIONS
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) break;
        n->next = list;
        list = n;
    }
    CALLS
    while (list) { struct node *n = list->next; free(list); list = n; }
    return 0;
}
"""


def test_states_of_programs_with_many_functions_are_searched(tmp_path: Path) -> None:
    """Functions counted as nodes: no state of a program with more than 40 functions was searched in its proof."""
    path = tmp_path / "list.c"
    names = [f"f{n}" for n in range(2 * MOST_NODES)]
    functions = "\n".join(f"static int {name}(void) {{ return 1; }}" for name in names)
    path.write_text(LIST.replace("FUNCTIONS", functions).replace("CALLS", "".join(f"{name}();" for name in names)))
    program, result = proof(path, "shape")
    assert is_proof(result)
    coverage = attacked(program, result)
    assert coverage.refuted is None
    assert coverage.states > 20
