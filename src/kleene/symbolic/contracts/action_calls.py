"""An action of a program by its call, ``name(arguments)``, also one that no edge of the program uses."""

from __future__ import annotations

import re
from dataclasses import replace

from kleene.diagnostics import InputError, Position, UsageError
from kleene.transformers.action import Action
from kleene.tvp.expand import expand
from kleene.tvp.program import Program
from kleene.tvp.scope import Report, in_source_order
from kleene.tvp.syntax import EdgeSyntax

_CALL = re.compile(r"\s*([A-Za-z_$][\w$.]*)\s*(?:\((.*)\))?\s*\Z")


def split_call(text: str) -> tuple[str, tuple[str, ...]]:
    """The name and arguments of a call; arguments are separated by commas outside brackets."""
    match = _CALL.match(text)
    if match is None:
        raise UsageError(f"an action is written name(arguments), not '{text}'")
    arguments = [a.strip() for a in re.split(r",(?![^\[\]]*\])", match.group(2) or "")]
    if arguments == [""]:
        arguments = []
    if not all(arguments):
        raise UsageError(f"an argument is missing in '{text}'")
    return match.group(1), tuple(arguments)


def action_of(program: Program, text: str) -> Action:
    """The instantiated action of a call."""
    name, arguments = split_call(text)
    position = Position("--action", 1, 1, text)
    edge = EdgeSyntax("before", name, arguments, "after", position=position)
    report = Report()
    expansion = expand(replace(program.syntax, edges=(edge,), printed=()), report)
    if report.errors:
        raise InputError(in_source_order(report.errors))
    return expansion.cfa.edges[0].label
