"""`kleene check --contracts`: each body once against its contract, and its callers against the contract alone.

`contracts` is FALSE if a run violates a contract; calls in this run may do whatever their contracts allow. Other
properties are FALSE only by a run without such calls, and TRUE only if all contracts hold.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace

from kleene.analysis.c.check import attack, check_program
from kleene.analysis.c.library.interface.exports import exported_names
from kleene.analysis.c.options import CheckOptions
from kleene.analysis.c.specifications import read_specification
from kleene.analysis.c.verdicts import MORE_TIME
from kleene.analysis.limits import Watchdog, within
from kleene.c.contracts import Contract, read_contracts
from kleene.c.options import DEFAULT
from kleene.c.reader import read_program
from kleene.cfa.program import CProgram
from kleene.core.verdict import DEFAULT_PROPERTIES, PROPERTIES, Finding, Verdict, property_of
from kleene.diagnostics import LimitReached, UsageError
from kleene.domains.explicit.explore import Confirmed
from kleene.results.check import CheckReport
from kleene.semantics.contracts.programs import (
    CALLED,
    body_alone,
    by_contracts,
    contract_at,
    usable_contracts,
    without_contract,
)
from kleene.semantics.contracts.specifications import Specification

CONTRACTS = "contracts"
"""The property that all contracts are kept."""
_LOOK_SECONDS = 2.0
"""Seconds of exact exploration of the program without contracts, if they leave something open."""


def check_contracts(paths: Sequence[str], options: CheckOptions) -> CheckReport:
    """Check a C program with the contracts in it."""
    start = time.monotonic()
    if options.refine is not None:
        raise UsageError("--contracts and --refine do not go together")
    stated = f"{options.timeout:g} s"
    work = within(options.timeout, lambda: _read(paths, options), stated=stated)
    if isinstance(work, LimitReached):
        unread = dict.fromkeys((*options.properties, CONTRACTS), Verdict.UNKNOWN)
        seconds = time.monotonic() - start
        return CheckReport(tuple(paths), unread, {}, [], f"reading: {work}", seconds, advice=MORE_TIME)
    program, parts = work
    with suppress(LimitReached), Watchdog(options.timeout - (time.monotonic() - start), None, stated=stated):
        for number, part in enumerate(sorted(parts, key=lambda part: part.contract is None)):  # the program is last
            left = options.timeout - (time.monotonic() - start)
            if not part.reason and left > 0:
                wanted = replace(options, properties=part.properties, timeout=left / (len(parts) - number))
                # The functions themselves are run in the place of their contracts: what is proved rests on all of them.
                tested = replace(wanted, self_check=0.0) if part.contract is None else wanted
                part.report = check_program(part.program, tested, time.monotonic(), part.concrete)
                if part.contract is None and all(each.keeps_contracts for each in parts):
                    attack(part.report, wanted, program, part.program)
    report = _together(program, parts, options.properties)
    left = min(options.timeout - (time.monotonic() - start), _LOOK_SECONDS)
    entry_has_none = all(part.contract is None or part.name != program.entry for part in parts)
    if Verdict.UNKNOWN in report.properties.values() and left > 0 and entry_has_none:
        _look(program, replace(options, domain="explicit", timeout=left), report)
    report.seconds = time.monotonic() - start
    return report


@dataclass(frozen=True)
class CheckedBody:
    """The body of a function with a contract."""

    reason: str
    """Why it is not proved; empty if it is."""
    calls: Set[str]
    """The functions that it calls, directly or not: it was checked with their contracts."""
    fails_assertion: bool = False
    """Whether a run from what its contract requires fails an assertion of the program."""


def check_bodies(paths: Sequence[str], options: CheckOptions, names: Set[str], each: float) -> dict[str, CheckedBody]:
    """Check the bodies of some functions by the contracts in a program; each has some seconds.

    A function without a contract in the program is left out.
    """
    program, parts = _read(paths, options)
    checked: dict[str, CheckedBody] = {}
    for part in parts:
        if part.contract is not None and part.name in names:
            if not part.reason:
                wanted = replace(options, properties=part.properties, timeout=each)
                part.report = check_program(part.program, wanted, time.monotonic(), part.concrete)
            kept = not part.reason and part.keeps_contracts
            calls = frozenset(program.reached_from(part.name)) - {part.name}
            shown = [finding.kind for finding, run in part.findings() if run is not None]
            checked[part.name] = CheckedBody("" if kept else _why_open(program, part), calls, "assertion" in shown)
    return checked


def _why_open(program: CProgram, part: _Part) -> str:
    """Why the body of a function is not proved by its contract."""
    broken = [finding.message for finding, shown in part.findings() if shown is not None]
    return next(iter(broken), "") or _together(program, [part], part.properties).reason


def _read(paths: Sequence[str], options: CheckOptions) -> tuple[CProgram, list[_Part]]:
    """The program and its parts to check; a part with a reason cannot be checked."""
    program = _read_program(paths, options)
    contracts = read_contracts(program)
    meant = {name: read_specification(program, c) for name, c in contracts.items() if c.formal}
    called, reasons = usable_contracts(program, contracts)
    parts = _parts(program, contracts, meant, called)
    for part in parts:
        part.reason = reasons[part.contract.function] if part.contract else ""
    return program, parts


def _read_program(paths: Sequence[str], options: CheckOptions) -> CProgram:
    """The program; one without `main` starts in a function with a contract, and its bodies are checked alone."""
    names = [name for path in paths for name in exported_names(path, options.read)]
    if options.read.entry != DEFAULT.entry or DEFAULT.entry in names or not names:
        return read_program(paths, options.read)
    read = replace(options.read, keeps_result=False)
    program = read_program(paths, replace(read, entry=names[0]))
    with_contract = [name for name in names if name in read_contracts(program)]
    if not with_contract or with_contract[0] == names[0]:
        return program
    return read_program(paths, replace(read, entry=with_contract[0]))


def _parts(
    program: CProgram,
    contracts: Mapping[str, Contract],
    meant: Mapping[str, Specification],
    called: dict[str, Contract],
) -> list[_Part]:
    """The program from its entry, and each body; calls use the contracts in `called`."""
    abstract = by_contracts(program, called, meant)
    executed = by_contracts(program, called, meant, concrete=True) if meant else None
    bodies = []
    for name, contract in contracts.items():
        own = meant.get(name)
        part = _Part(contracts, contract, body_alone(abstract, contract, own))
        part.concrete = None if executed is None else body_alone(executed, contract, own, concrete=True)
        bodies.append(part)
    return bodies if program.entry in contracts else [_Part(contracts, None, abstract, executed), *bodies]


@dataclass
class _Part:
    """The body of a function with a contract, or the program from its entry."""

    contracts: Mapping[str, Contract]
    contract: Contract | None
    program: CProgram
    concrete: CProgram | None = None
    """The program to execute, if contracts are formulas."""
    report: CheckReport | None = None
    reason: str = ""

    @property
    def name(self) -> str:
        return self.contract.function if self.contract else self.program.entry

    @property
    def properties(self) -> tuple[str, ...]:
        """The properties to check: with formulas, the caller owns the blocks left at the end of a body."""
        formal = self.contract is not None and self.contract.formal
        return tuple(name for name in DEFAULT_PROPERTIES if not formal or name != "memcleanup")

    def proves(self, name: str) -> bool:
        return self.report is not None and self.report.properties.get(name, Verdict.TRUE) is Verdict.TRUE

    @property
    def keeps_contracts(self) -> bool:
        """Whether no contract is broken here: taking and giving is safe, and a body leaves nothing behind."""
        needed = ("memsafety", "assert", "memcleanup") if self.contract else ("memsafety", "assert")
        return all(self.proves(name) for name in needed)

    def findings(self) -> list[tuple[Finding, Confirmed | None]]:
        """The findings, phrased in terms of contracts, each with its confirming run."""
        if self.report is None:
            return []
        traces = [*self.report.traces, *[None] * len(self.report.findings)]
        return [(self._in_words(f, t), t) for f, t in zip(self.report.findings, traces, strict=False)]

    def _in_words(self, finding: Finding, shown: Confirmed | None) -> Finding:
        role, callee = contract_at(finding.function)
        if self.contract is not None and shown is not None and shown.fault.detail == "exit":
            place = self.contract.place
            message = f"{self.name} leaves cells that 'ensures {self.contract.ensures}' does not describe"
            finding = replace(finding, kind="postcondition", message=message, line=place.line, column=place.column)
        elif role and finding.kind != "memory_leak":
            kind = "precondition" if role == CALLED else "postcondition"
            contract = self.contracts[callee]
            broken = f"requires {contract.requires}" if role == CALLED else f"ensures {contract.ensures}"
            message = f"'{broken}' of {callee} does not hold: {_why(finding)}"
            if contract.formal and shown is None:
                message = f"'{broken}' of {callee} may not hold"
            finding = replace(finding, kind=kind, message=message)
        by_contract = self.contract is not None or (shown is not None and _by_contract(shown))
        return replace(finding, function=self.name if role else finding.function,
                       inputs=() if by_contract else finding.inputs)  # fmt: skip


def _why(finding: Finding) -> str:
    """The reason why walking and freeing a list cell by cell fails."""
    twice = finding.kind in ("dangling_dereference", "double_free")
    return "a cell comes twice, or was freed" if twice else finding.message


def _by_contract(shown: Confirmed) -> bool:
    """Whether a run contains calls by contract; contracts may allow more than the program does."""
    return any(contract_at(step.operation.place.function)[0] for step in shown.trace.steps)


def _together(program: CProgram, parts: Sequence[_Part], properties: Sequence[str]) -> CheckReport:
    """One report for all parts."""
    kept = all(part.keeps_contracts for part in parts)
    verdicts = dict.fromkeys(properties, Verdict.UNKNOWN)
    for name in properties:
        if kept and all(part.proves(name) for part in parts):
            verdicts[name] = Verdict.TRUE
    verdicts[CONTRACTS] = Verdict.TRUE if kept else Verdict.UNKNOWN
    shown: list[tuple[Finding, Confirmed]] = []
    possible: list[Finding] = []
    for part in parts:
        for finding, confirmed in part.findings():
            violated = _violated_properties(part, finding, confirmed)
            for name in violated & set(verdicts):
                verdicts[name] = Verdict.FALSE
            if confirmed is not None and violated:
                shown.append((finding, confirmed))
            else:
                possible.append(replace(finding, status="possible"))
    proved_by = {n: "contracts" for n, v in verdicts.items() if v is Verdict.TRUE}
    report = CheckReport(program.files, verdicts, proved_by, [f for f, _ in shown] + possible, "", 0.0)
    report.traces = [c for _, c in shown]
    for part in parts:
        if part.report is not None and part.report.coverage is not None:
            report.coverage = part.report.coverage.added_to(report.coverage)
    first = parts[0].report
    if first is not None:
        report.exploration, report.shape, report.prepared = first.exploration, first.shape, first.prepared
    if Verdict.UNKNOWN in verdicts.values():
        report.reason, report.advice = _reason(parts, verdicts)
    return report


def _look(program: CProgram, options: CheckOptions, report: CheckReport) -> None:
    """Decide open properties by a check of the program without contracts."""
    plain = check_program(program, options, time.monotonic())
    for name, verdict in plain.properties.items():
        if report.properties[name] is Verdict.UNKNOWN:
            report.properties[name] = verdict
            report.proved_by.update({name: plain.proved_by[name]} if name in plain.proved_by else {})
    known = {(f.kind, f.file, f.line) for f in report.findings if f.confirmed}
    for finding, shown in zip(plain.findings, plain.traces, strict=False):
        if (finding.kind, finding.file, finding.line) not in known:
            report.findings.insert(len(report.traces), finding)
            report.traces.append(shown)
    proved = {
        kind for name, kinds in PROPERTIES.items() for kind in kinds if plain.properties.get(name) is Verdict.TRUE
    }
    report.findings = [f for f in report.findings if f.confirmed or f.kind not in proved]
    if Verdict.UNKNOWN not in report.properties.values():
        report.reason = report.advice = ""


def _violated_properties(part: _Part, finding: Finding, confirmed: Confirmed | None) -> set[str]:
    """The properties that a finding shows to be FALSE."""
    if confirmed is None:
        return set()
    if finding.kind in ("precondition", "postcondition"):
        return {CONTRACTS}
    if part.contract is not None:  # a run from any input that the contract allows, not one of the program
        return {CONTRACTS} if finding.kind in PROPERTIES["memsafety"] else set()
    if _by_contract(confirmed):
        return set()
    leaks = finding.kind == "memory_leak"
    if leaks and confirmed.fault.detail == "exit":
        return {"memcleanup"}
    return {property_of(finding.kind) or ""} | ({"memcleanup"} if leaks else set())


def _reason(parts: Sequence[_Part], verdicts: dict[str, Verdict]) -> tuple[str, str]:
    """Why something is not known, by the first part that was not proved, and what to do about it."""
    for part in parts:
        if part.reason:
            return f"the contract of {part.name}: {part.reason}", f"change the contract of {part.name}, or leave it out"
    for part in parts:
        if part.report is not None and part.report.reason:
            return f"{part.name}: {without_contract(part.report.reason)}", part.report.advice
    if verdicts[CONTRACTS] is Verdict.FALSE:
        return "a contract is not kept", "repair the function or its contract, and check again"
    for part in parts:
        if part.report is None:
            return f"{part.name}: there was no time left", MORE_TIME
    reason = "a run by contracts shows an error, and contracts may allow more than the functions do"
    return reason, "say more in the contracts of the functions that the run calls"
