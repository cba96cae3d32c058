"""The interface of a C file: the functions that it exports, with the types that a client needs to call them.

A function is exported if other files can call it: its definition is not `static`. In a header, `static` functions are
exported too, because every file that includes the header has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kleene.analysis.c.library.interface.payload import payload_of, with_void
from kleene.c.clang import kind, raise_from_callbacks
from kleene.c.input.system_headers import is_own_header
from kleene.c.library.variadic import is_argument_list
from kleene.c.options import ReadOptions, parse_unit
from kleene.c.parse import POINTER_BYTES
from kleene.c.type_reader import TypeReader
from kleene.cfa.types import VOID, RecordLayout, RecordType, Type

HEADER = ".h"


@dataclass(frozen=True)
class CType:
    """A type as the analysis reads it, and as C text without qualifiers: `const list_t *` is `list_t *`."""

    type: Type
    text: str
    target: str = ""
    """The type that it points to, as C text without qualifiers; empty if it is no pointer."""
    constant_target: bool = False
    """Whether the type forbids writing through the pointer."""
    count: int = 0
    """The number of elements of an array that is written as one in a list of parameters."""
    callback: tuple[CType, ...] = ()
    """For a pointer to a function: its result and its parameters."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of an exported function."""

    name: str
    type: CType


@dataclass(frozen=True)
class ExportedFunction:
    """A function that clients can call."""

    name: str
    parameters: tuple[Parameter, ...]
    result: CType
    line: int
    variadic: bool = False
    head: str = field(default="", compare=False)
    """The declaration as a person writes it."""


@dataclass(frozen=True)
class MissingFunction:
    """A function that the file calls and that has no body: its type as it is declared, and as the analysis reads it."""

    name: str
    result: str
    parameters: tuple[str, ...]
    """The types of the parameters as C text, with qualifiers."""
    types: tuple[CType, ...]
    """The type of the result, and those of the parameters."""
    variadic: bool = False
    is_tested: bool = False
    """Whether code of the file compares a result of it with NULL; if its name says that it never fails, all results."""


