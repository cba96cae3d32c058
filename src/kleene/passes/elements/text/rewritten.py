"""The pass: operations on texts become checks and choices (`passes/elements/text/__init__.py`)."""

from __future__ import annotations

from dataclasses import replace

from kleene.cfa.expressions import (
    Binary,
    Comparison,
    Constant,
    Deref,
    Expression,
    Index,
    PointerOffset,
    Variable,
    map_variables,
    walk,
    without_casts,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    DeclareLocal,
    EndScope,
    Free,
    Havoc,
    MemCopy,
    MemSet,
    Operation,
    Place,
    Print,
    Realloc,
    Skip,
    Unsupported,
    expressions,
    rename_variables,
)
from kleene.cfa.program import (
    BYTES_READ,
    BYTES_WRITE,
    TEXT_DIGITS,
    TEXT_LENGTH,
    TEXT_PREFIX,
    TEXT_PRIMITIVES,
    TEXT_PUT,
    TEXT_PUT_END,
    TEXT_WRITE,
    CProgram,
    Function,
    Global,
)
from kleene.cfa.types import IntegerType, PointerType, RecordLayout, RecordType
from kleene.passes.calls.recursive_functions import Procedure, procedures_of, with_one_automaton
from kleene.passes.elements.chains import Chains
from kleene.passes.elements.text.accesses import Accesses, NotFollowed
from kleene.passes.elements.text.blocks import TEXT, TextBlocks
from kleene.passes.entry_parameters import ARGUMENTS
from kleene.passes.facts.blocks_of_pointers import LITERAL, LITERALS
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.relations.questions import Relations
from kleene.passes.facts.relations.texts import is_byte
from kleene.passes.literals import is_literal
from kleene.passes.rewrite import operations_of, rewrite_operation, with_parts


def with_text_blocks(program: CProgram) -> CProgram:
    """The program without accesses to texts."""
    if not _has_texts(program):
        return program
    if program.entry in program.recursive_functions:
        return _without_arguments(_without_primitives(program), "the arguments of an entry that is recursive")
    procedures = procedures_of(program)
    whole = with_one_automaton(program)
    relations = Relations(whole, whole.main.cfa)
    texts = TextBlocks(whole, whole.main.cfa, relations.blocks)
    if not relations.at or (_has_arguments(program) and not relations.blocks.known):
        return _without_arguments(_without_primitives(program), "the arguments of a program that is too large")
    sizes = {int(s) for s in texts.blocks.memory.sizes} | {r.type.size for r in program.records.values()}
    record = RecordType(TEXT, next(n for n in range(1, len(sizes) + 2) if n not in sizes))
    functions: dict[str, Function] = {}
    for name, procedure in procedures.items():
        coder = _Coder(procedure, relations, texts, record)
        function = program.functions[name]
        cfa = coder.run()
        functions[name] = replace(function, cfa=cfa, locals=(*function.locals, *coder.chains.locals))
    records = program.records | {TEXT: RecordLayout(record, ()), LITERALS.type.name: LITERALS}
    return replace(program, functions=functions, globals=_globals(program), records=records)


def _globals(program: CProgram) -> tuple[Global, ...]:
    """The globals, with one object for all literals."""
    items = [Global(LITERAL, constant=True)]
    for item in program.globals:
        if not is_literal(item.variable):
            initial = tuple(rewrite_operation(a, _one_literal) for a in item.initial)
            items.append(replace(item, initial=initial))  # type: ignore[arg-type]
    return tuple(items)


def _one_literal(node: Expression) -> Expression:
    return LITERAL if isinstance(node, Variable) and is_literal(node) else node


def _has_texts(program: CProgram) -> bool:
    """Whether there is anything to do: a summary, a pointer that moves along numbers, a byte at a variable index, or
    bytes of a variable number that are set or copied."""
    if _has_arguments(program):
        return True
    for operation in operations_of(program):
        if isinstance(operation, Call) and operation.function in TEXT_PRIMITIVES:
            return True
        if isinstance(operation, Print) and operation.texts:
            return True
        if isinstance(operation, MemCopy | MemSet) and constant_of(operation.size) is None:
            return True
        for node in (n for x in expressions(operation) for n in walk(x)):
            if isinstance(node, Index) and is_byte(node) and constant_of(node.index) is None:
                return True
            if isinstance(node, PointerOffset) and constant_of(node.index) is None:
                return True
        if isinstance(operation, Assign) and _is_step(operation):
            return True
    return False


