"""The sizes, texts and characters that a program names: the ones that its texts from outside are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kleene.cfa.expressions import Comparison, Constant, Expression, Index, PointerOffset, StringLiteral, walk
from kleene.cfa.operations import READ_SOURCES, Assign, Call, Havoc, MemCopy, MemSet, Operation, expressions
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import ArrayType, IntegerType, PointerType, RecordLayout, Type
from kleene.passes.entry_parameters import has_arguments

MOST_LENGTH = 1 << 12
"""The largest length that is tried: a run on four thousand characters takes about a tenth of a second."""
_MOST_LITERAL = 12
"""Characters of a text of the program that may be an argument: an option, a command, a key."""
_MOST_SET = 4
"""Characters of a text that may be a set of separators."""
_COMPARING = frozenset(("strcmp", "strncmp", "strcasecmp", "strncasecmp", "memcmp", "strstr"))
"""Functions of the library to which a program gives the texts that it looks for."""
_PRINTABLE = range(32, 127)
_FIRST_LENGTHS = (3, 9, 40)
"""Lengths that are tried in every program; how far writes get with two of them tells the ones that matter."""


BRACKETS = {b"[": b"]", b"(": b")", b"{": b"}", b"<": b">", b'"': b'"'}
"""The characters that belong together around a name."""


@dataclass(frozen=True)
class Vocabulary:
    """`reads`: the program reads a stream; `asks`: it asks for other numbers; `walks`: an index is not a constant."""

    sizes: tuple[int, ...]
    literals: tuple[bytes, ...]
    characters: bytes
    arguments: bool
    reads: bool
    asks: bool
    walks: bool
    branches: bool
    """Whether an object has two or more pointers to objects of its type."""
    commands: tuple[bytes, ...] = ()
    """The texts that the program compares with others: commands, keys, special names."""

    @property
    def depends_on_lengths(self) -> bool:
        """Whether how far a pointer gets may depend on what comes from outside."""
        return self.walks and (self.arguments or self.reads or self.asks)

    @property
    def depends_on_keys(self) -> bool:
        """Whether the shape of a tree, or of a list with two directions, may depend on what comes from outside."""
        return self.branches and (self.reads or self.asks)

    @property
    def brackets(self) -> dict[bytes, bytes]:
        """The brackets that the program knows, each with the one that closes it."""
        return {one: two for one, two in BRACKETS.items() if {*one, *two} <= {*self.characters}}

    @property
    def has_commands(self) -> bool:
        """Whether what is done with a line depends on what it says."""
        return self.reads and bool(self.commands or self.characters)


def vocabulary_of(program: CProgram) -> Vocabulary:
    """What the functions that the entry reaches name, without those of our library."""
    functions = [program.functions[name] for name in program.reachable_functions]
    every = [edge.label for f in functions for edge in f.cfa.edges]
    own = [operation for operation in every if operation.place.file not in program.library]
    nodes = [node for operation in own for e in expressions(operation) for node in walk(e)]
    literals = tuple(dict.fromkeys(n.value[:-1] for n in nodes if isinstance(n, StringLiteral)))
    havocs = [operation for operation in every if isinstance(operation, Havoc)]
    main = program.main
    return Vocabulary(
        tuple(sorted(set(_sizes(program, functions, nodes)))),
        tuple(text for text in literals if 0 < len(text) <= _MOST_LITERAL and b"%" not in text),
        bytes(dict.fromkeys((*_searched(own, program), *_characters(nodes, literals)))),
        has_arguments(program) and any(main.parameters[1] == node for node in nodes),
        any(h.source in READ_SOURCES for h in havocs),
        any(h.source not in READ_SOURCES for h in havocs),
        any(_walks(operation) for operation in every),
        any(_links(layout) > 1 for layout in program.records.values()),
        tuple(dict.fromkeys(text for text in _compared(own, program) if 0 < len(text) <= _MOST_LITERAL)),
    )


def candidate_lengths(vocabulary: Vocabulary) -> list[int]:
    """The lengths to try, smallest first: the sizes that the program names, their parts and doubles, and neighbours."""
    sizes = [s for s in vocabulary.sizes if s <= MOST_LENGTH]
    near = {s + d for s in sizes for d in (0, 1, -1)}
    near |= {part + d for s in sizes for part in (s // 2, s // 3, 2 * s) for d in (0, 1)}
    return sorted(n for n in near | set(_FIRST_LENGTHS) if 0 <= n <= MOST_LENGTH)


def _sizes(program: CProgram, functions: Iterable[Function], nodes: Iterable[Expression]) -> Iterator[int]:
    for node in nodes:
        if isinstance(node, Constant) and isinstance(node.type, IntegerType) and node.value > 1:
            yield node.value
    types: list[Type] = [v.type for f in functions for v in f.locals]
    types += [g.variable.type for g in program.globals]
    types += [member.type for record in program.records.values() for member in record.fields]
    while types:
        type_ = types.pop()
        if isinstance(type_, ArrayType):
            types.append(type_.element)
            if type_.count > 1:
                yield type_.count


def _library_calls(operations: Iterable[Operation], program: CProgram) -> Iterator[tuple[str, Call]]:
    for operation in operations:
        if isinstance(operation, Call) and isinstance(operation.function, str):
            callee = program.functions.get(operation.function)
            if callee is not None and callee.place.file in program.library:
                yield operation.function, operation


def _searched(operations: Iterable[Operation], program: CProgram) -> Iterator[int]:
    """The characters that the program gives to functions of the library: `strchr(line, '=')`."""
    for _, call in _library_calls(operations, program):
        for argument in call.arguments:
            yield from (n.value for n in walk(argument) if isinstance(n, Constant) and n.value in _PRINTABLE)


def _compared(operations: Iterable[Operation], program: CProgram) -> Iterator[bytes]:
    """The texts that the program compares with others, each without the end of a line: `strcmp(line, "quit\\n")`."""
    for name, call in _library_calls(operations, program):
        if name in _COMPARING:
            nodes = (n for argument in call.arguments for n in walk(argument))
            yield from (n.value[:-1].rstrip(b"\n") for n in nodes if isinstance(n, StringLiteral))


def _characters(nodes: Iterable[Expression], literals: Iterable[bytes]) -> Iterator[int]:
    """The characters that the program compares with, and those of short texts, which may be sets of separators."""
    for node in nodes:
        if isinstance(node, Comparison):
            yield from (n.value for n in walk(node) if isinstance(n, Constant) and n.value in _PRINTABLE)
    for text in literals:
        if len(text) <= _MOST_SET and not any(chr(c).isalnum() for c in text):
            yield from (c for c in text if c in _PRINTABLE)


def _links(layout: RecordLayout) -> int:
    """The pointers of a struct to structs of its type, also in arrays."""
    counts = [member.type.count if isinstance(member.type, ArrayType) else 1 for member in layout.fields]
    types = [member.type.element if isinstance(member.type, ArrayType) else member.type for member in layout.fields]
    own = (isinstance(t, PointerType) and t.target == layout.type for t in types)
    return sum(count for count, is_own in zip(counts, own, strict=True) if is_own)


def _walks(operation: Operation) -> bool:
    if isinstance(operation, MemCopy | MemSet) and not isinstance(operation.size, Constant):
        return True
    if isinstance(operation, Assign) and isinstance(operation.value, PointerOffset):  # ``*p++``
        return True
    return any(
        isinstance(node, Index | PointerOffset) and not isinstance(node.index, Constant)
        for e in expressions(operation)
        for node in walk(e)
    )
