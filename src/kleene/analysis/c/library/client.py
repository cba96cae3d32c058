"""The most general client of a library, as C text: any sequence of operations on any arguments.

The client keeps a pointer for each object type (two, if an operation takes two objects). Where an operation makes
another object of the same type, such as a copy, and some operation ends objects, the client goes on with one of the two
and ends the other: as objects are separate (`separation`), no operation on one of them affects the other. Its loop
executes one operation at a time. The heaps at the head of the loop are all heaps that the operations can make: the
class of heaps that is closed under them. Each operation is one line, so that a run shows which operations it executed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from kleene.analysis.c.library.interface import CType, Interface
from kleene.analysis.c.library.object_types import ObjectTypes, is_direct, record_of
from kleene.analysis.c.library.operations import (
    ELEMENTS,
    KEPT_RESULTS,
    OBJECTS,
    POINTER_ROLES,
    STATUS,
    TEXTS,
    Fate,
    Operation,
    Outcome,
    Role,
)
from kleene.analysis.c.library.walks import Walks
from kleene.cfa.types import INT, FloatType, IntegerType, PointerType

_PROLOGUE = """\
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
double __VERIFIER_nondet_double(void);
"""
_MOST_ELEMENTS = 1 << 24
"""Elements of an array of the client: so many that no product with their size overflows."""
_DATUM = "(void *)65536"
"""A pointer that is stored only: to follow it is an error, told from others by its address behind the page of NULL."""
_ANY_DATUM = "kleene_datum()"
_DATA = f"""\
static void *kleene_datum(void) {{
    int which = __VERIFIER_nondet_int();
    return which == 0 ? NULL : which == 1 ? {_DATUM} : (void *)131072;
}}
"""
"""Pointers that are stored: NULL, and two others that a search tells apart. A trial has one."""
MAIN = "main"
"""The function of the client that has the loop."""
_TEXTS = ('""', '"a"', '"key"')
"""Texts of a trial: the empty one, and two of different lengths. A client that is to be proved has any texts."""


@dataclass(frozen=True)
class Client:
    """A client: its text, and the line of each operation."""

    text: str
    lines: dict[int, Operation]
    objects: dict[str, str]
    """The variable of each object type."""
    variables: tuple[str, ...]
    """The variables that lead to objects."""
    walks: dict[str, str]
    """The function that returns any element of a record."""
    copies: tuple[str, ...] = ()
    """Those among the variables that lead to an object only until it ends, or the one of which it is a copy."""


@dataclass
class _Call:
    """The parts of one call: statements before it, conditions, arguments, statements after it."""

    setup: list[str] = field(default_factory=list)
    allocations: list[str] = field(default_factory=list)
    """Statements that allocate the blocks."""
    blocks: list[str] = field(default_factory=list)
    """Variables of blocks that the client allocates for the call."""
    guards: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    cleanup: list[str] = field(default_factory=list)
    owner: str = ""
    """The variable of the first object."""
    kept: str = ""
    """The statement that keeps the block which the function has turned into an object."""
    dropped: str = ""
    """The statement that frees this block instead."""
    made: str = ""
    """The variable for an object that the function makes."""
    member: str = ""
    """A member of this object that the client reads, as it is one if the result says so."""


class _Writer:
    """Writes one client."""

    def __init__(
        self,
        interface: Interface,
        types: ObjectTypes,
        operations: Sequence[Operation],
        *,
        general: bool,
        any_datum: bool,
        begins_with_two: bool,
    ) -> None:
        self.interface = interface
        self.begins_with_two = begins_with_two
        self.is_general = general
        self.any_text = general and any(role in TEXTS for o in operations for role in o.roles)
        self.any_datum = any_datum and any(_stores_data(o) for o in operations)
        self.types = types
        self.operations = operations
        self.walks = Walks(interface, types)
        used = _used_types(operations) | types.zeroed
        kept = [name for name in types.kept if name in used or types.elements.keys() & used]
        self.variables = {name: f"{identifier(types.texts[name])}_{i}" for i, name in enumerate(kept, start=1)}
        self._callbacks: dict[str, str] = {}
        self._helpers: list[str] = []

    def write(self, included: str) -> Client:
        sessions = self._sessions()
        inside = {o for operations in sessions.values() for o in operations}
        apart = {o for o in self.operations if o.fate in (Fate.FIRST, Fate.LAST)}
        outside = [o for o in self.operations if o not in inside | apart]
        arguments = "int argc, char **argv" if self.any_text else "void"
        body: list[tuple[str, Operation | None]] = [(f"int {MAIN}({arguments}) {{", None)]
        body += [(line, None) for line in self._declarations()]
        body += self._pairs() if self.begins_with_two else []
        body += [(f"    {self._line(o)}", o) for o in self.operations if o.fate is Fate.FIRST]
        body += [("    for (;;) {", None), ("        int operation = __VERIFIER_nondet_int();", None)]
        body += [*self._end(), *((line, None) for line in self._swap_and_zero())]
        body += [(f"        if (operation == {i}) {{ {self._line(o)} }}", o) for i, o in enumerate(outside, start=2)]
        for number, (name, operations) in enumerate(sessions.items(), start=2 + len(outside)):
            body += self._session(number, name, operations)
        body += [("    }", None), ("}", None)]
        before = self._library(included)
        lines = {i: operation for i, (_, operation) in enumerate(body, start=len(before) + 1) if operation is not None}
        text = "\n".join([*before, *(line for line, _ in body), ""])
        objects = {n: v for n, v in self.variables.items() if n not in self.types.iterators}
        second, copies = (tuple(f"{self.variables[n]}_b" for n in names) for names in (self._second(), self._copied))
        variables = (*objects.values(), *second, *copies)
        return Client(text, lines, objects, variables, self.walks.by_element, copies)

    # The frame of the client ----------------------------------------------------------------------------

    def _library(self, included: str) -> list[str]:
        own_main = self.interface.has_main
        return [
            *(["#define main kleene_main_of_the_library"] if own_main else []),
            f'#include "{included}"',
            *(["#undef main"] if own_main else []),
            *_PROLOGUE.splitlines(),
            *(_DATA.splitlines() if self.any_datum else ()),
            *(line for helper in (*self.walks.texts, *self._helpers) for line in helper.splitlines()),
        ]

    def _second(self) -> list[str]:
        """The types of which the client keeps two objects."""
        used = self._taken_twice
        used += [o.makes_another for o in self.operations]
        return [name for name in self.variables if name in used and name not in self._copied]

    @property
    def _taken_twice(self) -> list[str]:
        """The types of which an operation takes two objects."""
        return [name for o in self.operations for name in o.records_in(Role.SECOND)]

    @cached_property
    def _copied(self) -> dict[str, Operation]:
        """The types of which operations make another object, each with an operation that ends one of the two."""
        made = [o.makes_another for o in self.operations]
        ending = [o for o in self.operations if o.ends and not o.makes_another]
        ends = {name: o for o in ending for name in o.records_in(Role.OBJECT, Role.OBJECT_OR_NULL)}
        return {name: ends[name] for name in made if name in ends and name not in self._taken_twice}

    def _declarations(self) -> list[str]:
        texts, second = self.types.texts, self._second()
        kept = {n: v for n, v in self.variables.items() if n not in self.types.iterators}
        declared = [f"    {texts[name]} *{v} = NULL;" for name, v in kept.items()]
        return [*declared, *(f"    {texts[name]} *{self.variables[name]}_b = NULL;" for name in second)]

    def _pairs(self) -> list[tuple[str, Operation | None]]:
        """The first objects: a trial is too short to come to operations on two objects otherwise."""
        lines: list[tuple[str, Operation | None]] = []
        for name in self._second():
            makers = [o for o in self.operations if o.makes == name and not o.roles]
            for maker in makers[:1]:
                for variable in (self.variables[name], f"{self.variables[name]}_b"):
                    lines.append((f"    {variable} = {maker.function.name}();", maker))
        return lines

    def _end(self) -> list[tuple[str, Operation | None]]:
        """The program may end when no object is left."""
        kept = [v for n, v in self.variables.items() if n not in self.types.iterators]
        live = [*kept, *(f"{self.variables[name]}_b" for name in self._second())]
        condition = " && ".join(["operation == 0", *(f"!{v}" for v in live)])
        last = [o for o in self.operations if o.fate is Fate.LAST]
        lines: list[tuple[str, Operation | None]] = [(f"        if ({condition}) {{", None)]
        return [*lines, *((f"            {self._line(o)}", o) for o in last), ("            return 0; }", None)]

    def _swap_and_zero(self) -> list[str]:
        """Two objects of a type may change places; blocks of zeros become objects."""
        swaps = " ".join(
            f"{self.types.texts[name]} *t{i} = {self.variables[name]}; {self.variables[name]} = "
            f"{self.variables[name]}_b; {self.variables[name]}_b = t{i};"
            for i, name in enumerate(self._second())
        )
        return [*([f"        if (operation == 1) {{ {swaps} }}"] if swaps else []), *self._zeroed_lines()]

    def _zeroed_lines(self) -> list[str]:
        """A block of the client that is filled with zeros becomes an object, and ends when its pointers are NULL."""
        lines = []
        for number, name in enumerate((n for n in self.variables if n in self.types.zeroed), start=1):
            variable, layout = self.variables[name], self.interface.records[name]
            pointers = [f.name for f in layout.fields if f.name and isinstance(f.type, PointerType)]
            empty = " && ".join([variable, *(f"!{variable}->{field}" for field in pointers)])
            made = f"if (!{variable}) {variable} = calloc(1, sizeof *{variable});"
            ended = f"if ({empty}) {{ free({variable}); {variable} = NULL; }}"
            lines.append(f"        if (operation == {-2 * number}) {{ {made} }}")
            lines.append(f"        if (operation == {-2 * number - 1}) {{ {ended} }}")
        return lines

    # Iterators ------------------------------------------------------------------------------------------

    def _sessions(self) -> dict[str, list[Operation]]:
        """The operations on each type of iterators."""
        sessions: dict[str, list[Operation]] = {}
        for operation in self.operations:
            records = {operation.makes, *operation.records_in(*POINTER_ROLES)}
            for name in self.types.iterators:
                if name in records:
                    sessions.setdefault(name, []).append(operation)
                    break
        return sessions

    def _session(self, number: int, name: str, operations: list[Operation]) -> list[tuple[str, Operation | None]]:
        """An iterator from its beginning to its end: only its own operations are called meanwhile."""
        variable, indent = self.variables[name], "            "
        makers = [o for o in operations if o.makes == name]
        others = [o for o in operations if o.makes != name]
        lines: list[tuple[str, Operation | None]] = [
            (f"        if (operation == {number}) {{ {self.types.texts[name]} *{variable} = NULL;", None),
            (f"{indent}int step = __VERIFIER_nondet_int();", None),
        ]
        lines += [(f"{indent}if (step == {i}) {{ {self._line(o)} }}", o) for i, o in enumerate(makers, start=1)]
        lines += [(f"{indent}while ({variable}) {{ step = __VERIFIER_nondet_int();", None)]
        lines += [(f"{indent}    if (step == {i}) {{ {self._line(o)} }}", o) for i, o in enumerate(others, start=1)]
        if any(o.initialises for o in makers) or not any(o.ends for o in others):
            lines += [(f"{indent}    if (step == 0) {{ free({variable}); {variable} = NULL; }}", None)]
        return [*lines, (f"{indent}}} }}", None)]

    # One operation --------------------------------------------------------------------------------------

    def _line(self, operation: Operation) -> str:
        call = _Call()
        counts = {operation.count_beside(i) for i, role in enumerate(operation.roles) if role is Role.ARRAY}
        for number, (role, parameter) in enumerate(
            zip(operation.roles, operation.function.parameters, strict=True), start=1
        ):
            name, local = record_of(parameter.type), f"a{number}"
            if number - 1 in counts:
                call.setup.append(f"{parameter.type.text} {local} = {any_number(parameter.type)};")
            if role in OBJECTS or role in (Role.SECOND, Role.GIVEN):
                self._object(operation, role, name, call)
            elif role in ELEMENTS:
                self._element(operation, role, name, local, call)
            elif role in (Role.BLOCK, Role.INITIALISED):
                call.allocations.append(f"{self.types.texts[name]} *{local} = malloc(sizeof *{local});")
                call.blocks.append(local)
                call.arguments.append(local)
                if role is Role.INITIALISED:
                    call.guards.append(f"!{self.variables[name]}")
                    call.kept = f"{self.variables[name]} = {local}"
                    call.dropped = f"free({local})"
            elif role is Role.MADE:
                known = "" if operation.outcome in STATUS else " = NULL"
                call.setup.append(f"{self.types.texts[name]} *{local}{known};")
                call.arguments.append(f"&{local}")
                call.made = local
                call.member = member_to_see(name, self.interface)
            elif number - 1 in counts:
                call.arguments.append(local)
            elif role is Role.ARRAY:
                self._array(parameter.type.target, local, f"a{operation.count_beside(number - 1) + 1}", call)
            elif role in TEXTS:
                call.arguments.append(f"({parameter.type.text}){self._text(role, local, call)}")
            else:
                call.arguments.append(self._plain(role, parameter.type, local, call.setup))
        return self._text_of(operation, call)

    def _object(self, operation: Operation, role: Role, name: str, call: _Call) -> None:
        variable = self.variables[name] + ("_b" if role is Role.SECOND else "")
        call.owner = call.owner or variable
        call.arguments.append(f"&{variable}" if role is Role.ADDRESS else variable)
        if role is not Role.OBJECT_OR_NULL and name not in self.types.empty_is_null:
            call.guards.append(variable)
        if operation.ends and role in OBJECTS:
            if operation.fate is Fate.RELEASED:
                call.cleanup.append(f"free({variable});")
            call.cleanup.append(f"{variable} = NULL;")
        elif role is Role.GIVEN or (role is Role.SECOND and operation.fate is Fate.MERGED):
            call.cleanup.append(f"{variable} = NULL;")

    def _element(self, operation: Operation, role: Role, name: str, local: str, call: _Call) -> None:
        source = self.types.elements.get(name, name)
        walk = self.walks.to(source, name)
        call.setup.append(f"{self.types.texts[name]} *{local} = {walk}({self.variables[source]});")
        if role is Role.ELEMENT:
            call.guards.append(local)
        call.arguments.append(local)
        if operation.fate is Fate.RELEASED:
            call.cleanup.append(f"free({local});")

    def _text_of(self, operation: Operation, call: _Call) -> str:
        function = operation.function
        text = _with_status(operation, f"{function.name}({', '.join(call.arguments)})", call)
        match operation.outcome:
            case Outcome.NEW | Outcome.ANOTHER:
                text = self._new(operation, text, call)
            case _ if call.made:
                text = self._new(operation, text, call)
            case Outcome.REPLACES:
                text = f"{call.owner} = {text}"
            case Outcome.REPLACES_IF_SET:
                text = f"{function.result.text} r = {text}; if (r) {call.owner} = r"
            case Outcome.FREED:
                text = f"free((void *){text})"
            case Outcome.SEEN:
                record = record_of(function.result) if is_direct(function.result) else ""
                member = member_to_see(record, self.interface)
                text = f"{function.result.text} r = {text}; if (r) (void){f'r->{member}' if member else '*(char *)r'}"
        body = " ".join([f"{text};", *call.cleanup])
        if call.blocks:
            body = f"{' '.join(call.allocations)} if ({' && '.join(call.blocks)}) {{ {body} }}"
            if len(call.blocks) > 1:
                body += f" else {{ {' '.join(f'free({b});' for b in call.blocks)} }}"
        if call.guards:
            body = f"if ({' && '.join(call.guards)}) {{ {body} }}"
        return self._needs_object(operation, f"{' '.join(call.setup)} {body}".strip())

    def _new(self, operation: Operation, text: str, call: _Call) -> str:
        """An object that the call makes goes to the variable of its type."""
        another = operation.makes_another
        if another in self._copied:
            return self._copy(another, text)
        variable = f"{self.variables[another]}_b" if another else self.variables[operation.makes]
        call.guards.append(f"!{variable}")
        return f"{variable} = {text}"

    def _copy(self, name: str, text: str) -> str:
        """Another object of a type: one of the two ends. (A loop, so that its head has the heaps with both.)"""
        one, type_ = self.variables[name], self.types.texts[name]
        other = f"{one}_b"
        swap = f"if (__VERIFIER_nondet_int()) {{ {type_} *t = {one}; {one} = {other}; {other} = t; }}"
        self.variables[name] = other
        end = self._line(self._copied[name])
        self.variables[name] = one
        return f"for ({type_} *{other} = {text}; {other};) {{ {swap} {end} }}"

    def _needs_object(self, operation: Operation, body: str) -> str:
        """Elements are reached from an object: without one the operation does nothing."""
        sources = {self.variables[self.types.elements.get(n, n)] for n in operation.records_in(*ELEMENTS)}
        return f"if ({' && '.join(sorted(sources))}) {{ {body} }}" if sources else body

    def _text(self, role: Role, local: str, call: _Call) -> str:
        """A text: an argument of the program, or a copy of it that ends with the call."""
        call.setup.append(f"int t{local} = __VERIFIER_nondet_int();")
        if self.any_text:
            call.guards.append(f"t{local} >= 0 && t{local} < argc")
            text = f"argv[t{local}]"
        else:
            text = f"(t{local} == 0 ? {_TEXTS[0]} : t{local} == 1 ? {_TEXTS[1]} : {_TEXTS[2]})"
        if role is Role.LASTING_TEXT:
            return text
        call.allocations.append(f"char *{local} = strdup({text});")
        call.blocks.append(local)
        call.cleanup.append(f"free({local});")
        return local

    def _array(self, element: str, local: str, count: str, call: _Call) -> None:
        """An array of the client with any content."""
        call.guards.append(f"{count} >= 0 && {count} <= {_MOST_ELEMENTS}")
        call.allocations.append(f"{element} *{local} = malloc({count} * sizeof *{local});")
        call.blocks.append(local)
        call.arguments.append(local)
        call.cleanup.append(f"free({local});")

    def _plain(self, role: Role, type_: CType, local: str, setup: list[str]) -> str:
        """An argument that is no object."""
        match role:
            case Role.NUMBER:
                return self._number(type_)
            case Role.DATA:
                return self._datum
            case Role.OWNED:
                return "malloc(sizeof(int))"
            case Role.RESULT:
                setup.append(f"{type_.target} {local};")
                return f"&{local}"
            case Role.CALLBACK:
                return self._callback(type_)
            case _:
                setup.append(f"{type_.text} {local};")
                return local

    def _number(self, type_: CType) -> str:
        return any_number(type_, any_float=self.is_general)

    @property
    def _datum(self) -> str:
        return _ANY_DATUM if self.any_datum else _DATUM

    # Helpers --------------------------------------------------------------------------------------------

    def _callback(self, type_: CType) -> str:
        """A function of the client with the type of a parameter: it reads nothing and may return anything."""
        name = self._callbacks.get(type_.text)
        if name is None:
            name = self._callbacks[type_.text] = f"kleene_callback_{len(self._callbacks) + 1}"
            result, *parameters = type_.callback
            listed = ", ".join(f"{p.text} p{i}" for i, p in enumerate(parameters)) or "void"
            value = "" if result.text == "void" else self._datum if result.target else self._number(result)
            self._helpers.append(f"static {result.text} {name}({listed}) {{ return {value}; }}")
        return name


CLIENT = "client.c"
"""The name of the client's file, by which steps of a run are recognised."""


