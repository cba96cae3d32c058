"""`kleene run` as a library function: a TVP program and input structures in, a report out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kleene.analysis.limits import Watchdog, peak_memory
from kleene.analysis.tvp.dead_ends import dead_ends
from kleene.analysis.tvp.derivation import derivation_graph
from kleene.analysis.tvp.explain import Provenance, explanations
from kleene.analysis.tvp.input import checked_input
from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.profile import ProfiledDomain
from kleene.analysis.tvp.queries import Query, answer, parse_query
from kleene.analysis.tvp.small_stores import wrong_updates
from kleene.cfa.graph import Cfa, Edge
from kleene.diagnostics import Diagnostic, InputError, InternalCheckError, Limit, LimitReached, UsageError
from kleene.domains.shape.domain import ShapeDomain, ShapeOptions
from kleene.engine.check import uncovered_elements
from kleene.engine.fixpoint import Listener, Reached, Schedule, solve
from kleene.logic.vocabulary import Vocabulary
from kleene.report.run.result import (
    INCOMPLETE,
    MESSAGES,
    VERIFIED,
    Explanation,
    LocationReport,
    MessageReport,
    RunReport,
    Statistics,
    Transitions,
)
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import TvsStructure
from kleene.transformers.action import Action, Rule
from kleene.transformers.differencing import Derivation, derive
from kleene.transformers.focus import FocusOptions
from kleene.transformers.focus_plan import with_closure_predicates
from kleene.transformers.rules import all_rules
from kleene.tvp.program import Program


@dataclass
class Analysis:
    """A program made ready to run: updates derived, rules generated, the domain built."""

    program: Program
    options: RunOptions
    cfa: Cfa[Action]
    domain: ShapeDomain
    derivations: tuple[Derivation, ...]
    queries: tuple[Query, ...] = ()
    warnings: list[Diagnostic] = field(default_factory=list)
    doubtful: tuple[str, ...] = ()
    """The actions whose derived updates ignore new or removed nodes, where that changes them."""
    kept_together: str = ""
    """With heaps taken apart: what was kept together because of messages, in words."""


def prepare(program: Program, options: RunOptions) -> Analysis:
    """Derive updates, generate rules, compile nothing yet."""
    if options.decompose:
        from kleene.analysis.tvp.decomposed import require_decomposable  # a fifth of the modules of a run

        require_decomposable(options)
    derivations: dict[Action, Derivation] = {}
    if not options.as_tvla:
        options = replace(options, differencing=replace(options.differencing, chains=True))
    for edge in program.cfa.edges:
        if edge.label not in derivations:
            action = edge.label if options.as_tvla else _with_stored_closures(edge.label, program.vocabulary)
            derivations[edge.label] = derive(action, program.vocabulary, options.differencing)
    edges = tuple(Edge(e.source, derivations[e.label].action, e.target) for e in program.cfa.edges)
    cfa = Cfa(program.cfa.entry, edges)
    if options.backward:
        cfa = cfa.reverse()
    rules = all_rules(
        program.vocabulary,
        program.rules,
        automatic=options.automatic_rules,
        single_literals=not options.as_tvla,
    )
    domain = _domain(program, rules, options)
    if options.max_messages is not None:
        domain.log.limit = max(options.max_messages, 1)
    warnings = list(program.warnings)
    warnings += [Diagnostic(text, None, "warning") for d in derivations.values() for text in d.warnings]
    if options.save != "all" and not program.print_locations:
        text = f"--save {options.save} has no effect: without a list of locations to print, all of them are kept"
        warnings.append(Diagnostic(text, None, "warning"))
    queries = tuple(parse_query(q, program.vocabulary, program.sets, cfa.locations) for q in options.queries)
    doubtful = () if options.differencing.universe_changes else _doubtful(derivations, program, options)
    return Analysis(program, options, cfa, domain, tuple(derivations.values()), queries, warnings, doubtful)


def _doubtful(derivations: dict[Action, Derivation], program: Program, options: RunOptions) -> tuple[str, ...]:
    """The actions whose updates would be others if they accounted for new and removed nodes."""
    right = replace(options.differencing, universe_changes=True)
    return tuple(str(a) for a, d in derivations.items() if derive(a, program.vocabulary, right).updates != d.updates)


def _with_stored_closures(action: Action, vocabulary: Vocabulary) -> Action:
    """The action with focus formulas on predicates that store closures."""
    focus = tuple(with_closure_predicates(f, vocabulary) for f in action.focus)
    return replace(action, focus=focus) if focus != action.focus else action


def _domain(program: Program, rules: tuple[Rule, ...], options: RunOptions) -> ShapeDomain:
    if options.best:
        from kleene.analysis.tvp.best import BestDomain  # loads the solvers

        return BestDomain(
            program.vocabulary, rules, _shape_options(options), chosen=options.best, user_rules=program.rules
        )
    make = ProfiledDomain if options.profile else ShapeDomain
    return make(program.vocabulary, rules, _shape_options(options))


def _shape_options(options: RunOptions) -> ShapeOptions:
    return ShapeOptions(
        join="conc" if options.decompose else options.join,
        stages=options.stages,
        definite_names=options.definite_names,
        half_is_zero=options.definite_names and options.as_tvla,
        freeze=options.freeze,
        keep_names=options.significant,
        coerce_during_focus=options.coerce_during_focus or not options.as_tvla,
        filter_during_focus=options.filter_during_focus,
        blame_updates=True,
        focus=FocusOptions(
            overlapping=options.as_tvla,
            split_active=not options.as_tvla or options.join == "ind",
            skip_infinite=options.skip_infinite_focus,
        ),
    )


def run(
    analysis: Analysis,
    given: Sequence[TvsStructure],
    *,
    load_seconds: float = 0.0,
    listeners: Iterable[Listener] = (),
    on_dump: Callable[[RunReport], None] | None = None,
) -> RunReport:
    """Analyse the program on the given input structures.

    `on_dump` gets the result so far each time another `options.dump` structures have been generated.
    """
    options, domain = analysis.options, analysis.domain
    schedule = _schedule(analysis)
    if options.self_check and schedule.keep is not None:
        raise UsageError("--self-check needs the structures of every location: use it with --save all")
    if (options.transitions or options.queries) and (schedule.keep is not None or options.best):
        raise UsageError("--query and --transitions need --save all, and cannot be used with --best")
    provenance = Provenance(options.explain)
    watchdog = Watchdog(options.timeout, options.memory, spent=load_seconds)
    reached: Reached[Structure] = Reached({name: domain.store() for name in analysis.cfa.locations})
    problems: list[Diagnostic] = []
    told: list[Explanation] = []
    dead: list[Diagnostic] = []
    tried: list[Diagnostic] = []
    graph: Transitions | None = None
    activity = "checking the input"
    start = time.perf_counter()
    end = None
    try:
        with watchdog:
            structures, problems = _input(analysis, given)
            activity = ""
            watch = _watch(analysis, watchdog, on_dump)
            if options.decompose:
                reached = _solved_apart(analysis, structures, schedule, listeners, watch)
            else:
                heard = [*listeners, provenance] if options.explain else list(listeners)
                reached = solve(analysis.cfa, domain, structures, schedule, listeners=heard, check_limits=watch)
            if options.messages_at_fixpoint and reached.complete and reached.kept_everywhere:
                activity = "reporting messages"
                _recompute_messages(analysis, reached)
            end = time.perf_counter()
            if options.self_check and reached.complete and not options.decompose:
                activity = "checking the result"
                _self_check(analysis, structures, reached)
            if reached.complete and reached.kept_everywhere and not (options.decompose or options.best):
                activity = "looking for dead ends"
                dead = dead_ends(analysis.cfa, *(replay := (_silent(analysis), _structures_at(analysis, reached))))
                if not (dead or domain.wrong_updates or len(domain.log)):
                    activity = "trying updates on small stores"
                    tried = _tried_updates(analysis, *replay)
            if (options.transitions or options.queries) and reached.complete:
                activity = "deriving the graph of transitions"
                graph = derivation_graph(analysis.cfa, _silent(analysis), structures, _structures_at(analysis, reached))
            if not watchdog.struck:
                activity = "explaining the result"
                told = _explanations(analysis, provenance, reached)
    except (LimitReached, KeyboardInterrupt) as stop:
        reason = str(stop) or "interrupted"
        reached = replace(reached, complete=False, reason=f"{reason} while {activity}" if activity else reason)
    seconds = {"load": load_seconds, "analysis": (end or time.perf_counter()) - start}
    if isinstance(domain, ProfiledDomain):
        seconds |= domain.seconds
    warnings = [*analysis.warnings, *problems, *_contradictions(analysis), *_best_notes(analysis)]
    wrong = _wrong_updates(analysis) or dead or tried
    warnings += wrong
    report = _report(analysis, reached, seconds, warnings)
    if wrong and report.verdict == VERIFIED:
        report = replace(report, verdict=INCOMPLETE, reason=wrong[0].message)
    if analysis.doubtful and report.verdict == VERIFIED:
        text = f"the derived updates of '{analysis.doubtful[0]}' ignore new or removed nodes, as in TVLA"
        report = replace(report, verdict=INCOMPLETE, reason=text)
    if graph is not None:
        answers = tuple(answer(query, graph, _structures_at(analysis, reached)) for query in analysis.queries)
        report = replace(report, transitions=graph, answers=answers)
        failing = sum(not a.holds for a in answers)
        if report.verdict == VERIFIED and failing:
            report = replace(report, verdict=MESSAGES, reason=f"{failing} of {len(answers)} queries may fail")
    return replace(report, explanations=tuple(told))


def _solved_apart(
    analysis: Analysis,
    structures: Sequence[Structure],
    schedule: Schedule,
    listeners: Iterable[Listener],
    watch: Callable[[Reached[Structure]], None],
) -> Reached[Structure]:
    """The fixpoint of products, with their parts as structures.

    If there are messages, more of what is tested before them is kept together, in rounds.
    """
    from kleene.analysis.tvp import decomposed as apart

    program, join, heard = analysis.program, analysis.options.join, list(listeners)
    kept, rounds = apart.Kept(), list(apart.NEAREST)
    while True:
        domain = apart.decomposed_domain(program, analysis.domain, join, kept)
        reached = apart.solve_apart(analysis.cfa, domain, structures, schedule, heard, watch)
        more = None
        while rounds and more is None and reached.complete and len(analysis.domain.log):
            more = apart.correlate(analysis.cfa, domain, reached, rounds.pop(0), kept)
        if more is None:
            break
        kept = more
        analysis.domain.log.clear()
    analysis.kept_together = kept.words
    if analysis.options.self_check and reached.complete:
        fresh = apart.decomposed_domain(program, _silent(analysis), join, kept)
        apart.check_apart(analysis.cfa, fresh, structures, reached)
    return apart.flatten(reached, domain)


def _silent(analysis: Analysis) -> ShapeDomain:
    """A domain like that of the analysis, for replays whose messages are not counted."""
    coercer = analysis.domain.coercer
    return ShapeDomain(analysis.program.vocabulary, coercer.rules, analysis.domain.options, coercer=coercer)


def _structures_at(analysis: Analysis, reached: Reached[Structure]) -> dict[str, list[Structure]]:
    return {name: list(reached.stores[name].elements()) for name in analysis.cfa.locations}


def _input(analysis: Analysis, given: Sequence[TvsStructure]) -> tuple[list[Structure], list[Diagnostic]]:
    """The input structures that satisfy the rules, and warnings about the others (as TVLA, which ignores them)."""
    options = analysis.options
    structures, problems = checked_input(given, analysis.domain.coercer, complete=options.complete_input)
    if problems and not options.as_tvla:  # without them, the analysis would prove less than it seems
        raise InputError([replace(p, severity="error") for p in problems])
    if problems and not structures:
        problems.append(Diagnostic("no input structure is left, so nothing was analysed", None, "warning"))
    return structures, problems


def _explanations(analysis: Analysis, provenance: Provenance, reached: Reached[Structure]) -> list[Explanation]:
    return [
        explanation
        for location in analysis.options.explain
        for explanation in explanations(analysis.domain, provenance, location, reached.stores[location].elements())
    ]


def _schedule(analysis: Analysis) -> Schedule:
    options, cfa = analysis.options, analysis.cfa
    keep: frozenset[str] | None = None
    if options.save != "all" and analysis.program.print_locations:
        chosen = cfa.loop_heads if options.save == "back" else cfa.merge_points
        keep = chosen | set(analysis.program.print_locations)
    order = options.order
    if options.post_order:
        order = "tvla-post"
    return Schedule(order, not options.as_tvla, keep, trace=bool(options.explain))


def _watch(
    analysis: Analysis, watchdog: Watchdog, on_dump: Callable[[RunReport], None] | None
) -> Callable[[Reached[Structure]], None]:
    """The callback after each location: checks the limits and dumps intermediate results."""
    options = analysis.options
    dumped = 0

    def check(reached: Reached[Structure]) -> None:
        nonlocal dumped
        if options.dump and on_dump and reached.generated - dumped >= options.dump:
            dumped = reached.generated
            on_dump(_report(analysis, reached, {}, analysis.warnings))
        if options.max_structures is not None and reached.generated > options.max_structures:
            raise LimitReached(f"more than {options.max_structures} structures were generated", Limit.STRUCTURES)
        watchdog.check()

    return check


def _best_notes(analysis: Analysis) -> list[Diagnostic]:
    """Notes on the actions whose best transformers were more precise, and on those that they left undecided."""
    improved = getattr(analysis.domain, "improved", {})
    undecided = getattr(analysis.domain, "undecided", {})
    notes = [
        Diagnostic(
            f"the best transformer of '{name}' was more precise on {sum(places.values())} structures "
            f"(at {', '.join(sorted(places))})",
            None,
            "note",
        )
        for name, places in improved.items()
    ]
    return notes + [Diagnostic(f"not known to be best: {text}", None, "warning") for text in undecided]


def _contradictions(analysis: Analysis) -> list[Diagnostic]:
    """Updates whose result contradicts the rules: harmless if the structure was infeasible, else a formula is wrong.

    TVLA's focus leaves infeasible structures until after the update, so in its order this is no sign of anything.
    """
    if analysis.options.as_tvla:
        return []
    warnings = []
    for action, (edge, structure) in analysis.domain.contradictions.items():
        breach = _breach(analysis, edge, structure)
        if breach and action not in analysis.domain.wrong_updates:
            text = f"a structure was discarded because {breach}; if the update or the rule is wrong, so is the result"
            warnings.append(Diagnostic(text, action.position, "warning"))
    return warnings


def _wrong_updates(analysis: Analysis) -> list[Diagnostic]:
    """Updates that must be wrong, or the rules that they contradict (thesis section 8.1)."""
    errors = []
    for action, (edge, structure) in analysis.domain.wrong_updates.items():
        text = f"{_breach(analysis, edge, structure)}, and focus is not the reason: the update or the rule is wrong"
        errors.append(Diagnostic(text, action.position, "warning"))
    return errors


def _tried_updates(
    analysis: Analysis, replay: ShapeDomain, structures: Mapping[str, Sequence[Structure]]
) -> list[Diagnostic]:
    """Updates that are wrong on a small store of a structure that they meet."""
    errors = []
    for wrong in wrong_updates(analysis.cfa, replay, analysis.derivations, structures):
        breach = _breach(analysis, wrong.edge, wrong.result)
        text = f"{breach}, on a store of a structure there: the update or the rule is wrong"
        errors.append(Diagnostic(text, wrong.edge.label.position, "warning"))
    return errors


def _breach(analysis: Analysis, edge: Edge[Action], structure: Structure) -> str:
    """Which rule the result of an update contradicts, and where; the empty text if there is none."""
    breach = analysis.domain.coercer.explain(structure)
    if breach is None:
        return ""
    where = f"({edge.source} -> {edge.target})"
    return f"the update of '{edge.label}' {where} contradicts the rule {breach.describe(structure)}"


def _recompute_messages(analysis: Analysis, reached: Reached[Structure]) -> None:
    """Keep only the messages of the final structures (`tvla.engine.checkMessagesAtFixpoint`)."""
    analysis.domain.log.clear()
    analysis.domain.log.limit = None
    for edge in analysis.cfa.edges:
        analysis.domain.post(edge, reached.stores[edge.source].elements())


def _self_check(analysis: Analysis, structures: Sequence[Structure], reached: Reached[Structure]) -> None:
    """The independent check that the result is a post-fixpoint; messages of the replay are not counted."""
    problems = uncovered_elements(analysis.cfa, _silent(analysis), structures, reached)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise InternalCheckError(f"the result is not a fixpoint: {problems[0]}{more}")


def _heap_words(analysis: Analysis) -> dict[str, str]:
    """What was kept together of a heap that is taken apart, for the report."""
    words = analysis.kept_together
    return {"heap": f"taken apart; kept together because of messages: {words}"} if words else {}


def _report(
    analysis: Analysis, reached: Reached[Structure], seconds: dict[str, float], warnings: Sequence[Diagnostic]
) -> RunReport:
    domain = analysis.domain
    locations = tuple(
        LocationReport(name, tuple(reached.stores[name].elements()), _messages(analysis, name))
        for name in analysis.cfa.locations
    )
    messages = sum(len(location.messages) for location in locations)
    verdict = INCOMPLETE if not reached.complete else MESSAGES if messages else VERIFIED
    statistics = Statistics(
        stored=sum(len(location.structures) for location in locations),
        generated=reached.generated,
        messages=sum(m.count for location in locations for m in location.messages),
        constraints=len(domain.coercer.rules),
        iterations=reached.iterations,
        discarded=domain.discarded + domain.focuser.discarded,
        max_nodes=max((location.max_nodes for location in locations), default=0),
        peak_memory_bytes=peak_memory(),
    )
    return RunReport(
        program=analysis.program.name,
        verdict=verdict,
        reason=reached.reason,
        locations=locations,
        shown_locations=analysis.program.print_locations,
        edges=tuple((e.source, str(e.label), e.target) for e in analysis.cfa.edges),
        entry=analysis.cfa.entry,
        statistics=statistics,
        seconds=seconds,
        warnings=tuple(str(w) for w in warnings),
        options=analysis.options.choices() | _heap_words(analysis),
    )


def _messages(analysis: Analysis, location: str) -> tuple[MessageReport, ...]:
    return tuple(
        MessageReport(
            location,
            entry.text,
            len(entry.structures),
            entry.definite,
            tuple(entry.structures)[:20],
            str(entry.action),
            entry.action.position,
        )
        for entry in analysis.domain.log.at(location)
    )
