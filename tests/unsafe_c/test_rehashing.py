"""Elements that go to another array before theirs is freed: one that is used once more is no proof.

The old elements are as if they had not been initialized after the last read. Each wrong program uses one again, by
another name or another walk, or does not move them all.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared

GCC = shutil.which("gcc")
SECONDS = 1.5
KINDS = kinds_of(["memsafety", "memcleanup"])
PROGRAM = """
#include <stdlib.h>
typedef struct node {{ struct node *next; }} node;
int main(int argc, char **argv) {{
    size_t n = argc > 0 && argc < 9 ? argc + 1 : 9, i, h;
    node **old = calloc(n, sizeof *old), **new, *x, *y;
    for (i = 0; i < n; i++) {{
        old[i] = malloc(sizeof *x);
        old[i]->next = NULL;
    }}
    new = calloc(2 * n, sizeof *new);
    {before}
    for (i = 0; i < n; i++) {{
        x = old[i];
        {read}
        while (x) {{
            y = x->next;
            h = (size_t)rand() % (2 * n);
            x->next = new[h];
            new[h] = x;
            x = y;
        }}
        {end}
    }}
    {after}
    free(old);
    for (i = 0; i < 2 * n; i++)
        for (x = new[i]; x; x = y) {{
            y = x->next;
            free(x);
        }}
    free(new);
    return 0;
}}
"""
NOTHING = {"before": "", "read": "", "end": "", "after": ""}
WRONG = {
    "a second walk over the old array": {"after": "for (i = 0; i < n; i++) free(old[i]);"},
    "an element of the old array": {"after": "free(old[n - 1]);"},
    "another name of the array": {"before": "node **alias = old;", "after": "free(alias[0]);"},
    "the address of an element": {"before": "node **p = &old[0];", "after": "free(*p);"},
    "the element once more": {"end": "free(old[i]);"},
    "the index goes back": {"before": "int once = 1;", "end": "if (once) { once = 0; free(old[0]); }"},
    "a way out of the loop": {"end": "if (i == 0) break;"},
    "a chain that is left out": {"read": "if (i == 1) continue;"},
}


def _program(name: str, folder: Path) -> Path:
    path = folder / "program.c"
    path.write_text(PROGRAM.format(**NOTHING | WRONG.get(name, {})))
    return path


each = pytest.mark.parametrize("name", WRONG)


@pytest.mark.skipif(GCC is None, reason="there is no gcc")
@each
def test_it_fails_in_a_compiled_run(name: str, tmp_path: Path) -> None:
    binary = tmp_path / "program"
    command = [str(GCC), "-w", "-O0", "-fsanitize=address", "-o", str(binary)]
    subprocess.run([*command, str(_program(name, tmp_path))], check=True)
    assert b"Sanitizer" in subprocess.run([str(binary)], capture_output=True, check=False).stderr


@each
def test_it_is_not_proved(name: str, tmp_path: Path) -> None:
    prepared = Prepared(read_program([str(_program(name, tmp_path))]))
    shape = analyse(prepared, malloc_may_fail=False, seconds=SECONDS, kinds=KINDS)
    assert not shape.complete or {alarm.kind for alarm in shape.alarms} & KINDS


def test_the_right_one_is_proved(tmp_path: Path) -> None:
    prepared = Prepared(read_program([str(_program("right", tmp_path))]))
    shape = analyse(prepared, malloc_may_fail=False, seconds=20.0, kinds=KINDS)
    assert shape.complete and not shape.alarms
