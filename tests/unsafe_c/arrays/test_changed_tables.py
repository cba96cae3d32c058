"""Tables of lists with one line changed, so that they fail on the input given here: no attempt proves them.

A compiled run with AddressSanitizer shows that they fail. The shape analysis is asked alone, since exploration would
show the failure and hide a wrong proof.
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

EXAMPLES = Path(__file__).parents[3] / "examples" / "c" / "arrays"
GCC = shutil.which("gcc")
KINDS = kinds_of(["memsafety", "memcleanup"])
SECONDS = 20.0
CHANGED = {
    "a bucket that is not set": (
        "settings",
        "i = 0; i < table.count; i++)\n        t",
        "i = 1; i < table.count; i++)\n        t",
        "p b",
    ),
    "no room for the terminator": ("settings", "strlen(text) + 1", "strlen(text)", "a b"),
    "the old value is lost": (
        "settings",
        "            free(s->value);\n            s->value",
        "            s->value",
        "a b a c",
    ),
    "an entry that stays in its bucket": (
        "settings",
        "        table->buckets[bucket] = s->next;",
        "        ;",
        "a b a -",
    ),
    "the name of a removed entry is lost": ("settings", "s->next;\n    free(s->name);", "s->next;\n", "a b a -"),
    "a hash that is the number of buckets": ("settings", "% table->count", "% (table->count + 1)", "e b"),
    "a list that is not freed": (
        "topological_order",
        "i = 0; i < count; i++)\n        while",
        "i = 1; i < count; i++)\n        while",
        "2 0 1 1 0",
    ),
    "an index that is the length": ("topological_order", "from >= count", "from > count", "2 2 0"),
    "a number without a limit": ("topological_order", " || to >= count", "", "2 0 5"),
    "a number that is taken too high": ("topological_order", "stack[--top]", "stack[top--]", "1"),
}
each = pytest.mark.parametrize("name", CHANGED)


def _write(name: str, folder: Path) -> Path:
    example, old, new, _ = CHANGED[name]
    text = (EXAMPLES / f"{example}.c").read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = folder / "program.c"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


@pytest.mark.skipif(GCC is None, reason="there is no gcc")
@each
def test_it_fails_in_a_compiled_run(name: str, tmp_path: Path) -> None:
    """Else what the next test demands would not be soundness."""
    binary, inputs = tmp_path / "program", CHANGED[name][3]
    flags = ["-w", "-O0", "-fno-builtin", "-fsanitize=address,undefined"]
    subprocess.run([str(GCC), *flags, "-o", str(binary), str(_write(name, tmp_path))], check=True)
    run = subprocess.run([str(binary), *inputs.split()], input=inputs, capture_output=True, check=False, text=True)
    assert "Sanitizer" in run.stderr


@each
def test_it_is_not_proved(name: str, tmp_path: Path) -> None:
    prepared = Prepared(read_program([str(_write(name, tmp_path))]))
    result = analyse(prepared, malloc_may_fail=False, seconds=SECONDS, kinds=KINDS)
    assert not result.complete or result.alarms
