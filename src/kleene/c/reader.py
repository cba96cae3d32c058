"""Reads the files of a C program and lowers them to control-flow automata."""

from __future__ import annotations

import atexit
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from kleene.c.clang import attribute_argument, attributes, cindex, is_internal, kind, raise_from_callbacks
from kleene.c.declarations.initializers import global_variable
from kleene.c.declarations.opaque import with_unsupported_operations
from kleene.c.input.database import read_database
from kleene.c.library.errors import ERRNO_LOCATION, with_errors
from kleene.c.library.externs import with_extern_models
from kleene.c.library.jumps import with_jumps
from kleene.c.library.models import UNKNOWN, given_models
from kleene.c.library.sorting import with_typed_sorts
from kleene.c.library.start_and_end import MAIN, RUN_HANDLERS, with_returned_pointer, with_start_and_end
from kleene.c.library.symbols import referred_name
from kleene.c.library.variadic import with_variable_arguments
from kleene.c.options import DEFAULT, ReadOptions, parse_unit
from kleene.c.parse import (
    BODIES,
    MODELS_BEGIN,
    POINTER_BYTES,
    SUMMARIES,
    SYSTEM_MODELS,
    UnitError,
    arguments,
    defined_functions,
    diagnostic_at,
    headers_of,
    parse,
)
from kleene.c.parts import lowering_of
from kleene.c.statements import UNEXPECTED
from kleene.c.type_reader import TypeReader, is_constant
from kleene.c.unit import Linkage, Unit
from kleene.cfa.expressions import Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Operation, Place, Unsupported
from kleene.cfa.program import SUMMARY, Assumption, CProgram, Function, Global
from kleene.cfa.types import FunctionType, RecordLayout
from kleene.cfa.unused import without_unused_variables
from kleene.diagnostics import Diagnostic, InputError, UsageError, did_you_mean


def read_program(paths: str | Path | Iterable[str | Path], options: ReadOptions = DEFAULT) -> CProgram:
    """The program of one or more `.c` or `.i` files. Raises InputError where a compiler would refuse it."""
    program, problems = read_units(paths, options)
    if problems:
        raise InputError(problems)
    return program


def read_units(
    paths: str | Path | Iterable[str | Path], options: ReadOptions = DEFAULT
) -> tuple[CProgram, list[Diagnostic]]:
    """The program of the files that compile, and the errors of the others, whose functions are unknown code.

    Raises InputError with all errors if no file compiles, or if none of those that do has the entry.
    """
    files = [str(paths)] if isinstance(paths, str | Path) else [str(p) for p in paths]
    if not files:
        raise UsageError("no C file given")
    given_models(options.extern)  # complains
    linkage = Linkage(
        library={name: str(file) for file in (*BODIES, SUMMARIES) for name in _library_names(file)},
        errors=options.errors,
        cleanup_at_abort=options.cleanup_at_abort,
    )
    reader = _Reader(files, options, linkage)
    with raise_from_callbacks():
        return reader.read(options.entry), reader.problems


