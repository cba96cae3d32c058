"""The rounds of a refinement as text, in the words of the paper (BHTZ10, Algorithms 1-3)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from kleene.cfa.operations import Assume, DeclareLocal, EndScope, Operation, Skip
from kleene.diagnostics import Limit
from kleene.refine.certificate import graphs_of
from kleene.refine.classes.finetune import EDGES, PATH, WHOLE
from kleene.refine.classes.generators import Generator
from kleene.refine.conditions.cells import cell_conditions, ghost_offset
from kleene.refine.conditions.ghosts import NEXT
from kleene.refine.loop import GAVE_UP, SAFE, Refined
from kleene.refine.model import Abstraction, Task
from kleene.refine.naming import SourceNames, rename_variables
from kleene.refine.rounds import SAMPLING, SHAPE_CLASS, TRACKING, Round
from kleene.refine.tracking.cuts import Where, unite
from kleene.refine.tracking.definition import EVERYWHERE, Activity, TrackingDefinition
from kleene.refine.tracking.reasons import FEASIBLE
from kleene.refine.tree.reachability_tree import Tree

_COPY = re.compile(r"\$(\d+)\.")
_OPTIONS = {
    Limit.TIME: "--timeout",
    Limit.MEMORY: "--memory",
    Limit.STRUCTURES: "--max-structures",
    Limit.ROUNDS: "--max-rounds",
}
"""The options that raise limits."""
_SHOWN_STEPS = 14
_SHOWN_FORMULAS = 8
_SHOWN_LINES = 12
_LEVELS = {
    PATH: "the path alone",
    EDGES: "the tree along the edges of the path, since alone the path is ruled out already",
    WHOLE: "the whole tree, since along its edges the path is ruled out already",
}


@dataclass(frozen=True)
class RoundWords:
    """One round for people: a title, facts with their names, and the path."""

    title: str
    facts: tuple[tuple[str, str], ...]
    path: tuple[str, ...]
    trials: tuple[tuple[str, bool], ...]


def refinement_lines(refined: Refined | None, fallback: str = "") -> list[str]:
    """All rounds, then the end; `fallback` describes the analysis after refinement gave up."""
    lines: list[str] = []
    for words in all_words(refined):
        lines.append(words.title)
        lines += [f"    {name + ':':<17}{text}" for name, text in words.facts]
    return [*lines, *ending_lines(refined, fallback)]


def all_words(refined: Refined | None) -> list[RoundWords]:
    return [round_words(refined.task, one) for one in refined.rounds] if refined is not None else []


def ending_lines(refined: Refined | None, fallback: str = "") -> list[str]:
    """The end of refinement, and the analysis after it gave up."""
    if refined is None:
        return [f"no refinement: {plain(fallback)}" if fallback else "no refinement was needed"]
    after = [f"    {'instead:':<17}{plain(fallback)}"] if fallback else []
    return [*outcome_lines(refined), *after]


def outcome_lines(refined: Refined) -> list[str]:
    """The outcome: the size of the certificate, or the missing part with advice."""
    abstraction = refined.abstraction
    counts = f"{refined.counts.tracking} td, {refined.counts.shape_class} scg"
    if refined.outcome == SAFE:
        assert refined.tree is not None
        return [
            f"safe after {counts}: {abstraction.words}, {_families(abstraction)}",
            f"    {'tracking:':<17}{abstraction_words(refined.task, abstraction)}",
            f"    {'certificate:':<17}{_graphs(refined.tree)} shape graphs, {refined.tree.model.predicates} predicates",
        ]
    if refined.outcome == GAVE_UP:
        return [f"gave up after {counts}: {plain(refined.reason)}", *left_lines(refined)]
    return [f"unsafe after {counts}: {refined.reason}"]


def _families(abstraction: Abstraction) -> str:
    """How many of the families of their data structures the generators have."""
    own = [len(generator.families) for generator in abstraction.generators]
    return f"{sum(own)} of {sum(generator.maximum for generator in abstraction.generators)} families"


def _graphs(tree: Tree) -> int:
    return sum(len(graphs) for graphs in graphs_of(tree).values())


def left_lines(refined: Refined | None) -> list[str]:
    """After giving up: the last abstraction, and advice."""
    if refined is None or refined.outcome != GAVE_UP:
        return []
    abstraction = refined.abstraction
    tracked = abstraction_words(refined.task, abstraction)
    return [
        f"    {'last abstraction:':<18}{abstraction.words}; tracking {tracked}",
        f"    {'you could:':<18}{advice(refined)}",
    ]


def advice(refined: Refined) -> str:
    """Advice for the user."""
    entry = next((g.entry for g in refined.abstraction.generators if g.entry is not None), None)
    if refined.limit in _OPTIONS:
        return f"raise {_OPTIONS[refined.limit]}, or name the data structure (--structure-hint)"
    if refined.error is not None and refined.error.error.kind == "unsupported":
        return "write the statement in another way: no abstraction follows it"
    if entry is None:
        return "name the data structure (--structure-hint; kleene shapes lists them)"
    own = f"add a predicate that tells the two apart to {entry.name}, in a file for --shapes"
    return f"{own} (kleene shapes {entry.name} shows what it has), or name another data structure (--structure-hint)"


def round_words(task: Task, one: Round) -> RoundWords:
    """A round in words: BuildART, the path and why it cannot happen, then what Refine and Abstract did."""
    names = SourceNames(task)
    here = names.at_step(one.path.steps[-1].edge)
    kept = f", {one.kept} of them kept from the last round" if one.kept else ""
    facts: list[tuple[str, str]] = [
        ("abstraction", f"{one.abstraction.words}; tracking {abstraction_words(task, one.abstraction)}"),
        ("tree", f"{one.nodes} nodes{kept}"),
        ("error", plain(rename_variables(str(one.path.error), here))),
        ("path", " ".join(_short(task, one))),
        (one.reason.verdict, plain(one.reason.text)),
    ]
    if one.others:
        facts.append(("other errors", _other_errors(one)))
    if one.reason.interpolants is not None:
        facts.append(("interpolants", plain("; ".join(interpolant_texts(one, names)))))
    if TRACKING in one.kinds:
        facts += _tracking_facts(task, one, names)
    facts += _abstract_facts(one) + _fine_tune_facts(one, several=len(one.abstraction.generators) > 1)
    if one.tactic:
        facts.append(("tactic", one.tactic))
    title = f"round {one.number}: {', '.join(dict.fromkeys(map(_kind, one.kinds))) or _nothing(one)}"
    trials = tuple((str(t.generator), t.rules_out) for t in one.trials)
    return RoundWords(title, tuple(facts), tuple(path_lines(task, one)), trials)


def _tracking_facts(task: Task, one: Round, names: SourceNames) -> list[tuple[str, str]]:
    """The additions of Refine to the tracking definitions, with locations (by line) and reasons."""
    active = unite(*(where for _, where in one.active))
    known = one.abstraction.definition.only(active.keys() | one.everywhere)  # known before, but not there
    added = one.added.join(replace(known, fields=frozenset(), data=frozenset()))
    facts = [("conditions", "; ".join(map(str, one.conditions)))] if one.conditions else []
    facts += [("now tracked too", tracked_words(added, names, Activity(active)))] if not added.empty else []
    facts += [(f"by {why}", "; ".join(_by_line(task, where, names))) for why, where in one.active]
    if one.everywhere or added.variables - active.keys():
        whole = tracked_words(added.only(added.variables - active.keys()), names)
        facts.append(("by liveness", f"wherever they are live: {whole}"))
    return facts


def _by_line(task: Task, where: Where, names: SourceNames) -> list[str]:
    """The variables that are tracked from now on at the locations of each line; lines with the same ones together."""
    at: dict[tuple[str, int], set[str]] = {}
    for name, locations in where.items():
        for location in locations:
            places = [edge.label.place for edge in task.cfa.leaving(location) if edge.label.place.line]
            for place in places[:1]:
                known = names.at(location).get(name, name)
                at.setdefault((Path(place.file).name, place.line), set()).add(_COPY.sub(".", known))
    ranges: list[tuple[str, list[int], set[str]]] = []
    for (file, line), here in sorted(at.items()):
        if ranges and ranges[-1][0] == file and ranges[-1][2] == here:
            ranges[-1][1].append(line)
        else:
            ranges.append((file, [line], here))
    texts = [f"{file}:{_range(lines)} {', '.join(sorted(here))}" for file, lines, here in ranges]
    return texts if len(texts) <= _SHOWN_LINES else [*texts[:_SHOWN_LINES], f"... ({len(texts) - _SHOWN_LINES} more)"]


def _range(lines: list[int]) -> str:
    """Line numbers as text; consecutive ones (or nearly so) become a range."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line - runs[-1][-1] <= 2:
            runs[-1].append(line)
        else:
            runs.append([line])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _nothing(one: Round) -> str:
    return "a real error" if one.reason.verdict == FEASIBLE else "nothing left to refine"


