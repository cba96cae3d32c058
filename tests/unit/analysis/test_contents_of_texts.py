"""Bytes that functions write, and those of arguments, may be anything: what depends on them is not excluded."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.fesa import analyse_fesa
from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.passes.preparation import Prepared

HEADER = "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
PAIR = "struct pair { int x, y; };\n"
PROGRAMS = {
    "argument": "int main(int argc, char **argv) { if (argv[0][0] == 98) assert(0); return 0; }",
    "two arguments": "int main(int argc, char **argv) {\n"
    "  if (argc > 1 && argv[0][0] == 98 && argv[1][0] != 98) assert(0); return 0; }",
    "recursive entry": "int main(int argc, char **argv) {\n"
    "  if (argc < 0) return main(argc + 1, argv); if (argv[0][0] == 98) assert(0); return 0; }",
    "variable": "int main(void) { char c = 0; if (read(0, &c, 1) == 1 && c == 98) assert(0); return 0; }",
    "struct": PAIR + "int main(void) { struct pair q = {0, 0}; if (read(0, &q, sizeof q) < 0) return 0;\n"
    "  struct pair r = q; if (r.x == 5) assert(0); return 0; }",
    "array": "int main(void) { int a[2] = {0, 0}; if (read(0, a, 8) == 8 && a[1] == 5) assert(0); return 0; }",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_assertion_is_not_proved(name: str, tmp_path: Path) -> None:
    """The character of an argument, and a variable that `read` writes, were 0 for ever: the assertion was proved."""
    path = tmp_path / "p.c"
    path.write_text(HEADER + PROGRAMS[name] + "\n")
    for domain in (analyse, analyse_fesa):
        result = domain(Prepared(read_program([str(path)])), malloc_may_fail=True, seconds=10)
        assert not result.complete or result.alarms, domain.__name__
