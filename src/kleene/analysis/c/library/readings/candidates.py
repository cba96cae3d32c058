"""The possible readings of a function, the most plausible first.

Readings that fail at once where they are wrong come before others: a block that is not initialised is read, an object
that is forgotten is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product

from kleene.analysis.c.library.interface.exports import CType, ExportedFunction, Parameter
from kleene.analysis.c.library.interface.object_types import (
    ENDS,
    ObjectTypes,
    initialised_by,
    is_direct,
    made_by,
    record_of,
    records_of,
)
from kleene.analysis.c.library.readings.operations import (
    ELEMENTS,
    GIVING,
    OBJECTS,
    OVER,
    POINTER_ROLES,
    STATUS,
    Fate,
    Operation,
    Outcome,
    Role,
)
from kleene.cfa.types import CHAR, FloatType, IntegerType, PointerType, RecordType, VoidType

MOST_BITS = 64
"""Bits of the numbers of which a client has any: `long` has so many."""
MOST_READINGS = 96
"""Readings of one function that are tried: two arguments with five roles, and four for fate and result.

A function is wrong if all its readings fail, so the number must not cut off plausible ones."""
_ENDS_ALL = re.compile(
    r"(free|destroy|delete|dispose|release|fini|finish|term|terminate|clean_?up|close|deinit|uninit|shut_?down|done|all)$",
    re.IGNORECASE,
)
"""Names of functions without arguments that end what a library keeps: one that leaves something is wrong."""
_STARTS = re.compile(r"init|setup|start|open|begin|new|create|reset", re.IGNORECASE)
"""Names of functions without arguments that make what a library keeps in its variables."""
_CONVERTS = re.compile(r"detach|steal|take|extract|build|into|to_|unwrap|consume", re.IGNORECASE)
"""Names of functions that may end an object and give its content to the caller."""
_HANDS_OUT = re.compile(
    r"unlink|detach|steal|take|extract|pop|dequeue|dup|copy|clone|print|join|format|string", re.IGNORECASE
)
"""Names of functions whose caller owns what they return or unlink."""
_UNLINKS = re.compile(r"del|remove|unlink|erase|detach", re.IGNORECASE)
"""Names of functions that take an element out: one that leaves it linked is wrong, not another kind of function."""
_LOOKS = re.compile(
    r"next|prev|first|last|parent|left|right|get|peek|value|data|key|size|count|len|depth|height|is_?|has_?|iter|find|search|min|max|contains|print",
    re.IGNORECASE,
)
"""Names of functions that look at an element, or lead on from it, and leave it where it is."""
_ADDS = re.compile(r"add|insert|append|push|prepend|enqueue|link|(^|_)put(_|$)", re.IGNORECASE)
"""Names of functions that link an element."""
_TAKES_OUT = re.compile(r"unlink|del|remove|erase|detach|drop|pop|take|cut", re.IGNORECASE)
"""Names of functions that do not, though `link` may be in them."""
_MAKES = re.compile(r"new|create|make|open|start|begin|reset|clear|zero|construct|ctor", re.IGNORECASE)
"""Names of functions that may initialise a block, though they are not called `init`."""
_COPIES = re.compile(r"dup|copy|clone|split|slice|reverse|merge|concat|map|filter", re.IGNORECASE)
"""Names of functions that may return another object of the type that they take."""


_DROPS = re.compile(
    r"free|destr|delet|(^|_)del(_|$)|dispos|releas|drop|dtor|deinit|dealloc|unref|clean|clear|purge|kill|fini|finali[sz]e",
    re.IGNORECASE,
)
"""Names of functions of the client that end data, and of functions that call them for all elements."""
_VISITS = re.compile(r"visit|each|apply|print|show|log|notify|cb|callback|walk|iter", re.IGNORECASE)
"""Names of functions of the client that only look at data."""


_TELLS = re.compile(r"key|hash|^i$|^(id|idx|index|at|pos|position|place|prio|priority|kind|tag)$", re.IGNORECASE)
"""Names of numbers that tell a datum from others, or say where it is, and not how large it is."""
_JOINS = re.compile(r"join|concat|merge|splice|(^|_)cat($|_)", re.IGNORECASE)
"""Names of functions that make one object of two: an element of the first one would be linked to itself."""


def readings(function: ExportedFunction, types: ObjectTypes) -> list[Operation]:
    """The possible readings of a function, the most plausible first; empty if a type is not supported."""
    choices = list(_role_choices(function, types))
    if any(not roles for roles in choices) or function.variadic:
        return []
    ranked = sorted(
        (
            (sum(ranks), Operation(function, roles, fate, outcome))
            for ranks, roles in _combinations(function, choices)
            for fate_rank, fate in enumerate(_fates(function, roles, types))
            for outcome_rank, outcome in _ranked(function, _outcomes(function, roles, types))
            for ranks in [
                (
                    *ranks,
                    fate_rank,
                    outcome_rank,
                    _KEPT_ELEMENT * (fate is Fate.KEPT and _is_unlinked(roles) and not _only_looks(function)),
                )
            ]
        ),
        key=lambda pair: (_is_last_resort(pair[1], types), pair[0]),
    )
    return [operation for _, operation in islice(ranked, MOST_READINGS)]


def says_end(function: ExportedFunction) -> bool:
    """Whether the name of a function says that it ends an object, and no other record is concerned."""
    return bool(ENDS.search(function.name)) and len(records_of(function)) == 1


def says_add(function: ExportedFunction) -> bool:
    """Whether the name of a function says that it adds something."""
    return _ADDS.search(function.name) is not None and _TAKES_OUT.search(function.name) is None


def says_unlink(function: ExportedFunction) -> bool:
    """Whether the name of a function says that it takes an element out, or ends it."""
    return bool(_UNLINKS.search(function.name) or ENDS.search(function.name))


def hands_out(function: ExportedFunction) -> bool:
    """Whether the name of a function says that its caller owns what it returns or unlinks."""
    return bool(_HANDS_OUT.search(function.name))


def _is_last_resort(operation: Operation, types: ObjectTypes) -> bool:
    """Whether a function initialises a block although neither its name nor its types say so."""
    initialised = operation.initialises
    return bool(initialised) and initialised not in (*initialised_by(operation.function), *types.iterators)


_KEPT_ELEMENT = 2
"""The rank of 'stays' for a function that takes an element alone: to unlink it is more plausible."""


def _only_looks(function: ExportedFunction) -> bool:
    return bool(_LOOKS.search(function.name)) and not says_unlink(function)


def _is_unlinked(roles: tuple[Role, ...]) -> bool:
    return any(r in ELEMENTS for r in roles) and not any(r in OBJECTS for r in roles)


def _combinations(
    function: ExportedFunction, choices: list[tuple[Role, ...]]
) -> Iterator[tuple[tuple[int, ...], tuple[Role, ...]]]:
    """All assignments of roles, with the rank of each choice: one object of a type, and others only beside it."""
    records = [record_of(p.type) for p in function.parameters]
    for ranks in product(*(range(len(c)) for c in choices)):
        roles = tuple(c[r] for c, r in zip(choices, ranks, strict=True))
        first = [n for n, r in zip(records, roles, strict=True) if r in OBJECTS]
        second = [n for n, r in zip(records, roles, strict=True) if r is Role.SECOND]
        given = [n for n, r in zip(records, roles, strict=True) if r is Role.GIVEN]
        if len(set(first)) < len(first) or len(set(second)) < len(second) or not set(second) <= set(first):
            continue
        if roles.count(Role.BLOCK) > 1 and all(r is Role.BLOCK for n, r in zip(records, roles, strict=True) if n):
            continue  # blocks of the caller alone: nothing that the library has made takes part
        if Role.VALUE in roles and not first:
            continue
        if Role.LOOSE in roles and sum(map(bool, records)) > 1 and not _has_place(roles):
            continue
        if not given or (len(set(given)) == len(given) and first and not set(given) & set(first)):
            yield ranks, roles


def _has_place(roles: tuple[Role, ...]) -> bool:
    """Whether there is one loose node, and an object or an element beside which it may be linked."""
    return roles.count(Role.LOOSE) == 1 and any(r in OBJECTS or r in ELEMENTS for r in roles)


def _role_choices(function: ExportedFunction, types: ObjectTypes) -> Iterator[tuple[Role, ...]]:
    records = records_of(function)
    for parameter in function.parameters:
        name = record_of(parameter.type)
        if not name:
            yield _plain_roles(function, parameter, types)
        elif not is_direct(parameter.type):
            made = (Role.MADE,) if made_by(function) == name else ()
            if name not in types.kept:
                yield (Role.RESULT,)
            elif name in types.constructed:
                yield *made, Role.ADDRESS
            else:  # `void stack_init(struct node **top) { *top = NULL; }`
                yield Role.ADDRESS, *(made if name in types.empty_is_null and len(function.parameters) == 1 else ())
        else:
            yield tuple(dict.fromkeys(_record_roles(function, parameter, records, types)))


def _record_roles(
    function: ExportedFunction, parameter: Parameter, records: list[str], types: ObjectTypes
) -> Iterator[Role]:
    """The roles of a pointer to a record, the most plausible first."""
    name = record_of(parameter.type)
    several, alone = records.count(name) > 1, len(records) == 1
    if name in types.constructed & types.elements.keys() and says_end(function):
        yield Role.OBJECT  # nothing frees an element that is linked
    if name in types.initialised & types.linked and alone and _UNLINKS.search(function.name):
        yield Role.ELEMENT
        return
    if types.lent.get(name, "") in records:  # what a pool has handed out goes back; it may still be linked in the pool
        yield from (Role.GIVEN, Role.ELEMENT)
        return
    if name in initialised_by(function):
        yield Role.INITIALISED
    if types.iterators.get(name) in records and not is_iterator(function.result, types):
        yield Role.INITIALISED
    if several and name in types.initialised:
        yield Role.BLOCK
    if name in types.elements:
        yield Role.ELEMENT
        if not alone:
            yield Role.ELEMENT_OR_NULL
        if not alone and name in types.handed_in:
            yield Role.BLOCK
    if name not in types.kept:
        return
    if name in types.initialised and not several and not parameter.type.constant_target:
        yield Role.ELEMENT
    if types.elements.get(name) in records:
        yield Role.GIVEN
    yield Role.OBJECT_OR_NULL if name in types.empty_is_null else Role.OBJECT
    if several and name in types.empty_is_null and _JOINS.search(function.name):
        yield Role.SECOND
        return
    if _may_be_loose(function, parameter, records, types):
        yield from (Role.SECOND, Role.LOOSE) if several else (Role.LOOSE,)
    if not alone or parameter.name not in types.named_objects.get(name, ()):
        yield Role.ELEMENT
    if several and name in types.empty_is_null:
        yield Role.ELEMENT_OR_NULL
    if several:
        yield Role.SECOND
    if alone and name not in types.made - types.zeroed and _MAKES.search(function.name):
        yield Role.INITIALISED
    elif not alone and (name not in types.made or (several and name in types.initialised)):
        yield Role.BLOCK


def _may_be_loose(function: ExportedFunction, parameter: Parameter, records: list[str], types: ObjectTypes) -> bool:
    """Whether a parameter may be a node that is part of no object, of a type without a header that has a maker.

    A function links it into an object, by its name, or ends it. One whose parameter has the name of whole objects takes
    whole objects: a node alone would hide its errors.
    """
    name = record_of(parameter.type)
    if name not in types.empty_is_null & types.constructed or parameter.name in types.named_objects.get(name, ()):
        return False
    links = records.count(name) > 1 and says_add(function)
    return links or (len(records) == 1 and len(function.parameters) == 1 and bool(ENDS.search(function.name)))


def is_iterator(type_: CType, types: ObjectTypes) -> bool:
    """Whether a type is a pointer to an iterator."""
    return is_direct(type_) and record_of(type_) in types.iterators


def _plain_roles(function: ExportedFunction, parameter: Parameter, types: ObjectTypes) -> tuple[Role, ...]:
    type_ = parameter.type.type
    array = (Role.ARRAY,) if _has_number_beside(function, parameter) else ()
    if isinstance(type_, IntegerType) and type_.bits > MOST_BITS:
        return ()
    if isinstance(type_, IntegerType | FloatType):
        return (Role.NUMBER,)
    if isinstance(type_, RecordType):
        return (Role.RECORD,)
    if not isinstance(type_, PointerType):
        return ()
    if parameter.type.count:
        return (Role.FIXED,)
    if parameter.type.callback:
        called = Role.DROP if _drops(function, parameter) else Role.CALLBACK
        return (called,) if can_call_back(parameter.type.callback) else ()
    target = type_.target
    if isinstance(target, VoidType):
        records = records_of(function)
        value = (Role.VALUE,) if len(records) == 1 and records[0] in types.sized else ()
        return (Role.DATA, *value, *array, Role.OWNED)
    if isinstance(target, IntegerType) and target.bits == CHAR.bits:
        return (Role.TEXT, *array) if parameter.type.constant_target else (*array, Role.TEXT)
    if isinstance(target, IntegerType | FloatType):
        return (Role.RESULT, *array)
    if not isinstance(target, PointerType):
        return ()
    return (Role.RESULT, Role.TAKEN) if isinstance(target.target, IntegerType | VoidType) else (Role.RESULT,)


def can_call_back(signature: tuple[CType, ...]) -> bool:
    """Whether a function of the client can return any result: of pointers, what it gets (pointers that are stored)."""
    result, *parameters = signature
    if isinstance(result.type, PointerType):
        return isinstance(result.type.target, VoidType) and result.type in [p.type for p in parameters]
    return not isinstance(result.type, RecordType) and not result.callback


def _drops(function: ExportedFunction, parameter: Parameter) -> bool:
    """Whether a function of the client ends the data that it gets: its name says so, or that of the function."""
    result, *parameters = parameter.type.callback
    data = [p for p in parameters if isinstance(p.type, PointerType) and isinstance(p.type.target, VoidType)]
    if not data or isinstance(result.type, PointerType):
        return False
    alone = len(parameters) == 1 and isinstance(result.type, VoidType) and not _VISITS.search(parameter.name)
    return bool(_DROPS.search(parameter.name) or (alone and _DROPS.search(function.name)))


def _has_number_beside(function: ExportedFunction, parameter: Parameter) -> bool:
    """Whether the parameter before or after a pointer may be the number of elements of an array.

    The key beside a datum, or its place, is none.
    """
    type_ = parameter.type.type
    is_datum = isinstance(type_, PointerType) and isinstance(type_.target, VoidType)
    place = function.parameters.index(parameter)
    beside = [p for p in function.parameters[max(place - 1, 0) : place + 2] if p is not parameter]
    return any(isinstance(p.type.type, IntegerType) and not (is_datum and _TELLS.search(p.name)) for p in beside)


def _fates(function: ExportedFunction, roles: tuple[Role, ...], types: ObjectTypes) -> tuple[Fate, ...]:
    """The possible fates; the caller frees only blocks that it may have allocated, or that are handed out."""
    if not function.parameters and function.result.text == "void":
        return _fates_without_object(function)
    pointers = [(p, r) for p, r in zip(function.parameters, roles, strict=True) if r in POINTER_ROLES]
    changing = [(p, r) for p, r in pointers if r in (Role.OBJECT, Role.OBJECT_OR_NULL, Role.LOOSE, *ELEMENTS)]
    looks = all(p.type.constant_target for p, _ in pointers) and not ENDS.search(function.name)
    if Role.ADDRESS in roles or not changing or looks:  # `list_free(const struct list *)` ends what it gets
        return (Fate.KEPT,)
    if Role.SECOND in roles:
        moved = any(record_of(p.type) in types.initialised for p, r in pointers if r is Role.SECOND)
        return (Fate.MERGED, Fate.KEPT, *((Fate.MOVED,) if moved else ()))
    if Role.LOOSE in roles:
        return (Fate.KEPT,) if len(pointers) > 1 else (Fate.ENDED,)
    if Role.GIVEN in roles or Role.INITIALISED in roles:
        return (Fate.KEPT,)
    subject_is_element = any(r in ELEMENTS for _, r in changing)
    subject = next((p for p, r in changing if r in ELEMENTS), changing[0][0])
    handed_out = subject_is_element and (hands_out(function) or record_of(subject.type) in types.handed_in)
    in_block = record_of(subject.type) in types.initialised and not subject.type.constant_target
    released = (Fate.RELEASED,) if in_block or handed_out else ()
    if subject_is_element and _may_loosen(function, record_of(subject.type), types):
        released = (Fate.LOOSENED, *released)
    if _is_unlinked(roles):
        if _only_looks(function):
            return (Fate.KEPT, *released, Fate.ENDED)
        stays = () if _UNLINKS.search(function.name) else (Fate.KEPT,)
        return (*released, Fate.ENDED, *stays)
    if ENDS.search(function.name):
        return (Fate.ENDED, *released, Fate.KEPT)
    if subject_is_element:
        return (Fate.KEPT, Fate.ENDED, *released)
    ended_by_others = record_of(subject.type) in types.ended_by_name and not _CONVERTS.search(function.name)
    if len(records_of(function)) > 1:
        return (Fate.KEPT,)
    if ended_by_others:
        return (Fate.KEPT, *(released if len(function.parameters) == 1 else ()))
    return (Fate.KEPT, Fate.ENDED, *released)


def _may_loosen(function: ExportedFunction, name: str, types: ObjectTypes) -> bool:
    """Whether a function may take an element out and leave it to the caller: others make such elements and end them."""
    unlinks = _UNLINKS.search(function.name) and not ENDS.search(function.name)
    says = hands_out(function) or (unlinks and name in types.elements)
    return bool(says) and name in types.constructed & types.ended_by_name


def _fates_without_object(function: ExportedFunction) -> tuple[Fate, ...]:
    """The possible fates of what the library itself keeps in its variables."""
    if _ENDS_ALL.search(function.name):
        return (Fate.LAST,)
    return (Fate.KEPT, Fate.FIRST) if _STARTS.search(function.name) else (Fate.KEPT,)


def _ranked(function: ExportedFunction, outcomes: tuple[Outcome, ...]) -> list[tuple[int, Outcome]]:
    """The outcomes with their ranks; to read a result comes before to ignore it, and has the same rank."""
    result = function.result.type
    seen = RecordType | IntegerType | FloatType | PointerType
    can_be_seen = isinstance(result, PointerType) and isinstance(result.target, seen)
    ranked: list[tuple[int, Outcome]] = []
    for rank, outcome in enumerate(outcomes):
        ranked += [(rank, Outcome.SEEN)] if outcome is Outcome.IGNORED and can_be_seen else []
        ranked += [(rank, outcome)]
    return ranked


def _outcomes(function: ExportedFunction, roles: tuple[Role, ...], types: ObjectTypes) -> tuple[Outcome, ...]:
    """What the client may do with the result, the most plausible first."""
    return *_usual_outcomes(function, roles, types), *_ends_of_iteration(function, roles, types)


def _ends_of_iteration(function: ExportedFunction, roles: tuple[Role, ...], types: ObjectTypes) -> tuple[Outcome, ...]:
    """How the result may say that an iterator is at its end: NULL, or a number."""
    pairs = zip(function.parameters, roles, strict=True)
    if not any(role is Role.OBJECT and record_of(p.type) in types.iterators for p, role in pairs):
        return ()
    if isinstance(function.result.type, PointerType):
        return (Outcome.OVER_IF_ZERO,)
    return OVER if isinstance(function.result.type, IntegerType) else ()


def _usual_outcomes(function: ExportedFunction, roles: tuple[Role, ...], types: ObjectTypes) -> tuple[Outcome, ...]:
    result, name = function.result, record_of(function.result)
    freed = (Outcome.FREED,) if hands_out(function) else ()
    if name and is_direct(result):
        same = [p for p, r in zip(function.parameters, roles, strict=True) if record_of(p.type) == name]
        objects = any(r in OBJECTS for p, r in zip(function.parameters, roles, strict=True) if p in same)
        another = (Outcome.ANOTHER,) if objects and _COPIES.search(function.name) else ()
        if objects:
            if name in types.constructed - types.empty_is_null:  # an object ends by a function of the library
                freed = ()
            return (*another, Outcome.IGNORED, Outcome.REPLACES, Outcome.REPLACES_IF_SET, *freed)
        owned = is_iterator(result, types) or not any(r in OBJECTS for r in roles) or hands_out(function)
        if name in types.kept and not same:  # without an object, it may be one that the library keeps in its variables
            return (Outcome.NEW, Outcome.IGNORED) if owned else (Outcome.IGNORED, Outcome.NEW)
        return (Outcome.IGNORED, *((Outcome.FREED,) if _UNLINKS.search(function.name) else freed))
    if isinstance(result.type, PointerType) and not result.callback:  # a caller may free what it may change
        return (Outcome.IGNORED, *(freed if result.constant_target else (Outcome.FREED,)))
    statuses = _statuses(function, roles, types)
    if statuses and Role.MADE in roles:
        return STATUS
    gives = GIVING if isinstance(result.type, IntegerType) and roles.count(Role.GIVEN) == 1 else ()
    return (*statuses, Outcome.IGNORED, *gives)


def _statuses(function: ExportedFunction, roles: tuple[Role, ...], types: ObjectTypes) -> tuple[Outcome, ...]:
    """What a number may say about the object that a function makes: it fails with another one than 0, or with 0."""
    made = [p for p, r in zip(function.parameters, roles, strict=True) if r in (Role.MADE, Role.INITIALISED)]
    told = isinstance(function.result.type, IntegerType) and len(made) == 1
    return STATUS if told and record_of(made[0].type) not in types.iterators else ()
