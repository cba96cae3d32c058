"""The rules of verdicts: when a property is proved, when it is violated, and the reasons for an open one.

FALSE needs a run that shows the error. TRUE needs a complete analysis without alarms of the property's kinds and
without undefined behaviour: C promises nothing after that. Everything else is UNKNOWN with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from kleene.c.input.system_headers import is_own_header
from kleene.cfa.operations import DeclareLocal, EndScope, Error, Place, Skip, Specified, Unsupported
from kleene.cfa.program import CProgram
from kleene.core.verdict import (
    NO_PROMISE,
    PROPERTIES,
    UNDEFINED,
    Finding,
    FindingStep,
    Verdict,
    kind_in_runs,
    kinds_against,
    violated_properties,
)
from kleene.domains.explicit.evaluate import GIVE_MODEL
from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.interpreter import exits
from kleene.domains.explicit.outside.formats import depends_on_formats
from kleene.paths.search.shorter_runs import shortened
from kleene.report.check.crowding import crowding_sentence
from kleene.report.findings.written_names import WrittenNames, names_of
from kleene.results.check import CheckReport
from kleene.results.shape import ShapeResult
from kleene.semantics.translate import Alarm

if TYPE_CHECKING:
    from kleene.results.fesa import FesaResult

_TIME = "time limit"
MORE_TIME = "give more time with --timeout, or check fewer operations at once"
_CROWDED = re.compile(r"more than \d+ structures")
"""In the reasons of phases that ran out of time."""
_UNKNOWN_VALUE = re.compile(r"access to (?:what (\w+)\(\) returns|the value of the variable \w+)")
"""In the reasons of alarms behind unknown code."""
_STEPS_TO_EXIT = 5_000
"""Steps after a leak without an exit after which a run counts as endless."""


def prove(report: CheckReport, names: Sequence[str], how: str) -> None:
    for name in names:
        if report.properties[name] is Verdict.UNKNOWN:
            report.properties[name] = Verdict.TRUE
            report.proved_by[name] = how


def without_calls(program: CProgram) -> list[str]:
    """The properties about error calls that the program cannot violate, since it has no such call."""
    reachable = [program.functions[name] for name in program.reachable_functions]
    kinds = {e.label.kind for f in reachable for e in f.cfa.edges if isinstance(e.label, Error)}
    unknown = any(isinstance(e.label, Unsupported | Specified) for f in reachable for e in f.cfa.edges)
    return [] if unknown else [name for name in ("unreach", "assert") if not set(PROPERTIES[name]) & kinds]


def conclude(report: CheckReport, shape: ShapeResult | FesaResult) -> None:
    """Record the proofs of a complete abstract analysis: all properties without alarms."""
    if not shape.complete or any(alarm.kind == "unsupported" for alarm in shape.alarms):
        return
    raised = {alarm.kind for alarm in shape.alarms}
    if raised & UNDEFINED:  # the analysis stops at such an error
        return
    open_properties = [name for name, verdict in report.properties.items() if verdict is Verdict.UNKNOWN]
    for name in report.properties:
        if not raised & kinds_against(name):
            prove(report, [name], shape.proof)
    proved = tuple(name for name in open_properties if report.properties[name] is Verdict.TRUE)
    if proved:
        report.proofs.append((shape, proved))


def record(report: CheckReport, confirmed: Confirmed, how: str) -> None:
    """Keep a finding that violates something that is checked; the properties that it violates are FALSE.

    A finding from a path (`how`) is kept only if it decides a property: the number of the others depends on time. Its
    run is made shorter, if it can be. One that depends on the text of a format shows nothing.
    """
    fault = confirmed.fault
    violated = [name for name in violated_properties(fault.kind, fault.detail) if name in report.properties]
    if violated and depends_on_formats(confirmed):
        return
    decided = [name for name in violated if report.properties[name] is Verdict.UNKNOWN]
    decided = [name for name in decided if name != "memcleanup" or _ends_normally(confirmed)]
    place = (fault.kind, fault.place, fault.detail)
    known = any((c.fault.kind, c.fault.place, c.fault.detail) == place for c in report.traces)
    if not known and (decided if how else violated):
        shown = shortened(confirmed) if how else confirmed
        report.findings.append(finding_of(shown))
        report.traces.append(shown)
    for name in decided:
        report.properties[name] = Verdict.FALSE
        if how:
            report.shown_by[name] = how


def _ends_normally(confirmed: Confirmed) -> bool:
    """Whether the program exits if it continues with the same inputs: then the lost blocks are never freed."""
    return exits(confirmed.trace, _STEPS_TO_EXIT)


def reopen_cleanup(report: CheckReport) -> None:
    """Retract a proof of `memcleanup` if an error call is possible: the analysis stops there and sees no leak."""
    calls = [report.properties.get(name, Verdict.TRUE) for name in ("unreach", "assert")]
    if report.properties.get("memcleanup") is Verdict.TRUE and set(calls) != {Verdict.TRUE}:
        report.properties["memcleanup"] = Verdict.UNKNOWN
        del report.proved_by["memcleanup"]


def finding_of(confirmed: Confirmed) -> Finding:
    """The finding that a run confirms, with the run; what our own library does happens where the program calls it."""
    fault, place = confirmed.fault, confirmed.fault.place
    message = fault.message
    steps = tuple(
        FindingStep(
            s.operation.place.file,
            s.operation.place.line,
            s.operation.place.column,
            s.operation.place.function,
            _text(s),
        )
        for s in confirmed.trace.steps
    )
    if is_own_header(place.file):
        place = _place_of_call(confirmed)
        message = message.replace(f"block from {place.file}:", "block from line ")
    return Finding(
        fault.kind,
        place.file,
        place.line,
        place.column,
        place.function,
        "confirmed",
        message,
        steps,
        tuple(confirmed.trace.inputs),
    )


def _place_of_call(confirmed: Confirmed) -> Place:
    """Where the program calls the function of our library in which something goes wrong."""
    wrong = confirmed.fault.place
    place = called = wrong
    for before, step in pairwise(s.operation.place for s in confirmed.trace.steps):
        if is_own_header(step.file) and not is_own_header(before.file):
            called = before
        place = called if step == wrong else place
    return place


def _text(step: object) -> str:
    return str(step).partition(": ")[2] or str(step)


def explain(report: CheckReport, timeout: float) -> None:
    """The reason for UNKNOWN, and the possible findings behind it. `timeout` is the limit in seconds that was given."""
    open_properties = [name for name, verdict in report.properties.items() if verdict is Verdict.UNKNOWN]
    if not open_properties:
        return
    shape = report.shape
    names = names_of(shape)
    reasons = [report.refinement.reason] if report.refinement is not None and report.refinement.reason else []
    undefined = next((f for f in report.findings if f.confirmed and f.kind in UNDEFINED), None)
    if shape is not None:
        unsupported = [a for a in shape.alarms if a.kind == "unsupported"]
        if unsupported:
            first = unsupported[0]
            reasons.append(f"{first.place}: not supported: {names.clean(first.text)}")
        elif not shape.complete:
            crowd = crowding_sentence(shape) if isinstance(shape, ShapeResult) else ""
            reasons.append(names.clean(f"{shape.reason}; {crowd}" if crowd else shape.reason))
        known = {(f.kind, f.line) for f in report.findings}
        for alarm in shape.alarms:
            violated = violated_properties(alarm.kind, "")
            relevant = alarm.kind != "unsupported" and set(violated) & set(open_properties)
            if relevant and (alarm.kind, alarm.place.line) not in known:
                report.findings.append(_possible(alarm, report, names))
                reasons.append(f"{alarm.place}: possible {alarm.kind}: {_answer(alarm, report)}")
        first_undefined = next((a for a in shape.alarms if a.kind in UNDEFINED and not a.text.startswith("$")), None)
        if first_undefined is not None and undefined is None and not reasons:
            kind = first_undefined.kind.replace("_", " ")
            reasons.append(
                f"{first_undefined.place}: possible {kind}: {names.clean(first_undefined.text)}: {NO_PROMISE}"
            )
    elif report.exploration is not None:
        explored = report.exploration
        early = f"the time limit of {timeout:g} s was reached during exact exploration, after {explored.states} states"
        reasons.append(early if _TIME in explored.reason else explored.reason)
    elif not reasons and report.refinement is None:
        reasons.append(f"the time limit of {timeout:g} s was reached before the analysis began")
    if undefined is not None:  # so the analysis got little time for the others
        reasons.insert(0, f"what happens after the error at {undefined.file}:{undefined.line} is undefined")
    elif "memcleanup" in open_properties and not reasons:
        reasons.append("blocks that are not freed at an error call are not checked; use --property memcleanup alone")
    report.reason = reasons[0] if reasons else "the analysis did not decide"
    report.advice = _advice(report, undefined)


def explain_unread(report: CheckReport) -> None:
    """Where files are not read, this is the reason for UNKNOWN: what is possible without them is of no use."""
    if Verdict.UNKNOWN not in report.properties.values():
        return
    first = report.unread[0]
    place = f"{first.position}: " if first.position else ""
    report.reason = f"not all files are read: {place}{first.message}"
    report.advice = "repair the errors of the files that are not read, or leave these files out"
    report.findings = [finding for finding in report.findings if finding.confirmed]


def _advice(report: CheckReport, undefined: Finding | None) -> str:
    """One sentence on what the user can do about the reason."""
    shape = report.shape
    is_refined = report.refinement is not None or bool(report.fallback)
    if undefined is not None:
        return f"repair the error at {undefined.file}:{undefined.line}, and check again"
    if _TIME in report.reason:
        return MORE_TIME
    if _CROWDED.search(report.reason):
        more = "allow more with --max-structures"
        return (
            f"{more} or check fewer operations at once"
            if is_refined
            else f"{more}, check less at once, or try --refine"
        )
    if "--extern" in report.reason or "--models" in report.reason:
        return ""
    unknown = _UNKNOWN_VALUE.search(report.reason)
    if unknown is not None:
        function = f"--extern {unknown[1]}=alloc or another model, or " if unknown[1] else ""
        return f"say what it gives: {function}--models FILE.c"
    if shape is not None and any(a.kind == "unsupported" for a in shape.alarms):
        return "keep the place out of the check: put it into a function and give this a model (--extern, --models)"
    if NO_PROMISE in report.reason:
        return "repair this first; --property memsafety shows a run that comes there"
    if shape is not None and shape.alarms:
        path = "--trace shows the path that the analysis could not exclude"
        return f"{path}; a contract may exclude it" if is_refined else f"{path}; --refine or a contract may exclude it"
    other = "--timeout" if is_refined else "--refine or --timeout"
    return f"--trace and --html show what was reached; {other} may decide it"


def _answer(alarm: Alarm, report: CheckReport) -> str:
    """The reason why an alarm has no confirming run."""
    answers = report.confirmation.answers if report.confirmation is not None else {}
    return _assumed(alarm, report) or answers.get(alarm, "") or "no run shows it"


def _assumed(alarm: Alarm, report: CheckReport) -> str:
    """What a run to an alarm assumes of unknown code: no more than that it may return NULL."""
    faults = report.exploration.possible if report.exploration is not None else ()
    here = (kind_in_runs(alarm.kind), alarm.place.file, alarm.place.line)
    messages = [f.message for f in faults if (f.kind, f.place.file, f.place.line) == here]
    return next((m for m in messages if m.endswith(GIVE_MODEL)), "")


def _possible(alarm: Alarm, report: CheckReport, names: WrittenNames) -> Finding:
    place, confirmation = alarm.place, report.confirmation
    kind = kind_in_runs(alarm.kind)
    path = confirmation.paths.get(alarm, []) if confirmation is not None else []
    steps = tuple(
        FindingStep(o.place.file, o.place.line, o.place.column, o.place.function, names.step(o))
        for o in (edge.label for edge in path)
        if not isinstance(o, DeclareLocal | EndScope | Skip) and not names.is_hidden(o)
    )
    return Finding(
        kind,
        place.file,
        place.line,
        place.column,
        place.function,
        "possible",
        _assumed(alarm, report) or names.clean(alarm.text),
        steps,
    )
