"""The arguments of `kleene check` as values: the one way from a command line, or a RUN line, to options."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kleene.cli.refine_options import refine_settings
from kleene.cli.task_files import Task, named_properties, read_task
from kleene.core.verdict import DEFAULT_PROPERTIES, PROPERTIES
from kleene.diagnostics import UsageError, check_name

if TYPE_CHECKING:
    from kleene.analysis.c.options import CheckOptions

_TASK = (".yml", ".yaml")


@dataclass(frozen=True)
class CheckRequest:
    """The files to check, the options, and the task file, if one was given."""

    files: tuple[str, ...]
    options: CheckOptions
    task: Task | None = None


def request_of(given: dict[str, Any]) -> CheckRequest:
    """The request for the arguments of the command, given by name."""
    files: tuple[str, ...] = given["files"] or _files_of_database(given["database"])
    names, entry = named_properties(given["properties"], tuple(PROPERTIES))
    entry = given["entry"] or entry
    tasks = [name for name in files if name.endswith(_TASK)]
    if not tasks:
        _check_files(files)
        return CheckRequest(
            files, _options(_with_bits(given, files), names or DEFAULT_PROPERTIES, entry or "main", None)
        )
    if len(files) > 1:
        raise UsageError(f"a task file names the files of its program: give '{tasks[0]}' alone")
    task = read_task(tasks[0])
    _check_files(task.files)
    entry = entry or next((e.file.entry for e in task.expectations), "main")
    return CheckRequest(task.files, _options(given, names or task.properties or DEFAULT_PROPERTIES, entry, task), task)


def _files_of_database(folder: str) -> tuple[str, ...]:
    """All C files of a compilation database."""
    if not folder:
        raise UsageError("no C file is given; 'kleene check --help' shows how")
    from kleene.c.input.database import read_database

    files = read_database(folder).files
    if not files:
        raise UsageError(f"the compilation database of '{folder}' has no C file")
    return files


def _with_bits(given: dict[str, Any], files: tuple[str, ...]) -> dict[str, Any]:
    """The arguments with the sizes for which the compilation database compiles the files, if none are given."""
    if not given["database"] or given["bits32"] or given["bits64"]:
        return given
    from kleene.c.input.database import read_database

    return {**given, "bits32": read_database(given["database"]).is_32_bit(files)}


def _check_files(files: tuple[str, ...]) -> None:
    for name in files:
        check_name(name)
        if Path(name).is_dir():
            raise UsageError(f"'{name}' is a folder, not a C file")
        if not Path(name).exists():
            raise UsageError(f"there is no file '{name}'")
        if not name.endswith((".c", ".i", ".h")):
            raise UsageError(f"'{name}' is no C file: its name should end in .c or .i (or .yml for a task)")


def _options(given: dict[str, Any], properties: tuple[str, ...], entry: str, task: Task | None) -> CheckOptions:
    from kleene.analysis.c.options import CheckOptions
    from kleene.c.options import ReadOptions

    model = task.data_model if task else "ILP32" if given["svcomp"] else "LP64"
    read = ReadOptions(
        include=given["include"],
        defines=given["defines"],
        flags=given["flags"],
        database=given["database"],
        extern=given["extern"],
        models=given["models"],
        entry=entry,
        data_model="ILP32" if given["bits32"] else "LP64" if given["bits64"] else model,
        cleanup_at_abort=bool(given["svcomp"] or task),
        malloc_may_fail=not (given["malloc_never_fails"] or given["svcomp"] or task),
    )
    return CheckOptions(
        properties=properties,
        read=read,
        timeout=given["timeout"],
        max_structures=given["max_structures"],
        shape_class=given["shape_class"],
        domain=given["domain"],
        instrumentation=not given["no_instrumentation"],
        self_check=given["self_check"],
        refine=refine_settings(given),
    )
