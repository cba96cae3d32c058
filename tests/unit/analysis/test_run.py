"""Running an analysis from Python: limits, checks, input structures, profiles, comparison."""

from __future__ import annotations

import gc
import mmap
import threading
import time
from dataclasses import replace

import pytest

from kleene.analysis.limits import Watchdog, peak_memory, resident_memory
from kleene.analysis.tvp.compare import differences
from kleene.analysis.tvp.input import checked_input, complete_structure
from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.profile import Stopwatch
from kleene.analysis.tvp.run import prepare, run
from kleene.diagnostics import InputError, InternalCheckError, LimitReached, UsageError
from kleene.logic.kleene import Kleene
from kleene.report.run.result import RunReport
from kleene.structures.tvs_reader import TvsFile, parse_tvs
from kleene.tvp.program import parse_program

PROGRAM = parse_program(
    """
    %p x(v) unique pointer
    %p y(v) unique pointer
    %p n(v1, v2) function
    %i r(v) = E(w) (x(w) & n*(w, v))
    %i long() = E(v1, v2) (r(v1) & r(v2) & v1 != v2)
    %%
    %action copy() { %f { x(v) } { y(v) = x(v) } }
    %action next() { %f { E(w) (y(w) & n(w, v)) } { y(v) = E(w) (y(w) & n(w, v)) } }
    %action null() { %f { y(v) } %p !(E(v) y(v)) }
    %action some() { %f { y(v) } %p E(v) y(v) }
    %%
    a copy() b
    b some() c
    c next() b
    b null() d
    """
)
LISTS = """
%n = {u, w} %p = { sm = {w: 1/2} x = {u} n = {u -> w: 1/2, w -> w: 1/2} r = {u, w} long = 1 }
%n = {u} %p = { x = {u} r = {u} }
"""


def tvs(text: str) -> TvsFile:
    return parse_tvs(text, PROGRAM.vocabulary)


def analysed(text: str = LISTS, **options: object) -> RunReport:
    chosen = replace(RunOptions(), **options)  # type: ignore[arg-type]
    return run(prepare(PROGRAM, chosen), tvs(text).structures)


def stored(report: RunReport) -> dict[str, int]:
    return {location.name: len(location.structures) for location in report.locations}


@pytest.mark.parametrize("join", ["rel", "part", "part_embedding", "pointed", "ind"])
@pytest.mark.parametrize("order", ["inner-first", "tvla"])
def test_every_result_passes_the_independent_check(join: str, order: str) -> None:
    report = analysed(join=join, order=order, self_check=True)
    assert report.verdict == "verified"
    assert all(count > 0 for count in stored(report).values())


def test_a_result_that_is_no_fixpoint_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import kleene.analysis.tvp.run as module

    def forgetful(*args: object, **named: object) -> object:
        reached = solve(*args, **named)
        reached.stores["d"].clear()
        return reached

    solve = module.solve
    monkeypatch.setattr(module, "solve", forgetful)
    assert analysed().verdict == "verified"
    with pytest.raises(InternalCheckError, match="the result is not a fixpoint: b -> d"):
        analysed(self_check=True)


def test_runs_do_not_share_state() -> None:
    """The same analysis twice, and two analyses side by side, give the same result."""
    prepared = prepare(PROGRAM, RunOptions())
    first, second = (run(prepared, tvs(LISTS).structures) for _ in range(2))
    assert first.locations == second.locations == analysed().locations


def test_explanations_do_not_change_the_result() -> None:
    plain, explained = analysed(), analysed(explain=("b", "d"))
    assert plain.locations == explained.locations
    assert {e.location for e in explained.explanations} == {"b", "d"}


def test_profiling_does_not_change_the_result() -> None:
    plain, profiled = analysed(), analysed(profile=True)
    assert plain.locations == profiled.locations
    phases = {"compile", "focus", "coerce", "precondition", "update", "blur", "join"}
    assert phases <= set(profiled.seconds)
    assert sum(profiled.seconds[phase] for phase in phases) <= profiled.seconds["analysis"]


# Limits ---------------------------------------------------------------------------------------------------------


def test_the_limit_on_structures() -> None:
    whole = analysed().statistics.generated
    assert analysed(max_structures=whole).verdict == "verified"
    partial = analysed(max_structures=3)
    assert (partial.verdict, partial.reason) == ("incomplete", "more than 3 structures were generated")
    assert 3 < partial.statistics.generated < whole


def test_the_limit_on_memory() -> None:
    assert analysed(memory=1 << 20).reason == "the memory limit of 1 MiB was reached"
    assert analysed(memory=1 << 50).verdict == "verified"


