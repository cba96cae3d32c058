"""Arrays that are members of the elements of a block: an index that is right in the array says nothing of the element.

Each program accesses an element behind the last one, by an index that is inside the member. All analyses proved these.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.compiled import fails_in_a_run, needs_gcc

from kleene.analysis.c.fesa import analyse_fesa
from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared

SECONDS = 20.0
KINDS = kinds_of(["memsafety"])
PROGRAM = """
#include <stdlib.h>
#include <string.h>
struct element {{ int key, numbers[8]; char name[8]; struct {{ int size, pair[2]; }} parts[3]; }};
int main(int argc, char **argv) {{
    struct element *v = calloc(argc, sizeof *v);
    if (!v)
        abort();
    int j = argc - {less};
    {access}
    free(v);
    return 0;
}}
"""
ACCESSES = {
    "an element of the member": "v[j].numbers[argc & 7] = 1;",
    "the member as a pointer": "int *p = v[j].numbers; p[argc & 7] = 1;",
    "the address of an element": "int *p = &v[j].numbers[2]; p[1] = 1;",
    "a text": 'strcpy(v[j].name, "abc");',
    "a pointer to the element": "struct element *p = v + j; p->numbers[argc & 7] = 1;",
    "a text of a pointer to the element": "struct element *p = &v[j]; char *c = p->name; c[3] = 0;",
}
VARIABLES = {
    "a member in a variable": "struct element w[4]; int k = {last} - (argc > 1), *p = w[k].numbers; p[argc & 7] = 1;",
    "a text in a variable": 'struct element w[4]; int k = {last} - (argc > 1); strcpy(w[k].name, "abc");',
}
INNER = {
    "a member of a member": "v[0].parts[j].pair[1] = 1;",
    "a member of a member as a pointer": "int *p = v[0].parts[j].pair; p[1] = 1;",
}


def _program(name: str, folder: Path, *, wrong: bool) -> Path:
    path = folder / "program.c"
    if name in VARIABLES:
        text = PROGRAM.format(less=1, access=VARIABLES[name].format(last=4 if wrong else 3))
    elif name in INNER:
        text = PROGRAM.format(less=1, access=f"j = {3 if wrong else 2} - (argc > 1); {INNER[name]}")
    else:
        text = PROGRAM.format(less=0 if wrong else 1, access=ACCESSES[name])
    path.write_text(text)
    return path


each = pytest.mark.parametrize("name", [*ACCESSES, *VARIABLES, *INNER])


@needs_gcc
@each
def test_it_fails_in_a_compiled_run(name: str, tmp_path: Path) -> None:
    assert fails_in_a_run(_program(name, tmp_path, wrong=True), leaks=True)


@each
def test_it_is_not_proved(name: str, tmp_path: Path) -> None:
    prepared = Prepared(read_program([str(_program(name, tmp_path, wrong=True))]))
    shape = analyse(prepared, malloc_may_fail=False, seconds=SECONDS, kinds=KINDS)
    assert not shape.complete or {alarm.kind for alarm in shape.alarms} & KINDS
    fesa = analyse_fesa(prepared, malloc_may_fail=False, seconds=SECONDS)
    assert not fesa.complete or {alarm.kind for alarm in fesa.alarms} & KINDS


@each
def test_the_last_element_is_proved(name: str, tmp_path: Path) -> None:
    prepared = Prepared(read_program([str(_program(name, tmp_path, wrong=False))]))
    shape = analyse(prepared, malloc_may_fail=False, seconds=SECONDS, kinds=KINDS)
    assert shape.complete and not shape.alarms
