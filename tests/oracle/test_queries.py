"""Questions about the derivation graph (thesis section 8.3), against all paths of small graphs and concrete runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.queries import Query, StateFormula, answer, parse_query
from kleene.analysis.tvp.run import prepare, run
from kleene.diagnostics import InputError, UsageError
from kleene.logic.kleene import Kleene
from kleene.report.run.result import State, Transition, Transitions
from kleene.report.run.transitions import transitions_dot, transitions_tvs
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import parse_tvs, read_tvs
from kleene.tvp.program import Program, load_program

from .concrete import holds, step, with_definitions
from .naive import NaiveStructure, from_structure

REVERSE = Path(__file__).parents[2] / "examples" / "tvp" / "sll" / "reverse.tvp"
FORMS = ("always", "never", "stays", "once", "comes from")


class _Table(StateFormula):
    """A state formula by its values."""

    def __init__(self, values: dict[State, Kleene]) -> None:
        object.__setattr__(self, "values", values)

    def value(self, state: State, structure: Structure) -> Kleene:
        return self.values[state]  # type: ignore[attr-defined, no-any-return]


def _paths(graph: Transitions, longest: int) -> Iterator[list[State]]:
    waiting = [[s] for s in graph.initial]
    while waiting:
        path = waiting.pop()
        yield path
        if len(path) < longest:
            waiting += [[*path, e.target] for e in graph.edges if e.source == path[-1]]


def _refutes(form: str, first: Sequence[bool], first_sure: Sequence[bool], second_sure: Sequence[bool]) -> bool:
    """Whether a path, by the values of its states, may be a run against the question, by definition."""
    match form:
        case "always":
            return not all(first_sure)
        case "never":
            return any(first)
        case "comes from":
            return any(first[k] and not any(second_sure[: k + 1]) for k in range(len(first)))
    return any(first[k] and not all(second_sure[k:]) for k in range(len(first)))


VALUES = st.sampled_from([Kleene.FALSE, Kleene.TRUE, Kleene.TRUE, Kleene.UNKNOWN])


@settings(max_examples=200)
@given(st.data(), st.sampled_from(FORMS))
def test_answers_agree_with_all_paths(data: st.DataObject, form: str) -> None:
    states: list[State] = [("l", k) for k in range(data.draw(st.integers(1, 4)))]
    pairs = data.draw(st.sets(st.tuples(st.sampled_from(states), st.sampled_from(states)), max_size=6))
    initial = data.draw(st.sets(st.sampled_from(states), min_size=1))
    graph = Transitions(tuple(sorted(initial)), tuple(Transition(a, "go", b) for a, b in sorted(pairs)))
    tables = [{s: data.draw(VALUES) for s in states} for _ in range(1 if form in ("always", "never", "stays") else 2)]
    query = Query("?", form, tuple(_Table(t) for t in tables))
    result = answer(query, graph, {"l": [None] * len(states)})  # type: ignore[dict-item, list-item]

    def refutes(path: Sequence[State]) -> bool:
        first, second = tables[0], tables[-1]
        sure = [[t[s] is Kleene.TRUE for s in path] for t in (first, second)]
        return _refutes(form, [first[s] is not Kleene.FALSE for s in path], *sure)

    assert result.holds == (not any(refutes(path) for path in _paths(graph, 2 * len(states) + 1)))
    if not result.holds:
        path = [state for _, state in result.path]
        assert path[0] in graph.initial and refutes(path)
        assert all((a, b) in pairs for a, b in itertools.pairwise(path))


QUESTIONS = (
    "always A(v) !is[n](v)",
    "never at exit: E(v) x(v)",
    "once E(v) y(v) stays",
    "once E(v) x(v) stays",
    "once at exit always !(E(v) x(v))",
    "at exit: E(v) y(v) comes from at {entry}: E(v) x(v)",
    "at exit: !(E(v) y(v)) comes from at {entry}: !(E(v) x(v))",
    "at exit: E(v) y(v) comes from at {entry}: !(E(v) x(v))",
    "never E(v) x(v) & y(v)",
)


def _reverse() -> Program:
    return load_program(REVERSE, include=[str(REVERSE.parent)])


def _concrete_runs(program: Program, size: int) -> Iterator[list[tuple[str, NaiveStructure]]]:
    """The run of list reversal on the list of a length; it is deterministic."""
    names = [f"u{k}" for k in range(size)]
    x = f"x = {{{names[0]}}}" if names else ""
    n = ", ".join(f"{a}->{b}" for a, b in itertools.pairwise(names))
    text = f"%n = {{{', '.join(names)}}} %p = {{ {x} {f'n = {{{n}}}' if n else ''} }}"
    start = with_definitions(from_structure(parse_tvs(text, program.vocabulary).structures[0].structure))
    waiting = [[(program.cfa.entry, start)]]
    while waiting:
        path = waiting.pop()
        location, s = path[-1]
        steps = [(e.target, r.after) for e in program.cfa.leaving(location) for r in step(s, e.label)]
        if not steps:
            yield path
        waiting += [[*path, (target, with_definitions(after))] for target, after in steps]


def test_what_holds_is_true_of_concrete_runs() -> None:
    """List reversal: no run on a list of up to four cells contradicts an answer, and the proofs are there."""
    program = _reverse()
    entry = program.cfa.entry
    questions = tuple(q.format(entry=entry) for q in QUESTIONS)
    given_structures = read_tvs(
        REVERSE.with_suffix(".tvs"), program.vocabulary, include=[str(REVERSE.parent)]
    ).structures
    report = run(prepare(program, RunOptions(queries=questions)), given_structures)
    answers = {a.query: a for a in report.answers}
    runs = [r for size in range(5) for r in _concrete_runs(program, size)]
    assert len(runs) >= 5
    for question in questions:
        query = parse_query(question, program.vocabulary, program.sets, program.cfa.locations)
        refuted = [r for r in runs if _refuted(query, r)]
        assert not (answers[question].holds and refuted), question
    proved = [q for q in questions if answers[q].holds]
    assert questions[0] in proved and questions[1] in proved and questions[2] in proved and questions[4] in proved
    assert questions[5] in proved
    assert questions[3] not in proved and questions[7] not in proved  # x becomes NULL at the end
    assert report.verdict == "messages"


def _refuted(query: Query, path: list[tuple[str, NaiveStructure]]) -> bool:
    def values(part: StateFormula) -> list[bool]:
        return [
            (part.location in (None, location)) and (part.formula is None or holds(s, part.formula, {}))
            for location, s in path
        ]

    first, second = values(query.parts[0]), values(query.parts[-1])
    return _refutes(query.form, first, first if query.form == "always" else second, second)


def test_outputs() -> None:
    """Every edge of the graph names states that exist; the TVS text is read back."""
    program = _reverse()
    given_structures = read_tvs(
        REVERSE.with_suffix(".tvs"), program.vocabulary, include=[str(REVERSE.parent)]
    ).structures
    report = run(prepare(program, RunOptions(transitions=True)), given_structures)
    graph = report.transitions
    assert graph is not None and graph.initial and graph.edges
    counts = {x.name: len(x.structures) for x in report.locations}
    assert all(0 <= k < counts[name] for e in graph.edges for name, k in (e.source, e.target))
    entered = {e.target for e in graph.edges} | set(graph.initial)
    assert entered == {(name, k) for name, count in counts.items() for k in range(count)}
    text = transitions_tvs(report, graph)
    assert len(parse_tvs(text, program.vocabulary).locations) == len(counts)
    assert transitions_dot(report, graph).count(" -> ") == len(graph.edges)


@pytest.mark.parametrize("text", ["sometimes b()", "always at nowhere", "always q(v)", "never x(v)"])
def test_wrong_questions(text: str) -> None:
    program = _reverse()
    with pytest.raises((UsageError, InputError)):
        parse_query(text, program.vocabulary, program.sets, program.cfa.locations)
