"""Findings of a client, as the author of the library sees them: his own file, and the operations that lead there.

The client is a file that nobody has written. What goes wrong in its own lines, such as a result that cannot be read or
a block that is lost, is a fault of the operation that it executed last.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from kleene.analysis.c.library.client.text import CLIENT, MAIN, Client
from kleene.analysis.c.library.generality.separation import objects_of, stale_blocks
from kleene.analysis.c.library.interface.exports import Interface
from kleene.analysis.c.library.readings.operations import Fate, Operation, Role
from kleene.core.verdict import Finding
from kleene.domains.explicit.explore import Confirmed

MOST_OPERATIONS = 6
"""Operations that a reason lists: the last ones. A path of the analysis may be long, and a reason is one line."""


_OF_FREED_BLOCKS = ("dangling_dereference", "double_free")
_FROM_PLACE = re.compile(r"block from (line |\S+:)\d+")


def executed_operations(finding: Finding, client: Client) -> list[Operation]:
    """The operations of the client that a run, or a suspected path, executes, in order.

    A run has a step for each call. In a suspected path calls are inlined: where the path goes on in the library, or
    assigns to copies of parameters (``f$1.p = q``), the operation of the line before is executed.
    """
    executed: list[Operation] = []
    begin = _first_line_of_main(client)
    line, is_counted = 0, False
    for step in finding.trace:
        is_own = Path(step.file).name == CLIENT
        if is_own and step.line < begin:  # a function of the client, such as a callback
            continue
        if is_own and step.line != line:
            line, is_counted = step.line, False
        operation = client.lines.get(line)
        if operation is None or is_counted:
            continue
        name = operation.function.name
        if not is_own or f"{name}(" in step.text or f"{name}$" in step.text:
            executed.append(operation)
            is_counted = True
    return executed


def _first_line_of_main(client: Client) -> int:
    return client.text[: client.text.index(f"int {MAIN}(")].count("\n") + 1


def sequence_of(finding: Finding, client: Client) -> tuple[str, ...]:
    """The operations that lead to a finding, in order."""
    return tuple(o.function.name for o in executed_operations(finding, client))


def leaving_operation(run: Confirmed, client: Client) -> Operation | None:
    """The operation that frees the block of an error and leaves a pointer to it in an object; None if none does.

    A list whose tail dangles fails where the tail is used next, which may be in another operation. So does an object
    whose own block was freed by an operation after which it should stay.
    """
    number, line, freeing = run.fault.block, 0, 0
    if number is None or run.fault.kind not in _OF_FREED_BLOCKS:
        return None
    for step, state in zip(run.trace.steps, run.trace.states(), strict=False):
        is_between = len(state.frames) == 1 and Path(step.operation.place.file).name == CLIENT
        here = step.operation.place.line if is_between else line
        block = state.blocks.get(number)
        if block is not None and not block.alive and not freeing:
            freeing = line
        if freeing and here != freeing:
            stale = stale_blocks(state, client.variables, MAIN)
            freed_itself = number in objects_of(state, client.variables, MAIN)
            return client.lines.get(freeing) if number in stale or freed_itself else None
        line = here
    return None


def ends_its_object(run: Confirmed, client: Client, operation: Operation) -> bool:
    """Whether an operation frees the block of the object itself in a failing run, though its reading says it stays."""
    number = run.fault.block
    if operation.fate is not Fate.KEPT or leaving_operation(run, client) != operation:
        return False
    return any(number in objects_of(state, client.variables, MAIN) for state in run.trace.states())


def keeper_of_text(run: Confirmed, client: Client) -> Operation | None:
    """The operation whose text ends with its call, if the error of a run is that this text was freed."""
    number = run.fault.block
    if number is None or run.fault.kind not in _OF_FREED_BLOCKS:
        return None
    places = {b.place for s in run.trace.states() if (b := s.blocks.get(number)) is not None and b.place is not None}
    for place in places:
        operation = client.lines.get(place.line) if Path(place.file).name == CLIENT else None
        if operation is not None and Role.TEXT in operation.roles:
            return operation
    return None


def is_in_client(finding: Finding) -> bool:
    return Path(finding.file).name == CLIENT


def in_library(finding: Finding, client: Client, interface: Interface, run: Confirmed | None = None) -> Finding:
    """The finding with the name of the file that the user gave; one in the client is at the last operation."""
    if run is not None and (lines := _lines_of_client(run)):
        allocators = [f.name for f in interface.missing for i in lines if f"({f.name})(" in client.text.splitlines()[i]]
        whose = f"block from {allocators[0]}()" if allocators else "block of the caller"
        finding = replace(finding, message=_FROM_PLACE.sub(whose, finding.message))
    own = str(Path(interface.file).resolve())
    finding = replace(finding, message=finding.message.replace(own, interface.file))
    if Path(finding.file).resolve() == Path(interface.file).resolve():
        return replace(finding, file=interface.file)
    executed = executed_operations(finding, client) if is_in_client(finding) else []
    if not executed:
        return finding
    function = executed[-1].function
    seen = f"its caller sees it when {function.name} has returned"
    if finding.line < _first_line_of_main(client):
        seen = f"{function.name} hands it to a function of the client"
    message = f"{finding.message}; {seen}"
    return replace(finding, file=interface.file, line=function.line, column=1, function=function.name, message=message)


def with_breach(finding: Finding, breach: str) -> Finding:
    """The finding with the words that say how an earlier operation has broken the object."""
    return replace(finding, message=f"{finding.message}; {breach}") if breach else finding


def _lines_of_client(run: Confirmed) -> set[int]:
    """The lines of the client that have allocated the block of an error, from 0: nobody has written them."""
    number = run.fault.block
    places = [b.place for s in run.trace.states() if number is not None and (b := s.blocks.get(number)) is not None]
    return {place.line - 1 for place in places if place is not None and Path(place.file).name == CLIENT}


def reason_in_library(reason: str, findings: list[Finding], client: Client, interface: Interface) -> str:
    """The reason of an open verdict, with the place in the library where it names one in the client."""
    for finding in findings:
        place = f"{finding.file}:{finding.line}:{finding.column}:"
        if not is_in_client(finding) or not reason.startswith(place):
            continue
        moved = in_library(finding, client, interface)
        if moved is finding:
            continue
        names = sequence_of(finding, client)
        listed = " ".join([*["..."] * (len(names) > MOST_OPERATIONS), *names[-MOST_OPERATIONS:]])
        return f"{moved.file}:{moved.line}:{moved.column}:{reason.removeprefix(place)} (after the operations {listed})"
    return reason
