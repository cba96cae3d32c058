"""A property file that asks for a part of memory safety is decided by this part alone: valid dereferences, valid frees,
no lost blocks.

Before, each of the three was checked as all of them, so that a leak made `valid-deref` FALSE.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from cli_samples import Kleene

PARTS = ("valid-deref", "valid-free", "valid-memtrack")
LEAK = "p = malloc(4);"
"""The old block is lost."""
DANGLING = "free(p); *p = 1;"
WRONG_FREE = "free(p + 1);"
PROGRAM = """\
#include <stdlib.h>
int main(void) {{
    int *p = malloc(8);
    if (!p) return 0;
    *p = 0;
    {}
    free(p);
    return 0;
}}
"""
UNBOUNDED = """\
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {{ struct node *next; }};
int main(void) {{
    struct node *list = NULL, *n;
    while (__VERIFIER_nondet_int()) {{
        n = malloc(sizeof *n);
        if (!n) break;
        n->next = list;
        list = n;
    }}
    while (list) {{ n = list->next; free(list); list = n; {} }}
    return 0;
}}
"""
VERDICTS = {
    PROGRAM.format(""): (0, 0, 0),
    PROGRAM.format(LEAK): (0, 0, 1),
    PROGRAM.format(DANGLING): (1, 3, 3),
    PROGRAM.format(WRONG_FREE): (3, 1, 3),
    UNBOUNDED.format(""): (0, 0, 0),
    UNBOUNDED.format("if (list) list = list->next;"): (0, 0, 1),
}
"""Exit codes by program, for each part: what follows undefined behaviour is not proved."""


def specification(parts: tuple[str, ...]) -> str:
    return "".join(f"CHECK( init(main()), LTL(G {part}) )\n" for part in parts)


@pytest.mark.parametrize("number", range(len(VERDICTS)))
def test_each_part_alone_decides(kleene: Kleene, folder: Path, number: int) -> None:
    program, codes = list(VERDICTS.items())[number]
    (folder / "p.c").write_text(program)
    for part, code in zip(PARTS, codes, strict=True):
        (folder / "one.prp").write_text(specification((part,)))
        assert kleene("check", "p.c", "--property", "one.prp", "--64").code == code, part


def test_names_of_parts_on_the_command_line(kleene: Kleene, folder: Path) -> None:
    (folder / "p.c").write_text(PROGRAM.format(LEAK))
    assert kleene("check", "p.c", "--property", "valid-deref").code == 0
    assert kleene("check", "p.c", "--property", "valid-deref", "--property", "valid-memtrack").code == 1


@pytest.mark.parametrize("order", list(itertools.permutations(PARTS)))
def test_all_parts_are_memsafety(kleene: Kleene, folder: Path, order: tuple[str, ...]) -> None:
    (folder / "p.c").write_text(PROGRAM.format(LEAK))
    (folder / "all.prp").write_text(specification(order))
    done = kleene("check", "p.c", "--property", "all.prp")
    assert done.code == 1
    assert "memsafety" in done.out
    assert not any(part in done.out for part in PARTS)


def test_witnesses_name_the_part(kleene: Kleene, folder: Path) -> None:
    (folder / "p.c").write_text(PROGRAM.format(LEAK))
    assert kleene("check", "p.c", "--property", "valid-memtrack", "--witness", "w.yml", "--64").code == 1
    text = (folder / "w.yml").read_text()
    assert "G valid-memtrack" in text
    assert "valid-deref" not in text
    assert kleene("validate", "w.yml").code == 0


def test_refinement_decides_by_the_part(kleene: Kleene, folder: Path) -> None:
    (folder / "p.c").write_text(UNBOUNDED.format("if (list) list = list->next;"))
    assert kleene("check", "p.c", "--property", "valid-deref", "--refine").code == 0