def test_dumps_come_on_the_way() -> None:
    seen: list[RunReport] = []
    prepared = prepare(PROGRAM, RunOptions(dump=4))
    final = run(prepared, tvs(LISTS).structures, on_dump=seen.append)
    totals = [report.statistics.generated for report in seen]
    assert totals == sorted(totals)
    assert all(b - a >= 4 for a, b in zip([0, *totals], totals, strict=False))
    assert totals[-1] <= final.statistics.generated


def busy(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def test_a_watchdog_strikes_in_the_middle_of_a_step() -> None:
    start = time.monotonic()
    watchdog = Watchdog(0.05, None)
    with pytest.raises(LimitReached, match=r"the time limit of 0.05 s was reached"), watchdog:
        busy(5)
    assert watchdog.struck
    assert time.monotonic() - start < 2


def test_a_watchdog_that_is_swallowed_strikes_again() -> None:
    watchdog = Watchdog(0.05, None)
    strikes = 0
    with pytest.raises(LimitReached), watchdog:
        try:
            busy(5)
        except LimitReached:
            strikes += 1
        busy(5)
    assert strikes == 1


def test_a_watchdog_waits_until_the_garbage_collector_is_done() -> None:
    """Python prints exceptions in callbacks of the collector and goes on: the limit was lost, with a warning."""
    ended: list[str] = []

    def callback(phase: str, info: dict[str, int]) -> None:
        busy(0.1)
        ended.append(phase)

    gc.callbacks.append(callback)
    try:
        with pytest.raises(LimitReached), Watchdog(0.05, None):
            gc.collect()
            busy(5)
    finally:
        gc.callbacks.remove(callback)
    assert ended == ["start", "stop"]


def test_memory_that_was_given_back_does_not_count() -> None:
    """After one large analysis, all others in the same process ended at once, at the limit of memory."""
    with mmap.mmap(-1, 256 << 20) as large:
        for page in range(0, len(large), mmap.PAGESIZE):
            large[page] = 1
        limit = resident_memory() - (128 << 20)
        with pytest.raises(LimitReached, match="memory limit"), Watchdog(None, limit):
            busy(0.3)
    with Watchdog(None, limit):
        busy(0.3)


def test_time_spent_before_counts() -> None:
    with pytest.raises(LimitReached), Watchdog(100, None, spent=99.99):
        busy(5)


def test_a_watchdog_is_quiet_afterwards_and_without_limits() -> None:
    with Watchdog(0.2, None):
        pass
    busy(0.3)
    with Watchdog(None, None):
        busy(0.01)


def test_elsewhere_than_in_the_main_thread_the_analysis_asks() -> None:
    reports: list[RunReport] = []
    thread = threading.Thread(target=lambda: reports.append(analysed(timeout=1e-9)))
    thread.start()
    thread.join()
    assert reports[0].reason == "the time limit of 1e-09 s was reached"


def test_peak_memory_is_plausible() -> None:
    before = peak_memory()
    block = bytearray(50 << 20)
    block[:: 1 << 12] = b"x" * len(block[:: 1 << 12])
    assert before > 5 << 20
    assert peak_memory() >= before
    del block
    assert peak_memory() >= before


# Input ----------------------------------------------------------------------------------------------------------


def test_contradictory_input_is_told_by_rule_and_nodes() -> None:
    bad = "%n = {p, q} %p = { x = {p, q} r = {p, q} long = 1 }"
    with pytest.raises(InputError, match=r"input structure 3 contradicts the rule .*\(x is unique\) at v1 = p, v2 = q"):
        analysed(LISTS + bad)
    report = analysed(LISTS + bad, order="tvla")
    assert len(report.locations[0].structures) == 2
    assert len(report.warnings) == 1


def test_completion_computes_what_is_not_listed() -> None:
    (item,) = tvs("%n = {u, w} %p = { x = {u} n = {u -> w} }").structures
    whole = complete_structure(item)
    assert [value for _, value in whole.entries("r")] == [Kleene.TRUE, Kleene.TRUE]
    assert whole.value("long") is Kleene.TRUE
    coercer = prepare(PROGRAM, RunOptions()).domain.coercer
    assert checked_input([item], coercer, complete=True)[1] == []
    (problem,) = checked_input([item], coercer, complete=False)[1]
    assert "r, long are not listed and so 0" in problem.message


def test_completion_keeps_what_is_listed() -> None:
    (item,) = tvs("%n = {u, w} %p = { x = {u} n = {u -> w: 1/2} r = {u, w} long = 1/2 }").structures
    whole = complete_structure(item)
    assert whole == item.structure


def test_the_check_needs_every_location() -> None:
    program = replace(PROGRAM, print_locations=("d",))
    with pytest.raises(UsageError, match="--save all"):
        run(prepare(program, RunOptions(save="back", self_check=True)), tvs(LISTS).structures)


# Stopwatch ------------------------------------------------------------------------------------------------------


def test_the_stopwatch_gives_exclusive_times() -> None:
    watch = Stopwatch()
    inner = watch.measure("coerce", lambda: busy(0.02))

    def outer() -> None:
        busy(0.01)
        inner()

    start = time.perf_counter()
    watch.measure("focus", outer)()
    total = time.perf_counter() - start
    assert watch.seconds["focus"] >= 0.01
    assert watch.seconds["coerce"] >= 0.02
    assert watch.seconds["focus"] + watch.seconds["coerce"] <= total


# Comparison -----------------------------------------------------------------------------------------------------


def located(text: str) -> TvsFile:
    return tvs("%location a = {" + text + "}")


ONE = "%n = {u} %p = { x = {u} r = {u} }"
MAYBE = "%n = {u} %p = { x = {u} r = {u} n = {u -> u: 1/2} }"
LOOP = "%n = {u} %p = { x = {u} r = {u} n = {u -> u} }"


def test_equal_results_do_not_differ() -> None:
    assert differences(located(ONE + LOOP), located(LOOP + ONE)) == []
    renamed = "%n = {b, a} %p = { x = {a} r = {a} y = {b} }"
    again = "%n = {p, q} %p = { x = {p} r = {p} y = {q} }"
    assert differences(located(renamed), located(again)) == []


@pytest.mark.parametrize(
    ("first", "second", "relation"),
    [
        (ONE, ONE + LOOP, "the first is more precise"),
        (ONE + LOOP, MAYBE, "the first is more precise"),
        (MAYBE, ONE, "the second is more precise"),
        (ONE, LOOP, "incomparable"),
        (ONE + MAYBE, MAYBE, "equivalent"),
    ],
)
def test_how_results_compare(first: str, second: str, relation: str) -> None:
    (found,) = differences(located(first), located(second))
    assert (found.location, found.relation) == ("a", relation)


def test_locations_that_only_one_has() -> None:
    (found,) = differences(tvs("%location a = {} %location b = {" + ONE + "}"), located(""))
    assert (found.location, len(found.only_first), found.only_second) == ("b", 1, ())


def test_plain_files_are_compared_too() -> None:
    assert differences(tvs(ONE + LOOP), tvs(LOOP + ONE)) == []
    assert differences(tvs(ONE), tvs(LOOP))[0].location == "structures"


RELEASE = """
%p x(v) unique %p y(v) unique %p n(v1, v2) function acyclic
%i t(v1, v2) = n*(v1, v2) transitive reflexive
%i is(v) = E(a, b) n(a, v) & n(b, v) & a != b
foreach (z in {x, y}) { %i r[z](v) = E(u) z(u) & t(u, v) }
%r !t(v1, v2) ==> !n(v1, v2)
%r !t(v1, v2) ==> v1 != v2
%r E(u) t(u, v1) & t(u, v2) & !t(v1, v2) ==> t(v2, v1)
%%
%action next() { %f { E(u) x(u) & n(u, v) } %p E(v) x(v) { x(v) = E(u) x(u) & n(u, v) y(v) = x(v) } }
%action free() { %f { y(v) } { n(v1, v2) = n(v1, v2) & !y(v1) & !y(v2) y(v) = 0 } %retain !y(v) }
%action check() { %message E(v) !r[x](v) -> "leak" }
%%
a next() b
b free() c
c check() a
"""


def test_an_update_that_only_removes_edges_closes_no_cycle():
    """``n & !y & !y``: the delta was that of an unknown update, with cycles and leaks; TVLA's order keeps it."""
    program = parse_program(RELEASE)
    given = parse_tvs(
        "%n = {u, w} %p = { sm = {w: 1/2} x = {u} n = {u -> w: 1/2, w -> w: 1/2} "
        "t = {u -> u, u -> w, w -> w: 1/2} r[x] = {u, w} }",
        program.vocabulary,
    ).structures
    assert run(prepare(program, RunOptions()), given).verdict == "verified"
    as_tvla = run(prepare(program, RunOptions(order="tvla")), given)
    assert any("Closed cycle" in message.text for message in as_tvla.messages)
