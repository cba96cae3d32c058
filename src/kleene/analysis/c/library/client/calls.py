"""The line of a client that executes one operation: statements before the call, its arguments, statements after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import MappingProxyType

from kleene.analysis.c.library.client.handed_out import hand_out, hand_out_members
from kleene.analysis.c.library.client.walks import Walks
from kleene.analysis.c.library.client.watch import Watch, end, own_result, use
from kleene.analysis.c.library.interface.exports import CType, Interface
from kleene.analysis.c.library.interface.object_types import ObjectTypes, is_direct, record_of
from kleene.analysis.c.library.interface.sizes import element_size
from kleene.analysis.c.library.readings.operations import (
    DROPS,
    ELEMENTS,
    GIVING,
    OBJECTS,
    OVER,
    RESULTS,
    STATUS,
    TEXTS,
    Fate,
    Operation,
    Outcome,
    Role,
)
from kleene.cfa.types import INT, VOID, FloatType, IntegerType, PointerType, RecordType, VoidType

_MOST_ELEMENTS = 1 << 24
"""Elements of an array of the client: so many that no product with their size overflows."""
_DATUM = "(void *)65536"
"""A pointer that is stored only: to follow it is an error, told from others by its address behind the page of NULL."""
CALLBACK = "kleene_callback_"
"""How names of functions of the client begin."""
IS_OVER = "kleene_over"
"""The variable that says whether an iterator is at its end."""
GOES_ON = "kleene_goes_on"
"""The function of a trial that is executed where a call has moved an iterator and says that it is not at its end."""
_ANY_DATUM = "kleene_datum()"
_STORED = "kleene_stored()"
DATA = f"""\
static void *kleene_datum(void) {{
    int which = __VERIFIER_nondet_int();
    return which == 0 ? NULL : which == 1 ? {_DATUM} : (void *)131072;
}}
static void *kleene_stored(void) {{ return __VERIFIER_nondet_int() ? {_DATUM} : (void *)131072; }}
"""
"""Pointers that are stored: NULL, and two others that a search tells apart. A trial has one."""
STORED_POINTERS = (_DATUM, _ANY_DATUM, _STORED)
"""The expressions of such pointers; a client that stores none has none."""
_TEXTS = ('""', '"a"', '"key"')
"""Texts of a trial: the empty one, and two of different lengths. A client that is to be proved has any texts."""


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
    filled: str = ""
    """The statements that hand out what the function has stored in this block."""
    made: str = ""
    """The variable for an object that the function makes."""
    given: str = ""
    """The statement by which the client gives up an object, as the result says."""
    member: str = ""
    """A member of this object that the client reads, as it is one if the result says so."""


def loose(variable: str) -> str:
    """The variable for a node that is part of no object, beside that of the objects of its type."""
    return f"{variable}_loose"


def size_variable(variable: str) -> str:
    """The variable for the size of the elements of all objects of a type: separate objects need no other one."""
    return f"{variable}_size"


class Calls:
    """Writes the calls of one client."""

    def __init__(
        self,
        interface: Interface,
        types: ObjectTypes,
        variables: dict[str, str],
        copied: dict[str, Operation],
        outstanding: dict[str, list[str]],
        enders: Mapping[str, str],
        *,
        general: bool,
        any_text: bool,
        any_datum: bool,
        watch: Watch | None = None,
        hooks: Mapping[str, Sequence[str]] = MappingProxyType({}),
        sized: Set[str] = frozenset(),
    ) -> None:
        self.interface = interface
        self.hooks = hooks
        self.sized = sized
        """The types with operations that get elements of the size with which their object was made."""
        self.types = types
        self.variables = variables
        self.copied = copied
        self.outstanding = outstanding
        self.is_general = general
        self.any_text = any_text
        self.any_datum = any_datum
        self.watch = watch
        self.enders = dict(enders)
        self.walks = Walks(interface, types, is_general=general)
        self._callbacks: dict[tuple[str, bool], str] = {}
        self.helpers: list[str] = []

    def line_for_loose(self, maker: Operation) -> str:
        """The call of a maker whose result is a node that is part of no object."""
        name = maker.makes
        whole = self.variables[name]
        self.variables[name] = loose(whole)
        line = self.line(maker)
        self.variables[name] = whole
        return line

    def line(self, operation: Operation) -> str:
        call = _Call()
        counts = {operation.count_beside(i) for i, role in enumerate(operation.roles) if role is Role.ARRAY}
        size_place = element_size(operation.function) if operation.makes in self.sized else None
        for number, (role, parameter) in enumerate(
            zip(operation.roles, operation.function.parameters, strict=True), start=1
        ):
            name, local = record_of(parameter.type), f"a{number}"
            if number - 1 in counts:
                call.setup.append(f"{parameter.type.text} {local} = {any_number(parameter.type)};")
            if role in OBJECTS or role in (Role.SECOND, Role.GIVEN):
                self._object(operation, role, name, call)
            elif role is Role.LOOSE:
                call.guards.append(loose(self.variables[name]))
                call.arguments.append(loose(self.variables[name]))
                call.cleanup.append(f"{loose(self.variables[name])} = NULL;")
            elif role in ELEMENTS:
                self._element(operation, role, name, local, call)
            elif role in (Role.BLOCK, Role.INITIALISED):
                call.allocations.append(f"{self.types.texts[name]} *{local} = malloc(sizeof *{local});")
                call.blocks.append(local)
                call.arguments.append(local)
                if role is Role.INITIALISED:
                    call.guards.append(f"!{self.variables[name]}")
                    call.kept = f"{self.variables[name]} = {local}{self.set_hooks(name)}"
                    call.filled = hand_out_members(local, name, self.interface)
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
            elif role is Role.FIXED:
                self._array(parameter.type.target, local, str(parameter.type.count), call)
            elif role in RESULTS and leads_to_number(parameter.type):
                call.setup.append(f"{parameter.type.target} {local} = NULL;")
                call.arguments.append(_address(local, role))
                call.cleanup.append(f"if ({local}) (void)*{local};")  # one that points to a freed block is an error
            elif role in RESULTS:
                is_read = self.watch is not None or role is Role.RESULT_OR_NULL
                known = " = NULL" if is_read and parameter.type.target.endswith("*") else ""
                call.setup.append(f"{parameter.type.target} {local}{known};")
                call.arguments.append(_address(local, role))
                target = parameter.type.type.target if isinstance(parameter.type.type, PointerType) else VOID
                call.cleanup.append(hand_out(local, target, self.interface))
                call.cleanup.append(own_result(operation, local, target) if self.watch is not None else "")
            elif role is Role.TAKEN:
                call.setup.append(f"{parameter.type.target} {local} = NULL;")
                call.arguments.append(f"&{local}")
                call.cleanup.append(f"free({local});")
            elif role is Role.VALUE:
                self._array("void", local, size_variable(self.variables[operation.sized]), call)
            elif role is Role.NUMBER and number - 1 == size_place:
                call.arguments.append(size_variable(self.variables[operation.makes]))
            elif role in (Role.AMOUNT, Role.SIZE):
                is_kept = number - 1 == size_place
                amount = size_variable(self.variables[operation.makes]) if is_kept else any_number(parameter.type)
                call.setup.append(f"{parameter.type.text} {local} = {amount};")
                call.guards.append(f"{local} >= {int(role is Role.SIZE)} && {local} <= {_MOST_ELEMENTS}")
                call.arguments.append(local)
            elif self.watch is not None and role in (Role.DATA, Role.STORED):
                call.arguments.append(self.watch.datum(operation, number - 1))
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
            call.guards += [f"!{v}" for v in self.outstanding.get(name, ())]
            if operation.fate is Fate.RELEASED:
                call.cleanup.append(f"free({variable});")
            call.cleanup.append(f"{variable} = NULL;")
        elif name in self.types.zeroed and len(operation.records_in(*OBJECTS)) > 1:
            call.cleanup.append(hand_out_members(variable, name, self.interface))
        elif role is Role.GIVEN and operation.outcome in GIVING:
            call.given = f"{variable} = NULL"
        elif role is Role.GIVEN or (role is Role.SECOND and operation.fate in (Fate.MERGED, Fate.MOVED)):
            call.cleanup += [f"free({variable});"] if operation.fate is Fate.MOVED else []
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
        elif operation.fate is Fate.LOOSENED:
            call.cleanup.append(f"if ({local}) {self.enders.get(name, '(void)')}({local});")

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
            case _ if operation.outcome in GIVING:
                text = f"if ({text}{_COMPARISONS[operation.outcome]}) {call.given}"
            case _ if operation.outcome in OVER:
                call.guards.append(f"!{IS_OVER}")
                text = self._until_over(operation, text)
            case Outcome.IGNORED if handed := hand_out("r", function.result.type, self.interface):
                owned = own_result(operation, "r", function.result.type) if self.watch is not None else ""
                text = f"{function.result.text} r = {text}; {handed} {owned}".removesuffix("; ")
        body = " ".join([f"{text};", *filter(None, call.cleanup)])
        if call.blocks:
            body = f"{' '.join(call.allocations)} if ({' && '.join(call.blocks)}) {{ {body} }}"
            if len(call.blocks) > 1:
                body += f" else {{ {' '.join(f'free({b});' for b in call.blocks)} }}"
        if call.guards:
            body = f"if ({' && '.join(call.guards)}) {{ {body} }}"
        return self._needs_object(operation, f"{' '.join(call.setup)} {body}".strip())

    def _until_over(self, operation: Operation, text: str) -> str:
        """A call whose result says that an iterator is at its end."""
        result = operation.function.result
        over = f"if ({'!' if operation.outcome is Outcome.OVER_IF_ZERO else ''}r) {IS_OVER} = 1"
        before = ""
        if not self.is_general and says_over_by_number(operation):
            before, over = self._with_moves(operation, over)
        member = member_to_see(record_of(result), self.interface) if is_direct(result) else ""
        seen = f"if (r) (void)r->{member};" if member else hand_out("r", result.type, self.interface)
        return f"{before}{result.text} r = {text}; {seen} {over}"

    def _with_moves(self, operation: Operation, over: str) -> tuple[str, str]:
        """What precedes a call and what follows it: a note where the iterator has moved and is not at its end."""
        name = next(n for n in operation.records_in(Role.OBJECT) if n in self.types.iterators)
        iterator, layout = self.variables[name], self.interface.records.get(name)
        fields = [f for f in (layout.fields if layout is not None else ()) if f.name and f.bit_width is None]
        scalars = [f.name for f in fields if isinstance(f.type, PointerType | IntegerType)]
        moved = " || ".join(f"was.{field} != {iterator}->{field}" for field in scalars) or "0"
        noted = f"static void {GOES_ON}(void) {{ }}"
        self.helpers += [noted] if noted not in self.helpers else []
        return f"{self.types.texts[name]} was = *{iterator}; ", f"{over}; else if ({moved}) {GOES_ON}()"

    def _new(self, operation: Operation, text: str, call: _Call) -> str:
        """An object that the call makes goes to the variable of its type."""
        another = operation.makes_another
        if another in self.copied:
            return self._copy(another, text)
        variable = f"{self.variables[another]}_b" if another else self.variables[operation.makes]
        call.guards.append(f"!{variable}")
        hooks = self.set_hooks(operation.makes, variable)
        return f"{variable} = {text}{f'; if ({variable}) {{ {hooks[2:]}; }}' if hooks else ''}"

    def set_hooks(self, name: str, variable: str = "") -> str:
        """The statements that set the members for functions of a new object which the library leaves to its clients."""
        hooks = [(hook, self.interface.hooks[name, hook]) for hook in self.hooks.get(name, ())]
        target = variable or self.variables.get(name, "")
        return "".join(f"; {target}->{hook} = {self._callback(type_, Role.CALLBACK)}" for hook, type_ in hooks)

    def _copy(self, name: str, text: str) -> str:
        """Another object of a type: one of the two ends. (A loop, so that its head has the heaps with both.)"""
        one, type_ = self.variables[name], self.types.texts[name]
        other = f"{one}_b"
        swap = f"if (__VERIFIER_nondet_int()) {{ {type_} *t = {one}; {one} = {other}; {other} = t; }}"
        self.variables[name] = other
        end = self.line(self.copied[name])
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
        if not count.isdigit():
            call.guards.append(f"{count} >= 0 && {count} <= {_MOST_ELEMENTS}")
        element = "unsigned char" if element.removeprefix("const ") == "void" else element
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
            case Role.STORED:
                return _STORED if self.any_datum else _DATUM
            case Role.OWNED:
                return "malloc(sizeof(int))"
            case Role.CALLBACK | Role.DROP:
                return self._callback(type_, role)
            case Role.CALLBACK_OR_NULL | Role.DROP_OR_NULL:
                return f"(__VERIFIER_nondet_int() ? {self._callback(type_, role)} : NULL)"
            case _:
                setup.append(f"{type_.text} {local};")
                setup += [f"{local}.{member} = {self._datum};" for member in self._stored_in(type_)]
                return local

    def _stored_in(self, type_: CType) -> list[str]:
        """The members of a record by value that are stored pointers; of a union, one."""
        layout = self.interface.records.get(type_.type.name) if isinstance(type_.type, RecordType) else None
        fields = [f for f in layout.fields if f.name and isinstance(f.type, PointerType)] if layout is not None else []
        stored = [f.name for f in fields if isinstance(f.type, PointerType) and isinstance(f.type.target, VoidType)]
        return stored[:1] if layout is not None and layout.union else stored

    def _number(self, type_: CType) -> str:
        return any_number(type_, any_float=self.is_general)

    @property
    def _datum(self) -> str:
        return _ANY_DATUM if self.any_datum else _DATUM

    # Helpers --------------------------------------------------------------------------------------------

    def _callback(self, type_: CType, role: Role) -> str:
        """A function of the client with the type of a parameter: it reads what it gets, and may return anything."""
        ends = role in DROPS and self.watch is not None
        name = self._callbacks.get((type_.text, ends))
        if name is None:
            name = self._callbacks[type_.text, ends] = f"{CALLBACK}{len(self._callbacks) + 1}"
            result, *parameters = type_.callback
            listed = ", ".join(f"{p.text} p{i}" for i, p in enumerate(parameters)) or "void"
            value = "" if result.text == "void" else self._datum if result.target else self._number(result)
            read = "".join(self._reading(parameters, place) for place in range(len(parameters)))
            if self.watch is not None:
                read += "".join(f"{(end if ends else use)(f'p{i}', p.type)} " for i, p in enumerate(parameters))
            self.helpers.append(f"static {result.text} {name}({listed}) {{ {read}return {value}; }}")
        return name

    def _reading(self, parameters: Sequence[CType], place: int) -> str:
        """How a function of the client reads what a pointer leads to that it gets: one to a freed block is an error.

        What may be the end of an array is not read, but must exist: the second of two pointers, or a pointer beside a
        number that is 0. So must data of the client, which points nowhere.
        """
        parameter = parameters[place]
        handed = hand_out(f"p{place}", parameter.type, self.interface)
        target = parameter.type.target if isinstance(parameter.type, PointerType) else None
        if isinstance(target, RecordType):
            member = member_to_see(record_of(parameter), self.interface) if is_direct(parameter) else ""
            return f"if (p{place}) (void)p{place}->{member}; " if member else f"{handed} "
        if not isinstance(target, IntegerType | FloatType) or (place and parameters[place - 1].type == parameter.type):
            return f"{handed} " if handed else ""
        beside = [i for i in (place - 1, place + 1) if 0 <= i < len(parameters)]
        some = [f" && p{i} > 0" for i in beside if isinstance(parameters[i].type, IntegerType)]
        return f"{handed} if (p{place}{''.join(some)}) (void)*p{place}; "


_COMPARISONS = {
    Outcome.ZERO_IF_MADE: " == 0",
    Outcome.SET_IF_MADE: " != 0",
    Outcome.POSITIVE_IF_MADE: " > 0",
    Outcome.ZERO_IF_GIVEN: " == 0",
    Outcome.SET_IF_GIVEN: " != 0",
}
"""What a result says where there is an object, or where the client has one no more."""


def _with_status(operation: Operation, text: str, call: _Call) -> str:
    """A call of a function that makes an object: the object as an expression, or the statement that keeps its block."""
    comparison = _COMPARISONS[operation.outcome] if operation.outcome in STATUS else ""
    if call.made:
        seen = f"((void){call.made}->{call.member}, {call.made})" if call.member else call.made
        return f"{text}{comparison} ? {seen} : NULL" if comparison else f"({text}, {call.made})"
    if comparison:
        return f"if ({text}{comparison}) {{ {call.filled} {call.kept}; }} else {{ {call.dropped}; }}"
    return f"{text}; {call.filled} {call.kept}" if call.kept else text


def _address(local: str, role: Role) -> str:
    """The address of a variable for a result, or NULL where that is admissible."""
    return f"(__VERIFIER_nondet_int() ? &{local} : NULL)" if role is Role.RESULT_OR_NULL else f"&{local}"


def can_be_omitted(type_: CType) -> bool:
    """Whether a client can pass NULL in place of a variable of this type: it reads no record that nobody has filled."""
    return isinstance(type_.type, PointerType) and not isinstance(type_.type.target, RecordType)


def leads_to_number(type_: CType) -> bool:
    """Whether a type is that of the address of a pointer to a number or a text: a caller reads what it gets there."""
    pointer = type_.type.target if isinstance(type_.type, PointerType) else None
    return isinstance(pointer, PointerType) and isinstance(pointer.target, IntegerType | FloatType)


def member_to_see(record: str, interface: Interface) -> str:
    """The member that a client reads of a record to which a result points: a number if there is one, or a pointer."""
    layout = interface.records.get(record)
    fields = [f for f in layout.fields if f.name] if layout is not None else []
    numbers = [f.name for f in fields if isinstance(f.type, IntegerType)]
    return next(iter([*numbers, *(f.name for f in fields if isinstance(f.type, PointerType))]), "")


def stores_data(operation: Operation) -> bool:
    """Whether a function gets pointers that point nowhere, as an argument or from a function of the client."""
    results = [p.type.callback[0] for p in operation.function.parameters if p.type.callback]
    stored = {Role.DATA, Role.STORED, Role.RECORD} & set(operation.roles)
    return bool(stored) or any(result.target for result in results)


def says_over_by_number(operation: Operation) -> bool:
    """Whether a number says that an iterator is at its end: either sense of it is possible, and one is wrong."""
    return operation.outcome in OVER and isinstance(operation.function.result.type, IntegerType)


def any_number(type_: CType, *, any_float: bool = True) -> str:
    """An expression for any number of a type; exact runs know two floating-point numbers, so that they may differ."""
    if isinstance(type_.type, FloatType):
        return f"({type_.text})__VERIFIER_nondet_double()" if any_float else "(__VERIFIER_nondet_int() ? 1.0 : 2.0)"
    small = isinstance(type_.type, IntegerType) and type_.type.bits <= INT.bits
    return f"({type_.text})__VERIFIER_nondet_{'int' if small else 'long'}()"