def write_client(
    interface: Interface,
    types: ObjectTypes,
    operations: Sequence[Operation],
    included: str,
    *,
    general: bool = True,
    any_datum: bool = True,
    begins_with_two: bool = False,
) -> Client:
    """The client of some operations; `included` is the path of the library as the client names it.

    Without `general`, its texts and floating-point numbers are a few that are known: trials need no more, and are
    shorter. Without `any_datum`, all stored pointers are equal: enough where no code examines them. With
    `begins_with_two`, its run begins with two objects of each type of which it keeps two.
    """
    writer = _Writer(
        interface, types, operations, general=general, any_datum=any_datum, begins_with_two=begins_with_two
    )
    return writer.write(included)


def _with_status(operation: Operation, text: str, call: _Call) -> str:
    """A call of a function that makes an object: the object as an expression, or the statement that keeps its block."""
    comparison = {Outcome.ZERO_IF_MADE: " == 0", Outcome.SET_IF_MADE: " != 0"}.get(operation.outcome, "")
    if call.made:
        seen = f"((void){call.made}->{call.member}, {call.made})" if call.member else call.made
        return f"{text}{comparison} ? {seen} : NULL" if comparison else f"({text}, {call.made})"
    if comparison:
        return f"if ({text}{comparison}) {{ {call.kept}; }} else {{ {call.dropped}; }}"
    return f"{text}; {call.kept}" if call.kept else text


