"""The rounds of a refinement as text, in the words of the paper (seed 004, Algorithms 1-3)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kleene.cfa.operations import Assume, DeclareLocal, EndScope, Operation, Skip
from kleene.refine.finetune import EDGES, PATH, WHOLE
from kleene.refine.loop import GAVE_UP, SAFE, Refined
from kleene.refine.model import Task
from kleene.refine.rounds import SAMPLING, SHAPE_CLASS, TRACKING, Round
from kleene.refine.tracking import TrackingDefinition

_COPY = re.compile(r"\$(\d+)\.")
_SHOWN_STEPS = 14
_LEVELS = {PATH: "", EDGES: " on its edges", WHOLE: " on the tree"}
_VERDICTS = {
    "infeasible": "the path cannot happen",
    "undecided": "whether the path can happen is not decided",
    "feasible": "the path can happen",
}


@dataclass(frozen=True)
class RoundWords:
    """One round for people: a title, facts with their names, and the path."""

    title: str
    facts: tuple[tuple[str, str], ...]
    path: tuple[str, ...]
    trials: tuple[tuple[str, bool], ...]


def refinement_lines(refined: Refined | None, fallback: str = "") -> list[str]:
    """All rounds, then how it ended; `fallback` says what was done where refinement gave up."""
    lines: list[str] = []
    for words in all_words(refined):
        lines.append(words.title)
        lines += [f"    {name + ':':<17}{text}" for name, text in words.facts]
    return [*lines, *ending_lines(refined, fallback)]


def all_words(refined: Refined | None) -> list[RoundWords]:
    return [round_words(refined.task, one) for one in refined.rounds] if refined is not None else []


def ending_lines(refined: Refined | None, fallback: str = "") -> list[str]:
    """How refinement ended, and what was done where it gave up."""
    if refined is None:
        return [f"no refinement: {plain(fallback)}" if fallback else "no refinement was needed"]
    after = [f"    {'instead:':<17}{plain(fallback)}"] if fallback else []
    return [*outcome_lines(refined), *after]


def outcome_lines(refined: Refined) -> list[str]:
    """How it ended: the certificate's size, or what is missing and what the user could add."""
    abstraction = refined.abstraction
    counts = f"{refined.counts.tracking} td, {refined.counts.shape_class} scg"
    if refined.outcome == SAFE:
        assert refined.tree is not None
        return [
            f"safe after {counts}: {abstraction.generator}, "
            f"{len(abstraction.generator.families)} of {abstraction.generator.maximum} families",
            f"    {'tracking:':<17}{tracked_words(abstraction.definition)}",
            f"    {'certificate:':<17}{refined.tree.size} shape graphs, {refined.tree.model.predicates} predicates",
        ]
    if refined.outcome == GAVE_UP:
        last = (
            f"    {'last abstraction:':<17} {abstraction.generator}; tracking {tracked_words(abstraction.definition)}"
        )
        return [f"gave up after {counts}: {refined.reason}", last, *advice(refined)]
    return [f"unsafe after {counts}: {refined.reason}"]


def advice(refined: Refined) -> list[str]:
    """What the user could add."""
    generator = refined.abstraction.generator
    entry = generator.entry
    if entry is None or refined.error is None:
        return []
    missing = [f.name for f in entry.families if f.name not in generator.families]
    if missing:
        return [
            f"    {'you could:':<17}raise the limits; {', '.join(missing)} of {entry.name} did not help on this path"
        ]
    return [f"    {'you could:':<17}add a family to {entry.name}, or a finer shape, in a file for --shapes"]


def round_words(task: Task, one: Round) -> RoundWords:
    """A round in words."""
    error = one.path.error
    facts: list[tuple[str, str]] = [
        ("abstraction", f"{one.abstraction.generator}; tracking {tracked_words(one.abstraction.definition)}"),
        ("error", plain(str(error))),
        ("path", " ".join(_short(task, one))),
        (_VERDICTS[one.reason.verdict], plain(one.reason.text)),
    ]
    facts += [("another error", f"{plain(str(p.error))} ({len(p.steps)} steps)") for p in one.others]
    if one.reason.interpolants is not None:
        facts.append(("interpolants", plain("; ".join(one.reason.formulas))))
    if TRACKING in one.kinds:
        facts.append(("now tracked too", tracked_words(one.added)))
    if one.samples is not None:
        heaps = one.samples.usable
        sizes = ", ".join(str(len(heap.reachable())) for _, heap in heaps[:8])
        facts.append(("explicit heaps", f"{len(heaps)} samples of {sizes} nodes from {one.samples.runs} runs"))
    if one.recognised is not None:
        facts.append(("fields", str(one.recognised.roles)))
        facts.append(("data structures", ", ".join(one.recognised.fitting) or "none fits"))
    facts += [("tried" + _LEVELS[one.level], str(trial)) for trial in one.trials]
    if one.chosen is not None:
        ruled_out = any(trial.generator == one.chosen and trial.rules_out for trial in one.trials)
        closed = "the list may be a ring" if SHAPE_CLASS in one.kinds else "coarsest with these fields"
        how = "coarsest that rules the path out" if ruled_out else closed
        facts.append(("shape class", f"{one.chosen} ({how})"))
    title = f"round {one.number}: {', '.join(dict.fromkeys(map(_kind, one.kinds))) or 'nothing found'}"
    trials = tuple((str(t.generator), t.rules_out) for t in one.trials)
    return RoundWords(title, tuple(facts), tuple(path_lines(task, one)), trials)


def _kind(kind: str) -> str:
    words = {TRACKING: "refine the tracking definition", SAMPLING: "look at explicit heaps"}
    return words.get(kind, "fine-tune the shape class")


def path_lines(task: Task, one: Round) -> list[str]:
    """The statements of the path, one to a line, in the program's own variables."""
    found = []
    for step in one.path.steps:
        operation = task.readable(step.edge)
        if not isinstance(operation, DeclareLocal | EndScope | Skip):
            found.append(f"line {operation.place.line}: {plain(_text(operation))}")
    return found


def _short(task: Task, one: Round) -> list[str]:
    """The numbers of the lines that the path goes through, its loops as often as it takes them."""
    lines: list[int] = []
    for step in one.path.steps:
        operation = task.readable(step.edge)
        line = operation.place.line
        if not isinstance(operation, DeclareLocal | EndScope | Skip) and (not lines or lines[-1] != line):
            lines.append(line)
    shown = [str(n) for n in lines]
    if len(shown) > 3 * _SHOWN_STEPS:
        half = 3 * _SHOWN_STEPS // 2
        shown = [*shown[:half], "...", *shown[-half:]]
    return [f"{len(one.path.steps)} steps, lines", *shown]


def _text(operation: Operation) -> str:
    if isinstance(operation, Assume) and not operation.truth:
        return f"[!({operation.condition})]"
    return str(operation)


def tracked_words(definition: TrackingDefinition) -> str:
    return plain(str(definition))


def plain(text: str) -> str:
    """Copies of functions are numbered from the second on: `insert.x`, `insert#2.x`."""
    return _COPY.sub(lambda found: "." if found[1] == "1" else f"#{found[1]}.", text)
