"""`kleene examples FOLDER`: copies of the examples that are shipped."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

import kleene
from kleene.diagnostics import UsageError

_PACKAGE = Path(kleene.__file__).parent
_SHIPPED = _PACKAGE / "examples"
"""Where a wheel has them."""
_IN_SOURCE = _PACKAGE.parent.parent / "examples"
"""Where a work tree has them."""


@click.command("examples", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder")
def command(folder: str) -> int:
    """Copy the shipped examples to FOLDER: C programs, TVP analyses, contracts, symbolic operations."""
    source = next((place for place in (_SHIPPED, _IN_SOURCE) if (place / "README.md").is_file()), None)
    if source is None:
        raise UsageError("this installation has no examples: install the wheel or the source distribution again")
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"'{folder}' exists and is not empty: name a new folder")
    shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    count = sum(1 for path in target.rglob("*") if path.suffix in (".c", ".tvp"))
    click.echo(f"{count} programs are in '{folder}'; start with '{target / 'README.md'}'")
    return 0
