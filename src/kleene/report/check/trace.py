"""The run that shows an error, as people read it: temporaries are put in where they are used, inputs have values."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kleene.cfa.expressions import NEGATED
from kleene.cfa.operations import Call, DeclareLocal, EndScope, Place, Skip
from kleene.domains.explicit.entry import UNWRITTEN
from kleene.domains.explicit.explore import Confirmed
from kleene.domains.explicit.interpreter import Trace, TraceStep
from kleene.domains.explicit.outside.world import MALLOC
from kleene.report.drawing.heap_boxes import has_lost_block
from kleene.semantics.contracts.programs import without_contract

_TEMPORARY = re.compile(r"\$[A-Za-z0-9_.#]+")
_ASSIGNED = re.compile(r"(\$[A-Za-z0-9_.#]+) = (.*)", re.DOTALL)
_PLAIN = re.compile(r"[\w.$#]+(->[\w.$]+)*(\(.*\))?")
_SAME_NAME = re.compile(r"([\w$])#\d+")
_GARBAGE = "uninitialized pointer"
_CONDITION = re.compile(r"\[!\(((?:[^()&|]|\([^()]*\))*?) (==|!=|<=|>=|<|>) ([^()&|]*)\)\]")


@dataclass(frozen=True)
class TraceLine:
    """One line of a trace. `first` and `last` are the numbers of the steps that it stands for."""

    first: int
    last: int
    place: Place
    depth: int
    text: str
    note: str = ""


def lines_of(confirmed: Confirmed) -> list[TraceLine]:
    """The run of a confirmed finding up to the failing statement: a run continues after a leak."""
    trace, finding = confirmed.trace, confirmed.fault
    lines = readable(trace)
    if finding.kind == "memory_leak" and finding.detail == "lost":
        for position, line in enumerate(lines):
            if line.place == finding.place and has_lost_block(trace.heap(line.last + 1), trace.program):
                return lines[: position + 1]
    return lines


def readable(trace: Trace) -> list[TraceLine]:
    """The steps without declarations, ends of scopes and temporaries."""
    values = _inputs(trace)
    held: dict[tuple[int, str], tuple[str, str]] = {}
    lines: list[TraceLine] = []
    start: int | None = None
    for step in trace.steps:
        operation = step.operation
        inside = operation.place.file in trace.program.library
        if (inside or isinstance(operation, DeclareLocal | EndScope | Skip)) and step.number != trace.steps[-1].number:
            continue
        start = step.number if start is None else start
        text, note = _fill(_text(step), step.depth, held)
        if step.number in values:
            note = ", ".join(filter(None, (note, values[step.number])))
        assigned = _ASSIGNED.fullmatch(text)
        if assigned:
            held[step.depth, assigned[1]] = (assigned[2], note)
            if not isinstance(operation, Call) and step.number != trace.steps[-1].number:
                continue
            text = assigned[2]
        lines.append(TraceLine(start, step.number, operation.place, step.depth, _clean(text), note))
        start = None
    return lines


def _text(step: TraceStep) -> str:
    return without_contract(str(step).removeprefix(f"{step.operation.place}: "))


def _fill(text: str, depth: int, held: dict[tuple[int, str], tuple[str, str]]) -> tuple[str, str]:
    """The text with temporaries replaced by their values, and notes about them."""
    target = _ASSIGNED.fullmatch(text)
    head, body = (f"{target[1]} = ", target[2]) if target else ("", text)
    notes: list[str] = []

    def replace(match: re.Match[str]) -> str:
        value, note = held.get((depth, match[0]), (match[0], ""))
        if note:
            notes.append(note)
        return value if _PLAIN.fullmatch(value) else f"({value})"

    return head + _TEMPORARY.sub(replace, body), ", ".join(dict.fromkeys(notes))


def _clean(text: str) -> str:
    """Names as in the source, ``[x != NULL]`` for ``[!(x == NULL)]``, ``[f()]`` for ``[f() != 0]``."""
    text = _SAME_NAME.sub(r"\1", text).replace("$literal", "{...}")
    negated = _CONDITION.fullmatch(text)
    if negated:
        text = f"[{negated[1]} {NEGATED[negated[2]]} {negated[3]}]"
    return text


def _inputs(trace: Trace) -> dict[int, str]:
    """Maps the steps that read inputs to these inputs."""
    inputs: dict[int, str] = {}
    ends = [step.input for step in trace.steps[1:]] + [len(trace.inputs)]
    for step, end in zip(trace.steps, ends, strict=True):
        taken = zip(trace.inputs[step.input : end], trace.reasons[step.input : end], strict=True)
        notes = [_note(value, why) for value, why in taken]
        if any(notes):
            inputs[step.number] = ", ".join(filter(None, notes))
    return inputs


def _note(value: int, why: str) -> str:
    if why == MALLOC:
        return "" if value else "it fails: NULL"
    if why == _GARBAGE:
        return f"uninitialized: {'an address of nothing' if value else 'NULL'}"
    if why == UNWRITTEN:
        return f"uninitialized: {value}"
    return f"input {value}"
