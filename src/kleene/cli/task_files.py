"""SV-COMP's property files (`.prp`) and task files (`.yml`): what to check, in which files, and what to expect."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kleene.core.verdict import PARTS_OF_MEMSAFETY
from kleene.diagnostics import Diagnostic, InputError, KleeneError, Position, UsageError, did_you_mean

_CHECK = re.compile(r"CHECK\s*\(\s*init\s*\(\s*(\w+)\s*\(\s*\)\s*\)\s*,\s*LTL\s*\((.*)\)\s*\)\s*$")
_FORMULAS = {
    "G ! call(reach_error())": "unreach",
    "G ! call(__VERIFIER_error())": "unreach",
    "G ! call(__assert_fail())": "assert",
    "G valid-free": "valid-free",
    "G valid-deref": "valid-deref",
    "G valid-memtrack": "valid-memtrack",
    "G valid-memcleanup": "memcleanup",
}
_STANDARD = {
    "unreach-call.prp": ("unreach",),
    "valid-memsafety.prp": ("memsafety",),
    "valid-memcleanup.prp": ("memcleanup",),
}
"""SV-COMP's own property files, for tasks that were copied without them."""
_DATA_MODELS = ("ILP32", "LP64")


@dataclass(frozen=True)
class PropertyFile:
    """The properties in a `.prp` file, and the entry function of the program."""

    path: str
    properties: tuple[str, ...]
    entry: str


@dataclass(frozen=True)
class Expectation:
    """A property file of a task with the expected verdict (None if the task has none)."""

    file: PropertyFile
    expected: bool | None
    subproperty: str | None = None


@dataclass(frozen=True)
class Task:
    """A verification task: the files of one program, what to check, and the sizes of its machine."""

    path: str
    files: tuple[str, ...]
    expectations: tuple[Expectation, ...]
    data_model: str

    @property
    def properties(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for e in self.expectations for name in e.file.properties))


def read_property_file(path: str) -> PropertyFile:
    """The properties of a `.prp` file; a line that is none of ours is an error at its place."""
    names, entry = specified_properties(_text(path), path)
    return PropertyFile(path, names, entry)


def specified_properties(text: str, path: str) -> tuple[tuple[str, ...], str]:
    """The properties of a specification and its entry function; `path` is the file that it stands in."""
    names: list[str] = []
    entry = "main"
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(("#", "//")):
            continue
        match = _CHECK.match(line.strip())
        formula = " ".join(match[2].split()) if match else ""
        name = _FORMULAS.get(formula.replace("G!", "G !").replace("!call", "! call"))
        if match is None or name is None:
            known = "reach_error(), valid-free, valid-deref, valid-memtrack and valid-memcleanup"
            what = (
                f"'{formula}' is no property that can be checked" if match else "this is no CHECK(init(...), LTL(...))"
            )
            column = len(line) - len(line.lstrip()) + 1
            raise InputError(f"{what}; known are {known}", Position(path, number, column, line))
        names.append(name)
        entry = match[1]
    if not names:
        raise InputError(f"{path}: there is no property in this file")
    return _with_whole_memsafety(names), entry


def _with_whole_memsafety(names: Sequence[str]) -> tuple[str, ...]:
    """The properties of a specification; all three parts of `memsafety` together are this property."""
    if not set(PARTS_OF_MEMSAFETY) <= set(names):
        return tuple(dict.fromkeys(names))
    return tuple(dict.fromkeys("memsafety" if name in PARTS_OF_MEMSAFETY else name for name in names))


def read_task(path: str) -> Task:
    """The task of a `.yml` file. Names in it are relative to its folder; property files that we cannot check are
    left out as long as one remains."""
    try:
        import yaml
    except ImportError as error:
        raise KleeneError("task files need PyYAML: install it with 'pip install pyyaml'") from error
    try:
        document = yaml.safe_load(_text(path))
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        position = Position(path, mark.line + 1, mark.column + 1) if mark else None
        raise InputError(problem.problem or "this is not YAML", position) from problem
    except yaml.YAMLError as problem:
        raise InputError(f"{path}: this is not YAML") from problem
    if not isinstance(document, dict) or "input_files" not in document:
        raise InputError(f"{path}: this is no task: it has no input_files")
    folder = Path(path).parent
    files = tuple(str(folder / name) for name in _strings(document["input_files"], path, "input_files"))
    return Task(path, files, _expectations(document, path, folder), _data_model(document, path))


def _expectations(document: dict[str, Any], path: str, folder: Path) -> tuple[Expectation, ...]:
    expectations: list[Expectation] = []
    problems: list[Diagnostic] = []
    given = document.get("properties") or []
    if not isinstance(given, list) or not all(isinstance(p, dict) and "property_file" in p for p in given):
        raise InputError(f"{path}: properties must be a list of entries with a property_file")
    for entry in given:
        expected = entry.get("expected_verdict")
        if expected not in (True, False, None):
            raise InputError(f"{path}: expected_verdict is true or false, not '{expected}'")
        try:
            file = _property_file(folder / str(entry["property_file"]))
        except InputError as problem:
            problems += problem.diagnostics
            continue
        expectations.append(Expectation(file, expected, entry.get("subproperty")))
    if problems and not expectations:
        raise InputError(problems)
    return tuple(expectations)


def _property_file(path: Path) -> PropertyFile:
    if not path.exists() and path.name in _STANDARD:
        return PropertyFile(str(path), _STANDARD[path.name], "main")
    if not path.exists():
        raise InputError(f"{path}: there is no such property file")
    return read_property_file(str(path))


def _data_model(document: dict[str, Any], path: str) -> str:
    options = document.get("options")
    model = options.get("data_model", "ILP32") if isinstance(options, dict) else "ILP32"
    if model not in _DATA_MODELS:
        raise InputError(f"{path}: data_model '{model}' is not known; it is ILP32 or LP64")
    return str(model)


def _strings(value: object, path: str, key: str) -> list[str]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        raise InputError(f"{path}: {key} must be the name of a file, or a list of names")
    return names


def _text(path: str) -> str:
    if Path(path).is_dir():
        raise UsageError(f"'{path}' is a folder, not a file")
    if not Path(path).is_file():
        raise UsageError(f"there is no file '{path}'")
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise UsageError(f"'{path}' is not a text file") from problem


def named_properties(given: Sequence[str], known: Sequence[str]) -> tuple[tuple[str, ...], str | None]:
    """The properties of names and `.prp` files, and the entry function if a file names one."""
    names: list[str] = []
    entry = None
    for name in given:
        if name.endswith(".prp"):
            file = read_property_file(name)
            names += file.properties
            entry = file.entry
        elif name in known:
            names.append(name)
        else:
            hint = did_you_mean(name, known) or f"; there are {', '.join(known)}, and files ending in .prp"
            raise UsageError(f"there is no property '{name}'{hint}")
    return tuple(dict.fromkeys(names)), entry
