"""The most general client of a library, as C text: any sequence of operations on any arguments.

The client keeps a pointer for each object type (two, if an operation takes two objects). Its loop executes one
operation at a time. The heaps at the head of the loop are all heaps that the operations can make: the class of heaps
that is closed under them. Each operation is one line, so that a run shows which operations it executed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kleene.analysis.c.library.interface import CType, Interface
from kleene.analysis.c.library.operations import (
    OBJECTS,
    Fate,
    ObjectTypes,
    Operation,
    Outcome,
    Role,
    is_direct,
    record_of,
)
from kleene.cfa.types import INT, FloatType, IntegerType, PointerType, RecordLayout, RecordType
from kleene.core.verdict import Finding
from kleene.semantics.vocabulary.back_cells import is_called_back

_PROLOGUE = """\
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
static int kleene_datum;
"""
MAIN = "main"
"""The function of the client that has the loop."""
_TEXTS = ('""', '"a"', '"key"')
"""Texts for arguments of type `char *`: the empty one, and two of different lengths."""


@dataclass(frozen=True)
class Client:
    """A client: its text, and the line of each operation."""

    text: str
    lines: dict[int, Operation]
    objects: dict[str, str]
    """The variable of each object type."""


@dataclass
class _Writer:
    interface: Interface
    types: ObjectTypes
    operations: Sequence[Operation]
    helpers: list[str] = field(default_factory=list)
    _walks: dict[tuple[str, str], str] = field(default_factory=dict)
    _callbacks: dict[str, str] = field(default_factory=dict)

    def write(self, included: str) -> Client:
        texts = self.types.texts
        variables = {name: f"{_identifier(texts[name])}_{i}" for i, name in enumerate(self.types.kept, start=1)}
        second = {
            record_of(p.type)
            for o in self.operations
            for role, p in zip(o.roles, o.function.parameters, strict=True)
            if role is Role.SECOND
        }
        lines = [self._line(o, variables) for o in self.operations]
        declared = [f"    {texts[name]} *{v} = NULL;" for name, v in variables.items()]
        declared += [f"    {texts[name]} *{v}_b = NULL;" for name, v in variables.items() if name in second]
        live = [v for name, v in variables.items()] + [f"{v}_b" for n, v in variables.items() if n in second]
        own_main = self.interface.has_main
        before = [
            *(["#define main kleene_main_of_the_library"] if own_main else []),
            f'#include "{included}"',
            *(["#undef main"] if own_main else []),
            *_PROLOGUE.splitlines(),
            *(line for helper in self.helpers for line in helper.splitlines()),
            f"int {MAIN}(void) {{",
            *declared,
        ]
        loop = ["    for (;;) {", "        int operation = __VERIFIER_nondet_int();"]
        loop.append(f"        if (operation == 0) {{ if ({' && '.join(f'!{v}' for v in live) or '1'}) return 0; }}")
        if second:
            swaps = " ".join(
                f"{texts[name]} *t{i} = {v}; {v} = {v}_b; {v}_b = t{i};"
                for i, (name, v) in enumerate(variables.items())
                if name in second
            )
            loop.append(f"        if (operation == 1) {{ {swaps} }}")
        first = len(before) + len(loop) + 1
        body = [f"        if (operation == {i}) {{ {line} }}" for i, line in enumerate(lines, start=2)]
        text = "\n".join([*before, *loop, *body, "    }", "}", ""])
        return Client(text, {first + i: o for i, o in enumerate(self.operations)}, variables)

    # One operation --------------------------------------------------------------------------------------

    def _line(self, operation: Operation, variables: dict[str, str]) -> str:
        setup, guards, arguments, cleanup = [], [], [], []
        owner = ""
        function = operation.function
        for number, (role, parameter) in enumerate(zip(operation.roles, function.parameters, strict=True), start=1):
            type_, name = parameter.type, record_of(parameter.type)
            local, text = f"a{number}", self.types.texts.get(name, name)
            if role in OBJECTS or role is Role.SECOND:
                variable = variables[name] + ("_b" if role is Role.SECOND else "")
                owner = owner or variable
                arguments.append(f"&{variable}" if role is Role.ADDRESS else variable)
                if role is not Role.OBJECT_OR_NULL and name not in self.types.empty_is_null:
                    guards.append(variable)
                if operation.ends and role is not Role.SECOND:
                    if operation.fate is Fate.RELEASED:
                        cleanup.append(f"free({variable});")
                    cleanup.append(f"{variable} = NULL;")
                elif role is Role.SECOND and operation.fate is Fate.MERGED:
                    cleanup.append(f"{variable} = NULL;")
            elif role is Role.ELEMENT:
                source = self.types.elements.get(name, name)
                setup.append(f"{text} *{local} = {self._walk(source, name)}({variables[source]});")
                guards.append(local)
                arguments.append(local)
                if operation.fate is Fate.RELEASED:
                    cleanup.append(f"free({local});")
            elif role is Role.BLOCK:
                setup.append(f"{text} *{local} = malloc(sizeof *{local});")
                guards.append(local)
                arguments.append(local)
                if operation.initialises:
                    guards.append(f"!{variables[name]}")
                    cleanup.append(f"{variables[name]} = {local};")
            else:
                arguments.append(self._plain(role, type_, local, setup))
        return self._call(operation, arguments, guards, setup, cleanup, variables, owner)

    def _call(
        self,
        operation: Operation,
        arguments: list[str],
        guards: list[str],
        setup: list[str],
        cleanup: list[str],
        variables: dict[str, str],
        owner: str,
    ) -> str:
        function = operation.function
        call = f"{function.name}({', '.join(arguments)})"
        match operation.outcome:
            case Outcome.NEW:
                variable = variables[record_of(function.result)]
                guards.append(f"!{variable}")
                call = f"{variable} = {call}"
            case Outcome.REPLACES:
                call = f"{owner} = {call}"
            case Outcome.REPLACES_IF_SET:
                call = f"{function.result.text} r = {call}; if (r) {owner} = r"
            case Outcome.FREED:
                call = f"free((void *){call})"
        blocks = [a for a in guards if not a.startswith("!") and any(f"{a} = malloc" in s for s in setup)]
        others = [g for g in guards if g not in blocks]
        body = f"{call}; {' '.join(cleanup)}".strip()
        if blocks:
            body = f"{' '.join(s for s in setup if 'malloc' in s)} if ({' && '.join(blocks)}) {{ {body} }}"
            if len(blocks) > 1:
                body += f" else {{ {' '.join(f'free({b});' for b in blocks)} }}"
            setup = [s for s in setup if "malloc" not in s]
        if others:
            body = f"if ({' && '.join(others)}) {{ {body} }}"
        return self._needs_object(operation, variables, f"{' '.join(setup)} {body}".strip())

    def _needs_object(self, operation: Operation, variables: dict[str, str], body: str) -> str:
        """Elements are reached from an object: without one the operation does nothing."""
        sources = {
            variables[self.types.elements.get(record_of(p.type), record_of(p.type))]
            for role, p in zip(operation.roles, operation.function.parameters, strict=True)
            if role is Role.ELEMENT
        }
        return f"if ({' && '.join(sorted(sources))}) {{ {body} }}" if sources else body

    def _plain(self, role: Role, type_: CType, local: str, setup: list[str]) -> str:
        """An argument that is no object."""
        match role:
            case Role.NUMBER:
                return _number(type_)
            case Role.TEXT:
                setup.append(f"int t{local} = __VERIFIER_nondet_int();")
                text = f"t{local} == 0 ? {_TEXTS[0]} : t{local} == 1 ? {_TEXTS[1]} : {_TEXTS[2]}"
                return f"({type_.text})({text})"
            case Role.DATA:
                return "&kleene_datum"
            case Role.OWNED:
                return "malloc(sizeof(int))"
            case Role.RESULT:
                setup.append(f"{type_.target} {local};")
                return f"&{local}"
            case Role.CALLBACK:
                return self._callback(type_)
            case _:
                setup.append(f"{type_.text} {local} = {{0}};")
                return local

    # Helpers --------------------------------------------------------------------------------------------

    def _callback(self, type_: CType) -> str:
        """A function of the client with the type of a parameter: it reads nothing and may return anything."""
        name = self._callbacks.get(type_.text)
        if name is None:
            name = self._callbacks[type_.text] = f"kleene_callback_{len(self._callbacks) + 1}"
            result, *parameters = type_.callback
            listed = ", ".join(f"{p.text} p{i}" for i, p in enumerate(parameters)) or "void"
            value = "" if result.text == "void" else "NULL" if result.target else _number(result)
            self.helpers.append(f"static {result.text} {name}({listed}) {{ return {value}; }}")
        return name

    def _walk(self, source: str, name: str) -> str:
        """A function that returns any element of an object, or NULL."""
        key = (source, name)
        function = self._walks.get(key)
        if function is not None:
            return function
        function = self._walks[key] = f"kleene_element_{len(self._walks) + 1}"
        own = source == name
        starts = ["object"] if own else _starts(self.interface, source, name)
        if own and name not in self.types.empty_is_null:
            starts = [f"object->{f}" for f in _links(self.interface.records.get(name), name)]
        steps = [f"element->{f}" for f in _links(self.interface.records.get(name), name)]
        stop = "element != object && " if own and name not in self.types.empty_is_null else ""
        excluded = " if (element == object) return NULL;" if stop else ""
        texts = self.types.texts
        lines = [f"static {texts[name]} *{function}({texts[source]} *object) {{", f"    {texts[name]} *element = NULL;"]
        lines += _any_of(starts, "    ")
        if steps:
            lines.append(f"    while ({stop}element && __VERIFIER_nondet_int()) {{")
            lines += [*_any_of(steps, "        "), "    }"]
        lines += [f"   {excluded} return element;", "}"]
        self.helpers.append("\n".join(lines))
        return function


CLIENT = "client.c"
"""The name of the client's file, by which steps of a run are recognised."""


