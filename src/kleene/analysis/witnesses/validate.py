"""Witnesses validated: a violation is replayed on the interpreter, invariants are checked as assertions.

A violation witness is confirmed by a run that has an error at its target and passes its waypoints in order; places are
compared by file and line. The run takes the values that the witness gives to functions; if that run shows nothing, the
runs of an exploration are tried. A correctness witness is confirmed if its invariants and its property are proved
together.
"""

from __future__ import annotations

import ast
import operator
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kleene.analysis.c.check import check
from kleene.analysis.c.options import CheckOptions, error_kinds
from kleene.analysis.witnesses.files import CORRECTNESS, VIOLATION, LoopInvariant, Waypoint, Witness
from kleene.analysis.witnesses.instrument import Asserted, with_assertions
from kleene.c.reader import read_program
from kleene.cfa.operations import Allocate, Call, Havoc, Realloc
from kleene.cfa.program import CProgram
from kleene.core.verdict import Verdict, violated_properties
from kleene.domains.explicit.explore import Confirmed, explore
from kleene.domains.explicit.heap import Heap
from kleene.domains.explicit.interpreter import Trace, run
from kleene.results.check import CheckReport

CONFIRMED, REFUTED, OPEN = "confirmed", "refuted", "not confirmed"
_EXPLORATION_SHARE = 0.5
"""How much of the time an exploration may take where the inputs of the witness are not enough."""
_RESULT = re.compile(r"\s*\(*\s*\\result\s*(==|<=|>=|<|>|!=)\s*\(?(-?\d+)[uUlL]*\)*\s*")
_MOST_ALONE = 8
"""Invariants that are checked one by one where they are not proved together: each costs a check of the program."""
_REPLAY_STEPS = 200_000
"""Steps of a replay: more than any run that a witness of this size describes."""


@dataclass(frozen=True)
class Validation:
    """The answer, and its reasons."""

    answer: str
    reason: str
    trace: Confirmed | None = None
    report: CheckReport | None = None


def validate(witness: Witness, properties: Sequence[str], options: CheckOptions) -> Validation:
    """Validate a witness for these properties."""
    if witness.kind == VIOLATION:
        return _violation(witness, properties, options)
    return _correctness(witness, properties, options)


def _violation(witness: Witness, properties: Sequence[str], options: CheckOptions) -> Validation:
    program = read_program(
        list(witness.files),
        replace(options.read, data_model=witness.data_model, errors=error_kinds(properties)),
    )
    reasons: list[str] = []
    for confirmed in _runs(program, witness, options):
        if not set(violated_properties(confirmed.fault.kind, confirmed.fault.detail)) & set(properties):
            continue
        target = witness.waypoints[-1].location
        if not target.is_at(confirmed.fault.place):
            reasons.append(f"a run has an error at line {confirmed.fault.place.line}, not at the target")
            continue
        missed = _missed_waypoint(witness.waypoints[:-1], confirmed.trace)
        if not missed:
            return Validation(CONFIRMED, f"a run shows it: {confirmed.fault}", confirmed)
        reasons.append(f"a run has an error at the target, but {missed}")
    return Validation(OPEN, reasons[0] if reasons else "no run that follows the witness has an error")


def _runs(program: CProgram, witness: Witness, options: CheckOptions) -> Iterator[Confirmed]:
    """Runs that go wrong: with the inputs of the witness, then those of an exploration."""
    fails = options.read.malloc_may_fail or _allocation_fails(witness, program)
    trace = run(program, _inputs(witness, program, malloc_may_fail=fails), _REPLAY_STEPS, malloc_may_fail=fails)
    yield from (Confirmed(fault, trace) for fault in trace.faults)
    end = time.monotonic() + options.timeout * _EXPLORATION_SHARE
    yield from explore(program, seconds=end - time.monotonic(), malloc_may_fail=fails).findings


def _returns(witness: Witness) -> list[tuple[Waypoint, int]]:
    """The waypoints that give a value to a call, with a value that fits."""
    values = []
    for waypoint in witness.waypoints:
        match = _RESULT.fullmatch(waypoint.constraint) if waypoint.type == "function_return" else None
        if match and waypoint.action == "follow":
            number = int(match[2])
            values.append((waypoint, number + {"<": -1, ">": 1, "!=": 1}.get(match[1], 0)))
    return values


def _allocation_fails(witness: Witness, program: CProgram) -> bool:
    lines = {e.label.place.line for f in program.functions.values() for e in f.cfa.edges if _allocates(e.label)}
    return any(value == 0 and point.location.line in lines for point, value in _returns(witness))


