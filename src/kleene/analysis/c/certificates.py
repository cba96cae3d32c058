"""Certificate files: a proof by refinement written out, and checked again from its C files (`kleene recheck`).

The check trusts no claim of a certificate: it reads the program again with the printed options, and derives the errors
to exclude from the printed properties. The digest detects damage, not forgery.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from kleene import __version__
from kleene.analysis.c.options import CheckOptions
from kleene.analysis.c.refinement import image_task, tasks_of
from kleene.c.options import ReadOptions
from kleene.c.reader import read_program
from kleene.cfa.operations import Error
from kleene.cfa.program import CProgram
from kleene.core.verdict import PROPERTIES, kinds_of
from kleene.diagnostics import InputError, LimitReached
from kleene.passes.preparation import Prepared
from kleene.refine.certificate import (
    abstraction_document,
    abstraction_of,
    conditions_document,
    conditions_from,
    graphs_document,
    graphs_from,
    graphs_of,
    problems_of,
)
from kleene.refine.classes.library import library
from kleene.refine.loop import Refined
from kleene.refine.model import Model, Task

SCHEMA = "kleene.certificate/5"
_DERIVED = "errors"
"""The option that follows from the properties."""
_MALFORMED = (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError)
_FILES = ("files", "headers", "shape_files")
_PROOF = (
    "whole_scope",
    "images",
    "by_record",
    "conditions",
    "tracking",
    "active",
    "generators",
    "predicates",
    "locations",
)
_KEYS = frozenset(("schema", "tool", "digest", *_FILES, "properties", "asked", "options", *_PROOF))


@dataclass(frozen=True)
class Rechecked:
    """The outcome of a check: the problems (none for a valid certificate), and the files and properties checked."""

    files: tuple[str, ...]
    properties: tuple[str, ...]
    problems: tuple[str, ...]
    graphs: int
    abstraction: str
    reading: ReadOptions
    shape_files: tuple[str, ...] = ()
    not_excluded: tuple[str, ...] = ()
    """The kinds of error calls that end a run and that no property of the proof excludes."""


def certificate_text(refined: Refined, options: CheckOptions) -> str:
    """The certificate of a proof, as JSON."""
    assert refined.tree is not None
    program, read = refined.task.program, options.read
    document = {
        "schema": SCHEMA,
        "tool": __version__,
        "files": file_digests(program.files),
        "headers": file_digests(program.headers),
        "shape_files": file_digests(options.refine.shapes if options.refine else ()),
        "properties": list(refined.properties),
        "asked": list(options.properties),
        "options": {f.name: getattr(read, f.name) for f in fields(ReadOptions) if f.name != _DERIVED},
        "whole_scope": refined.task.whole_scope,
        "images": refined.task.images,
        "by_record": refined.task.by_record,
        "conditions": conditions_document(refined.task),
        **abstraction_document(refined.abstraction),
        **graphs_document(graphs_of(refined.tree)),
    }
    return json.dumps({**document, "digest": digest_of(document)}) + "\n"


def recheck(path: str, *, shapes: Sequence[str] = ()) -> Rechecked:
    """Check a certificate against the C files that it names; raises InputError if it is damaged or out of date."""
    document = _document(path)
    try:
        return _Check(path, document).result(shapes)
    except _MALFORMED as problem:
        raise InputError(f"{path}:1:1: not a certificate: {type(problem).__name__}: {problem}") from None
    except LimitReached as limit:
        raise InputError(f"{path}:1:1: the program cannot be prepared as it was for the proof: {limit}") from None


@dataclass(frozen=True)
class _Check:
    """The check of one document."""

    path: str
    document: Mapping[str, Any]

    def refuse(self, why: str) -> InputError:
        return InputError(f"{self.path}:1:1: {why}")

    def result(self, shapes: Sequence[str]) -> Rechecked:
        document = self.document
        files = self._check_files("files")
        self._check_files("headers")
        needed = self._check_files("shape_files")
        if {file_digest(name) for name in needed} - {file_digest(name) for name in shapes}:
            raise self.refuse(
                f"the proof rests on shape classes of your own: give --shapes {' --shapes '.join(needed)}"
            )
        options = self._options()
        proved = self._properties("properties")
        if not proved or not set(proved) <= set(options.properties):
            raise self.refuse("the properties that are proved are not among those that were asked for")
        program = read_program(files, options.read)
        known = {entry["path"] for entry in document["headers"]}
        if other := [name for name in program.headers if name not in known]:
            raise self.refuse(f"{other[0]} is included now, and was not when the program was proved")
        task = self._task(program, proved, options)
        abstraction = abstraction_of(document, library(shapes), task.memory.structure_types)
        graphs = graphs_from(document, Model(task, abstraction))
        problems = problems_of(task, abstraction, graphs)
        count = sum(len(structures) for structures in graphs.values())
        open_calls = _error_calls(program) - kinds_of(proved)
        return Rechecked(
            files, proved, tuple(problems), count, abstraction.words, options.read, tuple(shapes),
            tuple(sorted(open_calls)),
        )  # fmt: skip

    def _task(self, program: CProgram, proved: Sequence[str], options: CheckOptions) -> Task:
        flags = {name: self.document[name] for name in ("whole_scope", "images", "by_record")}
        if not all(isinstance(flag, bool) for flag in flags.values()):
            raise self.refuse("not a certificate: a flag is neither true nor false")
        tasks = tasks_of(Prepared(program), kinds_of(proved), malloc_may_fail=options.read.malloc_may_fail)
        chosen = (
            [image_task(tasks[0])] if flags["images"] else [t for t in tasks if t.whole_scope == flags["whole_scope"]]
        )
        if not chosen or chosen[0] is None:
            raise self.refuse("the program cannot be followed in the way that the certificate names")
        task = replace(chosen[0], by_record=flags["by_record"])
        return task.with_conditions(conditions_from(self.document["conditions"], task))

    def _check_files(self, key: str) -> tuple[str, ...]:
        """The files that the document names, which must be as they were."""
        entries = self.document[key]
        names = tuple(entry["path"] for entry in entries)
        if (
            not isinstance(entries, list)
            or not all(isinstance(name, str) for name in names)
            or (key == "files" and not names)
        ):
            raise self.refuse("not a certificate: it does not name its files")
        for entry in entries:
            if file_digest(entry["path"]) != entry["sha256"]:
                raise self.refuse(f"{entry['path']} is not the file that was proved")
        return names

    def _properties(self, key: str) -> tuple[str, ...]:
        names = self.document[key]
        if not isinstance(names, list) or not all(isinstance(n, str) and n in PROPERTIES for n in names):
            raise self.refuse(f"not a certificate: '{key}' must be a list of {', '.join(PROPERTIES)}")
        return tuple(names)

    def _options(self) -> CheckOptions:
        """The options to read the program with; every option must be present and have its type."""
        given = self.document["options"]
        default = ReadOptions()
        names = [f.name for f in fields(ReadOptions) if f.name != _DERIVED]
        values: dict[str, Any] = {}
        for name in names:
            value = tuple(given[name]) if isinstance(given[name], list) else given[name]
            if type(value) is not type(getattr(default, name)):
                raise self.refuse(
                    f"not a certificate: the option '{name}' is no {type(getattr(default, name)).__name__}"
                )
            if isinstance(value, tuple) and not all(isinstance(part, str) for part in value):
                raise self.refuse(f"not a certificate: the option '{name}' is no list of texts")
            values[name] = value
        if unknown := sorted(set(given) - set(names)):
            raise self.refuse(f"not a certificate: there is no option '{unknown[0]}'")
        return CheckOptions(self._properties("asked"), ReadOptions(**values))


def _error_calls(program: CProgram) -> set[str]:
    """The kinds of error calls that the program has."""
    edges = (e for name in program.reachable_functions for e in program.functions[name].cfa.edges)
    return {e.label.kind for e in edges if isinstance(e.label, Error)}


def _document(path: str) -> dict[str, Any]:
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as problem:
        raise InputError(f"{path}:{problem.lineno}:{problem.colno}: not JSON: {problem.msg}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}:1:1: not a text file") from None
    except (OSError, RecursionError, ValueError) as problem:
        raise InputError(f"{path}:1:1: cannot be read: {problem}") from None
    if not isinstance(document, dict) or not str(document.get("schema")).startswith("kleene.certificate/"):
        raise InputError(f"{path}:1:1: not a certificate of kleene check (its schema should be '{SCHEMA}')")
    if document["schema"] != SCHEMA or document.get("tool") != __version__:
        made_by = f"version {document.get('tool', 'before 0.1')} ({document['schema']})"
        raise InputError(f"{path}:1:1: made by {made_by}; this is {__version__} ({SCHEMA}): prove the program again")
    if other := sorted(_KEYS ^ set(document)):
        raise InputError(
            f"{path}:1:1: not a certificate: '{other[0]}' is {'not known' if other[0] in document else 'missing'}"
        )
    if document["digest"] != digest_of({key: value for key, value in document.items() if key != "digest"}):
        raise InputError(f"{path}:1:1: damaged or edited: its digest is not that of its content")
    return document


def digest_of(document: Mapping[str, Any]) -> str:
    """The digest of all keys except `digest`, independent of their order."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def file_digests(paths: Sequence[str]) -> list[dict[str, str]]:
    return [{"path": path, "sha256": file_digest(path)} for path in paths]


def file_digest(path: str) -> str:
    """The digest of a file; empty if the file no longer exists."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if Path(path).is_file() else ""
