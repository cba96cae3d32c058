"""`kleene doctor`: what is installed, which versions, on which machine; and whether it works."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from kleene import __version__

_NEEDED = (
    "click",
    "jinja2",
    "libclang",
    "oxidd",
    "pygraphviz",
    "python-sat",
    "pyyaml",
    "rich",
    "z3-solver",
)
_OPTIONAL = {
    "cvc5": "a second solver: pip install 'kleene[provers]'",
    "distributed": "batches on a cluster: pip install 'kleene[cluster]'",
    "pygls": "the language server: pip install 'kleene[lsp]'",
    "benchexec": "benchmarks in the manner of SV-COMP: pip install benchexec",
}
_GIB = 1 << 30
_SMALL = "#include <stdlib.h>\nint main(void) { int *p = malloc(4); p = 0; return 0; }\n"
_BAD = 4


@dataclass(frozen=True)
class Probe:
    """Something that must work, with a function that tries it and says what came out."""

    name: str
    attempt: Callable[[], str]


@click.command("doctor", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> int:
    """Show what is installed and whether it works: versions, solvers, the C front end, drawing, the machine.

    Exit codes: 0 everything that is needed works, 4 something does not.
    """
    click.echo(f"kleene {__version__}, Python {platform.python_version()} ({platform.python_implementation()})")
    click.echo(f"  {platform.platform()}, {os.cpu_count()} cores, {_memory()}")
    click.echo("libraries")
    missing = [name for name in _NEEDED if not _show(name, "is needed: pip install --upgrade kleene")]
    for name, hint in _OPTIONAL.items():
        _show(name, f"is optional ({hint})")
    click.echo("checks")
    failed = [probe.name for probe in _PROBES if not _try(probe)]
    if missing or failed:
        click.echo(f"does not work: {', '.join((*missing, *failed))}")
        return _BAD
    click.echo("everything that is needed works")
    return 0


def _show(name: str, otherwise: str) -> bool:
    try:
        click.echo(f"  {name:<14}{importlib.metadata.version(name)}")
    except importlib.metadata.PackageNotFoundError:
        click.echo(f"  {name:<14}not installed; it {otherwise}")
        return False
    return True


def _try(probe: Probe) -> bool:
    try:
        click.echo(f"  {probe.name:<14}{probe.attempt()}")
    except Exception as problem:  # whatever a library that is broken raises
        click.echo(f"  {probe.name:<14}failed: {type(problem).__name__}: {problem}")
        return False
    return True


def _memory() -> str:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{pages / _GIB:.1f} GiB of memory"


def _c_front_end() -> str:
    from kleene.analysis.c.check import check
    from kleene.analysis.c.options import CheckOptions
    from kleene.core.verdict import Verdict

    with tempfile.TemporaryDirectory(prefix="kleene-doctor-") as folder:
        file = Path(folder) / "leak.c"
        file.write_text(_SMALL)
        report = check([str(file)], CheckOptions(properties=("memsafety",), timeout=30.0))
    if report.verdict is not Verdict.FALSE:
        raise RuntimeError(f"a leak was not found: {report.verdict}")
    return f"finds a leak in {report.seconds:.2f} s"


def _z3() -> str:
    import z3

    solver = z3.SimpleSolver()
    solver.add(z3.Int("x") > 3)
    if str(solver.check()) != "sat":
        raise RuntimeError("x > 3 has no solution")
    return f"solves ({z3.get_version_string()})"


def _sat() -> str:
    from pysat.solvers import Cadical195

    with Cadical195(bootstrap_with=[[1], [-1, 2]]) as solver:
        if not solver.solve() or solver.get_model() != [1, 2]:
            raise RuntimeError("a formula of two clauses is not solved")
    return "solves (cadical)"


def _drawing() -> str:
    from kleene.report.drawing.svg import svg_of_dot

    if "<svg" not in svg_of_dot("digraph g { a -> b; }\n", label="a to b"):
        raise RuntimeError("no picture came out")
    return "draws"


def _completion() -> str:
    shell = Path(os.environ.get("SHELL", "sh")).name
    return f"kleene is {'on' if shutil.which('kleene') else 'not on'} the path; your shell is {shell}"


_PROBES = (
    Probe("C programs", _c_front_end),
    Probe("z3", _z3),
    Probe("python-sat", _sat),
    Probe("pictures", _drawing),
    Probe("command", _completion),
)
