"""The programs in folders: each task file, and each C file that no task and no other program names.

The first lines of a C file may give its command, with further files of its program, and its expected verdicts:

    // RUN: kleene check --malloc-never-fails stack.c
    // EXPECT: memsafety=TRUE memcleanup=FALSE
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from kleene import __version__
from kleene.diagnostics import UsageError

TASKS = (".yml", ".yaml")
_RUN = re.compile(r"// RUN: kleene check ?(.*)\n")
_EXPECT = re.compile(r"^// EXPECT: (.*)$", re.MULTILINE)
_LOCAL_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
_VERDICTS = ("TRUE", "FALSE")


@dataclass(frozen=True)
class Job:
    """One program: its files, its own options, its expected verdicts, and the name of its result."""

    path: Path
    more_files: tuple[Path, ...]
    options: tuple[str, ...]
    expected: tuple[tuple[str, str], ...]
    key: str
    """A digest of all inputs of the result."""

    @property
    def files(self) -> list[Path]:
        return [self.path, *self.more_files]


def find_jobs(paths: Sequence[str], options: Sequence[str]) -> list[Job]:
    """The programs in files and folders, by name; `options` apply to every check."""
    found: dict[Path, None] = {}
    for name in paths:
        path = Path(name)
        if path.is_dir():
            found.update(dict.fromkeys(_programs(path)))
        elif path.is_file():
            found[path] = None
        else:
            raise UsageError(f"there is no file or folder '{name}'")
    if not found:
        raise UsageError(f"there is no C program and no task in '{paths[0]}'")
    return [_job(path, tuple(options)) for path in found]


def _job(path: Path, options: tuple[str, ...]) -> Job:
    words = _asked(path)
    more = tuple(path.parent / word for word in words if word.endswith(".c"))
    own = (*options, *(word for word in words if not word.endswith(".c")))
    return Job(path, more, own, _expectations(path), _key([path, *more], own))


def _programs(folder: Path) -> list[Path]:
    """Task files, C files that no task names, and preprocessed files without a C file of the same name."""
    tasks = [path for path in _files(folder, TASKS) if _inputs(path)]
    named = {source.resolve() for task in tasks for source in _inputs(task)}
    sources = list(_files(folder, (".c",)))
    named |= {(path.parent / word).resolve() for path in sources for word in _asked(path) if word.endswith(".c")}
    sources = [path for path in sources if path.resolve() not in named]
    plain = {path.with_suffix("") for path in sources}
    preprocessed = [
        path for path in _files(folder, (".i",)) if path.resolve() not in named and path.with_suffix("") not in plain
    ]
    return sorted([*tasks, *sources, *preprocessed])


def _files(folder: Path, endings: tuple[str, ...]) -> Iterable[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.suffix in endings and path.is_file())


def _inputs(task: Path) -> list[Path]:
    """The files that a task names; none if it is no task."""
    try:
        document = yaml.safe_load(task.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError):
        return []
    names = document.get("input_files") if isinstance(document, dict) else None
    if isinstance(names, str):
        names = [names]
    return [task.parent / name for name in names or () if isinstance(name, str)]


def _asked(path: Path) -> list[str]:
    """The options and further files of the line RUN; the batch sets the time limit."""
    run = None if path.suffix in TASKS else _RUN.match(path.read_text(encoding="utf-8", errors="replace"))
    try:
        words = shlex.split(run[1]) if run else []
    except ValueError:
        return []
    if "--timeout" in words:
        place = words.index("--timeout")
        del words[place : place + 2]
    return words


def _expectations(path: Path) -> tuple[tuple[str, str], ...]:
    """The expected verdicts in the file; the check itself reads task files."""
    if path.suffix in TASKS:
        return ()
    mark = _EXPECT.search(path.read_text(encoding="utf-8", errors="replace"))
    stated = [part.partition("=") for part in (mark[1].split() if mark else ())]
    return tuple((name, verdict) for name, _, verdict in stated if verdict in _VERDICTS)


def _key(files: list[Path], options: Sequence[str]) -> str:
    """A name for the result: the same only for the same program, options and version of this tool."""
    digest = hashlib.sha256(repr((_tool(), list(map(str, files)), tuple(options))).encode())
    waiting = [*files, *(source for path in files if path.suffix in TASKS for source in _inputs(path))]
    seen: set[Path] = set()
    folders = _include_folders(options)
    while waiting:
        source = waiting.pop()
        if source in seen or not source.is_file():
            continue
        seen.add(source)
        content = source.read_bytes()
        digest.update(repr((source.name, len(content))).encode() + content)
        for name in _LOCAL_INCLUDE.findall(content.decode(errors="replace")):
            waiting += [folder / name for folder in (source.parent, *folders)]
    return digest.hexdigest()[:24]


def _include_folders(options: Sequence[str]) -> list[Path]:
    """The folders of ``-I FOLDER``, ``-IFOLDER``, ``--include FOLDER`` and ``--include=FOLDER``."""
    found: list[Path] = []
    for number, option in enumerate(options):
        if option in ("-I", "--include"):
            found += map(Path, options[number + 1 : number + 2])
        elif option.startswith(("-I", "--include=")):
            found.append(Path(option.removeprefix("-I").removeprefix("--include=")))
    return found


@cache
def _tool() -> str:
    """The version of this tool, as text: a changed source file makes another."""
    digest = hashlib.sha256(__version__.encode())
    root = Path(__file__).resolve().parent.parent
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".scg", ".h") and path.is_file():
            digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()