def _used_types(operations: Sequence[Operation]) -> set[str]:
    """The types of the objects that operations take, make or replace: a client keeps objects of no other type."""
    used = {name for o in operations for name in o.records_in(*POINTER_ROLES)}
    return used | {record_of(o.function.result) for o in operations if o.outcome in KEPT_RESULTS}


def member_to_see(record: str, interface: Interface) -> str:
    """The member that a client reads of a record to which a result points: a number if there is one, or a pointer."""
    layout = interface.records.get(record)
    fields = [f for f in layout.fields if f.name] if layout is not None else []
    numbers = [f.name for f in fields if isinstance(f.type, IntegerType)]
    return next(iter([*numbers, *(f.name for f in fields if isinstance(f.type, PointerType))]), "")


def _stores_data(operation: Operation) -> bool:
    """Whether a function gets pointers that point nowhere, as an argument or from a function of the client."""
    results = [p.type.callback[0] for p in operation.function.parameters if p.type.callback]
    return Role.DATA in operation.roles or any(result.target for result in results)


def any_number(type_: CType, *, any_float: bool = True) -> str:
    """An expression for any number of a type; exact runs know no other floating-point number than one."""
    if isinstance(type_.type, FloatType):
        return f"({type_.text})__VERIFIER_nondet_double()" if any_float else "1.0"
    small = isinstance(type_.type, IntegerType) and type_.type.bits <= INT.bits
    return f"({type_.text})__VERIFIER_nondet_{'int' if small else 'long'}()"


def identifier(name: str) -> str:
    """The name of a record as a part of other names."""
    return Path(name.replace("struct ", "").replace("union ", "")).name.replace(" ", "_")
