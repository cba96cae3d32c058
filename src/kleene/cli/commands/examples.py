"""`kleene examples FOLDER`: copies of the examples that are shipped."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from kleene.diagnostics import UsageError
from kleene.shipped_examples import examples_folder


@click.command("examples", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder")
def command(folder: str) -> int:
    """Copy the shipped examples to FOLDER: C programs, TVP analyses, contracts, symbolic operations."""
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"'{folder}' exists and is not empty: name a new folder")
    shutil.copytree(examples_folder(), target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    count = sum(1 for path in target.rglob("*") if path.suffix in (".c", ".tvp"))
    click.echo(f"{count} programs are in '{folder}'; start with '{target / 'README.md'}'")
    return 0
