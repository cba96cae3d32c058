"""The programs in folders: each task file, each C file that no task names, each TVP program with an input.

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
from kleene.diagnostics import UsageError, check_name

TASKS = (".yml", ".yaml")
TVP, TVS = ".tvp", ".tvs"
_RUN = re.compile(r"// RUN: kleene check ?(.*)\n")
_EXPECT = re.compile(r"^// EXPECT: (.*)$", re.MULTILINE)
_LOCAL_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
_VERDICTS = ("TRUE", "FALSE")
_ALLOWED = frozenset(
    (
        "--32",
        "--64",
        "--contracts",
        "--define",
        "--domain",
        "--entry",
        "--include",
        "--malloc-never-fails",
        "--max-rounds",
        "--max-structures",
        "--no-instrumentation",
        "--property",
        "--refine",
        "--sample-size",
        "--samples",
        "--shape-class",
        "--shapes",
        "--structure-hint",
        "--svcomp",
    )
)
"""The options that the line RUN of a program may have: none that writes a file."""


@dataclass(frozen=True)
class Job:
    """One program: its files, its own options, its expected verdicts, and the name of its result."""

    path: Path
    more_files: tuple[Path, ...]
    options: tuple[str, ...]
    expected: tuple[tuple[str, str], ...]
    key: str
    """A digest of all inputs of the result."""
    sources: tuple[Path, ...]
    """The files of the program, and the files that they include by name."""
    refused: str = ""
    """The reason why it is not checked: its line RUN has an option that is not allowed."""

    @property
    def command(self) -> str:
        """The command of this tool that checks it."""
        return "run" if self.path.suffix == TVP else "check"

    @property
    def files(self) -> list[Path]:
        return [self.path, *self.more_files]


def find_jobs(paths: Sequence[str], options: Sequence[str], run_options: Sequence[str] = ()) -> list[Job]:
    """The programs in files and folders, by name; the options apply to every check and to every TVP run."""
    programs: dict[Path, None] = {}
    for name in paths:
        path = Path(name)
        if path.is_dir():
            programs.update(dict.fromkeys(_programs(path)))
        elif path.is_file():
            programs[path] = None
        else:
            raise UsageError(f"there is no file or folder '{name}'")
    for path in programs:
        check_name(str(path))
    if not programs:
        raise UsageError(f"there is no C program, no task and no TVP program with an input in '{paths[0]}'")
    return [_job(path, tuple(run_options if path.suffix == TVP else options)) for path in programs]


def _job(path: Path, options: tuple[str, ...]) -> Job:
    words = _run_line_options(path)
    more = tuple(_further(path, words))
    own = (*options, *(word for word in words if not word.endswith(".c")))
    sources = _sources([path, *more], own)
    key = _key([path, *more], own, sources)
    return Job(path, more, own, _expectations(path), key, sources, _refused_option(path, words))


def _further(path: Path, words: Sequence[str]) -> list[Path]:
    """The other files of the program that its line RUN names."""
    named = [path.parent / word for word in words if word.endswith(".c")]
    return [other for other in named if other.resolve() != path.resolve()]


def _refused_option(path: Path, words: Sequence[str]) -> str:
    """The first option of the line RUN that could do more than change how the program is checked."""
    asked = [word for word in words if word.startswith("-") and not word[1:].isdecimal()]
    bad = [word for word in asked if word.partition("=")[0] not in _ALLOWED and not word.startswith(("-I", "-D"))]
    return f"{path}:1:1: a program may not ask for '{bad[0]}' in its line RUN" if bad else ""


def _programs(folder: Path) -> list[Path]:
    """Task files, C files that no task names, and preprocessed files without a C file of the same name."""
    tasks = [path for path in _files(folder, TASKS) if _inputs(path)]
    named = {source.resolve() for task in tasks for source in _inputs(task)}
    sources = list(_files(folder, (".c",)))
    named |= {further.resolve() for path in sources for further in _further(path, _run_line_options(path))}
    sources = [path for path in sources if path.resolve() not in named]
    plain = {path.with_suffix("") for path in sources}
    preprocessed = [
        path for path in _files(folder, (".i",)) if path.resolve() not in named and path.with_suffix("") not in plain
    ]
    analyses = [path for path in _files(folder, (TVP,)) if path.with_suffix(TVS).is_file()]
    return sorted([*tasks, *sources, *preprocessed, *analyses])


def _files(folder: Path, endings: tuple[str, ...]) -> Iterable[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.suffix in endings and path.is_file())


def _inputs(task: Path) -> list[Path]:
    """The files that a task names; none if it is no task."""
    names = _task(task).get("input_files")
    names = [names] if isinstance(names, str) else names
    return [task.parent / name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _property_files(task: Path) -> list[Path]:
    """The property files that a task names."""
    entries = _task(task).get("properties")
    names = [e.get("property_file") for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []
    return [task.parent / name for name in names if isinstance(name, str)]


def _task(task: Path) -> dict[object, object]:
    """The content of a task file; empty if it is none."""
    try:
        document = yaml.safe_load(task.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _run_line_options(path: Path) -> list[str]:
    """The options and further files of the line RUN; the batch sets the time limit."""
    run = None if path.suffix in (*TASKS, TVP) else _RUN.match(path.read_text(encoding="utf-8", errors="replace"))
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


def _key(files: list[Path], options: Sequence[str], sources: Sequence[Path]) -> str:
    """A name for the result: the same only for the same program, options and version of this tool."""
    digest = hashlib.sha256(repr((tool_version(), list(map(str, files)), tuple(options))).encode())
    for source in sources:
        content = source.read_bytes()
        digest.update(repr((str(source), len(content))).encode() + content)
    return digest.hexdigest()[:24]


def _sources(files: list[Path], options: Sequence[str]) -> tuple[Path, ...]:
    """The existing files of a program: its own, those that they include by name, and those that the options name."""
    named = [Path(word.rpartition("=")[2]) for word in options]
    waiting = [*files, *(path for path in named if path.is_file())]
    for path in files:
        if path.suffix in TASKS:
            waiting += [*_inputs(path), *_property_files(path)]
        elif path.suffix == TVP:
            waiting += [path.with_suffix(TVS), path.with_suffix(".properties")]
    folders = _include_folders(options)
    seen: dict[Path, None] = {}
    while waiting:
        source = waiting.pop(0)
        if source in seen or not source.is_file():
            continue
        seen[source] = None
        for name in _LOCAL_INCLUDE.findall(source.read_bytes().decode(errors="replace")):
            waiting += [folder / name for folder in (source.parent, *folders)]
    return tuple(seen)


def _include_folders(options: Sequence[str]) -> list[Path]:
    """The folders of ``-I FOLDER``, ``-IFOLDER``, ``--include FOLDER`` and ``--include=FOLDER``."""
    include_folders: list[Path] = []
    for number, option in enumerate(options):
        if option in ("-I", "--include"):
            include_folders += map(Path, options[number + 1 : number + 2])
        elif option.startswith(("-I", "--include=")):
            include_folders.append(Path(option.removeprefix("-I").removeprefix("--include=")))
    return include_folders


@cache
def tool_version() -> str:
    """The version of this tool, as text: a changed source file makes another."""
    digest = hashlib.sha256(__version__.encode())
    root = Path(__file__).resolve().parent.parent
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".scg", ".h") and path.is_file():
            digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()
