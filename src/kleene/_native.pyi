"""The native machine (src/native/module.cpp). Arguments that do not fit raise ValueError."""

from collections.abc import Sequence

from kleene.logic.formula import Formula

MOST_NODES: int
MOST_ARITY: int
MOST_PREDICATES: int
MOST_PARAMETERS: int
TEMPORARY: int
OPERATIONS: tuple[str, ...]

class TooManyNodes(ValueError): ...

class Signature:
    def __init__(self, arities: Sequence[int]) -> None: ...

class Handle:
    def __init__(self, signature: Signature, size: int, rails: Sequence[int]) -> None: ...
    @property
    def size(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def rails(self) -> tuple[int, ...]: ...
    def same_as(self, other: Handle) -> bool: ...
    def precedes(self, other: Handle) -> bool: ...

class Columns:
    def __init__(self, columns: Sequence[tuple[int, int, str]]) -> None: ...
    def tvs(self, structure: Handle, indent: str) -> str: ...
    def json(self, structure: Handle) -> str: ...

class Batch:
    def __init__(self, signature: Signature, structures: Sequence[Handle]) -> None: ...
    def __len__(self) -> int: ...
    def slice(self, first: int, last: int) -> Batch: ...
    def handle(self, index: int) -> Handle: ...
    def handles(self) -> list[Handle]: ...

class Program:
    def __init__(
        self, signature: Signature, code: bytes, rails: Sequence[int], outputs: Sequence[tuple[int, int]]
    ) -> None: ...
    def run(self, structure: Handle, parameters: Sequence[int] = ...) -> list[int]: ...

class Unsupported(ValueError):
    """A program that the native machine cannot run: values of more than three axes, or very many of them."""

class Code:
    """Bytecode that can be bound to every vocabulary with its predicates."""

    names: list[str]
    words: list[int]
    outputs: list[tuple[int, int]]
    def bind(self, signature: Signature, places: dict[str, int]) -> Program: ...

def learn_formulas(classes: dict[str, type[Formula]]) -> None: ...
def compile_formulas(
    outputs: Sequence[tuple[Formula, int, Sequence[str]]], parameters: Sequence[str], all_active: bool
) -> Code: ...
def compile_prefix(
    places: dict[str, int], formulas: Sequence[Formula], others: Sequence[str], known: Sequence[str], all_active: bool
) -> Code: ...
def compile_rule(
    places: dict[str, int],
    parts: Sequence[Formula],
    hidden: Sequence[str],
    has_predicate: bool,
    rail: int,
    args: Sequence[str],
    all_active: bool,
) -> tuple[list[int], bool, Code | None]: ...

class Rules:
    def __init__(
        self,
        signature: Signature,
        count: int,
        readers: Sequence[Sequence[int]],
        writers: Sequence[Sequence[int]],
        equality_readers: Sequence[int],
        after_new: Sequence[int],
        after_removal: Sequence[int],
    ) -> None: ...
    def add(self, all_active: bool, rules: Sequence[tuple[Program, str, int]]) -> None: ...
    def has(self, all_active: bool) -> bool: ...
    def coerce(self, structure: Handle, dirty: Sequence[int]) -> tuple[Handle, int]: ...

Literal = tuple[int, Sequence[str], Sequence[int], Sequence[int], Sequence[Program]]

Outcome = tuple[
    list[tuple[int, bool]] | None,
    Batch,
    list[tuple[bool, int, bool, Handle]] | None,
    list[tuple[bool, int]] | None,
    int,
    int,
    Handle | None,
    tuple[float, float, float, float, float] | None,
]

class Action:
    def __init__(
        self,
        rules: Rules,
        options: dict[str, bool],
        naming: Sequence[int],
        plain_naming: Sequence[int],
        plans: Sequence[Sequence[Sequence[Literal]]],
        has_precondition: bool,
        parameters: int,
        universe: tuple[bool, bool, bool],
        messages: Sequence[int],
        post_messages: Sequence[int],
        updated: Sequence[int],
    ) -> None: ...
    def add(self, all_active: bool, precondition: Sequence[Program], parts: Sequence[Program | None]) -> None: ...
    def has(self, all_active: bool) -> bool: ...
    def post(self, structures: Batch, threads: int, timed: bool = ...) -> Outcome: ...

class Store:
    def __init__(
        self, signature: Signature, join: str, naming: Sequence[int], key: Sequence[int], pointing: Sequence[int] = ...
    ) -> None: ...
    def add(self, batch: Batch, threads: int = ...) -> Batch: ...
    def covers(self, structure: Handle) -> bool: ...
    def current(self, structure: Handle) -> bool: ...
    def empty(self) -> Store: ...
    def is_current(self, batch: Batch) -> bool: ...
    def united(self, batches: Sequence[Batch], only_current: bool, threads: int = ...) -> Batch: ...
    def elements(self) -> Batch: ...
    def clear(self) -> None: ...
    def __len__(self) -> int: ...

class Edges:
    def __init__(self, count: int) -> None: ...
    def set(self, edge: int, code: int, action: Action | None) -> None: ...
    def advance(
        self, first: int, structures: Batch, stores: Sequence[Store], threads: int
    ) -> tuple[list[Batch | None], int, int]: ...

Pairs = Sequence[tuple[int, int]]
Group = tuple[
    bool,
    int,
    int,
    Sequence[int],
    Pairs,
    Sequence[int],
    Sequence[int],
    Sequence[int],
    Sequence[int],
    Sequence[tuple[int, int, int]],
]
Root = tuple[int, Pairs, Sequence[tuple[int, int, int]]]
GivenCall = tuple[
    Sequence[int],
    Pairs,
    Pairs,
    Sequence[int],
    Sequence[int],
    Sequence[int],
    Sequence[int],
    Pairs,
    Sequence[tuple[Pairs, Pairs]],
    Sequence[int],
    Sequence[tuple[int, int, Sequence[int], Sequence[int]]],
    Pairs,
    Pairs,
]
GivenHeaps = tuple[
    Sequence[Group],
    Sequence[tuple[int, int, bool, int]],
    Sequence[Root],
    Sequence[Root],
    Sequence[Sequence[int]],
    Sequence[Sequence[int]],
    dict[str, list[int]],
    Pairs,
    Pairs,
]
Wants = tuple[list[tuple[int, bool]], bool, bool]

class LocalHeaps:
    def __init__(
        self,
        rules: Rules,
        groups: Sequence[Group],
        paths: Sequence[tuple[int, int, bool, int]],
        roots: Sequence[Root],
        markers: Sequence[Root],
        by_root: Sequence[Sequence[int]],
        by_marker: Sequence[Sequence[int]],
        lists: dict[str, list[int]],
        held: Pairs,
        same: Pairs,
    ) -> None: ...
    def define(self, rail: int, all_active: bool, program: Program) -> None: ...

class Call:
    def __init__(
        self,
        heaps: LocalHeaps,
        closed: bool,
        starts: Sequence[int],
        pointers: Pairs,
        nullary: Pairs,
        kept_pointers: Sequence[int],
        kept_roots: Sequence[int],
        shared_roots: Sequence[int],
        forgotten: Sequence[int],
        given: Pairs,
        parameters: Sequence[tuple[Pairs, Pairs]],
        gone: Sequence[int],
        returned: Sequence[tuple[int, int, Sequence[int], Sequence[int]]],
        results: Pairs,
        result_values: Pairs,
    ) -> None: ...
    def enter(
        self, settling: Action, structures: Batch, threads: int
    ) -> tuple[list[int], Batch, Handle | None, Wants]: ...
    def resume(
        self, settling: Action, caller: Handle, exits: Batch, threads: int
    ) -> tuple[Batch, int, Handle | None, Wants] | None: ...
