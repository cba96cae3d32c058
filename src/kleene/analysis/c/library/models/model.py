"""The proved functions of a library as its clients see them: C text on objects without content.

An object of the model is the place behind the end of a block. A client can keep it, compare it with NULL and pass it
on. To read, write or free it is an error, and so is to pass on one that has ended. Each function does to its objects
what its operation says, and its numbers are any numbers. Hence a client that is safe with the model calls each
function as the check of the library did, and is safe with the library (docs/concepts/library.md).
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from kleene import __version__
from kleene.analysis.c.certificates import digest_of, file_digest
from kleene.analysis.c.library.client.calls import any_number
from kleene.analysis.c.library.client.text import identifier
from kleene.analysis.c.library.interface.exports import CType, Interface
from kleene.analysis.c.library.interface.object_types import ObjectTypes, is_direct, record_of
from kleene.analysis.c.library.readings.operations import OBJECTS, RESULTS, Fate, Operation, Outcome, Role
from kleene.analysis.c.options import CheckOptions
from kleene.c.options import ReadOptions
from kleene.c.unit import ERRORS
from kleene.cfa.operations import Error, Exit
from kleene.cfa.program import CProgram
from kleene.cfa.types import FloatType, IntegerType, PointerType, Type
from kleene.core.verdict import PROPERTIES
from kleene.results.library import LibraryModel

_OBJECT_ROLES = (Role.OBJECT, Role.OBJECT_OR_NULL, Role.ADDRESS, Role.SECOND, Role.GIVEN)
_ROLES = (*_OBJECT_ROLES, *RESULTS, Role.NUMBER)
"""The roles of arguments whose use ends with the call, or that are objects."""
_OUTCOMES = (Outcome.IGNORED, Outcome.NEW, Outcome.ANOTHER, Outcome.REPLACES, Outcome.REPLACES_IF_SET)
_FATES = (Fate.KEPT, Fate.ENDED, Fate.MERGED)
_MAY = "__VERIFIER_nondet_int()"
_MISUSE = "kleene_misuse"
_PROLOGUE = f"""\
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
static void {_MISUSE}(void) {{ long *nothing = NULL; *nothing = 0; }}
"""
_OBJECT_TYPE = """\
struct {block} {{ long kind; }};
static {type} *{block}_make(void) {{
    struct {block} *block;
    if (__VERIFIER_nondet_int()) return NULL;
    block = malloc(sizeof *block);
    if (!block) return NULL;
    block->kind = {kind};
    return ({type} *)(block + 1);
}}
static void {block}_use({type} *object) {{
    struct {block} *block = (struct {block} *)object - 1;
    if (block->kind != {kind}) kleene_misuse();
}}
static void {block}_end({type} *object) {{
    {block}_use(object);
    free((struct {block} *)object - 1);
}}
"""
_KIND_BITS = 30
"""Bits of the number that tells the objects of a type from others: a positive `int`."""
_INTEGERS = {8: "char", 16: "short", 32: "int", 64: "long long"}
"""Integer types by their bits, for types whose names the model does not declare."""


def settings_of(read: ReadOptions) -> dict[str, object]:
    """The options on which the meaning of a library depends."""
    flags = [flag for flag in read.flags if not flag.startswith(("-I", "-isystem", "-W"))]
    return {"data_model": read.data_model, "defines": sorted(read.defines), "flags": flags}


def has_model(operation: Operation, types: ObjectTypes) -> bool:
    """Whether the model can say what a function does: it takes and returns objects and whole numbers only."""
    function, roles = operation.function, operation.roles
    records = {*_records(operation), record_of(function.result)} - {""}
    without_block = records - types.texts.keys() or records & {*types.iterators, *types.initialised}
    if without_block or function.variadic or not set(roles) <= set(_ROLES):
        return False
    if operation.outcome not in _OUTCOMES or operation.fate not in _FATES:
        return False
    if operation.outcome is Outcome.IGNORED and not (function.result.text == "void" or _is_whole(function.result.type)):
        return False
    if operation.outcome in (Outcome.REPLACES, Outcome.REPLACES_IF_SET) and _owner(operation) is None:
        return False
    arguments = [(role, p.type) for role, p in zip(roles, function.parameters, strict=True)]
    if len({type_.target for role, type_ in arguments if role in RESULTS}) > 1:
        return False
    once = [(role in OBJECTS, record_of(t)) for role, t in arguments if role in _OBJECT_ROLES]
    return len(once) == len(set(once)) and all(_has_argument(role, t) for role, t in arguments)


def _has_argument(role: Role, type_: CType) -> bool:
    if role in RESULTS:
        return isinstance(type_.type, PointerType) and _is_whole(type_.type.target)
    if role is Role.NUMBER:
        return _is_whole(type_.type) or isinstance(type_.type, FloatType)
    return bool(record_of(type_)) and is_direct(type_) is not (role is Role.ADDRESS)


def _is_whole(type_: Type) -> bool:
    return isinstance(type_, IntegerType) and not type_.function and type_.bits in _INTEGERS


def _records(operation: Operation) -> list[str]:
    return operation.records_in(*_OBJECT_ROLES)


def _owner(operation: Operation) -> int | None:
    """The argument that the result replaces."""
    first = next((i for i, role in enumerate(operation.roles) if role in _OBJECT_ROLES), None)
    if first is None or operation.roles[first] not in (Role.OBJECT, Role.OBJECT_OR_NULL):
        return None
    same = record_of(operation.function.parameters[first].type) == record_of(operation.function.result)
    return first if same else None


def model_of(
    interface: Interface, types: ObjectTypes, proved: Sequence[Operation], program: CProgram, options: CheckOptions
) -> LibraryModel:
    """The model of the proved operations; `program` is their client, read with all kinds of error calls.

    It has no function if one is to be called before or after all others: a client need not do that.
    """
    in_order = any(o.fate in (Fate.FIRST, Fate.LAST) for o in proved)
    modelled = [o for o in proved if has_model(o, types) and not in_order]
    names = tuple(o.function.name for o in modelled)
    labels = [e.label for name in program.reachable_functions for e in program.functions[name].cfa.edges]
    ends = any(isinstance(label, Exit) and label.status is not None for label in labels)
    kinds = {label.kind for label in labels if isinstance(label, Error)}
    calls = [name for name, known in PROPERTIES.items() if ERRORS & set(known) and not kinds & set(known)]
    writer = _Writer(interface.file, types, ends=ends)
    made = [record_of(o.function.result) for o in modelled if o.outcome is not Outcome.IGNORED]
    records = dict.fromkeys([*(r for o in modelled for r in _records(o)), *made])
    model = LibraryModel(
        "\n".join([_PROLOGUE, *map(writer.object_type, records), *map(writer.function, modelled)]),
        names,
        (*(f.name for f in interface.functions if f.name not in names), *interface.variables),
        (*options.properties, *calls),
        tuple((file, file_digest(file)) for file in sorted({interface.file, *_given(program, interface)})),
        {**settings_of(options.read), "malloc_may_fail": options.read.malloc_may_fail},
        __version__,
    )
    return replace(model, digest=digest_of(unsealed(asdict(model))))


def unsealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """A model as JSON without its digest."""
    return {key: value for key, value in document.items() if key != "digest"}


def _given(program: CProgram, interface: Interface) -> list[str]:
    """The headers of the library, which the client includes as the library does."""
    own = Path(interface.file).resolve()
    return [name for name in program.headers if Path(name).resolve() != own]


class _Writer:
    """Writes the text of a model."""

    def __init__(self, file: str, types: ObjectTypes, *, ends: bool) -> None:
        self.file = file
        self.types = types
        self.ends = ends

    def object_type(self, record: str) -> str:
        text = self.types.texts[record]
        declared = f"{text};" if text.startswith(("struct ", "union ")) else f"typedef struct kleene_of_{text} {text};"
        return f"{declared}\n{_OBJECT_TYPE.format(type=text, block=self._block(record), kind=self._kind(record))}"

    def _kind(self, record: str) -> int:
        """The number in the blocks of an object type: another one for each type of each library."""
        return zlib.crc32(f"{self.file}:{self.types.texts[record]}".encode()) % (1 << _KIND_BITS)

    def _block(self, record: str) -> str:
        return f"kleene_{identifier(self.types.texts[record])}_{self._kind(record)}"

    def function(self, operation: Operation) -> str:
        function = operation.function
        typed = [f"{self._text(p.type)}{name}" for p, name in zip(function.parameters, _names(operation), strict=True)]
        lines = [f"if ({_MAY}) exit(EXIT_FAILURE);"] if self.ends else []
        lines += [*self._uses(operation), *self._effects(operation), self._result(operation)]
        body = "\n".join(f"    {line}" for line in lines if line)
        return f"{self._text(function.result)}{function.name}({', '.join(typed) or 'void'}) {{\n{body}\n}}"

    def _uses(self, operation: Operation) -> list[str]:
        """The objects are alive, and different ones; so are the variables for results, which have one type."""
        lines = [f"{condition}{block}_use({value});" for value, block, condition, _ in self._objects(operation)]
        seen: dict[str, str] = {}
        for value, block, _, _ in self._objects(operation):
            if block in seen:
                lines.append(f"if ({value} && {value} == {seen[block]}) {_MISUSE}();")
            seen[block] = value
        results = [n for role, n in zip(operation.roles, _names(operation), strict=True) if role in RESULTS]
        return [*lines, *(f"if ({a} && {a} == {b}) {_MISUSE}();" for a, b in combinations(results, 2))]

    def _effects(self, operation: Operation) -> list[str]:
        """What happens to objects and to variables for results."""
        lines = []
        for value, block, condition, role in self._objects(operation):
            ended = operation.ends if role in OBJECTS else role is Role.GIVEN or operation.fate is Fate.MERGED
            if ended or role is Role.ADDRESS:
                lines.append(f"{condition}{block}_end({value});")
            if role is Role.ADDRESS:
                lines.append(f"if ({_MAY}) {value} = NULL;" if ended else f"{value} = {block}_make();")
        for role, parameter, name in zip(
            operation.roles, operation.function.parameters, _names(operation), strict=True
        ):
            if role in RESULTS and isinstance(parameter.type.type, PointerType):
                given = f"{name} && " if role is Role.RESULT_OR_NULL else ""
                lines.append(f"if ({given}{_MAY}) *{name} = {_any(parameter.type.type.target)};")
        return lines

    def _result(self, operation: Operation) -> str:
        result = operation.function.result
        if operation.outcome is Outcome.IGNORED:
            return "" if result.text == "void" else f"return {_any(result.type)};"
        made = f"{self._block(record_of(result))}_make()"
        owner = _owner(operation)
        if operation.outcome in (Outcome.NEW, Outcome.ANOTHER) or owner is None:
            return f"return {made};"
        name = _names(operation)[owner]
        block = self._block(record_of(result))
        lines = [f"{self._text(result)}result;", f"if ({name} && {_MAY}) return {name};", f"result = {made};"]
        if operation.outcome is Outcome.REPLACES_IF_SET:
            lines.append("if (!result) return NULL;")
        return "\n    ".join([*lines, f"if ({name}) {block}_end({name});", "return result;"])

    def _objects(self, operation: Operation) -> list[tuple[str, str, str, Role]]:
        """The value of each object, the name of its block, the condition that there is one, and its role."""
        objects = []
        for role, parameter, name in zip(
            operation.roles, operation.function.parameters, _names(operation), strict=True
        ):
            if role in _OBJECT_ROLES:
                record = record_of(parameter.type)
                value = f"*{name}" if role is Role.ADDRESS else name
                may_be_null = role is Role.OBJECT_OR_NULL or record in self.types.empty_is_null
                condition = f"if ({value}) " if may_be_null else ""
                objects.append((value, self._block(record), condition, role))
        return objects

    def _text(self, type_: CType) -> str:
        """A type as the beginning of a declaration."""
        record = record_of(type_)
        if record:
            return f"{self.types.texts[record]} *" if is_direct(type_) else f"{self.types.texts[record]} **"
        if isinstance(type_.type, PointerType):
            return f"{_whole(type_.type.target)} *"
        return f"{_whole(type_.type)} " if isinstance(type_.type, IntegerType) else f"{type_.text} "


def _names(operation: Operation) -> list[str]:
    return [f"a{number}" for number in range(1, len(operation.roles) + 1)]


def _whole(type_: Type) -> str:
    """An integer type as C text, by its width: a model does not declare enumerations and names of types."""
    assert isinstance(type_, IntegerType)
    if type_.boolean:
        return "_Bool"
    return f"{'signed' if type_.signed else 'unsigned'} {_INTEGERS[type_.bits]}"


def _any(type_: Type) -> str:
    return any_number(CType(type_, _whole(type_)))
