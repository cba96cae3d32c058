"""`kleene check --library`: every exported function on every admissible input.

The most general client of the functions (`client`) makes all objects that the functions can make. If the analysis
proves the client safe, each function is proved on all of them. A function whose alarms remain leaves the client, and
the others are proved without it.
"""

from __future__ import annotations

import re
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from kleene.analysis.c.budget import Budget
from kleene.analysis.c.library.blame.allocations import executes_spared
from kleene.analysis.c.library.blame.answers import contradicts_itself
from kleene.analysis.c.library.blame.culprits import breach_of, culprit, keeps_text, leaver_of, run_of
from kleene.analysis.c.library.blame.outside import doubt_about
from kleene.analysis.c.library.client.allocators import allocator_assumptions
from kleene.analysis.c.library.client.asked import PROVED, dropping, properties_of
from kleene.analysis.c.library.client.places import (
    executed_operations,
    in_library,
    sequence_of,
    with_breach,
)
from kleene.analysis.c.library.client.suspects import fills, rearranging, suspect
from kleene.analysis.c.library.client.text import Client
from kleene.analysis.c.library.client.watch import hands_on_data, watched
from kleene.analysis.c.library.client_checks import ClientChecks
from kleene.analysis.c.library.contracts.contract import (
    loop_heads,
    main_heads,
    predicates_of,
    with_contract,
)
from kleene.analysis.c.library.contracts.invariant import OBJECT, Fact, facts_of
from kleene.analysis.c.library.contracts.stored import StoredContracts
from kleene.analysis.c.library.generality.hooks import unset_hooks
from kleene.analysis.c.library.generality.separation import changing_variables, read_variables, shared_in_structures
from kleene.analysis.c.library.inference.attempts import (
    Inferred,
    follows_datum,
    is_wrong_guess,
    result_is_gone,
)
from kleene.analysis.c.library.inference.dead_parts import never_executed, parts_of, with_branches
from kleene.analysis.c.library.inference.other_ways import OF_SIZES
from kleene.analysis.c.library.inference.reasons import (
    ANSWERS,
    CHANGES,
    FOLLOWS,
    MAKER_IS_WRONG,
    NO_OBJECTS,
    NO_TIME,
    REARRANGES,
    REFERS,
    SHARES,
    UNTESTED,
    never_called,
)
from kleene.analysis.c.library.inference.selection import Inference
from kleene.analysis.c.library.inference.trials import LONG_STATES, TRIAL_STATES, ClientFolder, Trial, run_trial
from kleene.analysis.c.library.interface.exports import HEADER, Interface, read_interface
from kleene.analysis.c.library.interface.object_types import ObjectTypes
from kleene.analysis.c.library.models.model import model_of
from kleene.analysis.c.library.readings.operations import ELEMENTS, OBJECTS, Operation, Role
from kleene.analysis.c.library.verdicts import Verdicts
from kleene.analysis.c.options import CheckOptions
from kleene.analysis.c.verdicts import finding_of
from kleene.c.library.outside import STREAMS
from kleene.c.options import ReadOptions
from kleene.cfa.expressions import Variable
from kleene.cfa.program import CProgram
from kleene.core.verdict import Verdict
from kleene.diagnostics import UsageError, did_you_mean
from kleene.results.check import CheckReport
from kleene.results.library import LibraryReport

NOT_SET = "no client sets {}, a variable of the file that is not static"
ENDS_ONCE = (
    "it is not proved that each datum is handed to {} at most once, and is not used afterwards (no run shows otherwise)"
)
NO_TIME_FOR_TWO = "no time was left for a client with two objects: raise --timeout"


