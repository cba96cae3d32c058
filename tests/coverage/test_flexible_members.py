"""Coverage where the analysis has a flexible array member as a block of its own, which the run has not."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.cli import run_main

CHUNKS = """
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct chunk { struct chunk *next; size_t used; char data[]; };
FUNCTION
int main(void) {
    struct chunk *h = NULL;
    while (__VERIFIER_nondet_int()) {
        struct chunk *c = malloc(sizeof *c + 64);
        if (!c) break;
        c->next = h; h = c;
        STORE
    }
    while (h) { struct chunk *c = h; h = c->next; free(c); }
    return 0;
}
"""
USES = {
    "a variable": ("", "char *p = c->data; p[0] = 1;"),
    "a result": ("static char *start(struct chunk *c) { return c->data; }", "char *p = start(c); p[0] = 1;"),
    "no pointer into it": ("", "c->data[0] = 1;"),
    "none": ("", "c->used = 0;"),
}


@pytest.mark.parametrize("name", USES)
def test_a_run_with_a_flexible_array_is_covered(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first two ended in 'internal check failed': the block of the array made the size of its struct uncertain."""
    function, store = USES[name]
    file = tmp_path / "chunks.c"
    file.write_text(CHUNKS.replace("FUNCTION", function).replace("STORE", store), encoding="utf-8")
    assert run_main(["check", str(file)]) == 0, capsys.readouterr().err
    assert "covered" in capsys.readouterr().out
