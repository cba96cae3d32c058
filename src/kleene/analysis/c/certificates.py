"""Certificate files: a proof by refinement written out, and checked again from its C files (`kleene recheck`)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kleene.analysis.c.refinement import image_task, tasks_of
from kleene.c.reader import read_program
from kleene.c.unit import ERRORS
from kleene.core.verdict import kinds_of
from kleene.diagnostics import InputError
from kleene.refine.certificate import (
    abstraction_document,
    abstraction_of,
    graphs_document,
    graphs_from,
    graphs_of,
    problems_of,
)
from kleene.refine.classes.library import library
from kleene.refine.loop import Refined
from kleene.refine.model import Model

SCHEMA = "kleene.certificate/3"


@dataclass(frozen=True)
class ProgramOptions:
    """How the C files were read, and what was proved of them."""

    files: tuple[str, ...]
    properties: tuple[str, ...]
    malloc_may_fail: bool
    include: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    entry: str = "main"
    data_model: str = "LP64"
    shapes: tuple[str, ...] = ()
    errors: tuple[str, ...] = tuple(sorted(ERRORS))
    cleanup_at_abort: bool = False
    headers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rechecked:
    """The outcome of a check: what is wrong (nothing for a valid certificate), and how much was checked."""

    files: tuple[str, ...]
    properties: tuple[str, ...]
    problems: tuple[str, ...]
    graphs: int
    abstraction: str


def certificate_text(refined: Refined, options: ProgramOptions) -> str:
    """The certificate of a proof, as JSON."""
    assert refined.tree is not None
    document = {
        "schema": SCHEMA,
        "files": _digests(options.files),
        "headers": _digests(options.headers),
        "properties": list(options.properties),
        "malloc_may_fail": options.malloc_may_fail,
        "include": list(options.include),
        "defines": list(options.defines),
        "entry": options.entry,
        "data_model": options.data_model,
        "shapes": list(options.shapes),
        "errors": list(options.errors),
        "cleanup_at_abort": options.cleanup_at_abort,
        "whole_scope": refined.task.whole_scope,
        "images": refined.task.images,
        **abstraction_document(refined.abstraction),
        **graphs_document(graphs_of(refined.tree)),
    }
    return json.dumps(document) + "\n"


def recheck(path: str, *, shapes: Sequence[str] = ()) -> Rechecked:
    """Check a certificate against the C files that it names; raises InputError if it cannot be read."""
    document = _document(path)
    try:
        return _recheck(document, shapes)
    except (AttributeError, KeyError, TypeError, ValueError) as problem:
        raise InputError(f"{path}:1:1: not a certificate: {type(problem).__name__}: {problem}") from None


def _recheck(document: dict[str, Any], shapes: Sequence[str]) -> Rechecked:
    files = tuple(entry["path"] for entry in document["files"])
    properties = tuple(document["properties"])
    abstraction = abstraction_of(document, library((*document["shapes"], *shapes)))
    changed = [e["path"] for e in (*document["files"], *document["headers"]) if _digest(e["path"]) != e["sha256"]]
    if changed:
        problems = [f"{name} is not the file that was proved" for name in changed]
        return Rechecked(files, properties, tuple(problems), 0, str(abstraction.generator))
    program = read_program(
        list(files),
        include=tuple(document["include"]),
        defines=tuple(document["defines"]),
        entry=document["entry"],
        data_model=document["data_model"],
        errors=document.get("errors", ERRORS),
        cleanup_at_abort=document.get("cleanup_at_abort", False),
    )
    tasks = tasks_of(program, kinds_of(properties), malloc_may_fail=document["malloc_may_fail"])
    images = image_task(tasks[0]) if document["images"] else None
    task = images or next(t for t in tasks if t.whole_scope == document["whole_scope"])
    known = {entry["path"] for entry in document["headers"]}
    if other := [name for name in program.headers if name not in known]:
        problems = [f"{name} is included now, and was not when the program was proved" for name in other]
        return Rechecked(files, properties, tuple(problems), 0, str(abstraction.generator))
    graphs = graphs_from(document, Model(task, abstraction))
    problems = problems_of(task, abstraction, graphs)
    count = sum(len(found) for found in graphs.values())
    return Rechecked(files, properties, tuple(problems), count, str(abstraction.generator))


def _document(path: str) -> dict[str, Any]:
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as problem:
        raise InputError(f"{path}:{problem.lineno}:{problem.colno}: not JSON: {problem.msg}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}:1:1: not a text file") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise InputError(f"{path}:1:1: not a certificate of kleene check (its schema should be '{SCHEMA}')")
    return document


def _digests(paths: Sequence[str]) -> list[dict[str, str]]:
    return [{"path": path, "sha256": _digest(path)} for path in paths]


def _digest(path: str) -> str:
    """The digest of a file; empty if it is there no more."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if Path(path).is_file() else ""
