"""A state of the program as the automaton of an analysis sees it: a location, and variables by their names there.

The runs execute the program itself, not the rewritten automaton of an attempt, to detect a rewriting that loses
behaviours. All rewritings keep the names of the locations of the inlined program, so this module retraces only
inlining, tail calls and recursion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kleene.cfa.expressions import Variable, member_base
from kleene.cfa.operations import Call
from kleene.cfa.program import CProgram
from kleene.cfa.types import ArrayType, IntegerType, RecordType, Type
from kleene.domains.explicit.machine import Machine
from kleene.domains.explicit.memory import Block
from kleene.domains.explicit.state import Frame, State
from kleene.domains.explicit.values import NotModelled, Pointer, Value
from kleene.passes.calls.inline import inlined_with_copies
from kleene.passes.calls.tail_calls import without_tail_recursion
from kleene.passes.facts.memory import Memory, Place
from kleene.passes.pointers.words.types import is_tag, mask_of, word_name, word_type
from kleene.passes.scalars import parts_of
from kleene.semantics.steps.invocations import known_globals


@dataclass(frozen=True)
class Context:
    """The position of an activation in the inlined program. `visible` are its visible frames with their prefixes."""

    kept: str
    """The function of the inlined program that contains the activation."""
    prefix: str
    """The prefix of its locations there."""
    entry: tuple[str, str]
    """The entry location of the function, and its name there."""
    visible: tuple[tuple[int, str], ...]
    apart: bool
    """Whether the function that stays is analysed apart, on a part of the heap."""
    returned: bool = False
    """Whether the activation only returns the result of a tail call: such a state has no location in the loop."""

    def location(self, own: str) -> str:
        """The name of a location of the function there."""
        return self.entry[1] if own == self.entry[0] else self.prefix + own


@dataclass(frozen=True)
class View:
    """A state at a location of the automaton that was analysed."""

    location: str
    variables: Mapping[str, int]
    """The blocks of the variables that the analysis may know here."""
    state: State
    whole: bool
    """Whether the analysis sees all of the heap here."""
    function: str = ""
    """The function that contains the location, if it is analysed apart."""


class KnownVariables:
    """Which variables the analysis of an automaton knows: a function that is analysed apart, the globals it names."""

    def __init__(self, memory: Memory) -> None:
        self._globals = known_globals(memory.program, memory.cfa)

    def has(self, variable: Variable, view: View) -> bool:
        known = self._globals.get(view.function)
        return known is None or not variable.is_global or variable in known


class Program:
    """The names that one program has in the analysis; shared by all its runs."""

    def __init__(self, original: CProgram, *, malloc_may_fail: bool, analysed: CProgram | None = None) -> None:
        """`analysed` is the program of the analysis, if it is another one: with contracts for some functions."""
        analysed = analysed or original
        self.original = original
        self.machine = Machine(original, malloc_may_fail=malloc_may_fail)
        self.foreign = frozenset(n for n, f in original.functions.items() if analysed.functions.get(n) != f)
        """The functions that the analysis has other bodies for."""
        self.looping = without_tail_recursion(analysed)
        self.loops = frozenset(n for n, f in self.looping.functions.items() if f.cfa is not analysed.functions[n].cfa)
        self.inlined, self.copies = inlined_with_copies(self.looping)
        edges = [e for f in original.functions.values() for e in f.cfa.edges]
        self.calls = {id(e.label): e.source for e in edges if isinstance(e.label, Call)}
        self.parts = _parts(self.inlined)
        self.texts = {block.label: number for number, block in self._fixed_blocks if block.kind == "string"}

    @property
    def _fixed_blocks(self) -> list[tuple[int, Block]]:
        return list(self.machine.fixed_blocks.items())


def _parts(inlined: CProgram) -> dict[str, tuple[str, int]]:
    """The scalars of structs and arrays, which may have become variables: the variable and the offset of each."""
    parts: dict[str, tuple[str, int]] = {}
    owners: list[tuple[str, Type]] = [(g.variable.name, g.variable.type) for g in inlined.globals]
    for function in inlined.functions.values():
        start = "" if function.name == inlined.entry else f"{function.name}."
        owners += [(start + v.name, v.type) for v in (*function.parameters, *function.locals)]
    for name, type_ in owners:
        if isinstance(type_, RecordType | ArrayType):
            parts |= {name + part.name: (name, part.offset) for part in parts_of(type_, inlined) or ()}
    return parts


class Stack:
    """The contexts of the frames of one run, followed step by step."""

    def __init__(self, program: Program, state: State) -> None:
        self.program = program
        main = program.original.main
        entry = (main.cfa.entry, main.cfa.entry)
        first = Context(main.name, "", entry, ((0, ""),), apart=False)
        self.contexts: list[Context | None] = [None if main.name in program.foreign else first]
        self.state = state
        self._tails: dict[int, bool] = {}
        """By frame, whether it was called in tail position by the function itself, which is a loop to the analysis."""

    def view(self) -> View | None:
        """The state as the analysis sees it; None where it has no location of its own."""
        self.follow()
        context = self.contexts[-1]
        if context is None or context.returned:
            return None
        place = context.location(self.state.frames[-1].location)
        function = context.kept if context.apart else ""
        return View(place, self._visible(context), self.state, whole=not context.apart, function=function)

    def follow(self) -> None:
        """Take account of the calls and returns since the last time: one step each."""
        frames, contexts = self.state.frames, self.contexts
        while len(contexts) > len(frames):
            contexts.pop()
            below = contexts[-1]
            if below is not None and self._tails[len(contexts)]:
                contexts[-1] = replace(below, returned=True)
        while len(contexts) < len(frames):
            contexts.append(self._context_of_callee(len(contexts), frames[len(contexts)]))

    def _context_of_callee(self, index: int, frame: Frame) -> Context | None:
        """The context of a new frame, from the context of its caller."""
        caller, program, name = self.contexts[-1], self.program, frame.function
        if name in program.foreign:
            self._tails[index] = False
            return None
        self._tails[index] = name in program.loops and self.state.frames[index - 1].function == name
        if self._tails[index] and caller is not None:  # the same activation in the next iteration of a loop
            *others, (_, prefix) = caller.visible
            return replace(caller, visible=(*others, (index, prefix)))
        entry = program.looping.functions[name].cfa.entry
        if name in program.inlined.functions:
            return Context(name, f"{name}:", (entry, f"{name}:{entry}"), ((index, f"{name}."),), apart=True)
        if caller is None or caller.returned or id(frame.call) not in program.calls:
            return None
        start, names = (f"{caller.kept}:", f"{caller.kept}.") if caller.apart else ("", "")
        site = caller.location(program.calls[id(frame.call)]).removeprefix(start)
        copy = program.copies.get((caller.kept, site, name))
        if copy is None:
            return None
        visible = (*caller.visible, (index, names + copy.prefix))
        return Context(caller.kept, start + copy.prefix, (entry, start + copy.entry), visible, caller.apart)

    def _visible(self, context: Context) -> dict[str, int]:
        variables = {**self.program.machine.fixed, **self.program.texts}
        for index, prefix in context.visible:
            for name, number in self.state.frames[index].locals.items():
                variables[prefix + name] = number
        return variables


NULL_BLOCK = -1 << 32
"""The number of the block that stands for NULL where NULL stands for a node."""


class Exchange:
    """The pointers of a state where NULL stands for the node in which structures end."""

    def __init__(self, program: Program, memory: Memory) -> None:
        self._sentinel, self._memory = memory.program.sentinel, memory
        self._node: Pointer | None = None
        if self._sentinel is not None:
            variable, offset = member_base(self._sentinel.place)
            self._node = Pointer(program.machine.fixed[str(variable)], offset)

    def of(self, value: Value | None, type_: Type) -> Value | None:
        """A value of a type as the analysis knows it."""
        if self._sentinel is None or not self._sentinel.is_exchanged(type_):
            return value
        if value == self._node:
            return 0
        return Pointer(NULL_BLOCK, 0) if value == 0 else value

    def in_cell(self, value: Value | None, place: Place) -> Value | None:
        """The same of a pointer in memory; None if the analysis may know it as something else."""
        if self._sentinel is None:
            return value
        seen = {self.of(value, type_) for type_ in self._memory.pointer_types.get(place, ())}
        return seen.pop() if len(seen) == 1 else None


def variable_value(program: Program, view: View, variable: Variable) -> Value | None:
    """The value of a variable of the analysis: of a word its pointer or its flags."""
    size = program.original.pointer_size if is_tag(variable.type) else variable.type.size
    return part_of_word(value_of(program, view, word_name(variable), size), variable.type)


def part_of_word(value: Value | None, type_: Type) -> Value | None:
    """A value as one of this type: the pointer without its flags, the flags, or itself. None if it is not known."""
    if isinstance(type_, IntegerType) and is_tag(type_):
        bits = value.offset if isinstance(value, Pointer) else value
        return bits & type_.maximum if isinstance(bits, int) else None
    mask = mask_of(type_)
    if mask and isinstance(value, Pointer):
        return Pointer(value.block, value.offset & ~mask)
    return value & ~mask if mask and isinstance(value, int) else value


def pointer_at(memory: Memory, block: Block, place: Place, exchange: Exchange) -> Value | None:
    """The pointer in a cell of a block as the analysis knows it, without flags."""
    width = memory.program.pointer_size
    value = part_of_word(load_value(block, place[1], width), word_type(memory.flags_at(place), width))
    return exchange.in_cell(value, place)


def number_at(memory: Memory, block: Block, place: Place) -> int | None:
    """The number in a cell of a block, as it is kept there; None if it is not known."""
    kept = memory.integer_type(place)
    if kept is None:
        return None
    value = load_value(block, place[1], memory.program.pointer_size if is_tag(kept) else kept.size)
    value = part_of_word(value, kept)
    return kept.wrap(value) if isinstance(value, int) else None


def value_of(program: Program, view: View, name: str, size: int) -> Value | None:
    """The value of a variable of the program; None if the state has no such variable."""
    base, offset = name, 0
    if name not in view.variables:
        if name not in program.parts:
            return None
        base, offset = program.parts[name]
    block = view.state.blocks.get(view.variables.get(base, 0))
    return None if block is None or not block.alive else load_value(block, offset, size)


def load_value(block: Block, offset: int, size: int) -> Value | None:
    """The value of a block at an offset; None if there is no value of that size."""
    try:
        return block.load(8 * offset, 8 * size)
    except NotModelled:
        return None