def _allocates(label: object) -> bool:
    return isinstance(label, Allocate | Realloc)


def _inputs(witness: Witness, program: CProgram, *, malloc_may_fail: bool) -> list[int]:
    """The inputs of the run in the order in which it takes them, found by running ever further.

    An allocation succeeds and another input is 0 unless the witness gives the value of this call.
    """
    waiting = _returns(witness)
    inputs: list[int] = []
    while True:
        trace = run(program, inputs, _REPLAY_STEPS, malloc_may_fail=malloc_may_fail, check_leaks=False)
        if len(trace.inputs) <= len(inputs):
            return inputs
        position = len(inputs)
        step = next(s for s in reversed(trace.steps) if s.input <= position)
        why = trace.reasons[position]
        place = step.operation.place
        fits = isinstance(step.operation, Havoc | Call) or (_allocates(step.operation) and "malloc" in why)
        if waiting and fits and waiting[0][0].location.is_at(place) and _is_value(step.operation, waiting[0][1]):
            inputs.append(waiting.pop(0)[1])
        else:
            inputs.append(1 if _allocates(step.operation) else 0)


def _is_value(label: object, value: int) -> bool:
    """A call of an allocation is given a value only where it fails."""
    return value == 0 or not _allocates(label)


def _missed_waypoint(waypoints: Sequence[Waypoint], trace: Trace) -> str:
    """The first waypoint that a run does not pass, in words; empty if it passes all in order."""
    position = 0
    heaps = _Heaps(trace)
    for waypoint in waypoints:
        if waypoint.action != "follow":
            return f"a waypoint to {waypoint.action} at line {waypoint.location.line} is not checked"
        here = next((n for n in range(position, len(trace.steps)) if _passes(waypoint, trace, n, heaps)), None)
        if here is None:
            return f"it does not pass the {waypoint.type} at line {waypoint.location.line}"
        position = here + (waypoint.type != "assumption")
    return ""


class _Heaps:
    """The heaps of a run, drawn when they are asked for."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._drawn: dict[int, Heap] = {}

    def before(self, number: int) -> Heap:
        if number not in self._drawn:
            self._drawn[number] = self._trace.heap(number)
        return self._drawn[number]


def _passes(waypoint: Waypoint, trace: Trace, number: int, heaps: _Heaps) -> bool:
    step = trace.steps[number]
    if not waypoint.location.is_at(step.operation.place):
        return False
    if waypoint.type == "branching":
        return step.truth is not None and str(step.truth).lower() == waypoint.constraint.strip()
    if waypoint.type == "function_enter":
        return isinstance(step.operation, Call)
    if waypoint.type == "function_return":
        end = trace.steps[number + 1].input if number + 1 < len(trace.steps) else len(trace.inputs)
        match = _RESULT.fullmatch(waypoint.constraint)
        return match is not None and any(
            _COMPARE[match[1]](value, int(match[2])) for value in trace.inputs[step.input : end]
        )
    return holds(waypoint.constraint, heaps.before(number)) is True


_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_ORDER: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def holds(expression: str, heap: Heap) -> bool | None:
    """Whether a C expression over variables is true; None where this evaluator does not understand it."""
    if "~" in expression:
        return None
    text = re.sub(r"!(?!=)", "~", expression.replace("&&", " and ").replace("||", " or "))  # binds as it does in C
    text = re.sub(r"\b(\d+)[uUlL]+\b", r"\1", text).replace("(void *)", "").strip()
    try:
        value = _evaluate(ast.parse(text, mode="eval").body, {name: v for _, name, v in heap.variables})
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return None if value is None else value not in (0, "0")


def _evaluate(node: ast.expr, values: dict[str, str]) -> int | str | None:
    """The value: a number, the name of a block, or None if it is not known."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        value = "0" if node.id == "NULL" else values.get(node.id, "undefined")
        return None if value in ("undefined", "?") else int(value) if re.fullmatch(r"-?\d+", value) else value
    if isinstance(node, ast.UnaryOp):
        inner = _evaluate(node.operand, values)
        if isinstance(node.op, ast.Invert):
            return None if inner is None else int(inner == 0)
        return -inner if isinstance(node.op, ast.USub) and isinstance(inner, int) else None
    if isinstance(node, ast.BoolOp):
        parts = [_evaluate(part, values) for part in node.values]
        truths = [None if part is None else part != 0 for part in parts]
        decided = isinstance(node.op, ast.Or)
        return int(decided) if decided in truths else None if None in truths else int(not decided)
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        left, right = _evaluate(node.left, values), _evaluate(node.right, values)
        return _ARITHMETIC[type(node.op)](left, right) if isinstance(left, int) and isinstance(right, int) else None
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compare(node, values)
    return None


