"""A job as a task: run where it is, in a folder that all workers see, or with its sources sent along."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from kleene.batch.jobs import Job
from kleene.batch.task import Limits, Task
from kleene.diagnostics import UsageError

MakeTask = Callable[[Job], Task]


def local_task(job: Job, limits: Limits) -> Task:
    """Run it here, with the names that were given."""
    return Task(job.key, _words(job, str), limits, folder=os.getcwd())


def shared_task(job: Job, limits: Limits, shared: Path) -> Task:
    """Run it in a folder that the workers see under the same name."""
    root = shared.resolve()
    outside = [path for path in job.sources if not path.resolve().is_relative_to(root)]
    if outside:
        raise UsageError(f"'{outside[0]}' is not in the shared folder '{shared}'")
    return Task(job.key, _words(job, _below(root)), limits, folder=str(root), names=_names(job, root))


def shipped_task(job: Job, limits: Limits) -> Task:
    """Send the sources along: their names are those below the deepest folder that holds them all."""
    parents = [path.resolve().parent for path in job.sources]
    root = Path(os.path.commonpath([*parents, *_folders(job)]))
    place = _below(root)
    files = tuple((place(path), path.read_bytes()) for path in job.sources)
    return Task(job.key, _words(job, place), limits, files=files, names=_names(job, root))


def _below(root: Path) -> Callable[[Path], str]:
    def place(path: Path) -> str:
        resolved = path.resolve()
        return str(resolved.relative_to(root)) if resolved.is_relative_to(root) else str(path)

    return place


def _names(job: Job, root: Path) -> tuple[tuple[str, str], ...]:
    place = _below(root)
    return tuple((place(path), str(path)) for path in job.sources if place(path) != str(path))


def _folders(job: Job) -> list[Path]:
    """The folders that options name: those of includes."""
    return [path.resolve() for word in job.options if (path := _path(word)[1]) is not None and path.is_dir()]


def _words(job: Job, place: Callable[[Path], str]) -> tuple[str, ...]:
    """The command line without outputs and limits. No name of a file is taken for an option."""
    options = []
    for word in job.options:
        head, path = _path(word)
        options.append(word if path is None else head + place(path))
    return (job.command, *options, *(_plain(place(path)) for path in job.files))


def _plain(name: str) -> str:
    return f"./{name}" if name.startswith("-") else name


def _path(word: str) -> tuple[str, Path | None]:
    """The existing file or folder that a word of the options names, and the text before it."""
    for head in ("", "-I", word.partition("=")[0] + "="):
        rest = word.removeprefix(head)
        if word.startswith(head) and rest and not rest.startswith("-") and Path(rest).exists():
            return head, Path(rest)
    return "", None
