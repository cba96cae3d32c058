"""`kleene check` where a program ends: error calls, failing assertions and `abort`, also as in SV-COMP."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_samples import Kleene

START = """\
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { }
struct node { struct node *next; };
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        fresh->next = list;
        list = fresh;
    }
"""
CLEAN = "    while (list) { struct node *next = list->next; free(list); list = next; }\n"
TRUE, FALSE, UNKNOWN = 0, 1, 3


def verdict(kleene: Kleene, folder: Path, text: str, *options: str) -> int:
    (folder / "ends.c").write_text(START + text + "    return 0;\n}\n")
    return kleene("check", "--malloc-never-fails", *options, "ends.c").code


@pytest.mark.parametrize("end", ["abort()", "assert(0)", "reach_error(), abort()"])
@pytest.mark.parametrize("domain", ["all", "fesa"])
def test_what_is_not_freed_at_an_abort_counts_with_svcomp(kleene: Kleene, folder: Path, end: str, domain: str) -> None:
    options = ("--property", "memcleanup", "--domain", domain)
    early = f"    if (__VERIFIER_nondet_int()) {end};\n{CLEAN}"
    assert verdict(kleene, folder, early, *options) == TRUE
    assert verdict(kleene, folder, early, "--svcomp", *options) == FALSE
    assert verdict(kleene, folder, early, "--svcomp", "--property", "memsafety", "--domain", domain) == TRUE
    late = f"{CLEAN}    if (__VERIFIER_nondet_int()) {end};\n"
    assert verdict(kleene, folder, late, "--svcomp", *options) == TRUE


def test_an_error_function_with_a_body_returns_where_calling_it_is_no_error(kleene: Kleene, folder: Path) -> None:
    text = f"    if (list) reach_error();\n    if (list) free(list);\n{CLEAN}"
    assert verdict(kleene, folder, text, "--property", "memsafety") == FALSE
    assert verdict(kleene, folder, f"    if (list) reach_error();\n{CLEAN}", "--property", "memsafety") == TRUE
    assert verdict(kleene, folder, f"    if (list) reach_error();\n{CLEAN}", "--property", "unreach") == FALSE


def test_cleanup_is_not_proved_behind_an_error_call(kleene: Kleene, folder: Path) -> None:
    text = f"    if (list) reach_error();\n{CLEAN}"
    both = ("--property", "unreach", "--property", "memcleanup")
    assert verdict(kleene, folder, text, "--svcomp", *both) == FALSE
    shown = kleene("check", "--svcomp", *both, "ends.c").out
    assert "memcleanup UNKNOWN" in shown and "--property memcleanup alone" in shown