class _Reader:
    """One run of the reader over the files of a program."""

    def __init__(self, files: list[str], options: ReadOptions, linkage: Linkage) -> None:
        self.files = files
        self.options = options
        self.data_model = options.data_model
        self.records: dict[str, RecordLayout] = {}
        self.linkage = linkage
        self.functions: dict[str, Function] = {}
        self._model_units: dict[str, tuple[Unit, Any]] = {}
        self._weak: frozenset[str] = frozenset()
        """The names that the program, without the files of models, declares weak."""
        self._assumptions: list[Assumption] = []
        self.problems: list[Diagnostic] = []
        """The errors of the files that are left out, and of entries of the compilation database."""
        if options.database:
            self.problems += read_database(options.database).problems

    def read(self, entry: str) -> CProgram:
        parsed = self._parse_all()
        units, declarations = self._name_units(parsed)
        for unit, cursors in zip(units, declarations, strict=True):
            self._declare(unit, cursors)
        own = {name for name, item in self.linkage.globals.items() if not item.external}
        given = self._declare_models(own)
        if entry not in self.linkage.defined_functions and self.problems:
            raise InputError(self.problems)
        if entry not in self.linkage.defined_functions:
            hint = did_you_mean(entry, self.linkage.defined_functions)
            if not hint and entry == MAIN and self.linkage.defined_functions:
                hint = "; a file without main is checked with --library, or from one function with --entry NAME"
            raise InputError(f"{', '.join(self.files)}: no function '{entry}' to start from{hint}")
        self._note_handlers(parsed)
        for unit, cursors in zip(units, declarations, strict=True):
            self._lower(unit, cursors)
        for unit, cursors in given:
            self._lower(unit, [cursor for cursor in cursors if not self._has_value(unit, cursor)])
        own_statics = frozenset(self.linkage.statics)
        self._lower_library()
        program = CProgram(
            tuple(self.files),
            self.functions,
            tuple(self.linkage.globals.values()),
            self.records,
            entry,
            self.data_model,
            headers=headers_of(parsed),
            library=frozenset(map(str, BODIES)),
            assumptions=tuple(self._assumptions),
        )
        models = given_models(self.options.extern)
        # files that are not read may call any function of the others, so that static variables are not safe from them
        hidden = frozenset(self.linkage.statics) - (own_statics if self.problems else frozenset[str]())
        program = with_errors(with_typed_sorts(program))
        program = with_returned_pointer(program) if self.options.keeps_result else program
        program = with_jumps(with_variable_arguments(with_start_and_end(program, self.linkage.runs)))
        program = with_extern_models(program, self.linkage.externs, models, hidden)
        return without_unused_variables(program, own)

    def _name_units(self, parsed: list[Any]) -> tuple[list[Unit], list[list[Any]]]:
        """The files of the program, and their declarations; static names are kept apart from those of models too."""
        models = [parse_unit(file, self.options) for file in self.options.models]
        declarations = [list(unit.cursor.get_children()) for unit in (*parsed, *models)]
        files = [*self.files, *self.options.models]
        statics = _static_names(files, declarations)
        symbols = self.linkage.symbols
        symbols.read(self._texts(self.files, parsed), chain.from_iterable(declarations[: len(parsed)]))
        self._weak = frozenset(symbols.weak)
        symbols.read(self._texts(files, [*parsed, *models]), chain.from_iterable(declarations))
        symbols.given = frozenset(given_models(self.options.extern))
        self.linkage.runs.tables = tuple(sorted(symbols.tables))
        units = [self._unit(file, names) for file, names in zip(files, statics, strict=True)]
        count = len(parsed)
        self._model_units |= {unit.file: (unit, m) for unit, m in zip(units[count:], models, strict=True)}
        return units[:count], declarations[:count]

    def _parse_all(self) -> list[Any]:
        """The files that compile, and that define no function of an earlier one; `files` keeps these."""
        parsed: dict[str, Any] = {}
        owners: dict[str, str] = {}
        for file in self.files:
            try:
                unit = parse_unit(file, self.options)
                self._check_defined_once(file, unit, owners)
                parsed[file] = unit
            except InputError as problem:
                self.problems += problem.diagnostics
                self.linkage.unread |= problem.defined if isinstance(problem, UnitError) else set()
                words = f"{file} is not read, because of its errors: its functions and variables are unknown code"
                self._assumptions.append(Assumption(file, UNKNOWN, words))
        if not parsed:
            raise InputError(self.problems)
        self.files = list(parsed)
        self.linkage.unread -= set(owners)
        for name in self.linkage.unread:
            self.linkage.library.pop(name, None)
        return list(parsed.values())

    def _check_defined_once(self, file: str, unit: Any, owners: dict[str, str]) -> None:
        """Complain about functions, and variables with a value, that an earlier file defines too.

        `owners` gets the names that the file defines; what may be repeated has no owner.
        """
        problems: list[Diagnostic] = []
        for cursor in unit.cursor.get_children():
            word = {"FUNCTION_DECL": "function", "VAR_DECL": "variable"}.get(kind(cursor))
            if word is None or not cursor.is_definition() or is_internal(cursor):
                continue
            known_in = owners.get(cursor.spelling) or file
            is_strong = not _may_be_repeated(cursor)
            if known_in != file and is_strong:
                message = f"{word} '{cursor.spelling}' is also defined in {known_in}"
                problems.append(diagnostic_at(cursor.location, message))
            if not problems:
                owners[cursor.spelling] = owners.get(cursor.spelling) or (file if is_strong else "")
        if problems:
            for name in [name for name, owner in owners.items() if owner == file]:
                del owners[name]
            raise UnitError(problems, defined_functions(unit))

    def _note_handlers(self, parsed: list[Any]) -> None:
        """Note whether the program, or a model, registers functions for the exit: then every exit calls these."""
        models = [self._model_units[file][1] for file in self.options.models]
        texts = self._texts([*self.files, *self.options.models], [*parsed, *models])
        runs = self.linkage.runs
        defined = self.linkage.defined_functions.keys() | self.linkage.models
        runs.handlers = "atexit" not in defined and any(b"atexit" in text for text in texts)
        if runs.at_exit:
            self.linkage.needed[RUN_HANDLERS] = None

    def _texts(self, files: list[str], parsed: list[Any]) -> Iterator[bytes]:
        """The texts of files and of all headers that they include."""
        return (Path(file).read_bytes() for file in (*files, *headers_of(parsed)) if Path(file).is_file())

    def _unit(self, file: str, static_names: dict[str, str]) -> Unit:
        return Unit(file, TypeReader(self.records, POINTER_BYTES[self.data_model]), self.linkage, static_names)

    def _declare(self, unit: Unit, cursors: list[Any]) -> None:
        """Note which functions have a body; make the globals known, so that initialisers may refer to any."""
        for cursor in cursors:
            named = attributes(cursor) if kind(cursor) in ("FUNCTION_DECL", "VAR_DECL") else set()
            if named & {"alias", "weakref"}:
                self.linkage.aliases[cursor.spelling] = referred_name(cursor)
            name = unit.name_of(cursor)
            self._note_runs(cursor, name, named)
            if is_internal(cursor) and "weakref" not in named:
                self.linkage.statics.add(name)
            if kind(cursor) == "FUNCTION_DECL" and cursor.is_definition():
                if name not in self.linkage.defined_functions or not _may_be_repeated(cursor):
                    self.linkage.defined_functions[name] = unit.file
            elif kind(cursor) == "VAR_DECL":
                variable = Variable(name, unit.types.read(cursor.type), is_global=True)
                external = "weakref" in named or (cursor.storage_class.name == "EXTERN" and not cursor.is_definition())
                known = self.linkage.globals.get(name)
                if known is None or (known.external and not external) or variable.type.size > known.variable.type.size:
                    still = external and (known is None or known.external)
                    constant = not still and is_constant(cursor.type)
                    self.linkage.globals[name] = Global(variable, external=still, constant=constant)

    def _lower(self, unit: Unit, cursors: list[Any], only: set[str] | None = None) -> None:
        for cursor in cursors:
            name = unit.name_of(cursor)
            if only is not None and name not in only:
                continue
            if kind(cursor) == "FUNCTION_DECL" and cursor.is_definition():
                if self.linkage.defined_functions.get(name, unit.file) == unit.file:  # else another one goes before
                    self.functions[name] = lower_function(unit, cursor, is_entry=name == self.options.entry)
            elif kind(cursor) == "VAR_DECL" and cursor.is_definition() and "weakref" not in attributes(cursor):
                known = self.linkage.globals[name]
                if known.initial and _may_be_repeated(cursor):
                    continue
                definition = global_variable(lowering_of(unit, known.variable.name), known.variable, cursor)
                if definition.initial or definition.external or not known.initial:
                    self.linkage.globals[name] = definition

    def _note_runs(self, cursor: Any, name: str, named: set[str]) -> bool:
        """Note a function that runs before or behind the entry; says whether it is one."""
        words = sorted(named & {"constructor", "destructor"})
        for attribute in words:
            self.linkage.runs.add(attribute, name, attribute_argument(cursor, attribute))
        return bool(words)

    def _declare_models(self, own: set[str]) -> list[tuple[Unit, list[Any]]]:
        """Read the user's files of models: what the program defines goes before, unless it is weak or has no value.

        Returns the variables there that may be the program's, and the functions that run without a call.
        """
        given: list[tuple[Unit, list[Any]]] = []
        for file in self.options.models:
            unit, parsed = self._model_units[file]
            given.append((unit, []))
            for cursor in parsed.cursor.get_children():
                name = unit.name_of(cursor)
                if kind(cursor) == "FUNCTION_DECL" and cursor.is_definition():
                    if name in self._weak and not _may_be_repeated(cursor):
                        self.linkage.defined_functions.pop(name, None)
                    if name not in self.linkage.defined_functions:
                        self.linkage.library[name] = file
                        self.linkage.models.add(name)
                    if self._note_runs(cursor, name, attributes(cursor)):
                        given[-1][1].append(cursor)
                elif kind(cursor) == "VAR_DECL":
                    is_missing = name not in own and name in self.linkage.globals
                    if is_missing and cursor.storage_class.name != "EXTERN":
                        text = f"the variable {name} is declared and not defined: it is that of {file}"
                        self._assumptions.append(Assumption(name, "model", text, given=True))
                    self._declare(unit, [cursor])
                    given[-1][1].append(cursor)
        return given

    def _has_value(self, unit: Unit, cursor: Any) -> bool:
        """Whether the program has a value of its own for a variable of a file of models."""
        name = unit.name_of(cursor)
        known = self.linkage.globals.get(name)
        return known is not None and bool(known.initial) and name not in self._weak

    def _lower_library(self) -> None:
        """Add the bodies of the functions that are used and not defined, from files of models and our library."""
        done: set[str] = set()
        self._assume(sorted(self.linkage.needed))
        while set(self.linkage.needed) - done:
            wanted = sorted(set(self.linkage.needed) - done)
            done.update(wanted)
            wanted += [SUMMARY + name for name in wanted if self._has_summary(name)]
            done.update(wanted)
            for file in dict.fromkeys(self.linkage.library[name] for name in wanted):
                names = {name for name in wanted if self.linkage.library[name] == file}
                unit, parsed = self._library_unit(file)
                self._lower(unit, list(parsed.cursor.get_children()), names)

    def _has_summary(self, name: str) -> bool:
        """Whether the analyses use a summary in the place of a body of our library."""
        own = self.linkage.library[name] in map(str, BODIES)
        return own and SUMMARY + name in _library_names(SUMMARIES)

    def _is_another(self, unit: Unit, cursor: Any) -> bool:
        """Whether the program has a variable of this name and of another type, such as `stdin` of other headers."""
        known = self.linkage.globals.get(unit.name_of(cursor))
        return known is not None and known.variable.type != unit.types.read(cursor.type)

    def _library_unit(self, file: str) -> tuple[Unit, Any]:
        if file not in self._model_units:
            parsed = _parse_library(file, self.data_model)
            unit = self._unit(file, {})
            self._model_units[file] = (unit, parsed)
            variables = [c for c in parsed.cursor.get_children() if kind(c) == "VAR_DECL"]
            self._declare(unit, [c for c in variables if not self._is_another(unit, c)])
            self._lower(unit, [c for c in parsed.cursor.get_children() if kind(c) == "VAR_DECL"])
        return self._model_units[file]

    def _assume(self, names: list[str]) -> None:
        """List the models that the program uses among the assumptions; functions of standard C are none."""
        for name in names:
            own = name in self.linkage.models
            ours = _library_names(SYSTEM_MODELS).get(name) and not name.startswith(_NO_ASSUMPTION)
            if own or ours:
                where = self.linkage.library[name] if own else "the library of models"
                text = f"{name}() has no body: its model in {where} is used"
                self._assumptions.append(Assumption(name, "model", text, given=own))


