"""Flags in the low bits of pointers, constants that are no addresses, detours through numbers: as the compiler does."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

GCC = shutil.which("gcc")
CONDITIONS = {
    "flags are kept": "(((uintptr_t)p | f) & 7) == f",
    "flags are cleared": "(struct s *)(((uintptr_t)p | f) & ~(uintptr_t)7) == p",
    "flags are set once": "(((uintptr_t)p | f) | f) == ((uintptr_t)p | f)",
    "flags are flipped": "((((uintptr_t)p | f) ^ f) & 7) == 0",
    "a member has its offset": "((uintptr_t)&p->b & 7) == (offsetof(struct s, b) & 7)",
    "some flags": "((uintptr_t)&p->b & ~(uintptr_t)3) == (uintptr_t)p + (offsetof(struct s, b) & ~3)",
    "there and back": "(struct s *)(uintptr_t)p == p",
    "not the failed mapping": "p != (struct s *)-1",
    "not poison": "p != (struct s *)0x100 && (void *)p != (void *)0xdead000000000122ul",
    "order in a block": "(char *)p < (char *)&p->b && &p->b > &p->a",
    "a number in a pointer": "(uintptr_t)(void *)(uintptr_t)f == f && ((void *)(uintptr_t)f == NULL) == (f == 0)",
}
TEXT = """
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
struct s {{ int a, b; }};
int main(void) {{
    struct s *p = malloc(sizeof *p);
    if (p == NULL)
        return 0;
    int holds = 1;
    for (unsigned f = 0; f < 8; f++)
        if (!({condition}))
            holds = 0;
    if (!holds)
        p = NULL;
    p->a = 1;
    free(p);
    return 0;
}}
"""


@pytest.mark.parametrize("name", CONDITIONS)
def test_the_condition_holds_as_in_a_compiled_run(name: str, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(TEXT.format(condition=CONDITIONS[name]))
    report = check([str(path)], check_options(timeout=20.0, malloc_may_fail=False))
    assert report.properties["memsafety"] is Verdict.TRUE, report.reason
    if GCC is not None:
        subprocess.run([GCC, "-w", "-o", str(tmp_path / "p"), str(path)], check=True)
        assert subprocess.run([str(tmp_path / "p")], check=False).returncode == 0


def test_a_poisoned_pointer_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(TEXT.format(condition="1").replace("p->a = 1;", "struct s *q = (struct s *)0x100; q->a = 1;"))
    report = check([str(path)], check_options(timeout=20.0, malloc_may_fail=False))
    assert report.properties["memsafety"] is Verdict.FALSE