def executed_operations(finding: Finding, client: Client) -> list[Operation]:
    """The operations of the client whose calls a run, or a suspected path, has, in order."""
    executed = []
    for step in finding.trace:
        operation = client.lines.get(step.line) if Path(step.file).name == CLIENT else None
        if operation is not None and f"{operation.function.name}(" in step.text:
            executed.append(operation)
    return executed


def write_client(interface: Interface, types: ObjectTypes, operations: Sequence[Operation], included: str) -> Client:
    """The client of some operations; `included` is the path of the library as the client names it."""
    return _Writer(interface, types, operations).write(included)


def can_walk(interface: Interface, types: ObjectTypes, operation: Operation) -> bool:
    """Whether fields lead from the objects to the elements that an operation takes."""
    for role, parameter in zip(operation.roles, operation.function.parameters, strict=True):
        name = record_of(parameter.type)
        if role is Role.ELEMENT:
            source = types.elements.get(name, name)
            if source not in types.kept:
                return False
            own = source == name
            if not (_links(interface.records.get(name), name) if own else _starts(interface, source, name)):
                return False
        if role is Role.BLOCK and (name not in interface.records or not is_direct(parameter.type)):
            return False
    return True


def _any_of(values: list[str], indent: str) -> list[str]:
    """Assign one of several expressions."""
    if len(values) == 1:
        return [f"{indent}element = {values[0]};"]
    lines = [f"{indent}int choice = __VERIFIER_nondet_int();"]
    lines += [f"{indent}if (choice == {i}) element = {value};" for i, value in enumerate(values[:-1])]
    condition = " && ".join(f"choice != {i}" for i in range(len(values) - 1))
    return [*lines, f"{indent}if ({condition}) element = {values[-1]};"]