@cache
def _parse_library(file: str, data_model: str) -> Any:
    """The translation unit of a file of our library, which is the same for all programs of a process."""
    return parse(file, arguments((), data_model), data_model)


atexit.register(_parse_library.cache_clear)  # libclang ends before what is left at the end of Python


_NO_ASSUMPTION = ("__kleene", ERRNO_LOCATION)
"""How the names of functions begin that are models for technical reasons: `errno` of standard C is one."""


def _may_be_repeated(cursor: Any) -> bool:
    """Whether several files may define it: an inline function of a header (C17, 6.7.4), or what is weak."""
    if cindex().conf.lib.clang_Cursor_isFunctionInlined(cursor):  # also where a macro says so
        return True
    for token in cursor.get_tokens():
        if token.spelling in ("weak", "__weak__"):
            return True
        if token.spelling == "{":
            break
    return False


def lower_function(unit: Unit, cursor: Any, *, is_entry: bool = False) -> Function:
    """A function with a body as an automaton. Contracts name the parameters as they are written."""
    name = unit.name_of(cursor)
    lowering = lowering_of(unit, name)
    type_ = unit.types.read(cursor.type)
    assert isinstance(type_, FunctionType)
    lowering.statements.result = type_.result
    parameters: list[Variable] = []
    declarations = list(cursor.get_arguments())  # without those of a function that the result points to
    for part in declarations:
        read = unit.types.parameter(part.type)
        spelling = part.spelling or f"$p{len(parameters) + 1}"
        variable = Variable(lowering.builder.unique(spelling, may_hide=not is_entry), read)
        unit.bind(part, variable)
        parameters.append(variable)
    body = next(part for part in cursor.get_children() if kind(part) == "COMPOUND_STMT")
    type_ = FunctionType(
        type_.result, tuple(p.type for p in parameters), cursor.type.kind.name != "FUNCTIONNOPROTO" and type_.variadic
    )
    location = cursor.location
    place = Place(location.file.name, location.line, location.column, name)
    try:
        cfa = with_unsupported_operations(lowering.statements.body(body, declarations))
    except UNEXPECTED:
        unknown: Operation = Unsupported(place, f"body of '{name}' not understood")
        cfa = Cfa(f"{name}.0", (Edge(f"{name}.0", unknown, f"{name}.exit"),))
    locals_ = tuple(lowering.builder.locals)
    return Function(name, type_, tuple(parameters), locals_, cfa, f"{name}.exit", place)


