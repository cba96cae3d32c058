"""The operations of a program compiled to closures over a state, as the C standard has them.

An operation evaluates everything before it changes anything, so that one that raised Split can be repeated.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from kleene.cfa.expressions import Binary, Deref, Expression, Field, Index, Variable, walk
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Call,
    DeclareLocal,
    EndScope,
    Error,
    Exit,
    Free,
    HandOut,
    Havoc,
    MemCopy,
    MemSet,
    Operation,
    Place,
    Print,
    Realloc,
    Return,
    Skip,
    Specified,
    Unsupported,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType, RecordType
from kleene.domains.explicit.arithmetic import concrete, decide, plain_null
from kleene.domains.explicit.effects import copy, declare, end_scope, freeable, pass_argument, unknown
from kleene.domains.explicit.evaluate import Compiler, access, alive, as_address, bit_width
from kleene.domains.explicit.memory import STREAM, Block
from kleene.domains.explicit.output import read_text, render
from kleene.domains.explicit.specified import SpecifiedOperation
from kleene.domains.explicit.state import Frame, State
from kleene.domains.explicit.values import (
    UNDEFINED,
    NotModelled,
    Pointer,
    Unknown,
    Value,
    Violation,
)

_SUSPICIOUS_SIZE = 1 << 28

NULL_CALL = "call through a null pointer"


class Ended(Exception):
    """The program has come to its end: `status` is None after abort."""

    def __init__(self, status: int | None) -> None:
        super().__init__("ended")
        self.status = status


def _release(state: State, value: Value | Block, *, stack: bool = False) -> None:
    """`free(value)`, or the end of a block of the stack."""
    assert not isinstance(value, Block)
    if value != 0:
        state.kill(as_address(value)[0] if stack else freeable(state, value))


class Operations:
    """Compiles operations. `names` gives the functions that blocks of kind function stand for."""

    def __init__(self, program: CProgram, compiler: Compiler, names: dict[int, str], *, malloc_may_fail: bool) -> None:
        self.program = program
        self.compiler = compiler
        self.malloc_may_fail = malloc_may_fail
        self._names = names

    def compile(self, operation: Operation, target: str) -> Callable[[State], None]:
        """Compile an operation to a function on states; `target` is the target of its edge."""
        match operation:
            case Skip():
                return _nothing
            case Assign():
                return self._assign(operation)
            case Allocate():
                return self._allocate(operation)
            case Realloc():
                return self._realloc(operation)
            case Free():
                return self._free(operation)
            case HandOut():
                return self._hand_out(operation)
            case MemSet():
                return self._memset(operation)
            case MemCopy():
                return self._memcopy(operation)
            case Call():
                return self._call(operation, target)
            case Return():
                return self._return(operation)
            case DeclareLocal():
                return lambda state: declare(state, operation)
            case EndScope():
                return lambda state: end_scope(state, operation)
            case Havoc():
                return self._havoc(operation)
            case Print():
                return self._print(operation)
            case Specified():
                return SpecifiedOperation(self.program, operation).compiled
        return self._final(operation)

    def _final(self, operation: Operation) -> Callable[[State], None]:
        if isinstance(operation, Error):
            kind = operation.kind
            text = operation.message or "the error function is called"
            message = f"assertion failed: {text}" if kind == "assertion" else text

            def fail(state: State) -> None:
                raise Violation(kind, message)

            return fail
        if isinstance(operation, Exit):
            status = self.compiler.value(operation.status) if operation.status is not None else None

            def leave(state: State) -> None:
                code = status(state) if status is not None else None
                raise Ended(code if isinstance(code, int) else 0 if code is not None else None)

            return leave
        reason = operation.reason if isinstance(operation, Unsupported) else str(operation)

        def refuse(state: State) -> None:
            raise NotModelled(reason)

        return refuse

    def _store(self, target: Expression) -> Callable[[State, Value], None]:
        locate, width = self.compiler.address(target, accessed=True), bit_width(target)

        def store(state: State, value: Value) -> None:
            number, bit = locate(state)
            access(state, number, bit, width)
            block = state.assignable(number)
            cell = block.cells.get(bit)
            if cell is not None and cell[0] == width:
                block.cells[bit] = (width, value)
            else:
                block.store(bit, width, value)

        return store

    def _assign(self, operation: Assign) -> Callable[[State], None]:
        if isinstance(operation.target.type, RecordType):
            return self._assign_record(operation.target, operation.value)
        store, value = self._store(operation.target), self.compiler.value(operation.value)
        if isinstance(operation.target.type, IntegerType) and bit_width(operation.target) != operation.target.type.bits:
            narrow = IntegerType(bit_width(operation.target), operation.target.type.signed)

            def assign_bits(state: State) -> None:
                assigned = value(state)
                store(state, narrow.wrap(concrete(state, assigned)))

            return assign_bits
        return lambda state: store(state, value(state))

    def _assign_record(self, target: Expression, value: Expression) -> Callable[[State], None]:
        to, source = (self.compiler.address(place, accessed=True) for place in (target, value))
        width = target.type.size * 8

        def copy_record(state: State) -> None:
            copy(state, to(state), source(state), width)

        return copy_record

    def _allocate(self, operation: Allocate) -> Callable[[State], None]:
        store, size = self._store(operation.target), self._size(operation.size)
        locate = self.compiler.address(operation.target)
        place = self._place(operation.place)
        product = operation.size if operation.zeroed and isinstance(operation.size, Binary) else None  # of calloc
        factors = [self.compiler.value(f) for f in (product.left, product.right)] if product is not None else []
        is_stream = operation.scoped and operation.place.file in self.program.library
        kind = STREAM if is_stream else "stack" if operation.stack else "heap"
        name = str(operation.target).partition("#")[0] if operation.scoped and not is_stream else ""
        noun = STREAM if is_stream else "block"

        def allocate(state: State) -> None:
            locate(state)
            amount = size(state)
            if factors and math.prod(concrete(state, factor(state)) for factor in factors) != amount:
                raise NotModelled("calloc of a huge block")
            if operation.may_fail and self._fails(state, amount):
                store(state, 0)
                return
            number = state.new_block(kind, amount, name or _label(place(state), noun), place(state))
            state.blocks[number].zeroed = operation.zeroed
            if operation.stack and not operation.scoped:
                state.frames[-1].stack_blocks += (number,)
            store(state, Pointer(number, 0))

        return allocate

    def _place(self, place: Place) -> Callable[[State], Place]:
        """The place of an operation; in a library function, of its call."""
        library = self.program.library
        return (lambda state: state.call_from(place, library)) if place.file in library else (lambda state: place)

    def _size(self, expression: Expression) -> Callable[[State], int]:
        """The size of a block as a number: what it is computed from is made explicit first, so it stays related."""
        value = self.compiler.value(expression)
        numbers = (n for n in walk(expression) if isinstance(n.type, IntegerType))
        read = [self.compiler.value(n) for n in numbers if isinstance(n, Variable | Field | Index | Deref)]

        def amount(state: State) -> int:
            number = value(state)
            if isinstance(number, Unknown):
                for part in read:
                    concrete(state, part(state), ends=False)
                number = value(state)
            return concrete(state, number, ends=False)

        return amount

    def _fails(self, state: State, amount: int) -> bool:
        if not self.malloc_may_fail:
            if amount < 0 or amount >= _SUSPICIOUS_SIZE:
                raise NotModelled("allocation of a huge block")
            return False
        if not 0 <= amount <= self.program.largest_block:
            return True
        chosen = state.draw(0, 1, "malloc succeeds", ("malloc",))
        succeeds = decide(state, "!=", chosen, 0) if isinstance(chosen, int | Unknown) else 1
        return not succeeds

    def _free(self, operation: Free) -> Callable[[State], None]:
        pointer = self.compiler.value(operation.pointer)

        return lambda state: _release(state, plain_null(state, pointer(state)), stack=operation.stack)

    def _hand_out(self, operation: HandOut) -> Callable[[State], None]:
        pointer = self.compiler.value(operation.pointer)

        def hand_out(state: State) -> None:
            value = pointer(state)
            if type(value) is Pointer:
                alive(state, value.block)

        return hand_out

    def _realloc(self, operation: Realloc) -> Callable[[State], None]:
        store = self._store(operation.target)
        locate = self.compiler.address(operation.target)
        pointer, size = self.compiler.value(operation.pointer), self._size(operation.size)
        place = self._place(operation.place)

        def realloc(state: State) -> None:
            locate(state)
            old, amount = plain_null(state, pointer(state)), size(state)
            block = state.blocks[freeable(state, old)] if old != 0 else None
            if amount == 0 and block is not None:
                raise NotModelled("realloc to size 0")
            if operation.may_fail and self._fails(state, amount):
                store(state, 0)
                return
            content = block.copy(None) if block is not None else None
            if block is not None:
                state.kill(freeable(state, old))
            number = state.new_block("heap", amount, _label(place(state)), place(state))
            if content is not None:
                state.blocks[number].paste(0, content, 0, min(content.size, amount) * 8)
            store(state, Pointer(number, 0))

        return realloc

    def _memset(self, operation: MemSet) -> Callable[[State], None]:
        pointer, value = self.compiler.value(operation.pointer), self.compiler.value(operation.value)
        size = self.compiler.value(operation.size)

        def memset(state: State) -> None:
            number, bit = as_address(pointer(state))
            byte, amount = concrete(state, value(state)) & 255, concrete(state, size(state))
            if amount == 0:
                return
            access(state, number, bit, amount * 8)
            block = state.assignable(number)
            if byte == 0:
                block.fill(bit, amount * 8, 0)
                return
            for place in range(bit, bit + amount * 8, 8):
                block.store(place, 8, byte)

        return memset

    def _memcopy(self, operation: MemCopy) -> Callable[[State], None]:
        to, source = self.compiler.value(operation.destination), self.compiler.value(operation.source)
        size = self.compiler.value(operation.size)

        def memcopy(state: State) -> None:
            target, start, amount = as_address(to(state)), as_address(source(state)), concrete(state, size(state))
            if amount:
                if target[0] == start[0] and abs(target[1] - start[1]) < amount * 8 and not operation.overlapping:
                    raise NotModelled("memcpy of overlapping ranges")
                copy(state, target, start, amount * 8)

        return memcopy

    def _call(self, operation: Call, target: str) -> Callable[[State], None]:
        if isinstance(operation.function, str):
            known = operation.function
            choose: Callable[[State], str] = lambda state: known  # noqa: E731
        else:
            pointer = self.compiler.value(operation.function)
            choose = lambda state: self._callee(pointer(state))  # noqa: E731
        arguments = [self._argument(a) for a in operation.arguments]

        def call(state: State) -> None:
            name = choose(state)
            function = self.program.functions.get(name)
            if function is None:
                raise NotModelled(f"call of '{name}', which has no body here")
            if len(arguments) < len(function.parameters):
                raise NotModelled(f"call of '{function.name}' with too few arguments")
            values = [argument(state) for argument in arguments]
            state.frames[-1].location = target
            frame = Frame(function.name, function.cfa.entry, operation)
            for parameter, value in zip(function.parameters, values, strict=False):
                frame.locals[parameter.name] = pass_argument(state, parameter, value)
            state.push(frame)

        return call

    def _argument(self, argument: Expression) -> Callable[[State], Value | Block]:
        if not isinstance(argument.type, RecordType):
            return self.compiler.value(argument)
        locate, width = self.compiler.address(argument), argument.type.size * 8

        def snapshot(state: State) -> Block:
            number, bit = locate(state)
            twin = Block("stack", width // 8, "", state.token)
            twin.paste(0, access(state, number, bit, width), bit, width)
            return twin

        return snapshot

    def _callee(self, value: Value) -> str:
        if isinstance(value, Pointer) and value.block in self._names and value.offset == 0:
            return self._names[value.block]
        if value == 0:
            raise Violation("null_dereference", NULL_CALL)
        if value is UNDEFINED:
            raise Violation("uninitialized_pointer", "call through an uninitialized pointer")
        raise NotModelled("call through a pointer to something that is no function")

    def _return(self, operation: Return) -> Callable[[State], None]:
        value = self._argument(operation.value) if operation.value is not None else None

        def leave(state: State) -> None:
            returned = value(state) if value is not None else None
            result = state.frames[-1].result
            if result is None:
                state.pop()
                if not state.frames:
                    raise Ended(returned if isinstance(returned, int) else 0)
                return
            if returned is None:
                raise NotModelled("use of the value of a function that returns none")
            call = state.frames[-1].call
            try:
                number, bit = self._in_caller(state, result)
                state.pop()
                access(state, number, bit, bit_width(result))
            except Violation as problem:  # the caller's assignment is at fault, not the return
                problem.place = call.place if call is not None else None
                raise
            block = state.assignable(number)
            if isinstance(returned, Block):
                block.paste(bit, returned, 0, returned.size * 8)
            else:
                block.store(bit, bit_width(result), returned)

        return leave

    def _in_caller(self, state: State, result: Expression) -> tuple[int, int]:
        """The address of the result, evaluated before the function returns, because this may split the state."""
        own = state.locals
        state.locals = state.frames[-2].locals
        try:
            return self.compiler.place(result, state)
        finally:
            state.locals = own

    def _havoc(self, operation: Havoc) -> Callable[[State], None]:
        store, type_, source = self._store(operation.target), operation.target.type, operation.source

        def havoc(state: State) -> None:
            store(state, unknown(state, type_, source))

        return havoc

    def _print(self, operation: Print) -> Callable[[State], None]:
        given = [a for a in operation.arguments if not isinstance(a.type, RecordType)]
        arguments, sizes = [self.compiler.value(a) for a in given], [a.type.size for a in given]
        records = [self._argument(a) for a in operation.arguments if isinstance(a.type, RecordType)]
        texts = [self.compiler.value(t) for t in operation.texts]

        def show(state: State) -> None:
            for record in records:  # read, and not shown
                record(state)
            values = [argument(state) for argument in arguments]
            for text in texts:
                read_text(state, text(state))
            if state.output is not None and operation.format is not None:
                state.output.append(render(state, operation.format, values, sizes))

        return show


def _label(place: Place, noun: str = "block") -> str:
    return f"{noun} from line {place.line}"


def _nothing(state: State) -> None:
    pass
