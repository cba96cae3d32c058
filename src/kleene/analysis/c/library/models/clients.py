"""`kleene check CLIENT.c --proved-library FILE`: a client of libraries whose functions are proved already.

The client is checked with the models of the libraries (`model`), which are smaller than their sources. What this does
not prove is checked with the sources: a model allows more than the library does, so that its errors show nothing.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from kleene import __version__
from kleene.analysis.c.certificates import digest_of, file_digest
from kleene.analysis.c.check import check, check_program
from kleene.analysis.c.library.models.model import settings_of, unsealed
from kleene.analysis.c.options import CheckOptions
from kleene.c.options import ReadOptions
from kleene.c.reader import read_program
from kleene.cfa.expressions import Cast, Constant, PointerOffset, walk
from kleene.cfa.operations import expressions
from kleene.cfa.program import Assumption, CProgram
from kleene.cfa.types import PointerType, RecordType, VoidType
from kleene.core.verdict import Verdict
from kleene.diagnostics import InputError, UsageError
from kleene.results.check import CheckReport
from kleene.results.library import LIBRARY_SCHEMA, LibraryModel

SHARE = 0.5
"""Of the time, for the check with models: the other half is left for the sources, which may be needed."""
CONTRACT = "contract"
"""The kind of an assumption that a library is as it was proved."""


NO_PROOF = "not the JSON of one library: 'kleene check --library FILE --contracts-out PROOF.json' writes it"


@dataclass(frozen=True)
class ProvedLibrary:
    """A library that an earlier check proved: the file with its proof, its own file, and its model."""

    proof: str
    file: str
    model: LibraryModel


def check_client(paths: Sequence[str], options: CheckOptions, proofs: Sequence[str]) -> CheckReport:
    """Check a client with models of proved libraries, then what is left open with their sources."""
    start = time.monotonic()
    libraries = [read_proof(proof) for proof in proofs]
    given = {Path(path).resolve() for path in paths}
    for library in libraries:
        if Path(library.file).resolve() in given:
            raise UsageError(f"'{library.file}' is given as a source and by its contracts ('{library.proof}')")
    by_contract = _by_contract(paths, options, libraries)
    proved = [name for name, verdict in by_contract.properties.items() if verdict is Verdict.TRUE]
    rest = tuple(name for name in options.properties if name not in proved)
    if not rest:
        by_contract.seconds = time.monotonic() - start
        return by_contract
    left = replace(options, properties=rest, timeout=max(options.timeout - (time.monotonic() - start), 0))
    report = check([*paths, *(library.file for library in libraries)], left)
    report.properties = {**dict.fromkeys(options.properties, Verdict.TRUE), **report.properties}
    report.proved_by |= {name: by_contract.proved_by[name] for name in proved}
    report.seconds = time.monotonic() - start
    return report


def _by_contract(paths: Sequence[str], options: CheckOptions, libraries: Sequence[ProvedLibrary]) -> CheckReport:
    """The check with models; nothing is decided where the client or its options do not suit them."""
    nothing = CheckReport(tuple(paths), {}, {}, [], "", 0.0)
    known = [set(library.model.properties) for library in libraries]
    properties = tuple(name for name in options.properties if all(name in names for names in known))
    if not properties or not all(_suits(library.model, options.read) for library in libraries):
        return nothing
    with tempfile.TemporaryDirectory(prefix="kleene-") as folder:
        files = []
        for number, library in enumerate(libraries, start=1):
            path = Path(folder) / f"{Path(library.file).stem}.{number}.c"
            path.write_text(library.model.text, encoding="utf-8")
            files.append(str(path))
        read = replace(options.read, models=(*options.read.models, *files))
        asked = replace(options, read=read, properties=properties, timeout=SHARE * options.timeout)
        program = read_program(paths, asked.read)
        others = {name for library in libraries for name in library.model.others}
        if others & {assumption.name for assumption in program.assumptions}:
            return nothing
        if _looks_before_objects(program, {name for library in libraries for name in library.model.functions}):
            return nothing
        report = check_program(_with_contracts(program, libraries), asked, time.monotonic())
    words = ", ".join(f"{library.file} by its contracts" for library in libraries)
    report.proved_by = {name: f"{how}, {words}" for name, how in report.proved_by.items()}
    return report


def _looks_before_objects(program: CProgram, modelled: Collection[str]) -> bool:
    """Whether a client may compute the address of something before an object: there the model has a block.

    The client may keep an object as `void *`. To convert it to another type, or to move it back, may be that.
    """
    models = [f for name, f in program.functions.items() if name in modelled]
    own = {f.place.file for f in models}
    types = {t for f in models for t in (f.type.result, *(v.type for v in f.parameters))}
    objects = {t for t in types if isinstance(t, PointerType) and isinstance(t.target, RecordType)}
    nodes = {
        node
        for name in program.reachable_functions
        if program.functions[name].place.file not in own
        for edge in program.functions[name].cfa.edges
        for expression in expressions(edge.label)
        for node in walk(expression)
    }
    casts = [n for n in nodes if isinstance(n, Cast) and n.operand.type in objects and n.type not in objects]
    moved = [n for n in nodes if isinstance(n, PointerOffset)]
    if any(not (isinstance(c.type, PointerType) and isinstance(c.type.target, VoidType)) for c in casts):
        return True
    back = [m for m in moved if not (isinstance(m.index, Constant) and m.index.value >= 0)]
    return any(m.pointer.type in objects for m in moved) or (bool(casts) and bool(back))


def _with_contracts(program: CProgram, libraries: Sequence[ProvedLibrary]) -> CProgram:
    """The program with one assumption for each library in the place of one for each of its functions."""
    by_name = {name: library for library in libraries for name in library.model.functions}
    used = dict.fromkeys(library.proof for a in program.assumptions if (library := by_name.get(a.name)))
    texts = {
        library.proof: f"{library.file} is used by the contracts that {library.proof} has proved of it"
        for library in libraries
    }
    stated = [Assumption(proof, CONTRACT, texts[proof], given=True) for proof in used]
    kept = [a for a in program.assumptions if a.name not in by_name]
    return replace(program, assumptions=(*stated, *kept))


def _suits(model: LibraryModel, read: ReadOptions) -> bool:
    """Whether the proof of a library holds with these options."""
    own = dict(model.settings)
    may_fail = own.pop("malloc_may_fail")
    return own == settings_of(read) and (may_fail or not read.malloc_may_fail) and not read.cleanup_at_abort


def read_proof(path: str) -> ProvedLibrary:
    """The proof of a library. Raises InputError if it is none, was edited, or is about files that have changed."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise InputError(f"{path}:1:1: not the JSON of one library: {problem}") from None
    except ValueError:
        raise InputError(f"{path}:1:1: {NO_PROOF}") from None
    if not isinstance(document, dict) or document.get("schema") != LIBRARY_SCHEMA:
        raise InputError(f"{path}:1:1: not a result of 'kleene check --library --json' (of one file)")
    model = document.get("model")
    if model is None:
        raise InputError(f"{path}:1:1: no function of {document.get('file')} is proved")
    again = f"check the library again: kleene check --library {document.get('file')} --json {path}"
    names = {f.name for f in fields(LibraryModel)}
    if not isinstance(model, dict) or set(model) != names or model["digest"] != digest_of(unsealed(model)):
        raise InputError(f"{path}:1:1: damaged or edited: {again}")
    if model["tool"] != __version__:
        raise InputError(f"{path}:1:1: made by version {model['tool']}, this is {__version__}: {again}")
    for source, digest in model["sources"]:
        if file_digest(_place(source, path)) != digest:
            raise InputError(f"{path}:1:1: {source} is not the file that was proved: {again}")
    return ProvedLibrary(path, _place(str(document["file"]), path), _model(model))


def _place(source: str, proof: str) -> str:
    """A file of the library: its name is relative to the folder of the proof, or to the current one."""
    beside = Path(proof).parent / source
    return str(beside) if beside.is_file() and not Path(source).is_file() else source


def _model(document: Mapping[str, Any]) -> LibraryModel:
    listed = {name: tuple(document[name]) for name in ("functions", "others", "properties")}
    sources = tuple((source, digest) for source, digest in document["sources"])
    return LibraryModel(**{**document, **listed, "sources": sources})
