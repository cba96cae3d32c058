"""Memory that is read or written as something else: no internal error, and no proof that a run refutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.cli import run_main

PROGRAM = """
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct node {{ struct node *next; int value; }};
union view {{ int number; struct node *pointer; char bytes[8]; }};
int main(void) {{
    struct node *p = malloc(sizeof *p);
    if (!p) abort();
    p->next = NULL;
    p->value = 0;
    union view view;
    view.pointer = p;
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {{
        struct node *node = malloc(sizeof *node);
        if (!node) abort();
        node->next = list;
        list = node;
    }}
    {statement}
    while (list) {{ struct node *next = list->next; free(list); list = next; }}
    free(p);
    return 0;
}}
"""
STATEMENTS = {
    "a byte of a pointer": "p->value = view.bytes[0];",
    "half of a pointer": "p->value = view.number;",
    "half of a null pointer": "memset(p, 0, 4);",
    "a byte of a null pointer": "((char *)p)[3] = 0;",
}


@pytest.mark.parametrize("mode", [(), ("--refine",), ("--domain", "fesa")], ids=["all", "refine", "fesa"])
@pytest.mark.parametrize("name", STATEMENTS)
def test_views(name: str, mode: tuple[str, ...], tmp_path: Path) -> None:
    """Refinement had an internal error; a run refuted the proof about a null pointer with zeros over a part of it."""
    path = tmp_path / "p.c"
    path.write_text(PROGRAM.format(statement=STATEMENTS[name]))
    assert run_main(["check", str(path), *mode, "--timeout", "10", "--quiet"]) in (0, 3)