@dataclass(frozen=True)
class Interface:
    """The exported functions of a file in source order, and the records of the file."""

    file: str
    functions: tuple[ExportedFunction, ...]
    records: dict[str, RecordLayout]
    has_main: bool
    variables: dict[str, Type] = field(default_factory=dict)
    """The variables that other files can name, with their types; `void` if the file only declares one."""
    own_nodes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The variables of the file that are records, by record: the end of a list or of a tree, and no element of it."""
    missing: tuple[MissingFunction, ...] = ()
    """The functions without a body that the file calls, other than those of the standard library."""
    hooks: dict[tuple[str, str], CType] = field(default_factory=dict)
    """The members that point to functions, by record and name."""
    payload: frozenset[str] = frozenset()
    """The records that the file only stores pointers to: these are data of its clients."""
    complaints: dict[tuple[str, int, int], str] = field(default_factory=dict)
    """The functions without a body that are called where a test has failed, by file name, line and column."""


def read_interface(file: str, options: ReadOptions) -> Interface:
    """The interface of a file. Raises InputError where a compiler would refuse the file."""
    unit = parse_unit(file, options)
    records: dict[str, RecordLayout] = {}
    types = TypeReader(records, POINTER_BYTES[options.data_model])
    functions: dict[str, ExportedFunction] = {}
    with raise_from_callbacks():
        definitions = [
            c
            for c in unit.cursor.get_children()
            if kind(c) == "FUNCTION_DECL" and c.is_definition() and _is_in(file, c)
        ]
        has_main = any(c.spelling == "main" for c in definitions)
        for cursor in definitions:
            if cursor.spelling != "main" and (file.endswith(HEADER) or cursor.storage_class.name != "STATIC"):
                functions[cursor.spelling] = _function(cursor, types)
        variables: dict[str, Type] = {}
        own_nodes = _own_nodes(file, unit.cursor.get_children(), types)
        for c in unit.cursor.get_children():
            if kind(c) == "VAR_DECL" and c.storage_class.name != "STATIC" and _is_in(file, c):
                if c.storage_class.name == "EXTERN" and not c.is_definition():
                    variables.setdefault(str(c.spelling), VOID)
                else:
                    variables[str(c.spelling)] = types.read(c.type)
        missing = tuple(_missing(definitions, types, _texts(definitions, Path(file).read_bytes())))
        hooks = dict(_hooks(unit.cursor.get_children(), types))
        complaints = dict(_complaints(definitions, {f.name for f in missing}))
        every = [c for c in unit.cursor.get_children() if kind(c) == "FUNCTION_DECL" and c.is_definition()]
        listed = tuple(functions.values())
        payload = payload_of(
            [t.type for f in listed for t in (*(p.type for p in f.parameters), f.result)], every, types
        )
    listed = tuple(_as_data(f, payload) for f in listed)
    return Interface(file, listed, records, has_main, variables, own_nodes, missing, hooks, payload, complaints)


def _own_nodes(file: str, cursors: Iterable[Any], types: TypeReader) -> dict[str, tuple[str, ...]]:
    """The variables that the file defines, static or not, whose type is a record."""
    found: dict[str, tuple[str, ...]] = {}
    for cursor in cursors:
        declares = kind(cursor) == "VAR_DECL" and cursor.storage_class.name == "EXTERN" and not cursor.is_definition()
        if kind(cursor) == "VAR_DECL" and not declares and _is_in(file, cursor):
            type_ = types.read(cursor.type)
            if isinstance(type_, RecordType):
                found[type_.name] = tuple(dict.fromkeys((*found.get(type_.name, ()), str(cursor.spelling))))
    return found


def _as_data(function: ExportedFunction, payload: Set[str]) -> ExportedFunction:
    """The function whose pointers to records that the file only stores pointers to are read as `void *`."""

    def change(type_: CType) -> CType:
        return replace(type_, type=with_void(type_.type, payload), callback=tuple(map(change, type_.callback)))

    parameters = tuple(replace(p, type=change(p.type)) for p in function.parameters)
    return replace(function, parameters=parameters, result=change(function.result))


def _complaints(definitions: Sequence[Any], missing: Set[str]) -> Iterator[tuple[tuple[str, int, int], str]]:
    """The calls that are all what an `if` does, without `else`: ``if (!node) log_assertion("node")``."""
    tests = (node for cursor in definitions for node in cursor.walk_preorder() if kind(node) == "IF_STMT")
    for children in ([*node.get_children()] for node in tests):
        called = children[1] if len(children) == _WITHOUT_ELSE else None
        while called is not None and kind(called) in ("COMPOUND_STMT", "UNEXPOSED_EXPR", "CSTYLE_CAST_EXPR"):
            inside = [*called.get_children()]
            called = inside[-1] if len(inside) == 1 else None
        if called is not None and kind(called) == "CALL_EXPR" and called.spelling in missing:
            place = called.location
            yield (Path(place.file.name).name, int(place.line), int(place.column)), str(called.spelling)


_WITHOUT_ELSE = 2
"""Parts of an `if` without `else`: the condition, and what is done."""


def _hooks(declarations: Iterable[Any], types: TypeReader) -> Iterator[tuple[tuple[str, str], CType]]:
    """The members of structs that point to functions."""
    for cursor in declarations:
        if kind(cursor) != "STRUCT_DECL" or not cursor.is_definition():
            continue
        members = [(str(f.spelling), f.type.get_canonical()) for f in cursor.type.get_fields()]
        found = [(n, t) for n, t in members if t.kind.name == "POINTER" and t.get_pointee().kind.name in _FUNCTIONS]
        record = types.read(cursor.type) if found else VOID
        if isinstance(record, RecordType):
            yield from (((record.name, name), _type(type_, types)) for name, type_ in found)


_FUNCTIONS = ("FUNCTIONPROTO", "FUNCTIONNOPROTO")
"""What libclang calls types of functions."""


def exported_names(file: str, options: ReadOptions) -> list[str]:
    """The names of the functions that a file defines and exports, `main` included."""
    with raise_from_callbacks():
        definitions = [c for c in parse_unit(file, options).cursor.get_children() if kind(c) == "FUNCTION_DECL"]
        own = [c for c in definitions if c.is_definition() and _is_in(file, c)]
        return [str(c.spelling) for c in own if c.storage_class.name != "STATIC"]


def _is_in(file: str, cursor: Any) -> bool:
    place = cursor.location.file
    return place is not None and Path(place.name).resolve() == Path(file).resolve()


def _texts(definitions: Sequence[Any], text: bytes) -> list[str]:
    """The text of each function."""
    extents = [(c.extent.start.offset, c.extent.end.offset) for c in definitions]
    return [text[start:end].decode("utf-8", errors="replace") for start, end in extents]


def _missing(definitions: Sequence[Any], types: TypeReader, texts: Sequence[str]) -> Iterator[MissingFunction]:
    """The functions without a body that some functions, and the inline functions of headers below them, call."""
    seen: dict[str, Any] = {}
    waiting = list(definitions)
    while waiting:
        for node in waiting.pop().walk_preorder():
            called = node.referenced if kind(node) == "CALL_EXPR" else None
            if called is None or kind(called) != "FUNCTION_DECL" or called.spelling in seen:
                continue
            seen[called.spelling] = called
            body, place = called.get_definition(), called.location
            if body is not None:
                waiting.append(body)
            elif place.file is not None and not is_own_header(place.file.name) and not place.is_in_system_header:
                yield _missing_function(called, types, texts)


def _missing_function(cursor: Any, types: TypeReader, texts: Sequence[str]) -> MissingFunction:
    parameters = [p.type for p in cursor.get_arguments()]
    prototype = cursor.type.kind.name == "FUNCTIONPROTO"
    name = str(cursor.spelling)
    tests = [tested for text in texts for tested in _tests(name, text)]
    return MissingFunction(
        name,
        str(cursor.result_type.spelling),
        tuple(str(p.spelling) for p in parameters),
        (_type(cursor.result_type, types), *(_type(p, types, decay=True) for p in parameters)),
        bool(prototype and cursor.type.is_function_variadic()),
        bool(tests) and (all(tests) if _NEVER_FAILS.search(name) else any(tests)),
    )


_NEVER_FAILS = re.compile(r"(?:^|_)(?:x|safe|checked|must)_?[a-z]*(?:alloc|dup)|or_(?:die|abort|exit)", re.IGNORECASE)
"""Names of allocators that end the program when there is no memory, by convention; a test or two changes nothing."""


def _tests(name: str, text: str) -> Iterator[bool]:
    """For calls of a function in the text of another: whether what it returns is compared with NULL, there or later."""
    call = rf"(?:\([^()]*\)\s*)?\b{name}\s*\("
    if re.search(rf"!\s*{call}", text):
        yield True
    stored = {m[1].lstrip("*") for m in re.finditer(rf"([\w.\->\[\]*]+)\s*=\s*{call}", text)}
    for target in map(re.escape, stored):
        before = r"(?:!\s*\(?\s*|\bNULL\s*[!=]=\s*|(?:if|while)\s*\(\s*|&&\s*|\|\|\s*)"
        alone = rf"{before}{target}\s*(?:\)|&&|\|\||=[^=])"
        compared = rf"{target}\s*(?:[!=]=\s*(?:NULL|0)\b|\?)"
        at_call = rf"\(\s*{target}\s*=\s*{call}[^;{{]*\)\s*[!=]="
        yield any(re.search(pattern, text) for pattern in (alone, compared, at_call))


def _function(cursor: Any, types: TypeReader) -> ExportedFunction:
    parameters = tuple(
        Parameter(str(p.spelling) or f"argument{i}", _type(p.type, types, decay=True))
        for i, p in enumerate(cursor.get_arguments(), start=1)
    )
    variadic = cursor.type.kind.name == "FUNCTIONPROTO" and cursor.type.is_function_variadic()
    written = [_declaration(str(p.type.spelling), str(p.spelling)) for p in cursor.get_arguments()]
    head = _declaration(str(cursor.result_type.spelling), str(cursor.spelling))
    return ExportedFunction(
        str(cursor.spelling),
        parameters,
        _type(cursor.result_type, types),
        int(cursor.location.line),
        bool(variadic),
        f"{head}({', '.join([*written, *['...'] * bool(variadic)]) or 'void'})",
    )


def _type(type_: Any, types: TypeReader, *, decay: bool = False) -> CType:
    canonical = type_.get_canonical()
    if is_argument_list(type_) or is_argument_list(canonical):
        return CType(VOID, "va_list")
    if decay and canonical.kind.name in ("CONSTANTARRAY", "INCOMPLETEARRAY", "VARIABLEARRAY"):
        element = canonical.element_type
        target = _unqualified_text(element)
        fixed = int(canonical.element_count) if canonical.kind.name == "CONSTANTARRAY" else 0
        return CType(types.parameter(type_), f"{target} *", target, bool(element.is_const_qualified()), fixed)
    read = types.parameter(type_) if decay else types.read(type_)
    if canonical.kind.name != "POINTER":
        return CType(read, _unqualified_text(canonical))
    pointee = canonical.get_pointee()
    if pointee.kind.name in _FUNCTIONS:
        signature: Sequence[Any] = [pointee.get_result()]
        if pointee.kind.name == "FUNCTIONPROTO":
            signature = [*signature, *pointee.argument_types()]
        return CType(read, str(canonical.spelling), callback=tuple(_type(t, types) for t in signature))
    target = _unqualified_text(pointee)
    return CType(read, f"{target} *", target, bool(pointee.is_const_qualified()))


def _unqualified_text(type_: Any) -> str:
    """The type as text, without `const` and `volatile` at its outermost level."""
    canonical = type_.get_canonical()
    if canonical.kind.name == "POINTER" and not canonical.get_pointee().kind.name.startswith("FUNCTION"):
        return f"{_unqualified_text(canonical.get_pointee())} *"
    words = str(canonical.spelling).split(" ")
    return " ".join(w for w in words if w not in ("const", "volatile", "restrict"))


def _declaration(type_: str, name: str) -> str:
    """A declaration of a name with a type as text."""
    if "(*)" in type_:
        return type_.replace("(*)", f"(*{name})", 1)
    type_, bracket, count = type_.partition("[")
    spaced = f"{type_}{name}" if type_.endswith("*") else f"{type_.rstrip()} {name}"
    return f"{spaced}{bracket}{count}".rstrip()
