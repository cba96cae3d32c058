"""Texts at the end of structs that functions of the program allocate and free: only the right program is proved.

A compiled run with AddressSanitizer shows that the wrong programs fail. The shape analysis is asked
alone, since exploration would show the failure and hide a wrong proof.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.slices import in_exam

from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared

GCC = shutil.which("gcc")
KINDS = kinds_of(["memsafety", "memcleanup"])
SECONDS = 20.0
NAMES = """
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
struct name { struct name *next; unsigned flags; char text[1]; };
static void *xmalloc(size_t size) { void *p = malloc(size); if (!p) abort(); return p; }
static void xfree(void *p) { if (p) free(p); }
static void add(struct name **list, const char *text) {
    struct name *n = xmalloc(sizeof *n + strlen(text));
    strcpy(n->text, text);
    n->next = *list;
    *list = n;
}
int main(void) {
    struct name *names = NULL, *n;
    char *last = NULL;
    while (__VERIFIER_nondet_int()) {
        add(&names, __VERIFIER_nondet_int() ? "alice" : "bo");
        last = names->text;
    }
    while (names) { n = names->next; xfree(names); names = n; }
    return 0;
}
"""
CHANGES = {
    "no room for the text": ("sizeof *n + strlen(text)", "sizeof *n + strlen(text) - 4"),
    "no room at all": ("sizeof *n + strlen(text)", "sizeof *n"),
    "less than the struct": ("sizeof *n + strlen(text)", "sizeof *n - 8 + strlen(text)"),
    "the size of another text": ("sizeof *n + strlen(text)", 'sizeof *n + strlen("")'),
    "a text of a freed struct": ("names = n; }\n    return 0", "names = n; }\n    return last ? *last : 0"),
    "the text is freed": ("xfree(names); names", "xfree(names->text); names"),
    "freed twice": ("xfree(names); names", "xfree(names); xfree(names); names"),
    "a struct is lost": ("    *list = n;\n", "    if (!*list) *list = n;\n"),
    "the allocator takes less": ("malloc(size)", "malloc(size / 2)"),
    "the size has changed": ("malloc(size); if", "malloc(size -= 4); if"),
}


def _analysed(text: str, folder: Path) -> bool:
    source = folder / "names.c"
    source.write_text(text, encoding="utf-8")
    result = analyse(Prepared(read_program([str(source)])), malloc_may_fail=True, seconds=SECONDS, kinds=KINDS)
    return result.complete and not result.alarms


def _changed(name: str) -> str:
    old, new = CHANGES[name]
    assert old in NAMES
    return NAMES.replace(old, new, 1)


def test_texts_from_an_allocator_of_the_program_are_proved(tmp_path: Path) -> None:
    assert _analysed(NAMES, tmp_path)


@in_exam
@pytest.mark.parametrize("name", CHANGES)
def test_it_is_not_proved(name: str, tmp_path: Path) -> None:
    assert not _analysed(_changed(name), tmp_path)


@in_exam
@pytest.mark.skipif(GCC is None, reason="there is no gcc")
@pytest.mark.parametrize("name", CHANGES)
def test_it_fails_in_a_compiled_run(name: str, tmp_path: Path) -> None:
    """Else what the test above demands would not be soundness."""
    source, binary = tmp_path / "names.c", tmp_path / "names"
    numbers = (
        "int __VERIFIER_nondet_int(void) { static int n[] = {1, 1, 1, 0, 1, 1, 0}, i; return i < 7 ? n[i++] : 0; }"
    )
    source.write_text(_changed(name) + numbers, encoding="utf-8")
    subprocess.run([str(GCC), "-w", "-O0", "-fsanitize=address", "-o", str(binary), str(source)], check=True)
    run = subprocess.run([str(binary)], capture_output=True, check=False, timeout=20)
    assert b"ERROR: AddressSanitizer" in run.stderr or b"LeakSanitizer" in run.stderr