def _is_step(operation: Assign) -> bool:
    """Whether a pointer to numbers moves on by one of them: ``q++``."""
    type_, value = operation.target.type, without_casts(operation.value)
    if not isinstance(value, PointerOffset) or not isinstance(without_casts(value.pointer), Variable):
        return False
    if not isinstance(type_, PointerType) or not isinstance(type_.target, IntegerType):
        return False
    return constant_of(value.index) in (1, -1) and value.scale == type_.target.size


def _has_arguments(program: CProgram) -> bool:
    return any(g.variable.name == ARGUMENTS for g in program.globals)


def _without_arguments(program: CProgram, why: str) -> CProgram:
    """The program, unsupported where it begins if it has arguments: one object stands for all of their characters."""
    if not _has_arguments(program):
        return program
    main = program.main
    first = f"{main.cfa.entry} arguments"
    place = next((edge.label.place for edge in main.cfa.leaving(main.cfa.entry)), Place("", 0, 0, ""))
    start: Edge[Operation] = Edge(first, Unsupported(place, why), main.cfa.entry)
    return replace(
        program, functions={**program.functions, program.entry: replace(main, cfa=Cfa(first, (start, *main.cfa.edges)))}
    )


def _without_primitives(program: CProgram) -> CProgram:
    """The program where each summary is unsupported."""

    def change(edge: Edge[Operation]) -> Edge[Operation]:
        if isinstance(edge.label, Call) and edge.label.function in TEXT_PRIMITIVES:
            return replace(edge, label=Unsupported(edge.label.place, "a text in a program that is too large"))
        return edge

    functions = {
        n: replace(f, cfa=Cfa(f.cfa.entry, tuple(map(change, f.cfa.edges)))) for n, f in program.functions.items()
    }
    return replace(program, functions=functions)