def _other_errors(one: Round) -> str:
    """The other errors that the same tree shows, by line."""
    places = dict.fromkeys(_where(p.operations[-1]) for p in one.others)
    return f"{len(one.others)} more in this tree, at {', '.join(places)}"


def _abstract_facts(one: Round) -> list[tuple[str, str]]:
    """The result of Abstract: the explicit heaps, and the data structures recognised in them."""
    facts: list[tuple[str, str]] = []
    several = len(one.abstraction.generators) > 1
    for look in one.looks:
        if several:
            facts.append(("structure type", str(look.structure)))
        if look.samples is not None:
            heaps = look.samples.usable
            sizes = ", ".join(str(len(heap.reachable())) for _, heap in heaps[:8])
            tree = f"{look.samples.size} explicit nodes of {look.samples.runs} runs"
            facts.append(("explicit heaps", f"{len(heaps)} samples of {sizes} cells, from {tree}"))
        facts.append(("fields", str(look.recognised.roles)))
        facts.append(("data structures", ", ".join(look.recognised.fitting) or "none fits"))
        unlike = [f"{name} ({why})" for name, why in look.recognised.rejected.items() if not why.startswith("it needs")]
        facts += [("ruled out", "; ".join(unlike))] if unlike else []
    if one.explicit and one.chosen:
        graphs = len({(node.location, node.shape) for node in one.explicit})
        made = f"the heaps of {len(one.explicit)} explicit nodes become {graphs} shape graphs"
        facts.append(("heap to shape", f"{made}, from which the tree continues"))
    return facts


