"""Readings that were tried, what their trials show, and which errors say that a reading is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kleene.analysis.c.library.client.calls import GOES_ON, says_over_by_number
from kleene.analysis.c.library.client.places import executed_operations
from kleene.analysis.c.library.client.text import CLIENT, Client
from kleene.analysis.c.library.inference.trials import (
    Trial,
)
from kleene.analysis.c.library.interface.exports import ExportedFunction
from kleene.analysis.c.library.interface.object_types import (
    ObjectTypes,
    initialised_by,
    record_of,
)
from kleene.analysis.c.library.readings.candidates import says_add, says_end
from kleene.analysis.c.library.readings.operations import (
    ELEMENTS,
    OBJECTS,
    REPLACING,
    RESULTS,
    STATUS,
    Fate,
    Operation,
    Outcome,
    Role,
)
from kleene.analysis.c.verdicts import finding_of
from kleene.core.verdict import Finding
from kleene.domains.explicit.effects import INSIDE_BLOCK
from kleene.domains.explicit.evaluate import NO_ADDRESS, NO_BLOCK
from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.values import Fault


@dataclass(frozen=True)
class Rejected:
    """A function without an admissible reading: the most plausible reading, and its error."""

    operation: Operation
    client: Client
    error: Confirmed
    reads_garbage: bool = False
    """Whether its trial reads members that nothing has set."""
    breach: str = ""
    """How the operation breaks what others keep, where another one fails."""


@dataclass
class Inferred:
    """The accepted operations, and the functions without one."""

    types: ObjectTypes
    accepted: list[Operation] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    spared: set[str] = field(default_factory=set)
    """Rejected functions that do not test what they allocate: what they make else is checked."""
    untried: dict[str, str] = field(default_factory=dict)
    """Functions that were not tried, with the reason."""

    @property
    def made(self) -> set[str]:
        """The types of which an accepted operation makes objects."""
        made = {o.makes for o in self.accepted} | self.types.zeroed
        made |= {record_of(o.function.result) for o in self.accepted if o.outcome in REPLACING}
        return made | {name for o in self.accepted for name in o.records_in(Role.ADDRESS)}


@dataclass(frozen=True)
class Tried:
    """A reading and its trial."""

    operation: Operation
    client: Client
    trial: Trial
    locations: frozenset[str]
    """The locations of the function."""
    executed: int
    """The locations of the library that the trial executed."""

    @property
    def own(self) -> frozenset[str]:
        """The locations of the function that the trial executed."""
        name = self.operation.function.name
        return frozenset(location for function, location in self.trial.exploration.visited if function == name)

    @property
    def is_admissible(self) -> bool:
        trial = self.trial
        if trial.is_stale and self.operation.fate is Fate.MOVED:  # the block is linked still
            return False
        if trial.exploration.possible and Role.BLOCK in self.operation.roles:  # it reads what nothing has set
            return False
        return trial.error is None and trial.shared is None and not trial.cut_short and self.is_called

    @property
    def is_called(self) -> bool:
        """Whether the trial calls the function, and with elements where it takes them: NULL alone shows nothing."""
        reached = bool(self.own) and set(self.operation.records_in(*ELEMENTS)) <= self.trial.elements
        return reached and self._is_made and self._goes_on

    @property
    def _goes_on(self) -> bool:
        """Whether a run goes on behind an element, if a number says where an iteration is over.

        One that is over wherever there is an element hides what happens behind the first one.
        """
        if not says_over_by_number(self.operation):
            return True
        return any(function == GOES_ON for function, _ in self.trial.exploration.visited)

    @property
    def _is_made(self) -> bool:
        """Whether some run makes an object, if the result is to say so."""
        if self.operation.outcome not in STATUS:
            return True
        another = self.operation.makes_another
        variable = f"{self.client.objects[another]}_b" if another else self.client.objects[self.operation.makes]
        return variable in self.trial.alive

    @property
    def is_idle(self) -> bool:
        return self.trial.error is None and not self.is_called

    @property
    def is_too_short(self) -> bool:
        """Whether the trial ended at its bound before it came to the function: tables have loops over all buckets."""
        return self.is_idle and self.trial.exploration.reason.startswith("bound")

    @property
    def is_whole(self) -> bool:
        """Whether the trial executed the whole function."""
        return self.own >= self.locations and not self.trial.exploration.possible

    @property
    def rejected(self) -> Rejected | None:
        if self.trial.error is None:
            return None
        return Rejected(self.operation, self.client, self.trial.error, bool(self.trial.exploration.possible))

    def hides(self, others: Sequence[Tried]) -> Tried | None:
        """A reading with an error that executes more of the function."""
        return next((o for o in others if o.trial.error is not None and len(o.own) > len(self.own)), None)


@dataclass(frozen=True)
class Deferred:
    """A function that waits for elements, and its trials so far."""

    function: ExportedFunction
    tried: list[Tried]


def follows_datum(error: Fault | Finding, client: Client) -> bool:
    """Whether an error is that the library follows a pointer that the client stores: its reading is wrong.

    Where the client stores none, it is an element behind the end of an array that is NULL.
    """
    return error.message == NO_ADDRESS and client.stores_data


def adds_block(rejected: Rejected) -> bool:
    """Whether a function that should link a block of the caller, as its name says, has an error there."""
    operation = rejected.operation
    roles = set(operation.roles)
    if not says_add(operation.function) or Role.BLOCK not in roles or not roles & set(OBJECTS):
        return False
    return failing(rejected) == operation.function.name and not is_wrong_guess_of(rejected)


def ends_wrongly(rejected: Rejected) -> bool:
    """Whether a function that ends an object, by its name, and gets nothing else, fails on one and does not lose it."""
    operation, kind = rejected.operation, rejected.error.fault.kind
    ends = says_end(operation.function) and operation.ends and len(operation.roles) == 1
    return ends and kind in _OF_ENDS and failing(rejected) == operation.function.name


_OF_ENDS = ("double_free", "dangling_dereference", "invalid_free")
"""Kinds of errors on what a function has freed itself."""


def breaks_own_block(rejected: Rejected) -> bool:
    """Whether a function that gets an element by its bytes fails on a block of the library.

    On the block of the client it may be that the client should have handed in something else.
    """
    number = rejected.error.fault.block
    if Role.VALUE not in rejected.operation.roles or number is None or rejected.error.fault.message == NO_ADDRESS:
        return False
    places = [s.blocks[number].place for s in rejected.error.trace.states() if number in s.blocks]
    return any(place is not None and Path(place.file).name != CLIENT for place in places[-1:])


def fails_elsewhere(rejected: Rejected) -> bool:
    """Whether another function fails on what a function has stored that gets an element by its bytes."""
    return Role.VALUE in rejected.operation.roles and failing(rejected) != rejected.operation.function.name


def frees_datum(rejected: Rejected) -> bool:
    """Whether an error is that the library frees a pointer that the client stores."""
    fault = rejected.error.fault
    return fault.message == NO_BLOCK and not is_seen(fault, rejected.client)


def frees_stored(rejected: Rejected) -> bool:
    """Whether the pointer that the library frees may be one that an earlier operation has stored."""
    earlier = executed_operations(finding_of(rejected.error), rejected.client)[:-1]
    return frees_datum(rejected) and any({Role.DATA, Role.RECORD} & set(operation.roles) for operation in earlier)


def points_inside(rejected: Rejected) -> bool:
    """Whether an error is that the caller frees a result which points into a block, and not to its beginning."""
    fault = rejected.error.fault
    freed = rejected.operation.outcome is Outcome.FREED and is_seen(fault, rejected.client)
    return freed and fault.message.startswith(INSIDE_BLOCK)


def failing(rejected: Rejected) -> str:
    """The function that the failing run calls last."""
    executed = executed_operations(finding_of(rejected.error), rejected.client)
    return executed[-1].function.name if executed else rejected.operation.function.name


def is_wrong_guess(operation: Operation, error: Finding) -> bool:
    """Whether an error is that a function reads a block before anything writes it: then it does not initialise it."""
    return error.kind.startswith("uninitialized") and is_guess(operation)


def is_wrong_guess_of(rejected: Rejected) -> bool:
    """Whether a failing trial reads a block before anything writes it, at the error or before it."""
    if rejected.reads_garbage and is_guess(rejected.operation):
        return True
    return is_wrong_guess(rejected.operation, finding_of(rejected.error))


def is_guess(operation: Operation) -> bool:
    """Whether a reading is the last resort: a block changes hands although no name says so."""
    return (
        Role.BLOCK in operation.roles
        or Role.OWNED in operation.roles
        or Role.TAKEN in operation.roles
        or any(operation.records_in(*RESULTS))
        or (Role.INITIALISED in operation.roles and not initialised_by(operation.function))
        or operation.fate is Fate.RELEASED
        or operation.outcome is Outcome.FREED
    )


def result_is_gone(error: Fault | Finding, client: Client) -> bool:
    """Whether an error is that the client reads a result which points to a block that was freed."""
    return error.kind == "dangling_dereference" and is_seen(error, client)


def is_seen(error: Fault | Finding, client: Client) -> bool:
    """Whether an error is in the client's own line of an operation: there it reads the result."""
    place = error.place if isinstance(error, Fault) else error
    return Path(place.file).name == CLIENT and place.line in client.lines


