"""Files of models are linked to a program as other files are: by what a linker does with each definition.

Of each pair the first model makes the program wrong, the second one does not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

HEAD = "#include <stdlib.h>\n"
INDEX = "int get(void);\nint main(void) { int a[3] = {0}; return a[get()] + a[state]; }\n"
BLOCK = "int *g; int get(void);\nint main(void) { g = malloc(4); if (!g) return 0; get(); free(g); g = 0; return 0; }\n"
PAIRS = {
    "a value for a variable without one": (
        "int state;\n" + INDEX,
        "int state = 3; int get(void) { return 0; }",
        "int state = 2; int get(void) { return 0; }",
    ),
    "a value for an array without one": (
        "int table[2]; int state;\n" + INDEX.replace("a[state]", "a[table[1]]"),
        "int table[2] = { 0, 5 }; int get(void) { return 0; }",
        "int table[2] = { 5, 0 }; int get(void) { return 0; }",
    ),
    "a value for a weak variable": (
        "__attribute__((weak)) int state = 1;\n" + INDEX,
        "int state = 3; int get(void) { return 0; }",
        "int state = 2; int get(void) { return 0; }",
    ),
    "a body for a weak function": (
        "int state;\n__attribute__((weak)) int get(void) { return 0; }\n" + INDEX,
        "int get(void) { return 7; }",
        "int get(void) { return 2; }",
    ),
    "a function that runs before main": (
        "extern int state;\n" + INDEX,
        "int state; __attribute__((constructor)) static void init(void) { state = 5; } int get(void) { return 0; }",
        "int state = 5; __attribute__((constructor)) static void init(void) { state = 0; } int get(void) { return 0; }",
    ),
    "a function that runs behind main": (
        BLOCK.replace("g = 0; ", ""),
        "extern int *g; int get(void) { return 0; } __attribute__((destructor)) static void end(void) { free(g); }",
        "extern int *g; int get(void) { return 0; } __attribute__((destructor)) static void end(void) { g = 0; }",
    ),
    "a function that is registered for the exit": (
        BLOCK.replace("g = 0; ", ""),
        "extern int *g; static void end(void) { free(g); } int get(void) { return atexit(end); }",
        "extern int *g; static void end(void) { g = 0; } int get(void) { return atexit(end); }",
    ),
}


@pytest.mark.parametrize("what", PAIRS)
def test_what_a_linker_does_with_a_definition(what: str, tmp_path: Path) -> None:
    """All of the first ones were TRUE: what the model says was left out."""
    program, wrong, right = PAIRS[what]
    for model, verdict in ((wrong, Verdict.FALSE), (right, Verdict.TRUE)):
        (tmp_path / "p.c").write_text(HEAD + program)
        (tmp_path / "models.c").write_text(HEAD + model)
        options = check_options(timeout=20.0, models=(str(tmp_path / "models.c"),))
        assert check([str(tmp_path / "p.c")], options).properties["memsafety"] is verdict


@pytest.mark.parametrize(("state", "verdict"), [(3, Verdict.FALSE), (2, Verdict.TRUE)])
def test_a_weak_definition_of_a_model_does_not_replace_one_of_the_program(
    state: int, verdict: Verdict, tmp_path: Path
) -> None:
    (tmp_path / "p.c").write_text(f"int state = {state};\n{INDEX}")
    weak = "__attribute__((weak))"
    (tmp_path / "models.c").write_text(f"{weak} int state = {5 - state}; int get(void) {{ return 0; }}\n")
    options = check_options(timeout=20.0, models=(str(tmp_path / "models.c"),))
    assert check([str(tmp_path / "p.c")], options).properties["memsafety"] is verdict
