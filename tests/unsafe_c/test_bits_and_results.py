"""Bit-fields, results with a sign, and pointers that are freed through their address: only right programs are proved.

A compiled run with AddressSanitizer shows that the wrong programs fail. The shape analysis is asked alone, since
exploration would show the failure and hide a wrong proof.
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
INPUTS = ("1, 1, 1, 1, 1, 0", "0, 1, 1, 1, 1, 0", "1, -5, 1, -5, 1, -5", "-5, 1, 1, 1, 1, 1")
NUMBERS = "int __VERIFIER_nondet_int(void) { static int n[] = {INPUT}, i; return i < 6 ? n[i++] : 0; }"
SEEDS = Path(__file__).parent.parent / "fuzz_c" / "seeds" / "whole"
"""The right programs: the fuzzer changes them, too."""
BITS = (SEEDS / "flags.c").read_text(encoding="utf-8")
RESULTS = (SEEDS / "results.c").read_text(encoding="utf-8")
RELEASED = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct e { struct e *next; };
struct table { int size; struct e **slots; };
static void release(void *at) { void **p = at; if (*p) { free(*p); *p = NULL; } }
int main(void) {
    struct table *t = malloc(sizeof *t);
    if (!t) return 0;
    t->size = 7;
    t->slots = calloc(7, sizeof *t->slots);
    if (!t->slots) { release(&t); return 0; }
    while (__VERIFIER_nondet_int()) {
        unsigned k = (unsigned) __VERIFIER_nondet_int() % 7;
        struct e *e = malloc(sizeof *e);
        if (e) { e->next = t->slots[k]; t->slots[k] = e; }
    }
    for (int i = 0; i < t->size; i++)
        for (struct e *e = t->slots[i], *f; e;) { f = e; e = e->next; release(&f); }
    release(&t->slots);
    release(&t);
    return 0;
}
"""
DRAWN = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int make(int **at) {
    int length = __VERIFIER_nondet_int();
    if (length < 0) length = 0;
    int *p = malloc(sizeof *p);
    if (!p) return -1;
    *at = p;
    return length;
}
int main(void) {
    int *p = NULL;
    if (make(&p) < 0) return p ? *(int *) NULL : 1;
    free(p);
    return 0;
}
"""
RIGHT = {"bits": BITS, "results": RESULTS, "released": RELEASED, "drawn": DRAWN}
WRONG = {
    "a flag that is set later": (BITS, "    while (l->first) {", "    l->own = 1;\n    while (l->first) {"),
    "a flag that is cleared": (BITS, "    while (l->first) {", "    l->own = 0;\n    while (l->first) {"),
    "bits that are cut off": (BITS, "    while (l->first) {", "    l->own = 2;\n    while (l->first) {"),
    "a number of three bits": (
        BITS,
        "    while (l->first) {",
        "    if (l->kind == 5) l->own = 1;\n    while (l->first) {",
    ),
    "the byte of all flags": (BITS, "    while (l->first) {", "    *(unsigned char *) l ^= 8;\n    while (l->first) {"),
    "all bytes are set": (BITS, "    while (l->first) {", "    memset(l, 255, 1);\n    while (l->first) {"),
    "the limit is not known": (RESULTS, "key % size", "key"),
    "another result": (RESULTS, "return h;", "return h - 31;"),
    "a limit that is too large": (RESULTS, "&list, 31,", "&list, 4294967295u,"),
    "the other sign": (RESULTS, "v) < 0)", "v) >= 0)"),
    "also for 0": (RESULTS, "v) < 0)", "v) <= 0)"),
    "a number from outside of any sign": (DRAWN, "    if (length < 0) length = 0;\n", ""),
    "a number from outside less than 0": (DRAWN, "length < 0) length = 0", "length > 0) length = -1"),
    "a number from outside, the other sign": (DRAWN, "(&p) < 0)", "(&p) >= 0)"),
    "released twice": (
        RELEASED,
        "    release(&t);\n    return",
        "    release(&t->slots); free(t); release(&t);\n    return",
    ),
    "not released": (RELEASED, "    release(&t->slots);\n", ""),
    "used behind its release": (RELEASED, "    release(&t);\n    return 0", "    release(&t);\n    return t->size"),
    "slots used behind their release": (
        RELEASED,
        "    release(&t);\n    return 0",
        "    *t->slots = 0; release(&t);\n    return 0",
    ),
    "the struct first": (
        RELEASED,
        "    release(&t->slots);\n    release(&t);",
        "    release(&t);\n    release(&t->slots);",
    ),
    "it is not set to NULL": (RELEASED, "*p = NULL; }", "} }\nstatic void unused(void) {"),
}
TWICE = {"it is not set to NULL": ("release(&t);\n    return", "release(&t); release(&t);\n    return")}


def _wrong(name: str) -> str:
    text, old, new = WRONG[name]
    assert old in text
    changed = text.replace(old, new, 1).replace("#include <stdlib.h>", "#include <stdlib.h>\n#include <string.h>")
    return changed.replace(*TWICE[name], 1) if name in TWICE else changed


def _is_proved(text: str, folder: Path) -> bool:
    source = folder / "program.c"
    source.write_text(text, encoding="utf-8")
    result = analyse(Prepared(read_program([str(source)])), malloc_may_fail=True, seconds=SECONDS, kinds=KINDS)
    return result.complete and not result.alarms


@pytest.mark.parametrize("name", RIGHT)
def test_right_programs_are_proved(name: str, tmp_path: Path) -> None:
    assert _is_proved(RIGHT[name], tmp_path)


@in_exam
@pytest.mark.parametrize("name", WRONG)
def test_it_is_not_proved(name: str, tmp_path: Path) -> None:
    assert not _is_proved(_wrong(name), tmp_path)


@in_exam
@pytest.mark.skipif(GCC is None, reason="there is no gcc")
@pytest.mark.parametrize("name", WRONG)
def test_it_fails_in_a_compiled_run(name: str, tmp_path: Path) -> None:
    """Else what the test above demands would not be soundness."""
    source, binary = tmp_path / "program.c", tmp_path / "program"
    for numbers in INPUTS:
        source.write_text(_wrong(name) + NUMBERS.replace("INPUT", numbers), encoding="utf-8")
        subprocess.run([str(GCC), "-w", "-O0", "-fsanitize=address", "-o", str(binary), str(source)], check=True)
        run = subprocess.run([str(binary)], capture_output=True, check=False, timeout=20)
        if b"ERROR: AddressSanitizer" in run.stderr or b"LeakSanitizer" in run.stderr:
            return
    pytest.fail("no run fails")