def _links(layout: RecordLayout | None, name: str) -> list[str]:
    """The fields of a record that lead forward to records of the same type."""
    own = [f.name for f in (layout.fields if layout else ()) if _points_to(f.type, name) and f.name]
    forward = [f for f in own if not is_called_back(f)]
    return forward or own


def _starts(interface: Interface, source: str, name: str) -> list[str]:
    """Expressions from an object to its elements: fields of the object, of its embedded records, of its other parts."""
    direct, later = [], []
    layout = interface.records.get(source)
    for member in layout.fields if layout else ():
        if not member.name:
            continue
        if _points_to(member.type, name):
            direct.append(f"object->{member.name}")
        elif isinstance(member.type, RecordType):
            inner = interface.records.get(member.type.name)
            later += [
                f"object->{member.name}.{f.name}" for f in (inner.fields if inner else ()) if _points_to(f.type, name)
            ]
        elif isinstance(member.type, PointerType) and isinstance(member.type.target, RecordType):
            inner = interface.records.get(member.type.target.name)
            fields = [f.name for f in (inner.fields if inner else ()) if _points_to(f.type, name)]
            later += [f"(object->{member.name} ? object->{member.name}->{f} : NULL)" for f in fields]
    return direct or later


def _points_to(type_: object, name: str) -> bool:
    return isinstance(type_, PointerType) and isinstance(type_.target, RecordType) and type_.target.name == name


def _number(type_: CType) -> str:
    if isinstance(type_.type, FloatType):
        return "1.0"
    small = isinstance(type_.type, IntegerType) and type_.type.bits <= INT.bits
    return f"({type_.text})__VERIFIER_nondet_{'int' if small else 'long'}()"


def _identifier(name: str) -> str:
    return Path(name.replace("struct ", "").replace("union ", "")).name.replace(" ", "_")
