"""Witnesses read from files: SV-COMP's format 2.0, checked entry by entry, with one clear line for an error."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from kleene.cfa.operations import Place
from kleene.diagnostics import InputError, Position, UsageError

_WAYPOINTS = ("assumption", "target", "function_enter", "function_return", "branching")
_ACTIONS = ("follow", "avoid", "cycle")
_CONSTRAINED = ("assumption", "function_return", "branching")
VIOLATION, CORRECTNESS = "violation_sequence", "invariant_set"


@dataclass(frozen=True)
class Location:
    """A place in a source file; the column counts characters from 1 and may be missing."""

    file: str
    line: int
    column: int | None = None

    def is_at(self, place: Place) -> bool:
        """Whether a place of the program is in the same line of a file of that name."""
        return self.line == place.line and Path(self.file).name == Path(place.file).name


@dataclass(frozen=True)
class Waypoint:
    """A condition that the run fulfils on its way."""

    type: str
    action: str
    location: Location
    constraint: str = ""


@dataclass(frozen=True)
class LoopInvariant:
    """An expression that holds at a place."""

    location: Location
    value: str


@dataclass(frozen=True)
class Witness:
    """The content of a file: its kind, its program, and its waypoints or invariants."""

    kind: str
    files: tuple[str, ...]
    specification: str
    data_model: str
    waypoints: tuple[Waypoint, ...] = ()
    invariants: tuple[LoopInvariant, ...] = ()


class _Reader:
    """Reads the entries of one file."""

    def __init__(self, file: str) -> None:
        self.file = file

    def wrong(self, what: str) -> InputError:
        return InputError(f"{self.file}: this is no witness of format 2.0: {what}")

    def mapping(self, value: object, what: str) -> Mapping[str, object]:
        if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
            raise self.wrong(f"{what} must be a mapping")
        return value

    def sequence(self, value: object, what: str) -> Sequence[object]:
        if not isinstance(value, list):
            raise self.wrong(f"{what} must be a list")
        return value

    def text(self, value: object, what: str, allowed: Sequence[str] = ()) -> str:
        if not isinstance(value, str) or (allowed and value not in allowed):
            known = f" one of {', '.join(allowed)}" if allowed else " a text"
            raise self.wrong(f"{what} must be{known}")
        return value

    def location(self, value: object) -> Location:
        entry = self.mapping(value, "a location")
        line, column = entry.get("line"), entry.get("column")
        if not isinstance(line, int) or line < 1 or not (column is None or (isinstance(column, int) and column > 0)):
            raise self.wrong("line and column of a location must be numbers from 1 up")
        return Location(self.text(entry.get("file_name"), "file_name"), line, column)

    def waypoint(self, value: object) -> Waypoint:
        entry = self.mapping(self.mapping(value, "an entry of a segment").get("waypoint"), "a waypoint")
        kind = self.text(entry.get("type"), "the type of a waypoint", _WAYPOINTS)
        action = self.text(entry.get("action"), "the action of a waypoint", _ACTIONS)
        constraint = ""
        if kind in _CONSTRAINED and "constraint" in entry:
            given = self.mapping(entry["constraint"], "a constraint").get("value")
            constraint = (
                str(given).lower() if isinstance(given, bool) else self.text(given, "the value of a constraint")
            )
        return Waypoint(kind, action, self.location(entry.get("location")), constraint)

    def waypoints(self, content: object) -> tuple[Waypoint, ...]:
        segments = [self.mapping(entry, "an entry of the content") for entry in self.sequence(content, "the content")]
        parts = [self.sequence(segment.get("segment"), "a segment") for segment in segments]
        points = tuple(self.waypoint(point) for part in parts for point in part)
        if not points or points[-1].type != "target" or any(p.type == "target" for p in points[:-1]):
            raise self.wrong("the last waypoint, and no other, must be the target")
        return points

    def invariants(self, content: object) -> tuple[LoopInvariant, ...]:
        invariants = []
        for entry in self.sequence(content, "the content"):
            given = self.mapping(self.mapping(entry, "an entry of the content").get("invariant"), "an invariant")
            self.text(given.get("type"), "the type of an invariant", ("loop_invariant", "location_invariant"))
            self.text(given.get("format"), "the format of an invariant", ("c_expression", "ext_c_expression"))
            value = self.text(given.get("value"), "the value of an invariant")
            invariants.append(LoopInvariant(self.location(given.get("location")), value))
        return tuple(invariants)


def read_witness(path: str) -> Witness:
    """The first entry of a witness file that is a violation sequence or a set of invariants."""
    if not Path(path).is_file():
        raise UsageError(f"there is no file '{path}'")
    reader = _Reader(path)
    try:
        entries = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        place = Position(path, mark.line + 1, mark.column + 1) if mark else None
        raise InputError(problem.problem or "this is not YAML", place) from problem
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as problem:
        raise reader.wrong("it is not YAML") from problem
    for value in reader.sequence(entries, "the file"):
        entry = reader.mapping(value, "an entry")
        kind = reader.text(entry.get("entry_type"), "entry_type")
        if kind in (VIOLATION, CORRECTNESS):
            return _witness(reader, kind, entry)
    raise reader.wrong(f"there is no entry of type {VIOLATION} or {CORRECTNESS}")


def _witness(reader: _Reader, kind: str, entry: Mapping[str, object]) -> Witness:
    metadata = reader.mapping(entry.get("metadata"), "metadata")
    reader.text(metadata.get("format_version"), "format_version", ("2.0", "2.1"))
    task = reader.mapping(metadata.get("task"), "task")
    files = tuple(
        reader.text(f, "a name in input_files") for f in reader.sequence(task.get("input_files"), "input_files")
    )
    hashes = reader.mapping(task.get("input_file_hashes"), "input_file_hashes")
    witness = Witness(
        kind,
        files,
        reader.text(task.get("specification"), "specification"),
        reader.text(task.get("data_model"), "data_model", ("ILP32", "LP64")),
        reader.waypoints(entry.get("content")) if kind == VIOLATION else (),
        reader.invariants(entry.get("content")) if kind == CORRECTNESS else (),
    )
    for file in files:
        if not Path(file).is_file():
            raise UsageError(f"there is no file '{file}', which the witness '{reader.file}' is about")
        if hashlib.sha256(Path(file).read_bytes()).hexdigest() != hashes.get(file):
            raise UsageError(f"'{file}' is not the program that the witness '{reader.file}' is about: it has changed")
    return witness