def _fine_tune_facts(one: Round, *, several: bool) -> list[tuple[str, str]]:
    """The generators that FineTune tried, and the one that was chosen."""
    facts: list[tuple[str, str]] = []
    if one.trials:
        widened = ", in the whole library" if one.widened else ""
        facts.append(("simulated", _LEVELS[one.level] + widened))
    facts += [("tried", _with_type(trial.generator, str(trial), several=several)) for trial in one.trials]
    for chosen in one.chosen:
        ruled_out = any(trial.generator == chosen and trial.rules_out for trial in one.trials)
        closed = "the list may be a ring" if SHAPE_CLASS in one.kinds else "coarsest with these fields"
        again = [trial.generator for trial in one.trials].count(chosen) > 1
        how = "followed to the end" if again else "coarsest that rules the path out" if ruled_out else closed
        facts.append(("shape class", _with_type(chosen, f"{chosen} ({how})", several=several)))
    if one.outgrown is not None:
        generator, structures = one.outgrown
        facts.append(("outgrown", f"{generator}: {structures} structures and no end; a finer one needs fewer"))
    return facts


def _with_type(generator: Generator, text: str, *, several: bool) -> str:
    """The text about a generator, with its structure type if there are several."""
    return f"{generator.structure}: {text}" if several else text


