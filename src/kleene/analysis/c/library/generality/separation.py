"""Whether the objects of a client are separate: no block belongs to two of them.

The client keeps one object of each type (two, if an operation takes two). That is general enough if operations on one
object cannot touch another one: then any number of objects behaves like one (the frame rule of separation logic). If
two objects share a block, clients with more objects have heaps that this client does not make: nothing is proved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from kleene.c.library.errors import ERRNO, ERRNO_LOCATION
from kleene.cfa.expressions import (
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Index,
    Unary,
    Variable,
    root_variable,
    variables,
    walk,
)
from kleene.cfa.operations import (
    Assign,
    Assume,
    Call,
    Free,
    HandOut,
    MemCopy,
    MemSet,
    Operation,
    Print,
    Return,
    expressions,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, PointerType, RecordType, Type, VoidType
from kleene.domains.explicit.state import State
from kleene.domains.explicit.values import Pointer
from kleene.logic.kleene import Kleene
from kleene.logic.roles import RoleKind
from kleene.passes.promote import exposed_globals
from kleene.structures.structure import Structure


def changing_variables(program: CProgram) -> tuple[Variable, ...]:
    """The variables of the library through which one object may affect another one: they are changed and read.

    One that is read only to compute its own new value, such as a count of calls, affects nothing else.
    """
    labels = [e.label for name in program.reachable_functions for e in program.functions[name].cfa.edges]
    begin = {id(e.label) for e in program.main.cfa.edges}  # a client only gives variables of other files their values
    exposed = exposed_globals(program)
    changing: list[Variable] = []
    for item in program.globals:
        own = [label for label in labels if item.variable in _variables(label)]
        changed = item.variable in exposed or any(
            id(label) not in begin and _changes(label, item.variable) for label in own
        )
        if item.variable.name == ERRNO and not _looks_at_errno(program):
            continue
        is_read = item.variable in exposed or any(_reads(label, item.variable) for label in own)
        if changed and is_read and not item.constant:
            changing.append(item.variable)
    return tuple(changing)


def _looks_at_errno(program: CProgram) -> bool:
    """Whether code does more with what `__errno_location` returns than to store a number there."""
    for name in program.reachable_functions:
        labels = [e.label for e in program.functions[name].cfa.edges]
        results = {o.result for o in labels if isinstance(o, Call) and o.function == ERRNO_LOCATION}
        for label in labels:
            if isinstance(label, Call) and label.function == ERRNO_LOCATION:
                continue
            stored = isinstance(label, Assign) and isinstance(label.target, Deref) and label.target.pointer in results
            looked_at = expressions(label)[1:] if stored else expressions(label)
            if any(node in results for e in looked_at for node in walk(e)):
                return True
    return False


def read_variables(program: CProgram, names: Collection[str]) -> tuple[Variable, ...]:
    """Those among some variables of the library that it reads and that may change: clients of it may set them."""
    labels = [e.label for name in program.reachable_functions for e in program.functions[name].cfa.edges]
    exposed = exposed_globals(program)
    own = [g.variable for g in program.globals if g.variable.name in names and not g.constant]
    return tuple(v for v in own if v in exposed or any(v in _variables(o) and _reads(o, v) for o in labels))


def examines_data(program: CProgram) -> bool:
    """Whether code may behave differently for different `void *`: it compares, converts or moves one.

    Without that, a stored pointer is as good as any other: it is copied, handed to functions of the client, or freed.
    """
    labels = [e.label for name in program.reachable_functions for e in program.functions[name].cfa.edges]
    tested = (label.condition for label in labels if isinstance(label, Assume))
    if any(_is_data(condition) for condition in tested):
        return True
    whole = MemCopy | MemSet | Free | HandOut
    nodes = (node for label in labels if not isinstance(label, whole) for e in expressions(label) for node in walk(e))
    return any(_examines(node, program) for node in nodes)


def _examines(node: Expression, program: CProgram) -> bool:
    match node:
        case Cast(operand=Constant()):
            return False
        case Cast(operand=operand, type=type_):
            return operand.type != type_ and (_is_data(operand) or leads_to_data(operand.type, program))
        case Comparison(left=left, right=right) | Binary(left=left, right=right):
            return _is_data(left) or _is_data(right)
        case Unary(operand=operand):
            return _is_data(operand)
    return False


def _is_data(value: Expression) -> bool:
    return isinstance(value.type, PointerType) and isinstance(value.type.target, VoidType)


def leads_to_data(type_: Type, program: CProgram) -> bool:
    """Whether a type is a pointer to what has a `void *` in it: its bytes may be compared."""
    return isinstance(type_, PointerType) and _has_data(type_.target, program)


def _has_data(type_: Type, program: CProgram) -> bool:
    match type_:
        case PointerType(target=target):
            return isinstance(target, VoidType) or (isinstance(target, PointerType) and _has_data(target, program))
        case ArrayType(element=element):
            return _has_data(element, program)
        case RecordType(name=name) if name in program.records:
            return any(_has_data(field.type, program) for field in program.records[name].fields)
    return False


def _variables(label: Operation) -> frozenset[Variable]:
    return frozenset(v for e in expressions(label) for v in variables(e))


def _changes(label: Operation, variable: Variable) -> bool:
    """Whether an operation may write a variable: all that has no other meaning counts."""
    match label:
        case Assume() | Return() | Print() | HandOut() | Free():
            return False
        case Assign(target=target):
            return root_variable(target) == variable
        case Call(result=result):  # what it does through an address is another operation's, of a variable with one
            return result is not None and root_variable(result) == variable
    return True


def _reads(label: Operation, variable: Variable) -> bool:
    """Whether an operation does more with a variable than to compute its new value from the old one, without memory.

    What only a client does is no read of the library.
    """
    if isinstance(label, HandOut):
        return False
    if isinstance(label, Call) and label.result == variable:
        return variable in {
            v for a in (label.function, *label.arguments) if not isinstance(a, str) for v in variables(a)
        }
    if not isinstance(label, Assign) or label.target != variable:
        return True
    return any(isinstance(node, Index | Deref) for node in walk(label.value))


STATIC = "a static variable"
"""How the static variables of the library are called among the owners of blocks."""

Shared = tuple[str, str]
"""Two owners of one block: variables of the client, or `STATIC`."""


def shared_in_state(
    state: State, variables: Sequence[str], function: str, together: Collection[Shared] = ()
) -> Shared | None:
    """Two variables of `function` whose objects share a block of the heap in a state of a run; None if none do.

    Those in `together` may: a pool is one object with what it has handed out.
    """
    if len(state.frames) != 1 or state.frames[0].function != function:
        return None
    owners: list[tuple[str, set[int]]] = []
    for name in variables:
        number = state.locals.get(name)
        if number is not None:
            owners.append((name, _heap(state, _targets(state, number))))
    statics = [t for n, b in state.blocks.items() if b.kind == "global" for t in _targets(state, n)]
    owners.append((STATIC, _heap(state, statics)))
    return next((pair for pair in _overlaps(owners) if not _are_one(pair, together)), None)


def _are_one(pair: Shared, together: Collection[Shared]) -> bool:
    return pair in together or pair[::-1] in together


def objects_in_state(state: State, variables: Sequence[str], function: str) -> set[str]:
    """The variables of `function` that lead to a block."""
    if len(state.frames) != 1 or state.frames[0].function != function:
        return set()
    return {name for name in variables if name in state.locals and _targets(state, state.locals[name])}


def stale_blocks(state: State, variables: Sequence[str], function: str) -> set[int]:
    """The blocks that were freed and to which a pointer in an object of `function` still leads."""
    if len(state.frames) != 1 or state.frames[0].function != function:
        return set()
    roots = objects_of(state, variables, function)
    held = {t for n in _heap(state, roots) if state.blocks[n].alive for t in _targets(state, n)}
    return {t for t in held if t in state.blocks and not state.blocks[t].alive}


def objects_of(state: State, variables: Sequence[str], function: str) -> list[int]:
    """The blocks to which variables of `function` point, between two calls."""
    if len(state.frames) != 1 or state.frames[0].function != function:
        return []
    return [t for name in variables if name in state.locals for t in _targets(state, state.locals[name])]


def _targets(state: State, number: int) -> list[int]:
    return [v.block for _, v in state.blocks[number].cells.values() if type(v) is Pointer]


def _heap(state: State, roots: list[int]) -> set[int]:
    """The blocks of the heap that the roots lead to."""
    return {n for n in state.reachable(roots) if n in state.blocks and state.blocks[n].kind == "heap"}


def shared_in_structures(
    structures: Sequence[Structure],
    live: Mapping[str, Sequence[str]],
    variables: Sequence[str],
    static: Collection[str],
    together: Collection[Shared] = (),
) -> Shared | None:
    """Two owners that may lead to one block in a structure.

    `live` has the predicates of each pointer. `static` are the variables of the library; the analysis has others of its
    own, such as pointers to the slots of arrays.
    """
    owned = {name: live.get(name, ()) for name in variables}
    own = [name for name in live if any(name == s or name.startswith((f"{s}.", f"{s}[", f"{s}->")) for s in static)]
    statics = [p for name in own for p in live[name]]
    for structure in structures:
        owners = [(name, _reach(structure, pointers)) for name, pointers in {**owned, STATIC: statics}.items()]
        shared = next((pair for pair in _overlaps(owners) if not _are_one(pair, together)), None)
        if shared is not None:
            return shared
    return None


def _reach(structure: Structure, pointers: Sequence[str]) -> set[int]:
    """The blocks of the heap to which pointers may lead."""
    declared = structure.vocabulary.declared
    cells = [p.name for p in declared if p.is_a(RoleKind.CELL)]
    heap = [p.name for p in declared if p.is_a(RoleKind.HEAP)]
    known = [p for p in pointers if p in structure.vocabulary]
    reached = {u for p in known for u in structure.nodes if structure.value(p, u) is not Kleene.FALSE}
    waiting = list(reached)
    while waiting:
        u = waiting.pop()
        for cell in cells:
            for w in structure.nodes:
                if w not in reached and structure.value(cell, u, w) is not Kleene.FALSE:
                    reached.add(w)
                    waiting.append(w)
    return {u for u in reached if not any(structure.value(h, u) is Kleene.FALSE for h in heap)}


def _overlaps(owners: Sequence[tuple[str, set[int]]]) -> Iterator[Shared]:
    for i, (first, blocks) in enumerate(owners):
        for second, others in owners[i + 1 :]:
            if blocks & others:
                yield first, second
