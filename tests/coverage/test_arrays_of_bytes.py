"""Coverage where the analysis has an array of bytes as an object without content."""

from __future__ import annotations

from pathlib import Path

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


def test_a_flag_that_is_set_refutes_no_proof(tmp_path: Path) -> None:
    """This ended in 'internal check failed': the first of the flags was 0 in all states of the analysis."""
    file = tmp_path / "flags.c"
    file.write_text(FLAGS, encoding="utf-8")
    program, result = proof(file)
    assert is_proof(result)
    coverage = attacked(program, result, max_runs=10)
    assert coverage.states and not coverage.refuted