class _Coder:
    """Rewrites the automaton of one function."""

    def __init__(self, procedure: Procedure, relations: Relations, texts: TextBlocks, record: RecordType) -> None:
        self.procedure, self.relations, self.texts, self.record = procedure, relations, texts, record
        self.cfa = procedure.function.cfa
        self.chains = Chains(f"{procedure.function.name} text ")
        self.conditions: dict[tuple[str, Expression], tuple[str, Expression]] = {}
        function, rename = procedure.function, procedure.rename
        own = (*function.parameters, *function.locals, *(g.variable for g in texts.program.globals))
        limits = set(relations.number_places.bounds)
        self.bounds = {rename.get(v, v): v for v in own if rename.get(v, v) in limits}

    def run(self) -> Cfa[Operation]:
        for edge in self.cfa.edges:
            if self.procedure.at(edge.source) not in self.relations.at:
                continue  # no run comes there
            try:
                here = self._edge(edge)
            except NotFollowed as reason:
                here = self.chains.add(edge.source, Unsupported(edge.label.place, str(reason)))
            self.chains.connect(here, edge.target, edge.label.place)
        return Cfa(self.cfa.entry, self.chains.shorten())

    def _edge(self, edge: Edge[Operation]) -> str:
        label = edge.label
        if isinstance(label, DeclareLocal | EndScope | Skip):
            return self.chains.add(edge.source, label)
        if isinstance(label, Assume):
            return self._assume(edge, label)
        accesses = self._accesses(edge)
        operation = self._operation(label, accesses)
        return self.chains.add(accesses.here, operation)

    def _accesses(self, edge: Edge[Operation]) -> Accesses:
        source = (edge.source, self.procedure.at(edge.source))
        place = edge.label.place
        return Accesses(self.texts, self.relations, self.chains, self.procedure.rename, source, place, self.bounds)

    def _assume(self, edge: Edge[Operation], label: Assume) -> str:
        """The two branches of a condition share what comes before it."""
        key = (edge.source, label.condition)
        if key not in self.conditions:
            accesses = self._accesses(edge)
            condition = accesses.value(label.condition)
            self.conditions[key] = accesses.here, condition
        here, condition = self.conditions[key]
        here = self.chains.add(here, replace(label, condition=condition))
        own = rename_variables(label, self.procedure.rename)
        assert isinstance(own, Assume)
        told = self.relations.told_nonzero(own, self.procedure.at(edge.source))
        sides = [label.condition.left, label.condition.right] if isinstance(label.condition, Comparison) else []
        for side in (s for s in sides if map_variables(s, self.procedure.rename) in told):
            here = self.chains.only(here, Comparison("!=", side, Constant(0, side.type)), label.place)
        return here

    def _operation(self, label: Operation, accesses: Accesses) -> Operation:
        original, texts = accesses.original, self.texts
        match label:
            case Call(function=str() as name) if name in TEXT_PRIMITIVES:
                return self._primitive(label, accesses)
            case Assign(target=target, value=value) if texts.is_text_lvalue(original(target)):
                accesses.read(value)
                accesses.access(target, write=True)
                return Skip(label.place)
            case Assign(target=target) if self._is_argument(target, accesses):
                raise NotFollowed("an element of argv is changed")
            case Havoc(target=target) if texts.is_text_lvalue(original(target)):
                accesses.access(target, write=True)
                return Skip(label.place)
            case Allocate() if self._is_made(label):
                accesses.read(label.size)
                size = Constant(self.record.size, label.size.type)
                target = accesses.value(label.target) if not isinstance(label.target, Variable) else label.target
                return replace(label, size=size, element=self.record, target=self._with_type_of(target, label.target))
            case Realloc() if self._is_made(label):
                return self._move(label, accesses)
            case Realloc(pointer=pointer) | Free(pointer=pointer) if texts.is_partly_text(original(pointer)):
                ended = with_parts(label, accesses.value)
                self._check_start(pointer, accesses)
                return ended
            case MemSet(pointer=pointer) if self._is_of_struct(label, pointer, accesses):
                accesses.stay_outside(pointer)
            case MemCopy() if all(self._is_of_struct(label, p, accesses) for p in (label.destination, label.source)):
                accesses.stay_outside(label.destination)
                accesses.stay_outside(label.source)
            case MemSet(pointer=pointer, size=size) if texts.is_text(original(pointer)):
                accesses.read(label.value)
                self._range(pointer, size, accesses, write=True)
                return Skip(label.place)
            case MemCopy() if texts.is_text(original(label.destination)) and texts.is_text(original(label.source)):
                self._range(label.source, label.size, accesses, write=False)
                self._range(label.destination, label.size, accesses, write=True)
                return Skip(label.place)
            case MemCopy(destination=pointer) | MemSet(pointer=pointer):
                accesses.stay_outside(pointer)
                if isinstance(label, MemCopy):
                    accesses.stay_outside(label.source)
            case Print():
                return self._print(label, accesses)
        return with_parts(label, accesses.value)

    def _is_of_struct(self, label: MemSet | MemCopy, pointer: Expression, accesses: Accesses) -> bool:
        """Whether a constant number of bytes is more than the array with which a struct begins."""
        if constant_of(label.size) is None or self.texts.is_partly_text(accesses.original(pointer)):
            return False
        return not accesses.is_in_array(pointer, label.size)

    def _with_type_of(self, new: Expression, old: Expression) -> Expression:
        return new if new.type == old.type else old

    def _is_made(self, label: Allocate | Realloc) -> bool:
        """Whether an allocation makes a text."""
        own = rename_variables(label, self.procedure.rename)
        assert isinstance(own, Allocate | Realloc)
        return self.texts.blocks.of_allocation(own) in self.texts.kinds

    def _is_argument(self, target: Expression, accesses: Accesses) -> bool:
        return isinstance(target, Deref) and self.texts.is_argument(accesses.original(target.pointer))

    def _move(self, label: Realloc, accesses: Accesses) -> Operation:
        moved = accesses.original(label.pointer)
        if self.relations.is_null(moved, accesses.location):  # it allocates
            accesses.read(label.size)
            nothing = Constant(0, label.pointer.type)
            return replace(label, pointer=nothing, size=Constant(self.record.size, label.size.type))
        if not self.texts.is_text(moved):
            raise NotFollowed("realloc of a text as something else")
        pointer = accesses.value(label.pointer)
        accesses.read(label.size)
        self._check_start(label.pointer, accesses)
        return replace(label, pointer=pointer, size=Constant(self.record.size, label.size.type))

    def _check_start(self, pointer: Expression, accesses: Accesses) -> None:
        """Only a pointer to the start of a block ends it."""
        own = accesses.original(pointer)
        is_other = not self.texts.is_text(own) and not self.texts.moved.may_be(own)
        start = is_other or self.relations.is_start(own, accesses.location)
        accesses.check(start, f"{pointer} may not be the start of a block", "invalid_free")

    def _range(self, pointer: Expression, size: Expression, accesses: Accesses, *, write: bool, more: int = 0) -> None:
        """So many bytes from a pointer on are accessed."""
        original = accesses.original
        if not self.texts.is_text(original(pointer)):
            raise NotFollowed(f"{pointer} may point to something else than a text")
        holds = self.relations.has_bytes(original(pointer), original(size), accesses.location, more=more)
        if holds and write:
            accesses.stay_in_array(pointer, size, more=more)
        base = accesses.value(pointer)
        accesses.read(size)
        accesses.check(holds, f"more bytes than {pointer} has room for may be {'written' if write else 'read'}")
        accesses.touch(base, write=write and self.texts.may_be_literal(original(pointer)))

    def _text(self, pointer: Expression, accesses: Accesses, *, limit: Expression | None = None) -> None:
        """A text is read to its end, or to a limit."""
        original, location = accesses.original, accesses.location
        if not self.texts.is_text(original(pointer)):
            raise NotFollowed(f"{pointer} may point to something else than a text")
        holds = self.relations.is_ended(original(pointer), location)
        if not holds and limit is not None:
            holds = self.relations.has_bytes(original(pointer), original(limit), location)
        base = accesses.value(pointer)
        accesses.check(holds, f"the text {pointer} may have no terminator")
        accesses.touch(base, write=False)

    def _primitive(self, call: Call, accesses: Accesses) -> Operation:
        first, *rest = call.arguments
        for argument in rest:
            accesses.read(argument)
        match call.function:
            case name if name == TEXT_LENGTH:
                self._text(first, accesses)
            case name if name == TEXT_PREFIX:
                self._text(first, accesses, limit=rest[0])
            case name if name == TEXT_WRITE:
                self._range(first, rest[0], accesses, write=True, more=1)
            case name if name in (BYTES_READ, BYTES_WRITE):
                self._range(first, rest[0], accesses, write=name == BYTES_WRITE)
            case name if name == TEXT_PUT:
                size, at, length = rest
                self._put(first, (size, Binary("+", at, length, size.type)), accesses)
            case name if name == TEXT_PUT_END:
                size, at = rest
                self._put(first, (size, Binary("+", at, Constant(1, size.type), size.type)), accesses)
            case name if name == TEXT_DIGITS:
                accesses.read(first)
        if call.result is None:
            return Skip(call.place)
        assert isinstance(call.result, Variable)
        assert isinstance(call.result.type, IntegerType)
        renamed = rename_variables(call, self.procedure.rename)
        assert isinstance(renamed, Call)
        low, high = self.relations.result_of(renamed, accesses.location)
        chosen = accesses.chosen_between(call.result.type, low, high)
        return Assign(call.place, call.result, chosen)

    def _put(self, pointer: Expression, sizes: tuple[Expression, Expression], accesses: Accesses) -> None:
        """Bytes of the target are written, no more than one of two numbers of bytes."""
        original, location = accesses.original, accesses.location
        if self.relations.of(original(sizes[0]), location) == (0, 0):
            accesses.read(pointer)
            return  # only the length is asked for
        if not self.texts.is_text(original(pointer)):
            raise NotFollowed(f"{pointer} may point to something else than a text")
        enough = [s for s in sizes if self.relations.has_bytes(original(pointer), original(s), location)]
        if enough:
            accesses.stay_in_array(pointer, *enough)
        base = accesses.value(pointer)
        accesses.check(bool(enough), f"more bytes than {pointer} has room for may be written")
        accesses.touch(base, write=self.texts.may_be_literal(original(pointer)))

    def _print(self, label: Print, accesses: Accesses) -> Operation:
        texts = [t for t in label.texts if self.texts.is_text(accesses.original(t))]
        for text in texts:
            self._text(text, accesses)
        arguments = tuple(accesses.value(a) for a in label.arguments if a not in texts)
        return replace(label, format=None, arguments=arguments, texts=tuple(t for t in label.texts if t not in texts))