def check_library(
    file: str, options: CheckOptions, only: str | None = None, stored: StoredContracts | None = None
) -> LibraryReport:
    """Check the exported functions of a file, or the function `only`; with the readings of an earlier check."""
    start = time.monotonic()
    options = replace(options, properties=PROVED)
    interface = _without_models(read_interface(file, options.read), options.read)
    if not interface.functions:
        raise UsageError(f"'{file}' exports no function: all of its functions are static, or it has none")
    if only is not None and only not in {f.name for f in interface.functions}:
        raise UsageError(
            f"'{file}' exports no function '{only}'{did_you_mean(only, [f.name for f in interface.functions])}"
        )
    with tempfile.TemporaryDirectory(prefix="kleene-") as folder:
        run = _Run(
            interface, options, Budget(start, options.timeout), ClientFolder(Path(folder), interface, options.read)
        )
        report = run.report(stored or StoredContracts())
    if stored is not None:
        report.breaches = stored.breaches(report)
    if only is not None:
        report.functions = [f for f in report.functions if f.name == only]
    report.seconds = time.monotonic() - start
    return report


def _without_models(interface: Interface, options: ReadOptions) -> Interface:
    """The interface without those functions without a body that the user gives a model or a body."""
    given = {text.partition("=")[0].strip() for text in options.extern}
    texts = [Path(file).read_text(encoding="utf-8", errors="replace") for file in options.models]
    named = {f.name for f in interface.missing if any(re.search(rf"\b{f.name}\s*\(", text) for text in texts)}
    return replace(interface, missing=tuple(f for f in interface.missing if f.name not in given | named))


@dataclass(frozen=True)
class _Checked:
    """A client that was checked."""

    client: Client
    program: CProgram
    check: CheckReport
    watches: bool
    """Whether it is the one that watches data."""