def _compare(node: ast.Compare, values: dict[str, str]) -> int | None:
    left, right = _evaluate(node.left, values), _evaluate(node.comparators[0], values)
    if left is None or right is None:
        return None
    if isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return int((left == right) is isinstance(node.ops[0], ast.Eq))
    if isinstance(left, int) and isinstance(right, int) and type(node.ops[0]) in _ORDER:
        return int(_ORDER[type(node.ops[0])](left, right))
    return None


def _correctness(witness: Witness, properties: Sequence[str], options: CheckOptions) -> Validation:
    with tempfile.TemporaryDirectory(prefix="kleene-validate-") as folder:
        wanted = tuple(dict.fromkeys((*properties, "assert")))
        folders = tuple(str(Path(file).parent) for file in witness.files)
        settings = replace(
            options,
            properties=wanted,
            read=replace(options.read, include=(*options.read.include, *folders), data_model=witness.data_model),
        )
        files, left_out = _checked(witness, Path(folder), settings)
        report = check(files, settings)
    verdict = report.verdict
    if verdict is Verdict.FALSE:
        wrong = [name for name, value in report.properties.items() if value is Verdict.FALSE]
        what = "an invariant does not hold" if wrong == ["assert"] else f"{', '.join(wrong)} does not hold"
        return Validation(REFUTED, f"{what}: {next(f for f in report.findings if f.confirmed).message}", report=report)
    if verdict is Verdict.UNKNOWN:
        return Validation(OPEN, report.reason, report=report)
    if left_out:
        place = left_out[0].location
        return Validation(
            OPEN,
            f"the invariant at line {place.line} is at no loop that runs, or is no plain expression",
            report=report,
        )
    count = len(witness.invariants)
    return Validation(
        CONFIRMED, f"the property and {count} invariant{'' if count == 1 else 's'} are proved", report=report
    )


def proved_invariants(
    files: Sequence[str], invariants: Sequence[LoopInvariant], options: CheckOptions
) -> list[LoopInvariant]:
    """Those invariants that a check of the source proves: all at once if possible, else each alone."""

    def holds_in_source(some: Sequence[LoopInvariant]) -> bool:
        witness = Witness(CORRECTNESS, tuple(files), "", options.read.data_model, (), tuple(some))
        return _correctness(witness, ("assert",), options).answer == CONFIRMED

    if not invariants or holds_in_source(invariants):
        return list(invariants)
    if len(invariants) == 1:
        return []
    return [invariant for invariant in invariants[:_MOST_ALONE] if holds_in_source([invariant])]


def _checked(witness: Witness, folder: Path, options: CheckOptions) -> tuple[list[str], list[LoopInvariant]]:
    """Copies of the files with those invariants as assertions that the program checks, and the other invariants.

    One in a comment, or in what the preprocessor leaves out, is not checked; a macro may have effects.
    """
    files, asserted, left_out = _instrument(witness, witness.invariants, folder)
    if not witness.invariants:
        return files, left_out
    program = read_program(files, replace(options.read, errors=error_kinds(options.properties)))
    kept = [
        a.invariant
        for file, places in asserted.items()
        for a in places
        if a.is_checked(o for o in program.operations if o.place.file == file)
    ]
    unchecked = [a.invariant for places in asserted.values() for a in places if a.invariant not in kept]
    return _instrument(witness, kept, folder)[0] if unchecked else files, [*left_out, *unchecked]


def _instrument(
    witness: Witness, invariants: Sequence[LoopInvariant], folder: Path
) -> tuple[list[str], dict[str, list[Asserted]], list[LoopInvariant]]:
    """Copies of the files with the invariants as assertions, these by copy, and the invariants that are in none."""
    asserted: dict[str, list[Asserted]] = {}
    left_out = [i for i in invariants if i.location.file not in witness.files]
    for number, file in enumerate(witness.files):
        own = [i for i in invariants if i.location.file == file]
        text, places, missing = with_assertions(Path(file).read_text(encoding="utf-8", errors="replace"), own)
        copy = folder / f"{number}-{Path(file).name}"
        copy.write_text(text, encoding="utf-8")
        asserted[str(copy)] = places
        left_out += missing
    return list(asserted), asserted, left_out
