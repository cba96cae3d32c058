"""Reads the files of a C program and lowers them to control-flow automata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from kleene.c.clang import every_child_visited, kind
from kleene.c.initializers import global_variable
from kleene.c.options import DEFAULT, ReadOptions
from kleene.c.parse import LIBRARY, arguments, headers_of, parse
from kleene.c.parts import lowering_of
from kleene.c.statements import UNEXPECTED
from kleene.c.type_reader import TypeReader
from kleene.c.unit import Linkage, Unit
from kleene.cfa.expressions import Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Operation, Place, Unsupported
from kleene.cfa.program import CProgram, Function, Global
from kleene.cfa.types import FunctionType, RecordLayout
from kleene.diagnostics import Diagnostic, InputError, UsageError, did_you_mean


def read_program(paths: str | Path | Iterable[str | Path], options: ReadOptions = DEFAULT) -> CProgram:
    """The program of one or more `.c` or `.i` files. Raises InputError where a compiler would refuse it."""
    files = [str(paths)] if isinstance(paths, str | Path) else [str(p) for p in paths]
    if not files:
        raise UsageError("no C file given")
    linkage = Linkage(library=_library_names(), errors=options.errors, cleanup_at_abort=options.cleanup_at_abort)
    flags = arguments(options.include, options.defines, options.data_model)
    reader = _Reader(files, flags, options.data_model, linkage)
    with every_child_visited():
        return reader.read(options.entry)


class _Reader:
    """One run of the reader over the files of a program."""

    def __init__(self, files: list[str], flags: list[str], data_model: str, linkage: Linkage) -> None:
        self.files = files
        self.flags = flags
        self.data_model = data_model
        self.records: dict[str, RecordLayout] = {}
        self.linkage = linkage
        self.functions: dict[str, Function] = {}

    def read(self, entry: str) -> CProgram:
        parsed = self._parse_all()
        declarations = [list(unit.cursor.get_children()) for unit in parsed]
        statics = _static_names(self.files, declarations)
        units = [self._unit(file, names) for file, names in zip(self.files, statics, strict=True)]
        for unit, cursors in zip(units, declarations, strict=True):
            self._declare(unit, cursors)
        if entry not in self.linkage.defined_functions:
            hint = did_you_mean(entry, self.linkage.defined_functions)
            raise InputError(f"{', '.join(self.files)}: no function '{entry}' to start from{hint}")
        for unit, cursors in zip(units, declarations, strict=True):
            self._lower(unit, cursors)
        self._lower_library()
        return CProgram(
            tuple(self.files),
            self.functions,
            tuple(self.linkage.globals.values()),
            self.records,
            entry,
            self.data_model,
            headers=headers_of(parsed),
            library=str(LIBRARY),
        )

    def _parse_all(self) -> list[Any]:
        parsed: list[Any] = []
        problems: list[Diagnostic] = []
        for file in self.files:
            try:
                parsed.append(parse(file, self.flags))
            except InputError as problem:
                problems += problem.diagnostics
        if problems:
            raise InputError(problems)
        return parsed

    def _unit(self, file: str, static_names: dict[str, str]) -> Unit:
        return Unit(file, TypeReader(self.records, 8 if self.data_model == "LP64" else 4), self.linkage, static_names)

    def _declare(self, unit: Unit, cursors: list[Any]) -> None:
        """Note which functions have a body; make the globals known, so that initialisers may refer to any."""
        for cursor in cursors:
            name = unit.name_of(cursor)
            if kind(cursor) == "FUNCTION_DECL" and cursor.is_definition():
                if name in self.linkage.defined_functions and unit.file != self.linkage.defined_functions[name]:
                    other = self.linkage.defined_functions[name]
                    raise InputError(f"{unit.file}: function '{name}' is also defined in {other}")
                self.linkage.defined_functions[name] = unit.file
            elif kind(cursor) == "VAR_DECL":
                variable = Variable(name, unit.types.read(cursor.type), is_global=True)
                external = cursor.storage_class.name == "EXTERN" and not cursor.is_definition()
                known = self.linkage.globals.get(name)
                if known is None or (known.external and not external) or variable.type.size > known.variable.type.size:
                    still = external and (known is None or known.external)
                    self.linkage.globals[name] = Global(variable, external=still)

    def _lower(self, unit: Unit, cursors: list[Any], only: set[str] | None = None) -> None:
        for cursor in cursors:
            name = unit.name_of(cursor)
            if only is not None and name not in only:
                continue
            if kind(cursor) == "FUNCTION_DECL" and cursor.is_definition():
                self.functions[name] = lower_function(unit, cursor)
            elif kind(cursor) == "VAR_DECL" and cursor.is_definition():
                known = self.linkage.globals[name]
                found = global_variable(lowering_of(unit, known.variable.name), known.variable, cursor)
                if found.initial or found.external or not known.initial:
                    self.linkage.globals[name] = found

    def _lower_library(self) -> None:
        """Add the bodies of the library functions that are called and not defined."""
        done: set[str] = set()
        cursors: list[Any] | None = None
        while set(self.linkage.needed) - done:
            wanted = set(self.linkage.needed) - done
            done |= wanted
            if cursors is None:
                parsed = parse(str(LIBRARY), self.flags)
                cursors = list(parsed.cursor.get_children())
                self._library_unit = parsed
                unit = self._unit(str(LIBRARY), {})
            self._lower(unit, cursors, wanted)


def lower_function(unit: Unit, cursor: Any) -> Function:
    """A function with a body as an automaton."""
    name = unit.name_of(cursor)
    lowering = lowering_of(unit, name)
    type_ = unit.types.read(cursor.type)
    assert isinstance(type_, FunctionType)
    lowering.statements.result = type_.result
    parameters: list[Variable] = []
    body = None
    for part in cursor.get_children():
        if kind(part) == "PARM_DECL":
            read = unit.types.parameter(part.type)
            variable = Variable(lowering.builder.unique(part.spelling or f"$p{len(parameters) + 1}"), read)
            unit.bind(part, variable)
            parameters.append(variable)
        elif kind(part) == "COMPOUND_STMT":
            body = part
    assert body is not None
    type_ = FunctionType(
        type_.result, tuple(p.type for p in parameters), cursor.type.kind.name != "FUNCTIONNOPROTO" and type_.variadic
    )
    location = cursor.location
    place = Place(location.file.name, location.line, location.column, name)
    try:
        cfa = lowering.statements.body(body)
    except UNEXPECTED:
        unknown: Operation = Unsupported(place, f"body of '{name}' not understood")
        cfa = Cfa(f"{name}.0", (Edge(f"{name}.0", unknown, f"{name}.exit"),))
    locals_ = tuple(lowering.builder.locals)
    return Function(name, type_, tuple(parameters), locals_, cfa, f"{name}.exit", place)


def _static_names(files: list[str], declarations: list[list[Any]]) -> list[dict[str, str]]:
    """For each file: new names for its static functions and variables whose names other files define too."""
    owners: Counter[str] = Counter()
    defined: list[dict[str, bool]] = []
    for cursors in declarations:
        names: dict[str, bool] = {}
        for cursor in cursors:
            if kind(cursor) in ("FUNCTION_DECL", "VAR_DECL") and cursor.is_definition():
                names[cursor.spelling] = cursor.storage_class.name == "STATIC"
        owners.update(names.keys())
        defined.append(names)
    result = []
    for file, names in zip(files, defined, strict=True):
        clashes = {name for name, static in names.items() if static and owners[name] > 1}
        result.append({name: f"{name}@{Path(file).name}" for name in clashes})
    return result


@cache
def _library_names() -> frozenset[str]:
    """The functions that our library has bodies for, read off the lines `... name(` at the left margin."""
    names = set()
    for line in LIBRARY.read_text(encoding="utf-8").splitlines():
        if line[:1].isalpha() and line.endswith("{"):
            names.add(line.partition("(")[0].split()[-1].lstrip("*"))
    return frozenset(names)