class _Run:
    """The check of one file."""

    def __init__(self, interface: Interface, options: CheckOptions, budget: Budget, clients: ClientFolder) -> None:
        self.interface = interface
        self.options = options
        self.budget = budget
        self.clients = clients
        self.checks = ClientChecks(interface, options, budget, clients)
        self.verdicts = Verdicts(interface)

    def report(self, stored: StoredContracts) -> LibraryReport:
        self.options.tell("preconditions")
        may_fail = self.options.read.malloc_may_fail
        self.checks.given = stored.readings.keys()
        inference = Inference(self.interface, self.clients, self.budget, stored, malloc_may_fail=may_fail)
        inferred = inference.run()
        for name, reason in inferred.untried.items():
            self.verdicts.leave_open(name, reason)
        for rejected in inferred.rejected:
            self.verdicts.reject(rejected)
        report = LibraryReport(self.interface.file, [])
        report.assumptions = [
            f"no function makes a {inferred.types.texts[name]}: the client fills a block with zeros"
            for name in sorted(inferred.types.zeroed - STREAMS.keys())
        ]
        for record, hooks in self.clients.hooks.items():
            text = inferred.types.texts.get(record, record)
            listed = ", ".join(f"p->{hook}" for hook in hooks)
            report.assumptions.append(f"clients set {listed} of each {text} *p that is made, before they call others")
        self._prove(inference, inferred, report)
        self.verdicts.blame_once()
        report.functions = [self.verdicts.of[f.name] for f in self.interface.functions]
        return report

    def _prove(self, inference: Inference, inferred: Inferred, report: LibraryReport) -> None:
        """Prove as many of the accepted operations as possible: first with one object, then those that take two.

        The heaps of a client with two objects are pairs, and may be too many. Then the others are proved all the same.
        """
        pairs = [o for o in inferred.accepted if Role.SECOND in o.roles]
        single = [o for o in inferred.accepted if o not in pairs]
        if not inferred.accepted:
            wrong = [r.operation.function.name for r in inferred.rejected if r.operation.makes]
            report.reason = NO_OBJECTS if not wrong else MAKER_IS_WRONG.format(wrong[0])
        elif not pairs or not single:
            self._prove_together(inference, inferred, list(inferred.accepted), report)
        else:
            for operation in pairs:
                self.verdicts.decide(operation, Verdict.UNKNOWN, NO_TIME_FOR_TWO)
            self._prove_together(inference, inferred, single, report)
            if self.budget.left > 0:
                self._prove_pairs(inference, inferred, pairs, report)

    def _prove_pairs(
        self, inference: Inference, inferred: Inferred, pairs: list[Operation], report: LibraryReport
    ) -> None:
        """Prove all operations again, with those that take two objects; what was proved before stays proved."""
        before = self.verdicts.of
        wrong = {name for name, verdict in before.items() if verdict.verdict is Verdict.FALSE}
        left_out = wrong - inferred.spared
        every = [o for o in inferred.accepted if o not in pairs and o.function.name not in left_out] + pairs
        self.verdicts.of = {n: v for n, v in before.items() if n in wrong or n not in {o.function.name for o in every}}
        own = LibraryReport(report.file, [], assumptions=report.assumptions)
        self._prove_together(inference, inferred, every, own)
        proved = self.verdicts.proved
        if proved >= {name for name, verdict in before.items() if verdict.verdict is Verdict.TRUE}:
            report.client, report.check, report.labels = own.client, own.check, own.labels
            report.invariants, report.model = own.invariants, own.model
            return
        shown = {o.function.name: self.verdicts.of[o.function.name] for o in pairs if o.function.name not in proved}
        self.verdicts.of = {**before, **shown}

    def _prove_together(
        self, inference: Inference, inferred: Inferred, operations: list[Operation], report: LibraryReport
    ) -> None:
        """Prove as many of some operations together as possible."""
        while operations:
            client, program, check = self.checks.check(inferred.types, operations)
            watches, unwatched = False, set[str]()
            owned = watched(operations) if check.verdict is Verdict.TRUE else []
            if owned and not self.checks.ends_data_once(inferred.types, owned):
                watching = self.checks.check(inferred.types, owned, watches=True)
                watches = any(finding.confirmed for finding in watching[2].findings)
                if watches:
                    client, program, check = watching
                elif watching[2].verdict is not Verdict.TRUE:
                    unwatched = {o.function.name for o in owned if hands_on_data(watching[1], o)}
            report.client, report.check, report.labels = client.text, check, dict(client.labels)
            properties = properties_of(operations, program)
            if check.verdict is Verdict.TRUE:
                changing = changing_variables(program) if client.variables else ()
                general = self.checks.of_any_numbers(program, changing, properties) if changing else None
                report.check = check = general or check
                self._accept(operations, inferred.types, check, () if general is not None else changing)
                for operation in operations:
                    if operation.function.name in unwatched:
                        self.verdicts.decide(
                            operation, Verdict.UNKNOWN, ENDS_ONCE.format(", ".join(dropping(operations)))
                        )
                self._state(check, client, program, inferred, report)
                exported = [v for v in read_variables(program, self.interface.variables) if v not in changing]
                assumed = [a.text for a in check.assumptions]
                known = allocator_assumptions(self.interface)
                assumed += [known[name] for name in program.reachable_functions if name in known]
                report.assumptions[:] = dict.fromkeys(
                    [*report.assumptions, *(NOT_SET.format(v) for v in exported), *assumed]
                )
                if changing:  # its functions do not behave the same at each call
                    return
                proved = [o for o in operations if self.verdicts.of[o.function.name].verdict is Verdict.TRUE]
                if proved and not self.interface.file.endswith(HEADER) and not self.clients.hooks:
                    with_errors = self.clients.read_with_errors()
                    options = replace(self.options, properties=properties)
                    report.model = model_of(self.interface, inferred.types, proved, with_errors, options)
                return
            if not self._leave(inference, inferred, _Checked(client, program, check, watches), operations):
                return

    def _leave(self, inference: Inference, inferred: Inferred, checked: _Checked, operations: list[Operation]) -> bool:
        """Take an operation out of a client that is not proved, or read one in another way; false if none may go."""
        client, program, check = checked.client, checked.program, checked.check
        blamed = culprit(check, client, operations)
        run = run_of(check, blamed[1]) if blamed is not None else None
        shown = self.checks.search(inferred.types, operations) if run is None else None
        if shown is not None:
            client, run = shown
            finding = finding_of(run)
            blamed = executed_operations(finding, client)[-1], finding
        if blamed is None and self.budget.left > 0 and (slow := suspect(check, program, client, operations)):
            self.verdicts.decide(slow, Verdict.UNKNOWN, check.reason, advice=check.advice)
            operations.remove(slow)
            return True
        if blamed is None or self.budget.left <= 0:
            for operation in operations:
                self.verdicts.decide(operation, Verdict.UNKNOWN, check.reason, advice=check.advice)
            return False
        operation, finding = blamed
        is_needed = not finding.confirmed and fills(program, operation)
        if is_needed and (hard := [o for o in rearranging(program, operations) if o != operation]):
            for one in hard:
                self.verdicts.decide(one, Verdict.UNKNOWN, REARRANGES.format(operation.function.name, check.reason))
            operations[:] = [o for o in operations if o not in hard]
            return True
        breach = breach_of(inference.tries, run, client, operations)
        leaver = leaver_of(run, client, operations)
        operation = breach.operation if breach is not None else leaver or operation
        if keeps_text(run, client, operations):
            return True
        is_lost = finding.confirmed and finding.kind == "memory_leak"
        if is_lost and (stored := self.checks.without_null(inferred.types, operations)):
            operations[:] = stored
            return True
        if (
            finding.confirmed
            and finding.kind in OF_SIZES
            and (small := self.checks.with_small(inferred.types, operations))
        ):
            operations[:] = small
            return True
        readable = finding.confirmed and not checked.watches and not result_is_gone(finding, client)
        other = inference.read_again(operation) if readable else None
        if other is not None:
            operations[operations.index(operation)] = other
            return True
        operations.remove(operation)
        if readable and inference.tries.is_over and inference.has_others(operation):
            self.verdicts.decide(operation, Verdict.UNKNOWN, NO_TIME)
            return True
        if breach is not None and breach.takes_reference:
            self.verdicts.decide(operation, Verdict.UNKNOWN, REFERS)
            return True
        if run is not None and contradicts_itself(run):
            self.verdicts.decide(operation, Verdict.UNKNOWN, ANSWERS)
            return True
        if run is not None and (doubt := doubt_about(run, client, self.interface)):
            self.verdicts.decide(operation, Verdict.UNKNOWN, doubt)
            return True
        is_datum = follows_datum(finding, client)
        if is_datum or is_wrong_guess(operation, finding):
            reason = FOLLOWS if is_datum else never_called(operation.function, self.interface)
            self.verdicts.decide(operation, Verdict.UNKNOWN, reason)
            return True
        verdict = Verdict.FALSE if finding.confirmed else Verdict.UNKNOWN
        self.verdicts.decide(
            operation,
            verdict,
            check.reason or str(finding),
            with_breach(in_library(finding, client, self.interface, run), "" if breach is None else breach.words),
            run,
            sequence_of(finding, client),
            advice=check.advice if verdict is Verdict.UNKNOWN else "",
        )
        return True

    def _accept(
        self, operations: list[Operation], types: ObjectTypes, check: CheckReport, changing: tuple[Variable, ...]
    ) -> None:
        """Record the proof of a client: what no run of it calls is not proved, and what is left out is stated.

        `changing` are variables of the library through which objects may affect each other.
        """
        client, plain = self.clients.write(types, operations)
        program = with_branches(plain)
        wrong = self.verdicts.wrong & {o.function.name for o in operations}
        left_out = ", ".join(f.name for f in self.interface.functions if f.name in self.verdicts.of.keys() - wrong)
        wanted = {o: parts_of(program, o) for o in operations if o.function.name not in wrong}
        trial = self._executed(types, operations, TRIAL_STATES)
        visited = trial.exploration.visited
        if not all(own <= visited if left_out else not own.isdisjoint(visited) for own in wanted.values()):
            trial.add(self._executed(types, operations, LONG_STATES))
        shared, heads = trial.shared, loop_heads(check)
        static = {g.variable.name for g in program.globals}
        for head in heads:
            shared = shared or shared_in_structures(head.structures, head.live, client.variables, static, client.lent)
        if shared is None and client.copies and not heads:
            shared = (client.copies[0].removesuffix("_b"), client.copies[0])
        parts = {o.function.name: own - visited for o, own in wanted.items() if left_out}
        open_parts = self._executed_with_others(types, operations, {n: p for n, p in parts.items() if p})
        for operation in operations:
            name = operation.function.name
            if name in wrong:  # it makes the objects of the others where it has no error
                continue
            executed = {location for function, location in trial.exploration.visited if function == name}
            objects = {client.objects.get(n, "") for n in operation.records_in(*OBJECTS)} - {""}
            elements = set(operation.records_in(*ELEMENTS))
            if not executed or not objects <= trial.alive or not elements <= trial.elements:
                self.verdicts.decide(operation, Verdict.UNKNOWN, never_called(operation.function, self.interface))
            elif wrong_function := executes_spared(program, name, self.clients.spared):
                self.verdicts.decide(operation, Verdict.UNKNOWN, UNTESTED.format(wrong_function))
            elif shared is not None:
                self.verdicts.decide(
                    operation, Verdict.UNKNOWN, f"{shared[0]} and {shared[1]} may share a block: {SHARES}"
                )
            elif changing:
                self.verdicts.decide(operation, Verdict.UNKNOWN, f"{changing[0]} {CHANGES}")
            elif name in open_parts:
                self.verdicts.decide(operation, Verdict.UNKNOWN, f"without {left_out}, parts of it are never executed")
            else:
                self.verdicts.decide(operation, Verdict.TRUE, check.proved_by.get(PROVED[0], ""), left_out=left_out)
                self.verdicts.note_wrong_makers(name, wrong)

    def _executed(self, types: ObjectTypes, operations: list[Operation], states: int) -> Trial:
        """Runs of a client: with two objects where a function takes two, and with several stored pointers."""
        client, program = self.clients.write(types, operations)
        others = []
        if any(Role.SECOND in o.roles for o in operations):
            others.append(self.clients.write(types, operations, begins_with_two=True))
        with_data = self.clients.write(types, operations, with_data=True)
        if with_data[0].text != client.text:  # a search tells stored pointers apart
            others.append(with_data)
        may_fail = self.options.read.malloc_may_fail
        trial = run_trial(client, with_branches(program), self.budget, states, malloc_may_fail=may_fail)
        for other, plain in others:
            trial.add(run_trial(other, with_branches(plain), self.budget, states, malloc_may_fail=may_fail))
        return trial

    def _executed_with_others(
        self, types: ObjectTypes, operations: list[Operation], parts: dict[str, frozenset[tuple[str, str]]]
    ) -> set[str]:
        """The functions with parts that are never executed where what is left out may be the reason."""
        left_out = self.verdicts.of.keys() - {o.function.name for o in operations}
        if not parts or not left_out <= self.verdicts.known.keys() or self.budget.left <= 0:
            return set(parts)
        others = [self.verdicts.known[name] for name in sorted(left_out)]
        may_fail = self.options.read.malloc_may_fail
        never = never_executed(self.clients, types, operations, others, parts, self.budget, malloc_may_fail=may_fail)
        return parts.keys() - never

    def _state(
        self, check: CheckReport, client: Client, program: CProgram, inferred: Inferred, report: LibraryReport
    ) -> None:
        """State the invariants of the object types, and the contracts that follow from them."""
        facts: dict[str, list[Fact]] = {}
        heads = main_heads(check)
        hooks = unset_hooks(check.prepared.source) if check.prepared is not None else {}
        objects = {name: variable for name, variable in client.objects.items() if name not in STREAMS}
        for name, variable in objects.items() if heads else ():
            own: list[Fact] = []
            for head in heads:
                others = [p for other in client.variables if other != variable for p in predicates_of(head, other)]
                own += facts_of(head.structures, predicates_of(head, variable), self.interface.records, others, name)
            facts[name] = list(dict.fromkeys(own))
            unset = [field for (record, _), field in hooks.items() if record == name]
            facts[name] += [Fact(f"{OBJECT}->{field} is NULL: no function sets it") for field in unset]
            text = inferred.types.texts[name]
            report.invariants[text] = tuple(fact.about("p").sentence for fact in facts[name])
        for operation in inferred.accepted:
            verdict = self.verdicts.of[operation.function.name]
            if verdict.verdict is Verdict.TRUE:
                self.verdicts.of[verdict.name] = with_contract(verdict, operation, facts, program)
