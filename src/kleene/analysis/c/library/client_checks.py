"""Checks of clients: the analysis of one, of a more general one, and searches for runs that fail."""

from __future__ import annotations

import time
from collections.abc import Set
from dataclasses import replace
from pathlib import Path

from kleene.analysis.c.budget import Budget
from kleene.analysis.c.check import check_program
from kleene.analysis.c.library.blame.search import search
from kleene.analysis.c.library.client.asked import properties_of
from kleene.analysis.c.library.client.places import executed_operations, reason_in_library
from kleene.analysis.c.library.client.text import CLIENT, Client
from kleene.analysis.c.library.generality.static_numbers import with_any_numbers
from kleene.analysis.c.library.generality.unwatched_data import with_any_outcomes
from kleene.analysis.c.library.inference.trials import TRIAL_STATES, ClientFolder, run_trial
from kleene.analysis.c.library.interface.exports import Interface
from kleene.analysis.c.library.interface.object_types import ObjectTypes
from kleene.analysis.c.library.readings.operations import Operation, Role
from kleene.analysis.c.options import CheckOptions
from kleene.analysis.c.verdicts import finding_of
from kleene.cfa.expressions import Variable
from kleene.cfa.program import CProgram
from kleene.core.verdict import Verdict
from kleene.domains.explicit.explore import Confirmed
from kleene.results.check import CheckReport

SHARE_OF_FIRST = 0.6
"""The part of the time for a client of all operations: in the rest, the others are proved without the slowest one."""
SHARE_OF_WATCH = 0.3
"""The part of the time that is left for a client that watches data: where it proves nothing, it may find an error."""


class ClientChecks:
    """Checks of the clients of one file."""

    def __init__(self, interface: Interface, options: CheckOptions, budget: Budget, clients: ClientFolder) -> None:
        self.interface = interface
        self.options = options
        self.budget = budget
        self.clients = clients
        self.searched: set[Operation] = set()
        """Operations of which a search has found no error."""
        self.given: Set[str] = frozenset()
        """The functions whose readings are given."""

    def check(
        self, types: ObjectTypes, operations: list[Operation], *, watches: bool = False
    ) -> tuple[Client, CProgram, CheckReport]:
        """The check of the client of some operations, or of the one that watches data of the client."""
        client, program = self.clients.write(types, operations, general=True, watches=watches)
        share = self.budget.left * (SHARE_OF_FIRST if len(operations) > 1 else 1.0)
        share = self.budget.left * SHARE_OF_WATCH if watches else share
        options = replace(self.options, properties=properties_of(operations, program), timeout=share)
        check = check_program(program, options, time.monotonic())
        check.reason = check.reason.replace(f"{options.timeout:g} s", f"{self.options.timeout:g} s")
        check.reason = self._for_people(reason_in_library(check.reason, check.findings, client, self.interface))
        return client, program, check

    def ends_data_once(self, types: ObjectTypes, owned: list[Operation]) -> bool:
        """Whether a client is proved in which data that is not watched has one value, and any outcomes of comparisons.

        An error that it shows need not be one. The watched datum is a part of the object now and then: to take the heap
        apart costs more than whole heaps.
        """
        _, program = self.clients.write(types, owned, general=True, watches=True, one_other=True)
        general = with_any_outcomes(program)
        if general is None:
            return False
        share = self.budget.left * SHARE_OF_WATCH
        properties = properties_of(owned, program)
        options = replace(self.options, properties=properties, timeout=share, whole_heaps=True)
        return check_program(general, options, time.monotonic()).verdict is Verdict.TRUE

    def without_null(self, types: ObjectTypes, operations: list[Operation]) -> list[Operation]:
        """The operations with stored pointers that are not NULL, if the error is gone then; else none.

        Many a queue says by NULL that it is empty: its function that takes out all elements stops at a stored NULL.
        """
        return self._without_error(types, operations, [o.with_roles({Role.DATA: Role.STORED}) for o in operations])

    def with_small(self, types: ObjectTypes, operations: list[Operation]) -> list[Operation]:
        """The operations with numbers of elements that are not negative and not too large, if that may help; else none.

        The check of their client shows whether it does.
        """
        small = [o if o.function.name in self.given else o.with_amounts() for o in operations]
        return self._without_error(types, operations, small)

    def _without_error(
        self, types: ObjectTypes, operations: list[Operation], others: list[Operation]
    ) -> list[Operation]:
        """Other readings of the operations if they differ and a trial of them has no error; else none."""
        if others == operations:
            return []
        client, program = self.clients.write(types, others, general=True)
        may_fail = self.options.read.malloc_may_fail
        trial = run_trial(client, program, self.budget, TRIAL_STATES, malloc_may_fail=may_fail)
        return others if trial.error is None and not trial.cut_short else []

    def of_any_numbers(
        self, program: CProgram, changing: tuple[Variable, ...], properties: tuple[str, ...]
    ) -> CheckReport | None:
        """The proof of the client in which static numbers may have any value before each call; None if there is none.

        An error that it shows need not be one: the library may never set such a number.
        """
        general = with_any_numbers(program, changing)
        if general is None or self.budget.left <= 0:
            return None
        options = replace(self.options, properties=properties, timeout=self.budget.left)
        check = check_program(general, options, time.monotonic())
        return check if check.verdict is Verdict.TRUE else None

    def search(self, types: ObjectTypes, operations: list[Operation]) -> tuple[Client, Confirmed] | None:
        """A run that shows an error of some operations, unless they have been searched already."""
        if set(operations) <= self.searched or self.budget.left <= 0:
            return None
        may_fail = self.options.read.malloc_may_fail
        shown = search(self.clients, types, operations, self.budget, malloc_may_fail=may_fail)
        if shown is None or not executed_operations(finding_of(shown[1]), shown[0]):
            self.searched = set(operations)
            return None
        return shown

    def _for_people(self, reason: str) -> str:
        """A reason without the folder of the client, which no longer exists when a person reads it."""
        reason = reason.replace(str(Path(self.interface.file).resolve()), self.interface.file)
        return reason.replace(f"{self.clients.folder}/", "").replace(CLIENT, f"{CLIENT} (--client-out shows it)", 1)
