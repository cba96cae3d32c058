"""The library of shape-class generators: the built-in entries, and those of the user."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources

from kleene.diagnostics import Diagnostic, InputError
from kleene.refine.classes.generators import check_entries
from kleene.refine.classes.language import Entry, parse_entries, read_entries


@cache
def built_in() -> tuple[Entry, ...]:
    """The entries of the files in `src/kleene/shapes`, by name of file."""
    files = sorted((resources.files("kleene") / "shapes").iterdir(), key=lambda f: f.name)
    entries = [e for f in files if f.name.endswith(".scg") for e in parse_entries(f.read_text("utf-8"), f.name)]
    check_entries(entries)
    return tuple(entries)


def library(files: Sequence[str] = ()) -> tuple[Entry, ...]:
    """The built-in entries and those of some files, checked."""
    own = [entry for file in files for entry in read_entries(file)]
    known = {e.name for e in built_in()}
    taken = [e for e in own if e.name in known]
    if taken:
        raise InputError([Diagnostic(f"there is a built-in shape '{e.name}' already", e.position) for e in taken])
    entries = (*built_in(), *own)
    if own:
        check_entries(entries)
    return entries
