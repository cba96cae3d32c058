"""The summary of a run for the terminal: aligned plain text, colour only where the caller asks for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TextIO

from kleene.report.run.result import INCOMPLETE, MESSAGES, VERIFIED, MessageReport, RunReport

PHASES = ("compile", "step", "focus", "coerce", "precondition", "update", "blur", "join")
"""The phases whose seconds a profiled run reports: compiling formulas, the stages of actions, joins.

The native machine makes a whole step at once; on the Python machine the stages are apart.
"""
_VERDICT_COLOR = {VERIFIED: "32", MESSAGES: "31", INCOMPLETE: "33"}


def run_table(report: RunReport, *, color: bool = False) -> str:
    """Program and verdict, one line for each location, messages grouped by text, totals."""
    parts = [_header(report, color), _locations(report), _messages(report, color), _totals(report)]
    return "\n\n".join(part for part in parts if part) + "\n"


def wants_color(stream: TextIO) -> bool:
    """True iff the stream is a terminal and the user has not set NO_COLOR."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def align_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table: the first column to the left, numbers to the right, a rule below the head."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = []
    for row in [head, *rows]:
        cells = [
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def _header(report: RunReport, color: bool) -> str:
    verdict = _paint(report.verdict, _VERDICT_COLOR.get(report.verdict, "1"), color)
    reason = f" ({report.reason})" if report.reason else ""
    lines = [f"{report.program}: {verdict}{reason}"]
    lines += [_paint(_with_label(text), "33", color) for text in report.warnings]
    return "\n".join(lines)


def _with_label(text: str) -> str:
    """A warning or a note with its label, which most texts have already."""
    first = text.partition("\n")[0]
    return text if "warning: " in first or "note: " in first else f"warning: {text}"


def _locations(report: RunReport) -> str:
    if not report.locations:
        return ""
    rows = [
        (
            location.name,
            f"{len(location.structures):,}",
            f"{location.max_nodes:,}" if location.structures else "-",
            f"{location.message_count:,}" if location.messages else "-",
        )
        for location in report.locations
        if report.is_shown(location.name)
    ]
    return align_table(("location", "structures", "max nodes", "messages"), rows)


def _messages(report: RunReport, color: bool) -> str:
    groups: dict[str, list[MessageReport]] = {}
    for message in report.messages:
        groups.setdefault(message.text, []).append(message)
    lines = []
    for text, group in sorted(groups.items()):
        places = ", ".join(dict.fromkeys(message.location for message in group))
        count = sum(message.count for message in group)
        certainty = "" if any(message.definite for message in group) else " (possible)"
        shown = _paint(text.replace("\\n", " "), "1", color)
        lines.append(f"{shown}{certainty}: {count:,} time{'' if count == 1 else 's'} at {places}")
        positions = dict.fromkeys(str(message.position) for message in group if message.position)
        lines += [f"    {position}" for position in positions]
    return "\n".join(lines)


def _totals(report: RunReport) -> str:
    counts = report.statistics
    line = (
        f"{counts.stored:,} structures stored, {counts.generated:,} generated, {counts.discarded:,} discarded; "
        f"at most {counts.max_nodes:,} nodes; {counts.messages:,} message{'' if counts.messages == 1 else 's'}"
    )
    times = [f"{report.total_seconds:.2f} s"]
    load, analysis = report.seconds.get("load"), report.seconds.get("analysis")
    if load is not None and analysis is not None:
        times.append(f"load {load:.2f} s, analysis {analysis:.2f} s")
    if report.structures_per_second is not None:
        times.append(f"{report.structures_per_second:,.0f} structures a second")
    if counts.peak_memory_bytes:
        times.append(f"{counts.peak_memory_bytes / 2**20:,.0f} MiB")
    return "\n".join([line, "; ".join(times), *_phases(report)])


def _phases(report: RunReport) -> list[str]:
    """One line with the seconds of each phase, if the run was profiled."""
    phases = [(name, seconds) for name, seconds in report.seconds.items() if name in PHASES]
    if not phases:
        return []
    rest = report.seconds.get("analysis", 0.0) - sum(seconds for _, seconds in phases)
    return ["; ".join(f"{name} {seconds:.2f} s" for name, seconds in [*phases, ("rest", max(rest, 0.0))])]


def _paint(text: str, code: str, color: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if color else text
