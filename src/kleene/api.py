"""The library for Python programs and notebooks: ``kleene.run_tvp("reverse.tvp")``, ``kleene.check_c("list.c")``.

Structures draw themselves in a notebook, and reports show their summary table.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kleene.analysis.c.check import check
from kleene.analysis.c.options import CheckOptions, check_options
from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.run import prepare, run
from kleene.report.drawing.svg import structure_svg
from kleene.report.run.result import RunReport
from kleene.report.run.table import run_table
from kleene.results.check import CheckReport
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import read_tvs
from kleene.tvp.program import Program, load_program

__all__ = [
    "CheckOptions",
    "CheckReport",
    "Program",
    "RunOptions",
    "RunReport",
    "Structure",
    "check_c",
    "load_program",
    "read_tvs",
    "run_tvp",
]


def run_tvp(program: str | Path | Program, structures: str | Path | None = None, **options: Any) -> RunReport:
    """Run a TVP program on the structures of a TVS file (default: the file of the program's name).

    The options are those of `RunOptions`, for instance ``order="tvla"`` or ``explain=("exit",)``.
    """
    path = None if isinstance(program, Program) else Path(program)
    as_tvla = RunOptions(**options).as_tvla
    loaded = load_program(path, arguments_one_by_one=as_tvla) if path is not None else program
    assert isinstance(loaded, Program)
    if structures is None:
        if path is None:
            raise TypeError("a program that is already loaded needs a file of structures")
        structures = path.with_suffix(".tvs")
    return run(prepare(loaded, RunOptions(**options)), read_tvs(structures, loaded.vocabulary).structures)


def check_c(*files: str | Path, **options: Any) -> CheckReport:
    """Check a C program; the options are those of `CheckOptions` and of `ReadOptions`, such as ``entry="start"``."""
    return check([str(file) for file in files], check_options(**options))


def _draw_in_notebooks() -> None:
    """The layers below know nothing of pictures, so the drawing is attached here."""
    Structure._repr_svg_ = structure_svg  # type: ignore[attr-defined]
    RunReport._repr_pretty_ = lambda self, printer, cycle: printer.text(run_table(self))  # type: ignore[attr-defined]


_draw_in_notebooks()