def _static_names(files: list[str], declarations: list[list[Any]]) -> list[dict[str, str]]:
    """For each file: new names for its static functions and variables whose names other files declare too.

    A variable without an initialiser is a tentative definition, which clang does not call a definition.
    """
    owners: Counter[str] = Counter()
    statics: list[set[str]] = []
    for cursors in declarations:
        named = [cursor for cursor in cursors if kind(cursor) in ("FUNCTION_DECL", "VAR_DECL")]
        owners.update({cursor.spelling for cursor in named})
        hidden = (c for c in named if is_internal(c) and (kind(c) == "VAR_DECL" or c.is_definition()))
        statics.append({cursor.spelling for cursor in hidden})
    return [
        {name: f"{name}@{file}" for name in names if owners[name] > 1}
        for file, names in zip(short_names(files), statics, strict=True)
    ]


def short_names(files: list[str]) -> list[str]:
    """The shortest ends of the paths by which the files differ."""
    parts = [Path(file).parts for file in files]
    length = 1
    while len({p[-length:] for p in parts}) < len(set(parts)):
        length += 1
    return ["/".join(p[-length:]) for p in parts]


@cache
def _library_names(library: Path) -> dict[str, bool]:
    """The functions that a file of ours has bodies for, read off its left margin; and which of them are models."""
    names: dict[str, bool] = {}
    is_model = False
    for line in library.read_text(encoding="utf-8").splitlines():
        is_model |= line.startswith(MODELS_BEGIN)
        if line[:1].isalpha() and line.endswith("{"):
            names[line.partition("(")[0].split()[-1].lstrip("*")] = is_model
    return names