def may_be_ignored(operation: Operation, tried: Sequence[Tried]) -> bool:
    """Whether a result that may be ignored is one that cannot be read: the end of an array, or a mark that is stored.

    A result that points to a freed block must not be ignored: it is an error of the library.
    """
    if operation.outcome is not Outcome.IGNORED:
        return True
    seen = [t for t in tried if t.operation == replace(operation, outcome=Outcome.SEEN)]
    errors = [(t.trial.error.fault, t.client) for t in seen if t.trial.error is not None]
    if not seen:
        return True
    return any(is_seen(fault, client) and not result_is_gone(fault, client) for fault, client in errors)


def most_telling(failures: list[Rejected]) -> Rejected:
    """The reading with the longest failing run: wrong readings fail at once. Blocks that change hands come last.

    Of a function whose name says that it ends an object, the reading that does so tells more, unless all it shows is
    that the object is not freed: `list_delete_at` ends an element.
    """

    def rank(rejected: Rejected) -> tuple[bool, bool, int]:
        operation = rejected.operation
        fault = rejected.error.fault
        left = fault.kind == "memory_leak" and is_seen(fault, rejected.client)
        named = says_end(operation.function) and operation.fate is Fate.ENDED and not left
        return not is_guess(operation), named, len(rejected.error.trace.steps)

    return max(failures, key=rank)
