"""What to do where unknown code is the reason that nothing is known."""

from __future__ import annotations

from pathlib import Path

from tests.unit.c.externs.checked import checked

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict


def test_the_advice_names_an_option(tmp_path: Path) -> None:
    text = (
        "#include <stdlib.h>\nvoid look(void *);\nint main(void) {\n  int *p = malloc(4);\n  if (!p) return 0;\n"
        "  look(p);\n  free(p);\n  return 0;\n}\n"
    )
    report = checked(text, tmp_path)
    assert report.verdict is Verdict.UNKNOWN
    assert "--extern look=pure" in report.reason
    assert not [f for f in report.findings if f.kind == "memory_leak"]  # a leak was suspected at the call
    assert checked(text, tmp_path, extern=("look=pure",)).verdict is Verdict.TRUE


def test_the_advice_names_the_limit_that_was_reached() -> None:
    """FESA would prove a list whatever the limit is."""
    path = Path(__file__).parents[4] / "examples" / "c" / "trees" / "red_black.c"
    report = check([str(path)], check_options(timeout=2.0, max_structures=5))
    assert "more than 5 structures" in report.reason and "--max-structures" in report.advice


def test_the_advice_names_the_function_whose_result_is_unknown(tmp_path: Path) -> None:
    """It was to try refinement or a contract; a variable was called a function."""
    report = checked("int *get(void);\nint main(void) { int *p = get(); return p ? *p : 0; }\n", tmp_path)
    assert report.advice == "say what it gives: --extern get=alloc or another model, or --models FILE.c"
    report = checked("extern int *kept;\nint main(void) { return kept ? *kept : 0; }\n", tmp_path)
    assert "access to the value of the variable kept" in report.reason
    assert report.advice == "say what it gives: --models FILE.c"


def test_files_that_are_not_read_are_the_reason(tmp_path: Path) -> None:
    """Before, the first call of a function in such a file was the reason, and every block a possible leak."""
    client, library = tmp_path / "client.c", tmp_path / "library.c"
    client.write_text("void *make(void);\nint main(void) { int *p = make(); *p = 1; return 0; }\n")
    library.write_text('#include <stdlib.h>\n#include "config.h"\nvoid *make(void) { return malloc(4); }\n')
    report = check([str(client), str(library)], check_options(timeout=20.0))
    assert report.reason.startswith(f"not all files are read: {library}:2:10: 'config.h' file not found")
    assert "repair the errors" in report.advice
    assert not report.findings