def interpolant_texts(one: Round, names: SourceNames) -> list[str]:
    """The interpolants that differ, in the order of the path; each with the line before which it holds."""
    by_text: dict[str, str] = {}
    assert one.reason.interpolants is not None
    for step, cut in zip(one.path.steps, one.reason.interpolants.cuts, strict=False):
        text = rename_variables(str(cut), names.at(step.edge.source))
        if text not in ("True", "False") and text not in by_text:
            by_text[text] = f"before {_where(step.edge.label)} {text}"
    shown = list(by_text.values())
    return shown if len(shown) <= _SHOWN_FORMULAS else [*shown[: _SHOWN_FORMULAS - 1], "...", shown[-1]]


def _kind(kind: str) -> str:
    words = {TRACKING: "refine the tracking definition", SAMPLING: "look at explicit heaps"}
    return words.get(kind, "fine-tune the shape class")


def path_lines(task: Task, one: Round) -> list[str]:
    """The statements of the path, one to a line, in the program's own variables."""
    result = []
    for step in one.path.steps:
        operation = task.readable(step.edge)
        if not isinstance(operation, DeclareLocal | EndScope | Skip):
            result.append(f"line {operation.place.line}: {plain(_text(operation))}")
    return result


def _short(task: Task, one: Round) -> list[str]:
    """The line numbers of the path; a loop occurs once per iteration."""
    lines: list[tuple[str, int]] = []
    for step in one.path.steps:
        operation = task.readable(step.edge)
        place = (operation.place.file, operation.place.line)
        if not isinstance(operation, DeclareLocal | EndScope | Skip) and (not lines or lines[-1] != place):
            lines.append(place)
    files = [file for file, _ in lines]
    shown = [
        str(line) if before == file else f"{Path(file).name}:{line}"
        for (file, line), before in zip(lines, ["", *files], strict=False)
    ]
    if len(shown) > 3 * _SHOWN_STEPS:
        half = 3 * _SHOWN_STEPS // 2
        shown = [*shown[:half], "...", *shown[-half:]]
    return [f"{len(one.path.steps)} steps, lines", *shown]


def _where(operation: Operation) -> str:
    return f"{Path(operation.place.file).name}:{operation.place.line}"


def _text(operation: Operation) -> str:
    if isinstance(operation, Assume) and not operation.truth:
        return f"[!({operation.condition})]"
    return str(operation)


def tracked_words(definition: TrackingDefinition, names: SourceNames, active: Activity = EVERYWHERE) -> str:
    """The tracked variables as text: with source names for shared predicates, and one name for all copies."""

    def own(shared: Iterable[str]) -> frozenset[str]:
        meant = (names.of(one, active.at[one]) if one in active.at else names.all_of(one) for one in shared)
        return frozenset(_COPY.sub(".", name) for one in meant for name in one)

    tracked, separating = own(definition.tracked), own(definition.separating)
    integers = frozenset(name for name in own(definition.integers) if not name.startswith(NEXT))
    return str(replace(definition, tracked=tracked, separating=separating, integers=integers))


def abstraction_words(task: Task, abstraction: Abstraction) -> str:
    """Everything that an abstraction tracks at some location, as text."""
    words = tracked_words(abstraction.definition, SourceNames(task), abstraction.active)
    offsets = abstraction.definition.data
    own = [str(c) for c, number in cell_conditions(task.conditions).items() if ghost_offset(c, number) in offsets]
    return f"{words}; conditions {', '.join(own)}" if own else words


def plain(text: str) -> str:
    """Copies of functions are numbered from the second on: `insert.x`, `insert#2.x`."""
    return _COPY.sub(lambda match: "." if match[1] == "1" else f"#{match[1]}.", text)
